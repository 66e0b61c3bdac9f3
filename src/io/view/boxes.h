/* SPDX-License-Identifier: GPL-2.0-or-later
 * Boxes for formats that store boxes, level by level: the nodes of one rank that fill a cube are
 * merged into one box, because the time of readers grows with the number of boxes. Private.
 *
 * Values come in two parts: first those of boxes for which the blocks of a rank suffice, which
 * another thread may read while the run goes on; then the ranks complete the others together. */
#pragma once

#include "grid_view.h"

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
  int number;         /**< number of the box among those of its level */
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

/* ---- tree_walk.c: the whole block tree, leaves and parents, seen through a grid view */

typedef struct oak_tree_walk oak_tree_walk_t;

/** Called for each node that this rank owns: \a index as in the view, counted in blocks of
 * \a level; \a cells[N^dim], i fastest, for a leaf the values read, for a parent the averages of
 * its children; the values of the next variables of an array are \a stride further. A parent
 * belongs to the rank of its first leaf. */
typedef oak_status_t (*oak_node_visit_t)(void *context, int level, const int32_t index[3],
                                         const double *cells, size_t stride);

/** Prepare walks over \a view, which must stay as it is until the walk is destroyed, as \a array
 * [narray]. With \a leaves there are no parents. Collective; all ranks fail together. Memory: a
 * block per level and variable, and some blocks. */
oak_status_t oak_tree_walk_new(const oak_grid_view_t *view, int leaves, int narray,
                               const oak_view_array_t *array, oak_tree_walk_t **out);
void oak_tree_walk_destroy(oak_tree_walk_t **walk);

/** Visit the nodes with the values of array number \a array, first all those for which the blocks
 * of this rank suffice. Rank-local, without MPI: another thread may call it. */
oak_status_t oak_tree_walk_begin(oak_tree_walk_t *walk, int array, oak_node_visit_t visit,
                                 void *context);
/** Then the nodes for which other ranks have blocks. Collective, but the status is this rank's
 * alone (a rank that failed still takes part in the communication): agree on it. Values do not
 * depend on the number of ranks. */
oak_status_t oak_tree_walk_finish(oak_tree_walk_t *walk, int array, oak_node_visit_t visit,
                                  void *context);
