/* SPDX-License-Identifier: GPL-2.0-or-later
 * A tile of the flux kernel (flux.c): its sizes, the memory that its lanes share, and how a plane
 * of primitive states with its halo gets into shared memory. */
#ifndef OAK_FLUX_TILE_H
#define OAK_FLUX_TILE_H

#include "kernels/flux_common.h"
#if !OAK_FLUX_CELLS
#define LANES (TY * TX)
#define SX (TX + 2 * GH)
#define SY (TY + 2 * GH)
/* The number of cells in the halo of a plane, and how many of them each thread of a GPU loads. */
#define HALO_CELLS (2 * GH * (TX + TY))
#define HALO_TURNS ((HALO_CELLS + LANES - 1) / LANES)
#define HALO_ROLES (OAK_MANY_THREADS && HALO_TURNS <= 2)
/* 1 if the next plane is loaded into shared memory while the fluxes of this one are computed. This
 * saves a barrier per plane, and loads have time to arrive. It is used where it is faster
 * (docs/performance-history.md). It is not used if a thread loads two cells of the halo. It is not
 * used either for WENO5 with more than five variables, because two such tiles would not fit into
 * the shared memory of a multiprocessor. */
#define PIPELINED \
  (HALO_ROLES && OAK_DIM == 3 && (RAD == 1 || (HALO_TURNS == 1 && NVAR > 2 && NVAR <= 5)))
/* The first threads of each kind of additional work: cells of the halo, ends of rows and columns,
 * and their last x and y fluxes. They are chosen so that no warp has more than one kind between two
 * barriers. */
#define WIDE (LANES >= 128)
#define HALO_THREAD (WIDE && HALO_TURNS == 1 ? (OAK_THREAD + HALO_CELLS) % LANES : OAK_THREAD)
#define END_EDGES_FROM (WIDE ? 64 : LANES / 2)
#define LAST_X_FROM (WIDE ? 64 : 0)
#define LAST_Y_FROM (WIDE ? 96 : LANES / 2)

/* The number of planes in the z queue, and the position of plane k in it when plane k + 1 is
 * reconstructed. */
#define QLEN (RAD > 0 ? 2 * RAD + 1 : 2)
#define QPLANE (RAD > 0 ? RAD - 1 : 0)

#if OAK_DIM == 3
#define PLANE_CELLS queue[OAK_QUEUE(QLEN, k, QPLANE)]
#else
#define PLANE_CELLS NULL
#endif

#undef OAK_TEAM
#define OAK_TEAM LANES

/* The memory that the lanes of a tile share. */
typedef struct {
  OAK_ALIGNED real s[PIPELINED ? 2 : 1][NVAR][SY][SX]; /* primitive planes with their halo */
  OAK_ALIGNED real hx[NVAR][TY][TX + 1]; /* states below x faces: upper edges of cells -1 .. */
  OAK_ALIGNED real hy[NVAR][TY + 1][TX]; /* the same of y faces */
  OAK_ALIGNED real lx[NVAR][TY];         /* states above the last faces */
  OAK_ALIGNED real ly[NVAR][TX];
  OAK_ALIGNED real fx[NFLUX][TY][TX + 1];
  OAK_ALIGNED real fy[NFLUX][TY + 1][TX];
  OAK_ALIGNED real rate[LANES];
  OAK_ALIGNED real bad[LANES]; /* as wide as the other arrays, so that SIMD lanes stay full */
} flux_shared_t;

/* A tile of the xy planes of a block, and its planes. */
typedef struct {
  const oak_flux_args_t *arg;
  const oak_field_t *f;
  oak_user_t user;
  long block;
  int x0, y0, begin, end;
  int refined; /* a face beside the tile is a refinement boundary */
  real inv_dx[3];
  unsigned number; /* of the first cell of plane 0 */
} tile_t;

/* Cell (x0, y0) of plane k of the state that is read. */
OAK_FN const store_t *tile_plane(const tile_t *t, int k) {
  return t->f->u + t->block * OAK_BLOCK_REALS + OAK_INDEX(t->x0, t->y0, k);
}

/* Fill the halo of plane k: rows below and above the tile, then the columns beside it. */
OAK_FN void load_plane_halo(const tile_t *t, int k, flux_shared_t *OAK_RESTRICT sh) {
  const store_t *own = t->f->u + t->block * OAK_BLOCK_REALS + (long long)k * OAK_N * OAK_N;
  OAK_UNROLL
  for (int high = 0; high < 2; high++) {
    const oak_side_t side = oak_side(t->f, t->block, 2 + high);
    OAK_ROWS_FROM(high * GH * TX, g, GH, TX) {
      const int row = high ? GH + TY + g : g; /* of s */
      const int j = t->y0 + row - GH;
      const int inside = high ? j < OAK_N : j >= 0;
      const int layer = high ? j - OAK_N : j + OAK_NG;
      const store_t *p = inside ? own + j * OAK_N + t->x0
                                : side.p + layer * side.sn + k * side.sb + t->x0 * side.sa;
      const long long sv = inside ? OAK_CELLS : side.sv;
      OAK_LANES(i, TX) {
        real q[NVAR];
        load_primitive(&t->user, p + i, sv, q);
        OAK_UNROLL
        for (int v = 0; v < NVAR; v++) sh->s[0][v][row][i + GH] = q[v];
      }
    }
  }
  OAK_UNROLL
  for (int high = 0; high < 2; high++) {
    const oak_side_t side = oak_side(t->f, t->block, high);
    OAK_ROWS_FROM(2 * GH * TX + high * GH * TY, g, GH, TY) {
      const int column = high ? GH + TX + g : g; /* of s */
      const int i = t->x0 + column - GH;
      const int inside = TILES_X > 1 && (high ? i < OAK_N : i >= 0);
      const int layer = high ? i - OAK_N : i + OAK_NG;
      const store_t *p = inside ? own + t->y0 * OAK_N + i
                                : side.p + layer * side.sn + k * side.sb + t->y0 * side.sa;
      const int step = inside ? OAK_N : side.sa;
      const long long sv = inside ? OAK_CELLS : side.sv;
      OAK_LANES(j, TY) {
        real q[NVAR];
        load_primitive(&t->user, p + j * step, sv, q);
        OAK_UNROLL
        for (int v = 0; v < NVAR; v++) sh->s[0][v][j + GH][column] = q[v];
      }
    }
  }
}

