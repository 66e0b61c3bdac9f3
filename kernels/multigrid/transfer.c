/* SPDX-License-Identifier: GPL-2.0-or-later
 * Transfer between a level and the next coarser one, on which parents replace the finest blocks.
 * Coarse values are averages, fine values come from linear interpolation. All other blocks are the
 * same on both levels. A family that two ranks share travels through `remote`. */
#include "kernels/multigrid/equation.h"

/* The mean of the cells whose lowest is at c. */
OAK_FN real elliptic_mean_of(const real *c, const oak_parts_t *g) {
  real sum = 0;
  OAK_FOR(e, (1 << OAK_DIM))
    sum += c[OAK_INDEX(e & 1, e >> 1 & 1, e >> 2)] * elliptic_in_mean(g, e);
  return (real)(1.0 / (1 << OAK_DIM)) * sum;
}

/* Average the cells of each block, into the coarse level or the buffer of values to be sent. */
OAK_KERNEL(oak_elliptic_merge, oak_elliptic_move_args_t, ELLIPTIC_LANES) {
  OAK_ARGS(oak_elliptic_move_args_t);
  OAK_OUTER_LANES(n) {
    const oak_elliptic_move_t t = arg.move[n];
    const real *p = arg.from + n * (long long)OAK_CELLS;
    real *q = (t.remote ? arg.remote : arg.to) + t.coarse * (long long)OAK_CELLS;
    if (t.child < 0) {
      OAK_ROWS(row, OAK_NY * OAK_NZ, OAK_NX) {
        OAK_LANES(i, OAK_NX) q[row * OAK_NX + i] = p[row * OAK_NX + i];
      }
    } else {
      if (!t.remote) q += elliptic_octant(t.child);
      OAK_ROWS(row, HY * HZ, HX) {
        const int j = row % HY, k = row / HY;
        const int to = t.remote ? row * HX : OAK_INDEX(0, j, k);
        OAK_LANES(i, HX) {
          const real *c = p + OAK_INDEX(2 * i, 2 * j, 2 * k);
          const oak_parts_t g = oak_parts(oak_span_of_pair(&arg.fine, n, 2 * i, 2 * j), 0);
          q[to + i] = elliptic_mean_of(c, &g);
        }
      }
    }
  }
}

/* Unpack received averages. */
OAK_KERNEL(oak_elliptic_unpack, oak_elliptic_move_args_t, ELLIPTIC_LANES) {
  OAK_ARGS(oak_elliptic_move_args_t);
  OAK_OUTER_LANES(n) {
    const oak_elliptic_move_t t = arg.move[n];
    const real *p = arg.remote + n * (long long)OAK_CELLS;
    real *q = arg.to + t.coarse * (long long)OAK_CELLS + elliptic_octant(t.child);
    OAK_ROWS(row, HY * HZ, HX) {
      OAK_LANES(i, HX) q[OAK_INDEX(i, row % HY, row / HY)] = p[row * HX + i];
    }
  }
}

/* Interpolate the parent's values to the cells of one child, with central slopes: exact for linear
 * functions. If the coefficient is a field, the slope is the mean flux of both faces, divided by
 * their mean coefficient, so that a cell behind a face without flux has no influence. Beyond the
 * boundary of the domain, u is -outside times its value in the cell. */
OAK_FN void elliptic_interpolate(const oak_elliptic_move_args_t *arg, const oak_elliptic_move_t *t,
                                 real *out OAK_LANE_PARAM) {
  int edge[OAK_FACES]; /* coordinate of cells beside the boundary of the domain */
  real outside[OAK_FACES];
  OAK_FOR(face, OAK_FACES) {
    const oak_face_t *f = &arg->coarse.face[t->coarse * (long long)OAK_FACES + face];
    edge[face] = f->kind != OAK_FACE_BOUNDARY ? -1 : face & 1 ? OAK_ALONG(face / 2) - 1 : 0;
    outside[face] = -(real)arg->outside[face];
  }
  const real *low[OAK_DIM], *high = arg->high + t->coarse * (long long)OAK_CELLS;
  OAK_FOR(d, OAK_DIM) low[d] = arg->low[d] + t->coarse * (long long)OAK_CELLS;
  const int i0 = (t->child & 1) * HX, j0 = (t->child >> 1 & 1) * HY, k0 = (t->child >> 2) * HZ;
  OAK_ROWS(row, HY * HZ, HX) {
    const int j = row % HY, k = row / HY;
    int x[3];
    x[0] = 0;
    x[1] = j0 + j;
    x[2] = k0 + k;
    const oak_row_t r = oak_row_of(&arg->coarse, 1, t->coarse, 0, 0, x);
    elliptic_on_row_t on;
    if (OAK_ELLIPTIC_FIELDS) on = elliptic_on_row(low, high, x[1], x[2]);
    OAK_LANES(i, HX) {
      real slope[OAK_DIM];
      const real c = r.c[(i0 + i) * r.sc];
      OAK_FOR(d, OAK_DIM) {
        const int place = d == 0 ? i0 + i : x[d];
        real below, above;
        oak_row_neighbours(&r, d, i0 + i, &below, &above);
        if (place == edge[2 * d]) below = outside[2 * d] * c;
        if (place == edge[2 * d + 1]) above = outside[2 * d + 1] * c;
        slope[d] = (real)0.125 * (above - below);
        if (OAK_ELLIPTIC_FIELDS)
          slope[d] =
              elliptic_weighted_slope(elliptic_a(&on, i0 + i, 2 * d),
                                      elliptic_a(&on, i0 + i, 2 * d + 1), c - below, above - c);
      }
      OAK_FOR(e, (1 << OAK_DIM)) {
        real sum = c;
        OAK_FOR(d, OAK_DIM) sum += e >> d & 1 ? slope[d] : -slope[d];
        real *q = out + OAK_INDEX(2 * i + (e & 1), 2 * j + (e >> 1 & 1), 2 * k + (e >> 2));
        *q = sum + (arg->add ? *q : 0);
      }
    }
  }
}

/* Move values of the coarse level to each block: add them to the values of the block, or replace
 * these. */
OAK_KERNEL(oak_elliptic_prolong, oak_elliptic_move_args_t, ELLIPTIC_LANES) {
  OAK_ARGS(oak_elliptic_move_args_t);
  OAK_OUTER_LANES(n) {
    const oak_elliptic_move_t t = arg.move[n];
    real *q = arg.to + n * (long long)OAK_CELLS;
    if (t.child >= 0 && !t.remote) {
      elliptic_interpolate(&arg, &t, q OAK_LANE_ARG);
    } else {
      const real *p =
          (t.remote ? (const real *)arg.remote : arg.coarse.u) + t.coarse * (long long)OAK_CELLS;
      OAK_ROWS(row, OAK_NY * OAK_NZ, OAK_NX) {
        OAK_LANES(i, OAK_NX)
          q[row * OAK_NX + i] = p[row * OAK_NX + i] + (arg.add ? q[row * OAK_NX + i] : 0);
      }
    }
  }
}
