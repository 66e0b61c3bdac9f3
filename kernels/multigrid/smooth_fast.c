/* SPDX-License-Identifier: GPL-2.0-or-later
 * Smoothing and residual with constant coefficients. At the boundary of the domain the ghost value
 * is -outside u, whose term is part of the diagonal, so no exchange has to fill it. All other terms
 * have the same weights in all cells of a block. */
#include "kernels/multigrid/equation.h"

/* For the host: 1 if smooth, down and prolong need no ghost cells at the boundary. */
OAK_CONST_DATA int oak_elliptic_plain[1] = {ELLIPTIC_PLAIN};

#if ELLIPTIC_PLAIN

enum { ELLIPTIC_DOWN_LANES = OAK_CELLS < 256 ? 64 : OAK_CELLS < 1024 ? 256 : 512 };

/* Weights of neighbours, and terms of faces at the boundary in the diagonal. */
typedef struct {
  real weight[OAK_DIM], edge[OAK_FACES], diagonal;
  const real *u;
  oak_side_t side[OAK_FACES];
  int boundary[OAK_FACES];
  const real *tile;
  real zeros[OAK_MANY_THREADS ? 1 : OAK_NX];
  real ring[OAK_COORDINATES ? OAK_NX : 1]; /* s of kernels/geometry/geometry.h */
} elliptic_stencil_t;

/* The sum of the values on both sides of cell i along x, weighted by the areas of its faces. The
 * weights add up to 2 in (r, z) too, so the diagonal is the same. */
OAK_FN real elliptic_both(const elliptic_stencil_t *s, int i, real lower, real upper) {
  return OAK_COORDINATES ? (lower + upper) + s->ring[i] * (upper - lower) : lower + upper;
}

/* The factor of the faces at an end of a block along x. */
OAK_FN real elliptic_end(const oak_elliptic_args_t *arg, long block, int face) {
  if (!OAK_COORDINATES || face > 1) return 1;
  return face ? 1 + oak_ring(&arg->f, block, OAK_NX - 1) : 1 - oak_ring(&arg->f, block, 0);
}

OAK_FN void elliptic_stencil(const oak_elliptic_args_t *arg, long block, elliptic_stencil_t *s) {
  const int level = arg->f.block[block].level;
  s->u = arg->f.u + block * (long long)OAK_CELLS;
  s->diagonal = (real)arg->b;
  OAK_FOR(d, OAK_DIM) {
    const real inv = (real)oak_inv_dx(&arg->f, level, d);
    s->weight[d] = (real)arg->a * (inv * inv);
    s->diagonal += 2 * s->weight[d];
  }
  OAK_FOR(face, OAK_FACES) {
    s->side[face] = elliptic_side(arg, block, face);
    s->boundary[face] = arg->f.face[block * OAK_FACES + face].kind == OAK_FACE_BOUNDARY;
    s->edge[face] = s->boundary[face] ? s->weight[face / 2] * (real)arg->outside[face] *
                                            elliptic_end(arg, block, face)
                                      : 0;
  }
  if (!OAK_MANY_THREADS) {
    OAK_INNER(i, OAK_NX) s->zeros[i] = 0;
  }
  for (int i = 0; OAK_COORDINATES && i < OAK_NX; i++) s->ring[i] = oak_ring(&arg->f, block, i);
}

/* The value of a cell with the weighted sum `around` of its neighbours, over-relaxed; inverse: the
 * factor of over-relaxation over the diagonal. It is elliptic_relaxed in an order that is faster
 * with constant weights. */
OAK_FN real elliptic_relaxed_fast(real here, real inverse, real around, real rhs) {
  return (1 - (real)OAK_ELLIPTIC_RELAX) * here + inverse * (around - rhs);
}

/* The diagonal of inner cells of row (j, k). */
OAK_FN real elliptic_diagonal(const elliptic_stencil_t *s, int j, int k) {
  const real sum = s->diagonal + (j == 0 ? s->edge[2] : 0) + (j == OAK_NY - 1 ? s->edge[3] : 0);
  const real *across = &s->edge[OAK_FACES - 2];
  return OAK_DIM == 3 ? sum + ((k == 0 ? across[0] : 0) + (k == OAK_NZ - 1 ? across[1] : 0)) : sum;
}

