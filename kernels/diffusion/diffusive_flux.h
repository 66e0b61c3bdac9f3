/* SPDX-License-Identifier: GPL-2.0-or-later
 * The flux of the hooks DIFFUSIVE_FLUX through a face, from copies of blocks with one layer of
 * ghost cells (oak_primitive in kernels/diffusion/diffusion.c). */
#pragma once

#include "kernels/geometry/gradients.h"
#include "kernels/scheme/cell.h"

enum {
  WIDE_X = OAK_NX + 2,
  WIDE_Y = OAK_NY + 2,
  WIDE_Z = OAK_DIM == 3 ? OAK_NZ + 2 : 1,
  WIDE_CELLS = WIDE_X * WIDE_Y * WIDE_Z
};
#define WIDE_STRIDE(dir) ((dir) == 0 ? 1 : (dir) == 1 ? WIDE_X : WIDE_X * WIDE_Y)
/* Place of cell (i, j, k) in the copy of a block; in 2D k = 0. */
#define WIDE_INDEX(i, j, k) ((((k) + OAK_DIM - 2) * WIDE_Y + (j) + 1) * WIDE_X + (i) + 1)

/* Set the temperature of a primitive state from its other components. */
OAK_FN void set_temperature(const oak_at_t *at, real q[NGRAD]) {
#if OAK_HAS_physics_temperature
  q[OAK_TEMPERATURE] = physics_temperature(&at->ph, q);
#endif
  (void)at, (void)q;
}

/* The mirror image of a state across a wall normal to `dir`: `from` and `to` are places of the
 * state and of the image in cells from at->x. */
OAK_FN void wall_image(const oak_at_t *at, int dir, double from, double to, const real q[NGRAD],
                       real image[NGRAD]) {
  const double dx = oak_dx(at->state, at->level, dir);
  OAK_FOR(v, OAK_TEMPERATURE) {
    int normal;
    const int power = OAK_NO_SLIP ? 0 : oak_wall_power(v, dir, &normal);
    image[v] = oak_mirror_sign(v, dir) * q[v] *
               oak_wall_ratio(power, dir, oak_moved(dir, at->x[dir], from * dx),
                              oak_moved(dir, at->x[dir], to * dx));
  }
#if OAK_HAS_physics_wall
  physics_wall(&at->ph, image);
#endif
  set_temperature(at, image);
}

/* The states on both sides of the face below the cell at p; a solid cell gets the mirror image of
 * the other. The lower cell is `place` cells from at->x along `dir`. 1 if both are solid. */
OAK_FN int face_pair(const oak_at_t *at, const real *p, int dir, double place, real low[NGRAD],
                     real high[NGRAD]) {
  const int back = WIDE_STRIDE(dir);
  const int below = oak_is_solid(p[SOLID_VAR * WIDE_CELLS - back]);
  const int above = oak_is_solid(p[SOLID_VAR * WIDE_CELLS]);
  OAK_FOR(v, OAK_TEMPERATURE) low[v] = p[v * WIDE_CELLS - back], high[v] = p[v * WIDE_CELLS];
  set_temperature(at, low);
  set_temperature(at, high);
  if (below && !above) wall_image(at, dir, place + 1, place, high, low);
  if (above && !below) wall_image(at, dir, place, place + 1, low, high);
  return below && above;
}

/* The states on both sides of the next face, at a step `s` along axis `d`. If both of its cells are
 * solid, the states are mirror images of the states at the face of face_pair. */
OAK_FN void pair_beside(const oak_at_t *at, const real *p, int dir, int d, int s,
                        const real near_low[NGRAD], const real near_high[NGRAD], real low[NGRAD],
                        real high[NGRAD]) {
  if (!face_pair(at, p + s, dir, -0.5, low, high)) return;
  wall_image(at, d, 0, s < 0 ? -1 : 1, near_low, low);
  wall_image(at, d, 0, s < 0 ? -1 : 1, near_high, high);
}

/* The slope of variable v along a face, per cell, from the cells on both sides of the face and
 * their neighbours: the limited mean of limited means, with which heat flows from hot to cold along
 * any field (P. Sharma, G. W. Hammett, J. Comput. Phys. 227 (2007) 123). */
OAK_FN real limited_slope(int v, const real low[NGRAD], const real high[NGRAD],
                          real side[2][2][NGRAD]) {
  const real below = limiter_gminmod(low[v] - side[0][0][v], side[1][0][v] - low[v], 2);
  const real above = limiter_gminmod(high[v] - side[0][1][v], side[1][1][v] - high[v], 2);
  return limiter_gminmod(below, above, 2);
}

