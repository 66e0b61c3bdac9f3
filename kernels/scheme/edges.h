/* SPDX-License-Identifier: GPL-2.0-or-later
 * Constrained transport: a vector B on faces (FACE_VECTOR) changes by the curl of a field E on
 * edges, dB/dt = -curl E, so that its divergence does not change. The flux of B_b across a face
 * normal to a is -E_c; the axes a, b, c follow each other in the order x, y, z, x. The field on an
 * edge along c follows from fluxes through the four faces that meet there (T. A. Gardiner, J. M.
 * Stone, J. Comput. Phys. 205 (2005) 509): each flux is continued to the edge with the derivative
 * of the cell from which the flow through the face comes. Between a face across a and one across b,
 * with the fields E_a and E_b on them and E at the centre of the cell, both continuations are E_a +
 * E_b - E. The field on the edge is the mean of this number over the four cells, with the weights
 * (part_a + part_b) / 4: part is 1 for the cell from which the flow through the face comes and 0
 * for the other (LOWER_PART in faces.h).
 *
 * A cell gives this number times 4 times its weight, the share, to each of its edges, and
 * kernels/fields/face_vector.c adds up the shares. Only the finest cells at an edge have shares.
 * Where no cell of the same level is beyond a face, the missing cell's part is the field on the
 * face alone: the mean of two such faces is the field on the edge between them. A derivative of the
 * cell to which the flow comes would make the scheme unstable. */
#pragma once

#include "kernels/hooks/user.h"

/* Bits of the faces of a block that have no block of the same level beyond them. */
OAK_FN int closed_faces(const oak_field_t *f, long block) {
  int closed = 0;
  OAK_FOR(face, OAK_FACES)
    closed |= (f->face[block * OAK_FACES + face].kind != OAK_FACE_SAME) << face;
  return closed;
}

#if OAK_CURL
/* The number of the share for the edge along c. The edge is on the lower or upper side of the cell
 * along the axes a and b, which follow c. */
OAK_FN int share_number(int c, int side_a, int side_b) {
  return (OAK_DIM == 3 ? 4 * c : 0) + side_a + 2 * side_b;
}

/* turns_t: the fluxes of the vector at the lower and upper faces of a cell, and the parts of the
 * cell, from which its shares follow. */
typedef struct {
  real turn[OAK_DIM][2][3], part[OAK_DIM][2];
} turns_t;

/* Store the shares of cell x[] with the primitive state q[], `next` apart. `closed`: closed_faces
 * of its block. */
OAK_FN void edge_shares(const physics_parameters_t *ph, const turns_t *c, const int x[3],
                        const real q[], int closed, store_t *share, int next) {
  real rest[OAK_DIM][2], turn[2][NVAR]; /* rest: the parts of missing cells */
  OAK_FOR(d, OAK_DIM) {
    const int low = closed >> 2 * d & (x[d] == 0);
    const int high = closed >> (2 * d + 1) & (x[d] == OAK_ALONG(d) - 1);
    rest[d][0] = low ? 1 - c->part[d][0] : 0;
    rest[d][1] = high ? 1 - c->part[d][1] : 0;
  }
  OAK_FOR(d, OAK_DIM - 1) physics_flux(ph, q, d, turn[d]);
/* Shares for edges along axis e; `centre`: the field at the centre of the cell. */
#define EDGE_SHARES(e, a, b, centre)                                                           \
  OAK_FOR(n, 2)                                                                                \
    OAK_FOR(m, 2)                                                                              \
      share[share_number(e, n, m) * next] =                                                    \
          (c->part[a][n] + c->part[b][m]) * (c->turn[b][m][a] - c->turn[a][n][b] - (centre)) + \
          rest[b][m] * c->turn[b][m][a] - rest[a][n] * c->turn[a][n][b];
  EDGE_SHARES(2, 0, 1, -turn[0][OAK_FACE_VECTOR + 1])
#if OAK_DIM == 3
  EDGE_SHARES(0, 1, 2, -turn[1][OAK_FACE_VECTOR + 2])
  EDGE_SHARES(1, 2, 0, turn[0][OAK_FACE_VECTOR + 2])
#endif
}
#endif
