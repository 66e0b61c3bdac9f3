/* SPDX-License-Identifier: GPL-2.0-or-later
 * The equation div(a grad u) - b u = rhs on the blocks of a level, for all kernels of multigrid:
 * seven-point (2D: five-point) finite volumes; a on a face is the harmonic mean of its cells.
 *
 * These kernels are a module without physics and problem: OAK_ELLIPTIC is 1, OAK_NG is 1, and real
 * is double. OAK_ELLIPTIC_FIELDS is 1 if the coefficients are fields; so they are if there are
 * bodies (OAK_ELLIPTIC_BODIES is 1). OAK_ELLIPTIC_RELAX is the over-relaxation of Gauss-Seidel,
 * OAK_ELLIPTIC_SWEEPS the number of sweeps on level 0 (src/elliptic/levels.c). */
#pragma once

#include "kernels/geometry/geometry.h"
#include "kernels/geometry/rows.h"
#include "oak/elliptic_args.h"

/* ELLIPTIC_PLAIN: 1 if smoothing and residual have the forms of smooth_fast.c, with the same
 * weights in all cells of a row. Lanes of OpenACC share no arrays: they use the forms of
 * smooth.c. */
#define ELLIPTIC_PLAIN \
  (!OAK_ELLIPTIC_FIELDS && !OAK_LANES_APART && OAK_COORDINATES <= OAK_AXISYMMETRIC)

/* ELLIPTIC_LINES: 1 if smoothing solves lines of cells, because the sizes of a cell along its axes
 * differ much in parts of the domain. */
#define ELLIPTIC_LINES (OAK_COORDINATES > OAK_AXISYMMETRIC)

/* Number of threads of a GPU for a block. */
enum { ELLIPTIC_LANES = OAK_CELLS < 256 ? 64 : 256 };

/* ---- geometry. In Cartesian coordinates all factors are 1, which the compiler removes. */

/* elliptic_metric_t: the areas of a cell's faces, and for each axis the size of the cell in
 * coordinates, divided by its true size. */
typedef struct {
  oak_areas_t areas;
  real unit[3];
  real end[2]; /* with OAK_LOG_RADIUS: along r, at both ends */
} elliptic_metric_t;

/* The metric of a cell; half: half of dtheta. */
OAK_FN elliptic_metric_t elliptic_metric_of(oak_span_t g, real inv_dr, real half) {
  elliptic_metric_t m;
  m.areas = oak_areas_of(g, inv_dr, half);
  OAK_FOR(d, 3) {
    m.unit[d] = oak_is_arc(d, 0) ? oak_inv_middle(g, inv_dr) : 1;
    if (oak_is_arc(d, 1)) m.unit[d] = oak_div(m.unit[d], g.sine);
  }
  if (OAK_LOG_RADIUS) m.unit[0] = g.inv_r;
  for (int n = 0; n < 2; n++) m.end[n] = OAK_LOG_RADIUS ? g.inv_end[n] : 1;
  return m;
}

/* The metric of cell (i, j) of a block. */
OAK_FN elliptic_metric_t elliptic_metric(const oak_field_t *f, long block, int i, int j) {
  const int level = f->block[block].level;
  return elliptic_metric_of(oak_span(f, block, i, j), (real)oak_inv_dx(f, level, 0),
                            (real)(0.5 * oak_dx(f, level, 1)));
}

OAK_FN real elliptic_unit(const elliptic_metric_t *m, int dir) {
  return OAK_COORDINATES > OAK_AXISYMMETRIC ? m->unit[dir] : 1;
}

/* The size in coordinates over the true size, at a face. */
OAK_FN real elliptic_face_unit(const elliptic_metric_t *m, int face) {
  return OAK_LOG_RADIUS && face < 2 ? m->end[face] : elliptic_unit(m, face / 2);
}

/* The factor of a flux through a face: area times size in coordinates over volume. */
OAK_FN real elliptic_area(const elliptic_metric_t *m, int face) {
  return OAK_COORDINATES ? m->areas.face[face / 2][face & 1] : 1;
}

