/* SPDX-License-Identifier: GPL-2.0-or-later
 * The flux of the hooks DIFFUSIVE_FLUX through a face, from copies of blocks with one layer of
 * ghost cells (oak_primitive in kernels/diffusion/diffusion.c). */
#ifndef OAK_DIFFUSIVE_FLUX_H
#define OAK_DIFFUSIVE_FLUX_H

#include "kernels/flux/common.h"

#define WIDE_X (OAK_NX + 2)
#define WIDE_Y (OAK_NY + 2)
#define WIDE_Z (OAK_DIM == 3 ? OAK_NZ + 2 : 1)
#define WIDE_CELLS (WIDE_X * WIDE_Y * WIDE_Z)
#define WIDE_STRIDE(dir) ((dir) == 0 ? 1 : (dir) == 1 ? WIDE_X : WIDE_X * WIDE_Y)
/* Where cell (i, j, k) of a block is; in 2D k = 0. */
#define WIDE_INDEX(i, j, k) ((((k) + OAK_DIM - 2) * WIDE_Y + (j) + 1) * WIDE_X + (i) + 1)

/* The components of states and gradients that hooks get: all but the mask of solids. */
enum { NGRAD = PHYSICS_NVAR + NSCALARS };

#if OAK_COORDINATES
/* A wall with slip has no stress. Where a wall is at r = const, v_theta / r and v_phi / r are
 * therefore even across it, and v_phi / sin(theta) is where it is at theta = const. This is that r
 * or sin(theta) at a step of the mesh from the coordinate x. */
OAK_FN double slip_arm(int dir, double x, double step) {
  double sine, cosine;
  if (dir == 0) return oak_moved(0, x, step);
  oak_sine(x + step, &sine, &cosine);
  return sine;
}
#endif

#if NSOLID
/* The factor of such components in a mirror image: places are in cells from at->x along `dir`. */
OAK_FN real slip_ratio(const oak_at_t *at, int dir, double from, double to) {
#if OAK_COORDINATES
  const double dx = oak_dx(at->state, at->level, dir);
  if (!OAK_NO_SLIP && dir < OAK_CURVED)
    return (real)(slip_arm(dir, at->x[dir], to * dx) / slip_arm(dir, at->x[dir], from * dx));
#endif
  (void)at, (void)dir, (void)from, (void)to;
  return 1;
}

/* The mirror image of a state across a wall normal to `dir`. */
OAK_FN void wall_image(const oak_at_t *at, int dir, double from, double to, const real q[NGRAD],
                       real image[NGRAD]) {
  const real ratio = slip_ratio(at, dir, from, to);
  OAK_UNROLL
  for (int v = 0; v < NGRAD; v++)
    image[v] = oak_mirror_sign(v, dir) * (oak_has_arm(v, dir) ? ratio : 1) * q[v];
#if OAK_HAS_physics_wall
  physics_wall(&at->ph, image);
#else
  (void)at;
#endif
}

/* The states on both sides of the face below the cell at p, with a mirror image in the place of one
 * that is solid. The lower cell is `place` cells from at->x along `dir`. 1 if both are solid. */
OAK_FN int face_pair(const oak_at_t *at, const real *p, int dir, double place, real low[NGRAD],
                     real high[NGRAD]) {
  const int back = WIDE_STRIDE(dir);
  const int below = oak_is_solid(p[SOLID_VAR * WIDE_CELLS - back]);
  const int above = oak_is_solid(p[SOLID_VAR * WIDE_CELLS]);
  OAK_UNROLL
  for (int v = 0; v < NGRAD; v++) low[v] = p[v * WIDE_CELLS - back], high[v] = p[v * WIDE_CELLS];
  if (below && !above) wall_image(at, dir, place + 1, place, high, low);
  if (above && !below) wall_image(at, dir, place, place + 1, low, high);
  return below && above;
}

/* The same for the face beside this one, at a step `s` along axis `d`. If both of its cells are
 * solid, the states are mirror images of those at this face. */
OAK_FN void pair_beside(const oak_at_t *at, const real *p, int dir, int d, int s,
                        const real near_low[NGRAD], const real near_high[NGRAD], real low[NGRAD],
                        real high[NGRAD]) {
  if (!face_pair(at, p + s, dir, -0.5, low, high)) return;
  wall_image(at, d, 0, s < 0 ? -1 : 1, near_low, low);
  wall_image(at, d, 0, s < 0 ? -1 : 1, near_high, high);
}