#if OAK_MANY_THREADS

/* Sizes of the copy of a block, with the values around it, in fast memory. */
enum {
  TILE_Y = OAK_NX + 2, /* stride from row to row */
  TILE_Z = OAK_DIM == 3 ? TILE_Y * (OAK_NY + 2) : 0,
  TILE_CELLS = TILE_Y * (OAK_NY + 2) * (OAK_DIM == 3 ? OAK_NZ + 2 : 1),
  HAS_TILE = TILE_CELLS * 8 <= 47 * 1024
};
typedef real elliptic_tile_t[HAS_TILE ? TILE_CELLS : 1];

OAK_FN int tile_place(int i, int j, int k) { return (k + 1) * TILE_Z + (j + 1) * TILE_Y + i + 1; }

/* Copy a block. Peers may be changing values of the colour that is smoothed; these values are
 * copied too, but not used. */
OAK_FN void elliptic_fill(elliptic_stencil_t *s, real *tile) {
  s->tile = tile;
  if (!HAS_TILE) return;
  OAK_INNER(c, OAK_CELLS) {
    const int i = c % OAK_NX, j = c / OAK_NX % OAK_NY, k = c / (OAK_NX * OAK_NY);
    oak_copy_begin(&tile[tile_place(i, j, k)], &s->u[c]);
  }
  OAK_FOR(face, OAK_FACES) {
    const oak_side_t *side = &s->side[face];
    OAK_INNER(c, FACE_CELLS(face / 2)) {
      const int a = c % FA(face / 2), b = OAK_DIM == 3 ? c / FA(face / 2) : 0;
      const int end = face & 1 ? OAK_ALONG(face / 2) : -1;
      real *to = &tile[face / 2 == 0   ? tile_place(end, a, b)
                       : face / 2 == 1 ? tile_place(a, end, b)
                                       : tile_place(a, b, end)];
      if (s->boundary[face])
        *to = 0;
      else
        oak_copy_begin(to, &side->p[a * side->sa + b * side->sb]);
    }
  }
}

OAK_FN void elliptic_ready(elliptic_stencil_t *s, real *tile) {
  elliptic_fill(s, tile);
  oak_copy_end();
  OAK_BARRIER;
}

/* Parts of a block, whose cells are computed together: one part here. */
enum { PARTS = 1, PART_CELLS = OAK_CELLS };
#define EACH_CELL(c) OAK_INNER(c, PART_CELLS)
typedef int elliptic_part_t;
OAK_FN void elliptic_begin(const elliptic_stencil_t *s, int part, elliptic_part_t *p) {
  (void)s, *p = part;
}

OAK_FN real elliptic_here(const elliptic_stencil_t *s, const int x[3]) {
  return HAS_TILE ? s->tile[tile_place(x[0], x[1], x[2])] : s->u[OAK_INDEX(x[0], x[1], x[2])];
}

/* The value across a face of cell x[]. */
OAK_FN real elliptic_beyond_cell(const elliptic_stencil_t *s, const int x[3], int face) {
  const int dir = face / 2, a = dir == 0 ? x[1] : x[0],
            b = OAK_DIM == 2 ? 0
                : dir == 2   ? x[1]
                             : x[2];
  const int step = dir == 0 ? 1 : dir == 1 ? TILE_Y : TILE_Z;
  if (HAS_TILE) return s->tile[tile_place(x[0], x[1], x[2]) + (face & 1 ? step : -step)];
  const int inside = face & 1 ? x[dir] < OAK_ALONG(dir) - 1 : x[dir] > 0;
  const real *c = s->u + OAK_INDEX(x[0], x[1], x[2]);
  const real *p = inside ? c + (face & 1 ? OAK_STRIDE(dir) : -OAK_STRIDE(dir))
                         : s->side[face].p + a * s->side[face].sa + b * s->side[face].sb;
  return inside || !s->boundary[face] ? *p : 0;
}

/* The weighted sum of a cell's neighbours. */
OAK_FN real elliptic_around(const elliptic_stencil_t *s, const int x[3]) {
  real sum = s->weight[0] *
             elliptic_both(s, x[0], elliptic_beyond_cell(s, x, 0), elliptic_beyond_cell(s, x, 1));
  OAK_UNROLL
  for (int d = 1; d < OAK_DIM; d++)
    sum +=
        s->weight[d] * (elliptic_beyond_cell(s, x, 2 * d) + elliptic_beyond_cell(s, x, 2 * d + 1));
  return sum;
}

