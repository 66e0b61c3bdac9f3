/* SPDX-License-Identifier: GPL-2.0-or-later
 * Boxes for formats that store boxes, level by level: the nodes of one rank that fill a cube are
 * merged into one box, because the time of readers grows with the number of boxes. Private.
 *
 * Values come in two parts: first those of boxes for which the blocks of a rank suffice, which
 * another thread may read while the run goes on; then the ranks complete the others together. */
#pragma once

#include "io/view/grid_view.h"

/** A box: 2^merge nodes along each dimension. */
typedef struct {
  int32_t node[3]; /**< position of its first node, counted in nodes of the level */
  int merge;
} oak_box_t;

/** This rank's boxes of one level, in Morton order. */
typedef struct {
  oak_box_t *box; /**< [nbox] */
  int nbox;
  int most; /**< highest merge among them */
} oak_boxes_t;

typedef struct oak_box_walk oak_box_walk_t;

/** One array of a box, in the precision of files. */
typedef struct {
  int array, level;   /**< array: its number */
  int number;         /**< of the box among those of its level */
  const void *values; /**< [k][j][i], of a vector [k][j][i][3] */
  size_t bytes;
} oak_box_values_t;

/** Called for each array of each box of this rank. The boxes of a level come in their order. */
typedef oak_status_t (*oak_box_visit_t)(void *context, const oak_box_values_t *box);

/** List the boxes of \a view: of the whole tree, or with \a leaves of its leaves alone, from the
 * nodes that oak_view_wants_node() accepts. \a vectors: as for oak_view_arrays. The sides of a box
 * have at most 64 cells in 3D and 256 in 2D. The view must stay as it is until the walk is
 * destroyed. Collective; all ranks fail together. Memory: a list of all boxes of this rank; between
 * the two parts, a box per level and variable may be in memory. */
oak_status_t oak_box_walk_new(const oak_grid_view_t *view, int leaves, int vectors,
                              oak_box_walk_t **out);
/** Collective. */
void oak_box_walk_destroy(oak_box_walk_t **walk);

/** This rank's boxes of each level: [max_level + 1]. */
const oak_boxes_t *oak_box_walk_boxes(const oak_box_walk_t *walk);
/** The arrays [count]. */
const oak_view_array_t *oak_box_walk_arrays(const oak_box_walk_t *walk, int *count);

/** The first part. Rank-local, without MPI. */
oak_status_t oak_box_walk_begin(oak_box_walk_t *walk, oak_box_visit_t visit, void *context);
/** The second part. Collective; all ranks fail together. */
oak_status_t oak_box_walk_finish(oak_box_walk_t *walk, oak_box_visit_t visit, void *context);

/** Cells of a box. */
size_t oak_box_cells(const oak_grid_view_t *view, const oak_box_t *box);

/** First and last cell of a box, counted in cells of its level. */
void oak_box_range(const oak_grid_view_t *view, const oak_box_t *box, int64_t low[3],
                   int64_t high[3]);
