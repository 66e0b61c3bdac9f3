/* SPDX-License-Identifier: GPL-2.0-or-later
 * The files that sources include, found by reading their lines `#include "FILE"`, `#include <FILE>`
 * and `#include NAME`. This is for compilers that do not list what they read (NVRTC, hipRTC), and
 * to refuse files that a compiler would never finish reading. An include is followed whether or not
 * the preprocessor would take it. A header that is found nowhere is one of the compiler's own. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/str.h"
#include "build/build.h"

typedef struct {
  oak_words_t search; /**< folders, in the compiler's order */
  oak_words_t define; /**< NAME=VALUE, or "NAME VALUE" of a line of a source */
  oak_words_t *files;
  char *why; /**< why files may be missing, "" if none is */
} scan_t;

static const char letters[] = "abcdefghijklmnopqrstuvwxyz_";

static oak_status_t scan_file(scan_t *scan, const char *path, const char *wanted_by);

/** Follow the file \a name, which \a includer includes. */
static oak_status_t scan_name(scan_t *scan, const char *name, const char *includer) {
  const char *slash = strrchr(includer, '/');
  char path[PATH_MAX];
  struct stat info;
  for (int i = name[0] == '/' || !slash ? 0 : -1; i < scan->search.count; i++) {
    if (name[0] == '/')
      snprintf(path, sizeof path, "%s", name);
    else if (i < 0)
      snprintf(path, sizeof path, "%.*s/%s", (int)(slash - includer), includer, name);
    else
      snprintf(path, sizeof path, "%s/%s", scan->search.word[i], name);
    if (stat(path, &info) != 0 || S_ISDIR(info.st_mode)) continue;
    return scan_file(scan, path, includer);
  }
  return OAK_OK;
}

/** Follow what stands behind #include. */
static oak_status_t scan_operand(scan_t *scan, const char *operand, const char *includer,
                                 int depth) {
  char name[PATH_MAX];
  const size_t word = strcspn(operand, " \t\r\n=(/\\");
  int known = 0;
  if (*operand == '"' || *operand == '<') {
    const char *end = strpbrk(operand + 1, *operand == '"' ? "\"\n" : ">\n");
    snprintf(name, sizeof name, "%.*s", end ? (int)(end - operand - 1) : 0, operand + 1);
    if (end && *end != '\n') return scan_name(scan, name, includer);
  }
  for (int i = 0; i < scan->define.count && depth < 8; i++) {
    const char *define = scan->define.word[i];
    if (strncmp(define, operand, word) != 0 || !strchr("= \t", define[word])) continue;
    known = 1;
    OAK_TRY(scan_operand(scan, define + word + strspn(define + word, "= \t"), includer, depth + 1));
  }
  if (!known) snprintf(scan->why, OAK_UNFOLLOWED, "%s includes %.40s", includer, operand);
  return OAK_OK;
}

int oak_text_varies(const char *text) {
  static const char *const word[] = {"__has_include", "__has_embed", "__DATE__", "__TIME"};
  for (size_t i = 0; i < sizeof word / sizeof *word; i++)
    if (strstr(text, word[i])) return 1;
  return 0;
}

/** Directives of other forms: in comments, continued, with %: in place of #, and texts that ask for
 * files, or that an assembler may read them for. */
static int is_odd(const char *text) {
  int odd = oak_text_varies(text) || strstr(text, "%:") || strcasestr(text, "incbin");
  for (const char *at = text; !odd && (at = strchr(at, '#')); at++) {
    const char *line = at, *end = at + 1 + strspn(at + 1, " \t");
    end += strspn(end, letters);
    while (line > text && strchr(" \t", line[-1])) line--;
    odd = (line > text && line[-1] == '/') || !strncmp(end, "/*", 2) || !strncmp(end, "\\\n", 2);
  }
  return odd;
}

