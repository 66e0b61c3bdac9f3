/* SPDX-License-Identifier: GPL-2.0-or-later
 * The planes of a tile (flux.c) where each lane is a thread. A flux needs the state at the upper
 * face of the neighbour cell, which belongs to another thread. Threads therefore reconstruct the
 * states of their cells first, and compute the fluxes after a barrier. The cells beside the tile
 * and the last faces have threads of their own. */
#pragma once

#include "kernels/flux/march.h"

/* halo_t: the cells of the halo that a thread loads, the same in all planes. Their addresses are
 * found once, so each plane takes one load and one step of the address. */
typedef struct {
  struct {
    const store_t *p;
    long long sv, step; /* strides to the next variable and plane */
    int place;          /* place in a plane; -1: none */
  } cell[HALO_TURNS];
} halo_t;

/* The first threads of each kind of additional work, so that no warp has more than one kind between
 * two barriers: the halo, the cells beside the tile, the last faces. */
#define HALO_THREAD \
  (LANES >= 128 && HALO_TURNS == 1 ? (OAK_THREAD + HALO_CELLS) % LANES : OAK_THREAD)
enum {
  ENDS_FROM = LANES >= 128 ? 64 : LANES / 2,
  LAST_X_FROM = LANES >= 128 ? 64 : 0,
  LAST_Y_FROM = LANES >= 128 ? 96 : LANES / 2
};

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
  if (n < 0 || n >= cells) {
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

/* The memory of a thread's halo cell n before it is converted, and the stride from variable to
 * variable there. */
#if HALO_APART
#define HALO_WAITS(to, n, sh) (&(sh)->halo[0][HALO_THREAD + (n)*LANES])
#else
#define HALO_WAITS(to, n, sh) ((store_t *)(to))
#endif
enum { HALO_NEXT = HALO_APART ? HALO_CELLS : WAIT_NEXT };

/* Load the halo of a plane in two parts: other work can be done between `begin` and `end`, when the
 * plane holds values that are not yet converted to primitive variables. */
OAK_FN void load_halo(const tile_t *t, halo_t *halo, plane_t s, flux_shared_t *sh, int begin,
                      int end) {
  OAK_FOR(n, HALO_TURNS) {
    if (halo->cell[n].place < 0) continue;
    real q[NVAR], *to = &s[0][0][0] + halo->cell[n].place;
    if (begin && !end) {
      OAK_FOR(v, NVAR)
        oak_copy_begin(HALO_WAITS(to, n, sh) + v * HALO_NEXT,
                       halo->cell[n].p + v * halo->cell[n].sv);
    }
    if (end) {
      const store_t *from = begin ? halo->cell[n].p : HALO_WAITS(to, n, sh);
      load_primitive(&t->user.physics, from, begin ? halo->cell[n].sv : HALO_NEXT, q);
      OAK_FOR(v, NVAR) to[v * SY * SX] = q[v];
    }
    if (begin) halo->cell[n].p += halo->cell[n].step;
  }
}

/* The place of the lane's cell in a plane. */
OAK_FN real *own_place(plane_t s) { return &s[0][OAK_THREAD / TX + GH][OAK_THREAD % TX + GH]; }

/* Start to copy the lane's cell of the plane at `from` to its place in s (WAITING). */
OAK_FN void wait_in(plane_t s, const store_t *from, long long stride) {
  store_t *to = (store_t *)own_place(s);
  OAK_UNROLL
  for (int v = 0; WAITING && v < NVAR; v++)
    oak_copy_begin(to + v * WAIT_NEXT, from + lane_at(OAK_THREAD) + v * stride);
}

/* Put the cell of each thread into a plane. */
OAK_FN void place_cells(const real q[], plane_t s) {
  real *to = own_place(s);
  OAK_FOR(v, NVAR) to[v * SY * SX] = q[v];
}

/* Fill plane k: in 3D from the queue of the march, in 2D from memory. */
OAK_FN void load_plane(const tile_t *t, int k, const march_t *m, halo_t *halo, flux_shared_t *sh) {
  real cell[NVAR];
  if (OAK_DIM == 3)
    place_cells(m->queue[QPLANE], sh->s[0]);
  else {
    load_primitive(&t->user.physics, tile_plane(t, k) + lane_at(OAK_THREAD), OAK_CELLS, cell);
    place_cells(cell, sh->s[0]);
  }
  load_halo(t, halo, sh->s[0], sh, 1, 1);
  OAK_BARRIER;
}

/* Load the plane that the next step of the march needs, and complete the loads of the next plane
 * `next`, while threads wait at a barrier. */
OAK_FN void load_ahead(const tile_t *t, int k, march_t *m, halo_t *halo, plane_t next,
                       flux_shared_t *sh) {
  long long stride;
  const store_t *p = z_plane(t, k + 1 + RAD, &stride) + lane_at(OAK_THREAD);
  if (WAITING) {
    oak_copy_end();
    p = (const store_t *)own_place(next), stride = WAIT_NEXT;
  }
  OAK_UNROLL
  for (int v = 0; !FETCHED && v < NVAR; v++) m->loaded[v] = p[v * stride];
  if (k + 1 >= t->end) return;
  oak_copy_end();
  place_cells(m->queue[QPLANE + 1], next);
  load_halo(t, halo, next, sh, 0, 1);
}

/* The reconstruction of the cells beside the tile is divided into END_PARTS parts for each of ENDS
 * cells, with one or a few variables each: with WENO5, which takes long, about one part per thread,
 * so that no warp waits for those that have such cells. FLAT needs all variables of a cell. */
enum { ENDS = 2 * (TX + TY) };
#if OAK_HAS_physics_flat || OAK_RADIUS < 2
enum { END_PARTS = 1 };
#else
enum { END_PARTS = OAK_MAX(OAK_MIN(LANES / ENDS, NVAR), 1) };
#endif

/* Reconstruct the cells beside the tile, all by the same instructions. */
OAK_FN void reconstruct_ends(flux_shared_t *sh, const real s[NVAR][SY][SX]) {
  for (int part = OAK_THREAD_FROM(ENDS_FROM); part < ENDS * END_PARTS; part += LANES) {
    const int first = END_PARTS > 1 ? part / ENDS : 0, n = part - first * ENDS;
    const int along_x = n < 2 * TY, length = along_x ? TY : TX, m = along_x ? n : n - 2 * TY;
    const int upper = m >= length, a = upper ? m - length : m;
    const int across = upper ? (along_x ? TX : TY) + GH : GH - 1;
    const real *cell = along_x ? &s[0][a + GH][across] : &s[0][across][a + GH];
    real *below = along_x ? &sh->hx[0][a][0] : &sh->hy[0][0][a];
    real *above = along_x ? &sh->lx[0][a] : &sh->ly[0][a];
    real *to = upper ? above : below;
    const int step = upper ? length : along_x ? X_FACES : Y_FACES;
    const int dir = along_x ? 0 : 1, next = along_x ? 1 : SX;
    real ql[NVAR], qh[NVAR];
    if (END_PARTS == 1) reconstruct(cell, NULL, dir, next, SY * SX, ql, qh);
    OAK_FOR(w, (NVAR + END_PARTS - 1) / END_PARTS) {
      const int v = first + w * END_PARTS;
      if (v >= NVAR) break;
      if (END_PARTS > 1) reconstruct_one(cell, v, dir, next, SY * SX, &ql[w], &qh[w]);
      to[v * step] = upper ? ql[w] : qh[w];
    }
  }
}

/* ONE_COPY: 1 if the Riemann solver for the faces of a tile is there once. NVRTC makes a copy for
 * the last faces if a turn of the loop ends with their choice, and none if it begins with it. Which
 * one is faster was measured (docs/performance.md). */
enum { ONE_COPY = OAK_DIM == 3 && (RAD > 1 || OAK_CURL) };

/* Fluxes through the faces of one direction. Each thread has the lower face of its cell, between
 * the states `below` (in shared memory) and `above`; some have the last face of a row or column as
 * well. `stride` and `width` lead to the next variable; `ph` is that of AT_FACE for the lower face,
 * and `last` the place of the last one (oak_face_index). */
OAK_FN void face_fluxes(const tile_t *t, int dir, const physics_parameters_t *ph, int stride,
                        const real *below, real above[NVAR], real *flux, int has_last, int last,
                        const real *last_below, const real *last_above, int width,
                        real *last_flux) {
  AT_FACE(end, t->f, &t->user, t->block, has_last ? last : 0);
  OAK_NO_UNROLL
  for (int n = 0;; n++) {
    real ql[NVAR], f[NFLUX];
    if (ONE_COPY && n) {
      below = last_below;
      flux = last_flux;
      OAK_FOR(v, NVAR) above[v] = last_above[v * width];
    }
    OAK_FOR(v, NVAR) ql[v] = below[v * stride];
    face_flux(ONE_COPY && n ? end : ph, ql, above, dir, f);
    OAK_FOR(v, NFLUX) flux[v * stride] = f[v];
    if (ONE_COPY ? n >= has_last : !has_last) break;
    if (ONE_COPY) continue;
    has_last = 0;
    ph = end;
    below = last_below;
    flux = last_flux;
    OAK_FOR(v, NVAR) above[v] = last_above[v * width];
  }
}

/* Fluxes through the faces across x and y, between the states `below`, in shared memory, and
 * `above`, in registers. */
OAK_FN void x_fluxes(const tile_t *t, flux_shared_t *sh, int k, const physics_parameters_t *ph,
                     real above[NVAR]) {
  const int i = OAK_THREAD % TX, j = OAK_THREAD / TX, last = OAK_THREAD_FROM(LAST_X_FROM);
  face_fluxes(t, 0, ph, X_FACES, &sh->hx[0][j][i], above, &sh->fx[0][j][i], last < TY,
              oak_face_index(0, t->x0 + TX, t->y0 + last, k), &sh->hx[0][last][TX],
              &sh->lx[0][last], TY, &sh->fx[0][last][TX]);
}

OAK_FN void y_fluxes(const tile_t *t, flux_shared_t *sh, int k, const physics_parameters_t *ph,
                     real above[NVAR]) {
  const int i = OAK_THREAD % TX, j = OAK_THREAD / TX, last = OAK_THREAD_FROM(LAST_Y_FROM);
  face_fluxes(t, 1, ph, Y_FACES, &sh->hy[0][j][i], above, &sh->fy[0][j][i], last < TX,
              oak_face_index(1, t->x0 + last, t->y0 + TY, k), &sh->hy[0][TY][last],
              &sh->ly[0][last], TX, &sh->fy[0][TY][last]);
}

/* Reconstruct the cell of a thread across axis `dir`. The state at the upper face goes to shared
 * memory `to`, for the neighbour; `next` leads from variable to variable there. */
OAK_FN void reconstruct_own(const real s[NVAR][SY][SX], int dir, const real *own, real lo[NVAR],
                            real *to, int next) {
  const int i = OAK_THREAD % TX, j = OAK_THREAD / TX;
  real hi[NVAR];
  reconstruct(&s[0][j + GH][i + GH], own, dir, dir ? SX : 1, SY * SX, lo, hi);
  OAK_FOR(v, NVAR) to[v * next + i] = hi[v];
}

/* Fluxes through x and y faces of plane k, whose states are in `s`; `own` as for reconstruct.
 */
OAK_FN void plane_fluxes(const tile_t *t, int k, plane_t s, const real *own, flux_shared_t *sh) {
  const int i = OAK_THREAD % TX, j = OAK_THREAD / TX;
  real xlo[NVAR], ylo[NVAR];
  AT_FACE(phx, t->f, &t->user, t->block, oak_face_index(0, t->x0 + i, t->y0 + j, k));
  AT_FACE(phy, t->f, &t->user, t->block, oak_face_index(1, t->x0 + i, t->y0 + j, k));
  reconstruct_ends(sh, s);
  reconstruct_own(s, 0, own, xlo, &sh->hx[0][j][1], X_FACES);
  reconstruct_own(s, 1, own, ylo, &sh->hy[0][j + 1][0], Y_FACES);
  OAK_BARRIER;
  fetch(t, k, sh);
  wait_in(s, t->arg->prev[0] + (tile_plane(t, k) - t->f->u), OAK_CELLS);
  x_fluxes(t, sh, k, phx, xlo);
  y_fluxes(t, sh, k, phy, ylo);
}

/* Prefetch the vector on the faces of plane k, because few lanes do not hide the time of
 * memory. */
OAK_FN void prefetch_faces(const tile_t *t, int k) {
#if OAK_CURL
  const int i = t->x0 + OAK_THREAD % TX, j = t->y0 + OAK_THREAD / TX;
  OAK_FOR(dir, OAK_DIM) {
    const store_t *p = oak_faces(t->f->u, t->block) + oak_face_index(dir, i, j, k + (dir == 2));
    OAK_WILL_READ(p);
    if (dir < 2) OAK_WILL_READ(p + OAK_STRIDE(dir));
  }
#else
  (void)t, (void)k;
#endif
}

/* Compute all planes of a tile. New states need the x and y fluxes of all threads. The two orders
 * of the work are the fastest (docs/performance.md). */
OAK_FN void all_planes(tile_t *t, march_t *z, flux_shared_t *sh) {
  halo_t halo;
  const real *own = PIPELINED ? z->queue[QPLANE] : NULL;
  OAK_FOR(n, HALO_TURNS) choose_halo_cell(t, HALO_THREAD + n * LANES, &halo, n);
  if (PIPELINED) {
    start_gates(sh);
    load_plane(t, t->begin, z, &halo, sh);
  }
  OAK_NO_UNROLL
  for (int k = t->begin; k < t->end; k++) {
    const int odd = (k - t->begin) & 1;
    long long stride;
    real(*s)[SY][SX] = sh->s[PIPELINED ? odd : 0], (*next)[SY][SX] = sh->s[PIPELINED ? !odd : 0];
    if (!PIPELINED)
      load_plane(t, k, z, &halo, sh);
    else if (k + 1 < t->end)
      load_halo(t, &halo, next, sh, 1, 0);
    if (k + 1 < t->end) prefetch_faces(t, k + 1);
    const store_t *enters = z_plane(t, k + 1 + RAD, &stride);
    wait_in(next, enters, stride);
    plane_fluxes(t, k, s, own, sh);
    if (PIPELINED) load_ahead(t, k, z, &halo, next, sh);
#if HALVES
    oak_gate_arrive(&sh->fluxes_done);
    march_on(t, k, z, sh);
    oak_gate_wait(&sh->fluxes_done, odd);
    keep_xy_fluxes(t, k, sh);
#else
    OAK_BARRIER;
    keep_xy_fluxes(t, k, sh);
    march_on(t, k, z, sh);
#endif
    update_rows(t, k, s, own, z, sh);
    next_plane(z);
  }
}
