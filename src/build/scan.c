/* SPDX-License-Identifier: GPL-2.0-or-later
 * Finds the files that a kernel is made from, by following #include lines. This is needed for
 * compilers that do not say what they read (NVRTC), for a cache without a compiler, and to refuse
 * files that a compiler would never finish reading.
 *
 * Lines with "..." and <...> are followed whether or not the preprocessor would take them: a file
 * too many may cause a rebuild without need, and with a file too few a run may use a wrong binary.
 * For `#include NAME`, all values of NAME that occur in the sources are followed. A header that is
 * found nowhere is taken for one of the compiler's own. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/str.h"
#include "build/build.h"

typedef struct {
  dev_t device;
  ino_t inode;
} file_id_t;

typedef struct {
  const oak_source_t *source;
  oak_words_t search;   /**< folders that are searched, in the compiler's order */
  oak_words_t constant; /**< names and values, in turn, of constants that may name a file */
  file_id_t *seen;      /**< by device and inode, because the same file may have ever longer names
                             (a/../a/../a) */
  int nseen, room;
  oak_hash_t *hash;
  oak_sources_t *found;
} scan_t;

/** 1 if the file was read before, 0 if it is new, -1 if there is no memory. */
static int scan_seen(scan_t *scan, const struct stat *info) {
  for (int i = 0; i < scan->nseen; i++) {
    if (scan->seen[i].device == info->st_dev && scan->seen[i].inode == info->st_ino) return 1;
  }
  if (scan->nseen == scan->room) {
    int room = 2 * scan->room + 32;
    file_id_t *grown = realloc(scan->seen, (size_t)room * sizeof *grown);
    if (!grown) return -1;
    scan->seen = grown;
    scan->room = room;
  }
  scan->seen[scan->nseen++] = (file_id_t){info->st_dev, info->st_ino};
  return 0;
}

/** Where the compiler would find \a name; *out is NULL if it would not. \a must: the compiler will
 * read the file, so it must be a regular one. */
static oak_status_t scan_find(const scan_t *scan, const char *name, int quoted,
                              const char *includer, int must, char **out) {
  const char *slash = strrchr(includer, '/');
  int first = quoted && slash ? -1 : 0, last = scan->search.count;
  if (name[0] == '/') first = 0, last = 1;
  *out = NULL;
  for (int i = first; i < last; i++) {
    char *path;
    struct stat info;
    if (name[0] == '/') {
      OAK_TRY(oak_format(&path, "%s", name));
    } else if (i < 0) {
      OAK_TRY(oak_format(&path, "%.*s/%s", (int)(slash - includer), includer, name));
    } else {
      OAK_TRY(oak_format(&path, "%s/%s", scan->search.word[i], name));
    }
    const int there = stat(path, &info) == 0 && !S_ISDIR(info.st_mode);
    if (there && S_ISREG(info.st_mode)) {
      *out = path;
      return OAK_OK;
    }
    oak_status_t status = OAK_OK;
    if (there && must)
      status = OAK_FAIL(OAK_ERR_FILE, "'%s', which %s includes, is no regular file: check the path",
                        path, includer);
    free(path);
    OAK_TRY(status);
  }
  return OAK_OK;
}

static oak_status_t scan_file(scan_t *scan, const char *path, const char *wanted_by);

/** Follow one file name; \a operand starts with a quote or <. */
static oak_status_t scan_name(scan_t *scan, const char *operand, const char *includer, int must) {
  const char close = *operand == '"' ? '"' : '>';
  const char *end = strchr(operand + 1, close);
  char *name, *path = NULL;
  if (!end) {
    scan->found->blind |= must;
    return OAK_OK;
  }
  OAK_TRY(oak_format(&name, "%.*s", (int)(end - operand - 1), operand + 1));
  oak_status_t status = scan_find(scan, name, close == '"', includer, must, &path);
  const char *slash = strrchr(name, '/'); /* the folder has no effect on the key */
  oak_hash_text(scan->hash, slash ? slash + 1 : name);
  oak_hash_text(scan->hash, path ? "found" : "not found");
  if (!path) oak_words_add(&scan->found->missing, "%s", name);
  free(name);
  if (status == OAK_OK && path) status = scan_file(scan, path, includer);
  free(path);
  return status;
}

static size_t word_length(const char *text) {
  size_t length = 0;
  while (isalnum((unsigned char)text[length]) || text[length] == '_') length++;
  return length;
}

/** Follow one include; \a operand starts with a quote, < or the name of a constant. */
static oak_status_t scan_include(scan_t *scan, const char *operand, const char *includer,
                                 int depth) {
  if (*operand == '"' || *operand == '<') return scan_name(scan, operand, includer, 1);
  size_t length = word_length(operand);
  int known = 0;
  for (int i = 0; i + 1 < scan->constant.count && depth < 8; i += 2) {
    const char *name = scan->constant.word[i];
    if (length == 0 || strncmp(name, operand, length) != 0 || name[length]) continue;
    OAK_TRY(scan_include(scan, scan->constant.word[i + 1], includer, depth + 1));
    known = 1;
  }
  if (!known || operand[length + strspn(operand + length, " \t")]) scan->found->blind = 1;
  return OAK_OK;
}

