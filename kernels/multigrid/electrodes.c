/* SPDX-License-Identifier: GPL-2.0-or-later
 * Bodies in elliptic equations. A cell whose centre is in an electrode keeps the potential of the
 * electrode. If a line between the centres of a cell outside and a cell inside meets the surface
 * after the fraction theta of its length, the flux through the face between them is a (V - u) /
 * (theta dx), where u is the value of the cell outside and V the potential (F. Gibou, R. P. Fedkiw,
 * L.-T. Cheng, M. Kang, J. Comput. Phys. 176 (2002) 205). This flux is a term of b and of the
 * right-hand side; the face has almost no coefficient. Only runs with bodies have these kernels. */
#include "kernels/multigrid/equation.h"

/* A face of a cell: `cut` as in the arguments, positive if a body is beyond the face. */
typedef struct {
  long long place;  /* place of the face */
  real cut, weight; /* 1 / dx^2, times the area */
} elliptic_wall_t;

/* elliptic_area for areas that depend on the radius alone. */
OAK_FN real body_area(const oak_field_t *f, long n, int i, int face) {
  const elliptic_metric_t m = elliptic_metric(f, n, i, 0);
  return elliptic_area(&m, face);
}

OAK_FN elliptic_wall_t elliptic_wall(const oak_elliptic_args_t *arg, long n, int i, int j, int k,
                                     int face) {
  const int dir = face / 2, high = face & 1;
  const real inv = (real)oak_inv_dx(&arg->f, arg->f.block[n].level, dir);
  elliptic_wall_t w;
  w.place = n * (long long)OAK_FACE_REALS + oak_face_index(dir, i, j, k) + high * OAK_STRIDE(dir);
  w.cut = high ? arg->cut[w.place] : -arg->cut[w.place];
  w.weight = inv * inv * body_area(&arg->f, n, i, face);
  return w;
}

/* Whether an electrode is beyond a face. */
OAK_FN int elliptic_is_cut(real cut) { return cut > 0 && cut <= 1; }

/* Compute the terms of electrodes in b and in arg.res, which the next coarser level averages. A
 * coarse cell takes the averages if no line from its centre meets an electrode, because the body is
 * too small. An average adds up fluxes to the surface from the centres of fine cells; the way of a
 * coarse cell to the surface has in addition half of a coarse cell, with the mean coefficient of
 * its faces. */
OAK_KERNEL(oak_elliptic_pin, oak_elliptic_args_t, ELLIPTIC_LANES) {
  OAK_ARGS(oak_elliptic_args_t);
  OAK_OUTER_LANES(n) {
    elliptic_block_t block;
    elliptic_block(&arg, n, &block);
    real *bs = (real *)arg.bs + n * (long long)OAK_CELLS;
    const real *pin = arg.pin + n * (long long)OAK_CELLS;
    const real quarter = oak_div((real)0.25, block.weight[0]);
    OAK_ROWS(row, OAK_NY * OAK_NZ, OAK_NX) {
      const int j = row % OAK_NY, k = row / OAK_NY;
      const elliptic_on_row_t on = elliptic_on_row(block.low, block.high, j, k);
      OAK_LANES(i, OAK_NX) {
        const int c = row * OAK_NX + i;
        real sum = 0, other = 0, mean = 0;
        for (int face = 0; face < OAK_FACES; face++) {
          const elliptic_wall_t w = elliptic_wall(&arg, n, i, j, k, face);
          const real own = elliptic_a(&on, i, face);
          mean += own * (real)(1.0 / OAK_FACES);
          if (!elliptic_is_cut(w.cut)) continue;
          /* On coarse levels, a cell in gas has no coefficient: the kernel tries its face in the
           * electrode and the opposite one, and the average tells which of them fits. */
          const real known = arg.top ? arg.c.u[n * (long long)OAK_CELLS + c] : -pin[c];
          sum += oak_div((known > 0 ? known : elliptic_a(&on, i, face ^ 1)) * w.weight, w.cut);
          other += oak_div((known > 0 ? known : own) * w.weight, w.cut);
        }
        const real finer = arg.top ? 0 : arg.res[n * (long long)OAK_CELLS + c];
        const real average = oak_div(finer, 1 + oak_div(finer * quarter, mean));
        if ((average * average < sum * other) != (sum < other)) sum = other;
        if (sum == 0) sum = average;
        arg.res[n * (long long)OAK_CELLS + c] = pin[c] > 0 ? oak_div(2, quarter) : sum;
        bs[c] = pin[c] > 0 ? -1 : bs[c] + sum;
      }
    }
  }
}

