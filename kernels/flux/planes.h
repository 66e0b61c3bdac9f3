/* SPDX-License-Identifier: GPL-2.0-or-later
 * How the planes of a tile get into shared memory, one after the other (flux.c). */
#ifndef OAK_FLUX_PLANES_H
#define OAK_FLUX_PLANES_H

#include "kernels/flux/march.h"

/* Primitive states [NVAR] of a plane with its halo. */
typedef real plane_t[SY][SX];

/* Fill plane k without its halo: in 3D from the queue of the march, in 2D from memory. */
OAK_FN void load_plane(const tile_t *t, int k, const march_t *m, plane_t *s) {
#if OAK_DIM == 2
  const store_t *own = tile_plane(t, k);
#endif
  (void)t, (void)k, (void)m;
  OAK_LANE2(j, TY, i, TX) {
    real cell[NVAR];
#if OAK_DIM == 3
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++)
      cell[v] = OAK_MY(m->queue[OAK_QUEUE(QROOM, k, QPLANE)][v], j * TX + i);
#else
    load_primitive(&t->user.physics, own + j * OAK_NX + i, OAK_CELLS, cell);
#endif
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++) s[v][j + GH][i + GH] = cell[v];
  }
}

#if HALO_ROLES
/* On GPUs each thread loads the same cells of the halo in all planes. Their addresses are found
 * once. Each plane then takes one load and one step of the address. */
typedef struct {
  struct {
    const store_t *p;
    long long sv, step; /* to the next variable and plane */
    int place;          /* in a plane; -1: none */
  } cell[HALO_TURNS];
} halo_t;

/* The first thread that loads. No warp has more than one kind of additional work between two
 * barriers. */
#define HALO_THREAD \
  (LANES >= 128 && HALO_TURNS == 1 ? (OAK_THREAD + HALO_CELLS) % LANES : OAK_THREAD)

/* Cell h of the halo: first rows below and above the tile, then columns beside it. */
OAK_FN void choose_halo_cell(const tile_t *t, int h, halo_t *halo, int turn) {
  halo->cell[turn].p = 0;
  halo->cell[turn].sv = halo->cell[turn].step = 0;
  halo->cell[turn].place = -1;
  if (h >= HALO_CELLS) return;
  const int across = h < 2 * GH * TX, length = across ? TX : TY;
  h -= across ? 0 : 2 * GH * TX;
  const int g = h / length, a = h % length, high = g >= GH;
  const int first = across ? t->y0 : t->x0, width = across ? TY : TX;
  const int n = first + (high ? width + g - GH : g - GH); /* coordinate across the rows */
  const int row = n - first + GH, cells = across ? OAK_NY : OAK_NX;
  const int beyond = n < 0 || n >= cells;
  if (beyond) {
    const oak_side_t side = oak_side(t->f, t->block, (across ? 2 : 0) + high);
    halo->cell[turn].p = side.p + (high ? n - cells : n + OAK_NG) * side.sn +
                         ((across ? t->x0 : t->y0) + a) * side.sa + (long long)t->begin * side.sb;
    halo->cell[turn].sv = side.sv;
    halo->cell[turn].step = side.sb;
  } else {
    halo->cell[turn].p =
        tile_plane(t, t->begin) + (across ? (row - GH) * OAK_NX + a : a * OAK_NX + row - GH);
    halo->cell[turn].sv = OAK_CELLS;
    halo->cell[turn].step = OAK_NX * OAK_NY;
  }
  halo->cell[turn].place = across ? row * SX + GH + a : (GH + a) * SX + row;
}

OAK_FN void load_halo(const tile_t *t, halo_t *halo, plane_t *s) {
  OAK_UNROLL
  for (int n = 0; n < HALO_TURNS; n++) {
    if (halo->cell[n].place < 0) continue;
    real q[NVAR];
    load_primitive(&t->user.physics, halo->cell[n].p, halo->cell[n].sv, q);
    halo->cell[n].p += halo->cell[n].step;
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++) (&s[v][0][0])[halo->cell[n].place] = q[v];
  }
}
#else
typedef struct {
  int none;
} halo_t;
#endif

