/* SPDX-License-Identifier: GPL-2.0-or-later
 * A tile of the flux kernel (flux.c): its sizes, and the memory that its lanes share. */
#pragma once

#include "kernels/flux/place.h"
#include "kernels/scheme/cell.h"

#define LANES (TY * TX)
/* The number of cells in the halo of a plane, and of cells that each thread of a GPU loads. */
#define HALO_CELLS (2 * (OAK_RADIUS + 1) * (TX + TY))
#define HALO_TURNS ((HALO_CELLS + LANES - 1) / LANES)
/* PIPELINED: 1 if the next plane is loaded into shared memory while the fluxes of this plane are
 * computed. This saves a barrier per plane, and loads have time to arrive. It is slower
 * (docs/performance.md) if a thread loads two cells of the halo, and for WENO5 with six or seven
 * variables, because two such tiles would not fit into the shared memory of a multiprocessor. With
 * more variables there is one tile anyway. */
#define PIPELINED                                                                \
  (OAK_MANY_THREADS && OAK_DIM == 3 && HALO_TURNS <= 2 && TILE_FITS(8 + WIDE) && \
   (OAK_RADIUS == 1 ||                                                           \
    (HALO_TURNS == 1 && NVAR > 2 && (NVAR <= 5 || (NVAR >= 8 && TILE_FITS(9 + WIDE))))))
/* HALVES: 1 if the second barrier of a plane has two halves with the z fluxes between them, so that
 * no warp waits there. This and the copies below are slower with tiles of 64 cells
 * (docs/performance.md). */
#define HALVES (PIPELINED && OAK_BULK_COPIES && LANES >= 128)
/* FETCHED: 1 if the copy unit of the GPU fetches the data of a plane (end of this file). The cells
 * of the tile must lie together in a plane. It is slower with WENO5. */
#define FETCHED (HALVES && OAK_RADIUS == 1 && TX == OAK_NX && TILE_FITS(10 + 3 * WIDE))
/* WAITING: 1 if copies of the lane's cell wait in its places in planes, which are free for a while:
 * in the next plane the state that enters the march, and, once this plane is reconstructed, the
 * first earlier state there. */
#define WAITING (HALVES && !FETCHED && !WIDE)
/* HALO_APART: 1 if cells of the next plane's halo have memory of their own until they are
 * converted. */
#define HALO_APART (PIPELINED && WIDE)
/* SX: stride from row to row of a plane. With an odd stride, the cells of a column are in different
 * banks of a GPU's shared memory (docs/performance.md). */
enum { SX = TX + 2 * GH + FETCHED, SY = TY + 2 * GH };

/* ROWS: number of rows of the tile whose fluxes and new states are computed at a time. With one
 * row, its fluxes are still in the first-level cache of a CPU when the new states need them. With
 * rows of 8 cells, or if rows do not fill vectors, the work per row costs more
 * (docs/performance.md). */
enum { ROWS = !OAK_MANY_THREADS && TX > 8 && TX % 4 == 0 && OAK_CELLS > 64 ? 1 : TY };

/* ONE_COUNT: 1 if the lanes share one count of invalid cells. Nearly all cells are valid, so this
 * takes less time and memory. With WENO5 the compiler then spills more registers. */
enum { ONE_COUNT = OAK_MANY_THREADS && RAD == 1 };

#undef OAK_TEAM
#define OAK_TEAM LANES

#if FETCHED
/* STATES: number of Runge-Kutta states that are fetched, at least one: as many as fit, beside the
 * other numbers of flux_shared_t, into the 228 KB that the tiles of a multiprocessor share. */
enum {
  SHARED_NUMBERS =
      NVAR * (2 * SY * SX + 2 * LANES + 2 * (TX + TY)) + NFLUX * (2 * LANES + TX + TY) + LANES,
  STATE_ROOM = 228 * 1024 / RESIDENT - 1024 - 64 - SHARED_NUMBERS * (int)sizeof(real) -
               HALO_APART * NVAR * HALO_CELLS * (int)sizeof(store_t),
  STATES = OAK_MAX(OAK_MIN(OAK_NPREV, STATE_ROOM / (int)(NVAR * LANES * sizeof(store_t)) - 1), 1)
};
#endif

