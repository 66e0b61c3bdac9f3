/* SPDX-License-Identifier: GPL-2.0-or-later
 * The flux kernel (flux.c) within a plane. It first computes the reconstructed states at the lower
 * and upper faces of the cells (here called edges), then the x and y fluxes. These are two steps,
 * because a flux needs an edge of the neighbour cell, which belongs to another lane. */
#ifndef OAK_FLUX_FACES_H
#define OAK_FLUX_FACES_H

#include "kernels/flux_tile.h"
#if !OAK_FLUX_CELLS
/* Values that the cell whose first variable is at `cell` has at its lower and upper face: `step`
 * leads to the next cell across the faces, `stride` to the next variable. `own`: the cell's
 * variables where the lane has them, or NULL. */
OAK_FN void cell_edges(const real *cell, const real *own, int dir, int step, int stride, real lo[],
                       real hi[]) {
#if NSOLID
  real mask[2 * RAD + 1];
  OAK_UNROLL
  for (int n = 0; n < 2 * RAD + 1; n++) mask[n] = cell[SOLID_VAR * stride + (n - RAD) * step];
#else
  (void)dir;
#endif
  OAK_UNROLL
  for (int v = 0; v < NVAR; v++) {
    real row[2 * RAD + 1];
    OAK_UNROLL
    for (int n = 0; n < 2 * RAD + 1; n++)
      row[n] = own && n == RAD ? own[v] : cell[v * stride + (n - RAD) * step];
#if NSOLID
    oak_mirror_row(v, dir, mask, row);
#endif
    reconstruct(v, &row[RAD], &lo[v], &hi[v]);
  }
}

/* Compute the edges of the cells of row j along x, from plane `s`. A lane keeps the state at the
 * lower face of its cell. The state at the upper face goes to shared memory, for the neighbour. */
OAK_FN void x_edges(flux_shared_t *sh, const real s[NVAR][SY][SX], int j, const real *own,
                    OAK_PRIVATE_ARG(real lo[NVAR], LANES)) {
  OAK_ROW_LANE(i, TX) {
    real ql[NVAR], qh[NVAR];
    cell_edges(&s[0][j + GH][i + GH], own, 0, 1, SY * SX, ql, qh);
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++) OAK_MY(lo[v], i) = ql[v], sh->hx[v][j][i + 1] = qh[v];
  }
}

/* The same along y. */
OAK_FN void y_edges(flux_shared_t *sh, const real s[NVAR][SY][SX], int j, const real *own,
                    OAK_PRIVATE_ARG(real lo[NVAR], LANES)) {
  OAK_ROW_LANE(i, TX) {
    real ql[NVAR], qh[NVAR];
    cell_edges(&s[0][j + GH][i + GH], own, 1, SX, SY * SX, ql, qh);
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++) OAK_MY(lo[v], i) = ql[v], sh->hy[v][j + 1][i] = qh[v];
  }
}

/* The edges of the cells beside the tile: columns -1 and TX, rows -1 and TY. */
#if OAK_MANY_THREADS
/* One thread for each cell; all of them execute the same instructions. */
OAK_FN void end_edges(flux_shared_t *sh, const real s[NVAR][SY][SX]) {
  for (int n = OAK_THREAD_FROM(END_EDGES_FROM); n < 2 * (TX + TY); n += LANES) {
    const int along_x = n < 2 * TY, length = along_x ? TY : TX, m = along_x ? n : n - 2 * TY;
    const int upper = m >= length, a = upper ? m - length : m;
    const int across = upper ? (along_x ? TX : TY) + GH : GH - 1;
    const real *cell = along_x ? &s[0][a + GH][across] : &s[0][across][a + GH];
    real *below = along_x ? &sh->hx[0][a][0] : &sh->hy[0][0][a];
    real *above = along_x ? &sh->lx[0][a] : &sh->ly[0][a];
    real *to = upper ? above : below;
    const int step = upper ? length : along_x ? TY * (TX + 1) : (TY + 1) * TX;
    real ql[NVAR], qh[NVAR];
    cell_edges(cell, NULL, along_x ? 0 : 1, along_x ? 1 : SX, SY * SX, ql, qh);
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++) to[v * step] = upper ? ql[v] : qh[v];
  }
}
#else
/* Columns are transposed first, because the data of SIMD lanes must be contiguous. */
OAK_FN void x_end_edges(flux_shared_t *sh, const real s[NVAR][SY][SX]) {
  OAK_ALIGNED real strip[2][NVAR][2 * RAD + 1][TY], edge[NVAR][TY];
  for (int v = 0; v < NVAR; v++)
    for (int n = 0; n < 2 * RAD + 1; n++)
      OAK_INNER(j, TY) {
        strip[0][v][n][j] = s[v][j + GH][n];
        strip[1][v][n][j] = s[v][j + GH][TX + 1 + n];
      }
  OAK_INNER(j, TY) {
    real ql[NVAR], qh[NVAR], qn[NVAR];
    cell_edges(&strip[0][0][RAD][j], NULL, 0, TY, (2 * RAD + 1) * TY, ql, qh);
    cell_edges(&strip[1][0][RAD][j], NULL, 0, TY, (2 * RAD + 1) * TY, qn, ql);
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++) edge[v][j] = qh[v], sh->lx[v][j] = qn[v];
  }
  for (int v = 0; v < NVAR; v++)
    OAK_INNER(j, TY) sh->hx[v][j][0] = edge[v][j];
}

