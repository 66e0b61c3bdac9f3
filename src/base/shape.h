/* SPDX-License-Identifier: GPL-2.0-or-later
 * Numbers of cells of a block from the numbers along its axes, n[3], which are 1 beyond the
 * dimensions of the mesh. Private. */
#pragma once

#include <stdint.h>

#include "oak/status.h"

int64_t oak_shape_cells(const int n[3]);
/** Cells of the largest face. Memory for the values of a face has room for so many. */
int64_t oak_shape_face(int dim, const int n[3]);
/** 1 if all edges of a block have the same number of cells. */
int oak_shape_equal(int dim, const int n[3]);
/** "16^3", or "32x16x16" if edges differ, into \a text (returned). */
const char *oak_shape_text(int dim, const int n[3], char text[32]);
