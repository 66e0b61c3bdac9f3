/* SPDX-License-Identifier: GPL-2.0-or-later
 * Values at the boundary of the domain: their terms in the right-hand side, and values of isolated
 * boundaries, which belong to the solution of div(grad u) = f where f is zero outside the domain.
 * They follow from the multipoles of f up to degree POLES. Coordinates are relative to arg.center
 * and multiplied by arg.scale.
 *
 * In 3D the moments are the integrals of f x^a y^b z^c with a + b + c <= POLES. From these, the
 * host computes a polynomial P with u(x) = P(x / r^2) / r. In 2D the moments are the integrals of f
 * z^l with z = x + i y, and u = m ln(r) + the real part of P(1 / z) (src/elliptic/far_field.c). */
#include "kernels/multigrid/equation.h"

/* The coefficient on a face at the boundary, extrapolated linearly from two cells, so that a given
 * flux, a times the derivative, has second order. If both cells differ by a factor of 2 or more,
 * the coefficient of the nearer cell is used. */
OAK_FN real boundary_coefficient(const real *c, int face) {
  const int step = OAK_STRIDE(face / 2);
  const real next = c[face & 1 ? -step : step];
  return next < 2 * *c && *c < 2 * next ? (real)1.5 * *c - (real)0.5 * next : *c;
}

/* Move the terms of boundary values from the left-hand side to the right-hand side, so that the
 * remaining equation has boundary values of 0. arg.u is the right-hand side; arg.res gets numbers
 * of its size, for the tolerance. One launch does one face of all blocks. */
OAK_KERNEL(oak_elliptic_bound, oak_elliptic_args_t, 64) {
  OAK_ARGS(oak_elliptic_args_t);
  OAK_OUTER_LANES(n) {
    const int face = arg.face, dir = face / 2;
    const int place = arg.outer[n * OAK_FACES + face];
    if (place >= 0) {
      const double outside = outside_of(&arg, face);
      const double inv = oak_inv_dx(&arg.f, arg.f.block[n].level, dir);
      const real weight = (real)(outside > 0 ? 2 * inv * inv : inv);
      const real *given = arg.given + (long long)place * FACE_ROOM;
      OAK_ROWS(b, FB(dir), FA(dir)) {
        OAK_LANES(a, FA(dir)) {
          int x[3];
          face_point(dir, face & 1 ? OAK_ALONG(dir) - 1 : 0, a, b, x);
          const int cell = OAK_INDEX(x[0], x[1], x[2]);
          const elliptic_metric_t m = elliptic_metric(&arg.f, n, x[0], x[1]);
          const real w =
              weight * (outside > 0 ? elliptic_factor(&m, face) : elliptic_area(&m, face));
          const real *c = arg.c.u + n * (long long)OAK_CELLS + cell;
          real on_face = (real)arg.a;
          if (OAK_ELLIPTIC_FIELDS) on_face = outside > 0 ? *c : boundary_coefficient(c, face);
          const real term = w * on_face * given[b * FA(dir) + a];
          real *size = &arg.res[n * (long long)OAK_CELLS + cell];
          arg.u[n * (long long)OAK_CELLS + cell] -= term;
          *size = OAK_MAX(oak_abs(*size), elliptic_counted(&arg, n, dir, term));
        }
      }
    }
  }
}

#define POLES_PLANAR (OAK_DIM == 2 && !OAK_COORDINATES)
#if OAK_COORDINATES
#include "kernels/multigrid/far_field_rings.h"
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

/* The moments of each block about its centre, in units of half its diagonal, whose square is also
 * the unit of volume. Each part of z^l is even or odd in x and in y. Therefore f is first folded to
 * a quarter of the block, in four ways, and arg.power has the parts of z^l in that quarter. */
