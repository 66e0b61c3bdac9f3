/* SPDX-License-Identifier: GPL-2.0-or-later
 * Numbers of cells of a block, its faces and its edges. */
#include "base/shape.h"

#include <stdio.h>

int64_t oak_shape_cells(const int n[3]) { return (int64_t)n[0] * n[1] * n[2]; }

int64_t oak_shape_face(int dim, const int n[3]) {
  int least = n[0];
  for (int d = 1; d < dim; d++) least = n[d] < least ? n[d] : least;
  return oak_shape_cells(n) / least;
}

int oak_shape_equal(int dim, const int n[3]) { return n[0] == n[1] && (dim == 2 || n[0] == n[2]); }

const char *oak_shape_text(int dim, const int n[3], char text[32]) {
  if (oak_shape_equal(dim, n))
    snprintf(text, 32, "%d^%d", n[0], dim);
  else
    snprintf(text, 32, dim == 2 ? "%dx%d" : "%dx%dx%d", n[0], n[1], n[2]);
  return text;
}
