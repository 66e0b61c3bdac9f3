/* SPDX-License-Identifier: GPL-2.0-or-later
 * Declarations of a physics and a problem file, as constants that the host reads before it builds
 * the kernels of the run. The declarations in the files make most of them
 * (kernels/language/hook_table.h). */
#include "kernels/hooks/user.h"

OAK_CONST_DATA int oak_describe_nvar = PHYSICS_NVAR;
OAK_CONST_DATA int oak_describe_mass = PHYSICS_MASS;
OAK_CONST_DATA int oak_describe_normal[3] = {PHYSICS_NORMAL(0), PHYSICS_NORMAL(1),
                                             PHYSICS_NORMAL(2)};

/* oak_describe_mirror: bit v: a wall normal to axis d negates variable v. */
#ifndef PHYSICS_MIRROR
#define PHYSICS_MIRROR(v, d) ((v) == PHYSICS_NORMAL(d))
#endif
#define MIRROR(v, d) ((v) < PHYSICS_NVAR && PHYSICS_MIRROR(v, d) ? 1u << (v) : 0u)
#define MIRROR4(v, d) (MIRROR(v, d) | MIRROR((v) + 1, d) | MIRROR((v) + 2, d) | MIRROR((v) + 3, d))
#define MIRROR16(v, d) \
  (MIRROR4(v, d) | MIRROR4((v) + 4, d) | MIRROR4((v) + 8, d) | MIRROR4((v) + 12, d))
#define MIRRORS(d) (MIRROR16(0, d) | MIRROR16(16, d))
OAK_CONST_DATA unsigned oak_describe_mirror[3] = {MIRRORS(0), MIRRORS(1), MIRRORS(2)};

/* The list of all vectors: three numbers each, and -2 behind the last one. */
#define VECTOR_LIST(a, b, c) a, b, c,
OAK_CONST_DATA int oak_describe_vector_list[31] = {PHYSICS_VECTORS(VECTOR_LIST) - 2};

/* Whether the physics declares its vectors, and whether it has values on the sides of faces. */
OAK_CONST_DATA int oak_describe_has[2] = {OAK_HAS_VECTORS, PHYSICS_SIDES > 0};
