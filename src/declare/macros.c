/* SPDX-License-Identifier: GPL-2.0-or-later
 * Misspelt macros of physics files. A macro that nothing asks for has no effect, and no compiler
 * says so. Here the user's files are searched for such macros, in the same way for all devices. A
 * macro that one of the files uses is the user's own: a guard of a header, a helper. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "declare/hooks.h"

static const char *const known[] = {"PHYSICS_NVAR",         "PHYSICS_NORMAL",     "PHYSICS_MIRROR",
                                    "PHYSICS_HAS_PRESSURE", "PHYSICS_MORE",       "PHYSICS_MASS",
                                    "PHYSICS_SIDES",        "PHYSICS_LEAST_MASS", "PHYSICS_VECTORS",
                                    "PHYSICS_EPSILON"};
enum { NKNOWN = sizeof known / sizeof *known };

/* Whether a macro occurs anywhere but where it is defined. */
static int is_used(const oak_user_files_t *files, const char *name) {
  const size_t length = strlen(name);
  for (int i = 0; i < files->nfile; i++) {
    const char *text = files->file[i].text;
    for (const char *at = text; (at = strstr(at, name)); at += length) {
      const char *line = at;
      if ((at > text && oak_is_word(at[-1])) || oak_is_word(at[length])) continue;
      while (line > text && line[-1] != '\n') line--;
      if (oak_after_directive(line, "define") != at) return 1;
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

/* Whether a macro that a file defines has no effect, and the one that may be meant. */
static int is_lost(const oak_user_files_t *files, const char *name, const char **meant) {
  const int reserved = !strncmp(name, "PROBLEM_", 8) || !strncmp(name, "PHYSICS_", 8);
  *meant = nearest(name, reserved ? 3 : 2);
  if (!reserved && !*meant) return 0;
  for (int i = 0; i < NKNOWN; i++)
    if (!strcmp(name, known[i])) return 0;
  return !is_used(files, name);
}

static oak_status_t check_file(const oak_user_files_t *files, const oak_user_file_t *file) {
  char name[128], message[4096] = "";
  size_t at = 0;
  int number = 0;
  for (const char *line = file->text; *line && at + 600 < sizeof message;
       line = oak_next_line(line)) {
    const char *start = oak_after_directive(line, "define"), *meant;
    size_t length = 0;
    number++;
    while (start && oak_is_word(start[length])) length++;
    if (!length || length >= sizeof name) continue;
    snprintf(name, sizeof name, "%.*s", (int)length, start);
    if (!is_lost(files, name, &meant)) continue;
    at += snprintf(message + at, sizeof message - at, "%s%.300s:%d: nothing uses the macro %s",
                   at ? "\n" : "", file->path, number, name);
    if (meant) at += snprintf(message + at, sizeof message - at, "; did you mean %s?", meant);
  }
  OAK_CHECK(!at, OAK_ERR_INPUT,
            "%s\nNames that begin with PROBLEM_ or PHYSICS_ are for oak, see docs/kernels.md",
            message);
  return OAK_OK;
}

oak_status_t oak_check_macros(const oak_user_files_t *files) {
  /* If there were too many files, some were not read, and they may use the macro. */
  for (int i = 0; i < files->nfile && files->whole; i++)
    OAK_TRY(check_file(files, &files->file[i]));
  return OAK_OK;
}
