/* SPDX-License-Identifier: GPL-2.0-or-later
 * Access to cells, ghost cells and geometry, for every kernel and for problem files. Blocks store
 * no ghost cells: a value beyond a face is in the neighbour block or in a halo slot, as the face
 * table says. */
#pragma once

#include "kernels/access/radius.h"
#include "kernels/language/scalars.h"

/* Number of variables of the state: physics, scalars, and the mask of solids (solids.h). */
#define NVAR (PHYSICS_NVAR + NSCALARS + NSOLID)

/* Strides of a block: from axis to axis, and from block to block. */
#define OAK_STRIDE(dir) ((dir) == 0 ? 1 : (dir) == 1 ? OAK_NX : OAK_NX * OAK_NY)
#define OAK_INDEX(i, j, k) (((k) * (OAK_DIM == 3 ? OAK_NY : 0) + (j)) * OAK_NX + (i))
#define OAK_BLOCK_REALS ((long long)(NVAR + OAK_ROOM) * OAK_CELLS)
/* Cells of half a block along each axis, for tasks between levels. */
enum { HX = OAK_NX / 2, HY = OAK_NY / 2, HZ = OAK_DIM == 3 ? OAK_NZ / 2 : 1 };

/* Cells of a face across `dir` along its first and its second axis, and of half a face. */
#define FA(dir) ((dir) == 0 ? OAK_NY : OAK_NX)
#define FB(dir) (OAK_DIM == 2 ? 1 : (dir) == 2 ? OAK_NY : OAK_NZ)
#define HA(dir) (FA(dir) / 2)
#define HB(dir) (OAK_DIM == 2 ? 1 : FB(dir) / 2)
#define FACE_CELLS(dir) (FA(dir) * FB(dir))

/* Memory for the values of a face, or of a quarter (2D: half) of a face, is as large as for the
 * largest face of a block. The values follow each other without gaps. OAK_PIECE: reals per
 * component of a piece, the unit of halo buffers: a quarter (2D: half) of a slot. */
enum {
  FACE_ROOM = OAK_MAX(FACE_CELLS(0), OAK_MAX(FACE_CELLS(1), FACE_CELLS(OAK_DIM - 1))),
  PIECE_ROOM = FACE_ROOM >> (OAK_DIM - 1),
  OAK_PIECE = OAK_NG * PIECE_ROOM
};

/* Faces of a block (oak_face_index) that are normal to axes before `dir`, and to all axes. There
 * are no gaps between them. */
#define OAK_FACES_BEFORE(dir) \
  ((dir)*OAK_CELLS + ((dir) > 0) * FACE_CELLS(0) + ((dir) > 1) * FACE_CELLS(1))
enum { OAK_FACE_REALS = OAK_FACES_BEFORE(OAK_DIM - 1) + OAK_CELLS + FACE_CELLS(OAK_DIM - 1) };
/* OAK_CURL: the state has a vector that is advanced on faces (FACE_VECTOR). Its components across
 * all faces of a block stand behind the variables, so a block has OAK_ROOM more numbers for each
 * cell: fewer than OAK_CELLS of them stand behind the faces, because a block has 4 cells or more
 * along each axis. OAK_SHARES: shares of a cell in fields on its edges (kernels/scheme/edges.h). */
#ifdef OAK_FACE_VECTOR
#define OAK_CURL 1
#define OAK_ROOM (OAK_DIM + 1)
#else
#define OAK_CURL 0
#define OAK_ROOM 0
#endif
enum { OAK_SHARES = OAK_DIM == 3 ? 12 : 4 };
/* OAK_ELECTRIC: the vector on faces also changes by ELECTRIC_FIELD. */
#if OAK_CURL && OAK_HAS_physics_electric_field
#define OAK_ELECTRIC 1
#else
#define OAK_ELECTRIC 0
#endif
/* Numbers that a block stores for each cell of a field with this number of components. */
OAK_FN int oak_stored(const oak_field_t *f, int components) {
  return components + (OAK_CURL ? f->room : 0);
}

