/* SPDX-License-Identifier: GPL-2.0-or-later
 * div(a grad u) - b u = rhs on the blocks of a level: smoothing, residual, gradient, sums.
 * Seven-point (2D: five-point) finite volumes; a on a face is the harmonic mean of its cells. */
#include "kernels/multigrid/elliptic.h"

/* For the host: 1 if smoothing solves lines. */
OAK_CONST_DATA int oak_elliptic_lines[1] = {ELLIPTIC_LINES};

#if ELLIPTIC_LINES
/* The parity of a block's place along an axis. */
OAK_FN int elliptic_parity(const oak_elliptic_args_t *arg, long block, int dir) {
  const oak_block_t *b = &arg->f.block[block];
  const double low = dir == 1 ? arg->f.low[1] : arg->f.low[2];
  if (dir == 0) return b->first & 1;
  return (int)floor((b->origin[dir] - low) * oak_inv_dx(&arg->f, b->level, dir) / OAK_ALONG(dir) +
                    0.5) &
         1;
}

/* Solve a line of cells along arg->axis for the change of their values (Thomas algorithm). It goes
 * through \a count blocks, of which \a block is the first. Values beyond its ends are fixed, but
 * with \a round the last cell is beside the first one. Then the change of each cell is change +
 * ratio * that of the next cell + last * that of the last cell. (a, b): the place of the line among
 * the lines of a block. */
OAK_FN void elliptic_solve_line(const oak_elliptic_args_t *arg, elliptic_block_t *block,
                                const int *link, int count, int round, int a, int b, real *ratio,
                                real *change, real *last) {
  const int dir = arg->axis, cells = OAK_ALONG(dir), end = count * cells - 1;
  real next = 0, one = 0, begin[3] = {0, 0, 1}; /* begin: the same for the first cell */
  for (int m = 0; m <= end; m++) {
    const int k = count > 1 ? m / cells : 0;
    const long n = link[k];
    int x[3];
    if (count > 1 && m == k * cells) elliptic_block(arg, n, block);
    face_point(dir, m - k * cells, a, b, x);
    const elliptic_cells_t r = elliptic_cells(block, x[1], x[2]);
    real fall, weight[OAK_FACES];
    const real lhs = elliptic_apply(arg, block, &r, n, x[0], &fall, weight);
    real low = weight[0], high = weight[1];
    OAK_UNROLL
    for (int d = 1; d < OAK_DIM; d++) {
      low = d == dir ? weight[2 * d] : low;
      high = d == dir ? weight[2 * d + 1] : high;
    }
    real sum = lhs - arg->rhs[n * (long long)OAK_CELLS + OAK_INDEX(x[0], x[1], x[2])], corner = 0;
    if (m == 0) corner = round ? low : 0;
    if (m > 0) {
      sum += low * change[m - 1];
      fall -= low * ratio[m - 1];
      if (round) corner = low * last[m - 1];
    }
    if (round && m == end) {
      sum += high * begin[0];
      fall -= corner + high * (begin[1] + begin[2]);
    }
    const real inverse = oak_inv(fall);
    ratio[m] = high * inverse;
    change[m] = sum * inverse;
    if (round) {
      last[m] = corner * inverse;
      begin[0] += begin[2] * change[m];
      begin[1] += begin[2] * last[m];
      begin[2] *= ratio[m];
    }
  }
  for (int m = end; m >= 0; m--) {
    const int k = count > 1 ? m / cells : 0;
    int x[3];
    face_point(dir, m - k * cells, a, b, x);
    next = change[m] + (m < end ? ratio[m] * next + (round ? last[m] * one : 0) : 0);
    if (m == end) one = next;
    arg->u[link[k] * (long long)OAK_CELLS + OAK_INDEX(x[0], x[1], x[2])] += next;
  }
}

/* Half a sweep of lines of one colour. The next line along each axis has the other colour, and so
 * has the line of the next block that continues this line: no line reads what another one writes.
 */
