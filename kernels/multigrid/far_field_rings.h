/* SPDX-License-Identifier: GPL-2.0-or-later
 * Multipoles in (r, z) and (r, theta), for kernels/multigrid/far_field.c. All mass is in rings
 * around the axis, so with R and theta of spherical coordinates about a point of the axis
 *
 *   u = -1 / (4 pi) sum over l of M_l P_l(cos theta) / R^(l + 1),   M_l = integral of f R^l P_l.
 *
 * S_l = R^l P_l follows from (l + 1) S_(l+1) = (2 l + 1) z S_l - l R^2 S_(l-1), S_0 = 1, S_1 = z.
 */
#pragma once

#include "kernels/multigrid/equation.h"

enum { POLES = OAK_ELLIPTIC_RINGS, POLES_MOMENTS = 2 * POLES + 2 };

/* S_(l+1) from S_l and S_(l-1). */
OAK_FN double rings_next(int l, double z, double square, double here, double before) {
  return ((2 * l + 1) * z * here - l * square * before) / (l + 1);
}

/* z and R^2 of a place with the scaled coordinates r and x. In (r, theta), x is theta times the
 * scale. */
OAK_FN void rings_place(const oak_elliptic_poles_args_t *arg, double r, double x, double *z,
                        double *square) {
#if OAK_COORDINATES == OAK_SPHERICAL
  double sine, cosine;
  oak_sine(x / arg->scale, &sine, &cosine);
  *z = r * cosine;
  *square = r * r;
#else
  (void)arg;
  *z = x;
  *square = r * r + x * x;
#endif
}

/* The moments of each block. */
OAK_KERNEL(oak_elliptic_moments, oak_elliptic_poles_args_t, 64) {
  OAK_ARGS(oak_elliptic_poles_args_t);
  OAK_OUTER(n) {
    OAK_SHARED double column[OAK_NX][POLES + 1];
    const real *f = arg.rhs + n * (long long)OAK_CELLS;
    double r0, z0, dr, dz;
    poles_axis(&arg, n, 0, &r0, &dr);
    poles_axis(&arg, n, 1, &z0, &dz);
    OAK_INNER(i, OAK_NX) {
      const double r = r0 + i * dr;
      double sum[POLES + 1] = {0};
      for (int j = 0; j < OAK_NY; j++) {
        const int c = j * OAK_NX + i;
        double z, square, before = 0;
        rings_place(&arg, r, z0 + j * dz, &z, &square);
        double here = oak_cell_volume(&arg.f, n) * oak_volume_factor(&arg.f, n, c) * f[c];
        OAK_FOR(l, POLES + 1) {
          const double next = rings_next(l, z, square, here, before);
          sum[l] += here;
          before = here;
          here = next;
        }
      }
      OAK_FOR(l, POLES + 1) column[i][l] = sum[l];
    }
    OAK_BARRIER;
    OAK_INNER(l, POLES + 1) {
      double sum = 0;
      for (int i = 0; i < OAK_NX; i++) sum += column[i][l];
      arg.out[poles_place(n, 2 * l)] = sum;
      arg.out[poles_place(n, 2 * l + 1)] = 0;
    }
  }
}

/* The potential at x = (r, z), in scaled coordinates. */
OAK_FN double poles_potential(const oak_elliptic_poles_args_t *arg, const double x[3]) {
  double z, square;
  rings_place(arg, x[0], x[1], &z, &square);
  const double inverse = 1 / square;
  double here = sqrt(inverse), before = 0, sum = 0;
  OAK_FOR(l, POLES + 1) {
    const double next = rings_next(l, z * inverse, inverse, here, before);
    sum += arg->coefficient[2 * l] * here;
    before = here;
    here = next;
  }
  return sum;
}