/** The ghost layers beyond one face: value(v, layer, a, b) is at p[v * sv + layer * sn + a * sa + b
 * * sb]. The coordinate increases from layer 0 to NG-1; a and b are the coordinates along the face
 * (x before y before z; b = 0 in 2D). */
typedef struct {
  const store_t *p;
  int sv, sn, sa, sb;
} oak_side_t;

/** The memory of a base (oak_face_t). On a GPU without peers, kernels have no code for peers,
 * because it takes 2 % of the time with blocks of 8^3 (H200). */
#ifndef OAK_PEERS
#define OAK_PEERS 1
#endif
OAK_FN const store_t *oak_base(const oak_field_t *f, int base) {
  const store_t *own = base == OAK_BASE_OWN ? f->u : f->halo;
  return OAK_PEERS && base >= OAK_BASE_PEERS ? f->peer[base - OAK_BASE_PEERS] : own;
}

/** The block that iteration n of a launch works on. */
OAK_FN long oak_listed(const oak_field_t *f, long n) {
  return f->list ? (long)(unsigned)f->list[n] : n;
}

/** The layers beyond a face, for a field with this number of components. */
OAK_FN oak_side_t oak_side_of(const oak_field_t *f, int components, long block, int face) {
  const oak_face_t t = f->face[block * OAK_FACES + face];
  const int dir = face / 2;
  const store_t *base = oak_base(f, t.base);
  oak_side_t s;
  if (!(t.base & 1)) { /* cells of the neighbour are the ghost cells */
    s.p = base + (long long)t.place * oak_stored(f, components) * OAK_CELLS +
          (face & 1 ? 0 : (OAK_ALONG(dir) - OAK_NG) * OAK_STRIDE(dir));
    s.sv = OAK_CELLS;
    s.sn = OAK_STRIDE(dir);
    s.sa = dir == 0 ? OAK_NX : 1;
    s.sb = dir == 2 ? OAK_NX : OAK_NX * OAK_NY;
  } else {
    s.p = base + (long long)t.place * components * OAK_PIECE;
    s.sv = OAK_NG * FACE_CELLS(dir);
    s.sn = FACE_CELLS(dir);
    s.sa = 1;
    s.sb = FA(dir);
  }
  return s;
}

/** The values that fine blocks have for half of line b of a coarse face, in the memory of this rank
 * or of a peer. */
OAK_FN const real *oak_fine_side(const oak_coarse_face_t *t, const real *own,
                                 const real *const *peer, int components, int half, int b) {
  const int dir = t->face / 2, n = (OAK_DIM == 3 ? 2 * (b / HB(dir)) : 0) + half;
  return (t->owner[n] ? peer[t->owner[n] - 1] : own) +
         (long long)t->piece[n] * components * PIECE_ROOM + b % HB(dir) * HA(dir);
}

OAK_FN oak_side_t oak_side(const oak_field_t *f, long block, int face) {
  return oak_side_of(f, NVAR, block, face);
}

/** First component of cell (i, j, k) of `block`, and the stride to the next component. At most one
 * index may be outside of the block, by up to NG: the cell is then a ghost cell. In 2D k = 0. */
OAK_FN const store_t *oak_cell_of(const oak_field_t *f, int components, long block, int i, int j,
                                  int k, int *stride) {
  const int below = i < 0 || j < 0 || k < 0;
  const int above = i >= OAK_NX || j >= OAK_NY || k >= OAK_NZ;
  *stride = OAK_CELLS;
  if (!(below || above))
    return f->u + (long long)block * oak_stored(f, components) * OAK_CELLS + OAK_INDEX(i, j, k);
  const int dir = (i < 0 || i >= OAK_NX) ? 0 : (j < 0 || j >= OAK_NY) ? 1 : 2;
  const int n = dir == 0 ? i : dir == 1 ? j : k;
  const int a = dir == 0 ? j : i;
  const int b = dir == 2 ? j : k;
  const oak_side_t s = oak_side_of(f, components, block, 2 * dir + above);
  const int layer = above ? n - OAK_ALONG(dir) : n + OAK_NG;
  *stride = s.sv;
  return s.p + layer * s.sn + a * s.sa + b * s.sb;
}

