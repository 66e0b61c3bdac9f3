/* SPDX-License-Identifier: GPL-2.0-or-later
 * Boxes of formats that store the whole tree, level by level: the nodes of one rank that fill a
 * cube are merged into one box, because the time of readers grows with the number of boxes.
 * Private. */
#ifndef OAK_BOXES_H
#define OAK_BOXES_H

#include "io/view/grid_view.h"
#include "io/view/tree_walk.h"

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

/** List the boxes of each level, boxes[max_level + 1], from the nodes that oak_view_wants_node()
 * accepts: those of \a walk or, where it is NULL, the leaves. The sides of a box have at most 64
 * cells in 3D and 256 in 2D. Rank-local. Freed by oak_boxes_free also after a failure. */
oak_status_t oak_boxes_list(const oak_grid_view_t *view, oak_tree_walk_t *walk, oak_boxes_t *boxes);
void oak_boxes_free(const oak_grid_view_t *view, oak_boxes_t *boxes);

/** Cells of a box. */
size_t oak_box_cells(const oak_grid_view_t *view, const oak_box_t *box);

/** First and last cell of a box, counted in cells of its level. */
void oak_box_range(const oak_grid_view_t *view, const oak_box_t *box, int64_t low[3],
                   int64_t high[3]);

/** Put the cells of node \a index into \a values[k][j][i], the box that it is part of, in the
 * precision of files. */
void oak_box_place(const oak_grid_view_t *view, const oak_box_t *box, const int32_t index[3],
                   const double *cells, void *values);

#endif
