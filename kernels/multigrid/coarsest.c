/* SPDX-License-Identifier: GPL-2.0-or-later
 * The coarsest part of multigrid: one V-cycle on the blocks of level 0, as one array of cells that
 * is coarsened further down to a few cells. One iteration of OAK_OUTER does all of it (on a GPU a
 * single thread block), because the arrays are small. Every rank computes the same values. */
#include "kernels/multigrid/equation.h"

enum { FLAT_LANES = OAK_MANY_THREADS ? 1024 : 512 };

/* Fast memory of a GPU for arrays of up to 16^3 cells: values, then right-hand sides. */
typedef struct {
  real value[OAK_ELLIPTIC_FLAT_SHARED];
} flat_shared_t;

/* flat_t: all arrays, and the constants of array l. */
typedef struct {
  real *u, *r, *a, *b; /* values of all arrays */
  int l, n[3], cells;
  long long start;
  real weight[OAK_DIM], outside[OAK_FACES];
  double inverse[2]; /* 1 / the extents along x and y */
  int wraps[OAK_DIM];
  double axis;              /* number of cells from r = 0 to the first cell */
  double theta, dr, dtheta; /* the lower end of theta, and the size of cells */
} flat_t;

OAK_FN void flat_level(const oak_elliptic_flat_args_t *arg, int l, flat_t *f) {
  f->l = l;
  f->start = arg->start[l];
  f->cells = 1;
  OAK_FOR(d, 3) {
    f->n[d] = arg->n[l][d];
    f->cells *= f->n[d];
  }
  for (int d = 0; d < 2; d++) f->inverse[d] = 1.0 / f->n[d];
  OAK_FOR(d, OAK_DIM) {
    const double dx = arg->dx0[d] * (double)(1LL << l);
    f->weight[d] = (real)(1 / (dx * dx));
    f->wraps[d] = arg->periodic[d];
  }
  OAK_FOR(face, OAK_FACES) f->outside[face] = (real)arg->outside[face];
  f->axis = arg->axis / (double)(1LL << l);
  f->theta = arg->theta;
  f->dr = arg->dx0[0] * (double)(1LL << l);
  f->dtheta = arg->dx0[1] * (double)(1LL << l);
}

/* The geometry of cell (i, j) of the array (kernels/geometry/geometry.h). */
OAK_FN oak_span_t flat_span(const flat_t *f, int i, int j) {
  if (!OAK_COORDINATES) return oak_even_span();
  return oak_span_of(f->axis + i + 0.5, f->dr, f->theta + (j + 0.5) * f->dtheta, f->dtheta);
}

OAK_FN elliptic_metric_t flat_metric(const flat_t *f, int i, int j) {
  return elliptic_metric_of(flat_span(f, i, j), (real)(1 / f->dr), (real)(0.5 * f->dtheta));
}

/* The volume of cell (i, j), divided by the mean volume of all cells. */
OAK_FN real flat_volume(const flat_t *f, int i, int j) {
  if (!OAK_COORDINATES) return 1;
  const double unit = OAK_LOG_RADIUS ? f->dr : 1, wide = f->n[1] * f->dtheta;
  const double r = f->axis + i + 0.5, all = f->axis + 0.5 * f->n[0];
  return (real)(oak_mean_factor(r * unit, unit, f->theta + (j + 0.5) * f->dtheta, f->dtheta) /
                oak_mean_factor(all * unit, f->n[0] * unit, f->theta + 0.5 * wide, wide));
}

/* x / n by the inverse of n, exact for every int x >= 0: a GPU has no division of integers. */
OAK_FN int flat_divide(int x, double inverse) { return (int)((x + 0.5) * inverse); }

OAK_FN void flat_point(const flat_t *f, int c, int x[3]) {
  const int row = flat_divide(c, f->inverse[0]);
  x[0] = c - row * f->n[0];
  x[2] = OAK_DIM == 3 ? flat_divide(row, f->inverse[1]) : 0;
  x[1] = row - x[2] * f->n[1];
}

OAK_FN int flat_cell(const flat_t *f, int x, int y, int z) {
  return ((OAK_DIM == 3 ? z * f->n[1] : 0) + y) * f->n[0] + x;
}

/* The cell beyond a face of cell c at x[], or -1 beyond the boundary of the domain. */
OAK_FN int flat_across(const flat_t *f, int c, const int x[3], int face) {
  const int dir = face / 2, n = f->n[dir];
  const int stride = dir == 0 ? 1 : dir == 1 ? f->n[0] : f->n[0] * f->n[1];
  if (face & 1) return x[dir] < n - 1 ? c + stride : f->wraps[dir] ? c - (n - 1) * stride : -1;
  return x[dir] > 0 ? c - stride : f->wraps[dir] ? c + (n - 1) * stride : -1;
}

