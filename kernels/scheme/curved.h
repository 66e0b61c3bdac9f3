/* SPDX-License-Identifier: GPL-2.0-or-later
 * Metric terms: the divergence of fluxes in the coordinates of the mesh, from the areas and volumes
 * of kernels/geometry/geometry.h. In Cartesian coordinates there are none.
 *
 * The unit vectors along r, theta and phi turn from place to place, so the components of a vector
 * have rates of change beside the divergence of their fluxes. Let T_ab be the flux along a of the
 * component along b, that is the FLUX of the cell average (r, t: theta, p: phi). These rates are
 *
 *   r:      (T_tt + T_pp) / r        without theta: T_pp / r
 *   theta:  (-T_tr + T_pp cot theta) / r
 *   phi:    (-T_pr - T_pt cot theta) / r
 *
 * These rates are written with the areas of faces: the fluxes F through both faces across r or
 * theta enter as F - S. With uniform pressure F and S are equal, so a gas at rest stays at rest.
 * The factors of both faces (oak_areas_t), divided by the size of the cell, differ across r by 1 /
 * r in (r, z) and polar coordinates, so S is T_pp. In spherical coordinates they differ across r by
 * 2 / r, so S is half of the terms without cot, and across theta by cot theta / r.
 *
 * Momentum along phi, and momentum along theta across r, has no S (oak_has_arm). Its fluxes are
 * multiplied by the arm of the face, its distance from the axis: this is the balance of angular
 * momentum, which has no such term because T is symmetric. T of other vectors, such as a magnetic
 * field, is not symmetric, so they keep all terms.
 *
 * The hook FACE_SIDES may take a part off F, and T must lose the same part: turned_fluxes does this
 * in polar coordinates. In all other curved coordinates oak refuses PHYSICS_SIDES
 * (src/setup/coordinates.c). */
#pragma once

#include "kernels/hooks/user.h"

/* metric_t: data of a cell for the divergence of fluxes. */
typedef struct {
  oak_areas_t areas;
  real balance[OAK_CURVED][NVAR]; /* S, across r and theta */
} metric_t;

/* Turn a vector by 90 degrees: new r = old phi, new phi = -old r. If a vector has no component
 * along phi (-1), old phi is 0. */
OAK_FN void turn_vector(real x[], int r, int phi) {
  const real along_r = x[r];
  x[r] = phi < 0 ? 0 : x[OAK_MAX(phi, 0)];
  if (phi >= 0) x[OAK_MAX(phi, 0)] = -along_r;
}

/* Turned fluxes: the fluxes T along phi with turned components: T_pp in the place of r, T_pt of
 * theta, -T_pr of phi. Where the mesh has no axis along phi, they are the flux along r of the state
 * whose vectors are turned. */
OAK_FN void turned_fluxes(const physics_parameters_t *ph, const real q[], real turned[]) {
#define TURN(r, second, third) \
  turn_vector(OAK_PHI_AXIS ? turned : state, r, OAK_PHI_AXIS ? OAK_PHI_OF(second, third) : (third));
  real state[NVAR], side[2][PHYSICS_SIDES + 1];
  OAK_FOR(v, NVAR) state[v] = q[v];
  if (OAK_PHI_AXIS) {
    physics_flux(ph, q, OAK_PHI_AXIS, turned);
    physics_face_sides(ph, q, q, q, q, OAK_PHI_AXIS, turned, side[0], side[1]);
  }
  PHYSICS_VECTORS(TURN)
  if (!OAK_PHI_AXIS) physics_flux(ph, state, 0, turned);
  (void)side;
}

/* Set S of the vector with the components a, b, c from the fluxes theta[] along theta and the
 * turned fluxes phi[] along phi. */
OAK_FN void take_vector(metric_t *m, int a, int b, int c, const real theta[], const real phi[]) {
  real *r = m->balance[0], *t = m->balance[OAK_CURVED - 1];
  const int third = OAK_COORDINATES == OAK_SPHERICAL ? c : OAK_PHI_OF(b, c), p = OAK_MAX(third, 0);
  if (OAK_COORDINATES == OAK_SPHERICAL) {
    r[a] = (real)0.5 * (theta[b] + phi[a]);
    r[b] = (real)-0.5 * theta[a];
    t[b] = phi[a];
    if (third >= 0) r[p] = (real)0.5 * phi[p], t[p] = -phi[b];
  } else {
    r[a] = phi[a];
    if (third >= 0) r[p] = phi[p];
  }
}

/* The metric of cell (i, j) of a block, with S from fluxes along theta and turned fluxes. */
OAK_FN metric_t metric_of(const oak_field_t *f, long block, int i, int j, const real theta[],
                          const real phi[]) {
#define TAKE(r, second, third) take_vector(&m, r, second, third, theta, phi);
  metric_t m;
  m.areas = oak_areas(f, block, i, j);
  OAK_FOR(a, OAK_CURVED)
    OAK_FOR(v, NVAR) m.balance[a][v] = 0;
  PHYSICS_VECTORS(TAKE)
  return m;
}

/* The metric of cell (i, j) of a block with the primitive state q[]. */
OAK_FN metric_t cell_metric(const oak_field_t *f, const physics_parameters_t *ph, long block, int i,
                            int j, const real q[]) {
  real theta[NVAR] = {0}, phi[NVAR] = {0};
  if (OAK_COORDINATES) turned_fluxes(ph, q, phi);
  if (OAK_COORDINATES == OAK_SPHERICAL) physics_flux(ph, q, 1, theta);
  return metric_of(f, block, i, j, theta, phi);
}

/* The net flux of variable v through both faces across `dir`: what enters less what leaves. */
OAK_FN sum_t net_flux(const metric_t *m, int v, int dir, real lower, real upper) {
  if (!OAK_COORDINATES) return (sum_t)lower - (sum_t)upper;
  const real low = oak_face_factor(&m->areas, v, dir, 0);
  const real high = oak_face_factor(&m->areas, v, dir, 1);
  if (dir >= OAK_CURVED) return (lower - upper) * low;
  const real balance = oak_has_arm(v, dir) ? 0 : m->balance[OAK_MIN(dir, OAK_CURVED - 1)][v];
  return (lower - balance) * low - (upper - balance) * high;
}

/* A speed across `dir`, divided by the size of the cell. inv_dx: 1 / its size in coordinates. */
OAK_FN real per_size(const metric_t *m, int dir, real speed, real inv_dx) {
  if (!OAK_COORDINATES) return speed * inv_dx;
  if (OAK_CURVED == 1 && !OAK_LOG_RADIUS && dir == 0)
    return speed * inv_dx; /* the mean of the areas 1 - s and 1 + s, s = dr / (2 r), is 1 */
  return speed * ((real)0.5 * (m->areas.face[dir][0] + m->areas.face[dir][1]) * inv_dx);
}

/* The turning rate: a diffusivity d makes components of vectors decay at the rate d / axis^2,
 * because their unit vectors turn; `axis` is the distance from the axis. An Euler step is stable up
 * to 2 / this rate. The rate is therefore halved, as the fastest decay is in diffusion_rate (2 d /
 * dx^2). */
OAK_FN double turning_rate(const oak_at_t *at, double d) {
  double sine = 1, cosine;
  if (OAK_COORDINATES == OAK_SPHERICAL) oak_sine(at->x[1], &sine, &cosine);
  const double axis = at->x[0] * sine;
  return OAK_COORDINATES && 0 PHYSICS_VECTORS(OAK_COUNT_ONE) > 0 ? d / (2 * axis * axis) : 0;
}
