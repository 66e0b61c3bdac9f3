/* SPDX-License-Identifier: GPL-2.0-or-later
 * A row of cells with the neighbours across every axis, for interpolation and refinement criteria.
 * A row runs along one axis of a block, where cells are simple to address; only its neighbours may
 * be ghost cells. */
#pragma once

#include "kernels/access/field.h"
#include "kernels/geometry/geometry.h"
#include "numerics/limiters.h"

typedef struct {
  int axis;                  /**< the row's axis */
  const store_t *c;          /**< cell 0 of the row */
  int sc;                    /**< stride along the row */
  real below, above;         /**< ghost values beyond both ends */
  const store_t *side[3][2]; /**< [other axis][lower, upper]: cell 0 of the rows beside */
  int ss[3][2];              /**< strides of side */
} oak_row_t;

/* First cell and stride of the row along `axis` through x[] (x[axis] = 0); it may be a ghost row.
 */
OAK_FN const store_t *oak_row_start(const oak_field_t *f, int components, long block, int v,
                                    int axis, const int x[3], int *stride) {
  OAK_FOR(dir, OAK_DIM) {
    if (x[dir] >= 0 && x[dir] < OAK_ALONG(dir)) continue;
    const int above = x[dir] >= OAK_ALONG(dir);
    const oak_side_t s = oak_side_of(f, components, block, 2 * dir + above);
    const int layer = above ? x[dir] - OAK_ALONG(dir) : x[dir] + OAK_NG;
    const int first = dir == 0 ? 1 : 0, second = dir == 2 ? 1 : 2;
    *stride = axis == first ? s.sa : s.sb;
    return s.p + (long long)v * s.sv + layer * s.sn + x[first] * s.sa +
           (OAK_DIM == 3 ? x[second] * s.sb : 0);
  }
  *stride = OAK_STRIDE(axis);
  return f->u + ((long long)block * oak_stored(f, components) + v) * OAK_CELLS +
         OAK_INDEX(x[0], x[1], x[2]);
}

/* Value of component v of a cell or ghost cell. */
OAK_FN real oak_row_value(const oak_field_t *f, int components, long block, int v, const int x[3]) {
  int stride;
  return oak_cell_of(f, components, block, x[0], x[1], x[2], &stride)[(long long)v * stride];
}

/* The row of component v along `axis` through interior cell x[] (x[axis] is ignored). */
OAK_FN oak_row_t oak_row_of(const oak_field_t *f, int components, long block, int v, int axis,
                            const int x[3]) {
  oak_row_t row;
  int y[3] = {x[0], x[1], x[2]};
  y[axis] = 0;
  row.axis = axis;
  row.c = oak_row_start(f, components, block, v, axis, y, &row.sc);
  y[axis] = -1;
  row.below = oak_row_value(f, components, block, v, y);
  y[axis] = OAK_ALONG(axis);
  row.above = oak_row_value(f, components, block, v, y);
  y[axis] = 0;
  OAK_FOR(dir, OAK_DIM) {
    row.side[dir][0] = row.side[dir][1] = row.c;
    row.ss[dir][0] = row.ss[dir][1] = row.sc;
    if (dir == axis) continue;
    y[dir] = x[dir] - 1;
    row.side[dir][0] = oak_row_start(f, components, block, v, axis, y, &row.ss[dir][0]);
    y[dir] = x[dir] + 1;
    row.side[dir][1] = oak_row_start(f, components, block, v, axis, y, &row.ss[dir][1]);
    y[dir] = x[dir];
  }
  return row;
}

/* The row of variable v of the solution. */
OAK_FN oak_row_t oak_row(const oak_field_t *f, long block, int v, int axis, const int x[3]) {
  return oak_row_of(f, NVAR, block, v, axis, x);
}