/* Primitive states of a plane with its halo. */
typedef real plane_t[NVAR][SY][SX];
/* The stride from variable to variable of stored numbers that wait in a plane. */
enum { WAIT_NEXT = SY * SX * (int)(sizeof(real) / sizeof(store_t)) };

/* The memory that the lanes of a tile share. */
typedef struct {
#if FETCHED /* first members, because copies need addresses that are multiples of 16 */
  store_t enters[NVAR][LANES]; /* conserved states of the plane that enters the march next */
  store_t before[STATES][NVAR][LANES]; /* earlier states of this plane */
  oak_gate_t fetched;
#endif
#if HALVES
  oak_gate_t fluxes_done;
#endif
  OAK_ALIGNED plane_t s[PIPELINED ? 2 : 1];
#if HALO_APART
  store_t halo[NVAR][HALO_CELLS];
#endif
#if OAK_MANY_THREADS
  real hx[NVAR][TY][TX + 1];       /* states below x faces, from cell -1 on */
  real hy[NVAR][TY + 1][TX];       /* states below y faces */
  real lx[NVAR][TY], ly[NVAR][TX]; /* states above the last faces */
#else
  OAK_ALIGNED real bx[NVAR][TY];    /* states below the first x faces */
  OAK_ALIGNED real below[NVAR][TY]; /* states below the last x faces */
  OAK_ALIGNED real lx[NVAR][TY];    /* states above the last x faces */
  OAK_ALIGNED real last[NFLUX][TY]; /* fluxes through the last x faces */
  OAK_ALIGNED real hy[NVAR][2][TX]; /* states below the y faces of two rows */
#endif
  OAK_ALIGNED real fx[NFLUX][ROWS][TX + 1];
  OAK_ALIGNED real fy[NFLUX][ROWS + 1][TX];
  OAK_ALIGNED real rate[ROWS * TX];
  OAK_ALIGNED real bad[ONE_COUNT ? 1 : ROWS * TX]; /* invalid cells */
} flux_shared_t;
/* Strides from variable to variable in hx and fx, and in fy. */
enum { X_FACES = ROWS * (TX + 1), Y_FACES = (ROWS + 1) * TX };
/* The row of fy that has the y fluxes below row j. */
OAK_FN int y_row(int j) { return j % (ROWS + 1); }

/* A tile of the xy planes of a block, and its planes. */
typedef struct {
  const oak_flux_args_t *arg;
  const oak_field_t *f;
  oak_flux_user_t user;
  long block;
  int x0, y0, begin, end;
  int row;     /* first of the present ROWS rows */
  int refined; /* a face beside the tile is a refinement boundary */
  int closed;  /* with FACE_VECTOR: faces of the block (edges.h) */
  sum_t inv_dx[3];
  unsigned number; /* oak_cell_number of the first cell of plane 0 */
} tile_t;

/* The tile of an iteration of the kernel. */
OAK_FN void choose_tile(tile_t *t, const flux_place_t *p) {
  const int bits = OAK_DIM == 3 && OAK_MANY_THREADS ? t->arg->part_bits : 0;
  t->block = p->block;
  t->x0 = p->tile % TILES_X * TX;
  t->y0 = p->tile / TILES_X * TY;
  t->row = t->refined = 0;
  OAK_FOR(face, 4) t->refined |= t->f->face[t->block * OAK_FACES + face].bflux >= 0;
  t->closed = OAK_CURL ? closed_faces(t->f, t->block) : 0;
  t->begin = p->part * OAK_NZ >> bits;
  t->end = (p->part + 1) * OAK_NZ >> bits;
  inverse_sizes(t->f, t->block, t->inv_dx);
  t->number = oak_cell_number(t->f, t->block, t->x0, t->y0, 0);
}

/* Cell (x0, y0) of plane k of the state that the stage reads. */
OAK_FN const store_t *tile_plane(const tile_t *t, int k) {
  return t->f->u + t->block * OAK_BLOCK_REALS + OAK_INDEX(t->x0, t->y0, k);
}