OAK_FN void y_end_edges(flux_shared_t *sh, const real s[NVAR][SY][SX]) {
  OAK_UNROLL
  for (int upper = 0; upper < 2; upper++)
    OAK_INNER(i, TX) {
      real ql[NVAR], qh[NVAR];
      cell_edges(&s[0][upper ? TY + GH : GH - 1][i + GH], NULL, 1, SX, SY * SX, ql, qh);
      OAK_UNROLL
      for (int v = 0; v < NVAR; v++)
        *(upper ? &sh->ly[v][i] : &sh->hy[v][0][i]) = upper ? ql[v] : qh[v];
    }
}

OAK_FN void end_edges(flux_shared_t *sh, const real s[NVAR][SY][SX]) {
  x_end_edges(sh, s);
  y_end_edges(sh, s);
}
#endif

#if OAK_MANY_THREADS
/* Fluxes through the faces of one direction. Each thread has the lower face of its cell, with the
 * states `below` (in shared memory) and `above` it; some have the last face of a row or column as
 * well. Both take the same instructions: a second copy of the Riemann solver for the last faces
 * costs 5 % with blocks of 16^3. `stride` and `width` lead to the next variable. */
OAK_FN void face_fluxes(const oak_user_t *user, int dir, int stride, const real *below,
                        real above[NVAR], real *flux, int has_last, const real *last_below,
                        const real *last_above, int width, real *last_flux) {
  OAK_NO_UNROLL
  for (;;) {
    real ql[NVAR], f[NFLUX];
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++) ql[v] = below[v * stride];
    f[NVAR] = face_flux(&user->physics, ql, above, dir, f);
    OAK_UNROLL
    for (int v = 0; v < NFLUX; v++) flux[v * stride] = f[v];
    if (!has_last) break;
    has_last = 0;
    below = last_below;
    flux = last_flux;
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++) above[v] = last_above[v * width];
  }
}

OAK_FN void x_fluxes(const oak_user_t *user, flux_shared_t *sh, int j, real lo[NVAR]) {
  const int i = OAK_THREAD % TX, last = OAK_THREAD_FROM(LAST_X_FROM);
  face_fluxes(user, 0, TY * (TX + 1), &sh->hx[0][j][i], lo, &sh->fx[0][j][i], last < TY,
              &sh->hx[0][last][TX], &sh->lx[0][last], TY, &sh->fx[0][last][TX]);
}

OAK_FN void y_fluxes(const oak_user_t *user, flux_shared_t *sh, int j, real lo[NVAR]) {
  const int i = OAK_THREAD % TX, last = OAK_THREAD_FROM(LAST_Y_FROM);
  face_fluxes(user, 1, (TY + 1) * TX, &sh->hy[0][j][i], lo, &sh->fy[0][j][i], last < TX,
              &sh->hy[0][TY][last], &sh->ly[0][last], TX, &sh->fy[0][TY][last]);
}
#else
/* Compute the fluxes through the x faces of row j. The last face of the row comes after the last
 * lane. */
OAK_FN void x_fluxes(const oak_user_t *user, flux_shared_t *sh, int j, real lo[NVAR][LANES]) {
  OAK_ROW_LANE(i, TX) {
    real ql[NVAR], qr[NVAR], f[NFLUX];
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++) ql[v] = sh->hx[v][j][i], qr[v] = lo[v][i];
    f[NVAR] = face_flux(&user->physics, ql, qr, 0, f);
    OAK_UNROLL
    for (int v = 0; v < NFLUX; v++) sh->fx[v][j][i] = f[v];
  }
}

OAK_FN void x_end_fluxes(const oak_user_t *user, flux_shared_t *sh) {
  OAK_ALIGNED real below[NVAR][TY], last[NFLUX][TY];
  for (int v = 0; v < NVAR; v++)
    OAK_INNER(j, TY) below[v][j] = sh->hx[v][j][TX];
  OAK_INNER(j, TY) {
    real ql[NVAR], qr[NVAR], f[NFLUX];
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++) ql[v] = below[v][j], qr[v] = sh->lx[v][j];
    f[NVAR] = face_flux(&user->physics, ql, qr, 0, f);
    OAK_UNROLL
    for (int v = 0; v < NFLUX; v++) last[v][j] = f[v];
  }
  for (int v = 0; v < NFLUX; v++)
    OAK_INNER(j, TY) sh->fx[v][j][TX] = last[v][j];
}

/* The same along y. */
OAK_FN void y_fluxes(const oak_user_t *user, flux_shared_t *sh, int j, real lo[NVAR][LANES]) {
  OAK_ROW_LANE(i, TX) {
    real ql[NVAR], qr[NVAR], f[NFLUX];
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++) ql[v] = sh->hy[v][j][i], qr[v] = lo[v][i];
    f[NVAR] = face_flux(&user->physics, ql, qr, 1, f);
    OAK_UNROLL
    for (int v = 0; v < NFLUX; v++) sh->fy[v][j][i] = f[v];
  }
}

OAK_FN void y_end_fluxes(const oak_user_t *user, flux_shared_t *sh) {
  OAK_INNER(i, TX) {
    real ql[NVAR], qr[NVAR], f[NFLUX];
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++) ql[v] = sh->hy[v][TY][i], qr[v] = sh->ly[v][i];
    f[NVAR] = face_flux(&user->physics, ql, qr, 1, f);
    OAK_UNROLL
    for (int v = 0; v < NFLUX; v++) sh->fy[v][TY][i] = f[v];
  }
}
#endif

#endif
#endif