/* The diagonal of a cell. */
OAK_FN real elliptic_fall(const elliptic_stencil_t *s, const int x[3]) {
  return elliptic_diagonal(s, x[1], x[2]) + (x[0] == 0 ? s->edge[0] : 0) +
         (x[0] == OAK_NX - 1 ? s->edge[1] : 0);
}

OAK_FN real elliptic_left_at(const elliptic_stencil_t *s, const real *rhs, const int x[3]) {
  const int c = OAK_INDEX(x[0], x[1], x[2]);
  return rhs[c] - elliptic_around(s, x) + elliptic_fall(s, x) * elliptic_here(s, x);
}

/* The residual of cell c of a part; rhs: the right-hand side of the part. */
OAK_FN real elliptic_left(const elliptic_stencil_t *s, const elliptic_part_t *p, const real *rhs,
                          int c) {
  const int x[3] = {c % OAK_NX, c / OAK_NX % OAK_NY, c / (OAK_NX * OAK_NY)};
  (void)p;
  return elliptic_left_at(s, rhs, x);
}

/* Number of cells of a thread in a pass. A thread reads all values before it writes, so it waits
 * for memory only once. Blocks that do not fit into fast memory take several passes. */
enum {
  ELLIPTIC_HALF = OAK_CELLS / 2,
  ELLIPTIC_SMOOTH_LANES = ELLIPTIC_HALF >= 512 ? 512 : OAK_MAX(ELLIPTIC_HALF, 32),
  ELLIPTIC_BATCH =
      HAS_TILE ? (ELLIPTIC_HALF + ELLIPTIC_SMOOTH_LANES - 1) / ELLIPTIC_SMOOTH_LANES : 2,
  ELLIPTIC_TURN = ELLIPTIC_BATCH * ELLIPTIC_SMOOTH_LANES
};

OAK_FN void elliptic_half_sweep(elliptic_stencil_t *s, const real *rhs, int colour, int zero,
                                real *u, real *tile) {
  if (!zero) elliptic_fill(s, tile);
  for (int turn = 0; turn < ELLIPTIC_HALF; turn += ELLIPTIC_TURN) {
    real r[ELLIPTIC_BATCH];
    int x[ELLIPTIC_BATCH][3];
    OAK_FOR(e, ELLIPTIC_BATCH) {
      const int h = turn + OAK_THREAD + e * ELLIPTIC_SMOOTH_LANES, row = h / HX;
      x[e][1] = row % OAK_NY;
      x[e][2] = row / OAK_NY;
      x[e][0] = 2 * (h % HX) + ((x[e][1] + x[e][2] + colour) & 1);
      r[e] = h < ELLIPTIC_HALF ? rhs[OAK_INDEX(x[e][0], x[e][1], x[e][2])] : 0;
    }
    if (HAS_TILE && !zero) {
      oak_copy_end();
      OAK_BARRIER;
    }
    OAK_FOR(e, ELLIPTIC_BATCH) {
      const real inverse = oak_div((real)OAK_ELLIPTIC_RELAX, elliptic_fall(s, x[e]));
      if (zero)
        r[e] *= -inverse;
      else if (turn + OAK_THREAD + e * ELLIPTIC_SMOOTH_LANES < ELLIPTIC_HALF)
        r[e] =
            elliptic_relaxed_fast(elliptic_here(s, x[e]), inverse, elliptic_around(s, x[e]), r[e]);
    }
    OAK_FOR(e, ELLIPTIC_BATCH) {
      const int c = OAK_INDEX(x[e][0], x[e][1], x[e][2]);
      if (turn + OAK_THREAD + e * ELLIPTIC_SMOOTH_LANES >= ELLIPTIC_HALF) continue;
      u[c] = r[e];
      if (zero) u[c ^ 1] = 0;
    }
  }
}

/* Average the residual of a block with equal weights (elliptic_in_mean), into an octant of a block,
 * or side by side (remote). */
