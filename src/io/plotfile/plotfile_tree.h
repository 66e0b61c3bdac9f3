/* SPDX-License-Identifier: GPL-2.0-or-later
 * From boxes to blocks: the leaves of the tree that a plotfile holds. Private to the plotfile
 * reader. */
#pragma once

#include "plotfile_scan.h"

/** The leaves in Morton order, tree after tree (x fastest). */
typedef struct {
  int block_size[3]; /**< cells of a block along each axis; 1 in z for 2D */
  int trees[3];
  int nleaf;
  int8_t *level;
  int32_t (*index)[3]; /**< as in oak_grid_view_t */
  int32_t *box;        /**< number of the box that holds the leaf, on its level */
} oak_leaves_t;

/** Cut the boxes into blocks of \a block_size cells along each axis, or if it is NULL into the
 * blocks of the run that wrote them, and find the leaves. \return OAK_ERR_FILE if the blocks are no
 * complete tree. \a path is for messages. */
oak_status_t oak_leaves_find(const oak_scan_t *scan, const char *path, const int block_size[3],
                             oak_leaves_t *out);
void oak_leaves_free(oak_leaves_t *leaves);
