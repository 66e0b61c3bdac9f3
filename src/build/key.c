/* SPDX-License-Identifier: GPL-2.0-or-later
 * The keys of a built kernel in the cache.
 *
 * The key of an entry is a hash of all that the binary depends on: the constants, the text behind
 * the preprocessor, the content of each file that the compiler lists (-MD), and the fingerprint of
 * the device (compiler, flags, environment, processor). The direct key is what can be known without
 * asking a compiler. It names a reference: a file with the key of the entry and the state of all
 * files that the entry depends on. As long as this state is the same, the entry is the right one,
 * and no compiler is started. A third key, of the content of files that oak finds itself, is for
 * machines without a compiler and for compilers that list nothing. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/str.h"
#include "build/build.h"

/** Increase this number when the format of entries changes. */
static const char key_version[] = "oak kernel cache 7";

/** Hash lines of C without the lines that only say where a text comes from, so that the same
 * sources in another folder have the same key. */
static void hash_lines(oak_hash_t *hash, const char *text) {
  for (const char *line = text; *line;) {
    const size_t length = strcspn(line, "\n");
    if (*line != '#' || !memmem(line, length, "\"/", 2)) oak_hash_bytes(hash, line, length + 1);
    line += length + (line[length] == '\n');
  }
  oak_hash_text(hash, "");
}

/** The part that both keys have in common. */
static oak_status_t start(oak_device_t *dev, const oak_source_t *source, int compiler,
                          oak_hash_t *hash) {
  oak_hash_start(hash);
  oak_hash_text(hash, key_version);
  oak_hash_text(hash, dev->ops->name);
  for (int i = 0; i < source->ndefine; i++) oak_hash_text(hash, source->define[i]);
  hash_lines(hash, source->text ? source->text : "");
  return dev->ops->fingerprint(dev, compiler, hash);
}

static oak_status_t hash_places(const oak_source_t *source, oak_hash_t *hash) {
  const char *root;
  OAK_TRY(oak_source_root(&root));
  oak_hash_text(hash, root);
  oak_hash_text(hash, source->text ? source->text : "");
  for (int i = 0; i < source->nfile; i++) {
    OAK_FREED char *path = NULL;
    OAK_TRY(oak_path_absolute(source->file[i], &path));
    oak_hash_text(hash, path);
  }
  return OAK_OK;
}

oak_status_t oak_key_direct(oak_device_t *dev, const oak_source_t *source, char hex[33]) {
  oak_hash_t hash;
  OAK_TRY(start(dev, source, -1, &hash));
  OAK_TRY(hash_places(source, &hash));
  oak_hash_hex(&hash, hex);
  return OAK_OK;
}

oak_status_t oak_key_files(oak_device_t *dev, const oak_source_t *source, char hex[33],
                           char why[OAK_UNFOLLOWED]) {
  oak_words_t files = {0};
  oak_hash_t hash;
  oak_status_t status = start(dev, source, !dev->ops->preprocess, &hash);
  if (status == OAK_OK) status = oak_includes_list(source, &dev->user_flags, &files, why);
  for (int i = 0; i < files.count; i++) oak_file_hash(&hash, files.word[i]);
  oak_hash_hex(&hash, hex);
  oak_words_free(&files);
  return status;
}

/* ---- the state of files */

enum { STATE_PATH = 35 }; /* where the path begins in a line of a state */

static void print_hash(oak_buffer_t *out, char kind, const oak_hash_t *hash, const char *path) {
  char hex[33];
  oak_hash_hex(hash, hex);
  oak_buffer_print(out, "%c %s %s\n", kind, hex, path);
}

/** 1 if a file is so old that a change of it would change its time. */
static int is_settled(const struct stat *info) { return time(NULL) - info->st_mtime >= 2; }

/** Programs count by size and time, which takes no time to find out. */
static int print_tool(const char *name, oak_buffer_t *out) {
  char *found = strchr(name, '/') ? NULL : oak_process_find(name);
  struct stat info = {.st_size = -1};
  oak_hash_t hash;
  stat(found ? found : name, &info);
  oak_hash_start(&hash);
  oak_hash_text(&hash, found ? found : name);
  oak_hash_bytes(&hash, &info.st_size, sizeof info.st_size);
  oak_hash_bytes(&hash, &info.st_mtim, sizeof info.st_mtim);
  print_hash(out, 'T', &hash, name);
  free(found);
  return is_settled(&info);
}