OAK_FN void elliptic_average(const elliptic_stencil_t *s, const real *rhs, int remote, real *q) {
  OAK_INNER(h, HX * HY * HZ) {
    const int i = h % HX, j = h / HX % HY, k = h / (HX * HY);
    real sum = 0;
    OAK_FOR(e, (1 << OAK_DIM)) {
      const int x[3] = {2 * i + (e & 1), 2 * j + (e >> 1 & 1), 2 * k + (e >> 2)};
      sum += elliptic_left_at(s, rhs, x);
    }
    q[remote ? h : OAK_INDEX(i, j, k)] = sum * (real)(1.0 / (1 << OAK_DIM));
  }
}

#else

enum { ELLIPTIC_SMOOTH_LANES = ELLIPTIC_LANES };
typedef real elliptic_tile_t[1];
OAK_FN void elliptic_ready(elliptic_stencil_t *s, real *tile) { (void)s, (void)tile; }

/* A plane of a block with the values beside it, 0 beyond the boundary. Rows begin at places that
 * are aligned for vectors. A processor waits if it reads at once what two stores have just
 * written, such as a row and the value beyond its end. Therefore a whole plane is written before
 * it is read. */
enum { ELLIPTIC_FIRST = 8, ELLIPTIC_STEP = OAK_NX + 2 * ELLIPTIC_FIRST };
enum { PARTS = OAK_NY * OAK_NZ, PART_CELLS = OAK_NX };
/* Loop over the cells of a row. gcc must not unroll a row of 8 cells before it makes vectors,
 * because it would then put vectors together cell by cell. */
#define EACH_CELL(c)       \
  OAK_PRAGMA(GCC unroll 1) \
  OAK_INNER(c, PART_CELLS)
typedef struct {
  OAK_ALIGNED real c[(OAK_NY + 2) * ELLIPTIC_STEP];
  const real *beside[2];     /* row 0 of the planes below and above */
  int step[2];               /* strides from row to row there */
  int j, k;                  /* the row */
  real middle, fall[OAK_NX]; /* diagonals of a row: of inner cells, and of all cells */
} elliptic_part_t;

OAK_FN void elliptic_plane(const elliptic_stencil_t *s, int k, elliptic_part_t *p) {
  const real *u = s->u + OAK_INDEX(0, 0, k);
  const oak_side_t *side = s->side;
  p->k = k;
  for (int j = -1; j <= OAK_NY; j++) {
    const int face = j < 0 ? 2 : 3, beyond = j < 0 || j == OAK_NY;
    const real *from = !beyond             ? u + j * OAK_NX
                       : s->boundary[face] ? s->zeros
                                           : side[face].p + k * side[face].sb;
    real *to = p->c + (j + 1) * ELLIPTIC_STEP + ELLIPTIC_FIRST;
    OAK_INNER(i, OAK_NX) to[i] = from[i];
  }
  for (int j = 0; j < OAK_NY; j++) {
    real *row = p->c + (j + 1) * ELLIPTIC_STEP + ELLIPTIC_FIRST;
    row[-1] = s->boundary[0] ? 0 : side[0].p[j * side[0].sa + k * side[0].sb];
    row[OAK_NX] = s->boundary[1] ? 0 : side[1].p[j * side[1].sa + k * side[1].sb];
  }
  for (int n = 0; OAK_DIM == 3 && n < 2; n++) {
    const int face = OAK_FACES - 2 + n, inside = n ? k < OAK_NZ - 1 : k > 0;
    p->beside[n] = inside              ? u + (n ? 1 : -1) * OAK_NX * OAK_NY
                   : s->boundary[face] ? s->zeros
                                       : side[face].p;
    p->step[n] = inside ? OAK_NX : s->boundary[face] ? 0 : side[face].sb;
  }
  p->middle = 0;
}

/* Set the diagonals of the row. \return 0 if the row before had the same, as inside a plane. */
OAK_FN int elliptic_falls(const elliptic_stencil_t *s, elliptic_part_t *p) {
  if (p->j > 1 && p->j < OAK_NY - 1) return 0;
  const real middle = elliptic_diagonal(s, p->j, p->k);
  if (middle == p->middle) return 0;
  OAK_INNER(i, OAK_NX)
    p->fall[i] = middle + (i == 0 ? s->edge[0] : i == OAK_NX - 1 ? s->edge[1] : 0);
  p->middle = middle;
  return 1;
}

