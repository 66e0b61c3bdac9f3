/* SPDX-License-Identifier: GPL-2.0-or-later
 * x and y fluxes of a plane (flux_faces.h) where lanes are SIMD lanes or a loop. Rows follow each
 * other, so that only the states of few rows are kept. The cells beside the tile along x, and the
 * last x faces, have loops of their own. */
#ifndef OAK_FLUX_LANES_H
#define OAK_FLUX_LANES_H

#include "kernels/flux_reconstruct.h"

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

/* Reconstruct row j across axis `dir`: states at the lower faces in `lo`, at the upper faces in
 * `hi`. `next` leads to the next variable of `hi`. */
OAK_FN void reconstruct_row(const real s[NVAR][SY][SX], int j, int dir, real lo[NVAR][TX],
                            real *OAK_RESTRICT hi, int next) {
  OAK_INNER(i, TX) {
    real ql[NVAR], qh[NVAR];
    reconstruct_cell(&s[0][j + GH][i + GH], NULL, dir, dir ? SX : 1, SY * SX, ql, qh);
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

/* Fluxes through the lower x faces of row n of the present rows. The state below the last face of
 * the row goes to `below`. */
OAK_FN void x_fluxes(const tile_t *t, int n, int k, const real s[NVAR][SY][SX], flux_shared_t *sh,
                     real below[NVAR][ROWS]) {
  OAK_ALIGNED real lo[NVAR][TX], hi[NVAR][TX + 1];
  const int j = t->row + n;
  OAK_UNROLL
  for (int v = 0; v < NVAR; v++) hi[v][0] = sh->bx[v][j];
  reconstruct_row(s, j, 0, lo, &hi[0][1], TX + 1);
  OAK_UNROLL
  for (int v = 0; v < NVAR; v++) below[v][n] = hi[v][TX];
  row_fluxes(t, 0, oak_face_index(0, t->x0, t->y0 + j, k), 1, TX, hi[0], TX + 1, lo[0], TX,
             sh->fx[0][n], X_FACES);
}

/* Fluxes through the last x faces of the present rows. */
OAK_FN void last_x_fluxes(const tile_t *t, int k, real below[NVAR][ROWS], flux_shared_t *sh) {
  OAK_ALIGNED real last[NFLUX][ROWS];
  row_fluxes(t, 0, oak_face_index(0, t->x0 + TX, t->y0 + t->row, k), OAK_NX + 1, ROWS, below[0],
             ROWS, &sh->lx[0][t->row], TY, last[0], ROWS);
  OAK_UNROLL
  for (int v = 0; v < NFLUX; v++)
    OAK_INNER(n, ROWS) sh->fx[v][n][TX] = last[v][n];
}

/* Fluxes through the lower y faces of row n of the present rows. The row below left its states
 * there in sh->hy. */
OAK_FN void y_fluxes(const tile_t *t, int n, int k, const real s[NVAR][SY][SX], flux_shared_t *sh) {
  OAK_ALIGNED real lo[NVAR][TX];
  const int j = t->row + n;
  reconstruct_row(s, j, 1, lo, sh->hy[0][(j + 1) & 1], 2 * TX);
  row_fluxes(t, 1, oak_face_index(1, t->x0, t->y0 + j, k), 1, TX, sh->hy[0][j & 1], 2 * TX, lo[0],
             TX, sh->fy[0][n], Y_FACES);
}

OAK_FN void begin_fluxes(tile_t *t, int k, const real s[NVAR][SY][SX], flux_shared_t *sh) {
  OAK_ALIGNED real lo[NVAR][TX];
  reconstruct_x_ends(sh, s);
  reconstruct_row(s, -1, 1, lo, sh->hy[0][0], 2 * TX);
  t->row = 0;
  y_fluxes(t, 0, k, s, sh);
}

OAK_FN void compute_fluxes(const tile_t *t, int k, const real s[NVAR][SY][SX], const real *own,
                           flux_shared_t *sh) {
  OAK_ALIGNED real below[NVAR][ROWS];
  (void)own;
  for (int n = 0; n < ROWS; n++) {
    x_fluxes(t, n, k, s, sh, below);
    y_fluxes(t, n + 1, k, s, sh);
  }
  last_x_fluxes(t, k, below, sh);
}

/* The upper y faces of these rows are the lower ones of the next rows. */
OAK_FN void end_fluxes(flux_shared_t *sh) {
  if (ROWS == TY) return;
  for (int v = 0; v < NFLUX; v++)
    OAK_INNER(i, TX) sh->fy[v][0][i] = sh->fy[v][ROWS][i];
}

#endif
#endif
