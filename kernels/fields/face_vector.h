/* SPDX-License-Identifier: GPL-2.0-or-later
 * The means over cells of a vector on faces (FACE_VECTOR). */
#pragma once

#include "kernels/ghosts/edges.h"
#include "kernels/scheme/edges.h"

#if OAK_CURL
/* Put the means of a cell into its state u[], from the faces of its block. In 2D the third
 * component has no faces. */
OAK_FN void cell_means(const store_t *faces, const int x[3], real u[NVAR]) {
  OAK_FOR(d, OAK_DIM) {
    const store_t *p = faces + oak_face_index(d, x[0], x[1], x[2]);
    u[OAK_FACE_VECTOR + d] = (real)0.5 * (p[0] + p[OAK_STRIDE(d)]);
  }
}
#endif