/* Take the coefficient from cut faces, but for a fraction that is too small to change a sum, so
 * that quotients of coefficients remain numbers. */
OAK_KERNEL(oak_elliptic_sever, oak_elliptic_args_t, ELLIPTIC_LANES) {
  OAK_ARGS(oak_elliptic_args_t);
  OAK_OUTER_LANES(n) {
    OAK_ROWS(row, OAK_NY * OAK_NZ, OAK_NX) {
      const int j = row % OAK_NY, k = row / OAK_NY;
      OAK_LANES(i, OAK_NX) {
        for (int face = 0; face < OAK_FACES; face++) {
          const int dir = face / 2, x = dir == 0 ? i : dir == 1 ? j : k;
          const real cut = oak_abs(elliptic_wall(&arg, n, i, j, k, face).cut);
          if (!elliptic_is_cut(cut) || (face & 1 && x < OAK_ALONG(dir) - 1)) continue;
          const int along = dir == 0 ? j : i, across = OAK_DIM == 2 ? 0 : dir == 2 ? j : k;
          *elliptic_place(&arg, n, face, row * OAK_NX + i, along, across) *= (real)1e-30;
        }
      }
    }
  }
}

/* Share the surface charge of dielectrics: the right-hand side in cells with faces to the gas, in
 * equal parts on each of these faces. The shares go to the cells of `c`, and arg.res loses these
 * values. */
OAK_KERNEL(oak_elliptic_shares, oak_elliptic_args_t, ELLIPTIC_LANES) {
  OAK_ARGS(oak_elliptic_args_t);
  OAK_OUTER_LANES(n) {
    real *share = (real *)arg.c.u + n * (long long)OAK_CELLS;
    real *f = arg.res + n * (long long)OAK_CELLS;
    OAK_ROWS(row, OAK_NY * OAK_NZ, OAK_NX) {
      OAK_LANES(i, OAK_NX) {
        const int c = row * OAK_NX + i;
        int count = 0;
        for (int face = 0; face < OAK_FACES; face++)
          count += elliptic_wall(&arg, n, i, row % OAK_NY, row / OAK_NY, face).cut ==
                   -OAK_DIELECTRIC_CUT;
        share[c] = count ? f[c] / count : 0;
        f[c] = count ? 0 : f[c];
      }
    }
  }
}

/* Store the shares on faces of dielectrics, from the cells and their ghost cells. */
OAK_KERNEL(oak_elliptic_charges, oak_elliptic_args_t, ELLIPTIC_LANES) {
  OAK_ARGS(oak_elliptic_args_t);
  OAK_OUTER_LANES(n) {
    const real *share = arg.c.u + n * (long long)OAK_CELLS;
    oak_side_t side[OAK_FACES];
    for (int face = 0; face < OAK_FACES; face++) side[face] = oak_side_of(&arg.c, 1, n, face);
    OAK_ROWS(row, OAK_NY * OAK_NZ, OAK_NX) {
      const int j = row % OAK_NY, k = row / OAK_NY;
      const elliptic_row_t r = elliptic_row(share, side, j, k);
      OAK_LANES(i, OAK_NX) {
        for (int face = 0; face < OAK_FACES; face++) {
          const elliptic_wall_t w = elliptic_wall(&arg, n, i, j, k, face);
          if (oak_abs(w.cut) == OAK_DIELECTRIC_CUT)
            arg.wall[w.place] = w.cut < 0 ? r.c[i] : elliptic_across(&r, i, face);
        }
      }
    }
  }
}

/* Add terms to the right-hand side: potentials of electrodes, and surface charge, of which both
 * cells beside a face have a part. arg.res gets numbers of the size of the right-hand side, in
 * which the term of an electrode counts as if its surface were at the centre of the next cell. */