/* The factor of the weight a / dx^2 of the cell across a face. */
OAK_FN real elliptic_factor(const elliptic_metric_t *m, int face) {
  return elliptic_area(m, face) * elliptic_face_unit(m, face);
}

/* ---- the equation at a cell */

/* elliptic_sums_t: the terms of the faces of a cell in its left-hand side, and in the amount by
 * which the left-hand side falls when the value u of the cell rises by 1. */
typedef struct {
  real sum, fall;
} elliptic_sums_t;

/* The weight of the value across a face with the coefficient a; inv2: 1 / dx^2. */
OAK_FN real elliptic_weight(const elliptic_metric_t *m, int face, real a, real inv2) {
  return a * inv2 * elliptic_factor(m, face);
}

/* Add the term of a face. fall: decrease of `across - u` when u rises by 1; 1 inside the domain. */
OAK_FN void elliptic_add_face(elliptic_sums_t *s, real weight, real u, real across, real fall) {
  s->sum += weight * (across - u);
  s->fall += weight * fall;
}

/* The value with which the equation holds at the cell, over-relaxed by the factor `relax`. */
OAK_FN real elliptic_relaxed(real u, real relax, real lhs, real rhs, real diagonal) {
  return u - relax * oak_div(rhs - lhs, diagonal);
}

/* The lower or upper half of a coarse cell or face along an axis, over half of the whole. */
OAK_FN real elliptic_half(const oak_parts_t *g, int axis, int upper) {
  if (!OAK_COORDINATES || axis >= OAK_CURVED) return 1;
  return upper ? 1 + g->more[axis] : 1 - g->more[axis];
}

/* The volume of a child over the mean of the children, or with dir >= 0 the area of its faces
 * across `dir` over their mean. */
OAK_FN real elliptic_part(const oak_parts_t *g, int dir, int child) {
  const real along_r = dir == 0 ? 1 : elliptic_half(g, 0, child & 1);
  return OAK_CURVED > 1 && dir != 1 ? along_r * elliptic_half(g, 1, child >> 1 & 1) : along_r;
}

/* The weight of a child in the mean of a residual: the volume, but 1 in (r, z) without bodies.
 * Beside the axis, where the volumes of children differ most, a cycle gains twice as much with
 * equal weights, but around thin electrodes it gains less. */
OAK_FN real elliptic_in_mean(const oak_parts_t *g, int child) {
  const int by_volume = OAK_COORDINATES > OAK_AXISYMMETRIC || OAK_ELLIPTIC_BODIES;
  return by_volume ? elliptic_part(g, -1, child) : 1;
}

/* The parts of a coarse face across `dir`, which is made of fine faces from (a, b) on. */
OAK_FN oak_parts_t elliptic_face_parts(const oak_field_t *f, long block, int dir, int a, int b) {
  return oak_face_parts(oak_span_of_pair(f, block, dir ? a : 0, dir ? b : a), 2, dir);
}

/* The child with the e-th of the fine faces on a coarse face across `dir`. */
OAK_FN int elliptic_child(int dir, int e) {
  return (e & 1) << (dir == 0) | (e >> 1) << (dir == 2 ? 1 : 2);
}

/* The part of the flux through the e-th fine face if all have the same difference of u: the part of
 * the area, with the true distance of the cells. */
OAK_FN real elliptic_share(const oak_parts_t *g, int dir, int e) {
  const int child = elliptic_child(dir, e);
  real share = elliptic_part(g, dir, child);
  if (oak_is_arc(dir, 0)) share = oak_div(share, g->arm[0][child & 1]);
  if (oak_is_arc(dir, 1)) share = oak_div(share, g->arm[OAK_CURVED - 1][child >> 1 & 1]);
  return share;
}

/* The memory of the ghost values beyond a face. */
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

/* elliptic_block_t: ghost values of a block, 1 / dx^2, and for each face minus the derivative of
 * its ghost value with respect to the value of the cell beside it. */
typedef struct {
  const real *u;
  oak_side_t side[OAK_FACES];
  real weight[OAK_DIM], outside[OAK_FACES];
  const real *low[OAK_DIM], *high, *bs; /* coefficients that are fields */
} elliptic_block_t;

