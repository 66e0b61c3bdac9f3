/* SPDX-License-Identifier: GPL-2.0-or-later
 * Limiters, fluxes, criteria and boundary conditions by name: those of numerics/, and those that
 * the files of physics and problem define. */
#include <string.h>

#include "base/str.h"
#include "setup/setup.h"

int oak_scheme_find(const oak_setup_t *setup, oak_scheme_t kind, const char *name) {
  const oak_declared_t *d = &setup->files.declared;
  for (int n = 0; n < d->nscheme; n++)
    if (d->scheme[n].kind == kind && !strcmp(d->scheme[n].name, name)) return n;
  return -1;
}

oak_status_t oak_scheme_check(const oak_setup_t *setup, oak_scheme_t kind, const char *key) {
  const char *name = oak_params_text(setup->params, key);
  char known[2048];
  oak_scheme_names(&setup->files.declared, kind, known, sizeof known);
  OAK_CHECK(*name && oak_str_has_word(known, name, strlen(name)), OAK_ERR_INPUT,
            "%s: %s = %s: with physics.name = %s it must be one of %s",
            oak_params_origin(setup->params, key), key, name,
            oak_params_text(setup->params, "physics.name"), known);
  return OAK_OK;
}