/* Neighbours of cell a of a row, below and above along `dir`. */
OAK_FN void oak_row_neighbours(const oak_row_t *row, int dir, int a, real *below, real *above) {
  if (dir == row->axis) {
    const int last = OAK_ALONG(dir) - 1;
    const real lower = row->c[(a > 0 ? a - 1 : 0) * row->sc];
    const real upper = row->c[(a < last ? a + 1 : last) * row->sc];
    *below = a > 0 ? lower : row->below;
    *above = a < last ? upper : row->above;
  } else {
    *below = row->side[dir][0][a * row->ss[dir][0]];
    *above = row->side[dir][1][a * row->ss[dir][1]];
  }
}

/** The theta of slopes of a field: 0 makes the slopes 0, so coarse values are copied. */
OAK_FN real interpolation_theta(int interpolation, double theta) {
  return interpolation == OAK_INTERPOLATE_COPY ? (real)0 : (real)theta;
}

/** Limited slopes of cell a, per cell width (paper, eq. gminmod). */
OAK_FN real oak_row_slopes(const oak_row_t *row, int a, real theta, real slope[3]) {
  const real u = row->c[a * row->sc];
  OAK_FOR(dir, OAK_DIM) {
    real below, above;
    oak_row_neighbours(row, dir, a, &below, &above);
    slope[dir] = limiter_gminmod(u - below, above - u, theta);
  }
  return u;
}

/** Value of the fine cell on the `upper[d]` side of a coarse cell along each axis.
 *
 * The value is not negative if the coarse cell u and its neighbours are not negative, and if theta
 * <= 4/d, that is 2 in 2D and 4/3 in 3D (paper, appendix "Coefficients for prolongation"). The
 * reason: a slope is at most theta times the difference to a lower neighbour, hence at most theta
 * u, so d slopes subtract at most d theta u / 4. The bound is reached with 0 on one side and a
 * large value on the other side, along every axis: with theta = 1.5 in 3D, u = 1 gives 1 - 9/8 =
 * -1/8. Rounding does not make a value negative, because all operations are monotonic: for every
 * theta of at most 4/d, d theta u is rounded to 4 u at most, and u - u = 0. (4/3 rounded up to
 * single precision gives values down to -1.2e-7 u.)
 *
 * In other coordinates, the slopes lead from the centroid of the coarse cell to the centroids of
 * its parts, so that the mean by volume of the parts is u. Values are never negative for theta up
 * to 1.6 in 2D and 1.1 in 3D: beside r = 0 the centroid of the inner part is up to 3/8 of a cell
 * away. */
OAK_FN real oak_prolong(real u, const real slope[3], const int upper[3], oak_parts_t g) {
  real value = u, arm = 1, sum = 0;
  if (!OAK_COORDINATES) {
    OAK_FOR(dir, OAK_DIM) sum += upper[dir] ? slope[dir] : -slope[dir];
    return u + (real)0.25 * sum;
  }
  OAK_FOR(dir, OAK_DIM)
    value += dir < OAK_CURVED
                 ? oak_step_along(&g, OAK_MIN(dir, OAK_CURVED - 1), upper[dir], u, slope[dir])
                 : (real)0.25 * (upper[dir] ? slope[dir] : -slope[dir]);
  OAK_FOR(dir, OAK_CURVED) arm *= g.arm[dir][upper[dir]];
  return oak_div(value, arm);
}

/** Scalars of interpolated cells may be outside of their bounds, or have a sum other than one. If
 * one of the fine cells has such scalars, all fine cells get the X of the coarse cell. The average
 * of rho X does not change. */
OAK_FN void oak_keep_scalars(const physics_parameters_t *ph, const store_t *coarse, store_t *p,
                             int stride, const int offset[], int n) {
  int invalid = 0;
  real q[NVAR];
  if (!NSCALARS || !OAK_SCALAR_VALUES) return;
  for (int e = 0; e < n; e++) {
    oak_load(p + offset[e], stride, q);
    invalid |= !oak_scalars_within(ph, q, 0, oak_scalar_rounding());
  }
  if (!invalid) return;
  for (int v = PHYSICS_NVAR; v < PHYSICS_NVAR + NSCALARS; v++) {
    const real x = oak_scalar_of(ph, coarse[PHYSICS_MASS * OAK_CELLS], coarse[v * OAK_CELLS]);
    for (int e = 0; e < n; e++)
      p[offset[e] + v * stride] = (store_t)(x * p[offset[e] + PHYSICS_MASS * stride]);
  }
}