OAK_KERNEL(oak_elliptic_smooth, oak_elliptic_args_t, ELLIPTIC_LANES) {
  OAK_ARGS(oak_elliptic_args_t);
  OAK_OUTER_LANES(n) {
    if (elliptic_rests(&arg, n)) continue;
    enum { LONGEST = OAK_MAX(OAK_NX, OAK_MAX(OAK_NY, OAK_NZ)) };
    const int colour = arg.colour + elliptic_parity(&arg, n, arg.axis), link = (int)n;
    elliptic_block_t block;
    elliptic_block(&arg, n, &block);
    OAK_ROWS(b, FB(arg.axis), HA(arg.axis)) {
      OAK_LANES(h, HA(arg.axis)) {
        real ratio[LONGEST], change[LONGEST];
        elliptic_solve_line(&arg, &block, &link, 1, 0, 2 * h + ((b + colour) & 1), b, ratio, change,
                            NULL);
      }
    }
  }
}

/* The same with lines that go on from block to block, all of which are on this rank. The next line
 * along each other axis has the other colour. */
OAK_KERNEL(oak_elliptic_smooth_chains, oak_elliptic_args_t, ELLIPTIC_LANES) {
  OAK_ARGS(oak_elliptic_args_t);
  OAK_OUTER_LANES(n) {
    const oak_elliptic_chain_t c = arg.chain[n];
    const int dir = arg.axis, *link = arg.link + c.first;
    OAK_ROWS(b, FB(dir), HA(dir)) {
      OAK_LANES(h, HA(dir)) {
        const int a = 2 * h + ((b + arg.colour) & 1);
        real *line = arg.line + c.first * (long long)OAK_CELLS +
                     (b * FA(dir) + a) * (long long)(c.count * OAK_ALONG(dir));
        elliptic_block_t block;
        elliptic_block(&arg, *link, &block);
        elliptic_solve_line(&arg, &block, link, c.count, c.round, a, b, line, line + arg.nline,
                            line + 2 * arg.nline);
      }
    }
  }
}
#elif !ELLIPTIC_PLAIN
/* Half a sweep of Gauss-Seidel. Cells of one colour read only cells of the other one, in all blocks
 * of the level, since blocks have even numbers of cells. */
OAK_KERNEL(oak_elliptic_smooth, oak_elliptic_args_t, ELLIPTIC_LANES) {
  OAK_ARGS(oak_elliptic_args_t);
  OAK_OUTER_LANES(n) {
    if (elliptic_rests(&arg, n)) continue;
    elliptic_block_t b;
    elliptic_block(&arg, n, &b);
    const real *rhs = arg.rhs + n * (long long)OAK_CELLS;
    real *u = arg.u + n * (long long)OAK_CELLS;
    OAK_ROWS(row, OAK_NY * OAK_NZ, OAK_NX) {
      const int j = row % OAK_NY, k = row / OAK_NY, odd = (j + k + arg.colour) & 1;
      const elliptic_cells_t r = elliptic_cells(&b, j, k);
      OAK_LANES(i, OAK_NX) {
        real fall, weight[OAK_FACES];
        const real lhs = elliptic_apply(&arg, &b, &r, n, i, &fall, weight);
        real next =
            r.u.c[i] - (real)OAK_ELLIPTIC_RELAX * oak_div(rhs[row * OAK_NX + i] - lhs, fall);
#if OAK_ELLIPTIC_BODIES
        if (elliptic_pinned(r.b[i])) next = arg.top ? rhs[row * OAK_NX + i] : 0;
#endif
        if ((i & 1) == odd) u[row * OAK_NX + i] = next;
      }
    }
  }
}
#endif

