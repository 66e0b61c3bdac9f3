/* SPDX-License-Identifier: GPL-2.0-or-later
 * Finds misspelt macros in physics and problem files. A misspelt hook has no effect, and no
 * compiler says so: a run with `#define PROBLEM_SORCE f` would ignore the source. This file
 * searches the user's files, and the files that they include in quotes, for such macros. A macro
 * that one of the files uses is not refused: it is the user's own, such as the guard of a header.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/str.h"
#include "solver/sim.h"

static const char *const known[] = {
    "PROBLEM_TITLE",      "PROBLEM_PARAMETERS", "PROBLEM_INITIAL",    "PROBLEM_BOUNDARY",
    "PROBLEM_SOURCE",     "PROBLEM_REFINE",     "PROBLEM_REGION",     "PHYSICS_TITLE",
    "PHYSICS_NVAR",       "PHYSICS_VARIABLES",  "PHYSICS_PRIMITIVES", "PHYSICS_NORMAL",
    "PHYSICS_PARAMETERS", "PHYSICS_SOURCE",     "PHYSICS_FLOOR",      "PHYSICS_HAS_PRESSURE"};
enum { NKNOWN = sizeof known / sizeof *known, MAX_FILES = 64, LARGEST_FILE = 16 << 20 };

typedef struct {
  char path[4096];
  char *text; /* without comments */
  dev_t device;
  ino_t inode;
} file_t;

typedef struct {
  file_t *file;
  int nfile;
} scan_t;

/* ---- text */

/* Blank out comments, in place. Line feeds stay, so that lines can be counted. */
static void blank_comments(char *text) {
  char quote = 0;
  for (char *c = text; *c; c++) {
    if (quote) {
      if (*c == '\\' && c[1])
        c++;
      else if (*c == quote || *c == '\n')
        quote = 0;
    } else if (*c == '"' || *c == '\'') {
      quote = *c;
    } else if (*c == '/' && c[1] == '/') {
      for (; *c && *c != '\n'; c++) *c = ' ';
      c--;
    } else if (*c == '/' && c[1] == '*') {
      const char *end = strstr(c + 2, "*/");
      const char *stop = end ? end + 2 : c + strlen(c);
      for (; c < stop; c++)
        if (*c != '\n') *c = ' ';
      c--;
    }
  }
}

