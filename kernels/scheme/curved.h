/* SPDX-License-Identifier: GPL-2.0-or-later
 * Metric terms: the divergence of fluxes in the coordinates of the mesh, from the areas and volumes
 * of kernels/geometry/geometry.h. In Cartesian coordinates there are none.
 *
 * The unit vectors along r, theta and phi turn from place to place, so the components of a vector
 * have rates of change beside the divergence of their fluxes. Let T_ab be the flux along a of the
 * component along b. These rates are
 *
 *   r:      (T_theta,theta + T_phi,phi) / r        without theta: T_phi,phi / r
 *   theta:  (-T_theta,r + T_phi,phi cot theta) / r
 *   phi:    (-T_phi,r - T_phi,theta cot theta) / r
 *
 * T of the cell is the FLUX of the physics. These terms are written with the areas of faces: the
 * fluxes through both faces across r or theta enter as F - T. With uniform pressure F and T are
 * equal, so a gas at rest stays so. The momentum along phi, and that along theta across r, needs no
 * term: its fluxes enter with their distance from the axis, because T is symmetric. */
#pragma once

#include "kernels/scheme/faces.h"

typedef struct {
  oak_areas_t areas;
  real turned[OAK_CURVED][NVAR]; /* T, across r and theta */
} metric_t;

/* Turn a vector by 90 degrees: its component r becomes that along phi, its component phi -r. A
 * vector without a component along phi (-1) has 0. */
OAK_FN void turn_vector(real x[], int r, int phi) {
  const real along_r = x[r];
  x[r] = phi < 0 ? 0 : x[OAK_MAX(phi, 0)];
  if (phi >= 0) x[OAK_MAX(phi, 0)] = -along_r;
}

/* The terms of a vector's components by fluxes along phi: T_phi,phi for r, T_phi,theta for theta,
 * -T_phi,r for phi. Where the mesh has no axis along phi, this is the flux along r of the state
 * whose vectors are turned by 90 degrees. */
OAK_FN void turned_fluxes(const physics_parameters_t *ph, const real q[], real turned[]) {
#define TURN(r, second, third) \
  turn_vector(OAK_PHI_AXIS ? turned : state, r, OAK_PHI_AXIS ? OAK_PHI_OF(second, third) : (third));
  real state[NVAR], side[2][PHYSICS_SIDES + 1]; /* FACE_SIDES takes its part off, as at faces */
  OAK_FOR(v, NVAR) state[v] = q[v];
  if (OAK_PHI_AXIS) {
    physics_flux(ph, q, OAK_PHI_AXIS, turned);
    physics_face_sides(ph, q, q, q, q, OAK_PHI_AXIS, turned, side[0], side[1]);
  }
  PHYSICS_VECTORS(TURN)
  if (!OAK_PHI_AXIS) physics_flux(ph, state, 0, turned);
  (void)side;
}

/* T of a vector (r, second, third) from the fluxes along theta, and from the terms by those along
 * phi (turned_fluxes). */
OAK_FN void take_vector(metric_t *m, int a, int b, int c, const real theta[], const real phi[]) {
  real *r = m->turned[0], *t = m->turned[OAK_CURVED - 1];
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

OAK_FN metric_t metric_of(const oak_field_t *f, long block, int i, int j, const real theta[],
                          const real phi[]) {
#define TAKE(r, second, third) take_vector(&m, r, second, third, theta, phi);
  metric_t m;
  m.areas = oak_areas(f, block, i, j);
  OAK_FOR(v, NVAR) m.turned[0][v] = m.turned[OAK_CURVED - 1][v] = 0;
  PHYSICS_VECTORS(TAKE)
  return m;
}

/* Of cell (i, j) of a block with the primitive state q[]. */
OAK_FN metric_t cell_metric(const oak_field_t *f, const physics_parameters_t *ph, long block, int i,
                            int j, const real q[]) {
  real theta[NVAR] = {0}, phi[NVAR] = {0};
  if (OAK_COORDINATES) turned_fluxes(ph, q, phi);
  if (OAK_COORDINATES == OAK_SPHERICAL) physics_flux(ph, q, 1, theta);
  return metric_of(f, block, i, j, theta, phi);
}

/* The fluxes of variable v through both faces across `dir`: what enters less what leaves. */
OAK_FN sum_t net_flux(const metric_t *m, int v, int dir, real lower, real upper) {
  if (!OAK_COORDINATES) return (sum_t)lower - (sum_t)upper;
  const real low = oak_face_factor(&m->areas, v, dir, 0);
  const real high = oak_face_factor(&m->areas, v, dir, 1);
  if (dir >= OAK_CURVED) return (lower - upper) * low;
  const real turned = oak_has_arm(v, dir) ? 0 : m->turned[OAK_MIN(dir, OAK_CURVED - 1)][v];
  return (lower - turned) * low - (upper - turned) * high;
}

/* A speed across `dir`, divided by the size of the cell. inv_dx: 1 / its size in coordinates. */
OAK_FN real per_size(const metric_t *m, int dir, real speed, real inv_dx) {
  if (!OAK_COORDINATES) return speed * inv_dx;
  if (OAK_CURVED == 1 && !OAK_LOG_RADIUS && dir == 0)
    return speed * inv_dx; /* the mean of 1 - s and 1 + s is 1 */
  return speed * ((real)0.5 * (m->areas.face[dir][0] + m->areas.face[dir][1]) * inv_dx);
}

/* The rate of the terms v / axis^2 by which a diffusivity d couples the components of vectors. */
OAK_FN double turning_rate(const oak_at_t *at, double d) {
#define COUNT_VECTOR(r, second, third) +1
  double sine = 1, cosine;
  if (OAK_COORDINATES == OAK_SPHERICAL) oak_sine(at->x[1], &sine, &cosine);
  const double axis = at->x[0] * sine;
  return OAK_COORDINATES && 0 PHYSICS_VECTORS(COUNT_VECTOR) > 0 ? d / (2 * axis * axis) : 0;
}