OAK_KERNEL(oak_elliptic_residual, oak_elliptic_args_t, ELLIPTIC_LANES) {
  OAK_ARGS(oak_elliptic_args_t);
  OAK_OUTER_LANES(n) {
    elliptic_block_t b;
    elliptic_block(&arg, n, &b);
    const real *rhs = arg.rhs + n * (long long)OAK_CELLS;
    real *res = arg.res + n * (long long)OAK_CELLS;
    if (elliptic_rests(&arg, n)) {
      OAK_ROWS(row, OAK_NY * OAK_NZ, OAK_NX) {
        OAK_LANES(i, OAK_NX) res[row * OAK_NX + i] = rhs[row * OAK_NX + i];
      }
      continue;
    }
    OAK_ROWS(row, OAK_NY * OAK_NZ, OAK_NX) {
      const elliptic_cells_t r = elliptic_cells(&b, row % OAK_NY, row / OAK_NY);
      OAK_LANES(i, OAK_NX) {
        real fall, weight[OAK_FACES];
        res[row * OAK_NX + i] =
            rhs[row * OAK_NX + i] - elliptic_apply(&arg, &b, &r, n, i, &fall, weight);
#if OAK_ELLIPTIC_BODIES
        if (elliptic_pinned(r.b[i])) res[row * OAK_NX + i] = 0;
#endif
      }
    }
  }
}

/* arg->outside[face]. For an index that varies, a GPU would copy the arguments to slow memory. */
OAK_FN double outside_of(const oak_elliptic_args_t *arg, int face) {
  double outside = 0;
  OAK_FOR(n, 6)
    if (n == face) outside = arg->outside[n];
  return outside;
}

/* The values beyond both faces of a block across an axis. */
typedef struct {
  int dir;
  const real *u;
  oak_side_t side[2];
  const real *given[2];
  real factor[2];
  int slope[2]; /* a derivative is given */
} elliptic_across_t;

OAK_FN elliptic_across_t elliptic_across_block(const oak_elliptic_args_t *arg, long n, int dir) {
  elliptic_across_t e;
  const real inv = (real)oak_inv_dx(&arg->f, arg->f.block[n].level, dir);
  e.dir = dir;
  e.u = arg->f.u + n * (long long)OAK_CELLS;
  for (int high = 0; high < 2; high++) {
    const int face = 2 * dir + high, place = arg->outer[n * OAK_FACES + face];
    const double outside = outside_of(arg, face);
    e.side[high] = elliptic_side(arg, n, face);
    e.given[high] = place < 0 ? arg->given : arg->given + (long long)place * FACE_ROOM;
    /* The memory holds the ghost value for the boundary value 0. If another value is given, its
     * term is added. */
    e.factor[high] = place < 0 ? 0 : outside > 0 ? 2 : 1 / inv;
    e.slope[high] = outside <= 0;
  }
  return e;
}

/* The value across the lower or upper face of cell (i, j, k). */
OAK_FN real elliptic_beyond(const elliptic_across_t *e, int high, const elliptic_metric_t *m, int i,
                            int j, int k) {
  const int x = e->dir == 0 ? i : e->dir == 1 ? j : k;
  const int a = e->dir == 0 ? j : i, b = OAK_DIM == 2 ? 0 : e->dir == 2 ? j : k;
  const real *c = e->u + OAK_INDEX(i, j, k);
  if (high ? x < OAK_ALONG(e->dir) - 1 : x > 0)
    return high ? c[OAK_STRIDE(e->dir)] : c[-OAK_STRIDE(e->dir)];
#if OAK_COORDINATES == OAK_SPHERICAL
  /* The value on the other side of r = 0 is not at hand: a parabola continues the row. */
  if (e->dir == 0 && !high && elliptic_area(m, 0) == 0) return 3 * (c[0] - c[1]) + c[2];
#endif
  const real factor = e->slope[high]
                          ? oak_div(e->factor[high], elliptic_face_unit(m, 2 * e->dir + high))
                          : e->factor[high];
  return e->side[high].p[a * e->side[high].sa + b * e->side[high].sb] +
         (factor > 0 ? factor * e->given[high][b * FA(e->dir) + a] : 0);
}

/* Derivatives in cells. The flux through a face, a times the derivative, is the same on both sides
 * of it. Divided by a in the cell it is the derivative on the cell's side, also where a jumps. */