OAK_KERNEL(oak_elliptic_moments, oak_elliptic_poles_args_t, 128) {
  OAK_ARGS(oak_elliptic_poles_args_t);
  OAK_OUTER(n) {
    OAK_SHARED double folded[4][POLES_FOLDED], sum[POLES_TURNS][32];
    const real *f = arg.rhs + n * (long long)OAK_CELLS + OAK_CELLS / 2 + OAK_NX / 2;
    double *out = arg.out + poles_place(n, 0);
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
      OAK_ROWS_OF(k, 4, t, POLES_TURNS, 4) {
        const double *g = folded[k] + t * POLES_TURN;
        const double *power =
            arg.power + k * (2 * OAK_CELLS) + j0 * (4 * OAK_NX) + t * (8 * POLES_TURN);
        double *to = sum[t] + 8 * k;
        OAK_LANES(m, 4) {
          double low = j0 ? to[m] : 0, high = j0 ? to[m + 4] : 0;
          OAK_FOR(c, POLES_TURN) {
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
      OAK_FOR(t, POLES_TURNS) s += sum[t][k];
      out[k * OAK_MOMENT_ROW] = s * arg.volume;
    }
  }
}

/* For m = 1, 2 and so on: each moment from the m-th on gets the moment before it added, times
 * `even` or `odd` by its place. */
OAK_FN void poles_shift(double even, double odd, double moment[POLES + 1]) {
  OAK_UNROLL
  for (int m = 1; m <= POLES; m++) OAK_UNROLL
  for (int l = POLES; l > 0; l--)
    if (l >= m) moment[l] += (l % 2 ? odd : even) * moment[l - 1];
}

/* Move the moments of a block, each at the beginning of a row, from its own centre to the centre of
 * the domain, along x and then along y. A shift along y adds imaginary parts to real parts of the
 * next power and the other way round, so two rows do not depend on each other. */
OAK_FN void poles_about_center(double *at) {
  const double x = at[32 * OAK_MOMENT_ROW], y = at[33 * OAK_MOMENT_ROW];
  const double half = at[34 * OAK_MOMENT_ROW];
  double scale = half * half, part[2][POLES + 1], mixed[2][POLES + 1];
  OAK_UNROLL
  for (int l = 0; l <= POLES; l++, scale *= half)
    OAK_FOR(p, 2) part[p][l] = scale * at[OAK_PLANAR(l, p) * OAK_MOMENT_ROW];
  OAK_FOR(p, 2) poles_shift(x, x, part[p]);
  OAK_FOR(p, 2) {
    OAK_FOR(l, POLES + 1) mixed[p][l] = part[(l + p) % 2][l];
    poles_shift(p ? y : -y, p ? -y : y, mixed[p]);
    OAK_FOR(l, POLES + 1) at[(2 * l + (l + p) % 2) * OAK_MOMENT_ROW] = mixed[p][l];
  }
}

/* The potential at x in scaled coordinates, without the term with the logarithm. */
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
        OAK_FOR(b, POLES + 1) sum[b] = j0 ? plane[k][b][i] : 0;
        OAK_FOR(j, POLES_TURN) {
          const double y = y0 + (j0 + j) * dy;
          double term = from[j * OAK_NX + i];
          OAK_FOR(b, POLES + 1) {
            sum[b] += term;
            term *= y;
          }
        }
        OAK_FOR(b, POLES + 1) plane[k][b][i] = sum[b];
      }
    }
}

/* The moments of each block. Sums along y come first, then sums along z and x, so that there is
 * little work per cell. */
OAK_KERNEL(oak_elliptic_moments, oak_elliptic_poles_args_t, 128) {
  OAK_ARGS(oak_elliptic_poles_args_t);
  OAK_OUTER(n) {
    OAK_SHARED double plane[POLES_PLANES][POLES + 1][OAK_NX], line[OAK_NX][POLES_PAIRS];
    OAK_SHARED double power[POLES_PLANES][POLES_C];
    const real *f = arg.rhs + n * (long long)OAK_CELLS;
    const double volume = oak_cell_volume(&arg.f, n);
    double x0, y0, z0, dx, dy, dz;
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
            OAK_FOR(k, POLES_PLANES) sum += power[k][c] * plane[k][b][i];
            line[i][pair] = sum;
          }
        }
      OAK_BARRIER;
    }
    OAK_INNER(pair, POLES_PAIRS) {
      double sum[POLES + 1] = {0};
      for (int i = 0; i < OAK_NX; i++) {
        double term = volume * line[i][pair];
        OAK_FOR(a, POLES + 1) {
          sum[a] += term;
          term *= x0 + i * dx;
        }
      }
      OAK_FOR(a, POLES + 1)
        if (pair < OAK_PAIRS(POLES - a))
          arg.out[poles_place(n, OAK_MONOMIAL(a, 0, 0) + pair)] = sum[a];
    }
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

