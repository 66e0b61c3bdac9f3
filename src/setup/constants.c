/* SPDX-License-Identifier: GPL-2.0-or-later
 * Constants of a built module, and the hooks that files have. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "setup/setup.h"

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
