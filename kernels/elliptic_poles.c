/* SPDX-License-Identifier: GPL-2.0-or-later
 * Isolated boundaries: the solution of div(grad u) = f at the boundary, if f is zero outside the
 * domain. It follows from the multipoles of f up to degree POLES. Coordinates are relative to
 * arg.center and multiplied by arg.scale.
 *
 * In 3D the moments are the integrals of f x^a y^b z^c with a + b + c <= POLES. From these, the
 * host computes a polynomial P with u(x) = P(x / r^2) / r. In 2D they are those of f z^l with z = x
 * + i y, and u = m ln(r) + the real part of P(1 / z) (src/elliptic/outer.c). */
#include "kernels/elliptic.h"

#define POLES_PLANAR (OAK_DIM == 2 && !OAK_COORDINATES)
#if OAK_COORDINATES
#include "kernels/elliptic_rings.h"
#elif POLES_PLANAR
enum {
  POLES = OAK_ELLIPTIC_POLES(2),
  POLES_MOMENTS = 2 * (POLES + 1), /* real and imaginary parts */
  /* Rows of a quarter of a block, and cells, whose values are added before a sum is stored. */
  POLES_ROWS = OAK_CELLS <= 1024 ? OAK_NY / 2
               : OAK_NY % 8 == 0 ? 4
                                 : 1,
  POLES_FOLDED = POLES_ROWS * OAK_NX / 2,
  POLES_TURN = POLES_FOLDED % 16 == 0 ? 16 : OAK_NX / 2,
  POLES_TURNS = POLES_FOLDED / POLES_TURN
};

/* The moments of each block about its centre, in units of half its diagonal. Each part of z^l is
 * even or odd in x and in y. So f is first folded to a quarter of the block, in four ways, and
 * arg.power has the parts of z^l there. Corners of the domain are not farther than sqrt(2) from its
 * centre. So about that centre, no moment is larger than 2^((POLES + 1) / 2) times the largest one
 * here. */
OAK_KERNEL(oak_elliptic_moments, oak_elliptic_poles_args_t, 128) {
  OAK_ARGS(oak_elliptic_poles_args_t);
  OAK_OUTER(n) {
    OAK_SHARED double folded[4][POLES_FOLDED], sum[POLES_TURNS][32];
    const real *f = arg.rhs + n * (long long)OAK_CELLS + OAK_CELLS / 2 + OAK_NX / 2;
    double x, y, dx, dy, all = 0, *out = arg.out + poles_place(n, 0);
    poles_axis(&arg, n, 0, &x, &dx);
    poles_axis(&arg, n, 1, &y, &dy);
    for (int j0 = 0; j0 < OAK_NY / 2; j0 += POLES_ROWS) {
      OAK_INNER2(j, POLES_ROWS, i, OAK_NX / 2) {
        const real *up = f + (j0 + j) * OAK_NX, *down = f - (j0 + j + 1) * OAK_NX;
        const double even[2] = {up[i] + down[i], up[-1 - i] + down[-1 - i]};
        const double odd[2] = {up[i] - down[i], up[-1 - i] - down[-1 - i]};
        folded[0][j * (OAK_NX / 2) + i] = even[0] + even[1];
        folded[1][j * (OAK_NX / 2) + i] = even[0] - even[1];
        folded[2][j * (OAK_NX / 2) + i] = odd[0] - odd[1];
        folded[3][j * (OAK_NX / 2) + i] = odd[0] + odd[1];
      }
      OAK_BARRIER;
      OAK_ROWS(row, 4 * POLES_TURNS, 4) {
        const int k = row / POLES_TURNS;
        const double *g = folded[0] + row * POLES_TURN;
        const double *power = arg.power + row * (8 * POLES_TURN) + j0 * (4 * OAK_NX) +
                              k * (2 * OAK_CELLS - 8 * POLES_FOLDED);
        double *to = sum[row % POLES_TURNS] + 8 * k;
        OAK_LANES(m, 4) {
          double low = j0 ? to[m] : 0, high = j0 ? to[m + 4] : 0;
          OAK_UNROLL
          for (int c = 0; c < POLES_TURN; c++) {
            low += g[c] * power[8 * c + m];
            high += g[c] * power[8 * c + m + 4];
          }
          to[m] = low;
          to[m + 4] = high;
        }
      }
      OAK_BARRIER;
    }
    OAK_INNER(k, 32) {
      double s = 0;
      OAK_UNROLL
      for (int t = 0; t < POLES_TURNS; t++) s += sum[t][k];
      out[k * OAK_MOMENT_ROW] = s * oak_cell_volume(&arg.f, n);
      sum[0][k] = fabs(s);
    }
    OAK_BARRIER;
    OAK_SERIAL {
      out[32 * OAK_MOMENT_ROW] = x + 0.5 * (OAK_NX - 1) * dx;
      out[33 * OAK_MOMENT_ROW] = y + 0.5 * (OAK_NY - 1) * dy;
      out[34 * OAK_MOMENT_ROW] =
          0.5 * sqrt(OAK_NX * dx * (OAK_NX * dx) + OAK_NY * dy * (OAK_NY * dy));
      OAK_UNROLL
      for (int k = 0; k < 32; k++) all += sum[0][k];
      arg.largest[n] = elliptic_larger(0, all * oak_cell_volume(&arg.f, n) * (2 << POLES / 2));
    }
  }
}

/* The moments of a block about arg.center from those about its own centre, each at the beginning of
 * a row. */
