/* SPDX-License-Identifier: GPL-2.0-or-later
 * Passive scalars beside the variables of the physics. Private to the library. */
#pragma once

enum { OAK_MAX_NVAR = 32 /* with scalars */, OAK_LONGEST_SCALAR = 31 };

typedef struct {
  int count, values; /**< values: choice of physics.scalar_values */
  char name[OAK_MAX_NVAR][OAK_LONGEST_SCALAR + 1];
  char conserved[OAK_MAX_NVAR][2 * OAK_LONGEST_SCALAR + 2];
} oak_scalars_t;
