/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the kernels of elliptic equations share. They are a module of their own, without physics and
 * problem: OAK_ELLIPTIC is 1, OAK_NG is 1, and real is double. OAK_ELLIPTIC_FIELDS is 1 if the
 * coefficients are fields. */
#ifndef OAK_ELLIPTIC_H
#define OAK_ELLIPTIC_H

#include "kernels/geometry.h"
#include "kernels/rows.h"
#include "oak/elliptic_args.h"

#ifndef OAK_ELLIPTIC_FIELDS
#define OAK_ELLIPTIC_FIELDS 0
#endif
/* 1 if there are bodies; the coefficients are fields then. */
#ifndef OAK_ELLIPTIC_BODIES
#define OAK_ELLIPTIC_BODIES 0
#endif
/* 1 if smoothing and residual have the forms of elliptic_plain.c. Lanes of OpenACC share no arrays:
 * they use the forms of elliptic.c. */
#define ELLIPTIC_PLAIN (!OAK_ELLIPTIC_FIELDS && !OAK_LANES_APART)

/* Threads of a GPU for a block. */
enum { ELLIPTIC_LANES = OAK_CELLS < 256 ? 64 : 256 };

/* A little over-relaxation. With central slopes, and with the opposite order of colours after the
 * coarse correction, a cycle reduces the residual by a factor of 26 in 2D and 27 in 3D. Without
 * over-relaxation the factors are 26 and 13. */
#define ELLIPTIC_RELAX 1.1

/* ---- volumes and areas. In Cartesian coordinates they are constants, which the compiler removes.
 */

/* s of cell i along r of a block (kernels/geometry.h). */
OAK_FN real elliptic_ring(const oak_field_t *f, long block, int i) {
#if OAK_COORDINATES
  return oak_ring(f, block, i);
#else
  (void)f, (void)block, (void)i;
  return 0;
#endif
}

/* s of the coarse cell of which cells i and i + 1 of a block are parts. */
OAK_FN real elliptic_pair(const oak_field_t *f, long block, int i) {
#if OAK_COORDINATES
  return (real)(0.5 / (0.5 * oak_cells_to(f, block, i) + 0.5));
#else
  (void)f, (void)block, (void)i;
  return 0;
#endif
}

/* The area of a face, divided by that of a Cartesian cell. s: as above, of the cell. */
OAK_FN real elliptic_area(real s, int face) {
  return !OAK_COORDINATES || face > 1 ? 1 : face == 0 ? 1 - s : 1 + s;
}

/* The volume of the lower or upper part of a coarse cell along r, divided by half of the volume of
 * the cell. s: as above, of the coarse cell. */
OAK_FN real elliptic_half(real s, int upper) {
  return !OAK_COORDINATES ? 1 : upper ? 1 + (real)0.5 * s : 1 - (real)0.5 * s;
}

/* The area of the lower or upper part of a coarse face across `dir`, divided by half of the area of
 * the face. Both parts of a face across r lie at the same radius. */
OAK_FN real elliptic_part(real s, int dir, int upper) {
  return dir == 0 ? 1 : elliptic_half(s, upper);
}

/* The ghost values beyond a face. */
OAK_FN oak_side_t elliptic_side(const oak_elliptic_args_t *arg, long block, int face) {
  const int slot = arg->f.face[block * OAK_FACES + face].bflux;
  if (slot < 0) return oak_side_of(&arg->f, 1, block, face);
  oak_side_t s;
  s.p = arg->ghost + (long long)slot * FACE_ROOM;
  s.sv = s.sn = FACE_CELLS(face / 2);
  s.sa = 1;
  s.sb = FA(face / 2);
  return s;
}

/* Data of a block: ghost values, 1 / dx^2, and for each face minus the derivative of its ghost
 * value with respect to the value of the cell beside it. */
