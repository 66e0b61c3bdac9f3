/* SPDX-License-Identifier: GPL-2.0-or-later
 * Derivatives of the solution, in cells and across faces. */
#include "kernels/multigrid/equation.h"

/* elliptic_across_t: the values beyond both faces of a block across an axis. */
typedef struct {
  int dir;
  const real *u;
  oak_side_t side[2];
  const real *given[2];
  real factor[2];
  int slope[2]; /* whether a derivative is given */
} elliptic_across_t;

OAK_FN elliptic_across_t elliptic_across_block(const oak_elliptic_args_t *arg, long n, int dir) {
  elliptic_across_t e;
  const real inv = (real)oak_inv_dx(&arg->f, arg->f.block[n].level, dir);
  e.dir = dir;
  e.u = arg->f.u + n * (long long)OAK_CELLS;
  for (int high = 0; high < 2; high++) {
    const int face = 2 * dir + high, place = arg->outer[n * OAK_FACES + face];
    const double outside = outside_of(arg, face);
    e.side[high] = elliptic_side(arg, n, face);
    e.given[high] = place < 0 ? arg->given : arg->given + (long long)place * FACE_ROOM;
    /* The memory holds the ghost value for the boundary value 0; the term of another value is
     * added. */
    e.factor[high] = place < 0 ? 0 : outside > 0 ? 2 : 1 / inv;
    e.slope[high] = outside <= 0;
  }
  return e;
}

/* The value across the lower or upper face of cell (i, j, k). */
OAK_FN real elliptic_beyond(const elliptic_across_t *e, int high, const elliptic_metric_t *m, int i,
                            int j, int k) {
  const int x = e->dir == 0 ? i : e->dir == 1 ? j : k;
  const int a = e->dir == 0 ? j : i, b = OAK_DIM == 2 ? 0 : e->dir == 2 ? j : k;
  const real *c = e->u + OAK_INDEX(i, j, k);
  if (high ? x < OAK_ALONG(e->dir) - 1 : x > 0)
    return high ? c[OAK_STRIDE(e->dir)] : c[-OAK_STRIDE(e->dir)];
  /* The value on the other side of r = 0 is not at hand: a parabola continues the row. */
  if (OAK_COORDINATES == OAK_SPHERICAL && e->dir == 0 && !high && elliptic_area(m, 0) == 0)
    return 3 * (c[0] - c[1]) + c[2];
  const real factor = e->slope[high]
                          ? oak_div(e->factor[high], elliptic_face_unit(m, 2 * e->dir + high))
                          : e->factor[high];
  return e->side[high].p[a * e->side[high].sa + b * e->side[high].sb] +
         (factor > 0 ? factor * e->given[high][b * FA(e->dir) + a] : 0);
}

/* Derivatives in cells. The flux through a face, a times the derivative, is the same on both sides.
 * Divided by a in the cell it is the derivative on the cell's side, also where a jumps. */
OAK_FN real elliptic_share_on_side(const oak_elliptic_args_t *arg, long n, int i, int j, int k,
                                   int face) {
  const long long first = n * (long long)OAK_CELLS;
  const real *low[OAK_DIM];
  if (!OAK_ELLIPTIC_FIELDS) return 1;
  OAK_FOR(d, OAK_DIM) low[d] = arg->low[d] + first;
  const elliptic_on_row_t on = elliptic_on_row(low, arg->high + first, j, k);
  return oak_div(elliptic_a(&on, i, face), arg->c.u[first + OAK_INDEX(i, j, k)]);
}

/* The derivative along arg.axis: the mean of the derivatives on both faces of a cell, which are the
 * differences of the equation. */
OAK_KERNEL(oak_elliptic_gradient, oak_elliptic_args_t, ELLIPTIC_LANES) {
  OAK_ARGS(oak_elliptic_args_t);
  OAK_OUTER_LANES(n) {
    const elliptic_across_t e = elliptic_across_block(&arg, n, arg.axis);
    const real half = (real)(0.5 * oak_inv_dx(&arg.f, arg.f.block[n].level, arg.axis));
    real *out = arg.res + n * (long long)OAK_CELLS;
    OAK_ROWS(row, OAK_NY * OAK_NZ, OAK_NX) {
      const int j = row % OAK_NY, k = row / OAK_NY;
      OAK_LANES(i, OAK_NX) {
        const elliptic_metric_t m = elliptic_metric(&arg.f, n, i, j);
        const real less = elliptic_beyond(&e, 0, &m, i, j, k);
        const real more = elliptic_beyond(&e, 1, &m, i, j, k);
        const real here = e.u[row * OAK_NX + i];
        const real sum =
            OAK_ELLIPTIC_FIELDS
                ? elliptic_share_on_side(&arg, n, i, j, k, 2 * e.dir + 1) * (more - here) +
                      elliptic_share_on_side(&arg, n, i, j, k, 2 * e.dir) * (here - less)
                : more - less;
        out[row * OAK_NX + i] = half * elliptic_unit(&m, e.dir) * sum;
      }
    }
  }
}