/* The coefficients on one face of the cells of an array. */
OAK_FN real *flat_on_face(const oak_elliptic_flat_args_t *arg, const flat_t *f, int face) {
  return f->a + face * arg->all + f->start;
}

/* The weight of the neighbour of a cell across a face. */
OAK_FN real flat_weight(const oak_elliptic_flat_args_t *arg, const flat_t *f, int c, int face,
                        const elliptic_metric_t *m) {
  const real a = OAK_ELLIPTIC_FIELDS ? flat_on_face(arg, f, face)[c] : (real)arg->a;
  return elliptic_weight(m, face, a, f->weight[face / 2]);
}

/* The left-hand side at a cell (elliptic_apply); a cell that is its own neighbour has no flux. */
OAK_FN real flat_apply(const oak_elliptic_flat_args_t *arg, const flat_t *f, int c, const int x[3],
                       real *diagonal) {
  const real *u = f->u + f->start, here = u[c];
  const real b = OAK_ELLIPTIC_FIELDS ? f->b[f->start + c] : (real)arg->b;
  const elliptic_metric_t m = flat_metric(f, x[0], x[1]);
  elliptic_sums_t s = {0, 0};
  OAK_FOR(face, OAK_FACES) {
    const int other = flat_across(f, c, x, face);
    const real w = other == c ? 0 : flat_weight(arg, f, c, face, &m), outside = f->outside[face];
    if (other < 0)
      elliptic_add_face(&s, w, here, -outside * here, 1 + outside);
    else
      elliptic_add_face(&s, w, here, u[other], 1);
  }
  *diagonal = s.fall + b;
  return s.sum - b * here;
}

OAK_FN void flat_relax(const oak_elliptic_flat_args_t *arg, const flat_t *f, int c, const int x[3],
                       real factor) {
  real *u = f->u + f->start, fall;
  if (elliptic_pinned(&f->b[f->start + c])) {
    u[c] = 0;
    return;
  }
  const real lhs = flat_apply(arg, f, c, x, &fall);
  if (fall > 0) u[c] = elliptic_relaxed(u[c], factor, lhs, f->r[f->start + c], fall);
}

/* Sweeps of red-black Gauss-Seidel, also where smoothing solves lines on finer levels: the arrays
 * are so small that many sweeps are cheap. The extents are even on all arrays but the coarsest. */
OAK_FN void flat_smooth(const oak_elliptic_flat_args_t *arg, const flat_t *f, int first) {
  const int half = f->n[0] / 2, sweeps = ELLIPTIC_LINES ? arg->smooth : OAK_ELLIPTIC_SWEEPS;
  for (int s = 0; s < 2 * sweeps; s++) {
    OAK_INNER(h, f->cells / 2) {
      const int row = flat_divide(h, 2 * f->inverse[0]);
      const int z = OAK_DIM == 3 ? flat_divide(row, f->inverse[1]) : 0, y = row - z * f->n[1];
      const int x[3] = {2 * (h - row * half) + ((y + z + s + first) & 1), y, z};
      flat_relax(arg, f, row * f->n[0] + x[0], x, (real)OAK_ELLIPTIC_RELAX);
    }
    OAK_BARRIER;
  }
}

/* Move the residual of array l to the right-hand side of the next array, which starts from 0. */
OAK_FN void flat_down(const oak_elliptic_flat_args_t *arg, const flat_t *f, const flat_t *coarse) {
  OAK_INNER(c, coarse->cells) {
    real sum = 0, fall;
    int at[3];
    flat_point(coarse, c, at);
    const oak_parts_t g = oak_parts(flat_span(coarse, at[0], at[1]), 0);
    OAK_NO_UNROLL
    for (int e = 0; e < (1 << OAK_DIM); e++) {
      const int x[3] = {2 * at[0] + (e & 1), 2 * at[1] + (e >> 1 & 1),
                        OAK_DIM == 3 ? 2 * at[2] + (e >> 2) : 0};
      const int child = flat_cell(f, x[0], x[1], x[2]);
      if (elliptic_pinned(&f->b[f->start + child])) continue;
      sum +=
          (f->r[f->start + child] - flat_apply(arg, f, child, x, &fall)) * elliptic_in_mean(&g, e);
    }
    f->r[coarse->start + c] = sum * (real)(1.0 / (1 << OAK_DIM));
    f->u[coarse->start + c] = 0;
  }
  OAK_BARRIER;
}