static oak_status_t scan_lines(scan_t *scan, const char *text, const char *path) {
  if (is_odd(text) && !oak_source_is_own(path))
    snprintf(scan->why, OAK_UNFOLLOWED, "%s may read files by other ways than #include \"...\"",
             path);
  for (const char *line = text; line; line = strchr(line, '\n')) {
    line += strspn(line, " \t\r\n");
    if (*line != '#') continue;
    const char *word = line + 1 + strspn(line + 1, " \t");
    const size_t length = strspn(word, letters);
    const char *operand = word + length + strspn(word + length, " \t");
    if (oak_str_has_word("define", word, length))
      oak_words_add(&scan->define, "%.*s", (int)strcspn(operand, "\n"), operand);
    if (oak_str_has_word("include include_next import embed", word, length))
      OAK_TRY(scan_operand(scan, operand, path, 0));
  }
  return OAK_OK;
}

static oak_status_t scan_file(scan_t *scan, const char *path, const char *wanted_by) {
  oak_buffer_t text = {0};
  for (int i = 0; i < scan->files->count; i++)
    if (!strcmp(scan->files->word[i], path)) return OAK_OK;
  const int error = oak_buffer_read(&text, path);
  OAK_CHECK(!error, OAK_ERR_FILE,
            "kernel source '%s', which %s includes, cannot be read: %s; check the path", path,
            wanted_by, error == EINVAL ? "it is no regular file" : strerror(error));
  oak_words_add(scan->files, "%s", path);
  const oak_status_t status = scan_lines(scan, oak_buffer_get(&text), path);
  oak_buffer_free(&text);
  return status;
}

/** Folders, constants and files in flags of the user. */
static oak_status_t scan_flags(scan_t *scan, const oak_words_t *user) {
  static const char *const kind[] = {"-iquote",  "-I",         "--include-path",
                                     "-isystem", "-idirafter", "-D",
                                     "-include", "-imacros",   "--pre-include"};
  const char *operand;
  for (int k = 0; k < 9; k++)
    for (int i = 0; i < user->count; i++) {
      if (!(operand = oak_flag_operand(user, &i, kind[k]))) continue;
      if (k < 6) oak_words_add(k < 5 ? &scan->search : &scan->define, "%s", operand);
      if (k >= 6) OAK_TRY(scan_name(scan, operand, "./flags"));
    }
  return OAK_OK;
}

static oak_status_t scan_all(scan_t *scan, const oak_source_t *source, const oak_words_t *user) {
  const char *root;
  OAK_TRY(oak_source_root(&root));
  oak_words_add(&scan->search, "%s/include", root);
  oak_words_add(&scan->search, "%s", root);
  for (int i = 0; i < source->ndefine; i++) oak_words_add(&scan->define, "%s", source->define[i]);
  OAK_TRY(scan_flags(scan, user));
  OAK_TRY(scan_name(scan, "oak/kernel.h", "./oak"));
  OAK_TRY(scan_lines(scan, source->text ? source->text : "", "text"));
  for (int i = 0; i < source->nfile; i++) {
    OAK_FREED char *path = NULL;
    OAK_TRY(oak_path_absolute(source->file[i], &path));
    OAK_TRY(scan_file(scan, path, oak_source_name(source)));
  }
  return OAK_OK;
}

oak_status_t oak_includes_list(const oak_source_t *source, const oak_words_t *user,
                               oak_words_t *files, char why[OAK_UNFOLLOWED]) {
  scan_t scan = {.files = files, .why = why};
  const oak_status_t status = scan_all(&scan, source, user);
  oak_words_free(&scan.search);
  oak_words_free(&scan.define);
  return status == OAK_OK ? oak_words_status(files) : status;
}

oak_status_t oak_source_hash(const oak_source_t *source, char hex[33]) {
  const oak_words_t none = {0};
  oak_words_t files = {0};
  oak_hash_t hash;
  char why[OAK_UNFOLLOWED] = "";
  oak_hash_start(&hash);
  oak_status_t status = oak_includes_list(source, &none, &files, why);
  for (int i = 0; i < files.count; i++) oak_file_hash(&hash, files.word[i]);
  oak_hash_hex(&hash, hex);
  oak_words_free(&files);
  return status;
}
