/* SPDX-License-Identifier: GPL-2.0-or-later
 * Ghost cells beyond edges (2D: corners), one layer in each direction: numbers of edges (as in
 * src/mesh/neighbours.h), and reading. Only runs with diffusive fluxes have these cells. A piece of
 * a halo buffer holds the cells of each component. */
#pragma once

#include "kernels/access/field.h"

enum { OAK_EDGES = OAK_DIM == 3 ? 12 : 4 };
/* Number of cells of an edge along axis `along`, and of the part that one finer block provides. */
OAK_FN int edge_cells(int along) { return OAK_DIM == 3 ? OAK_ALONG(along) : 1; }
OAK_FN int edge_half(int along) { return OAK_DIM == 3 ? OAK_ALONG(along) / 2 : 1; }

typedef struct {
  int axis[2], upper[2];
  int along; /* axis along the edge; in 2D of one cell */
} edge_t;

OAK_FN edge_t edge_of(int edge) {
  const int pair = edge / 4;
  edge_t e;
  e.axis[0] = pair == 2;
  e.axis[1] = pair == 0 ? 1 : 2;
  e.upper[0] = edge & 1;
  e.upper[1] = edge >> 1 & 1;
  e.along = 2 - pair;
  return e;
}

/* The edge beyond which cell x[] lies. Two of its indices are outside of the block. */
OAK_FN int edge_beyond(const int x[3]) {
  const int out0 = x[0] < 0 || x[0] >= OAK_NX, out1 = x[1] < 0 || x[1] >= OAK_NY;
  const int first = out0 ? x[0] > 0 : x[1] > 0, second = out0 && out1 ? x[1] > 0 : x[2] > 0;
  return (out0 ? (out1 ? 0 : 4) : 8) + first + 2 * second;
}

/** First component of a cell or ghost cell of a block, and the stride to the next component. One of
 * the indices may be outside of the block by up to NG, or two of them by 1. */
OAK_FN const store_t *edge_cell_of(const oak_field_t *f, const oak_face_t *table, int components,
                                   long block, const int x[3], int *stride) {
  int outside = 0;
  for (int d = 0; d < OAK_DIM; d++) outside += x[d] < 0 || x[d] >= OAK_ALONG(d);
  if (outside < 2) return oak_cell_of(f, components, block, x[0], x[1], x[2], stride);
  const int edge = edge_beyond(x);
  const oak_face_t t = table[block * OAK_EDGES + edge];
  const store_t *base = oak_base(f, t.base);
  if (t.base & 1) {
    *stride = edge_cells(2 - edge / 4);
    return base + (long long)t.place * components * OAK_PIECE +
           (OAK_DIM == 3 ? x[2 - edge / 4] : 0);
  }
  int y[3]; /* the same cell in the block beyond */
  for (int d = 0; d < 3; d++) y[d] = x[d] < 0 ? OAK_ALONG(d) - 1 : x[d] >= OAK_ALONG(d) ? 0 : x[d];
  *stride = OAK_CELLS;
  return base + (long long)t.place * oak_stored(f, components) * OAK_CELLS +
         OAK_INDEX(y[0], y[1], y[2]);
}