/** Keep a constant that may name a file. */
static void keep_constant(scan_t *scan, const char *name, size_t length, const char *value) {
  if (length == 0 || !(*value == '"' || *value == '<' || word_length(value))) return;
  if (isdigit((unsigned char)*value)) return;
  oak_words_add(&scan->constant, "%.*s", (int)length, name);
  oak_words_add(&scan->constant, "%s", value);
}

/** Follow the files whose existence a line asks for. Where a macro names the file or asks for it,
 * only the compiler can say. */
static oak_status_t scan_questions(scan_t *scan, const char *line, const char *path) {
  const int define = !strncmp(line, "define", 6);
  for (const char *at = line; (at = strstr(at, "__has_"));) {
    const int asks = !strncmp(at, "__has_include", 13) || !strncmp(at, "__has_embed", 11);
    at += word_length(at);
    if (!asks) continue;
    const char *name = at + strspn(at, " \t(");
    if (*name == '"' || *name == '<')
      OAK_TRY(scan_name(scan, name, path, 0));
    else if (define || word_length(name) > 0)
      scan->found->blind = 1;
  }
  return OAK_OK;
}

/** Act on a line without comments. */
static oak_status_t scan_line(scan_t *scan, const char *line, const char *path) {
  static const char blank[] = " \t\r\f\v";
  line += strspn(line, blank);
  if (*line != '#' && strncmp(line, "%:", 2) != 0) return OAK_OK;
  line += *line == '#' ? 1 : 2;
  line += strspn(line, blank);
  const size_t length = word_length(line);
  const char *rest = line + length + strspn(line + length, blank);
  if ((length == 7 && !strncmp(line, "include", 7)) ||
      (length == 6 && !strncmp(line, "import", 6)) ||
      (length == 12 && !strncmp(line, "include_next", 12)) ||
      (length == 5 && !strncmp(line, "embed", 5)))
    return scan_include(scan, rest, path, 0);
  OAK_TRY(scan_questions(scan, line, path));
  if (length == 6 && !strncmp(line, "define", 6)) {
    const size_t name = word_length(rest);
    const char *value = rest + name + strspn(rest + name, blank);
    if (rest[name] == '(') return OAK_OK;
    keep_constant(scan, rest, name, value);
    /* The value is followed here too, because a file that was seen is not read again with another
     * value. */
    if (*value == '"' || *value == '<') return scan_name(scan, value, path, 0);
  }
  return OAK_OK;
}

/** Cut comments and join continued lines, in place. */
static void clean(char *text) {
  char *out = text, quote = 0;
  for (const char *in = text; *in;) {
    if (in[0] == '\\' && (in[1] == '\n' || (in[1] == '\r' && in[2] == '\n'))) {
      in += in[1] == '\n' ? 2 : 3;
    } else if (quote) {
      if (*in == quote || *in == '\n') quote = 0;
      if (*in == '\\' && in[1]) *out++ = *in++;
      *out++ = *in++;
    } else if (in[0] == '/' && in[1] == '*') {
      const char *end = strstr(in + 2, "*/");
      in = end ? end + 2 : in + strlen(in);
      *out++ = ' ';
    } else if (in[0] == '/' && in[1] == '/') {
      while (*in && *in != '\n') in += in[0] == '\\' && in[1] ? 2 : 1;
    } else {
      if (*in == '"' || *in == '\'') quote = *in;
      *out++ = *in++;
    }
  }
  *out = '\0';
}

static oak_status_t scan_lines(scan_t *scan, char *text, const char *path) {
  scan->found->assembles |= strcasestr(text, "incbin") || strcasestr(text, ".include");
  scan->found->dated |= strstr(text, "__DATE__") || strstr(text, "__TIME");
  clean(text);
  for (char *line = text; line;) {
    char *end = strchr(line, '\n');
    if (end) *end = '\0';
    OAK_TRY(scan_line(scan, line, path));
    line = end ? end + 1 : NULL;
  }
  return OAK_OK;
}

static oak_status_t scan_file(scan_t *scan, const char *path, const char *wanted_by) {
  struct stat info;
  int error = stat(path, &info) != 0 ? errno : 0;
  if (!error) {
    OAK_CHECK(S_ISREG(info.st_mode), OAK_ERR_FILE,
              "kernel source '%s' (for %s) is no regular file: check the path", path, wanted_by);
    int seen = scan_seen(scan, &info);
    if (seen == 1) return OAK_OK;
    OAK_CHECK(seen == 0, OAK_ERR_MEMORY, "no memory for the list of source files");
  }
  oak_buffer_t text = {0};
  if (!error) error = oak_buffer_read(&text, path);
  OAK_CHECK(!error, OAK_ERR_FILE, "kernel source '%s' (for %s) cannot be read: %s; check the path",
            path, wanted_by, strerror(error));
  uint64_t length = text.length;
  oak_hash_bytes(scan->hash, &length, sizeof length);
  oak_hash_bytes(scan->hash, oak_buffer_get(&text), text.length);
  oak_words_add(&scan->found->files, "%s", path);
  oak_status_t status = text.data ? scan_lines(scan, text.data, path) : OAK_OK;
  oak_buffer_free(&text);
  return status;
}