/* Cell i of the row in the plane. */
OAK_FN const real *elliptic_in_plane(const elliptic_part_t *p, int i) {
  return p->c + (p->j + 1) * ELLIPTIC_STEP + ELLIPTIC_FIRST + i;
}

/* The weighted sum of the neighbours of cell i of the row. */
OAK_FN real elliptic_around(const elliptic_stencil_t *s, const elliptic_part_t *p, int i) {
  const real *c = elliptic_in_plane(p, i);
  const real sum = s->weight[0] * elliptic_both(s, i, c[-1], c[1]) +
                   s->weight[1] * (c[-ELLIPTIC_STEP] + c[ELLIPTIC_STEP]);
  if (OAK_DIM == 2) return sum;
  return sum + s->weight[OAK_DIM - 1] *
                   (p->beside[0][p->j * p->step[0] + i] + p->beside[1][p->j * p->step[1] + i]);
}

/* Begin part `part`: row `part` of the block. */
OAK_FN void elliptic_begin(const elliptic_stencil_t *s, int part, elliptic_part_t *p) {
  if (part % OAK_NY == 0) elliptic_plane(s, part / OAK_NY, p);
  p->j = part % OAK_NY;
  elliptic_falls(s, p);
}

/* The residual of cell i of the row; rhs: the right-hand side of the row. */
OAK_FN real elliptic_left(const elliptic_stencil_t *s, const elliptic_part_t *p, const real *rhs,
                          int i) {
  return rhs[i] - elliptic_around(s, p, i) + p->fall[i] * *elliptic_in_plane(p, i);
}

/* Smooth a row: all its cells are computed, because they are side by side, and one colour is
 * kept. */
OAK_FN void elliptic_relax(const elliptic_stencil_t *s, const elliptic_part_t *p,
                           const real inverse[OAK_NX], const real *rhs, int odd, real *to) {
  EACH_CELL(i) {
    const real here = *elliptic_in_plane(p, i);
    const real next = elliptic_relaxed_fast(here, inverse[i], elliptic_around(s, p, i), rhs[i]);
    to[i] = (i & 1) == odd ? next : here;
  }
}

OAK_FN void elliptic_half_sweep(elliptic_stencil_t *s, const real *rhs, int colour, int zero,
                                real *u, real *tile) {
  elliptic_part_t p;
  real inverse[OAK_NX];
  (void)tile;
  p.middle = 0;
  for (p.k = 0; p.k < OAK_NZ; p.k++) {
    if (!zero) elliptic_plane(s, p.k, &p);
    for (p.j = 0; p.j < OAK_NY; p.j++) {
      const int odd = (p.j + p.k + colour) & 1;
      const real *r = rhs + OAK_INDEX(0, p.j, p.k);
      real *to = u + OAK_INDEX(0, p.j, p.k);
      if (elliptic_falls(s, &p))
        OAK_INNER(i, OAK_NX) inverse[i] = (real)OAK_ELLIPTIC_RELAX / p.fall[i];
      if (zero)
        OAK_INNER(i, OAK_NX) to[i] = (i & 1) == odd ? -inverse[i] * r[i] : 0;
      else if (odd)
        elliptic_relax(s, &p, inverse, r, 1, to);
      else
        elliptic_relax(s, &p, inverse, r, 0, to);
    }
  }
}

OAK_FN void elliptic_average(const elliptic_stencil_t *s, const real *rhs, int remote, real *q) {
  enum { PLANES = OAK_DIM == 3 ? 2 : 1 };
  elliptic_part_t plane[PLANES];
  for (int row = 0; row < HY * HZ; row++) {
    const int j = row % HY, k = row / HY;
    const int to = remote ? row * HX : OAK_INDEX(0, j, k);
    real left[2 * PLANES][OAK_NX];
    for (int e = 0; e < 2 * PLANES; e++) {
      const int part = (PLANES * k + (e >> 1)) * OAK_NY + 2 * j + (e & 1);
      elliptic_begin(s, part, &plane[e >> 1]);
      EACH_CELL(i) left[e][i] = elliptic_left(s, &plane[e >> 1], rhs + part * OAK_NX, i);
    }
    OAK_INNER(i, OAK_NX) left[0][i] += left[1][i] + (OAK_DIM == 3 ? left[2][i] + left[3][i] : 0);
    OAK_LANES(i, HX)
      q[to + i] = (left[0][2 * i] + left[0][2 * i + 1]) * (real)(1.0 / (1 << OAK_DIM));
  }
}