OAK_KERNEL(oak_elliptic_terms, oak_elliptic_args_t, ELLIPTIC_LANES) {
  OAK_ARGS(oak_elliptic_args_t);
  OAK_OUTER_LANES(n) {
    const real *a = arg.c.u + n * (long long)OAK_CELLS, *pin = arg.pin + n * (long long)OAK_CELLS;
    real *rhs = (real *)arg.rhs + n * (long long)OAK_CELLS;
    real *size = arg.res + n * (long long)OAK_CELLS;
    oak_side_t side[OAK_FACES];
    for (int face = 0; face < OAK_FACES; face++) side[face] = oak_side_of(&arg.c, 1, n, face);
    OAK_ROWS(row, OAK_NY * OAK_NZ, OAK_NX) {
      const int j = row % OAK_NY, k = row / OAK_NY;
      const elliptic_row_t r = elliptic_row(a, side, j, k);
      OAK_LANES(i, OAK_NX) {
        const int c = row * OAK_NX + i;
        real sum = rhs[c], charge = size[c], most = 0;
        for (int face = 0; face < OAK_FACES; face++) {
          const elliptic_wall_t w = elliptic_wall(&arg, n, i, j, k, face);
          if (elliptic_is_cut(w.cut)) {
            const real term = a[c] * w.weight * arg.wall[w.place];
            sum -= oak_div(term, w.cut);
            most = OAK_MAX(most, elliptic_counted(&arg, n, face / 2, term));
          }
          if (oak_abs(w.cut) == OAK_DIELECTRIC_CUT) {
            const real beyond = elliptic_across(&r, i, face);
            const int other = face == 0 ? i - 1 : face == 1 ? i + 1 : i;
            const real area =
                oak_div(body_area(&arg.f, n, i, face), body_area(&arg.f, n, other, face ^ 1));
            const real term =
                (w.cut > 0 ? area : 1) * arg.wall[w.place] * oak_div(a[c], a[c] + beyond);
            sum += term;
            charge += term;
          }
        }
        rhs[c] = pin[c] > 0 ? rhs[c] : sum;
        size[c] = pin[c] > 0 ? 0 : OAK_MAX(oak_abs(charge), most);
      }
    }
  }
}

/* Correct the derivatives in arg.res across the faces along arg.axis at bodies: up to the surface
 * of an electrode, or on the gas side of a dielectric. */
OAK_KERNEL(oak_elliptic_wall_slopes, oak_elliptic_args_t, ELLIPTIC_LANES) {
  OAK_ARGS(oak_elliptic_args_t);
  OAK_OUTER_LANES(n) {
    const real *a = arg.c.u + n * (long long)OAK_CELLS;
    const real *u = arg.f.u + n * (long long)OAK_CELLS;
    oak_side_t side[OAK_FACES], around[OAK_FACES];
    for (int face = 0; face < OAK_FACES; face++) {
      side[face] = oak_side_of(&arg.c, 1, n, face);
      around[face] = elliptic_side(&arg, n, face);
    }
    const real inv = (real)oak_inv_dx(&arg.f, arg.f.block[n].level, arg.axis);
    OAK_ROWS(row, OAK_NY * OAK_NZ, OAK_NX) {
      const int j = row % OAK_NY, k = row / OAK_NY;
      const elliptic_row_t r = elliptic_row(a, side, j, k), v = elliptic_row(u, around, j, k);
      OAK_LANES(i, OAK_NX) {
        for (int high = 0; high < 2; high++) {
          const int face = 2 * arg.axis + high, x = arg.axis == 0 ? i : arg.axis == 1 ? j : k;
          if (high && x < OAK_ALONG(arg.axis) - 1) continue;
          const elliptic_wall_t w = elliptic_wall(&arg, n, i, j, k, face);
          const real out = high ? inv : -inv, wall = arg.wall[w.place];
          const real beyond = elliptic_across(&v, i, face), here = v.c[i];
          if (elliptic_is_cut(w.cut)) arg.res[w.place] = out * oak_div(wall - here, w.cut);
          if (elliptic_is_cut(-w.cut)) arg.res[w.place] = out * oak_div(beyond - wall, -w.cut);
          if (oak_abs(w.cut) != OAK_DIELECTRIC_CUT) continue;
          const real own = r.c[i], other = elliptic_across(&r, i, face);
          const real solid = w.cut > 0 ? other : own, sum = own + other;
          const int cell = w.cut < 0 ? i : face == 0 ? i - 1 : face == 1 ? i + 1 : i;
          const real area = body_area(&arg.f, n, cell, w.cut < 0 ? face : face ^ 1);
          /* the jump of a times the derivative along the axis, from the gas to the dielectric */
          const real jump = oak_div(wall, area * inv);
          const real to_gas = (w.cut > 0) == high ? -1 : 1;
          arg.res[w.place] = oak_div(2 * solid * out * (beyond - here) + to_gas * jump, sum);
        }
      }
    }
  }
}