OAK_FN void elliptic_block(const oak_elliptic_args_t *arg, long block, elliptic_block_t *b) {
  const int level = arg->f.block[block].level;
  b->u = arg->f.u + block * (long long)OAK_CELLS;
  b->high = arg->high + block * (long long)OAK_CELLS;
  b->bs = arg->bs + block * (long long)OAK_CELLS;
  OAK_FOR(d, OAK_DIM) {
    const real inv = (real)oak_inv_dx(&arg->f, level, d);
    b->weight[d] = inv * inv;
    b->low[d] = arg->low[d] + block * (long long)OAK_CELLS;
  }
  OAK_FOR(face, OAK_FACES) {
    const int at_boundary = arg->f.face[block * OAK_FACES + face].kind == OAK_FACE_BOUNDARY;
    b->side[face] = elliptic_side(arg, block, face);
    b->outside[face] = at_boundary ? (real)arg->outside[face] : 0;
  }
}

/* Whether a block is coarser than the blocks that this launch works on. */
OAK_FN int elliptic_rests(const oak_elliptic_args_t *arg, long block) {
  return arg->f.block[block].level < arg->least;
}

/* A row of cells along x and the rows beside it, all of stride 1. */
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

/* The coefficients on the faces of row (j, k). */
typedef struct {
  const real *low[OAK_DIM], *high[OAK_DIM]; /* high[0] is not used */
  real end;                                 /* a on the upper face of the row's last cell */
} elliptic_on_row_t;

OAK_FN elliptic_on_row_t elliptic_on_row(const real *const low[OAK_DIM], const real *high, int j,
                                         int k) {
  elliptic_on_row_t r;
  OAK_FOR(d, OAK_DIM) r.high[d] = r.low[d] = low[d] + OAK_INDEX(0, j, k);
  r.high[1] = j < OAK_NY - 1 ? r.low[1] + OAK_NX : high + FACE_ROOM + k * OAK_NX;
#if OAK_DIM == 3
  r.high[2] = k < OAK_NZ - 1 ? r.low[2] + OAK_NX * OAK_NY : high + 2 * FACE_ROOM + j * OAK_NX;
#endif
  r.end = high[k * OAK_NY + j];
  return r;
}

/* The coefficient on a face of cell i of a row. */
OAK_FN real elliptic_a(const elliptic_on_row_t *r, int i, int face) {
  if (face == 1) return i < OAK_NX - 1 ? r->low[0][i + 1] : r->end;
  return face & 1 ? r->high[face / 2][i] : r->low[face / 2][i];
}

/* The number of the cell at a side of a block, at (a, b) along that side. */
OAK_FN int elliptic_side_cell(int face, int a, int b) {
  const int dir = face / 2;
  int x[3];
  face_point(dir, face & 1 ? OAK_ALONG(dir) - 1 : 0, a, b, x);
  return OAK_INDEX(x[0], x[1], x[2]);
}

/* The place of the coefficient a on a face of a block. */
OAK_FN real *elliptic_place(const oak_elliptic_args_t *arg, long block, int face, int cell, int a,
                            int b) {
  return face & 1 ? arg->high + block * (long long)OAK_CELLS + face / 2 * FACE_ROOM +
                        b * FA(face / 2) + a
                  : arg->low[face / 2] + block * (long long)OAK_CELLS + cell;
}

/* The coefficient a on a face of a block. */
OAK_FN real elliptic_on_face(const oak_elliptic_args_t *arg, long block, int face, int cell, int a,
                             int b) {
  return OAK_ELLIPTIC_FIELDS ? *elliptic_place(arg, block, face, cell, a, b) : (real)arg->a;
}

/* A row of cells (j, k) with its coefficients. `edge` is `outside` for cells at the row's faces
 * along y and z. */
typedef struct {
  elliptic_row_t u;
  int j;
  real edge[OAK_FACES];
  elliptic_on_row_t a;
  const real *b;
} elliptic_cells_t;