/* The state at the lower face of the cell at p and its gradients; 0 if both sides are solid. */
OAK_FN int face_gradients(const oak_at_t *at, const real *p, int dir, const real inv_dx[3],
                          real q[NGRAD], real grad[3][NGRAD]) {
  real low[NGRAD], high[NGRAD], side[2][2][NGRAD];
  if (face_pair(at, p, dir, -0.5, low, high)) return 0;
  OAK_FOR(v, NGRAD) {
    q[v] = (real)0.5 * (low[v] + high[v]);
    grad[2][v] = 0;
    grad[dir][v] = (high[v] - low[v]) * inv_dx[dir];
  }
  OAK_FOR(d, OAK_DIM) {
    if (d == dir) continue;
    OAK_FOR(n, 2)
      pair_beside(at, p, dir, d, (2 * n - 1) * WIDE_STRIDE(d), low, high, side[n][0], side[n][1]);
    OAK_FOR(v, NGRAD)
      grad[d][v] = (real)0.25 *
                   ((side[1][0][v] - side[0][0][v]) + (side[1][1][v] - side[0][1][v])) * inv_dx[d];
    if (OAK_HAS_physics_temperature)
      grad[d][NGRAD - 1] = limited_slope(NGRAD - 1, low, high, side) * inv_dx[d];
  }
  return 1;
}

/* The fluxes of the hooks along `dir`. */
OAK_FN void hook_fluxes(const oak_at_t *at, int dir, const real q[NGRAD], real grad[3][NGRAD],
                        real flux[NVAR]) {
  OAK_AT_PLACE(at, q);
#if OAK_HAS_physics_diffusive_flux
  physics_diffusive_flux(at, dir, q, grad, flux);
#endif
#if OAK_HAS_problem_diffusive_flux
  problem_diffusive_flux(at, dir, q, grad, flux);
#endif
}

/* The state of the cell at p and its gradients along the axes of the mesh. */
OAK_FN void cell_gradients(const oak_at_t *at, const real *p, const real inv_dx[3], real q[NGRAD],
                           real grad[3][NGRAD]) {
  OAK_FOR(v, OAK_TEMPERATURE) q[v] = p[v * WIDE_CELLS];
  set_temperature(at, q);
  OAK_FOR(v, NGRAD) grad[2][v] = 0;
  OAK_FOR(d, OAK_DIM) {
    real low[NGRAD], high[NGRAD], here[NGRAD];
    face_pair(at, p, d, -1, low, here);
    face_pair(at, p + WIDE_STRIDE(d), d, 0, here, high);
    OAK_FOR(v, NGRAD) grad[d][v] = (real)0.5 * (high[v] - low[v]) * inv_dx[d];
  }
}

/* The metric of the cell at p (cell_metric) for the fluxes of the hooks. Where the mesh has no axis
 * along phi, the hooks get vectors and gradients that are turned by 90 degrees (turned_fluxes). */
OAK_FN metric_t diffusive_metric(const oak_at_t *at, const real *p, const real inv_dx[3]) {
#define TURN_STATE(a, b, c) \
  turn_vector(q, a, c);     \
  for (int d = 0; d < 3; d++) turn_vector(grad[d], a, c);
#define TURN_FLUX(a, b, c) turn_vector(phi, a, OAK_PHI_OF(b, c));
  real q[NGRAD], grad[3][NGRAD], theta[NVAR] = {0}, phi[NVAR] = {0}, inverse[3];
  const oak_turn_t turn = oak_turn_of(at);
  oak_true_inverse(turn, -1, inv_dx, inverse);
  cell_gradients(at, p, inverse, q, grad);
  oak_turn_gradients(turn, q, grad);
  hook_fluxes(at, 1, q, grad, theta);
  if (OAK_PHI_AXIS) {
    hook_fluxes(at, OAK_PHI_AXIS, q, grad, phi);
    PHYSICS_VECTORS(TURN_FLUX)
  } else {
    OAK_FOR(v, NGRAD) {
      const real along_r = grad[0][v];
      grad[0][v] = grad[2][v];
      grad[2][v] = -along_r;
    }
    PHYSICS_VECTORS(TURN_STATE)
    hook_fluxes(at, 0, q, grad, phi);
  }
  return metric_of(at->state, at->block, at->cell[0], at->cell[1], theta, phi);
}

/* The flux along `dir` through the lower face of the cell at p; `at` is the place of the face. */
OAK_FN void diffusive_flux(const oak_at_t *at, const real *p, int dir, const real inv_dx[3],
                           real flux[NVAR]) {
  real q[NGRAD], grad[3][NGRAD], inverse[3];
  const oak_turn_t turn = oak_turn_of(at);
  OAK_FOR(v, NVAR) flux[v] = 0;
  oak_true_inverse(turn, dir, inv_dx, inverse);
  if (!face_gradients(at, p, dir, inverse, q, grad)) return;
  oak_turn_gradients(turn, q, grad);
  hook_fluxes(at, dir, q, grad, flux);
}