OAK_FN void poles_about_center(const double *in, double *out) {
  const double x = in[32 * OAK_MOMENT_ROW], y = in[33 * OAK_MOMENT_ROW];
  double scale = 1, re[POLES + 1], im[POLES + 1];
  OAK_UNROLL
  for (int l = 0; l <= POLES; l++, scale *= in[34 * OAK_MOMENT_ROW]) {
    re[l] = scale * in[OAK_PLANAR(l, 0) * OAK_MOMENT_ROW];
    im[l] = scale * in[OAK_PLANAR(l, 1) * OAK_MOMENT_ROW];
  }
  OAK_UNROLL
  for (int m = 1; m <= POLES; m++) OAK_UNROLL
  for (int l = POLES; l > 0; l--)
    if (l >= m) {
      re[l] = re[l] + x * re[l - 1] - y * im[l - 1];
      im[l] = im[l] + x * im[l - 1] + y * re[l - 1];
    }
  OAK_UNROLL
  for (int l = 0; l <= POLES; l++) {
    out[2 * l * OAK_MOMENT_ROW] = re[l];
    out[(2 * l + 1) * OAK_MOMENT_ROW] = im[l];
  }
}

/* The potential at x, in scaled coordinates, without its logarithm. */
OAK_FN double poles_potential(const oak_elliptic_poles_args_t *arg, const double x[3]) {
  const double inverse = 1 / (x[0] * x[0] + x[1] * x[1]), c = x[0] * inverse, s = x[1] * inverse;
  double re = 0, im = 0;
  OAK_UNROLL
  for (int l = POLES; l >= 0; l--) {
    const double turned = arg->coefficient[2 * l] + re * c + im * s;
    im = arg->coefficient[2 * l + 1] + im * c - re * s;
    re = turned;
  }
  return re;
}
#else
enum {
  POLES = OAK_ELLIPTIC_POLES(3),
  POLES_C = POLES + 1, /* powers of z */
  POLES_PAIRS = OAK_PAIRS(POLES),
  /* Cells along y, and planes, whose values are added before a sum is stored. */
  POLES_TURN = OAK_NY % 8 == 0   ? 8
               : OAK_NY % 4 == 0 ? 4
                                 : 2,
  POLES_PLANES = OAK_NZ % 4 == 0 && OAK_NX <= 64 ? 4 : 2,
  POLES_MOMENTS = OAK_MONOMIALS(POLES)
};

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
          const int pair = OAK_PAIR(b, c);
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
        if (pair < OAK_PAIRS(POLES - a)) {
          arg.out[poles_place(n, OAK_MONOMIAL(a, 0, 0) + pair)] = sum[a];
          size = elliptic_larger(size, sum[a]);
        }
      most[pair] = size;
    }
    OAK_BARRIER;
    OAK_REDUCE_MAX(largest, most, POLES_PAIRS);
    OAK_SERIAL arg.largest[n] = largest;
  }
}

/* The potential at x, in scaled coordinates. */
OAK_FN double poles_potential(const oak_elliptic_poles_args_t *arg, const double x[3]) {
  const double inverse = 1 / (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
  double sum[3] = {0};
  OAK_UNROLL
  for (int a = POLES; a >= 0; a--) {
    sum[1] = 0;
    OAK_UNROLL
    for (int b = POLES; b >= 0; b--) {
      sum[2] = 0;
      OAK_UNROLL
      for (int c = POLES; c >= 0; c--)
        if (a + b + c <= POLES)
          sum[2] = sum[2] * (x[2] * inverse) + arg->coefficient[OAK_MONOMIAL(a, b, c)];
      sum[1] = sum[1] * (x[1] * inverse) + sum[2];
    }
    sum[0] = sum[0] * (x[0] * inverse) + sum[1];
  }
  return sum[0] * sqrt(inverse);
}
#endif

/* Sums over the blocks of a chunk that do not depend on their order. For this, each moment is cut
 * into parts. A part is a multiple of a power of two that is large enough for exact sums. */
OAK_KERNEL(oak_elliptic_moment_sums, oak_elliptic_moment_sums_args_t, 128) {
  OAK_ARGS(oak_elliptic_moment_sums_args_t);
  OAK_OUTER(n) {
    OAK_SHARED double sum[OAK_ELLIPTIC_PARTS][POLES_MOMENTS][8];
    const double *in = arg.moment + poles_place(n * OAK_ELLIPTIC_CHUNK, 0);
#if POLES_PLANAR
    OAK_SHARED double moment[POLES_MOMENTS * OAK_MOMENT_ROW];
    OAK_INNER(b, OAK_ELLIPTIC_CHUNK) poles_about_center(in + b, moment + b);
    in = moment;
    OAK_BARRIER;
#endif
    OAK_ROWS(k, POLES_MOMENTS, 8) {
      OAK_LANES(lane, 8) {
        double all[OAK_ELLIPTIC_PARTS] = {0};
        for (int b = 0; b < OAK_ELLIPTIC_CHUNK; b += 8) {
          double rest = in[k * OAK_MOMENT_ROW + b + lane];
          OAK_UNROLL
          for (int p = 0; p < OAK_ELLIPTIC_PARTS; p++) {
            const double part = (rest + arg.round[p]) - arg.round[p];
            all[p] += part;
            rest -= part;
          }
        }
        OAK_UNROLL
        for (int p = 0; p < OAK_ELLIPTIC_PARTS; p++) sum[p][k][lane] = all[p];
      }
    }
    OAK_BARRIER;
    OAK_INNER2(p, OAK_ELLIPTIC_PARTS, k, POLES_MOMENTS) {
      double all = 0;
      for (int lane = 0; lane < 8; lane++) all += sum[p][k][lane];
      arg.out[(n * OAK_ELLIPTIC_PARTS + p) * OAK_ELLIPTIC_MOMENTS + k] = all;
    }
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
#if POLES_PLANAR /* apart: compilers have no vectors of logarithms */
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
