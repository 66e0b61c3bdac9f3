/* SPDX-License-Identifier: GPL-2.0-or-later
 * Isolated boundaries: the solution of div(grad u) = f at the boundary, if f is zero outside the
 * domain. It follows from the multipoles of f up to degree POLES. Coordinates are relative to
 * arg.center and multiplied by arg.scale.
 *
 * The moments are the integrals of f x^a y^b z^c with a + b + c <= POLES. From these, the host
 * computes a polynomial P with u(x) = P(x / r^2) / r, in 2D m ln(r) + P(x / r^2)
 * (src/elliptic/outer.c). */
#include "kernels/elliptic.h"

#if OAK_COORDINATES
#include "kernels/elliptic_rings.h"
#else
enum {
  POLES = OAK_ELLIPTIC_POLES(OAK_DIM),
  POLES_C = OAK_DIM == 3 ? POLES + 1 : 1, /* powers of z */
  POLES_PAIRS = OAK_PAIRS(OAK_DIM, POLES),
  /* Cells along y, and planes, whose values are added before a sum is stored. */
  POLES_TURN = OAK_NY % 8 == 0   ? 8
               : OAK_NY % 4 == 0 ? 4
                                 : 2,
  POLES_PLANES = OAK_DIM == 2                      ? 1
                 : OAK_NZ % 4 == 0 && OAK_NX <= 64 ? 4
                                                   : 2,
  POLES_MOMENTS = OAK_MONOMIALS(OAK_DIM, POLES)
};

#if OAK_DIM == 2
/* The moments of each block: sums along y, then along x. No moment is larger than the sum of the
 * sizes of f, because coordinates are at most 1. */
OAK_KERNEL(oak_elliptic_moments, oak_elliptic_poles_args_t, 128) {
  OAK_ARGS(oak_elliptic_poles_args_t);
  OAK_OUTER(n) {
    OAK_SHARED double x[POLES + 1][OAK_NX], y[OAK_NY][POLES + 1], line[OAK_NX][POLES + 1];
    OAK_SHARED double size[OAK_NX];
    const real *f = arg.rhs + n * (long long)OAK_CELLS;
    const double volume = oak_cell_volume(&arg.f, n);
    double *out = arg.out + n * OAK_ELLIPTIC_MOMENTS, x0, y0, dx, dy, all;
    poles_axis(&arg, n, 0, &x0, &dx);
    poles_axis(&arg, n, 1, &y0, &dy);
    OAK_INNER(i, OAK_NX) {
      double term = volume, sum = 0;
      OAK_UNROLL
      for (int a = 0; a <= POLES; a++) {
        x[a][i] = term;
        term *= x0 + i * dx;
      }
      OAK_UNROLL
      for (int j = 0; j < OAK_NY; j++) sum += fabs(f[j * OAK_NX + i]);
      size[i] = volume * sum;
    }
    OAK_INNER(j, OAK_NY) {
      double term = 1;
      for (int b = 0; b <= POLES; b++) {
        y[j][b] = term;
        term *= y0 + j * dy;
      }
    }
    OAK_BARRIER;
    for (int j0 = 0; j0 < OAK_NY; j0 += POLES_TURN)
      OAK_ROWS(i, OAK_NX, POLES + 1) {
        OAK_LANES(b, POLES + 1) {
          double sum = j0 ? line[i][b] : 0;
          OAK_UNROLL
          for (int j = j0; j < j0 + POLES_TURN; j++) sum += f[j * OAK_NX + i] * y[j][b];
          line[i][b] = sum;
        }
      }
    OAK_BARRIER;
    OAK_UNROLL
    OAK_ROWS(a, POLES + 1, POLES + 1) {
      OAK_LANES(b, POLES + 1 - a) {
        double sum = 0;
        OAK_UNROLL
        for (int i = 0; i < OAK_NX; i++) sum += x[a][i] * line[i][b];
        out[OAK_MONOMIAL(2, a, 0, 0) + b] = sum;
      }
    }
    OAK_REDUCE_SUM(all, size, OAK_NX);
    OAK_SERIAL arg.largest[n] = elliptic_larger(0, all);
  }
}
#else
/* Sums along y in POLES_PLANES planes from k0 on, times powers of y. */
OAK_FN void poles_along_y(const real *f, int k0, double y0, double dy,
                          double plane[POLES_PLANES][POLES + 1][OAK_NX]) {
  for (int j0 = 0; j0 < OAK_NY; j0 += POLES_TURN)
    OAK_ROWS(k, POLES_PLANES, OAK_NX) {
      const real *from = f + OAK_INDEX(0, j0, k0 + k);
      OAK_LANES(i, OAK_NX) {
        double sum[POLES + 1];
        OAK_UNROLL
        for (int b = 0; b <= POLES; b++) sum[b] = j0 ? plane[k][b][i] : 0;
        OAK_UNROLL
        for (int j = 0; j < POLES_TURN; j++) {
          const double y = y0 + (j0 + j) * dy;
          double term = from[j * OAK_NX + i];
          OAK_UNROLL
          for (int b = 0; b <= POLES; b++) {
            sum[b] += term;
            term *= y;
          }
        }
        OAK_UNROLL
        for (int b = 0; b <= POLES; b++) plane[k][b][i] = sum[b];
      }
    }
}

