/* SPDX-License-Identifier: GPL-2.0-or-later
 * What both forms of the flux kernel share: flux.c, which goes tile by tile, and flux_cells.c,
 * which goes cell by cell. Beside physics, limiters and Riemann solvers, which they share too. */
#ifndef OAK_FLUX_COMMON_H
#define OAK_FLUX_COMMON_H

#define RAD OAK_RADIUS
#define GH (RAD + 1)
#if GH > OAK_NG
#error "fewer ghost layers than the limiter reads"
#endif
#ifndef OAK_TILE_X
#define OAK_TILE_X OAK_N
#define OAK_TILE_Y OAK_N
#endif
#define TX OAK_TILE_X
#define TY OAK_TILE_Y
#define TILES_X (OAK_N / TX)
#define TILES (TILES_X * (OAK_N / TY))
#define NFLUX (NVAR + 1) /* the last component is the wave speed */

/* Load a conserved state from p and convert it. */
OAK_FN void load_primitive(const oak_user_t *user, const real *p, long long stride, real q[]) {
  oak_load(p, stride, q);
  physics_to_primitive(&user->physics, q);
}

/* Source terms of physics and problem, from the primitive state. */
OAK_FN void add_sources(const oak_field_t *f, const oak_user_t *user, long block, int i, int j,
                        int k, const real q[], real source[]) {
#if defined(PHYSICS_SOURCE) || defined(PROBLEM_SOURCE)
  double x[3];
  oak_center(f, block, i, j, k, x);
#ifdef PHYSICS_SOURCE
  PHYSICS_SOURCE(&user->physics, x, f->time, q, source);
#endif
#ifdef PROBLEM_SOURCE
  PROBLEM_SOURCE(&user->problem, &user->physics, x, f->time, q, source);
#endif
#else
  (void)f, (void)user, (void)block, (void)i, (void)j, (void)k, (void)q, (void)source;
#endif
}

#endif
