/* SPDX-License-Identifier: GPL-2.0-or-later
 * The coarsest part of multigrid: one V-cycle on the blocks of level 0, as one array of cells that
 * is coarsened further down to a few cells. One team of lanes does all of it, because such small
 * arrays would not keep more of them busy. Every rank computes the same. */

enum { FLAT_LANES = 512 };

OAK_FN int flat_cells(const oak_elliptic_flat_args_t *arg, int l) {
  return arg->n[l][0] * arg->n[l][1] * arg->n[l][2];
}

/* The cell across a face of cell c, or -1 beyond the boundary of the domain. */
OAK_FN int flat_across(const oak_elliptic_flat_args_t *arg, int l, int c, int face) {
  const int nx = arg->n[l][0], ny = arg->n[l][1], nz = arg->n[l][2], dir = face / 2;
  const int stride = dir == 0 ? 1 : dir == 1 ? nx : nx * ny;
  const int n = dir == 0 ? nx : dir == 1 ? ny : nz;
  const int x = dir == 0 ? c % nx : dir == 1 ? c / nx % ny : c / (nx * ny);
  const int wraps = arg->periodic[dir];
  if (face & 1) return x < n - 1 ? c + stride : wraps ? c - (n - 1) * stride : -1;
  return x > 0 ? c - stride : wraps ? c + (n - 1) * stride : -1;
}

/* The left-hand side at a cell, and how much it falls when the cell rises by 1. */
OAK_FN real flat_apply(const oak_elliptic_flat_args_t *arg, int l, int c, real *diagonal) {
  const real *u = arg->fu + arg->start[l];
  real sum = 0, fall = 0;
  for (int face = 0; face < OAK_FACES; face++) {
    const int other = flat_across(arg, l, c, face);
    const real outside = (real)arg->outside[face];
#if OAK_ELLIPTIC_FIELDS
    const real *as = arg->fa + arg->start[l];
    const real a = other < 0 ? as[c] : elliptic_face(as[c], as[other]);
#else
    const real a = (real)arg->a;
#endif
    const real w = a * (real)arg->weight[face / 2] / (real)(1LL << 2 * l);
    if (other == c) continue;
    sum += w * ((other < 0 ? -outside * u[c] : u[other]) - u[c]);
    fall += w * (other < 0 ? 1 + outside : 1);
  }
#if OAK_ELLIPTIC_FIELDS
  const real b = arg->fb[arg->start[l] + c];
#else
  const real b = (real)arg->b;
#endif
  *diagonal = fall + b;
  return sum - b * u[c];
}

OAK_FN void flat_relax(const oak_elliptic_flat_args_t *arg, int l, int c, real factor) {
  real *u = arg->fu + arg->start[l], fall;
  const real lhs = flat_apply(arg, l, c, &fall);
  if (fall > 0) u[c] -= factor * (arg->fr[arg->start[l] + c] - lhs) / fall;
}

/* Sweeps of red-black Gauss-Seidel. The extents are even on all arrays but the coarsest. */
OAK_FN void flat_smooth(const oak_elliptic_flat_args_t *arg, int l, int sweeps, int first) {
  const int nx = arg->n[l][0], ny = arg->n[l][1], cells = flat_cells(arg, l);
  for (int s = 0; s < 2 * sweeps; s++) {
    OAK_INNER(h, cells / 2) {
      const int row = 2 * h / nx, odd = (row + row / ny + s + first) & 1;
      flat_relax(arg, l, 2 * h + odd, (real)ELLIPTIC_RELAX);
    }
    OAK_BARRIER;
  }
}

/* One of the cells that fill cell c of array l + 1. */
OAK_FN int flat_child(const oak_elliptic_flat_args_t *arg, int l, int c, int e) {
  const int nx = arg->n[l + 1][0], ny = arg->n[l + 1][1];
  const int x = 2 * (c % nx) + (e & 1), y = 2 * (c / nx % ny) + (e >> 1 & 1);
  const int z = OAK_DIM == 3 ? 2 * (c / (nx * ny)) + (e >> 2) : 0;
  return (z * arg->n[l][1] + y) * arg->n[l][0] + x;
}

/* The residual of array l becomes the right-hand side of the next one, which starts from 0. */
OAK_FN void flat_down(const oak_elliptic_flat_args_t *arg, int l) {
  OAK_INNER(c, flat_cells(arg, l + 1)) {
    real sum = 0, fall;
    for (int e = 0; e < (1 << OAK_DIM); e++) {
      const int child = flat_child(arg, l, c, e);
      sum += arg->fr[arg->start[l] + child] - flat_apply(arg, l, child, &fall);
    }
    arg->fr[arg->start[l + 1] + c] = sum * (real)(1.0 / (1 << OAK_DIM));
    arg->fu[arg->start[l + 1] + c] = 0;
  }
  OAK_BARRIER;
}