typedef struct {
  const real *u;
  oak_side_t side[OAK_FACES];
  real weight[OAK_DIM], outside[OAK_FACES];
#if OAK_ELLIPTIC_FIELDS
  const real *low[OAK_DIM], *high, *bs;
#endif
} elliptic_block_t;

OAK_FN void elliptic_block(const oak_elliptic_args_t *arg, long block, elliptic_block_t *b) {
  const int level = arg->f.block[block].level;
  b->u = arg->f.u + block * (long long)OAK_CELLS;
#if OAK_ELLIPTIC_FIELDS
  b->high = arg->high + block * (long long)OAK_CELLS;
  b->bs = arg->bs + block * (long long)OAK_CELLS;
#endif
  OAK_UNROLL
  for (int d = 0; d < OAK_DIM; d++) {
    const real inv = (real)oak_inv_dx(&arg->f, level, d);
    b->weight[d] = inv * inv;
#if OAK_ELLIPTIC_FIELDS
    b->low[d] = arg->low[d] + block * (long long)OAK_CELLS;
#endif
  }
  OAK_UNROLL
  for (int face = 0; face < OAK_FACES; face++) {
    const int at_boundary = arg->f.face[block * OAK_FACES + face].kind == OAK_FACE_BOUNDARY;
    b->side[face] = elliptic_side(arg, block, face);
    b->outside[face] = at_boundary ? (real)arg->outside[face] : 0;
  }
}

/* A row of cells along x and the rows beside it. All of them have stride 1. */
typedef struct {
  const real *c, *side[2 * OAK_DIM]; /* side: from -y on */
  real below, above;
} elliptic_row_t;

OAK_FN elliptic_row_t elliptic_row(const real *u, const oak_side_t side[OAK_FACES], int j, int k) {
  elliptic_row_t r;
  r.c = u + OAK_INDEX(0, j, k);
  r.below = side[0].p[j * side[0].sa + k * side[0].sb];
  r.above = side[1].p[j * side[1].sa + k * side[1].sb];
  r.side[2] = j > 0 ? r.c - OAK_NX : side[2].p + k * side[2].sb;
  r.side[3] = j < OAK_NY - 1 ? r.c + OAK_NX : side[3].p + k * side[3].sb;
#if OAK_DIM == 3
  r.side[4] = k > 0 ? r.c - OAK_NX * OAK_NY : side[4].p + j * side[4].sb;
  r.side[5] = k < OAK_NZ - 1 ? r.c + OAK_NX * OAK_NY : side[5].p + j * side[5].sb;
#endif
  return r;
}

/* Value across a face of cell i of a row. */
OAK_FN real elliptic_across(const elliptic_row_t *r, int i, int face) {
  if (face == 0) return i > 0 ? r->c[i - 1] : r->below;
  if (face == 1) return i < OAK_NX - 1 ? r->c[i + 1] : r->above;
  return r->side[face][i];
}

#if OAK_ELLIPTIC_FIELDS
/* The coefficients on the faces of row (j, k). */
typedef struct {
  const real *low[OAK_DIM], *high[OAK_DIM]; /* high[0] is not used */
  real end;                                 /* on the upper face of the row's last cell */
} elliptic_on_row_t;

OAK_FN elliptic_on_row_t elliptic_on_row(const real *const low[OAK_DIM], const real *high, int j,
                                         int k) {
  elliptic_on_row_t r;
  OAK_UNROLL
  for (int d = 0; d < OAK_DIM; d++) r.high[d] = r.low[d] = low[d] + OAK_INDEX(0, j, k);
  r.high[1] = j < OAK_NY - 1 ? r.low[1] + OAK_NX : high + FACE_ROOM + k * OAK_NX;
#if OAK_DIM == 3
  r.high[2] = k < OAK_NZ - 1 ? r.low[2] + OAK_NX * OAK_NY : high + 2 * FACE_ROOM + j * OAK_NX;
#endif
  r.end = high[k * OAK_NY + j];
  return r;
}

