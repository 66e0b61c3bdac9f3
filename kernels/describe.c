/* SPDX-License-Identifier: GPL-2.0-or-later
 * What a physics and a problem file declare, as constants that the host reads before it builds the
 * kernels of the run. Most of them are made by the declarations in the files (kernels/hooks.h). */
#include "kernels/user.h"

OAK_CONST_DATA int oak_describe_nvar = PHYSICS_NVAR;
OAK_CONST_DATA int oak_describe_mass = PHYSICS_MASS;
OAK_CONST_DATA int oak_describe_normal[3] = {PHYSICS_NORMAL(0), PHYSICS_NORMAL(1),
                                             PHYSICS_NORMAL(2)};

/* Bit v: a wall normal to axis d negates variable v. */
#ifndef PHYSICS_MIRROR
#define PHYSICS_MIRROR(v, d) ((v) == PHYSICS_NORMAL(d))
#endif
#define MIRROR(v, d) ((v) < PHYSICS_NVAR && PHYSICS_MIRROR(v, d) ? 1u << (v) : 0u)
#define MIRROR4(v, d) (MIRROR(v, d) | MIRROR((v) + 1, d) | MIRROR((v) + 2, d) | MIRROR((v) + 3, d))
#define MIRROR16(v, d) \
  (MIRROR4(v, d) | MIRROR4((v) + 4, d) | MIRROR4((v) + 8, d) | MIRROR4((v) + 12, d))
#define MIRRORS(d) (MIRROR16(0, d) | MIRROR16(16, d))
OAK_CONST_DATA unsigned oak_describe_mirror[3] = {MIRRORS(0), MIRRORS(1), MIRRORS(2)};

/* Whether the physics declares its vectors (1; 3: one has no component along phi); as bits, the
 * components of vectors along r and phi, which are odd at the axis of the mesh; whether the physics
 * has values on the sides of faces. */
#ifdef PHYSICS_VECTORS
#define PLANAR(r, z, phi) | ((phi) < 0 ? 2u : 0u)
#define AXIS_BITS(r, z, phi) | 1u << (r) | ((phi) < 0 ? 0u : 1u << OAK_MAX(phi, 0))
OAK_CONST_DATA unsigned oak_describe_vectors[3] = {1u PHYSICS_VECTORS(PLANAR),
                                                   0 PHYSICS_VECTORS(AXIS_BITS),
#else
OAK_CONST_DATA unsigned oak_describe_vectors[3] = {0, 0,
#endif
#ifdef PHYSICS_SIDES
                                                   1};
#else
                                                   0};
#endif