/** The rest of \a path behind the folder, NULL if it is not in there. */
static const char *inside(const char *path, const char *folder) {
  const size_t length = strlen(folder);
  return !strncmp(path, folder, length) && path[length] == '/' ? path + length + 1 : NULL;
}

/** 1 if a file is neither one of oak nor in a folder of the compiler, which come last in the list
 * of folders: the first of them has stddef.h. */
static int is_users(const oak_words_t *search, const char *path) {
  for (int i = 0, compilers = 0; i < search->count; i++) {
    char header[PATH_MAX];
    snprintf(header, sizeof header, "%s/stddef.h", search->word[i]);
    compilers = compilers || access(header, F_OK) == 0;
    if (compilers && inside(path, search->word[i])) return 0;
  }
  return !oak_source_is_own(path);
}

/** A header counts by its content, and with it those of the same name in other folders that are
 * searched: the compiler might take one of them instead. */
static void print_file(oak_keys_t *keys, const char *path) {
  struct stat info = {.st_size = 0};
  oak_buffer_t text = {0};
  oak_hash_t hash;
  char other[PATH_MAX];
  const char *name;
  oak_hash_start(&hash);
  if (stat(path, &info) == 0 && oak_buffer_read(&text, path) == 0)
    oak_hash_bytes(&hash, oak_buffer_get(&text), text.length);
  oak_hash_bytes(&keys->contents, &hash, sizeof hash);
  for (int i = 0; i < keys->search.count; i++) {
    if (!(name = inside(path, keys->search.word[i]))) continue;
    for (int k = 0; k < keys->search.count; k++) {
      snprintf(other, sizeof other, "%s/%s", keys->search.word[k], name);
      if (k != i && access(other, F_OK) == 0) oak_hash_text(&hash, other);
    }
  }
  print_hash(&keys->state, 'F', &hash, path);
  keys->fresh |= !is_settled(&info);
  if (oak_text_varies(oak_buffer_get(&text)) && is_users(&keys->search, path)) keys->lasts = 0;
  oak_buffer_free(&text);
}

/** Print the state of all that an entry depends on, and hash the content of files. */
static oak_status_t print_state(oak_keys_t *keys) {
  oak_buffer_t *out = &keys->state;
  oak_hash_start(&keys->contents);
  for (int i = 0; i < keys->tool.count; i++) keys->lasts &= print_tool(keys->tool.word[i], out);
  for (int i = 0; i < keys->search.count; i++)
    print_hash(out, 'S', &(oak_hash_t){0, 0}, keys->search.word[i]);
  for (int i = 0; i < keys->file.count; i++) print_file(keys, keys->file.word[i]);
  return oak_buffer_status(out);
}

int oak_state_holds(const char *state) {
  oak_keys_t keys = {.lasts = 0};
  for (const char *line = state; *line; line += strcspn(line, "\n") + 1) {
    const int length = (int)strcspn(line, "\n");
    oak_words_t *list = *line == 'T'   ? &keys.tool
                        : *line == 'S' ? &keys.search
                        : *line == 'F' ? &keys.file
                                       : NULL;
    if (!line[length]) break; /* the file is damaged */
    if (list && length > STATE_PATH)
      oak_words_add(list, "%.*s", length - STATE_PATH, line + STATE_PATH);
  }
  const int same = keys.file.count > 0 && print_state(&keys) == OAK_OK &&
                   !strcmp(state, oak_buffer_get(&keys.state));
  oak_keys_free(&keys);
  return same;
}

/* ---- asking the compiler */

/** 1 if files of the user hand texts to the assembler, which may name files. \a text: behind the
 * preprocessor. */
