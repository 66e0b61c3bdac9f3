/* SPDX-License-Identifier: GPL-2.0-or-later
 * Mistakes in the files of physics and problem. Compilers accept two that give wrong numbers:
 * variables that hooks write to, and stored fields that nothing sets. */
#include <stdio.h>
#include <string.h>

#include "setup/setup.h"

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
  char name[256];
  for (int n = 0; ops->writable && ops->writable(module, n); n++) {
    plain_name(ops->writable(module, n), name, sizeof name);
    const oak_text_place_t place = oak_text_find(setup->files.text, "", name);
    OAK_CHECK(!*place.path, OAK_ERR_INPUT,
              "%s:%d: the variable %s can change during a run. Hooks are compiled apart, and "
              "threads, ranks and GPUs run them at the same time, so they would not see the same "
              "value: make it static const, or use PARAMETER, FIELD_STORED or GLOBAL_MAX",
              place.path, place.line, name);
  }
  return OAK_OK;
}

/* ---- stored fields that nothing sets */

/* A field is read as "at->f.name", or by oak_near_field(at, name, ...), which leaves its number. */
oak_status_t oak_setup_check_fields(const oak_setup_t *setup, const char *set) {
  for (int n = 0; n < setup->fields.count; n++) {
    const char *name = setup->fields.field[n].name;
    if (setup->fields.field[n].function || set[n] || oak_equation_result(setup, name)) continue;
    oak_text_place_t place = oak_text_find(setup->files.text, ".", name);
    if (!*place.path) place = oak_text_find(setup->files.text, "OAK_FIELD_", name);
    OAK_CHECK(
        !*place.path, OAK_ERR_INPUT,
        "%s:%d: the field %s is read here, but nothing sets it, so it is 0: write the hook of "
        "its equation (POISSON for phi and its derivatives), give the field a function with "
        "FIELD(%s, at), or let a program set it with oak_field_set before the run",
        place.path, place.line, name, name);
  }
  return OAK_OK;
}

/* ---- messages of compilers that name what is in files of oak */

oak_status_t oak_explain_names(const oak_setup_t *setup, oak_status_t st) {
  char message[8192];
  snprintf(message, sizeof message, "%s", oak_last_error());
  if (st == OAK_ERR_BUILD && setup->dim == 2 &&
      (strstr(message, "array-bounds") || strstr(message, "aggressive-loop")))
    return OAK_FAIL(st,
                    "%s\nIn 2D, at->x and at->dx have no third component: write OAK_DIM == 3 ? "
                    "at->x[2] : 0",
                    message);
  if (st == OAK_ERR_BUILD && strstr(message, "physics_scalars_has_"))
    return OAK_FAIL(st,
                    "%s\nSCALAR(name) asks for a scalar of the key physics.scalars, which is "
                    "'%s'",
                    message, oak_params_text(setup->params, "physics.scalars"));
  return st;
}