#if PIPELINED
/* Where the state of a thread's halo cell n waits until it is converted, and from a variable there
 * to the next one. */
#if HALO_APART
#define HALO_WAITS(s, halo, n, sh) (&(sh)->halo[0][HALO_THREAD + (n)*LANES])
#define HALO_NEXT HALO_CELLS
#else
#define HALO_WAITS(s, halo, n, sh) ((store_t *)(&(s)[0][0][0] + (halo)->cell[n].place))
#define HALO_NEXT (SY * SX * (int)(sizeof(real) / sizeof(store_t)))
#endif

/* Loads of the next plane begin before the fluxes of this plane are computed, and end after that.
 * Until then, shared memory holds values that are not converted to primitive variables. */
OAK_FN void begin_halo(halo_t *halo, plane_t *s, flux_shared_t *sh) {
  (void)s, (void)sh;
  OAK_UNROLL
  for (int n = 0; n < HALO_TURNS; n++) {
    if (halo->cell[n].place < 0) continue;
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++)
      oak_copy_begin(HALO_WAITS(s, halo, n, sh) + v * HALO_NEXT,
                     halo->cell[n].p + v * halo->cell[n].sv);
    halo->cell[n].p += halo->cell[n].step;
  }
}

OAK_FN void end_halo(const tile_t *t, const halo_t *halo, plane_t *s, flux_shared_t *sh) {
  (void)sh;
  OAK_UNROLL
  for (int n = 0; n < HALO_TURNS; n++) {
    if (halo->cell[n].place < 0) continue;
    real q[NVAR];
    real *to = &s[0][0][0] + halo->cell[n].place;
    load_primitive(&t->user.physics, HALO_WAITS(s, halo, n, sh), HALO_NEXT, q);
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++) to[v * SY * SX] = q[v];
  }
}

OAK_FN void place_cells(const real q[], plane_t *s) {
  OAK_LANE2(j, TY, i, TX) {
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++) s[v][j + GH][i + GH] = q[v];
  }
}
#endif

/* Before the first plane. */
OAK_FN void start_planes(const tile_t *t, const march_t *m, halo_t *halo, flux_shared_t *sh) {
#if HALO_ROLES
  OAK_UNROLL
  for (int n = 0; n < HALO_TURNS; n++) choose_halo_cell(t, HALO_THREAD + n * LANES, halo, n);
#endif
#if PIPELINED
  start_fetch(sh);
  place_cells(m->queue[QPLANE], sh->s[0]);
  load_halo(t, halo, sh->s[0]);
  OAK_BARRIER;
#endif
  (void)t, (void)m, (void)halo, (void)sh;
}

/* Return plane k in shared memory. If planes are pipelined, begin to load the next one. */
OAK_FN plane_t *begin_plane(const tile_t *t, int k, const march_t *m, halo_t *halo,
                            flux_shared_t *sh) {
#if PIPELINED
  if (k + 1 < t->end) begin_halo(halo, sh->s[(k + 1 - t->begin) & 1], sh);
  (void)m;
  return sh->s[(k - t->begin) & 1];
#else
  load_plane(t, k, m, sh->s[0]);
#if HALO_ROLES
  load_halo(t, halo, sh->s[0]);
#else
  load_plane_halo(t, k, sh);
#endif
  (void)halo;
  OAK_BARRIER;
  return sh->s[0];
#endif
}

/* The cell of a lane in the plane, if it is in registers; NULL if it is in shared memory. */
OAK_FN const real *own_cell(const march_t *m) {
#if PIPELINED
  return m->queue[QPLANE];
#else
  (void)m;
  return NULL;
#endif
}

/* Complete the loads of the next plane while threads wait at a barrier. */
OAK_FN void end_loads(const tile_t *t, int k, march_t *m, const halo_t *halo, flux_shared_t *sh) {
#if PIPELINED
  load_ahead(t, k, m);
  oak_copy_end();
  if (k + 1 < t->end) {
    plane_t *next = sh->s[(k + 1 - t->begin) & 1];
    place_cells(m->queue[QPLANE + 1], next);
    end_halo(t, halo, next, sh);
  }
#endif
  (void)t, (void)k, (void)m, (void)halo, (void)sh;
}

#endif