OAK_FN const store_t *oak_cell(const oak_field_t *f, long block, int i, int j, int k, int *stride) {
  return oak_cell_of(f, NVAR, block, i, j, k, stride);
}

/** Value of variable `v` of a cell or ghost cell. */
OAK_FN real oak_get(const oak_field_t *f, long block, int v, int i, int j, int k) {
  int stride;
  const store_t *p = oak_cell(f, block, i, j, k, &stride);
  return p[(long long)v * stride];
}

/** Volume (2D: area) of a cell of block n. */
OAK_FN double oak_cell_volume(const oak_field_t *f, long n) {
  double volume = 1;
  for (int dir = 0; dir < OAK_DIM; dir++) volume *= oak_dx(f, f->block[n].level, dir);
  return volume;
}

/** Centre of cell (i, j, k) or of a ghost cell. x[2] = 0 in 2D. */
OAK_FN void oak_center(const oak_field_t *f, long block, int i, int j, int k, double x[3]) {
  const oak_block_t *b = &f->block[block];
  x[0] = oak_first_coordinate(b->origin[0] + (i + 0.5) * oak_dx(f, b->level, 0));
  x[1] = b->origin[1] + (j + 0.5) * oak_dx(f, b->level, 1);
  x[2] = OAK_DIM == 3 ? b->origin[2] + (k + 0.5) * oak_dx(f, b->level, 2) : 0;
}

/** Distance of the centres of the cells on both sides of a lower or upper face of a block. */
OAK_FN double oak_dx_at_face(const oak_field_t *f, long block, int dir, int high) {
  const oak_block_t *b = &f->block[block];
  const double dx = oak_dx(f, b->level, dir);
  if (!OAK_LOG_RADIUS || dir != 0) return dx;
  return dx * oak_first_coordinate(b->origin[0] + (high ? OAK_NX * dx : 0));
}

/** Set conserved variable `v` of a cell of the block, in a kernel of a user's program that reads no
 * ghost cells. */
OAK_FN void oak_set(const oak_field_t *f, long block, int v, int i, int j, int k, real value) {
  store_t *u = (store_t *)f->u; /* kernels of oak never write the state that they read */
  u[block * OAK_BLOCK_REALS + v * OAK_CELLS + OAK_INDEX(i, j, k)] = (store_t)value;
}

#if !OAK_DEBUG || OAK_DESCRIBE /* debug.h defines it in debug mode */
#define oak_debug_offset(at, v, count, i, j, k) ((void)0)
#endif

/** Conserved variable `v` of the cell that lies (i, j, k) cells away from the cell of a hook. Only
 * one of i, j and k may lead beyond a face of the block. */
OAK_FN real(oak_near)(const oak_at_t *at, int v, int i, int j, int k) {
  oak_debug_offset(at, v, NVAR, i, j, k);
  return oak_get(at->state, at->block, v, at->cell[0] + i, at->cell[1] + j, at->cell[2] + k);
}

#ifdef OAK_FIELDS
/* Numbers of fields. A field that is the variable v of the state has the number -1 - v. */
#define OAK_FIELD_NUMBER(number, name) OAK_FIELD_##name = (number),
#define OAK_FIXED_NUMBER(variable, name) OAK_FIELD_##name = -1 - (variable),
enum { OAK_FIELDS(OAK_FIELD_NUMBER) OAK_FIXED(OAK_FIXED_NUMBER) };
#endif

/** The mesh with a field beside the state, of one component, in place of the state. */
OAK_FN oak_field_t oak_beside(const oak_field_t *f, int number) {
  oak_field_t field = *f;
  field.u = f->beside[number].u;
  field.halo = f->beside[number].halo;
  field.peer = f->beside[number].peer;
  field.room = 0;
  return field;
}

