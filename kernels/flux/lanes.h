/* SPDX-License-Identifier: GPL-2.0-or-later
 * The planes of a tile (flux.c) where lanes are SIMD lanes or a loop. Rows follow each other, so
 * that only the states of few rows are kept. The cells beside the tile along x, and the last x
 * faces, have loops over all rows, because the faces of few rows would not fill a vector. */
#pragma once

#include "kernels/flux/march.h"

/* Fill plane k without its halo: in 3D from the queue of the march, in 2D from memory. */
OAK_FN void load_own(const tile_t *t, int k, const march_t *m, plane_t s) {
  for (int j = 0; j < TY; j++)
    OAK_INNER(i, TX) {
      real cell[NVAR];
      OAK_UNROLL
      for (int v = 0; OAK_DIM == 3 && v < NVAR; v++)
        cell[v] = OAK_MY(m->queue[OAK_QUEUE(QROOM, k, QPLANE)][v], j * TX + i);
      if (OAK_DIM == 2)
        load_primitive(&t->user.physics, tile_plane(t, k) + j * OAK_NX + i, OAK_CELLS, cell);
      OAK_FOR(v, NVAR) s[v][j + GH][i + GH] = cell[v];
    }
}

/* Fill the halo of plane k: columns beside the tile and rows below and above it. */
OAK_FN void load_halo(const tile_t *t, int k, real *OAK_RESTRICT s) {
  const store_t *own = t->f->u + t->block * OAK_BLOCK_REALS + (long long)k * OAK_NX * OAK_NY;
  OAK_FOR(face, 4) {
    const int dir = face / 2, high = face % 2, length = dir ? TX : TY;
    const int first = dir ? t->y0 : t->x0, across = dir ? t->x0 : t->y0;
    const oak_side_t side = oak_side(t->f, t->block, face);
    for (int g = 0; g < GH; g++) {
      const int place = high ? GH + (dir ? TY : TX) + g : g; /* place in s */
      const int n = first + place - GH, layer = high ? n - OAK_ALONG(dir) : n + OAK_NG;
      const int inside = (dir || TILES_X > 1) && (high ? n < OAK_ALONG(dir) : n >= 0);
      const store_t *p = inside ? own + n * OAK_STRIDE(dir) + across * (dir ? 1 : OAK_NX)
                                : side.p + layer * side.sn + k * side.sb + across * side.sa;
      const int step = inside ? (dir ? 1 : OAK_NX) : dir ? 1 : side.sa;
      const long long sv = inside ? OAK_CELLS : side.sv;
      OAK_INNER(a, length) {
        real q[NVAR];
        load_primitive(&t->user.physics, p + a * step, sv, q);
        OAK_FOR(v, NVAR)
          s[v * SY * SX + (dir ? place * SX + a + GH : (a + GH) * SX + place)] = q[v];
      }
    }
  }
}

/* Reconstruct a column across x: states at the lower faces in `lo`, at the upper faces in `hi`. The
 * column is transposed first, because the data of SIMD lanes must be contiguous. */
OAK_FN void reconstruct_column(const real s[NVAR][SY][SX], int column, real lo[NVAR][TY],
                               real hi[NVAR][TY]) {
  OAK_ALIGNED real strip[NVAR][STENCIL][TY];
  for (int v = 0; v < NVAR; v++)
    for (int n = 0; n < STENCIL; n++)
      OAK_INNER(j, TY) strip[v][n][j] = s[v][j + GH][column - RAD + n];
  const real *cells = strip[0][RAD];
  OAK_FORGET(cells);
  OAK_INNER(j, TY) {
    real ql[NVAR], qh[NVAR];
    reconstruct(cells + j, NULL, 0, TY, STENCIL * TY, ql, qh);
    OAK_FOR(v, NVAR) lo[v][j] = ql[v], hi[v][j] = qh[v];
  }
}

/* Reconstruct the row that begins at `s` across axis `dir`: states at the lower faces in `lo`, at
 * the upper faces in `hi`. `next` leads to the next variable of `hi`. */
OAK_FN void reconstruct_row(const real (*s)[SY][SX], int dir, real lo[NVAR][TX],
                            real *OAK_RESTRICT hi, int next) {
  OAK_INNER(i, TX) {
    real ql[NVAR], qh[NVAR];
    reconstruct(&s[0][0][i], NULL, dir, dir ? SX : 1, SY * SX, ql, qh);
    OAK_FOR(v, NVAR) lo[v][i] = ql[v], hi[v * next + i] = qh[v];
  }
}

/* Fluxes through n faces in a row, from the states `below` and `above`. `next_...` lead from a
 * variable to the next one. `first` is the place of the first face (oak_face_index), and `step`
 * leads to the next face. */
