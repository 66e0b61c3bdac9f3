/* SPDX-License-Identifier: GPL-2.0-or-later
 * Constants of a built module: what is left of the declarations of physics and problem files. */
#include <stdio.h>

#include "solver/step/sim.h"

int oak_sim_constant(oak_t *sim, oak_module_t *module, const char *name, void *dst, size_t bytes) {
  const oak_status_t st = oak_device_constant(sim->dev, module, name, dst, bytes);
  char *unread = sim->description.unread;
  if (st != OAK_OK && st != OAK_ERR_ARGUMENT && !*unread)
    snprintf(unread, sizeof sim->description.unread, "%s", oak_last_error());
  return st == OAK_OK;
}

int oak_sim_has(oak_t *sim, oak_module_t *module, const char *name) {
  char constant[160];
  int value;
  snprintf(constant, sizeof constant, "oak_has_%s", name);
  return oak_sim_constant(sim, module, constant, &value, sizeof value);
}
