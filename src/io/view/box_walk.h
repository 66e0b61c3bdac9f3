/* SPDX-License-Identifier: GPL-2.0-or-later
 * The values of boxes, variable by variable, for formats that store boxes. Private.
 *
 * All can be read at once, or in two parts: another thread reads the boxes for which the blocks of
 * its rank suffice, while the run goes on, and the ranks complete the others together. */
#ifndef OAK_BOX_WALK_H
#define OAK_BOX_WALK_H

#include "io/view/boxes.h"

typedef struct oak_box_walk oak_box_walk_t;

/** One variable of a box, in the precision of files. */
typedef struct {
  int var, level;
  int number;         /**< of the box among those of its level */
  const void *values; /**< [k][j][i] */
  size_t bytes;
} oak_box_values_t;

/** Called for each variable of each box of this rank. The boxes of a level come in their order. */
typedef oak_status_t (*oak_box_visit_t)(void *context, const oak_box_values_t *box);

/** List the boxes of \a view: of the whole tree, or with \a leaves of its leaves alone.
 * The view must stay as it is until the walk is destroyed. Collective; all ranks fail together.
 * Memory: a box per level, and a list of all boxes of this rank. */
oak_status_t oak_box_walk_new(const oak_grid_view_t *view, int leaves, oak_box_walk_t **out);
/** Collective. */
void oak_box_walk_destroy(oak_box_walk_t **walk);

/** This rank's boxes of each level: [max_level + 1]. */
const oak_boxes_t *oak_box_walk_boxes(const oak_box_walk_t *walk);

/** Visit all boxes. Collective; all ranks fail together. */
oak_status_t oak_box_walk_run(oak_box_walk_t *walk, oak_box_visit_t visit, void *context);

/** Make a walk in two parts possible. Between them, a box per level and variable may be in memory.
 * Rank-local. */
oak_status_t oak_box_walk_divide(oak_box_walk_t *walk);
/** The first part: all boxes for which the blocks of this rank suffice. Rank-local, without MPI:
 * another thread may call it. */
oak_status_t oak_box_walk_begin(oak_box_walk_t *walk, oak_box_visit_t visit, void *context);
/** The second part: all others. There are none if the boxes are those of leaves. Collective; all
 * ranks fail together. */
oak_status_t oak_box_walk_finish(oak_box_walk_t *walk, oak_box_visit_t visit, void *context);

#endif