/** Interpolation limits every variable separately, which may leave cold, fast gas with a negative
 * pressure. If one of the `n` fine cells of a coarse cell is invalid, all of them get the state of
 * the coarse cell, so their average does not change. The momentum along phi gets the factor that
 * keeps the angular momentum; `span` is the span of the coarse cell. `offset` leads from p to each
 * fine cell, `stride` to the next variable. */
OAK_FN void oak_keep_valid(const physics_parameters_t *ph, oak_span_t span, const store_t *coarse,
                           store_t *p, int stride, const int offset[], int n) {
  int invalid = 0;
  real q[NVAR];
  for (int e = 0; e < n; e++) {
    oak_load(p + offset[e], stride, q);
    invalid |= !physics_valid(ph, q);
  }
  if (!invalid) {
    oak_keep_scalars(ph, coarse, p, stride, offset, n);
    return;
  }
  oak_load(coarse, OAK_CELLS, q);
  for (int v = 0; v < NVAR; v++)
    if (oak_is_angular(v)) q[v] = oak_div(q[v], oak_mean_arm(span));
  for (int e = 0; e < n; e++)
    for (int v = 0; v < NVAR; v++) p[offset[e] + v * stride] = (store_t)q[v];
}

#if OAK_HAS_physics_to_smooth || OAK_HAS_FIXED
#if OAK_HAS_physics_to_smooth
/* The shares of the fine cells in the volume of a coarse cell. */
OAK_FN void oak_shares(oak_span_t span, real share[]) {
  OAK_FOR(e, 1 << OAK_DIM) {
    share[e] = (real)(1.0 / (1 << OAK_DIM));
    const oak_parts_t g = oak_parts(span, 0);
    OAK_FOR(d, OAK_COORDINATES ? OAK_CURVED : 0)
      share[e] *= e >> d & 1 ? 1 + g.more[d] : 1 - g.more[d];
  }
}

/** Convert a state to smooth variables: TO_SMOOTH of the physics, and X of each scalar. */
OAK_FN void oak_state_to_smooth(const physics_parameters_t *ph, real u[]) {
  OAK_FOR(n, NSCALARS)
    u[PHYSICS_NVAR + n] = oak_scalar_of(ph, u[PHYSICS_MASS], u[PHYSICS_NVAR + n]);
  physics_to_smooth(ph, u);
}

/** Convert smooth variables back to conserved variables. The same number is added to the X of all
 * fine cells, so that their mean is X of the coarse cell. */
OAK_FN void oak_state_from_smooth(const physics_parameters_t *ph, oak_span_t span,
                                  const real coarse[], real fine[][NVAR]) {
  real share[1 << OAK_DIM];
  oak_shares(span, share);
  physics_from_smooth(ph, coarse, fine, share);
  real mass = 0;
  for (int e = 0; e < 1 << OAK_DIM; e++) mass += share[e] * fine[e][PHYSICS_MASS];
  for (int n = PHYSICS_NVAR; n < PHYSICS_NVAR + NSCALARS; n++) {
    real sum = 0;
    for (int e = 0; e < 1 << OAK_DIM; e++) sum += share[e] * fine[e][n] * fine[e][PHYSICS_MASS];
    const real missing = coarse[n] - sum;
    const real more = mass > 0 ? missing / mass : 0;
    for (int e = 0; e < 1 << OAK_DIM; e++) fine[e][n] = (fine[e][n] + more) * fine[e][PHYSICS_MASS];
  }
}
#define OAK_SMOOTH oak_state_to_smooth
#else
#define OAK_SMOOTH(ph, u) (void)(ph), (void)(u)
#endif
/** Interpolate to the 2^d fine cells of cell x[], in the variables of the hook TO_SMOOTH. fine[e]
 * is the cell at position e (bit d: upper along axis d), coarse[] the conserved state of cell x[].
 * The caller calls FROM_SMOOTH afterwards. */