OAK_FN void flat_up(const oak_elliptic_flat_args_t *arg, const flat_t *f, const flat_t *coarse) {
  const real *u = f->u + coarse->start;
  OAK_INNER(c, coarse->cells) {
    real slope[OAK_DIM];
    int at[3];
    flat_point(coarse, c, at);
    OAK_FOR(d, OAK_DIM) {
      const int below = flat_across(coarse, c, at, 2 * d);
      const int above = flat_across(coarse, c, at, 2 * d + 1);
      const real more = above < 0 ? -f->outside[2 * d + 1] * u[c] : u[OAK_MAX(above, 0)];
      const real less = below < 0 ? -f->outside[2 * d] * u[c] : u[OAK_MAX(below, 0)];
      slope[d] = (real)0.125 * (more - less);
      if (OAK_ELLIPTIC_FIELDS)
        slope[d] = elliptic_weighted_slope(flat_on_face(arg, coarse, 2 * d)[c],
                                           flat_on_face(arg, coarse, 2 * d + 1)[c], u[c] - less,
                                           more - u[c]);
    }
    OAK_FOR(e, (1 << OAK_DIM)) {
      real sum = u[c];
      OAK_FOR(d, OAK_DIM) sum += e >> d & 1 ? slope[d] : -slope[d];
      f->u[f->start + flat_cell(f, 2 * at[0] + (e & 1), 2 * at[1] + (e >> 1 & 1),
                                OAK_DIM == 3 ? 2 * at[2] + (e >> 2) : 0)] += sum;
    }
  }
  OAK_BARRIER;
}

/* The place of a cell of the finest array in the values of blocks. */
OAK_FN long long flat_place(const oak_elliptic_flat_args_t *arg, const flat_t *f, int c,
                            int *block) {
  int x[3];
  flat_point(f, c, x);
  const int tree = (x[2] / OAK_NZ * arg->trees[1] + x[1] / OAK_NY) * arg->trees[0] + x[0] / OAK_NX;
  *block = arg->number[tree];
  return *block * (long long)OAK_CELLS + OAK_INDEX(x[0] % OAK_NX, x[1] % OAK_NY, x[2] % OAK_NZ);
}

OAK_FN void flat_load(const oak_elliptic_flat_args_t *arg, const flat_t *f) {
  OAK_INNER(c, f->cells) {
    int block;
    f->r[c] = arg->rhs[flat_place(arg, f, c, &block)];
    f->u[c] = 0;
  }
  OAK_BARRIER;
}

OAK_FN void flat_store(const oak_elliptic_flat_args_t *arg, const flat_t *f) {
  OAK_INNER(c, f->cells) {
    int block;
    const long long place = flat_place(arg, f, c, &block);
    if (block >= arg->first && block < arg->first + arg->count)
      arg->u[place - arg->first * (long long)OAK_CELLS] = f->u[c];
  }
}

/* ---- the coarsest array: its matrix is a band, whose factors L and U have no pivoting, because no
 * sum of neighbours exceeds the diagonal */

/* The number of the unknown of a cell. */
OAK_FN int flat_unknown(const oak_elliptic_flat_args_t *arg, const flat_t *f, const int x[3]) {
  const int long_axis = arg->along, n = f->n[long_axis], at = x[long_axis];
  const int first = long_axis == 0, second = long_axis == 2 ? 1 : 2;
  const int place = !arg->folded ? at : 2 * at < n ? 2 * at : 2 * (n - 1 - at) + 1;
  const int plane = OAK_DIM == 3 ? f->n[first] * f->n[second] : f->n[first];
  return place * plane + x[first] + (OAK_DIM == 3 ? f->n[first] * x[second] : 0);
}

/* Row `k` of the band; the diagonal is at 0. */
OAK_FN real *flat_row(const oak_elliptic_flat_args_t *arg, int k) {
  return arg->lu + k * (2LL * arg->band + 1) + arg->band;
}

OAK_FN void flat_matrix_row(const oak_elliptic_flat_args_t *arg, const flat_t *f, int c) {
  int x[3];
  flat_point(f, c, x);
  const int k = flat_unknown(arg, f, x);
  const elliptic_metric_t m = flat_metric(f, x[0], x[1]);
  real *row = flat_row(arg, k);
  for (int j = -arg->band; j <= arg->band; j++) row[j] = 0;
  if (elliptic_pinned(&f->b[f->start + c])) {
    row[0] = 1;
    return;
  }
  (void)flat_apply(arg, f, c, x, &row[0]);
  OAK_FOR(face, OAK_FACES) {
    const int other = flat_across(f, c, x, face);
    int y[3];
    if (other < 0 || other == c) continue;
    flat_point(f, other, y);
    row[flat_unknown(arg, f, y) - k] -= flat_weight(arg, f, c, face, &m);
  }
}

