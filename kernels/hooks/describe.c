/* SPDX-License-Identifier: GPL-2.0-or-later
 * What a physics and a problem file declare, as constants that the host reads before it builds the
 * kernels of the run. Most of them are made by the declarations in the files
 * (kernels/language/hooks.h). */
#include "kernels/hooks/user.h"

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

/* Number 0: 1 if the physics declares its vectors, 3 if one of these has no third component, else
 * 0. Numbers 1 to 3: the first, second and third components of all vectors, as bits. Number 4: the
 * momentum along phi, as a bit. Number 5: 1 if the physics has values on the sides of faces. */
#ifdef PHYSICS_VECTORS
#define PLANAR(a, b, c) | ((c) < 0 ? 2u : 0u)
#define FIRST_BITS(a, b, c) | 1u << (a)
#define SECOND_BITS(a, b, c) | 1u << (b)
#define THIRD_BITS(a, b, c) | ((c) < 0 ? 0u : 1u << OAK_MAX(c, 0))
#if OAK_COORDINATES
#define ANGULAR_BIT(a, b, c) \
  | ((a) == PHYSICS_NORMAL(0) && OAK_PHI_OF(b, c) >= 0 ? 1u << OAK_MAX(OAK_PHI_OF(b, c), 0) : 0u)
#else
#define ANGULAR_BIT(a, b, c)
#endif
#define VECTORS_DECLARED                                                                     \
  1u PHYSICS_VECTORS(PLANAR), 0 PHYSICS_VECTORS(FIRST_BITS), 0 PHYSICS_VECTORS(SECOND_BITS), \
      0 PHYSICS_VECTORS(THIRD_BITS), 0 PHYSICS_VECTORS(ANGULAR_BIT)
#else
#define VECTORS_DECLARED 0, 0, 0, 0, 0
#endif
/* How often each variable is a component of a vector, two bits for each. */
#ifdef PHYSICS_VECTORS
#define LISTED(n) ((n) < 0 ? 0ull : 1ull << 2 * OAK_MAX(n, 0))
#define LIST_VECTOR(a, b, c) +LISTED(a) + LISTED(b) + LISTED(c)
OAK_CONST_DATA unsigned long long oak_describe_listed = 0 PHYSICS_VECTORS(LIST_VECTOR);
#else
OAK_CONST_DATA unsigned long long oak_describe_listed = 0;
#endif
/* All vectors, three numbers each, and -2 behind the last one. */
#ifdef PHYSICS_VECTORS
#define VECTOR_LIST(a, b, c) a, b, c,
OAK_CONST_DATA int oak_describe_vector_list[31] = {PHYSICS_VECTORS(VECTOR_LIST) - 2};
#else
OAK_CONST_DATA int oak_describe_vector_list[31] = {-2};
#endif
#ifdef PHYSICS_SIDES
OAK_CONST_DATA unsigned oak_describe_vectors[6] = {VECTORS_DECLARED, 1};
#else
OAK_CONST_DATA unsigned oak_describe_vectors[6] = {VECTORS_DECLARED, 0};
#endif