OAK_FN void oak_prolong_smooth(const oak_field_t *f, const physics_parameters_t *ph, long block,
                               const int x[3], real theta, real coarse[], real fine[][NVAR]) {
  real u[NVAR], beside[2][NVAR], slope[NVAR][3];
  int stride;
  const store_t *p = oak_cell(f, block, x[0], x[1], x[2], &stride);
  oak_load(p, stride, coarse);
  OAK_FOR(v, NVAR) u[v] = coarse[v];
  OAK_SMOOTH(ph, u);
  OAK_FOR(dir, OAK_DIM) {
    OAK_FOR(side, 2) {
      const int step = 2 * side - 1;
      p = oak_cell(f, block, x[0] + (dir == 0) * step, x[1] + (dir == 1) * step,
                   x[2] + (dir == 2) * step, &stride);
      oak_load(p, stride, beside[side]);
      OAK_SMOOTH(ph, beside[side]);
    }
    OAK_FOR(v, NVAR)
      slope[v][dir] = limiter_gminmod(u[v] - beside[0][v], beside[1][v] - u[v], theta);
  }
  const oak_parts_t parts = oak_parts(oak_span(f, block, x[0], x[1]), 0);
  OAK_FOR(e, 1 << OAK_DIM) {
    const int upper[3] = {e & 1, e >> 1 & 1, e >> 2};
    OAK_FOR(v, NVAR) fine[e][v] = oak_prolong(u[v], slope[v], upper, parts);
  }
}
#endif

/** Average of the 2^d fine cells whose lowest is at p; g: the parts of the coarse cell. */
OAK_FN real oak_restrict(const store_t *p, oak_parts_t g) {
  real sum = 0;
  if (!OAK_COORDINATES) {
    OAK_FOR(k, (OAK_DIM == 3 ? 2 : 1))
      OAK_FOR(j, 2) sum += (real)p[OAK_INDEX(0, j, k)] + (real)p[OAK_INDEX(1, j, k)];
    return sum * (real)(1.0 / (1 << OAK_DIM));
  }
  OAK_FOR(k, (OAK_DIM == 3 ? 2 : 1)) {
    real row[2];
    OAK_FOR(j, 2) row[j] = oak_mean_along(&g, 0, p[OAK_INDEX(0, j, k)], p[OAK_INDEX(1, j, k)]);
    sum += oak_mean_along(&g, 1, row[0], row[1]);
  }
  return OAK_DIM == 3 ? (real)0.5 * sum : sum;
}

#if OAK_HAS_physics_to_coarse
/** The state of a coarse ghost cell from the 2^d fine cells whose lowest is at p: their average,
 * changed by TO_COARSE. Scalars have the X of the average. span: the span of the coarse cell. */
OAK_FN void oak_restrict_state(const physics_parameters_t *ph, const store_t *p, oak_span_t span,
                               real coarse[]) {
  real fine[1 << OAK_DIM][NVAR];
  OAK_FOR(e, 1 << OAK_DIM) oak_load(p + OAK_INDEX(e & 1, e >> 1 & 1, e >> 2), OAK_CELLS, fine[e]);
  OAK_FOR(v, NVAR) coarse[v] = oak_restrict(p + v * OAK_CELLS, oak_parts(span, oak_is_angular(v)));
  const real mass = coarse[PHYSICS_MASS];
  physics_to_coarse(ph, fine, coarse);
  const real scale = mass > 0 ? oak_div(coarse[PHYSICS_MASS], mass) : 0;
  OAK_FOR(n, NSCALARS) coarse[PHYSICS_NVAR + n] *= scale;
}
#endif