/* The sum of the sizes of each block's moments, an upper bound of each of them. In 2D the moments
 * are first moved to the centre of the domain. */
OAK_KERNEL(oak_elliptic_moment_sizes, oak_elliptic_moment_sums_args_t, OAK_ELLIPTIC_CHUNK) {
  OAK_ARGS(oak_elliptic_moment_sums_args_t);
  OAK_OUTER(n) {
    OAK_SHARED double size[OAK_ELLIPTIC_CHUNK];
    const long first = n * OAK_ELLIPTIC_CHUNK;
    double *moment = arg.moment + poles_place(first, 0);
#if POLES_PLANAR
    OAK_INNER(b, OAK_ELLIPTIC_CHUNK) poles_about_center(moment + b);
#endif
    OAK_INNER(b, OAK_ELLIPTIC_CHUNK) {
      double all = 0;
      for (int k = 0; k < POLES_MOMENTS; k += 2)
        all += fabs(moment[k * OAK_MOMENT_ROW + b]) + fabs(moment[(k + 1) * OAK_MOMENT_ROW + b]);
      size[b] = all;
    }
    OAK_INNER(b, (int)OAK_MIN(OAK_ELLIPTIC_CHUNK, arg.blocks - first))
      arg.largest[first + b] = elliptic_larger(0, size[b]);
  }
}

/* Sums over the blocks of a chunk that do not depend on the order. Each moment is cut into parts
 * for this; a part is a multiple of a power of two that is large enough for exact sums. */
OAK_KERNEL(oak_elliptic_moment_sums, oak_elliptic_moment_sums_args_t, 128) {
  OAK_ARGS(oak_elliptic_moment_sums_args_t);
  OAK_OUTER(n) {
    OAK_SHARED double sum[OAK_ELLIPTIC_PARTS][POLES_MOMENTS][8];
    const double *in = arg.moment + poles_place(n * OAK_ELLIPTIC_CHUNK, 0);
    OAK_ROWS(k, POLES_MOMENTS, 8) {
      OAK_LANES(lane, 8) {
        double all[OAK_ELLIPTIC_PARTS] = {0};
        for (int b = 0; b < OAK_ELLIPTIC_CHUNK; b += 8) {
          double rest = in[k * OAK_MOMENT_ROW + b + lane];
          OAK_FOR(p, OAK_ELLIPTIC_PARTS) {
            const double part = (rest + arg.round[p]) - arg.round[p];
            all[p] += part;
            rest -= part;
          }
        }
        OAK_FOR(p, OAK_ELLIPTIC_PARTS) sum[p][k][lane] = all[p];
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

/* The potential on the faces of cells at the boundary of the domain; an iteration has a block's
 * face. */
OAK_KERNEL(oak_elliptic_poles, oak_elliptic_poles_args_t, 64) {
  OAK_ARGS(oak_elliptic_poles_args_t);
  OAK_OUTER_LANES(n) {
    const int block = arg.outer[n] / OAK_FACES, face = arg.outer[n] % OAK_FACES, dir = face / 2;
    real *given = arg.given + n * (long long)FACE_ROOM;
    double first[3] = {0}, step[3] = {0};
    int with_a[3], with_b[3]; /* whether a coordinate changes along a and along b */
    OAK_FOR(d, 3) {
      if (d < OAK_DIM) poles_axis(&arg, block, d, &first[d], &step[d]);
      if (d == dir) first[d] += (face & 1 ? OAK_ALONG(d) - 0.5 : -0.5) * step[d];
      with_b[d] = d != dir && (d == 2 || d + dir == 3);
      with_a[d] = d != dir && !with_b[d];
    }
    OAK_ROWS(b, FB(dir), FA(dir)) {
      OAK_LANES(a, FA(dir)) {
        double x[3];
        OAK_FOR(d, 3) x[d] = first[d] + (a * with_a[d] + b * with_b[d]) * step[d];
        given[b * FA(dir) + a] = (real)poles_potential(&arg, x);
      }
#if POLES_PLANAR /* a loop of its own: compilers have no vectors of logarithms */
      OAK_LANES(a, FA(dir)) {
        const double x = first[0] + a * with_a[0] * step[0], y = first[1] + a * with_a[1] * step[1];
        given[a] += (real)(0.5 * arg.logarithm * log(x * x + y * y));
      }
#endif
    }
  }
}
