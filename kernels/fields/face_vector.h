/* SPDX-License-Identifier: GPL-2.0-or-later
 * A vector on faces (FACE_VECTOR): places of fields on edges; its means over cells. */
#pragma once

#include "kernels/ghosts/edges.h"
#include "kernels/scheme/edges.h"

#if OAK_CURL
/* Places of the fields on the edges of a block: edges along c, below cell (i, j, k) across the
 * other axes. An edge along z in 2D is a corner. */
enum {
  NODES = (OAK_NX + 1) * (OAK_NY + 1) * (OAK_DIM == 3 ? OAK_NZ + 1 : 1),
  EDGE_AXES = OAK_DIM == 3 ? 3 : 1
};
OAK_FN int edge_index(int c, int i, int j, int k) {
  return (OAK_DIM == 3 ? c : 0) * NODES + (k * (OAK_NY + 1) + j) * (OAK_NX + 1) + i;
}
OAK_FN int edge_step(int axis) {
  return axis == 0 ? 1 : axis == 1 ? OAK_NX + 1 : (OAK_NX + 1) * (OAK_NY + 1);
}

/* Whether a face of the block is a wall that the vector does not cross. */
OAK_FN int is_wall(const oak_curl_args_t *arg, long block, int dir, int at) {
  const int face = 2 * dir + (at > 0);
  return (at == 0 || at == OAK_ALONG(dir)) &&
         arg->f.face[block * OAK_FACES + face].kind == OAK_FACE_BOUNDARY &&
         arg->bc[face * NVAR + OAK_FACE_VECTOR + dir].kind == OAK_BC_ANTIMIRROR;
}

/* Set the means of a cell in its state u[], from the faces of its block. In 2D the third component
 * has no faces. */
OAK_FN void cell_means(const store_t *faces, const int x[3], real u[NVAR]) {
  OAK_FOR(d, OAK_DIM) {
    const store_t *p = faces + oak_face_index(d, x[0], x[1], x[2]);
    u[OAK_FACE_VECTOR + d] = (real)0.5 * (p[0] + p[OAK_STRIDE(d)]);
  }
}

/* Set the means in the cell at p. With `keep`, where their energy would leave no pressure, the
 * pressure stays and the energy changes. Returns whether the state is valid. */
OAK_FN int set_means(const physics_parameters_t *ph, store_t *p, const store_t *faces,
                     const int x[3], int keep) {
  real before[NVAR], after[NVAR];
  oak_load(p, OAK_CELLS, before);
  OAK_FOR(v, NVAR) after[v] = before[v];
  cell_means(faces, x, after);
  const int valid = oak_state_valid(ph, after);
  if (keep) {
    oak_state_to_primitive(ph, before);
    OAK_FOR(d, OAK_DIM) before[OAK_FACE_VECTOR + d] = after[OAK_FACE_VECTOR + d];
    oak_state_to_conserved(ph, before);
    OAK_FOR(v, NVAR) p[v * OAK_CELLS] = (store_t)(valid ? after[v] : before[v]);
    return valid || oak_state_valid(ph, before);
  }
  OAK_FOR(d, OAK_DIM) p[(OAK_FACE_VECTOR + d) * OAK_CELLS] = (store_t)after[OAK_FACE_VECTOR + d];
  return valid;
}
#endif