OAK_KERNEL(oak_elliptic_flat_factor, oak_elliptic_flat_args_t, FLAT_LANES) {
  OAK_ARGS(oak_elliptic_flat_args_t);
  OAK_OUTER(n) {
    flat_t f;
    f.u = arg.fu;
    f.a = arg.fa;
    f.b = arg.fb;
    flat_level(&arg, arg.levels - 1, &f);
    OAK_INNER(c, f.cells) f.u[f.start + c] = 0;
    OAK_BARRIER;
    OAK_INNER(c, f.cells) flat_matrix_row(&arg, &f, c);
    OAK_BARRIER;
    for (int k = 0; k < f.cells; k++) {
      const int m = OAK_MIN(arg.band, f.cells - 1 - k);
      const real *row = flat_row(&arg, k);
      const int whole = arg.singular && k == f.cells - 1; /* the last unknown may have any value */
      const real inverse = whole ? 0 : oak_inv(row[0]);
      OAK_INNER2(i, m, j, m) {
        real *to = flat_row(&arg, k + i + 1);
        to[j - i] -= to[-i - 1] * inverse * row[j + 1];
      }
      OAK_BARRIER;
      OAK_INNER(i, m) flat_row(&arg, k + i + 1)[-i - 1] *= inverse;
      OAK_SERIAL flat_row(&arg, k)[0] = inverse;
      OAK_BARRIER;
    }
  }
}

OAK_FN void flat_solve(const oak_elliptic_flat_args_t *arg, const flat_t *f) {
  real *y = flat_row(arg, f->cells) - arg->band;
  OAK_INNER(c, f->cells) {
    int x[3];
    flat_point(f, c, x);
    y[flat_unknown(arg, f, x)] = elliptic_pinned(&f->b[f->start + c]) ? 0 : -f->r[f->start + c];
  }
  OAK_BARRIER;
  for (int k = 0; k < f->cells; k++) {
    const int m = OAK_MIN(arg->band, f->cells - 1 - k);
    OAK_INNER(i, m) y[k + i + 1] -= flat_row(arg, k + i + 1)[-i - 1] * y[k];
    OAK_BARRIER;
  }
  for (int k = f->cells - 1; k >= 0; k--) {
    const real value = y[k] * flat_row(arg, k)[0];
    OAK_INNER(i, OAK_MIN(arg->band, k)) y[k - i - 1] -= flat_row(arg, k - i - 1)[i + 1] * value;
    OAK_BARRIER;
  }
  OAK_INNER(c, f->cells) {
    int x[3];
    flat_point(f, c, x);
    const int k = flat_unknown(arg, f, x);
    f->u[f->start + c] = y[k] * flat_row(arg, k)[0];
  }
}

OAK_KERNEL_SHARED(oak_elliptic_flat, oak_elliptic_flat_args_t, FLAT_LANES, 1,
                  OAK_MANY_THREADS ? sizeof(flat_shared_t) : 0) {
  OAK_ARGS(oak_elliptic_flat_args_t);
  OAK_OUTER(n) {
    OAK_SHARED double lane[FLAT_LANES];
    flat_t f, next;
    f.u = arg.fu;
    f.r = arg.fr;
    f.a = arg.fa;
    f.b = arg.fb;
#if OAK_MANY_THREADS
    OAK_SHARED_STRUCT(flat_shared_t, shared);
    if (2 * arg.all <= OAK_ELLIPTIC_FLAT_SHARED) {
      f.u = shared.value;
      f.r = shared.value + arg.all;
    }
#endif
    next = f;
    flat_level(&arg, 0, &f);
    flat_load(&arg, &f);
    if (arg.singular) { /* the sum differs from 0 by rounding alone */
      const int cells = f.cells;
      double mean;
      OAK_INNER(i, FLAT_LANES) {
        lane[i] = 0;
        for (int c = i; c < cells; c += FLAT_LANES) {
          int x[3];
          flat_point(&f, c, x);
          lane[i] += flat_volume(&f, x[0], x[1]) * f.r[c];
        }
      }
      OAK_REDUCE_SUM(mean, lane, FLAT_LANES);
      OAK_INNER(c, cells) f.r[c] -= (real)(mean / cells);
      OAK_BARRIER;
    }
    for (int l = 0; l < arg.levels - 1; l++) {
      flat_level(&arg, l, &f);
      flat_level(&arg, l + 1, &next);
      flat_smooth(&arg, &f, 0);
      flat_down(&arg, &f, &next);
    }
    flat_level(&arg, arg.levels - 1, &f);
    if (arg.band) flat_solve(&arg, &f);
    OAK_SERIAL {
      for (int s = 0; !arg.band && s < arg.sweeps; s++)
        for (int c = 0; c < f.cells; c++) {
          int x[3];
          flat_point(&f, c, x);
          flat_relax(&arg, &f, c, x, 1);
        }
    }
    OAK_BARRIER;
    for (int l = arg.levels - 2; l >= 0; l--) {
      flat_level(&arg, l, &f);
      flat_level(&arg, l + 1, &next);
      flat_up(&arg, &f, &next);
      flat_smooth(&arg, &f, 1);
    }
    flat_level(&arg, 0, &f);
    flat_store(&arg, &f);
  }
}