/* The moments of each block, and the largest of them. Sums along y come first, then those along z
 * and x, so that little is done for each cell. */
OAK_KERNEL(oak_elliptic_moments, oak_elliptic_poles_args_t, 128) {
  OAK_ARGS(oak_elliptic_poles_args_t);
  OAK_OUTER(n) {
    OAK_SHARED double plane[POLES_PLANES][POLES + 1][OAK_NX], line[OAK_NX][POLES_PAIRS];
    OAK_SHARED double power[POLES_PLANES][POLES_C], most[POLES_PAIRS];
    const real *f = arg.rhs + n * (long long)OAK_CELLS;
    const double volume = oak_cell_volume(&arg.f, n);
    double x0, y0, z0, dx, dy, dz, largest;
    poles_axis(&arg, n, 0, &x0, &dx);
    poles_axis(&arg, n, 1, &y0, &dy);
    poles_axis(&arg, n, 2, &z0, &dz);
    OAK_INNER2(i, OAK_NX, pair, POLES_PAIRS) line[i][pair] = 0;
    for (int k0 = 0; k0 < OAK_NZ; k0 += POLES_PLANES) {
      OAK_INNER(k, POLES_PLANES) {
        power[k][0] = 1;
        for (int c = 1; c < POLES_C; c++) power[k][c] = power[k][c - 1] * (z0 + (k0 + k) * dz);
      }
      poles_along_y(f, k0, y0, dy, plane);
      OAK_BARRIER;
      for (int b = 0; b <= POLES; b++)
        OAK_ROWS(c, POLES_C - b, OAK_NX) {
          const int pair = OAK_PAIR(3, b, c);
          OAK_LANES(i, OAK_NX) {
            double sum = line[i][pair];
            OAK_UNROLL
            for (int k = 0; k < POLES_PLANES; k++) sum += power[k][c] * plane[k][b][i];
            line[i][pair] = sum;
          }
        }
      OAK_BARRIER;
    }
    OAK_INNER(pair, POLES_PAIRS) {
      double sum[POLES + 1] = {0}, size = 0;
      for (int i = 0; i < OAK_NX; i++) {
        double term = volume * line[i][pair];
        OAK_UNROLL
        for (int a = 0; a <= POLES; a++) {
          sum[a] += term;
          term *= x0 + i * dx;
        }
      }
      OAK_UNROLL
      for (int a = 0; a <= POLES; a++)
        if (pair < OAK_PAIRS(OAK_DIM, POLES - a)) {
          arg.out[n * OAK_ELLIPTIC_MOMENTS + OAK_MONOMIAL(OAK_DIM, a, 0, 0) + pair] = sum[a];
          size = elliptic_larger(size, sum[a]);
        }
      most[pair] = size;
    }
    OAK_BARRIER;
    OAK_REDUCE_MAX(largest, most, POLES_PAIRS);
    OAK_SERIAL arg.largest[n] = largest;
  }
}
#endif

