/* SPDX-License-Identifier: GPL-2.0-or-later
 * The interpolation of kernels/geometry/rows.h on single cells with given neighbours. */
#include "kernels/geometry/rows.h"
#include "prolong.h"

/* The cell and its neighbours as rows of one block; c[7] as in prolong_args_t. */
OAK_FN oak_row_t prolong_row(const real c[7], const real along[2]) {
  oak_row_t row;
  row.axis = 0;
  row.c = along;
  row.sc = 1;
  row.below = c[1];
  row.above = c[2];
  for (int dir = 0; dir < OAK_DIM; dir++)
    for (int above = 0; above < 2; above++) {
      row.side[dir][above] = &c[1 + 2 * dir + above];
      row.ss[dir][above] = 1;
    }
  return row;
}

OAK_FN void prolong_cell(const real c[7], real theta, double *least, double *error) {
  const real along[2] = {c[0], c[2]};
  const oak_row_t row = prolong_row(c, along);
  real slope[3];
  double sum = 0;
  const real u = oak_row_slopes(&row, 0, theta, slope);
  *least = (double)u;
  for (int e = 0; e < (1 << OAK_DIM); e++) {
    const int upper[3] = {e & 1, e >> 1 & 1, e >> 2};
    const double fine = (double)oak_prolong(u, slope, upper, oak_even());
    *least = OAK_MIN(*least, fine);
    sum += fine - (double)u; /* small: the sum of the values themselves would round */
  }
  *error = u > 0 ? sum / (1 << OAK_DIM) / (double)u : sum;
}

OAK_KERNEL(prolong, prolong_args_t, 128) {
  OAK_ARGS(prolong_args_t);
  const real theta = (real)arg.theta; /* the loop can read this variable on every device */
  OAK_OUTER(n) {
    for (long long i = n * PROLONG_CHUNK; i < (n + 1) * PROLONG_CHUNK; i++) {
      const real u = (real)(arg.first + (double)i * arg.step);
      real c[7] = {u, 0, 8, 0, 8, 0, 8};
      double least, error;
      if (i & 1) c[1] = 8, c[2] = 0;
      for (int k = 0; arg.cell && k < 7; k++) c[k] = (real)arg.cell[7 * i + k];
      prolong_cell(c, theta, &least, &error);
      arg.least[i] = least;
      arg.error[i] = error;
    }
  }
}