#if OAK_ELLIPTIC_FIELDS
OAK_FN elliptic_on_row_t elliptic_faces_of_row(const oak_elliptic_args_t *arg, long n, int j,
                                               int k) {
  const real *low[OAK_DIM];
  OAK_FOR(d, OAK_DIM) low[d] = arg->low[d] + n * (long long)OAK_CELLS;
  return elliptic_on_row(low, arg->high + n * (long long)OAK_CELLS, j, k);
}
#define ELLIPTIC_SIDES(on, a, arg, n, j, k)                            \
  const elliptic_on_row_t on = elliptic_faces_of_row(&(arg), n, j, k); \
  const real *a = (arg).c.u + (n) * (long long)OAK_CELLS + OAK_INDEX(0, j, k)
#define ELLIPTIC_ON_SIDE(on, a, i, face) oak_div(elliptic_a(&(on), i, face), (a)[i])
#else
#define ELLIPTIC_SIDES(on, a, arg, n, j, k) ((void)0)
#define ELLIPTIC_ON_SIDE(on, a, i, face) 1
#endif

/* The derivative along arg.axis: the mean of the derivatives on both faces of a cell. The equation
 * uses the same differences. */
OAK_KERNEL(oak_elliptic_gradient, oak_elliptic_args_t, ELLIPTIC_LANES) {
  OAK_ARGS(oak_elliptic_args_t);
  OAK_OUTER_LANES(n) {
    const elliptic_across_t e = elliptic_across_block(&arg, n, arg.axis);
    const real half = (real)(0.5 * oak_inv_dx(&arg.f, arg.f.block[n].level, arg.axis));
    real *out = arg.res + n * (long long)OAK_CELLS;
    OAK_ROWS(row, OAK_NY * OAK_NZ, OAK_NX) {
      const int j = row % OAK_NY, k = row / OAK_NY;
      ELLIPTIC_SIDES(on, a, arg, n, j, k);
      OAK_LANES(i, OAK_NX) {
        const elliptic_metric_t m = elliptic_metric(&arg.f, n, i, j);
        const real less = elliptic_beyond(&e, 0, &m, i, j, k);
        const real more = elliptic_beyond(&e, 1, &m, i, j, k);
#if OAK_ELLIPTIC_FIELDS
        const real here = e.u[row * OAK_NX + i];
        const real sum = ELLIPTIC_ON_SIDE(on, a, i, 2 * e.dir + 1) * (more - here) +
                         ELLIPTIC_ON_SIDE(on, a, i, 2 * e.dir) * (here - less);
#else
        const real sum = more - less;
#endif
        out[row * OAK_NX + i] = half * elliptic_unit(&m, e.dir) * sum;
      }
    }
  }
}

/* The derivatives across the faces along arg.axis, arg.res [nblock][OAK_FACE_REALS]. Both blocks
 * beside a face compute the same bits. */
OAK_KERNEL(oak_elliptic_slopes, oak_elliptic_args_t, ELLIPTIC_LANES) {
  OAK_ARGS(oak_elliptic_args_t);
  OAK_OUTER_LANES(n) {
    const int dir = arg.axis;
    const elliptic_across_t e = elliptic_across_block(&arg, n, dir);
    const real inv = (real)oak_inv_dx(&arg.f, arg.f.block[n].level, dir);
    real *out = arg.res + n * (long long)OAK_FACE_REALS;
    OAK_ROWS(row, OAK_NY * OAK_NZ, OAK_NX) {
      const int j = row % OAK_NY, k = row / OAK_NY;
      OAK_LANES(i, OAK_NX) {
        const int face = oak_face_index(dir, i, j, k);
        const real c = e.u[row * OAK_NX + i];
        const elliptic_metric_t m = elliptic_metric(&arg.f, n, i, j);
        out[face] =
            inv * elliptic_face_unit(&m, 2 * dir) * (c - elliptic_beyond(&e, 0, &m, i, j, k));
        if ((dir == 0 ? i : dir == 1 ? j : k) == OAK_ALONG(dir) - 1)
          out[face + OAK_STRIDE(dir)] =
              inv * elliptic_face_unit(&m, 2 * dir + 1) * (elliptic_beyond(&e, 1, &m, i, j, k) - c);
      }
    }
  }
}