/* Fill plane k without its halo: in 3D from the march's queue `q`, in 2D from memory. */
OAK_FN void load_plane(const tile_t *t, int k, flux_shared_t *sh,
                       OAK_PRIVATE_ARG(const real q[NVAR], LANES)) {
#if OAK_DIM == 2
  const store_t *own = tile_plane(t, k);
  (void)q;
#else
  (void)t, (void)k;
#endif
  OAK_LANE2(j, TY, i, TX) {
    real cell[NVAR];
#if OAK_DIM == 3
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++) cell[v] = OAK_MY(q[v], j * TX + i);
#else
    load_primitive(&t->user, own + j * OAK_N + i, OAK_CELLS, cell);
#endif
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++) sh->s[0][v][j + GH][i + GH] = cell[v];
  }
}

#if HALO_ROLES
/* The cell of a plane's halo that a thread loads. It is the same on all planes, so it is found
 * once; each plane then takes one load and one step. */
typedef struct {
  const store_t *p;
  long long sv, step; /* to the next variable and plane */
  int place;          /* in s[0]; -1: none */
} halo_cell_t;

OAK_FN halo_cell_t choose_halo_cell(const tile_t *t, int h) {
  halo_cell_t cell = {0, 0, 0, -1};
  if (h >= HALO_CELLS) return cell;
  /* First rows below and above the tile, then columns beside it. */
  const int across = h < 2 * GH * TX, length = across ? TX : TY;
  h -= across ? 0 : 2 * GH * TX;
  const int g = h / length, a = h % length, high = g >= GH;
  const int first = across ? t->y0 : t->x0, width = across ? TY : TX;
  const int n = first + (high ? width + g - GH : g - GH); /* coordinate across the rows */
  const int row = n - first + GH, beyond = n < 0 || n >= OAK_N;
  if (beyond) {
    const oak_side_t side = oak_side(t->f, t->block, (across ? 2 : 0) + high);
    cell.p = side.p + (high ? n - OAK_N : n + OAK_NG) * side.sn +
             ((across ? t->x0 : t->y0) + a) * side.sa + (long long)t->begin * side.sb;
    cell.sv = side.sv;
    cell.step = side.sb;
  } else {
    cell.p = tile_plane(t, t->begin) + (across ? (row - GH) * OAK_N + a : a * OAK_N + row - GH);
    cell.sv = OAK_CELLS;
    cell.step = OAK_N * OAK_N;
  }
  cell.place = across ? row * SX + GH + a : (GH + a) * SX + row;
  return cell;
}

OAK_FN void load_halo_cell(const tile_t *t, halo_cell_t *cell, flux_shared_t *sh) {
  if (cell->place < 0) return;
  real q[NVAR];
  load_primitive(&t->user, cell->p, cell->sv, q);
  cell->p += cell->step;
  OAK_UNROLL
  for (int v = 0; v < NVAR; v++) (&sh->s[0][v][0][0])[cell->place] = q[v];
}

#if PIPELINED
/* The same in two parts, so that the data has time to arrive in between. Until the second part a
 * place holds the value as it is stored. */
OAK_FN void begin_halo_cell(halo_cell_t *cell, real s[NVAR][SY][SX]) {
  if (cell->place < 0) return;
  OAK_UNROLL
  for (int v = 0; v < NVAR; v++)
    oak_copy_begin((store_t *)(&s[v][0][0] + cell->place), cell->p + v * cell->sv);
  cell->p += cell->step;
}

OAK_FN void end_halo_cell(const tile_t *t, const halo_cell_t *cell, real s[NVAR][SY][SX]) {
  if (cell->place < 0) return;
  real q[NVAR];
  real *to = &s[0][0][0] + cell->place;
  load_primitive(&t->user, (const store_t *)to, SY * SX * (int)(sizeof(real) / sizeof(store_t)), q);
  OAK_UNROLL
  for (int v = 0; v < NVAR; v++) to[v * SY * SX] = q[v];
}

/* Own cells of a plane. */
OAK_FN void place_cells(const real q[], real s[NVAR][SY][SX]) {
  OAK_LANE2(j, TY, i, TX) {
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++) s[v][j + GH][i + GH] = q[v];
  }
}
#endif
#endif

#endif
#endif