#endif

/* Half a sweep of Gauss-Seidel, cell by cell. */
OAK_KERNEL_SHARED(oak_elliptic_smooth_fast, oak_elliptic_args_t, ELLIPTIC_SMOOTH_LANES, 2, 0) {
  OAK_ARGS_EARLY(oak_elliptic_args_t);
  OAK_OUTER(n) {
    OAK_SHARED elliptic_tile_t tile;
    elliptic_stencil_t s;
    real *u = arg.u + n * (long long)OAK_CELLS;
    if (elliptic_rests(&arg, n)) {
      OAK_WAIT;
      OAK_INNER(c, arg.zero ? OAK_CELLS : 0) u[c] = 0;
      continue;
    }
    elliptic_stencil(&arg, n, &s);
    OAK_WAIT;
    elliptic_half_sweep(&s, arg.rhs + n * (long long)OAK_CELLS, arg.colour, arg.zero, u, tile);
  }
}

/* The residuals of all cells. */
OAK_FN void elliptic_left_all(const elliptic_stencil_t *s, const real *rhs, real *q) {
  elliptic_part_t p;
  for (int part = 0; part < PARTS; part++) {
    const int first = part * PART_CELLS;
    elliptic_begin(s, part, &p);
    EACH_CELL(c) q[first + c] = elliptic_left(s, &p, rhs + first, c);
  }
}

/* Move the residual to the right-hand side of the next coarser level: averages of blocks whose
 * parent is there. */
OAK_KERNEL_SHARED(oak_elliptic_down, oak_elliptic_down_args_t, ELLIPTIC_DOWN_LANES, 2, 0) {
  OAK_ARGS_EARLY(oak_elliptic_down_args_t);
  OAK_OUTER(n) {
    OAK_SHARED elliptic_tile_t tile;
    const oak_elliptic_move_t t = arg.move.move[n];
    const real *rhs = arg.e.rhs + n * (long long)OAK_CELLS;
    real *q = (t.remote ? arg.move.remote : arg.move.to) + t.coarse * (long long)OAK_CELLS;
    elliptic_stencil_t s;
    if (elliptic_rests(&arg.e, n)) {
      OAK_WAIT;
      OAK_INNER(c, OAK_CELLS) q[c] = rhs[c];
      continue;
    }
    elliptic_stencil(&arg.e, n, &s);
    OAK_WAIT;
    elliptic_ready(&s, tile);
    if (t.child < 0)
      elliptic_left_all(&s, rhs, q);
    else
      elliptic_average(&s, rhs, t.remote, t.remote ? q : q + elliptic_octant(t.child));
  }
}

/* The largest residual of each block. */
OAK_KERNEL_SHARED(oak_elliptic_norm, oak_elliptic_args_t, ELLIPTIC_LANES, 4, 0) {
  OAK_ARGS_EARLY(oak_elliptic_args_t);
  OAK_OUTER(n) {
    OAK_SHARED double lane[ELLIPTIC_LANES];
    OAK_SHARED elliptic_tile_t tile;
    double most;
    elliptic_stencil_t s;
    elliptic_stencil(&arg, n, &s);
    OAK_WAIT;
    elliptic_ready(&s, tile);
    elliptic_part_t p;
    OAK_INNER(i, ELLIPTIC_LANES) lane[i] = 0;
    for (int part = 0; part < PARTS; part++) {
      const real *rhs = arg.rhs + n * (long long)OAK_CELLS + part * PART_CELLS;
      elliptic_begin(&s, part, &p);
      EACH_CELL(c)
      lane[c % ELLIPTIC_LANES] =
          elliptic_larger(lane[c % ELLIPTIC_LANES], elliptic_left(&s, &p, rhs, c));
    }
    OAK_REDUCE_MAX(most, lane, ELLIPTIC_LANES);
    OAK_SERIAL arg.res[n] = most;
  }
}

#endif