/* The coefficient on a face of cell i. */
OAK_FN real elliptic_a(const elliptic_on_row_t *r, int i, int face) {
  if (face == 1) return i < OAK_NX - 1 ? r->low[0][i + 1] : r->end;
  return face & 1 ? r->high[face / 2][i] : r->low[face / 2][i];
}
#endif

/* The row of cells (j, k) with its coefficients. `edge` is `outside` for cells at the row's faces
 * along y and z. */
typedef struct {
  elliptic_row_t u;
  real edge[OAK_FACES];
#if OAK_ELLIPTIC_FIELDS
  elliptic_on_row_t a;
  const real *b;
#endif
} elliptic_cells_t;

OAK_FN elliptic_cells_t elliptic_cells(const elliptic_block_t *b, int j, int k) {
  elliptic_cells_t r;
  r.u = elliptic_row(b->u, b->side, j, k);
#if OAK_ELLIPTIC_FIELDS
  r.a = elliptic_on_row(b->low, b->high, j, k);
  r.b = b->bs + OAK_INDEX(0, j, k);
#endif
  r.edge[0] = b->outside[0];
  r.edge[1] = b->outside[1];
  r.edge[2] = j == 0 ? b->outside[2] : 0;
  r.edge[3] = j == OAK_NY - 1 ? b->outside[3] : 0;
#if OAK_DIM == 3
  r.edge[4] = k == 0 ? b->outside[4] : 0;
  r.edge[5] = k == OAK_NZ - 1 ? b->outside[5] : 0;
#endif
  return r;
}

/* The left-hand side at cell i. *diagonal is the amount by which it falls when the value of the
 * cell rises by 1. */
OAK_FN real elliptic_apply(const oak_elliptic_args_t *arg, const elliptic_block_t *b,
                           const elliptic_cells_t *r, long block, int i, real *diagonal) {
  const real u = r->u.c[i], ring = elliptic_ring(&arg->f, block, i);
  real sum = 0, fall = 0;
  OAK_UNROLL
  for (int face = 0; face < OAK_FACES; face++) {
#if OAK_ELLIPTIC_FIELDS
    const real a = elliptic_a(&r->a, i, face);
#else
    const real a = (real)arg->a;
#endif
    const real w = a * b->weight[face / 2] * elliptic_area(ring, face);
    const int beside = face > 1 || i == (face == 0 ? 0 : OAK_NX - 1);
    sum += w * (elliptic_across(&r->u, i, face) - u);
    fall += w * (1 + (beside ? r->edge[face] : 0));
  }
#if OAK_ELLIPTIC_FIELDS
  const real c = r->b[i];
#else
  const real c = (real)arg->b;
#endif
  *diagonal = fall + c;
  return sum - c * u;
}

#if OAK_ELLIPTIC_BODIES
/* Whether a cell lies in an electrode: its b is the mark -1. */
OAK_FN int elliptic_pinned(real b) { return b < 0; }
#endif

/* The larger of `most` and |x|. A value that is not a number counts as infinite. */
OAK_FN double elliptic_larger(double most, double x) {
  const double size = fabs(x) < INFINITY ? fabs(x) : INFINITY;
  return size > most ? size : most;
}

/* First cell of a child in its parent. */
OAK_FN int elliptic_octant(int child) {
  return OAK_INDEX((child & 1) * HX, (child >> 1 & 1) * HY, (child >> 2) * HZ);
}

/* The coordinate of the first cell's centre along an axis, and the distance of cells. */
OAK_FN void poles_axis(const oak_elliptic_poles_args_t *arg, long block, int dir, double *first,
                       double *step) {
  const oak_block_t *b = &arg->f.block[block];
  *step = arg->scale * oak_dx(&arg->f, b->level, dir);
  *first = arg->scale * (b->origin[dir] - arg->center[dir]) + 0.5 * *step;
}

#endif