/* ---- data that the copy unit of a GPU fetches: for each plane, the state that the next step of
 * the march needs, and the state at the start of the step. One thread starts the copies after the
 * first barrier of a plane. The copies arrive while the x and y fluxes are computed, and take no
 * registers (docs/performance.md). */

/* The address that lane 0 reads in plane z, z = -NG .. OAK_NZ + NG - 1. */
OAK_FN const store_t *z_plane(const tile_t *t, int z, long long *stride) {
  const oak_side_t side = oak_side(t->f, t->block, z < 0 ? 4 : 5);
  const int inside = z >= 0 && z < OAK_NZ;
  *stride = inside ? OAK_CELLS : side.sv;
  return inside ? tile_plane(t, z)
                : side.p + (z < 0 ? z + OAK_NG : z - OAK_NZ) * side.sn + t->y0 * OAK_NX + t->x0;
}

/* Start the gates before the first plane; the barrier of load_plane makes them visible. */
OAK_FN void start_gates(flux_shared_t *sh) {
#if FETCHED
  OAK_SERIAL oak_gate_start(&sh->fetched, 1);
#endif
#if HALVES
  OAK_SERIAL oak_gate_start(&sh->fluxes_done, LANES);
#endif
  (void)sh;
}

#if FETCHED
/* The thread that starts the copies. The last warp has the least additional work. */
enum { FETCH_THREAD = LANES - 32 };

/* Start the copies for plane k. */
OAK_FN void fetch(const tile_t *t, int k, flux_shared_t *sh) {
  if (OAK_THREAD != FETCH_THREAD) return;
  const int bytes = LANES * (int)sizeof(store_t), states = OAK_MIN(t->arg->nprev, STATES);
  long long stride;
  const store_t *enters = z_plane(t, k + 1 + RAD, &stride);
  oak_gate_expect(&sh->fetched, (1 + states) * NVAR * bytes);
  OAK_FOR(v, NVAR) oak_bulk_copy(&sh->fetched, sh->enters[v], enters + v * stride, bytes);
  OAK_FOR(p, STATES) {
    const store_t *before = t->arg->prev[p] + (tile_plane(t, k) - t->f->u);
    if (p >= states) break;
    OAK_FOR(v, NVAR) oak_bulk_copy(&sh->fetched, sh->before[p][v], before + v * OAK_CELLS, bytes);
  }
}

/* Wait for the copies for plane k. */
OAK_FN void end_fetch(const tile_t *t, int k, flux_shared_t *sh) {
  oak_gate_wait(&sh->fetched, (k - t->begin) & 1);
}

/* The earlier states of the lane's cell, from shared memory if they were fetched. */
OAK_FN earlier_t fetched_states(earlier_t e, const real *cell, const flux_shared_t *sh) {
  (void)cell;
  OAK_FOR(n, OAK_NPREV) {
    if (n < STATES) e.p[n] = &sh->before[n < STATES ? n : 0][0][OAK_THREAD], e.next[n] = LANES;
  }
  return e;
}

/* The conserved state of the lane's cell in the plane that enters the march: `loaded` if nothing is
 * fetched. */
OAK_FN const store_t *entered(const store_t *loaded, const flux_shared_t *sh) {
  (void)loaded;
  return &sh->enters[0][OAK_THREAD];
}
#else
OAK_FN void fetch(const tile_t *t, int k, flux_shared_t *sh) { (void)t, (void)k, (void)sh; }
OAK_FN void end_fetch(const tile_t *t, int k, flux_shared_t *sh) { (void)t, (void)k, (void)sh; }
OAK_FN earlier_t fetched_states(earlier_t e, const real *cell, const flux_shared_t *sh) {
  (void)sh;
  if (WAITING) e.p[0] = (const store_t *)cell, e.next[0] = WAIT_NEXT;
  return e;
}
OAK_FN const store_t *entered(const store_t *loaded, const flux_shared_t *sh) {
  (void)sh;
  return loaded;
}
#endif
