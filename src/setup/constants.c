/* SPDX-License-Identifier: GPL-2.0-or-later
 * Constants of a built module: what is left of the declarations of physics and problem files. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "setup/setup.h"

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

/* ---- hooks */

static const char *const owner_name[] = {
    [OAK_OF_PHYSICS] = "physics", [OAK_OF_PROBLEM] = "problem"};

/* "physics_to_smooth" for the hook TO_SMOOTH. */
static void hook_name(const oak_hook_t *h, oak_owner_t owner, char name[64]) {
  const int length = snprintf(name, 64, "%s_%s", owner_name[owner], h->name);
  for (int n = 0; n < length; n++) name[n] = (char)tolower((unsigned char)name[n]);
}

void oak_read_hooks(oak_setup_t *setup, oak_module_t *module) {
  const oak_hook_table_t *table = &setup->files.declared.hooks;
  char name[64];
  for (int n = 0; n < table->count; n++)
    for (int o = 0; o < 2; o++) {
      hook_name(&table->hook[n], o, name);
      setup->description.has[o][n] =
          table->hook[n].function && table->hook[n].owner[o] && oak_setup_has(setup, module, name);
    }
}

int oak_has_hook(const oak_setup_t *setup, const char *name) {
  const oak_hook_table_t *table = &setup->files.declared.hooks;
  for (int o = 0; o < 2; o++) {
    const size_t length = strlen(owner_name[o]);
    if (strncmp(name, owner_name[o], length) != 0 || name[length] != '_') continue;
    for (int n = 0; n < table->count; n++)
      if (!strcasecmp(name + length + 1, table->hook[n].name)) return setup->description.has[o][n];
  }
  OAK_ASSERT(!"a hook of kernels/language/hooks.h");
  return 0;
}

void oak_print_hooks(const oak_setup_t *setup, FILE *f) {
  const oak_hook_table_t *table = &setup->files.declared.hooks;
  char name[64];
  for (int n = 0; n < table->count; n++)
    for (int o = 0; o < 2; o++) {
      hook_name(&table->hook[n], o, name);
      if (setup->description.has[o][n]) fprintf(f, "#define OAK_HAS_%s 1\n", name);
    }
}