OAK_FN void faces_in_row(const tile_t *t, int dir, int first, int step, int n, const real *below,
                         int next_below, const real *above, int next_above, real *OAK_RESTRICT flux,
                         int next_flux) {
  OAK_INNER(i, n) {
    real ql[NVAR], qr[NVAR], f[NFLUX];
    OAK_FOR(v, NVAR) ql[v] = below[v * next_below + i], qr[v] = above[v * next_above + i];
    AT_FACE(ph, t->f, &t->user, t->block, first + i * step);
    face_flux(ph, ql, qr, dir, f);
    OAK_FOR(v, NFLUX) flux[v * next_flux + i] = f[v];
  }
}

/* Fluxes through the last x faces of all rows, from the states sh->below and sh->lx. */
OAK_FN void last_x_fluxes(const tile_t *t, int k, flux_shared_t *sh) {
  faces_in_row(t, 0, oak_face_index(0, t->x0 + TX, t->y0, k), OAK_NX + 1, TY, sh->below[0], TY,
               sh->lx[0], TY, sh->last[0], TY);
}

/* Fluxes through the lower x faces of row n of the present rows. If all rows are computed at a
 * time, the state below the last face of the row goes to sh->below. */
OAK_FN void row_x_fluxes(const tile_t *t, int n, int k, const real s[NVAR][SY][SX],
                         flux_shared_t *sh) {
  OAK_ALIGNED real lo[NVAR][TX], hi[NVAR][TX + 1];
  const int j = t->row + n;
  OAK_FOR(v, NVAR) hi[v][0] = sh->bx[v][j];
  reconstruct_row(OAK_FROM_LANE(s, (j + GH) * SX + GH), 0, lo, &hi[0][1], TX + 1);
  OAK_UNROLL
  for (int v = 0; ROWS == TY && v < NVAR; v++) sh->below[v][j] = hi[v][TX];
  faces_in_row(t, 0, oak_face_index(0, t->x0, t->y0 + j, k), 1, TX, hi[0], TX + 1, lo[0], TX,
               sh->fx[0][n], X_FACES);
}

/* Fluxes through the lower y faces of row j. sh->hy has the states of the row below. */
OAK_FN void row_y_fluxes(const tile_t *t, int j, int k, const real s[NVAR][SY][SX],
                         flux_shared_t *sh) {
  OAK_ALIGNED real lo[NVAR][TX];
  const real(*below)[2][TX] = OAK_FROM_LANE(sh->hy, (j & 1) * TX);
  real(*hi)[2][TX] = OAK_FROM_LANE(sh->hy, ((j + 1) & 1) * TX);
  real(*flux)[ROWS + 1][TX] = OAK_FROM_LANE(sh->fy, y_row(j) * TX);
  reconstruct_row(OAK_FROM_LANE(s, (j + GH) * SX + GH), 1, lo, hi[0][0], 2 * TX);
  faces_in_row(t, 1, oak_face_index(1, t->x0, t->y0 + j, k), 1, TX, below[0][0], 2 * TX, lo[0], TX,
               flux[0][0], Y_FACES);
}

/* Reconstruct the states that fluxes need before the first rows of a plane. If rows are
 * reconstructed one at a time, the last x faces need the states of the last cells. */
OAK_FN void first_fluxes(const tile_t *t, int k, const real s[NVAR][SY][SX], flux_shared_t *sh) {
  OAK_ALIGNED real lo[NVAR][TX], none[NVAR][TY];
  reconstruct_column(s, GH - 1, none, sh->bx);
  reconstruct_column(s, GH + TX, sh->lx, none);
  if (ROWS < TY) {
    reconstruct_column(s, GH + TX - 1, none, sh->below);
    last_x_fluxes(t, k, sh);
  }
  reconstruct_row(OAK_FROM_LANE(s, (GH - 1) * SX + GH), 1, lo, sh->hy[0][0], 2 * TX);
  row_y_fluxes(t, 0, k, s, sh);
}

OAK_FN void all_planes(tile_t *t, march_t *z, flux_shared_t *sh) {
  for (int k = t->begin; k < t->end; k++) {
    load_own(t, k, z, sh->s[0]);
    load_halo(t, k, sh->s[0][0][0]);
    first_fluxes(t, k, sh->s[0], sh);
    for (t->row = 0; t->row < TY; t->row += ROWS) {
      for (int n = 0; n < ROWS; n++) {
        row_x_fluxes(t, n, k, sh->s[0], sh);
        row_y_fluxes(t, t->row + n + 1, k, sh->s[0], sh);
      }
      if (ROWS == TY) last_x_fluxes(t, k, sh);
      OAK_FOR(v, NFLUX)
        OAK_INNER(n, ROWS) sh->fx[v][n][TX] = sh->last[v][t->row + n];
      keep_xy_fluxes(t, k, sh);
      march_on(t, k, z, sh);
      update_rows(t, k, sh->s[0], NULL, z, sh);
    }
    next_plane(z);
  }
}