OAK_FN elliptic_cells_t elliptic_cells(const elliptic_block_t *b, int j, int k) {
  elliptic_cells_t r;
  r.u = elliptic_row(b->u, b->side, j, k);
  r.j = j;
  if (OAK_ELLIPTIC_FIELDS) {
    r.a = elliptic_on_row(b->low, b->high, j, k);
    r.b = b->bs + OAK_INDEX(0, j, k);
  }
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

/* The left-hand side at cell i of a row. *diagonal: the amount by which the left-hand side falls
 * when the value of the cell rises by 1; weight: weights of the values across its faces. */
OAK_FN real elliptic_apply(const oak_elliptic_args_t *arg, const elliptic_block_t *b,
                           const elliptic_cells_t *r, long block, int i, real *diagonal,
                           real weight[OAK_FACES]) {
  const real u = r->u.c[i], constant = OAK_ELLIPTIC_FIELDS ? r->b[i] : (real)arg->b;
  const elliptic_metric_t m = elliptic_metric(&arg->f, block, i, r->j);
  elliptic_sums_t s = {0, 0};
  OAK_FOR(face, OAK_FACES) {
    const int beside = face > 1 || i == (face == 0 ? 0 : OAK_NX - 1);
    const real a = OAK_ELLIPTIC_FIELDS ? elliptic_a(&r->a, i, face) : (real)arg->a;
    weight[face] = elliptic_weight(&m, face, a, b->weight[face / 2]);
    elliptic_add_face(&s, weight[face], u, elliptic_across(&r->u, i, face),
                      1 + (beside ? r->edge[face] : 0));
  }
  *diagonal = s.fall + constant;
  return s.sum - constant * u;
}

/* Whether a cell is in an electrode: its b, in a field, is the mark -1. */
OAK_FN int elliptic_pinned(const real *b) { return OAK_ELLIPTIC_BODIES && *b < 0; }

/* arg->outside[face] without an index that varies, for which a GPU would copy the arguments. */
OAK_FN double outside_of(const oak_elliptic_args_t *arg, int face) {
  double outside = 0;
  OAK_FOR(n, 6)
    if (n == face) outside = arg->outside[n];
  return outside;
}

/* A quarter of the slope in a cell whose coefficient is a field: the mean flux of both faces,
 * divided by the mean coefficient of both faces. */
OAK_FN real elliptic_weighted_slope(real lower, real upper, real below, real above) {
  return oak_div((real)0.25 * (upper * above + lower * below), lower + upper);
}

/* What the term of a given value or slope across an axis counts as for the tolerance: as a change
 * of the flux over the extent of the domain, and not within one cell. */
OAK_FN real elliptic_counted(const oak_elliptic_args_t *arg, long block, int dir, real term) {
  return oak_abs(term) * (real)(arg->share[dir] / (double)(1LL << arg->f.block[block].level));
}

/* The larger of `most` and |x|. A value that is not a number counts as infinite. */
OAK_FN double elliptic_larger(double most, double x) {
  const double size = fabs(x) < INFINITY ? fabs(x) : INFINITY;
  return size > most ? size : most;
}

/* First cell of a child in its parent. */
OAK_FN int elliptic_octant(int child) {
  return OAK_INDEX((child & 1) * HX, (child >> 1 & 1) * HY, (child >> 2) * HZ);
}

/* The place of moment k of block n. */
OAK_FN long poles_place(long n, int k) {
  return (n / OAK_ELLIPTIC_CHUNK * OAK_MOMENT_ROWS(OAK_DIM) + k) * OAK_MOMENT_ROW +
         n % OAK_ELLIPTIC_CHUNK;
}

/* The coordinate of the first cell's centre along an axis, and the distance of cells. */
OAK_FN void poles_axis(const oak_elliptic_poles_args_t *arg, long block, int dir, double *first,
                       double *step) {
  const oak_block_t *b = &arg->f.block[block];
  *step = arg->scale * oak_dx(&arg->f, b->level, dir);
  *first = arg->scale * (b->origin[dir] - arg->center[dir]) + 0.5 * *step;
}