static int may_assemble(const char *text) {
  static const char with_text[] = "section __section__ weakref __weakref__ symver __symver__ ident";
  int users = 0;
  for (const char *at = text; *at;) {
    size_t length = 1;
    if (!strncmp(at, "# ", 2) && (at == text || at[-1] == '\n')) { /* where the text comes from */
      length = strcspn(at, "\n");
      const char *path = memchr(at, '"', length), *end = path ? memrchr(at, '"', length) : NULL;
      users = end && !memchr(end, '3', (size_t)(at + length - end)) && /* 3: one of the system */
              !oak_source_is_own(path + 1);
    } else if (oak_is_word(*at)) {
      while (oak_is_word(at[length])) length++;
      const char next = at[length + strspn(at + length, " \n")];
      if (users && (oak_str_has_word("asm __asm __asm__", at, length) ||
                    (next && strchr("(\"#", next) && oak_str_has_word(with_text, at, length))))
        return 1;
    }
    at += length;
  }
  return 0;
}

/** The keys of what the compiler has made of \a source in the files \a work. */
static oak_status_t key_of_text(oak_device_t *dev, const oak_source_t *source, const char *work,
                                const char *text, oak_keys_t *keys) {
  const oak_compiler_t *compiler = dev->compiler;
  oak_words_t listed = {0};
  oak_hash_t hash;
  const size_t length = strlen(work);
  OAK_TRY(start(dev, source, 1, &hash));
  hash_lines(&hash, text);
  if (strstr(text, "__builtin_FILE")) OAK_TRY(hash_places(source, &hash));
  if (!source->seen && may_assemble(text))
    snprintf(dev->unfollowed, OAK_UNFOLLOWED, "its assembler may read files");
  OAK_TRY(oak_rule_read(work, ".d", &listed));
  for (int i = 0; i < listed.count; i++) { /* all but the translation unit, whose place changes */
    const char *path = listed.word[i], *slash = strrchr(path, '/');
    if (!strncmp(path, work, length) && !strcmp(path + length, ".c")) continue;
    oak_words_add(&keys->file, "%s", path);
    if (source->seen) oak_hash_text(&hash, path); /* the text says where files are */
    /* Folders where headers are looked for: those of files of the user, which may name others
     * beside them, then those of the compiler. */
    if (slash && is_users(&compiler->search, path))
      oak_add_once(&keys->search, "%.*s", (int)(slash - path), path);
  }
  oak_words_free(&listed);
  oak_words_copy(&keys->search, &compiler->search);
  oak_words_copy(&keys->tool, &compiler->tool);
  OAK_TRY(oak_words_status(&keys->file));
  OAK_TRY(oak_words_status(&keys->search));
  OAK_TRY(oak_words_status(&keys->tool));
  keys->lasts = compiler->followed && keys->file.count > 0;
  for (int i = 0; i < dev->user_flags.count; i++)
    keys->lasts &= !oak_text_varies(dev->user_flags.word[i]);
  OAK_TRY(print_state(keys));
  oak_hash_bytes(&hash, &keys->contents, sizeof keys->contents);
  oak_hash_hex(&hash, keys->built);
  return OAK_OK;
}

oak_status_t oak_key_ask(oak_device_t *dev, const oak_source_t *source, const char *work,
                         oak_keys_t *keys) {
  oak_buffer_t text = {0};
  char why[OAK_UNFOLLOWED] = "";
  oak_keys_free(keys);
  dev->unfollowed[0] = '\0';
  OAK_TRY(oak_key_files(dev, source, keys->files, why));
  if (!dev->ops->preprocess) {
    memcpy(keys->built, keys->files, sizeof keys->built);
    memcpy(dev->unfollowed, why, sizeof why);
    return OAK_OK;
  }
  if (why[0]) keys->files[0] = '\0';
  oak_flags_follow(&dev->user_flags, dev->unfollowed);
  OAK_TRY(dev->ops->preprocess(dev, source, work));
  oak_status_t status = oak_build_read(&text, work, ".i");
  if (status == OAK_OK) status = key_of_text(dev, source, work, oak_buffer_get(&text), keys);
  oak_buffer_free(&text);
  return status;
}

int oak_keys_hold(const oak_keys_t *keys) {
  return keys->lasts && !keys->fresh && oak_state_holds(oak_buffer_get(&keys->state));
}

void oak_keys_free(oak_keys_t *keys) {
  oak_words_free(&keys->tool);
  oak_words_free(&keys->search);
  oak_words_free(&keys->file);
  oak_buffer_free(&keys->state);
  keys->built[0] = keys->files[0] = '\0';
  keys->lasts = keys->fresh = 0;
}
