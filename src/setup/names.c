/* SPDX-License-Identifier: GPL-2.0-or-later
 * What is asked for by its name: constants of a built module, hooks of files, schemes, keys. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "setup/setup.h"
#include "base/str.h"

int oak_setup_constant(oak_setup_t *setup, oak_module_t *module, const char *name, void *dst,
                       size_t bytes) {
  const oak_status_t st = oak_device_constant(setup->dev, module, name, dst, bytes);
  char *unread = setup->description.unread;
  if (st != OAK_OK && st != OAK_ERR_ARGUMENT && !*unread)
    snprintf(unread, sizeof setup->description.unread, "%s", oak_last_error());
  return st == OAK_OK;
}

/* ---- hooks */

const char *const oak_owner_name[] = {[OAK_OF_PHYSICS] = "physics", [OAK_OF_PROBLEM] = "problem"};

int oak_has_hook(const oak_setup_t *setup, const char *name) {
  const int problem = !strncmp(name, "problem_", 8);
  OAK_ASSERT(problem || !strncmp(name, "physics_", 8));
  return oak_declares(&setup->files.declared, problem ? OAK_OF_PROBLEM : OAK_OF_PHYSICS, name + 8,
                      "");
}

void oak_print_hooks(const oak_setup_t *setup, FILE *f) {
  const oak_declared_t *d = &setup->files.declared;
  for (int n = 0; n < d->nhook; n++)
    for (int o = 0; o < 2; o++) {
      if (!d->hook[n].function || d->hook[n].named || !oak_declares(d, o, d->hook[n].name, ""))
        continue;
      fprintf(f, "#define OAK_HAS_%s_", oak_owner_name[o]);
      for (const char *c = d->hook[n].name; *c; c++) fputc(tolower((unsigned char)*c), f);
      fprintf(f, " 1\n");
    }
}

/* ---- limiters, fluxes, criteria and boundary conditions: those of numerics/, and those that the
 * files of physics and problem define */

int oak_scheme_find(const oak_setup_t *setup, oak_scheme_t kind, const char *name) {
  const oak_declared_t *d = &setup->files.declared;
  for (int n = 0; n < d->nscheme; n++)
    if (d->scheme[n].kind == kind && !strcmp(d->scheme[n].name, name)) return n;
  return -1;
}

oak_status_t oak_scheme_check(const oak_setup_t *setup, oak_scheme_t kind, const char *key) {
  const char *name = oak_params_text(setup->params, key);
  char known[2048], meant[96];
  oak_scheme_names(&setup->files.declared, kind, known, sizeof known);
  OAK_CHECK(*name && oak_str_has_word(known, name, strlen(name)), OAK_ERR_INPUT,
            "%s: %s = %s: with physics.name = %s it must be one of %s%s",
            oak_params_origin(setup->params, key), key, name,
            oak_params_text(setup->params, "physics.name"), known,
            oak_str_meant(known, name, meant));
  return OAK_OK;
}

/* ---- keys without effect */

oak_status_t oak_key_unused(const oak_setup_t *setup, const char *key, const char *reason) {
  const char *text = oak_params_changed(setup->params, key);
  OAK_CHECK(!text || !reason, OAK_ERR_INPUT,
            "%s: %s = %s has no effect, because %s: leave the key out",
            oak_params_origin(setup->params, key), key, text, reason);
  return OAK_OK;
}

oak_status_t oak_keys_unused(const oak_setup_t *setup, const oak_param_desc_t *keys,
                             const char *reason) {
  for (keys++; keys->key; keys++) OAK_TRY(oak_key_unused(setup, keys->key, reason));
  return OAK_OK;
}
