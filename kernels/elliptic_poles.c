/* SPDX-License-Identifier: GPL-2.0-or-later
 * Isolated boundaries: the potential of a right-hand side that is zero outside the domain, for
 * div(grad u) = f, by its multipoles up to degree OAK_ELLIPTIC_POLES (2D: twice that).
 *
 * 3D: u(x) = -1/(4 pi) sum over l, m of conj(M_lm) I_lm(x), where M_lm is the integral of f R_lm,
 * and R and I are the regular and irregular solid harmonics (without the sign (-1)^m, which
 * cancels): R_lm = r^l P_lm(cos theta) e^(i m phi) / (l + m)!,  I_lm = (l - m)! P_lm e^(i m phi) /
 * r^(l+1) 2D: u(x) = 1/(2 pi) (M_0 ln|z| - Re sum over k of M_k / (k z^k)), M_k the integral of f
 * z^k. */
#include "kernels/elliptic.h"

enum {
  POLES_TERMS = OAK_DIM == 3 ? OAK_ELLIPTIC_MOMENTS / 2 : 2 * OAK_ELLIPTIC_POLES + 1,
  POLES_LANES = 32
};

/* Real and imaginary parts, terms ordered by degree l, then by order m. */
OAK_FN void poles_regular(const double x[3], double out[2 * POLES_TERMS]) {
  out[0] = 1;
  out[1] = 0;
#if OAK_DIM == 2
  for (int k = 1; k < POLES_TERMS; k++) {
    out[2 * k] = out[2 * k - 2] * x[0] - out[2 * k - 1] * x[1];
    out[2 * k + 1] = out[2 * k - 2] * x[1] + out[2 * k - 1] * x[0];
  }
#else
  const double r2 = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
  for (int l = 1; l <= OAK_ELLIPTIC_POLES; l++) {
    const int at = l * (l + 1) / 2, one = at - l, two = one - l + 1; /* of degrees l, l-1, l-2 */
    for (int m = 0; m < l; m++)
      for (int c = 0; c < 2; c++)
        out[2 * (at + m) + c] = ((2 * l - 1) * x[2] * out[2 * (one + m) + c] -
                                 (m < l - 1 ? r2 * out[2 * (two + m) + c] : 0)) /
                                (double)(l * l - m * m);
    const double re = out[2 * (at - 1)], im = out[2 * (at - 1) + 1];
    out[2 * (at + l)] = (x[0] * re - x[1] * im) / (2 * l);
    out[2 * (at + l) + 1] = (x[0] * im + x[1] * re) / (2 * l);
  }
#endif
}

/* The potential at x of the given moments. */
OAK_FN double poles_potential(const double moment[2 * POLES_TERMS], const double x[3]) {
#if OAK_DIM == 2
  const double r2 = x[0] * x[0] + x[1] * x[1];
  const double zr = x[0] / r2, zi = -x[1] / r2; /* 1 / z */
  double re = 1, im = 0, sum = 0.5 * moment[0] * log(r2);
  for (int k = 1; k < POLES_TERMS; k++) {
    const double next = re * zr - im * zi;
    im = re * zi + im * zr;
    re = next;
    sum -= (moment[2 * k] * re - moment[2 * k + 1] * im) / k;
  }
  return sum / (2 * M_PI);
#else
  const double r2 = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
  double i[2 * POLES_TERMS], sum;
  i[0] = 1 / sqrt(r2);
  i[1] = 0;
  sum = moment[0] * i[0];
  for (int l = 1; l <= OAK_ELLIPTIC_POLES; l++) {
    const int at = l * (l + 1) / 2, one = at - l, two = one - l + 1;
    for (int m = 0; m < l; m++)
      for (int c = 0; c < 2; c++)
        i[2 * (at + m) + c] =
            ((2 * l - 1) * x[2] * i[2 * (one + m) + c] -
             (m < l - 1 ? (double)((l - 1) * (l - 1) - m * m) * i[2 * (two + m) + c] : 0)) /
            r2;
    const double re = i[2 * (at - 1)], im = i[2 * (at - 1) + 1];
    i[2 * (at + l)] = (2 * l - 1) * (x[0] * re - x[1] * im) / r2;
    i[2 * (at + l) + 1] = (2 * l - 1) * (x[0] * im + x[1] * re) / r2;
    for (int m = 0; m <= l; m++)
      sum += (m ? 2 : 1) * (moment[2 * (at + m)] * i[2 * (at + m)] +
                            moment[2 * (at + m) + 1] * i[2 * (at + m) + 1]);
  }
  return -sum / (4 * M_PI);
#endif
}

/* Integrals of f R over each block, about the centre. */
OAK_KERNEL(oak_elliptic_moments, oak_elliptic_poles_args_t, POLES_LANES) {
  OAK_ARGS(oak_elliptic_poles_args_t);
  OAK_OUTER(n) {
    OAK_SHARED double lane[2 * POLES_TERMS][POLES_LANES];
    double volume = 1;
    for (int d = 0; d < OAK_DIM; d++) volume *= oak_dx(&arg.f, arg.f.block[n].level, d);
    OAK_INNER(i, POLES_LANES) {
      for (int s = 0; s < 2 * POLES_TERMS; s++) lane[s][i] = 0;
      for (int c = i; c < OAK_CELLS; c += POLES_LANES) {
        double x[3], r[2 * POLES_TERMS];
        const double f = arg.rhs[n * (long long)OAK_CELLS + c] * volume;
        oak_center(&arg.f, n, c % OAK_N, c / OAK_N % OAK_N, c / (OAK_N * OAK_N), x);
        for (int d = 0; d < 3; d++) x[d] -= arg.center[d];
        poles_regular(x, r);
        for (int s = 0; s < 2 * POLES_TERMS; s++) lane[s][i] += f * r[s];
      }
    }
    for (int s = 0; s < 2 * POLES_TERMS; s++) {
      double result;
      OAK_REDUCE_SUM(result, lane[s], POLES_LANES);
      OAK_SERIAL arg.out[n * OAK_ELLIPTIC_MOMENTS + s] = result;
    }
  }
}

/* The potential on one face of the domain. */
OAK_KERNEL(oak_elliptic_poles, oak_elliptic_poles_args_t, 64) {
  OAK_ARGS(oak_elliptic_poles_args_t);
  OAK_OUTER_LANES(n) {
    const int face = arg.face, dir = face / 2, place = arg.outer[n * OAK_FACES + face];
    if (place >= 0) {
      OAK_ROWS(b, FB, OAK_N) {
        OAK_LANES(a, OAK_N) {
          int at[3];
          double x[3];
          face_point(dir, face & 1 ? OAK_N - 1 : 0, a, b, at);
          oak_center(&arg.f, n, at[0], at[1], at[2], x);
          const double half = 0.5 * oak_dx(&arg.f, arg.f.block[n].level, dir);
          for (int d = 0; d < 3; d++)
            x[d] += (d == dir ? (face & 1 ? half : -half) : 0) - arg.center[d];
          arg.given[(long long)place * OAK_AREA + b * OAK_N + a] =
              (real)poles_potential(arg.moment, x);
        }
      }
    }
  }
}