/* The potential at x, in scaled coordinates; in 2D without its logarithm. */
OAK_FN double poles_potential(const oak_elliptic_poles_args_t *arg, const double x[3]) {
  const double inverse = 1 / (x[0] * x[0] + x[1] * x[1] + (OAK_DIM == 3 ? x[2] * x[2] : 0));
  double sum[3] = {0};
  OAK_UNROLL
  for (int a = POLES; a >= 0; a--) {
    sum[1] = 0;
    OAK_UNROLL
    for (int b = POLES; b >= 0; b--) {
      sum[2] = 0;
      OAK_UNROLL
      for (int c = OAK_DIM == 3 ? POLES : 0; c >= 0; c--)
        if (a + b + c <= POLES)
          sum[2] = sum[2] * (x[2] * inverse) + arg->coefficient[OAK_MONOMIAL(OAK_DIM, a, b, c)];
      sum[1] = sum[1] * (x[1] * inverse) + sum[2];
    }
    sum[0] = sum[0] * (x[0] * inverse) + sum[1];
  }
  return OAK_DIM == 3 ? sum[0] * sqrt(inverse) : sum[0];
}
#endif

/* Sums over the blocks that do not depend on their order. For this, each moment is cut into parts.
 * A part is a multiple of a power of two that is large enough for exact sums. */
OAK_KERNEL(oak_elliptic_moment_sums, oak_elliptic_moment_sums_args_t, 128) {
  OAK_ARGS(oak_elliptic_moment_sums_args_t);
  OAK_OUTER(n) {
    OAK_SHARED double sum[OAK_ELLIPTIC_PARTS][OAK_ELLIPTIC_MOMENTS];
    const long long first = n * OAK_ELLIPTIC_CHUNK;
    const long long end = OAK_MIN(first + OAK_ELLIPTIC_CHUNK, arg.count);
    for (int p = 0; p < OAK_ELLIPTIC_PARTS; p++)
      OAK_INNER(m, OAK_ELLIPTIC_MOMENTS) sum[p][m] = 0;
    for (long long block = first; block < end; block++)
      OAK_INNER(m, POLES_MOMENTS) {
        double rest = arg.moment[block * OAK_ELLIPTIC_MOMENTS + m];
        OAK_UNROLL
        for (int p = 0; p < OAK_ELLIPTIC_PARTS; p++) {
          const double part = (rest + arg.round[p]) - arg.round[p];
          sum[p][m] += part;
          rest -= part;
        }
      }
    for (int p = 0; p < OAK_ELLIPTIC_PARTS; p++)
      OAK_INNER(m, OAK_ELLIPTIC_MOMENTS)
        arg.out[(n * OAK_ELLIPTIC_PARTS + p) * OAK_ELLIPTIC_MOMENTS + m] = sum[p][m];
  }
}

/* The potential on the faces of cells at the boundary of the domain. */
OAK_KERNEL(oak_elliptic_poles, oak_elliptic_poles_args_t, 64) {
  OAK_ARGS(oak_elliptic_poles_args_t);
  OAK_OUTER_LANES(n) {
    for (int face = 0; face < OAK_FACES; face++) {
      const int dir = face / 2, place = arg.outer[n * OAK_FACES + face];
      if (place < 0) continue;
      double first[3] = {0}, step[3] = {0};
      OAK_UNROLL
      for (int d = 0; d < OAK_DIM; d++) {
        poles_axis(&arg, n, d, &first[d], &step[d]);
        if (d == dir) first[d] += (face & 1 ? 0.5 : -0.5) * step[d];
      }
      OAK_ROWS(b, FB(dir), FA(dir)) {
        OAK_LANES(a, FA(dir)) {
          int at[3];
          double x[3];
          face_point(dir, face & 1 ? OAK_ALONG(dir) - 1 : 0, a, b, at);
          OAK_UNROLL
          for (int d = 0; d < 3; d++) x[d] = first[d] + at[d] * step[d];
          arg.given[(long long)place * FACE_ROOM + b * FA(dir) + a] =
              (real)poles_potential(&arg, x);
        }
#if OAK_DIM == 2 && !OAK_COORDINATES /* apart: compilers have no vectors of logarithms */
        OAK_LANES(a, FA(dir)) {
          const double x = first[0] + (dir ? a : face & 1 ? OAK_NX - 1 : 0) * step[0];
          const double y = first[1] + (dir ? (face & 1 ? OAK_NY - 1 : 0) : a) * step[1];
          arg.given[(long long)place * FACE_ROOM + a] +=
              (real)(0.5 * arg.logarithm * log(x * x + y * y));
        }
#endif
      }
    }
  }
}