/* The derivatives across the faces of a block along an axis: inside, then at its ends. Callers give
 * a constant `dir`, because lanes vectorise if the axis is known. */
OAK_FN void elliptic_slopes_along(const oak_elliptic_args_t *arg, long n, int dir OAK_LANE_PARAM) {
  const elliptic_across_t e = elliptic_across_block(arg, n, dir);
  const real inv = (real)oak_inv_dx(&arg->f, arg->f.block[n].level, dir);
  real *out = arg->res + n * (long long)OAK_FACE_REALS;
  OAK_ROWS(row, OAK_NY * OAK_NZ, OAK_NX) {
    const int j = row % OAK_NY, k = row / OAK_NY;
    OAK_LANES(i, OAK_NX) {
      const elliptic_metric_t m = elliptic_metric(&arg->f, n, i, j);
      const real *c = e.u + row * OAK_NX + i;
      if ((dir == 0 ? i : dir == 1 ? j : k) > 0)
        out[oak_face_index(dir, i, j, k)] =
            inv * elliptic_face_unit(&m, 2 * dir) * (c[0] - c[-OAK_STRIDE(dir)]);
    }
  }
  OAK_ROWS(row, 2 * FB(dir), FA(dir)) {
    const int high = row / FB(dir);
    OAK_LANES(a, FA(dir)) {
      int x[3];
      face_point(dir, high ? OAK_ALONG(dir) - 1 : 0, a, row % FB(dir), x);
      const elliptic_metric_t m = elliptic_metric(&arg->f, n, x[0], x[1]);
      const real more =
          elliptic_beyond(&e, high, &m, x[0], x[1], x[2]) - e.u[OAK_INDEX(x[0], x[1], x[2])];
      out[oak_face_index(dir, x[0], x[1], x[2]) + high * OAK_STRIDE(dir)] =
          inv * elliptic_face_unit(&m, 2 * dir + high) * (high ? more : -more);
    }
  }
}

/* The derivatives across all faces, arg.res [nblock][OAK_FACE_REALS]. Both blocks beside a face
 * compute the same bits. */
OAK_KERNEL(oak_elliptic_slopes, oak_elliptic_args_t, ELLIPTIC_LANES) {
  OAK_ARGS(oak_elliptic_args_t);
  OAK_OUTER_LANES(n) {
    OAK_FOR(dir, OAK_DIM) elliptic_slopes_along(&arg, n, dir OAK_LANE_ARG);
  }
}

/* The derivative on a cell's side of a face, from the derivative on the face. At bodies it is the
 * derivative in the gas: up to the surface of an electrode; on the other side of a dielectric such
 * that the mean of both sides is the difference across the face. `place`: place of the face. */
OAK_FN real elliptic_on_side(const oak_elliptic_args_t *arg, const elliptic_across_t *e, long n,
                             int high, int i, int j, int k, long long place, real share) {
  const real slope = arg->res[place], cut = OAK_ELLIPTIC_BODIES ? arg->cut[place] : 0;
  const int solid = high ? cut < 0 : cut > 0;
  if (cut == 0) return share * slope;
  if (oak_abs(cut) != OAK_DIELECTRIC_CUT || !solid) return slope;
  const elliptic_metric_t m = elliptic_metric(&arg->f, n, i, j);
  const real here = e->u[OAK_INDEX(i, j, k)], beyond = elliptic_beyond(e, high, &m, i, j, k);
  const real inv = (real)oak_inv_dx(&arg->f, arg->f.block[n].level, e->dir);
  return 2 * inv * elliptic_face_unit(&m, 2 * e->dir + high) *
             (high ? beyond - here : here - beyond) -
         slope;
}

/* The derivative in cells: the mean of the derivatives on both faces (arg.res), into arg.u. */
OAK_KERNEL(oak_elliptic_means, oak_elliptic_args_t, ELLIPTIC_LANES) {
  OAK_ARGS(oak_elliptic_args_t);
  OAK_OUTER_LANES(n) {
    const elliptic_across_t e = elliptic_across_block(&arg, n, arg.axis);
    real *out = arg.u + n * (long long)OAK_CELLS;
    OAK_ROWS(row, OAK_NY * OAK_NZ, OAK_NX) {
      const int j = row % OAK_NY, k = row / OAK_NY;
      OAK_LANES(i, OAK_NX) {
        const long long low = n * (long long)OAK_FACE_REALS + oak_face_index(arg.axis, i, j, k);
        real sum = 0;
        OAK_FOR(high, 2)
          sum += elliptic_on_side(&arg, &e, n, high, i, j, k, low + high * OAK_STRIDE(arg.axis),
                                  elliptic_share_on_side(&arg, n, i, j, k, 2 * arg.axis + high));
        out[row * OAK_NX + i] = (real)0.5 * sum;
      }
    }
  }
}
