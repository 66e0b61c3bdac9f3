/* SPDX-License-Identifier: GPL-2.0-or-later
 * The states that a cell has at its lower and upper face across an axis. */
#ifndef OAK_FLUX_RECONSTRUCT_H
#define OAK_FLUX_RECONSTRUCT_H

#include "kernels/flux/planes.h"

/* Values of a cell at its lower and upper face. `cell` points to its first variable, `step` leads
 * to the next cell across the faces, `stride` to the next variable. `own`: the variables of the
 * cell in registers, or NULL. */
OAK_FN void reconstruct_cell(const real *cell, const real *own, int dir, int step, int stride,
                             real lo[], real hi[]) {
#if NSOLID
  real mask[2 * RAD + 1];
  OAK_UNROLL
  for (int n = 0; n < 2 * RAD + 1; n++) mask[n] = cell[SOLID_VAR * stride + (n - RAD) * step];
#else
  (void)dir;
#endif
  NEAR_CELLS(near);
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
    TAKE_NEAR(near, v, &row[RAD]);
  }
  flatten(near, lo, hi);
}

#endif