OAK_FN void flat_up(const oak_elliptic_flat_args_t *arg, int l) {
  const real *u = arg->fu + arg->start[l + 1];
  OAK_INNER(c, flat_cells(arg, l + 1)) {
    real near[OAK_FACES];
    for (int face = 0; face < OAK_FACES; face++) {
      const int other = flat_across(arg, l + 1, c, face);
      near[face] = other < 0 ? -(real)arg->outside[face] * u[c] : u[other];
    }
    for (int e = 0; e < (1 << OAK_DIM); e++) {
      real sum = u[c];
      for (int d = 0; d < OAK_DIM; d++)
        sum += (real)(e >> d & 1 ? 0.125 : -0.125) * (near[2 * d + 1] - near[2 * d]);
      arg->fu[arg->start[l] + flat_child(arg, l, c, e)] += sum;
    }
  }
  OAK_BARRIER;
}

/* Place of a cell of the finest array in the blocks. */
OAK_FN long long flat_place(const oak_elliptic_flat_args_t *arg, int c, int *block) {
  const int nx = arg->n[0][0], ny = arg->n[0][1];
  const int x = c % nx, y = c / nx % ny, z = c / (nx * ny);
  const int tree = (z / OAK_N * arg->trees[1] + y / OAK_N) * arg->trees[0] + x / OAK_N;
  *block = arg->number[tree];
  return *block * (long long)OAK_CELLS + OAK_INDEX(x % OAK_N, y % OAK_N, z % OAK_N);
}

OAK_FN void flat_load(const oak_elliptic_flat_args_t *arg) {
  OAK_INNER(c, flat_cells(arg, 0)) {
    int block;
    arg->fr[c] = arg->rhs[flat_place(arg, c, &block)];
    arg->fu[c] = 0;
  }
  OAK_BARRIER;
}

OAK_FN void flat_store(const oak_elliptic_flat_args_t *arg) {
  OAK_INNER(c, flat_cells(arg, 0)) {
    int block;
    const long long place = flat_place(arg, c, &block);
    if (block >= arg->first && block < arg->first + arg->count)
      arg->u[place - arg->first * (long long)OAK_CELLS] = arg->fu[c];
  }
}

OAK_KERNEL(oak_elliptic_flat, oak_elliptic_flat_args_t, FLAT_LANES) {
  OAK_ARGS(oak_elliptic_flat_args_t);
  OAK_OUTER(n) {
    OAK_SHARED double lane[FLAT_LANES];
    flat_load(&arg);
    if (arg.singular) { /* rounding alone keeps the sum from being 0 */
      const int cells = flat_cells(&arg, 0);
      double mean;
      OAK_INNER(i, FLAT_LANES) {
        lane[i] = 0;
        for (int c = i; c < cells; c += FLAT_LANES) lane[i] += arg.fr[c];
      }
      OAK_REDUCE_SUM(mean, lane, FLAT_LANES);
      OAK_INNER(c, cells) arg.fr[c] -= (real)(mean / cells);
      OAK_BARRIER;
    }
    for (int l = 0; l < arg.levels - 1; l++) {
      flat_smooth(&arg, l, 2, 0);
      flat_down(&arg, l);
    }
    OAK_SERIAL {
      const int last = arg.levels - 1, cells = flat_cells(&arg, last);
      for (int s = 0; s < arg.sweeps; s++)
        for (int c = 0; c < cells; c++) flat_relax(&arg, last, c, 1);
    }
    OAK_BARRIER;
    for (int l = arg.levels - 2; l >= 0; l--) {
      flat_up(&arg, l);
      flat_smooth(&arg, l, 2, 1);
    }
    flat_store(&arg);
  }
}

#if OAK_ELLIPTIC_FIELDS
/* The coefficients of all arrays. */
OAK_KERNEL(oak_elliptic_flat_fields, oak_elliptic_flat_args_t, FLAT_LANES) {
  OAK_ARGS(oak_elliptic_flat_args_t);
  OAK_OUTER(n) {
    OAK_INNER(c, flat_cells(&arg, 0)) {
      int block;
      const long long place = flat_place(&arg, c, &block);
      arg.fa[c] = arg.as[place];
      arg.fb[c] = arg.bs[place];
    }
    OAK_BARRIER;
    for (int l = 0; l < arg.levels - 1; l++) {
      OAK_INNER(c, flat_cells(&arg, l + 1)) {
        real a = 0, b = 0;
        for (int e = 0; e < (1 << OAK_DIM); e++) {
          const long long child = arg.start[l] + flat_child(&arg, l, c, e);
          a += arg.fa[child];
          b += arg.fb[child];
        }
        arg.fa[arg.start[l + 1] + c] = a * (real)(1.0 / (1 << OAK_DIM));
        arg.fb[arg.start[l + 1] + c] = b * (real)(1.0 / (1 << OAK_DIM));
      }
      OAK_BARRIER;
    }
  }
}
#endif
