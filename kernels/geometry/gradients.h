/* SPDX-License-Identifier: GPL-2.0-or-later
 * The geometry of diffusive fluxes: sizes of cells and gradients of vectors along the axes of the
 * mesh, and the components of vectors across walls with slip. */
#pragma once

#include "kernels/access/field.h"
#include "kernels/geometry/geometry.h"

/* Number of components of states and gradients that hooks get: variables without the mask of
 * solids, and the temperature. */
enum { NGRAD = OAK_GRADIENTS };

/* A wall with slip has no stress, so v_theta / r and v_phi / r are even across a wall at r = const,
 * and v_phi / sin(theta) is even across a wall at theta = const. No current flows along a
 * conductor, so r B_theta, r B_phi and B_phi sin(theta) of other vectors B are even. The function
 * gives 1 if variable v is such a component of the momentum, -1 if of another vector, 0 if it is
 * none; *normal: the component across the wall. */
OAK_FN int oak_wall_power(int v, int dir, int *normal) {
  int power = 0;
  *normal = 0;
#define OAK_FIND_WALL(first, second, third)                                                \
  if (v >= 0 &&                                                                            \
      (v == OAK_PHI_OF(second, third) || (OAK_CURVED > 1 && dir == 0 && v == (second)))) { \
    power = (first) == PHYSICS_NORMAL(0) ? 1 : -1;                                         \
    *normal = dir ? (second) : (first);                                                    \
  }
  PHYSICS_VECTORS(OAK_FIND_WALL)
  return OAK_COORDINATES && dir < OAK_CURVED ? power : 0;
}

/* The value of a component (oak_wall_power) at coordinate `to` over that of its mirror image at
 * `from`. */
OAK_FN real oak_wall_ratio(int power, int dir, double from, double to) {
  double sine[2] = {from, to}, cosine;
  if (dir > 0) oak_sine(from, &sine[0], &cosine), oak_sine(to, &sine[1], &cosine);
  return power == 0 ? 1 : (real)(power > 0 ? sine[1] / sine[0] : sine[0] / sine[1]);
}

/* 1 / r, cot theta and 1 / sin theta of a place; 0 at r = 0 and at the poles, where faces have no
 * area. */
typedef struct {
  real inv_r, cot, inv_sine;
} oak_turn_t;

OAK_FN oak_turn_t oak_turn_of(const oak_at_t *at) {
  oak_turn_t p = {at->x[0] > 0 ? (real)(1 / at->x[0]) : 0, 0, 1};
  double sine, cosine;
  if (OAK_COORDINATES != OAK_SPHERICAL) return p;
  oak_sine(at->x[1], &sine, &cosine);
  p.inv_sine = sine > 1e-9 ? (real)(1 / sine) : 0;
  p.cot = (real)cosine * p.inv_sine;
  return p;
}

/* 1 / the width of a cell along an angle, such that a uniform flow and solid rotation have no
 * stress in the discrete gradients: the tangent takes into account that values at a face are means
 * of two cells. */
OAK_FN real oak_angle_inverse(real inv_dx, int across) {
  double sine, cosine;
  oak_sine(0.5 / (double)inv_dx, &sine, &cosine);
  return (real)(across ? 0.5 * cosine / sine : 0.5 / (sine * cosine));
}

/* 1 / the size of a cell along each axis, from its size in coordinates. dir: differences are taken
 * across a face along this axis; -1: central differences over two cells. */
OAK_FN void oak_true_inverse(oak_turn_t p, int dir, const real inv_dx[3], real out[3]) {
  OAK_FOR(d, 3) {
    out[d] = inv_dx[d];
    if (d < OAK_DIM && oak_is_arc(d, 0)) out[d] = oak_angle_inverse(inv_dx[d], d == dir) * p.inv_r;
    if (oak_is_arc(d, 1)) out[d] *= p.inv_sine;
  }
  if (!OAK_LOG_RADIUS) return;
  /* The size along r, from its size in ln r. */
  double sinh_half, cosh_half;
  oak_hyperbolic(0.5 / (double)inv_dx[0], &sinh_half, &cosh_half);
  const double cells = dir == 0 ? sinh_half / cosh_half : sinh_half * cosh_half;
  out[0] = p.inv_r * (real)(0.5 / cells);
}

/* Add to the gradients of vectors along theta and phi the terms of the unit vectors, which change
 * along these axes: per radian, component `a` turns into `along`. */
OAK_FN void oak_turn_along(int axis, int a, int along, real inverse, const real q[NGRAD],
                           real grad[3][NGRAD]) {
  if (along < 0) return;
  grad[axis][a] -= inverse * q[along];
  grad[axis][along] += inverse * q[a];
}

OAK_FN void oak_turn_gradients(oak_turn_t p, const real q[NGRAD], real grad[3][NGRAD]) {
#define OAK_TURN_VECTOR(a, b, c)                                                      \
  if (OAK_COORDINATES == OAK_SPHERICAL) {                                             \
    oak_turn_along(1, a, b, p.inv_r, q, grad);                                        \
    oak_turn_along(2, a, c, p.inv_r, q, grad);                                        \
    oak_turn_along(2, b, c, p.inv_r *p.cot, q, grad);                                 \
  } else {                                                                            \
    oak_turn_along(OAK_PHI_IS_SECOND ? 1 : 2, a, OAK_PHI_OF(b, c), p.inv_r, q, grad); \
  }
  if (!OAK_COORDINATES) return;
  PHYSICS_VECTORS(OAK_TURN_VECTOR)
}
