/* SPDX-License-Identifier: GPL-2.0-or-later
 * The hooks and declarations that there are, from the table of macros in kernels/language/hooks.h.
 * Private to src/solver. */
#pragma once

#include "oak/status.h"

enum { OAK_MAX_HOOKS = 64 };

/** Who a declaration belongs to. */
typedef enum { OAK_OF_PHYSICS, OAK_OF_PROBLEM } oak_owner_t;

typedef struct {
  char name[32];
  char form[96]; /**< as a file writes it: "INITIAL(at, q) { ... }" */
  int owner[2];  /**< whether a physics or a problem may have it */
  int needed;    /**< every physics has it */
  int function;  /**< a body follows */
} oak_hook_t;

typedef struct {
  int count;
  oak_hook_t hook[OAK_MAX_HOOKS];
} oak_hook_table_t;

/** Read kernels/language/hooks.h. Rank-local. */
oak_status_t oak_hook_table_read(oak_hook_table_t *out);
/** \return NULL if there is no hook of this name. */
const oak_hook_t *oak_hook_find(const oak_hook_table_t *table, const char *name);