/* The state at the lower face of the cell at p and its gradients; 0 if both sides are solid. */
OAK_FN int face_gradients(const oak_at_t *at, const real *p, int dir, const real inv_dx[3],
                          real q[NGRAD], real grad[3][NGRAD]) {
  real low[NGRAD], high[NGRAD], side[2][2][NGRAD];
  if (face_pair(at, p, dir, -0.5, low, high)) return 0;
  OAK_UNROLL
  for (int v = 0; v < NGRAD; v++) {
    q[v] = (real)0.5 * (low[v] + high[v]);
    grad[2][v] = 0;
    grad[dir][v] = (high[v] - low[v]) * inv_dx[dir];
  }
  OAK_UNROLL
  for (int d = 0; d < OAK_DIM; d++) {
    if (d == dir) continue;
    OAK_UNROLL
    for (int n = 0; n < 2; n++)
      pair_beside(at, p, dir, d, (2 * n - 1) * WIDE_STRIDE(d), low, high, side[n][0], side[n][1]);
    OAK_UNROLL
    for (int v = 0; v < NGRAD; v++)
      grad[d][v] = (real)0.25 *
                   ((side[1][0][v] - side[0][0][v]) + (side[1][1][v] - side[0][1][v])) * inv_dx[d];
  }
  return 1;
}
#else
OAK_FN int face_gradients(const oak_at_t *at, const real *p, int dir, const real inv_dx[3],
                          real q[NGRAD], real grad[3][NGRAD]) {
  const int back = WIDE_STRIDE(dir);
  (void)at;
  OAK_UNROLL
  for (int v = 0; v < NGRAD; v++) {
    const real *r = p + v * WIDE_CELLS;
    q[v] = (real)0.5 * (r[-back] + r[0]);
    grad[2][v] = 0;
    OAK_UNROLL
    for (int d = 0; d < OAK_DIM; d++) {
      const int s = WIDE_STRIDE(d);
      grad[d][v] = d == dir
                       ? (r[0] - r[-back]) * inv_dx[d]
                       : (real)0.25 * ((r[s - back] - r[-s - back]) + (r[s] - r[-s])) * inv_dx[d];
    }
  }
  return 1;
}
#endif

/* The fluxes of the hooks along `dir`. */
OAK_FN void hook_fluxes(const oak_at_t *at, int dir, const real q[NGRAD], real grad[3][NGRAD],
                        real flux[NVAR]) {
#if OAK_HAS_physics_diffusive_flux
  physics_diffusive_flux(at, dir, q, grad, flux);
#endif
#if OAK_HAS_problem_diffusive_flux
  problem_diffusive_flux(at, dir, q, grad, flux);
#endif
}

#if OAK_COORDINATES
/* 1 / r, cot theta and 1 / sin theta of a place. They are 0 at r = 0 and at the poles, where faces
 * have no area. */
typedef struct {
  real inv_r, cot, inv_sine;
} place_t;

OAK_FN place_t place_of(const oak_at_t *at) {
  place_t p = {at->x[0] > 0 ? (real)(1 / at->x[0]) : 0, 0, 1};
#if OAK_COORDINATES == OAK_SPHERICAL
  double sine, cosine;
  oak_sine(at->x[1], &sine, &cosine);
  p.inv_sine = sine > 1e-9 ? (real)(1 / sine) : 0;
  p.cot = (real)cosine * p.inv_sine;
#endif
  return p;
}

/* 1 / the width of a cell along an angle, such that a uniform flow and solid rotation have no
 * stress in the discrete gradients. Values at a face are means of two cells, which the tangent
 * takes into account. */
OAK_FN real angle_inverse(real inv_dx, int across) {
  double sine, cosine;
  oak_sine(0.5 / (double)inv_dx, &sine, &cosine);
  return (real)(across ? 0.5 * cosine / sine : 0.5 / (sine * cosine));
}

/* 1 / the size of a cell along each axis, from that in coordinates. dir: differences are those
 * across a face along this axis; -1: they are central differences over two cells. */
OAK_FN void true_inverse(place_t p, int dir, const real inv_dx[3], real out[3]) {
  OAK_UNROLL
  for (int d = 0; d < 3; d++) {
    out[d] = inv_dx[d];
    if (d < OAK_DIM && oak_is_arc(d, 0)) out[d] = angle_inverse(inv_dx[d], d == dir) * p.inv_r;
    if (oak_is_arc(d, 1)) out[d] *= p.inv_sine;
  }
#if OAK_LOG_RADIUS
  /* The same for ln r. */
  double sinh_half, cosh_half;
  oak_hyperbolic(0.5 / (double)inv_dx[0], &sinh_half, &cosh_half);
  const double cells = dir == 0 ? sinh_half / cosh_half : sinh_half * cosh_half;
  out[0] = p.inv_r * (real)(0.5 / cells);
#endif
}

