/* SPDX-License-Identifier: GPL-2.0-or-later
 * x and y fluxes of a plane (flux.c). A flux needs the state at the upper face of the neighbour
 * cell, which belongs to another lane. So lanes first reconstruct the states of their cells, and
 * after a barrier compute the fluxes. */
#ifndef OAK_FLUX_FACES_H
#define OAK_FLUX_FACES_H

#include "kernels/flux_lanes.h"
#include "kernels/flux_threads.h"

/* Reconstruct row j across axis `dir`. A lane keeps the state at the lower face of its cell. The
 * state at the upper face goes to shared memory, for the neighbour: `to` is the place for the row's
 * first cell, `next` leads to the next variable. */
OAK_FN void reconstruct_row(const real s[NVAR][SY][SX], int j, int dir, const real *own,
                            OAK_PRIVATE_ARG(real lo[NVAR], LANES), real *to, int next) {
  OAK_ROW_LANE(i, TX) {
    real ql[NVAR], qh[NVAR];
    reconstruct_cell(&s[0][j + GH][i + GH], own, dir, dir ? SX : 1, SY * SX, ql, qh);
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++) OAK_MY(lo[v], i) = ql[v], to[v * next + i] = qh[v];
  }
}

/* All x and y fluxes of plane k, whose states are in `s`, in sh->fx and sh->fy; `own` as for
 * reconstruct_cell. Rows follow each other, because the fluxes of row j need only the states of
 * rows up to j. */
OAK_FN void plane_fluxes(const tile_t *t, int k, const real s[NVAR][SY][SX], const real *own,
                         flux_shared_t *sh) {
  OAK_PRIVATE(real xlo[NVAR], LANES);
  OAK_PRIVATE(real ylo[NVAR], LANES);
  reconstruct_ends(sh, s);
  OAK_LANE_ROWS(j, TY, TX) {
    reconstruct_row(s, j, 0, own, xlo, &sh->hx[0][j][1], X_FACES);
    reconstruct_row(s, j, 1, own, ylo, &sh->hy[0][j + 1][0], Y_FACES);
    OAK_BARRIER;
    fetch(t, k, sh);
    x_fluxes(t, sh, j, k, xlo);
    y_fluxes(t, sh, j, k, ylo);
  }
  end_fluxes(t, sh, k);
}

#endif
