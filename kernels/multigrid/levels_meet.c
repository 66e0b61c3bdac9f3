/* SPDX-License-Identifier: GPL-2.0-or-later
 * Refinement boundaries of elliptic equations. A fine ghost value is on a parabola across the face
 * (Martin and Cartwright 1996) through two fine cells and a coarse value in the plane of the coarse
 * cells' centres, which the halo exchange has interpolated along the face. The coarse face then
 * gets a ghost value with which its flux is the average of the fine fluxes, so that what leaves one
 * side enters the other. */
#include "kernels/multigrid/equation.h"

/* Set ghost values of fine faces, and average their outward fluxes. */
OAK_KERNEL(oak_elliptic_fine, oak_elliptic_args_t, 64) {
  OAK_ARGS(oak_elliptic_args_t);
  OAK_OUTER_LANES(n) {
    const oak_elliptic_fine_t t = arg.fine[n];
    if (elliptic_rests(&arg, t.block)) continue;
    const int dir = t.face / 2, inward = t.face & 1 ? -OAK_STRIDE(dir) : OAK_STRIDE(dir);
    const oak_side_t s = oak_side_of(&arg.f, 1, t.block, t.face);
    const real *u = arg.f.u + t.block * (long long)OAK_CELLS;
    const real inv = (real)oak_inv_dx(&arg.f, arg.f.block[t.block].level, dir);
    real *ghost = arg.ghost + (long long)t.bflux * FACE_ROOM;
    real *piece = arg.piece + (long long)t.piece * PIECE_ROOM;
    OAK_ROWS(row, HB(dir), HA(dir)) {
      OAK_LANES(h, HA(dir)) {
        const oak_parts_t g = elliptic_face_parts(&arg.f, t.block, dir, 2 * h, 2 * row);
        real sum = 0;
        for (int e = 0; e < (OAK_DIM == 3 ? 4 : 2); e++) {
          const int a = 2 * h + (e & 1), b = OAK_DIM == 3 ? 2 * row + (e >> 1) : 0;
          const int cell = elliptic_side_cell(t.face, a, b);
          const real beyond = (real)(8.0 / 15) * s.p[a * s.sa + b * s.sb] +
                              (real)(2.0 / 3) * u[cell] - (real)0.2 * u[cell + inward];
          ghost[b * FA(dir) + a] = beyond;
          sum += elliptic_on_face(&arg, t.block, t.face, cell, a, b) * (beyond - u[cell]) *
                 elliptic_share(&g, dir, e);
        }
        piece[row * HA(dir) + h] = sum * inv * (real)(OAK_DIM == 3 ? 0.25 : 0.5);
      }
    }
  }
}

/* Set ghost values of coarse faces from the averages. */
OAK_KERNEL(oak_elliptic_coarse, oak_elliptic_args_t, 64) {
  OAK_ARGS(oak_elliptic_args_t);
  OAK_OUTER_LANES(n) {
    const oak_coarse_face_t *t = arg.coarse + n;
    if (elliptic_rests(&arg, t->block)) continue;
    const int dir = t->face / 2;
    const real *u = arg.f.u + t->block * (long long)OAK_CELLS;
    const real dx = (real)oak_dx(&arg.f, arg.f.block[t->block].level, dir);
    real *ghost = arg.ghost + (long long)t->bflux * FACE_ROOM;
    OAK_ROWS(row, 2 * FB(dir), HA(dir)) {
      const int a0 = row % 2 * HA(dir), b = row / 2;
      const real *flux = oak_fine_side(t, arg.piece, arg.peer_piece, 1, row % 2, b);
      OAK_LANES(h, HA(dir)) {
        const int cell = elliptic_side_cell(t->face, a0 + h, b);
        ghost[b * FA(dir) + a0 + h] =
            u[cell] -
            oak_div(flux[h] * dx, elliptic_on_face(&arg, t->block, t->face, cell, a0 + h, b));
      }
    }
  }
}
