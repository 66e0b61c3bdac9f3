/* SPDX-License-Identifier: GPL-2.0-or-later
 * What a binary depends on outside its sources: the programs and the headers of the compiler, and
 * the folders that it searches. As long as these are the same, equal sources give the same binary,
 * and oak need not ask the compiler.
 *
 * A header that appears in front of another one changes the time of the folder that it is put in.
 * For this reason the list has each folder that is searched, and in each of them the folders of
 * all headers, whether they exist or not. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "build/build.h"

static int has_word(const oak_words_t *words, const char *word) {
  for (int i = 0; i < words->count; i++)
    if (!strcmp(words->word[i], word)) return 1;
  return 0;
}

static void add_once(oak_words_t *words, const char *word) {
  if (!has_word(words, word)) oak_words_add(words, "%s", word);
}

/* ---- the compiler */

/** The program \a path and its folder, where it may look for files. */
static void add_program(oak_words_t *outside, char *path) {
  add_once(outside, path);
  *strrchr(path, '/') = '\0';
  add_once(outside, path);
}

/** The rest of a line that starts with \a words, or NULL. */
static char *after(char *line, const char *words) {
  return strncmp(line, words, strlen(words)) ? NULL : line + strlen(words);
}

/** What a compiler says with -v. \return 1 if it did the work itself. A program such as ccache
 * starts another compiler, which may be exchanged. */
static int read_answer(oak_compiler_t *compiler, char *answer) {
  char *program = realpath(compiler->command.word[0], NULL), *next = NULL, *rest;
  int direct = 0, list = 0;
  if (!program) return 0;
  for (char *line = strtok_r(answer, "\n", &next); line; line = strtok_r(NULL, "\n", &next)) {
    if ((rest = after(line, "COLLECT_GCC="))) {
      direct |= !strcmp(rest, compiler->command.word[0]);
    } else if ((rest = after(line, "Configuration file: "))) {
      add_once(&compiler->outside, rest);
    } else if ((rest = after(line, "ignoring nonexistent directory \""))) {
      rest[strcspn(rest, "\"")] = '\0';
      add_once(&compiler->search, rest);
    } else if (*line != ' ') {
      list = after(line, "#include") != NULL;
    } else if (list) {
      add_once(&compiler->search, line + 1);
    } else { /* " /usr/.../cc1 -E ..." of gcc, " \"/usr/bin/clang\" -cc1 ..." */
      rest = line + 1 + (line[1] == '"');
      rest[strcspn(rest, " \"")] = '\0';
      direct |= !strcmp(rest, program);
      if (*rest == '/') add_program(&compiler->outside, rest);
    }
  }
  add_once(&compiler->outside, compiler->command.word[0]); /* may be a link, which may change */
  add_program(&compiler->outside, program);
  free(program);
  return direct;
}

/** 1 if oak knows all files that the flags name, and all folders that they add to the search. */
static int flags_are_plain(const oak_words_t *user) {
  static const char *const other[] = {"-fplugin", "-fprofile", "-fuse", "-fauto",   "-fbranch",
                                      "-fload",   "-fmodule",  "list=", "__DATE__", "__TIME"};
  int plain = 1;
  for (int i = 0; i < user->count; i++) {
    const char *w = user->word[i], *file = strstr(w, "sanitize=") ? "./" : "./,";
    if (w[0] != '-' || !w[1] || !strchr("OgDUIWfm", w[1])) plain &= !strncmp(w, "-std=", 5);
    if (w[1] != 'I' && w[1] != 'D') plain &= !strpbrk(w, w[1] == 'f' ? file : "/,");
    for (size_t k = 0; k < sizeof other / sizeof *other; k++) plain &= !strstr(w, other[k]);
  }
  return plain;
}