#if OAK_ELLIPTIC_FIELDS
/* Average the coefficients of the finer array \a f to cell c of array \a next. */
OAK_FN void flat_average_fields(const oak_elliptic_flat_args_t *arg, const flat_t *f,
                                const flat_t *next, int c) {
  real a[OAK_FACES] = {0}, b = 0;
  int x[3], pinned = 0;
  flat_point(next, c, x);
  const oak_span_t span = flat_span(next, x[0], x[1]);
  const oak_parts_t whole = oak_parts(span, 0);
  for (int e = 0; e < (1 << OAK_DIM); e++) {
    const long long child = f->start + flat_cell(f, 2 * x[0] + (e & 1), 2 * x[1] + (e >> 1 & 1),
                                                 OAK_DIM == 3 ? 2 * x[2] + (e >> 2) : 0);
    OAK_FOR(d, OAK_DIM) {
      const int face = 2 * d + (e >> d & 1);
      const oak_parts_t g = oak_face_parts(span, 0, d);
      a[face] += flat_on_face(arg, f, face)[child - f->start] * elliptic_part(&g, d, e);
    }
    pinned += elliptic_pinned(&arg->fb[child]);
    if (elliptic_pinned(&arg->fb[child])) continue;
    b += arg->fb[child] * elliptic_part(&whole, -1, e);
  }
  OAK_FOR(face, OAK_FACES)
    flat_on_face(arg, next, face)[c] = a[face] * (real)(OAK_DIM == 3 ? 0.25 : 0.5);
  arg->fb[next->start + c] = b * (real)(1.0 / (1 << OAK_DIM));
  if (2 * pinned >= 1 << OAK_DIM) arg->fb[next->start + c] = -1;
}

/* Compute the coefficients of all arrays. */
OAK_KERNEL(oak_elliptic_flat_fields, oak_elliptic_flat_args_t, FLAT_LANES) {
  OAK_ARGS(oak_elliptic_flat_args_t);
  OAK_OUTER(n) {
    flat_t f, next;
    f.a = next.a = arg.fa;
    flat_level(&arg, 0, &f);
    OAK_INNER(c, f.cells) {
      int block;
      const long long place = flat_place(&arg, &f, c, &block);
      int x[3];
      flat_point(&f, c, x);
      arg.fb[c] = arg.bs[place];
      OAK_FOR(d, OAK_DIM) {
        const int in = x[d] % OAK_ALONG(d), a = (d == 0 ? x[1] : x[0]) % FA(d);
        const int b = OAK_DIM == 3 ? (d == 2 ? x[1] : x[2]) % FB(d) : 0;
        flat_on_face(&arg, &f, 2 * d)[c] = arg.low[d][place];
        flat_on_face(&arg, &f, 2 * d + 1)[c] =
            in < OAK_ALONG(d) - 1
                ? arg.low[d][place + OAK_STRIDE(d)]
                : arg.high[block * (long long)OAK_CELLS + d * FACE_ROOM + b * FA(d) + a];
      }
    }
    OAK_BARRIER;
    for (int l = 0; l < arg.levels - 1; l++) {
      flat_level(&arg, l, &f);
      flat_level(&arg, l + 1, &next);
      OAK_INNER(c, next.cells) {
        flat_average_fields(&arg, &f, &next, c);
      }
      OAK_BARRIER;
    }
  }
}
#endif