/* The derivative on a cell's side of a face, from that on the face. At bodies this is that of the
 * gas: up to the surface of an electrode; and on the other side of a dielectric it is so large that
 * the mean of both is the difference across the face. `place`: of the face. */
OAK_FN real elliptic_on_side(const oak_elliptic_args_t *arg, const elliptic_across_t *e, long n,
                             int high, int i, int j, int k, long long place, real share) {
  const real slope = arg->res[place];
#if OAK_ELLIPTIC_BODIES
  const real cut = arg->cut[place];
  const int solid = high ? cut < 0 : cut > 0;
  if (cut == 0) return share * slope;
  if (oak_abs(cut) != OAK_DIELECTRIC_CUT || !solid) return slope;
  const elliptic_metric_t m = elliptic_metric(&arg->f, n, i, j);
  const real here = e->u[OAK_INDEX(i, j, k)], beyond = elliptic_beyond(e, high, &m, i, j, k);
  const real inv = (real)oak_inv_dx(&arg->f, arg->f.block[n].level, e->dir);
  return 2 * inv * elliptic_face_unit(&m, 2 * e->dir + high) *
             (high ? beyond - here : here - beyond) -
         slope;
#else
  (void)e, (void)n, (void)high, (void)i, (void)j, (void)k;
  return share * slope;
#endif
}

/* The derivative in cells: the mean of those on both faces (arg.res), into arg.u. */
OAK_KERNEL(oak_elliptic_means, oak_elliptic_args_t, ELLIPTIC_LANES) {
  OAK_ARGS(oak_elliptic_args_t);
  OAK_OUTER_LANES(n) {
    const elliptic_across_t e = elliptic_across_block(&arg, n, arg.axis);
    real *out = arg.u + n * (long long)OAK_CELLS;
    OAK_ROWS(row, OAK_NY * OAK_NZ, OAK_NX) {
      const int j = row % OAK_NY, k = row / OAK_NY;
      ELLIPTIC_SIDES(on, a, arg, n, j, k);
      OAK_LANES(i, OAK_NX) {
        const long long low = n * (long long)OAK_FACE_REALS + oak_face_index(arg.axis, i, j, k);
        real sum = 0;
        OAK_FOR(high, 2)
          sum += elliptic_on_side(&arg, &e, n, high, i, j, k, low + high * OAK_STRIDE(arg.axis),
                                  ELLIPTIC_ON_SIDE(on, a, i, 2 * arg.axis + high));
        out[row * OAK_NX + i] = (real)0.5 * sum;
      }
    }
  }
}

#if OAK_ELLIPTIC_FIELDS
/* The coefficient on a face at the boundary, extrapolated linearly from two cells. If it changes by
 * a factor of 2 or more between them, the coefficient of the nearer cell is used. A given flux, a
 * times the derivative, then has second order. */
OAK_FN real boundary_coefficient(const real *c, int face) {
  const int step = OAK_STRIDE(face / 2);
  const real next = c[face & 1 ? -step : step];
  return next < 2 * *c && *c < 2 * next ? (real)1.5 * *c - (real)0.5 * next : *c;
}
#endif

/* Move the terms of boundary values from the left-hand side to the right-hand side, so that the
 * remaining equation has boundary values of 0. One launch does one face of all blocks. */
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
#if OAK_ELLIPTIC_FIELDS
          const real *c = arg.c.u + n * (long long)OAK_CELLS + cell;
          const real on_face = outside > 0 ? *c : boundary_coefficient(c, face);
#else
          const real on_face = (real)arg.a;
#endif
          arg.res[n * (long long)OAK_CELLS + cell] -= w * on_face * given[b * FA(dir) + a];
        }
      }
    }
  }
}

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

/* The order of sums depends on the block alone. */
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
