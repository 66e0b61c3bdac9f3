/* SPDX-License-Identifier: GPL-2.0-or-later
 * x and y fluxes of a plane (flux_faces.h) where lanes are SIMD lanes or a loop. The cells
 * beside the tile and the last faces have loops of their own. */
#ifndef OAK_FLUX_LANES_H
#define OAK_FLUX_LANES_H

#include "kernels/flux_reconstruct.h"

#if !OAK_MANY_THREADS
/* Columns are transposed first, because the data of SIMD lanes must be contiguous. */
OAK_FN void reconstruct_x_ends(flux_shared_t *sh, const real s[NVAR][SY][SX]) {
  OAK_ALIGNED real strip[2][NVAR][2 * RAD + 1][TY], edge[NVAR][TY];
  for (int v = 0; v < NVAR; v++)
    for (int n = 0; n < 2 * RAD + 1; n++)
      OAK_INNER(j, TY) {
        strip[0][v][n][j] = s[v][j + GH][n];
        strip[1][v][n][j] = s[v][j + GH][TX + 1 + n];
      }
  OAK_INNER(j, TY) {
    real ql[NVAR], qh[NVAR], qn[NVAR];
    reconstruct_cell(&strip[0][0][RAD][j], NULL, 0, TY, (2 * RAD + 1) * TY, ql, qh);
    reconstruct_cell(&strip[1][0][RAD][j], NULL, 0, TY, (2 * RAD + 1) * TY, qn, ql);
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++) edge[v][j] = qh[v], sh->lx[v][j] = qn[v];
  }
  for (int v = 0; v < NVAR; v++)
    OAK_INNER(j, TY) sh->hx[v][j][0] = edge[v][j];
}

OAK_FN void reconstruct_y_ends(flux_shared_t *sh, const real s[NVAR][SY][SX]) {
  OAK_UNROLL
  for (int upper = 0; upper < 2; upper++)
    OAK_INNER(i, TX) {
      real ql[NVAR], qh[NVAR];
      reconstruct_cell(&s[0][upper ? TY + GH : GH - 1][i + GH], NULL, 1, SX, SY * SX, ql, qh);
      OAK_UNROLL
      for (int v = 0; v < NVAR; v++)
        *(upper ? &sh->ly[v][i] : &sh->hy[v][0][i]) = upper ? ql[v] : qh[v];
    }
}

OAK_FN void reconstruct_ends(flux_shared_t *sh, const real s[NVAR][SY][SX]) {
  reconstruct_x_ends(sh, s);
  reconstruct_y_ends(sh, s);
}

/* Fluxes through n faces in a row, from the states `below` and `above`. `next_...` lead from a
 * variable to the next one. `first` is the place of the first face (oak_face_index), and `step`
 * leads to the next. */
OAK_FN void row_fluxes(const tile_t *t, int dir, int first, int step, int n, const real *below,
                       int next_below, const real *above, int next_above, real *OAK_RESTRICT flux,
                       int next_flux) {
  OAK_INNER(i, n) {
    real ql[NVAR], qr[NVAR], f[NFLUX];
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++)
      ql[v] = below[v * next_below + i], qr[v] = above[v * next_above + i];
    AT_FACE(ph, t->f, &t->user, t->block, first + i * step);
    f[NVAR] = face_flux(ph, ql, qr, dir, f);
    OAK_UNROLL
    for (int v = 0; v < NFLUX; v++) flux[v * next_flux + i] = f[v];
  }
}

/* Fluxes through the lower faces of the cells of row j. */
OAK_FN void x_fluxes(const tile_t *t, flux_shared_t *sh, int j, int k,
                     OAK_PRIVATE_ARG(real lo[NVAR], LANES)) {
  row_fluxes(t, 0, oak_face_index(0, t->x0, t->y0 + j, k), 1, TX, sh->hx[0][j], X_FACES, lo[0],
             sizeof lo[0] / sizeof(real), sh->fx[0][j], X_FACES);
}

OAK_FN void y_fluxes(const tile_t *t, flux_shared_t *sh, int j, int k,
                     OAK_PRIVATE_ARG(real lo[NVAR], LANES)) {
  row_fluxes(t, 1, oak_face_index(1, t->x0, t->y0 + j, k), 1, TX, sh->hy[0][j], Y_FACES, lo[0],
             sizeof lo[0] / sizeof(real), sh->fy[0][j], Y_FACES);
}

/* Fluxes through the last faces of rows and columns. */
OAK_FN void end_fluxes(const tile_t *t, flux_shared_t *sh, int k) {
  OAK_ALIGNED real below[NVAR][TY], last[NFLUX][TY];
  for (int v = 0; v < NVAR; v++)
    OAK_INNER(j, TY) below[v][j] = sh->hx[v][j][TX];
  row_fluxes(t, 0, oak_face_index(0, t->x0 + TX, t->y0, k), OAK_NX + 1, TY, below[0], TY, sh->lx[0],
             TY, last[0], TY);
  for (int v = 0; v < NFLUX; v++)
    OAK_INNER(j, TY) sh->fx[v][j][TX] = last[v][j];
  row_fluxes(t, 1, oak_face_index(1, t->x0, t->y0 + TY, k), 1, TX, sh->hy[0][TY], Y_FACES,
             sh->ly[0], TX, sh->fy[0][TY], Y_FACES);
}

#endif
#endif
