/* SPDX-License-Identifier: GPL-2.0-or-later
 * x and y fluxes of a plane (flux_faces.h) where lanes are SIMD lanes or a loop. Rows follow each
 * other, so that only the states of few rows are kept. The cells beside the tile along x, and the
 * last x faces, have loops over all rows, because the faces of few rows would not fill a vector. */
#ifndef OAK_FLUX_LANES_H
#define OAK_FLUX_LANES_H

#include "kernels/flux/reconstruct.h"

#if !OAK_MANY_THREADS
/* States at the first and last x faces of all rows, of the cells beside the tile. Columns are
 * transposed first, because the data of SIMD lanes must be contiguous. */
OAK_FN void reconstruct_x_ends(flux_shared_t *sh, const real s[NVAR][SY][SX]) {
  OAK_ALIGNED real strip[2][NVAR][2 * RAD + 1][TY];
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
    for (int v = 0; v < NVAR; v++) sh->bx[v][j] = qh[v], sh->lx[v][j] = qn[v];
  }
}

/* Reconstruct the row that begins at `s` across axis `dir`: states at the lower faces in `lo`, at
 * the upper faces in `hi`. `next` leads to the next variable of `hi`. */
OAK_FN void reconstruct_row(const real (*s)[SY][SX], int dir, real lo[NVAR][TX],
                            real *OAK_RESTRICT hi, int next) {
  OAK_INNER(i, TX) {
    real ql[NVAR], qh[NVAR];
    reconstruct_cell(&s[0][0][i], NULL, dir, dir ? SX : 1, SY * SX, ql, qh);
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++) lo[v][i] = ql[v], hi[v * next + i] = qh[v];
  }
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

/* Fluxes through the last x faces of all rows, from the states sh->below and sh->lx. */
OAK_FN void last_x_fluxes(const tile_t *t, int k, flux_shared_t *sh) {
  row_fluxes(t, 0, oak_face_index(0, t->x0 + TX, t->y0, k), OAK_NX + 1, TY, sh->below[0], TY,
             sh->lx[0], TY, sh->last[0], TY);
}

/* The same before the rows are reconstructed: the last cells of all rows are reconstructed here. */
OAK_FN void early_x_fluxes(const tile_t *t, int k, const real s[NVAR][SY][SX], flux_shared_t *sh) {
  OAK_ALIGNED real strip[NVAR][2 * RAD + 1][TY];
  for (int v = 0; v < NVAR; v++)
    for (int n = 0; n < 2 * RAD + 1; n++)
      OAK_INNER(j, TY) strip[v][n][j] = s[v][j + GH][TX + n];
  OAK_INNER(j, TY) {
    real lo[NVAR], hi[NVAR];
    reconstruct_cell(&strip[0][RAD][j], NULL, 0, TY, (2 * RAD + 1) * TY, lo, hi);
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++) sh->below[v][j] = hi[v];
  }
  last_x_fluxes(t, k, sh);
}

/* Fluxes through the lower x faces of row n of the present rows. The state below the last face of
 * the row goes to sh->below, if all rows are computed at a time. */
OAK_FN void x_fluxes(const tile_t *t, int n, int k, const real s[NVAR][SY][SX], flux_shared_t *sh) {
  OAK_ALIGNED real lo[NVAR][TX], hi[NVAR][TX + 1];
  const int j = t->row + n;
  OAK_UNROLL
  for (int v = 0; v < NVAR; v++) hi[v][0] = sh->bx[v][j];
  reconstruct_row(OAK_FROM_LANE(s, (j + GH) * SX + GH), 0, lo, &hi[0][1], TX + 1);
  OAK_UNROLL
  for (int v = 0; ROWS == TY && v < NVAR; v++) sh->below[v][j] = hi[v][TX];
  row_fluxes(t, 0, oak_face_index(0, t->x0, t->y0 + j, k), 1, TX, hi[0], TX + 1, lo[0], TX,
             sh->fx[0][n], X_FACES);
}

/* Fluxes through the lower y faces of row j. The row below left its states there in sh->hy. */
OAK_FN void y_fluxes(const tile_t *t, int j, int k, const real s[NVAR][SY][SX], flux_shared_t *sh) {
  OAK_ALIGNED real lo[NVAR][TX];
  const real(*below)[2][TX] = OAK_FROM_LANE(sh->hy, (j & 1) * TX);
  real(*hi)[2][TX] = OAK_FROM_LANE(sh->hy, ((j + 1) & 1) * TX);
  real(*flux)[ROWS + 1][TX] = OAK_FROM_LANE(sh->fy, Y_ROW(j) * TX);
  reconstruct_row(OAK_FROM_LANE(s, (j + GH) * SX + GH), 1, lo, hi[0][0], 2 * TX);
  row_fluxes(t, 1, oak_face_index(1, t->x0, t->y0 + j, k), 1, TX, below[0][0], 2 * TX, lo[0], TX,
             flux[0][0], Y_FACES);
}

OAK_FN void begin_fluxes(const tile_t *t, int k, const real s[NVAR][SY][SX], flux_shared_t *sh) {
  OAK_ALIGNED real lo[NVAR][TX];
  reconstruct_x_ends(sh, s);
  if (ROWS < TY) early_x_fluxes(t, k, s, sh);
  reconstruct_row(OAK_FROM_LANE(s, (GH - 1) * SX + GH), 1, lo, sh->hy[0][0], 2 * TX);
  y_fluxes(t, 0, k, s, sh);
}

OAK_FN void compute_fluxes(const tile_t *t, int k, const real s[NVAR][SY][SX], const real *own,
                           flux_shared_t *sh) {
  (void)own;
  for (int n = 0; n < ROWS; n++) {
    x_fluxes(t, n, k, s, sh);
    y_fluxes(t, t->row + n + 1, k, s, sh);
  }
  if (ROWS == TY) last_x_fluxes(t, k, sh);
  OAK_UNROLL
  for (int v = 0; v < NFLUX; v++)
    OAK_INNER(n, ROWS) sh->fx[v][n][TX] = sh->last[v][FIRST_ROW(t) + n];
}

#endif
#endif
