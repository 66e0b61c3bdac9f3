/* SPDX-License-Identifier: GPL-2.0-or-later
 * x and y fluxes of a plane (flux_faces.h) where each lane is a thread. The cells beside the tile
 * and the last faces go to threads of their own. */
#ifndef OAK_FLUX_THREADS_H
#define OAK_FLUX_THREADS_H

#include "kernels/flux/reconstruct.h"

#if OAK_MANY_THREADS
/* The first threads of each kind of additional work, so that no warp has more than one kind between
 * two barriers. */
#define ENDS_FROM (LANES >= 128 ? 64 : LANES / 2)
#define LAST_X_FROM (LANES >= 128 ? 64 : 0)
#define LAST_Y_FROM (LANES >= 128 ? 96 : LANES / 2)

/* One thread for each cell beside the tile; all of them execute the same instructions. */
OAK_FN void reconstruct_ends(flux_shared_t *sh, const real s[NVAR][SY][SX]) {
  for (int n = OAK_THREAD_FROM(ENDS_FROM); n < 2 * (TX + TY); n += LANES) {
    const int along_x = n < 2 * TY, length = along_x ? TY : TX, m = along_x ? n : n - 2 * TY;
    const int upper = m >= length, a = upper ? m - length : m;
    const int across = upper ? (along_x ? TX : TY) + GH : GH - 1;
    const real *cell = along_x ? &s[0][a + GH][across] : &s[0][across][a + GH];
    real *below = along_x ? &sh->hx[0][a][0] : &sh->hy[0][0][a];
    real *above = along_x ? &sh->lx[0][a] : &sh->ly[0][a];
    real *to = upper ? above : below;
    const int step = upper ? length : along_x ? X_FACES : Y_FACES;
    real ql[NVAR], qh[NVAR];
    reconstruct_cell(cell, NULL, along_x ? 0 : 1, along_x ? 1 : SX, SY * SX, ql, qh);
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++) to[v * step] = upper ? ql[v] : qh[v];
  }
}
/* Fluxes through the faces of one direction. Each thread has the lower face of its cell, with the
 * states `below` (in shared memory) and `above` it; some have the last face of a row or column as
 * well. Both take the same instructions: a second copy of the Riemann solver for the last faces
 * costs 5 % with blocks of 16^3. `stride` and `width` lead to the next variable; `face` and `last`
 * are places of faces (oak_face_index). */
OAK_FN void face_fluxes(const tile_t *t, int dir, int face, int stride, const real *below,
                        real above[NVAR], real *flux, int has_last, int last,
                        const real *last_below, const real *last_above, int width,
                        real *last_flux) {
  OAK_NO_UNROLL
  for (;;) {
    real ql[NVAR], f[NFLUX];
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++) ql[v] = below[v * stride];
    AT_FACE(ph, t->f, &t->user, t->block, face);
    f[NVAR] = face_flux(ph, ql, above, dir, f);
    OAK_UNROLL
    for (int v = 0; v < NFLUX; v++) flux[v * stride] = f[v];
    if (!has_last) break;
    has_last = 0;
    face = last;
    below = last_below;
    flux = last_flux;
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++) above[v] = last_above[v * width];
  }
}

OAK_FN void x_fluxes(const tile_t *t, flux_shared_t *sh, int j, int k, real lo[NVAR]) {
  const int i = OAK_THREAD % TX, last = OAK_THREAD_FROM(LAST_X_FROM);
  face_fluxes(t, 0, oak_face_index(0, t->x0 + i, t->y0 + j, k), X_FACES, &sh->hx[0][j][i], lo,
              &sh->fx[0][j][i], last < TY, oak_face_index(0, t->x0 + TX, t->y0 + last, k),
              &sh->hx[0][last][TX], &sh->lx[0][last], TY, &sh->fx[0][last][TX]);
}

OAK_FN void y_fluxes(const tile_t *t, flux_shared_t *sh, int j, int k, real lo[NVAR]) {
  const int i = OAK_THREAD % TX, last = OAK_THREAD_FROM(LAST_Y_FROM);
  face_fluxes(t, 1, oak_face_index(1, t->x0 + i, t->y0 + j, k), Y_FACES, &sh->hy[0][j][i], lo,
              &sh->fy[0][j][i], last < TX, oak_face_index(1, t->x0 + last, t->y0 + TY, k),
              &sh->hy[0][TY][last], &sh->ly[0][last], TX, &sh->fy[0][TY][last]);
}

/* Reconstruct the cell of a lane across axis `dir`. The state at the upper face goes to shared
 * memory, for the neighbour: `next` leads from a variable `to` the next one. */
OAK_FN void reconstruct_own(const real s[NVAR][SY][SX], int dir, const real *own, real lo[NVAR],
                            real *to, int next) {
  const int i = OAK_THREAD % TX, j = OAK_THREAD / TX;
  real hi[NVAR];
  reconstruct_cell(&s[0][j + GH][i + GH], own, dir, dir ? SX : 1, SY * SX, lo, hi);
  OAK_UNROLL
  for (int v = 0; v < NVAR; v++) to[v * next + i] = hi[v];
}

OAK_FN void begin_fluxes(const tile_t *t, int k, const real s[NVAR][SY][SX], flux_shared_t *sh) {
  (void)t, (void)k;
  reconstruct_ends(sh, s);
}

/* All x and y fluxes of plane k, whose states are in `s`; `own` as for reconstruct_cell. */
OAK_FN void compute_fluxes(const tile_t *t, int k, const real s[NVAR][SY][SX], const real *own,
                           flux_shared_t *sh) {
  const int j = OAK_THREAD / TX;
  real xlo[NVAR], ylo[NVAR];
  reconstruct_own(s, 0, own, xlo, &sh->hx[0][j][1], X_FACES);
  reconstruct_own(s, 1, own, ylo, &sh->hy[0][j + 1][0], Y_FACES);
  OAK_BARRIER;
  fetch(t, k, sh);
  x_fluxes(t, sh, j, k, xlo);
  y_fluxes(t, sh, j, k, ylo);
}

#endif
#endif
