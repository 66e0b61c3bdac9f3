/* SPDX-License-Identifier: GPL-2.0-or-later
 * Linear combinations of fields on a level, and sums over the cells of each block. */
#include "kernels/multigrid/equation.h"

OAK_KERNEL(oak_elliptic_combine, oak_elliptic_combine_args_t, ELLIPTIC_LANES) {
  OAK_ARGS(oak_elliptic_combine_args_t);
  OAK_OUTER_LANES(n) {
    const real *x = arg.x + n * (long long)OAK_CELLS;
    real *y = arg.y + n * (long long)OAK_CELLS;
    const real p = (real)arg.p, q = (real)arg.q, s = (real)arg.s;
    OAK_ROWS(row, OAK_NY * OAK_NZ, OAK_NX) {
      OAK_LANES(i, OAK_NX) {
        const int c = row * OAK_NX + i;
        y[c] = (p != 0 ? p * x[c] : 0) + (q != 0 ? q * y[c] : 0) + s;
      }
    }
  }
}

/* The largest |x| of each block. */
OAK_KERNEL(oak_elliptic_largest, oak_elliptic_sums_args_t, OAK_CHUNK_LANES) {
  OAK_ARGS(oak_elliptic_sums_args_t);
  OAK_OUTER(n) {
    const real *x = arg.x + n * (long long)OAK_CELLS;
    OAK_SHARED double lane[OAK_CHUNK_LANES];
    OAK_INNER(i, OAK_CHUNK_LANES) lane[i] = 0;
    OAK_CHUNKS(first)
    OAK_INNER(i, OAK_CHUNK(first)) lane[i] = elliptic_larger(lane[i], x[first + i]);
    double result;
    OAK_REDUCE_MAX(result, lane, OAK_CHUNK_LANES);
    OAK_SERIAL arg.out[n] = result;
  }
}

/* Sums over the cells of each block, in an order that depends on the block alone. */
OAK_KERNEL(oak_elliptic_sums, oak_elliptic_sums_args_t, OAK_CHUNK_LANES) {
  OAK_ARGS(oak_elliptic_sums_args_t);
  OAK_OUTER(n) {
    const real *x = arg.x + n * (long long)OAK_CELLS;
    const real *y = arg.y + n * (long long)OAK_CELLS;
    OAK_SHARED double lane[OAK_ELLIPTIC_SUMS][OAK_CHUNK_LANES];
    OAK_INNER(i, OAK_CHUNK_LANES) {
      for (int s = 0; s < OAK_ELLIPTIC_SUMS; s++) lane[s][i] = 0;
    }
    OAK_CHUNKS(first)
    OAK_INNER(i, OAK_CHUNK(first)) {
      const double a = x[first + i], b = y[first + i];
      const double v = oak_volume_factor(&arg.f, n, first + i);
      /* A comparison that keeps NaN. */
      lane[0][i] = fabs(a) <= lane[0][i] ? lane[0][i] : fabs(a);
      lane[1][i] += v * a;
      lane[2][i] += v * a * b;
      lane[3][i] += v * a * a;
    }
    double result;
    OAK_REDUCE_MAX(result, lane[0], OAK_CHUNK_LANES);
    OAK_SERIAL arg.out[n * OAK_ELLIPTIC_SUMS] = result;
    for (int s = 1; s < OAK_ELLIPTIC_SUMS; s++) {
      OAK_REDUCE_SUM(result, lane[s], OAK_CHUNK_LANES);
      OAK_SERIAL arg.out[n * OAK_ELLIPTIC_SUMS + s] = result;
    }
  }
}