/* The state of the cell at p and its gradients along the axes of the mesh. */
OAK_FN void cell_gradients(const oak_at_t *at, const real *p, const real inv_dx[3], real q[NGRAD],
                           real grad[3][NGRAD]) {
  (void)at;
  OAK_UNROLL
  for (int v = 0; v < NGRAD; v++) q[v] = p[v * WIDE_CELLS], grad[2][v] = 0;
  OAK_UNROLL
  for (int d = 0; d < OAK_DIM; d++) {
    const int step = WIDE_STRIDE(d);
#if NSOLID
    real low[NGRAD], high[NGRAD], here[NGRAD];
    face_pair(at, p, d, -1, low, here);
    face_pair(at, p + step, d, 0, here, high);
    OAK_UNROLL
    for (int v = 0; v < NGRAD; v++) grad[d][v] = (real)0.5 * (high[v] - low[v]) * inv_dx[d];
#else
    OAK_UNROLL
    for (int v = 0; v < NGRAD; v++)
      grad[d][v] = (real)0.5 * (p[v * WIDE_CELLS + step] - p[v * WIDE_CELLS - step]) * inv_dx[d];
#endif
  }
}

/* Add to the gradients of vectors along theta and phi what they have because the unit vectors
 * change along these axes. */
OAK_FN void turn_gradients(place_t p, const real q[NGRAD], real grad[3][NGRAD]) {
  (void)p, (void)q, (void)grad;
#define TURN_ALONG(axis, a, along)     \
  grad[axis][a] -= p.inv_r * q[along]; \
  grad[axis][along] += p.inv_r * q[a];
#if OAK_COORDINATES == OAK_SPHERICAL
#define TURN_GRADIENT(a, b, c)          \
  TURN_ALONG(1, a, b)                   \
  TURN_ALONG(2, a, c)                   \
  grad[2][b] -= p.inv_r * p.cot * q[c]; \
  grad[2][c] += p.inv_r * p.cot * q[b];
#else
#define TURN_GRADIENT(a, b, c) TURN_ALONG(OAK_PHI_IS_SECOND ? 1 : 2, a, OAK_PHI_OF(b, c))
#endif
  PHYSICS_VECTORS(TURN_GRADIENT)
}

/* As turned_fluxes, for the hooks. Where the mesh has no axis along phi, they get vectors and
 * gradients that are turned by 90 degrees: their axis r is the axis phi, and their phi is -r. */
OAK_FN void turned_diffusion(const oak_at_t *at, real q[NGRAD], real grad[3][NGRAD],
                             real phi[NVAR]) {
#define TURN_PAIR(x, r, phi)   \
  {                            \
    const real along_r = x[r]; \
    x[r] = x[phi];             \
    x[phi] = -along_r;         \
  }
#if OAK_PHI_AXIS
#define TURN_ALL(a, b, c) TURN_PAIR(phi, a, OAK_PHI_OF(b, c))
  hook_fluxes(at, OAK_PHI_AXIS, q, grad, phi);
  PHYSICS_VECTORS(TURN_ALL)
#else
  OAK_UNROLL
  for (int v = 0; v < NGRAD; v++) {
    const real along_r = grad[0][v];
    grad[0][v] = grad[2][v];
    grad[2][v] = -along_r;
  }
#define TURN_ALL(a, b, c) \
  TURN_PAIR(q, a, c)      \
  for (int d = 0; d < 3; d++) TURN_PAIR(grad[d], a, c)
  PHYSICS_VECTORS(TURN_ALL)
  hook_fluxes(at, 0, q, grad, phi);
#endif
}

/* As cell_metric, for the fluxes of the hooks in the cell at p. */
OAK_FN metric_t diffusive_metric(const oak_diffusion_args_t *arg, long block, int i, int j,
                                 const oak_at_t *at, const real *p, const real inv_dx[3]) {
  metric_t m;
  real q[NGRAD], grad[3][NGRAD], theta[NVAR] = {0}, phi[NVAR] = {0}, inverse[3];
  const place_t place = place_of(at);
  m.areas = oak_areas(&arg->f, block, i, j);
  true_inverse(place, -1, inv_dx, inverse);
  cell_gradients(at, p, inverse, q, grad);
  turn_gradients(place, q, grad);
  if (OAK_COORDINATES == OAK_SPHERICAL) hook_fluxes(at, 1, q, grad, theta);
  turned_diffusion(at, q, grad, phi);
  take_terms(&m, theta, phi);
  return m;
}
#endif

/* The flux along `dir` through the lower face of the cell at p; `at` is the place of the face. */
OAK_FN void diffusive_flux(const oak_at_t *at, const real *p, int dir, const real inv_dx[3],
                           real flux[NVAR]) {
  real q[NGRAD], grad[3][NGRAD];
  OAK_UNROLL
  for (int v = 0; v < NVAR; v++) flux[v] = 0;
#if OAK_COORDINATES
  const place_t place = place_of(at);
  real inverse[3];
  true_inverse(place, dir, inv_dx, inverse);
  if (!face_gradients(at, p, dir, inverse, q, grad)) return;
  turn_gradients(place, q, grad);
#else
  if (!face_gradients(at, p, dir, inv_dx, q, grad)) return;
#endif
  hook_fluxes(at, dir, q, grad, flux);
}

#endif
