/* SPDX-License-Identifier: GPL-2.0-or-later
 * Mistakes in the files of physics and problem that compilers accept, and that give wrong numbers:
 * variables that hooks write to, and stored fields that nothing sets. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "oak/device.h"
#include "declare/hooks.h"
#include "setup/setup.h"

/* A place in the files of physics and problem. */
typedef struct {
  const char *path; /* NULL: there is none */
  int line;
} place_t;

typedef int (*wanted_t)(const char *text, const char *at);

/* The first place where `name` stands as a word that is wanted. */
static place_t find_word(const oak_user_files_t *files, const char *name, wanted_t wanted) {
  const size_t length = strlen(name);
  for (int i = 0; i < files->nfile; i++) {
    const char *text = files->file[i].text;
    for (const char *at = text; (at = strstr(at, name)); at += length) {
      if ((at > text && oak_is_word(at[-1])) || oak_is_word(at[length]) || !wanted(text, at))
        continue;
      place_t place = {files->file[i].path, 1};
      for (const char *c = text; c < at; c++) place.line += *c == '\n';
      return place;
    }
  }
  return (place_t){NULL, 0};
}

static oak_status_t read_files(const oak_setup_t *setup, oak_user_files_t *files) {
  *files = (oak_user_files_t){.file = NULL};
  OAK_TRY(oak_user_files_read(files, setup->files.physics));
  return oak_user_files_read(files, setup->files.problem);
}

/* ---- variables that hooks write to */

static int is_any(const char *text, const char *at) {
  (void)text, (void)at;
  return 1;
}

/* The name in the file: gcc adds a number to that of a variable in a function, and clang puts the
 * function in front. */
static void plain_name(const char *symbol, char *name, size_t size) {
  size_t length = strlen(symbol);
  const size_t digits = strspn(symbol + strcspn(symbol, "."), ".0123456789");
  if (digits && !symbol[strcspn(symbol, ".") + digits]) length -= digits;
  const char *from = symbol;
  for (const char *dot = symbol; (dot = memchr(dot, '.', length - (size_t)(dot - symbol)));)
    from = ++dot;
  snprintf(name, size, "%.*s", (int)(length - (size_t)(from - symbol)), from);
}

oak_status_t oak_setup_check_statics(const oak_setup_t *setup, oak_module_t *module) {
  const oak_device_ops_t *ops = oak_device_ops(setup->dev);
  oak_user_files_t files;
  char name[256] = "";
  place_t place = {NULL, 0};
  if (!ops->writable || !ops->writable(module, 0)) return OAK_OK;
  oak_status_t st = read_files(setup, &files);
  for (int n = 0; st == OAK_OK && !place.path && ops->writable(module, n); n++) {
    plain_name(ops->writable(module, n), name, sizeof name);
    place = find_word(&files, name, is_any);
  }
  if (st == OAK_OK && place.path)
    st = OAK_FAIL(OAK_ERR_INPUT,
                  "%s:%d: the variable %s can change during a run. Hooks are compiled apart, and "
                  "threads, ranks and GPUs run them at the same time, so they would not see the "
                  "same value: make it static const, or use PARAMETER, FIELD_STORED or GLOBAL_MAX",
                  place.path, place.line, name);
  oak_user_files_free(&files);
  return st;
}

/* ---- stored fields that nothing sets */

/* Whether an elliptic equation sets the field: the solution, a derivative of it, or the rate of
 * change of these. */
static int is_solution(const oak_setup_t *setup, const char *name) {
  for (int n = 0; n < setup->equations.count; n++) {
    const char *of = setup->equations.of[n].name;
    char part[OAK_LONGEST_FUNCTION];
    for (int i = 0; i <= 3; i++) { /* in 2D, that along z is 0 */
      snprintf(part, sizeof part, "%s%s%s", of, i ? "_" : "", i ? oak_axis_name(setup, i - 1) : "");
      const size_t length = strlen(part);
      if (!strncmp(name, part, length) && (!name[length] || !strcmp(name + length, "_t"))) return 1;
    }
  }
  return 0;
}

/* "at->f.name" or "oak_near_field(at, name, ...". */
static int is_read(const char *text, const char *at) {
  static const char near[] = "oak_near_field";
  while (at > text && isspace((unsigned char)at[-1])) at--;
  if (at > text && at[-1] == '.') return 1;
  while (at > text && at[-1] != '(' && at[-1] != ';') at--;
  for (at--; at > text && isspace((unsigned char)at[-1]);) at--;
  return at - text >= (long)strlen(near) && !strncmp(at - strlen(near), near, strlen(near));
}

oak_status_t oak_setup_check_fields(const oak_setup_t *setup, const char *set) {
  oak_user_files_t files;
  oak_status_t st = read_files(setup, &files);
  for (int n = 0; n < setup->fields.count && st == OAK_OK; n++) {
    const char *name = setup->fields.field[n].name;
    if (setup->fields.field[n].function || set[n] || is_solution(setup, name)) continue;
    const place_t place = find_word(&files, name, is_read);
    if (place.path)
      st =
          OAK_FAIL(OAK_ERR_INPUT,
                   "%s:%d: the field %s is read here, but nothing sets it, so it is 0: write the "
                   "hook of its equation (POISSON for phi and its derivatives), give the field a "
                   "function with FIELD(%s, at), or let a program set it with oak_field_set before "
                   "the run",
                   place.path, place.line, name, name);
  }
  oak_user_files_free(&files);
  return st;
}
