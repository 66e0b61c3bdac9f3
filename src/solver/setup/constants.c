/* SPDX-License-Identifier: GPL-2.0-or-later
 * Constants of a built module: what is left of the declarations of physics and problem files. */
#include <stdio.h>

#include "solver/setup/setup.h"

int oak_setup_constant(oak_setup_t *setup, oak_module_t *module, const char *name, void *dst,
                       size_t bytes) {
  const oak_status_t st = oak_device_constant(setup->dev, module, name, dst, bytes);
  char *unread = setup->description.unread;
  if (st != OAK_OK && st != OAK_ERR_ARGUMENT && !*unread)
    snprintf(unread, sizeof setup->description.unread, "%s", oak_last_error());
  return st == OAK_OK;
}

int oak_setup_has(oak_setup_t *setup, oak_module_t *module, const char *name) {
  char constant[160];
  int value;
  snprintf(constant, sizeof constant, "oak_has_%s", name);
  return oak_setup_constant(setup, module, constant, &value, sizeof value);
}
