/* SPDX-License-Identifier: GPL-2.0-or-later
 * Hashes the files that a binary depends on beside its sources: those that flags name, libraries,
 * and the programs that a compiler starts. If one of these is a text file, such as a linker script,
 * the files that it names are hashed too. A file too many may cause a rebuild without need. With a
 * file too few, a run may use an outdated binary. If a file may be missing, a reason is given, and
 * the binary serves one run only. */
#include <ctype.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "build/build.h"

typedef struct {
  oak_hash_t *hash;
  const oak_compiler_t *compiler; /* is asked for libraries in its folders, or NULL */
  const oak_words_t *user;        /* flags that say where it finds them */
  oak_words_t folders;            /* of libraries */
  oak_words_t seen;               /* files that were hashed */
  int programs;                   /* only programs and objects count */
  int scripts;                    /* 1: one of them is a text */
  char *unfollowed; /* why files may be missing, "" if none is: OAK_UNFOLLOWED bytes */
} files_t;

static void add_file(files_t *files, const char *path);
static void add_library(files_t *files, const char *name);

static void refuse(files_t *files, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void refuse(files_t *files, const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(files->unfollowed, OAK_UNFOLLOWED, format, list);
  va_end(list);
}

/** 1 if the file \a path starts with \a text. */
static int starts_with(const char *path, const char *text) {
  char start[8];
  FILE *file = fopen(path, "re");
  if (!file) return 0;
  const size_t count = fread(start, 1, strlen(text), file);
  fclose(file);
  return count == strlen(text) && !memcmp(start, text, count);
}

static int is_script(const char *path) { return starts_with(path, "#!"); }

static void add_in(files_t *files, const char *folder, int length, const char *name) {
  char *path;
  if (oak_format(&path, "%.*s/%s", length, folder, name) != OAK_OK) return;
  add_file(files, path);
  free(path);
}

/* ---- what a text file names */

/** The value of a variable of the environment in place of $NAME or ${NAME} at the start. */
static void expand(char word[PATH_MAX]) {
  char copy[PATH_MAX];
  if (word[0] != '$') return;
  memcpy(copy, word, PATH_MAX);
  const int braces = copy[1] == '{';
  char *name = copy + 1 + braces, *rest = name + strcspn(name, braces ? "}" : "/$.-:");
  const char end = *rest;
  *rest = '\0';
  const char *value = getenv(name);
  *rest = end;
  if (value) snprintf(word, PATH_MAX, "%.2000s%.2000s", value, rest + (braces && end == '}'));
}

/** A word of the text \a path may be the name of a file, in the folder of this text or in those of
 * libraries. */
static void add_word(files_t *files, char word[PATH_MAX], const char *path) {
  const char *slash = strrchr(path, '/'), *last;
  const int above = slash ? (int)(slash - path) : 0;
  expand(word);
  if (!strncmp(word, "-l", 2)) add_library(files, word + 2);
  add_file(files, word);
  if (word[0] != '/') {
    if (slash) add_in(files, path, above, word);
    for (int i = 0; i < files->folders.count; i++)
      add_in(files, files->folders.word[i], INT_MAX, word);
  }
  last = strrchr(word, '/'); /* $(dirname $0)/name */
  if (last && slash) add_in(files, path, above, last + 1);
}

/** The \a word at the start of \a text, "" if it is too long. \return its length in the text. */
static size_t next_word(const char *text, char word[PATH_MAX]) {
  const size_t length = strcspn(text, " \t\r\n\"'`(),;=<>|&");
  snprintf(word, PATH_MAX, "%.*s", length < PATH_MAX ? (int)length : 0, text);
  return length;
}

/** A script on PATH that a script starts. */
static void add_program(files_t *files, const char *name) {
  char *path = oak_process_find(name);
  if (path && is_script(path)) add_file(files, path);
  free(path);
}

/** A script names programs, parts of itself and objects. Other files that it names, such as a log,
 * do not count. */
static void follow_script(files_t *files, const char *text, const char *path) {
  int command = 0, part = 0; /* the next word is the name of a program, or of a part */
  const int before = files->programs;
  char word[PATH_MAX];
  for (const char *at = text; *at;) {
    const size_t length = next_word(at, word);
    if (length > 0) {
      if (command) add_program(files, word);
      files->programs = !part;
      command = !strcmp(word, "exec");
      part = !strcmp(word, ".") || !strcmp(word, "source");
      add_word(files, word, path);
    }
    at += length;
    command |= *at && strchr("\n;|&(`", *at);
    at += *at != '\0';
  }
  files->programs = before;
}

/** A linker script names files in INPUT (...), GROUP (...) and after INCLUDE. */
static void follow_linker(files_t *files, const char *text, const char *path) {
  int list = 0, depth = 0, one = 0;
  char word[PATH_MAX];
  for (const char *at = text; *at;) {
    const size_t length = next_word(at, word);
    if (length > 0) {
      if (depth > 0 || one) add_word(files, word, path);
      if (!strcmp(word, "SEARCH_DIR")) refuse(files, "the linker script %s has SEARCH_DIR", path);
      list = !strcmp(word, "INPUT") || !strcmp(word, "GROUP") || !strcmp(word, "STARTUP");
      one = !strcmp(word, "INCLUDE");
    }
    at += length;
    if (*at == '(' && (list || depth > 0)) depth++;
    if (*at == ')' && depth > 0) depth--;
    at += *at != '\0';
  }
}

/* ---- the environment */

static int in_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

static int compare_texts(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/** 1 if a program that is given as \a text may read a variable, from what the name of the variable
 * is. Names for flags may be composed. Those that say where and for whom a program runs do not
 * count. */
static int may_read(const oak_buffer_t *text, const char *name, size_t length) {
  static const char place[] =
      " PATH PWD OLDPWD HOME HOSTNAME TMPDIR TMP TEMP USER LOGNAME SHELL SHLVL XDG_RUNTIME_DIR "
      "TERM COLUMNS COLORTERM DISPLAY LANG LC_ALL LC_CTYPE _ ";
  char word[128];
  const int count = snprintf(word, sizeof word, " %.*s ", (int)length, name);
  if (length == 0 || ((size_t)count < sizeof word && strstr(place, word))) return 0;
  if (length > 5 && !strncmp(name + length - 5, "FLAGS", 5)) return 1;
  const char *end = text->data + text->length;
  for (const char *at = text->data; (at = memmem(at, (size_t)(end - at), name, length)); at++) {
    const int before = at > text->data && in_word(at[-1]), after = in_word(at[length]);
    if (!before && !after) return 1;
  }
  return 0;
}

/** Hash the variables of the environment that a program may read. */
static void add_variables(oak_hash_t *hash, const oak_buffer_t *text) {
  oak_words_t found = {0};
  for (char *const *entry = environ; *entry; entry++)
    if (may_read(text, *entry, strcspn(*entry, "="))) oak_words_add(&found, "%s", *entry);
  if (found.count > 1) qsort(found.word, (size_t)found.count, sizeof *found.word, compare_texts);
  for (int i = 0; i < found.count; i++) oak_hash_text(hash, found.word[i]);
  oak_words_free(&found);
}

/* ---- files */

/** 1 if \a path is a source for the assembler, which may read files. */
static int is_assembly(const char *path) {
  const char *dot = strrchr(path, '.');
  return dot && (!strcmp(dot, ".s") || !strcmp(dot, ".S") || !strcmp(dot, ".sx"));
}

static void add_file(files_t *files, const char *path) {
  enum { MOST_FILES = 500, LONGEST_TEXT = 1 << 16 };
  oak_buffer_t text = {0};
  struct stat info;
  if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) return;
  if (files->programs && !(info.st_mode & S_IXUSR) && !starts_with(path, "\177ELF") &&
      !starts_with(path, "!<arch>"))
    return;
  for (int i = 0; i < files->seen.count; i++)
    if (!strcmp(files->seen.word[i], path)) return;
  if (files->seen.count == MOST_FILES) {
    refuse(files, "flags and compiler name more than %d files", MOST_FILES);
    return;
  }
  oak_words_add(&files->seen, "%s", path);
  if (oak_buffer_read(&text, path) == 0 && text.length > 0) {
    oak_hash_text(files->hash, "file");
    oak_hash_bytes(files->hash, text.data, text.length);
    const int script = !strncmp(text.data, "#!", 2);
    const int small = text.length < LONGEST_TEXT && strlen(text.data) == text.length;
    if (script || small) add_variables(files->hash, &text);
    if (is_assembly(path)) refuse(files, "the assembler may read files that %s names", path);
    if (!strncmp(text.data, "!<thin>\n", 8))
      refuse(files, "%s is a thin archive, which names other files", path);
    else if (small && ++files->scripts)
      (script ? follow_script : follow_linker)(files, text.data, path);
  }
  oak_buffer_free(&text);
}

/** A library that the compiler finds in its own folders, with the flags that name them. */
static void add_own_library(files_t *files, const char *file) {
  oak_words_t command = {0};
  oak_buffer_t output = {0};
  int code;
  oak_words_copy(&command, &files->compiler->command);
  for (int i = 0; i < files->user->count; i++) {
    const char *folder = oak_flag_operand(files->user, &i, "-B");
    if (folder) oak_words_add(&command, "-B%s", folder);
    if (!folder && (!strncmp(files->user->word[i], "--sysroot=", 10) ||
                    !strncmp(files->user->word[i], "-m", 2)))
      oak_words_add(&command, "%s", files->user->word[i]);
  }
  oak_words_add(&command, "-print-file-name=%s", file);
  if (oak_process_run(&command, NULL, &output, &code) == OAK_OK && output.data) {
    output.data[strcspn(output.data, "\n")] = '\0';
    add_file(files, output.data);
  }
  oak_buffer_free(&output);
  oak_words_free(&command);
}

/** All libraries that -l\a name may mean. */
static void add_library(files_t *files, const char *name) {
  static const char *const ending[] = {".so", ".a"};
  const int exact = name[0] == ':';
  for (int k = 0; k < (exact ? 1 : 2); k++) {
    char *file;
    if (oak_format(&file, "%s%s%s", exact ? "" : "lib", name + exact, exact ? "" : ending[k]) !=
        OAK_OK)
      return;
    for (int i = 0; i < files->folders.count; i++)
      add_in(files, files->folders.word[i], INT_MAX, file);
    if (files->compiler) add_own_library(files, file);
    free(file);
  }
}

/** The files that words of a command name: FILE, -Wl,FILE -fplugin=FILE -TFILE and others. Each
 * part of a word that is the name of an existing file counts. */
static void add_parts(files_t *files, const char *word) {
  char part[PATH_MAX];
  for (const char *at = word; *at;) {
    const size_t length = strcspn(at, ",=");
    const char *slash = memchr(at, '/', length);
    if (length > 0 && length < sizeof part) {
      snprintf(part, sizeof part, "%.*s", (int)length, at);
      add_file(files, part);
      if (slash > at) add_file(files, part + (slash - at));
    }
    at += length + (at[length] != '\0');
  }
}

static void files_free(files_t *files) {
  oak_words_free(&files->folders);
  oak_words_free(&files->seen);
}

void oak_files_hash(oak_hash_t *hash, const oak_words_t *words, const oak_compiler_t *compiler,
                    char unfollowed[OAK_UNFOLLOWED]) {
  files_t files = {.hash = hash, .compiler = compiler, .user = words, .unfollowed = unfollowed};
  for (int i = 0; i < words->count; i++) {
    const char *folder = oak_flag_operand(words, &i, "-L");
    if (folder) oak_words_add(&files.folders, "%s", folder);
  }
  oak_folders_add(&files.folders, getenv("LIBRARY_PATH"));
  for (int i = 0; i < words->count; i++) {
    const char *name = oak_flag_operand(words, &i, "-l");
    if (strstr(words->word[i], ",@")) refuse(&files, "%s names a file of flags", words->word[i]);
    if (name)
      add_library(&files, name);
    else
      add_parts(&files, words->word[i]);
  }
  files_free(&files);
}

/* ---- programs */

/** Programs that a compiler starts and files that it links, if they are in a folder that \a prefix
 * names. */
static void add_tools(files_t *files, const char *prefix) {
  static const char *const name[] = {
      "ld", "ld.bfd", "ld.gold",     "ld.lld", "ld.mold", "real-ld",     "collect-ld", "collect2",
      "as", "cc1",    "lto-wrapper", "crti.o", "crtn.o",  "crtbeginS.o", "crtendS.o",  "specs"};
  for (size_t i = 0; i < sizeof name / sizeof name[0]; i++) {
    char path[PATH_MAX];
    for (int k = 0; k < 2; k++)
      if (snprintf(path, sizeof path, "%s%s%s", prefix, k ? "/" : "", name[i]) < PATH_MAX)
        add_file(files, path);
  }
}

/** If the compiler is a script, it may change the flags: hash what it makes of them. */
static void add_effect(files_t *files) {
  oak_words_t command = {0};
  oak_buffer_t output = {0};
  int code;
  oak_words_copy(&command, &files->compiler->command);
  oak_words_split(&command, "-### -O3 -fPIC -E -x c /dev/null");
  if (oak_process_run(&command, NULL, &output, &code) == OAK_OK)
    oak_hash_text(files->hash, oak_buffer_get(&output));
  oak_buffer_free(&output);
  oak_words_free(&command);
}

void oak_files_tools(oak_compiler_t *compiler, const oak_words_t *user) {
  static const char *const on_path[] = {"ld", "as"};
  files_t files = {.hash = &compiler->tools,
                   .compiler = compiler,
                   .user = user,
                   .unfollowed = compiler->unfollowed};
  oak_words_t folders = {0};
  oak_hash_start(&compiler->tools);
  for (int i = 0; i < compiler->command.count; i++) add_parts(&files, compiler->command.word[i]);
  if (is_script(compiler->command.word[0])) add_effect(&files);
  for (int i = 0; i < user->count; i++) {
    const char *prefix = oak_flag_operand(user, &i, "-B");
    if (prefix) add_tools(&files, prefix);
  }
  oak_folders_add(&folders, getenv("COMPILER_PATH"));
  for (int i = 0; i < folders.count; i++) add_tools(&files, folders.word[i]);
  for (int i = 0; i < 2; i++) {
    char *path = oak_process_find(on_path[i]);
    if (path) add_file(&files, path);
    free(path);
  }
  const char *prefix = getenv("GCC_EXEC_PREFIX");
  if (prefix && prefix[0]) refuse(&files, "GCC_EXEC_PREFIX is set");
  compiler->scripts = files.scripts;
  oak_words_free(&folders);
  files_free(&files);
}

void oak_files_wrapper(oak_compiler_t *compiler) {
  oak_buffer_t text = {0};
  if (oak_buffer_read(&text, compiler->command.word[0]) == 0 && text.length > 0)
    add_variables(&compiler->tools, &text);
  oak_buffer_free(&text);
}

/* ---- the assembler */

/** 1 if a literal in the parentheses at \a at has one of the \a marks. A raw string may hide them.
 */
static int has_mark(const char *at, const char *marks) {
  int depth = 0, literal = 0;
  for (; *at; at++) {
    if (*at == '"') {
      if (!literal && at[-1] == 'R') return 1;
      literal = !literal;
    } else if (literal && strchr(marks, *at)) {
      return 1;
    } else if (*at == '\n' && at[1] == '#') { /* where the next line comes from */
      at += strcspn(at + 1, "\n");
    } else if (!literal) {
      depth += (*at == '(') - (*at == ')');
      if (depth == 0 && !isspace((unsigned char)*at) && !in_word(*at)) return 0;
    }
  }
  return 0;
}

/** 1 if the word at \a at begins what is handed to the assembler, and this may name a file.
 * Directives begin with a dot, which an escape sequence may stand for. The name of a section or of
 * a symbol is a part of a directive, which ends with the line. */
static int may_name_file(const char *at, size_t length) {
  static const char *const way[][2] = {
      {"asm", ".\\"}, {"section", "\\"}, {"weakref", "\\"}, {"symver", "\\"}};
  const char *end = at + length;
  size_t size = length;
  if (size > 2 && !strncmp(at, "__", 2)) at += 2, size -= 2;
  if (size > 2 && !strncmp(end - 2, "__", 2)) size -= 2;
  for (size_t i = 0; i < sizeof way / sizeof *way; i++)
    if (strlen(way[i][0]) == size && !strncmp(at, way[i][0], size)) return has_mark(end, way[i][1]);
  return 0;
}

int oak_text_assembles_files(const char *text) {
  int own = 0;
  for (const char *at = text; *at;) {
    size_t length = 1;
    if (*at == '#' && (at == text || at[-1] == '\n')) {
      length = strcspn(at, "\n");
      const char *path = at[1] == ' ' ? memchr(at, '"', length) : NULL;
      if (path) own = oak_source_is_own(path + 1);
    } else if (in_word(*at)) {
      while (in_word(at[length])) length++;
      if (!own && may_name_file(at, length)) return 1;
    }
    at += length;
  }
  return 0;
}