/** Value of a field beside the state in a cell or ghost cell. */
OAK_FN real oak_beside_get(const oak_field_t *f, int number, long block, int i, int j, int k) {
  int stride;
  if (number < 0) return oak_get(f, block, -1 - number, i, j, k);
  const oak_field_t field = oak_beside(f, number);
  return *oak_cell_of(&field, 1, block, i, j, k, &stride);
}

/** Value of field `name` beside the state; the offset is the same as for oak_near. */
#define oak_near_field(at, name, i, j, k)                                          \
  (OAK_CHECK_OFFSET(i, j, k), oak_debug_offset(at, 0, 1, i, j, k),                 \
   oak_beside_get((at)->state, OAK_FIELD_##name, (at)->block, (at)->cell[0] + (i), \
                  (at)->cell[1] + (j), (at)->cell[2] + (k)))

OAK_FN void oak_load(const store_t *u, long long stride, real q[]) {
  OAK_FOR(v, NVAR) q[v] = (real)u[v * stride];
}

OAK_FN void oak_store(store_t *u, long long stride, const sum_t q[]) {
  OAK_FOR(v, NVAR) u[v * stride] = (store_t)q[v];
}

/** The place of the lower face of cell (i, j, k) across `dir`. The index along `dir` may be
 * OAK_ALONG(dir), for the last face. OAK_STRIDE(dir) leads to the next face along `dir`. */
OAK_FN int oak_face_index(int dir, int i, int j, int k) {
  return OAK_FACES_BEFORE(dir) + (k * (OAK_NY + (dir == 1)) + j) * (OAK_NX + (dir == 0)) + i;
}

#if OAK_CURL
/** The vector on the faces of a block of a state. */
OAK_FN const store_t *oak_faces(const store_t *u, long block) {
  return u + block * OAK_BLOCK_REALS + NVAR * OAK_CELLS;
}
/** The component of this vector across the lower, or `upper`, face of the cell of a hook. */
OAK_FN double oak_at_cell_face(const oak_at_t *at, int dir, int upper) {
  return (double)oak_faces(at->state->u,
                           at->block)[oak_face_index(dir, at->cell[0], at->cell[1], at->cell[2]) +
                                      upper * OAK_STRIDE(dir)];
}
#endif

/* Call function(arg, user, block, dir, i, j, k) for all faces of a block, each of which is the
 * lower face of cell (i, j, k) across `dir`. Lanes share the faces. */
#define OAK_EACH_FACE(function, arg, user, block)                              \
  OAK_UNROLL                                                                   \
  for (int dir = 0; dir < OAK_DIM; dir++) {                                    \
    const int ni = OAK_NX + (dir == 0), nj = OAK_NY + (dir == 1);              \
    OAK_ROWS(row, nj * (OAK_NZ + (dir == 2)), ni) {                            \
      OAK_LANES(i, ni) function(arg, user, block, dir, i, row % nj, row / nj); \
    }                                                                          \
  }

/* Loops over all cells of a block in which each lane keeps values of its own: lane i of
 * OAK_INNER(i, OAK_CHUNK(first)) has cell first + i. */
enum { OAK_CHUNK_LANES = 128 };
#define OAK_CHUNKS(first) for (int first = 0; first < OAK_CELLS; first += OAK_CHUNK_LANES)
#define OAK_CHUNK(first) OAK_MIN(OAK_CHUNK_LANES, OAK_CELLS - (first))

/* Point of a block from its coordinates normal to and along a face of direction `dir`. */
OAK_FN void face_point(int dir, int n, int a, int b, int x[3]) {
  x[0] = dir == 0 ? n : a;
  x[1] = dir == 0 ? a : dir == 1 ? n : b;
  x[2] = OAK_DIM == 3 ? (dir == 2 ? n : b) : 0;
}

/** Whether cell c of a block lies in a box of cells (oak_measure_args_t). */
OAK_FN int oak_in_box(const int *box, int c) {
  const int i = c % OAK_NX, j = c / OAK_NX % OAK_NY, k = c / (OAK_NX * OAK_NY);
  return i >= box[0] && i < box[3] && j >= box[1] && j < box[4] && k >= box[2] && k < box[5];
}