void oak_outside_ask(oak_compiler_t *compiler, const oak_words_t *user) {
  static const char *const variable[] = {"COMPILER_PATH", "GCC_EXEC_PREFIX",
                                         "CCC_OVERRIDE_OPTIONS"};
  oak_words_t command = {0};
  oak_buffer_t answer = {0};
  const char *root;
  int code = 1;
  for (int i = 0; i < 3; i++)
    if (getenv(variable[i])) return;
  if (compiler->command.count > 1 || compiler->scripts || !flags_are_plain(user)) return;
  if (oak_source_root(&root) != OAK_OK) return;
  oak_words_add(&compiler->outside, "ld");
  oak_words_add(&compiler->outside, "as");
  oak_words_copy(&command, &compiler->command);
  oak_words_copy(&command, &compiler->flags);
  oak_words_add(&command, "-I%s/include", root);
  oak_words_add(&command, "-I%s", root);
  oak_words_copy(&command, user);
  oak_words_split(&command, "-v -E -x c /dev/null");
  compiler->followed = oak_process_run(&command, "/dev/null", &answer, &code) == OAK_OK &&
                       code == 0 && answer.data && read_answer(compiler, answer.data) &&
                       compiler->search.count > 0;
  oak_buffer_free(&answer);
  oak_words_free(&command);
}

/* ---- headers */

/** Add the folder of the header \a name in each place where the compiler looks for it. */
static void add_folders(oak_words_t *outside, const oak_words_t *search, const char *name) {
  const char *slash = strrchr(name, '/');
  char path[PATH_MAX];
  for (int i = 0; i < search->count; i++) {
    snprintf(path, sizeof path, "%s/%.*s", search->word[i], slash ? (int)(slash - name) : 0, name);
    add_once(outside, path);
  }
}

void oak_outside_list(const oak_compiler_t *compiler, const oak_sources_t *sources, char *text,
                      oak_words_t *outside) {
  const oak_words_t *search = &compiler->search;
  if (!compiler->followed || sources->dated) return;
  oak_words_copy(outside, &compiler->outside);
  add_folders(outside, search, "");
  for (int i = 0; i < sources->missing.count; i++)
    add_folders(outside, search, sources->missing.word[i]);
  char *next = NULL;
  for (char *line = strtok_r(text, "\n", &next); line; line = strtok_r(NULL, "\n", &next)) {
    char *path = after(line, "# ") ? strchr(line, '"') : NULL;
    if (!path || path[1] == '<') continue;
    path++;
    path[strcspn(path, "\"")] = '\0';
    if (has_word(outside, path) || has_word(&sources->files, path)) continue;
    if (strchr(path, '\\')) { /* the compiler has changed the name */
      oak_words_free(outside);
      return;
    }
    add_once(outside, path);
    for (int i = 0; i < search->count; i++) {
      const char *name = after(path, search->word[i]);
      if (name && *name == '/') add_folders(outside, search, name + 1);
    }
  }
}

/** Headers count by their content, programs by size and time, which takes no time to find out. */
static int hash_path(oak_hash_t *hash, const char *path) {
  enum { LARGEST_TEXT = 1 << 18 };
  struct stat info;
  oak_buffer_t text = {0};
  if (stat(path, &info) != 0) {
    oak_hash_text(hash, "none");
    return 1;
  }
  if (S_ISREG(info.st_mode) && info.st_size < LARGEST_TEXT && oak_buffer_read(&text, path) == 0) {
    oak_hash_bytes(hash, oak_buffer_get(&text), text.length);
  } else {
    oak_hash_bytes(hash, &info.st_mtim, sizeof info.st_mtim);
    if (S_ISREG(info.st_mode)) oak_hash_bytes(hash, &info.st_size, sizeof info.st_size);
  }
  oak_buffer_free(&text);
  return time(NULL) - info.st_mtime >= 2;
}

int oak_outside_hash(const oak_words_t *outside, oak_hash_t *hash) {
  int settled = 1;
  for (int i = 0; i < outside->count; i++) {
    char *found = strchr(outside->word[i], '/') ? NULL : oak_process_find(outside->word[i]);
    const char *path = found ? found : outside->word[i];
    oak_hash_text(hash, path);
    settled &= hash_path(hash, path);
    free(found);
  }
  return settled;
}
