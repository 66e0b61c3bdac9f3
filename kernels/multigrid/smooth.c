/* SPDX-License-Identifier: GPL-2.0-or-later
 * Smoothing and residual for all coefficients and coordinates: cell by cell, or by lines of cells
 * where the sizes of a cell along its axes differ much. */
#include "kernels/multigrid/equation.h"

#if !ELLIPTIC_PLAIN
/* The parity of a block's place along an axis. */
OAK_FN int elliptic_parity(const oak_elliptic_args_t *arg, long block, int dir) {
  const oak_block_t *b = &arg->f.block[block];
  const double low = dir == 1 ? arg->f.low[1] : arg->f.low[2];
  if (dir == 0) return b->first & 1;
  return (int)floor((b->origin[dir] - low) * oak_inv_dx(&arg->f, b->level, dir) / OAK_ALONG(dir) +
                    0.5) &
         1;
}

#if ELLIPTIC_LINES
/* Solve a line of cells along arg->axis for the changes of their values (Thomas algorithm). The
 * line goes through \a count blocks from \a block on. Values beyond its ends are fixed; with \a
 * round the last cell is beside the first one. The change of a cell is change + ratio * the
 * change of the next cell + last * the change of the last cell. (a, b): the place of the line in
 * a block. */
OAK_FN void elliptic_solve_line(const oak_elliptic_args_t *arg, elliptic_block_t *block,
                                const int *link, int count, int round, int a, int b, real *ratio,
                                real *change, real *last) {
  const int dir = arg->axis, cells = OAK_ALONG(dir), end = count * cells - 1;
  real next = 0, one = 0, begin[3] = {0, 0, 1}; /* begin: change, ratio, last of the first cell */
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

/* Smooth line `h` of the present colour in row b of the lines of a block, or of a chain of blocks.
 * The next line along each axis has the other colour, and so has the line that continues a line in
 * the next block: no line reads values that another line writes. */
OAK_FN void elliptic_relax(const oak_elliptic_args_t *arg, elliptic_block_t *block,
                           const elliptic_cells_t *r, long n, int colour, int b, int h) {
  enum { LONGEST = OAK_MAX(OAK_NX, OAK_MAX(OAK_NY, OAK_NZ)) };
  const int dir = arg->axis, own = (int)n, a = 2 * h + ((b + colour) & 1);
  (void)r;
  if (arg->chain) {
    const oak_elliptic_chain_t c = arg->chain[n];
    elliptic_block_t other = *block; /* each lane has a copy */
    real *line = arg->line + c.first * (long long)OAK_CELLS +
                 (b * FA(dir) + a) * (long long)(c.count * OAK_ALONG(dir));
    elliptic_solve_line(arg, &other, arg->link + c.first, c.count, c.round, a, b, line,
                        line + arg->nline, line + 2 * arg->nline);
  } else {
    real ratio[LONGEST], change[LONGEST];
    elliptic_solve_line(arg, block, &own, 1, 0, a, b, ratio, change, NULL);
  }
}
#else
/* Smooth cell i of a row by Gauss-Seidel. Cells of one colour read only cells of the other colour,
 * in all blocks of the level, because blocks have even numbers of cells. */
OAK_FN void elliptic_relax(const oak_elliptic_args_t *arg, const elliptic_block_t *block,
                           const elliptic_cells_t *r, long n, int colour, int row, int i) {
  const long long c = n * (long long)OAK_CELLS + row * OAK_NX + i;
  real fall, weight[OAK_FACES];
  const real lhs = elliptic_apply(arg, block, r, n, i, &fall, weight);
  real next = elliptic_relaxed(r->u.c[i], (real)OAK_ELLIPTIC_RELAX, lhs, arg->rhs[c], fall);
  if (elliptic_pinned(&r->b[i])) next = arg->top ? arg->rhs[c] : 0;
  if (((row % OAK_NY + row / OAK_NY + colour + i) & 1) == 0) arg->u[c] = next;
}
#endif

/* Half a sweep: all cells or lines of one colour. */
OAK_KERNEL(oak_elliptic_smooth, oak_elliptic_args_t, ELLIPTIC_LANES) {
  OAK_ARGS(oak_elliptic_args_t);
  OAK_OUTER_LANES(n) {
    const long first = arg.chain ? arg.link[arg.chain[n].first] : n;
    const int rows = ELLIPTIC_LINES ? FB(arg.axis) : OAK_NY * OAK_NZ;
    const int count = ELLIPTIC_LINES ? HA(arg.axis) : OAK_NX; /* lines or cells in a row */
    const int next = ELLIPTIC_LINES && !arg.chain ? elliptic_parity(&arg, n, arg.axis) : 0;
    const int colour = arg.colour + next;
    elliptic_block_t block;
    if (elliptic_rests(&arg, first)) continue;
    elliptic_block(&arg, first, &block);
    OAK_ROWS(row, rows, count) {
      const elliptic_cells_t r = elliptic_cells(&block, row % OAK_NY, row / OAK_NY);
      OAK_LANES(i, count) elliptic_relax(&arg, &block, &r, n, colour, row, i);
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
        if (elliptic_pinned(&r.b[i])) res[row * OAK_NX + i] = 0;
      }
    }
  }
}