/** Follow the text in front of the files, which is part of the key by itself. */
static oak_status_t scan_text(scan_t *scan, const char *text) {
  char *copy = oak_str_copy(text);
  OAK_CHECK(copy, OAK_ERR_MEMORY, "no memory for the text of a kernel");
  const oak_status_t status = scan_lines(scan, copy, "text");
  free(copy);
  return status;
}

/** Add the folders that \a flag names to the search. */
static void search_flag(scan_t *scan, const oak_words_t *user, const char *flag) {
  for (int i = 0; i < user->count; i++) {
    const char *folder = oak_flag_operand(user, &i, flag);
    if (folder) oak_words_add(&scan->search, "%s", folder);
  }
}

/** Folders in the order of gcc and clang; NVRTC knows -I and --include-path. */
static void scan_folders(scan_t *scan, const oak_words_t *user, const char *root) {
  search_flag(scan, user, "-iquote");
  oak_words_add(&scan->search, "%s/include", root);
  oak_words_add(&scan->search, "%s", root);
  search_flag(scan, user, "-I");
  search_flag(scan, user, "--include-path");
  search_flag(scan, user, "--include-directory");
  oak_folders_add(&scan->search, getenv("CPATH"));
  search_flag(scan, user, "-isystem");
  oak_folders_add(&scan->search, getenv("C_INCLUDE_PATH"));
  search_flag(scan, user, "-idirafter");
}

/** Constants of \a text, "NAME=VALUE". */
static void scan_define(scan_t *scan, const char *text) {
  const char *equal = strchr(text, '=');
  if (strstr(text, "__has_")) scan->found->blind = 1;
  if (equal) keep_constant(scan, text, (size_t)(equal - text), equal + 1);
}

/** Files that flags include before all others. */
static oak_status_t scan_flags(scan_t *scan, const oak_words_t *user) {
  static const char *const flag[] = {"-include", "-imacros", "--include=", "--imacros",
                                     "--pre-include"};
  for (int i = 0; i < user->count; i++) {
    const char *define = oak_flag_operand(user, &i, "-D");
    if (define) scan_define(scan, define);
  }
  for (int k = 0; k < 5; k++) {
    for (int i = 0; i < user->count; i++) {
      const char *file = oak_flag_operand(user, &i, flag[k]);
      char *operand;
      if (!file) continue;
      OAK_TRY(oak_format(&operand, "\"%s\"", file));
      oak_status_t status = scan_name(scan, operand, "./flags", 1);
      free(operand);
      OAK_TRY(status);
    }
  }
  return OAK_OK;
}

static oak_status_t scan_all(scan_t *scan, const oak_words_t *user) {
  const oak_source_t *source = scan->source;
  const char *root;
  char *path = NULL;
  OAK_TRY(oak_source_root(&root));
  scan_folders(scan, user, root);
  for (int i = 0; i < source->ndefine; i++) scan_define(scan, source->define[i]);
  OAK_TRY(scan_flags(scan, user));
  OAK_TRY(oak_format(&path, "%s/include/oak/kernel.h", root));
  oak_status_t status = scan_file(scan, path, oak_source_name(source));
  free(path);
  if (status == OAK_OK && source->text) status = scan_text(scan, source->text);
  for (int i = 0; i < source->nfile && status == OAK_OK; i++) {
    OAK_TRY(oak_path_absolute(source->file[i], &path));
    oak_hash_text(scan->hash, "file");
    status = scan_file(scan, path, oak_source_name(source));
    free(path);
  }
  OAK_TRY(status);
  OAK_TRY(oak_words_status(&scan->constant));
  OAK_TRY(oak_words_status(&scan->found->files));
  OAK_TRY(oak_words_status(&scan->found->missing));
  return oak_words_status(&scan->search);
}

oak_status_t oak_scan_source(const oak_source_t *source, const oak_words_t *user, oak_hash_t *hash,
                             oak_sources_t *found) {
  scan_t scan = {.source = source, .hash = hash, .found = found};
  oak_status_t status = scan_all(&scan, user);
  oak_words_free(&scan.search);
  oak_words_free(&scan.constant);
  free(scan.seen);
  return status;
}

void oak_sources_free(oak_sources_t *found) {
  oak_words_free(&found->files);
  oak_words_free(&found->missing);
}

oak_status_t oak_source_hash(const oak_source_t *source, char hex[33]) {
  const oak_words_t none = {0};
  oak_hash_t hash;
  oak_sources_t found = {0};
  oak_hash_start(&hash);
  const oak_status_t status = oak_scan_source(source, &none, &hash, &found);
  oak_hash_hex(&hash, hex);
  oak_sources_free(&found);
  return status;
}