static int is_letter(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* What follows "# word" in a line, NULL if it is no such line. */
static const char *after_directive(const char *line, const char *word) {
  line += strspn(line, " \t");
  if (*line++ != '#') return NULL;
  line += strspn(line, " \t");
  if (strncmp(line, word, strlen(word)) || is_letter(line[strlen(word)])) return NULL;
  line += strlen(word);
  return line + strspn(line, " \t");
}

static const char *next_line(const char *line) {
  const char *end = strchr(line, '\n');
  return end ? end + 1 : line + strlen(line);
}

/* ---- files */

static oak_status_t add_file(scan_t *scan, const char *path);

/* Find a file that another includes in quotes: beside it or in the source root. Files that only an
 * -I flag finds are left out. */
static oak_status_t add_include(scan_t *scan, const char *includer, const char *name, int length) {
  const char *root, *slash = strrchr(includer, '/');
  char path[3][8500];
  struct stat info;
  OAK_TRY(oak_source_root(&root));
  snprintf(path[0], sizeof path[0], "%.*s%.*s", slash ? (int)(slash + 1 - includer) : 0, includer,
           length, name);
  snprintf(path[1], sizeof path[1], "%s/include/%.*s", root, length, name);
  snprintf(path[2], sizeof path[2], "%s/%.*s", root, length, name);
  if (*name == '/') snprintf(path[0], sizeof path[0], "%.*s", length, name);
  for (int i = 0; i < 3; i++)
    if (stat(path[i], &info) == 0) return add_file(scan, path[i]);
  return OAK_OK;
}

static oak_status_t read_file(const char *path, off_t size, char **out) {
  FILE *f = fopen(path, "rb");
  char *text = f ? malloc((size_t)size + 1) : NULL;
  const size_t got = text ? fread(text, 1, (size_t)size, f) : 0;
  if (f) fclose(f);
  *out = text;
  OAK_CHECK(f, OAK_ERR_FILE, "cannot read %s", path);
  OAK_CHECK(text, OAK_ERR_MEMORY, "no memory to read %s", path);
  text[got] = 0;
  return OAK_OK;
}

/* What is not a regular file, or is not C, is left to the compiler. */
static oak_status_t add_file(scan_t *scan, const char *path) {
  struct stat info;
  if (stat(path, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size > LARGEST_FILE ||
      scan->nfile == MAX_FILES)
    return OAK_OK;
  for (int i = 0; i < scan->nfile; i++)
    if (scan->file[i].device == info.st_dev && scan->file[i].inode == info.st_ino) return OAK_OK;
  file_t *file = &scan->file[scan->nfile];
  OAK_TRY(read_file(path, info.st_size, &file->text));
  scan->nfile++;
  snprintf(file->path, sizeof file->path, "%s", path);
  file->device = info.st_dev;
  file->inode = info.st_ino;
  blank_comments(file->text);
  for (const char *line = file->text; *line; line = next_line(line)) {
    const char *name = after_directive(line, "include");
    if (name && *name == '"')
      OAK_TRY(add_include(scan, file->path, name + 1, (int)strcspn(name + 1, "\"\n")));
  }
  return OAK_OK;
}

/* ---- macros */

/* 1 if a macro occurs anywhere except where it is defined. */
static int is_used(const scan_t *scan, const char *name) {
  const size_t length = strlen(name);
  for (int i = 0; i < scan->nfile; i++) {
    const char *text = scan->file[i].text;
    for (const char *at = text; (at = strstr(at, name)); at += length) {
      const char *line = at;
      if ((at > text && is_letter(at[-1])) || is_letter(at[length])) continue;
      while (line > text && line[-1] != '\n') line--;
      if (after_directive(line, "define") != at) return 1;
    }
  }
  return 0;
}

/* The known macro that is meant, NULL if none is near. */
static const char *nearest(const char *name, int most) {
  const char *found = NULL;
  for (int i = 0; i < NKNOWN; i++) {
    const int distance = oak_str_distance(name, known[i]);
    if (distance < most || (distance == most && !found)) {
      most = distance;
      found = known[i];
    }
  }
  return found;
}

/* Find out whether a macro that a file defines has no effect, and which macro may be meant. */
static int is_lost(const scan_t *scan, const char *name, const char **meant) {
  const int reserved = !strncmp(name, "PROBLEM_", 8) || !strncmp(name, "PHYSICS_", 8);
  *meant = nearest(name, reserved ? 3 : 2);
  if (!reserved && !*meant) return 0;
  for (int i = 0; i < NKNOWN; i++)
    if (!strcmp(name, known[i])) return 0;
  return !is_used(scan, name);
}

static oak_status_t check_file(const scan_t *scan, const file_t *file) {
  char name[128], message[4096] = "";
  size_t at = 0;
  int number = 0;
  for (const char *line = file->text; *line && at + 600 < sizeof message; line = next_line(line)) {
    const char *start = after_directive(line, "define"), *meant;
    size_t length = 0;
    number++;
    while (start && is_letter(start[length])) length++;
    if (!length || length >= sizeof name) continue;
    snprintf(name, sizeof name, "%.*s", (int)length, start);
    if (!is_lost(scan, name, &meant)) continue;
    at += snprintf(message + at, sizeof message - at, "%s%.300s:%d: nothing uses the macro %s",
                   at ? "\n" : "", file->path, number, name);
    if (meant) at += snprintf(message + at, sizeof message - at, "; did you mean %s?", meant);
  }
  OAK_CHECK(!at, OAK_ERR_INPUT,
            "%s\nNames that begin with PROBLEM_ or PHYSICS_ are for hooks of oak, see "
            "docs/kernels.md",
            message);
  return OAK_OK;
}

oak_status_t oak_sim_check_macros(const oak_t *sim) {
  scan_t scan = {.file = calloc(MAX_FILES, sizeof *scan.file)};
  OAK_CHECK(scan.file, OAK_ERR_MEMORY, "no memory to read %s", sim->problem_path);
  oak_status_t st = add_file(&scan, sim->physics_path);
  if (st == OAK_OK) st = add_file(&scan, sim->problem_path);
  /* There are too many files to read all. A macro that these do not use may be used in the others,
   * so none is refused. */
  const int whole = scan.nfile < MAX_FILES;
  for (int i = 0; i < scan.nfile && whole && st == OAK_OK; i++)
    st = check_file(&scan, &scan.file[i]);
  for (int i = 0; i < scan.nfile; i++) free(scan.file[i].text);
  free(scan.file);
  return st;
}
