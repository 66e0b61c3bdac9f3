/* SPDX-License-Identifier: GPL-2.0-or-later
 * Finds the names that a physics gives its variables in C. They are enumerators in the text of its
 * file. If a problem uses an unknown name, the message lists them. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "declare/hooks.h"
#include "setup/setup.h"

static void add_name(const char *c, size_t length, char *names, size_t size) {
  char name[64];
  const size_t used = strlen(names);
  if (!isupper((unsigned char)*c) || !strncmp(c, "OAK_", 4) || length >= sizeof name) return;
  snprintf(name, sizeof name, "%.*s", (int)length, c);
  if (!oak_str_has_word(names, name, length) && used + length + 2 < size)
    snprintf(names + used, size - used, "%s%s", used ? " " : "", name);
}

/* The names of "enum { A, B = 1 }" whose brace is at `c`. */
static void add_enum(const char *c, char *names, size_t size) {
  int first = 1;
  for (c++; *c && *c != '}';) {
    size_t length = 0;
    while (oak_is_word(c[length])) length++;
    if (length && first) add_name(c, length, names, size);
    if (length) first = 0;
    if (*c == ',') first = 1;
    c += length ? length : 1;
  }
}

static void add_file(const char *text, char *names, size_t size) {
  for (const char *c = text; (c = strstr(c, "enum")); c += 4) {
    const char *open = c + 4 + strspn(c + 4, " \t\r\n");
    if (*open == '{' && (c == text || !oak_is_word(c[-1]))) add_enum(open, names, size);
  }
}

oak_status_t oak_explain_names(const oak_setup_t *setup, oak_status_t st) {
  char names[512] = "", message[8192];
  oak_user_files_t files = {.file = NULL};
  snprintf(message, sizeof message, "%s", oak_last_error());
  if (st == OAK_ERR_BUILD && setup->dim == 2 &&
      (strstr(message, "array-bounds") || strstr(message, "aggressive-loop")))
    return OAK_FAIL(st,
                    "%s\nIn 2D, at->x and at->dx have no third component: write OAK_DIM == 3 ? "
                    "at->x[2] : 0",
                    message);
  /* The words of gcc, clang and NVRTC for an unknown name. */
  if (st != OAK_ERR_BUILD || !(strstr(message, "undeclared") || strstr(message, "is undefined")))
    return st;
  if (strstr(message, "physics_scalars_has_"))
    return OAK_FAIL(st,
                    "%s\nSCALAR(name) asks for a scalar of the key physics.scalars, which is "
                    "'%s'",
                    message, oak_params_text(setup->params, "physics.scalars"));
  if (oak_user_files_read(&files, setup->files.physics) == OAK_OK)
    for (int i = 0; i < files.nfile; i++) add_file(files.file[i].text, names, sizeof names);
  oak_user_files_free(&files);
  return OAK_FAIL(
      st,
      "%s\nVariables of physics.name = %s have the names %s, some perhaps only with "
      "another mesh.dim; a name that not every physics has can be asked for with #ifdef",
      message, oak_params_text(setup->params, "physics.name"), names);
}
