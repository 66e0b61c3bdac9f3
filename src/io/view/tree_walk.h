/* SPDX-License-Identifier: GPL-2.0-or-later
 * The whole block tree, leaves and parents, seen through a grid view. Private. For formats that
 * store restricted averages in the parents (level of detail, nested levels). */
#pragma once

#include "grid_view.h"

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

/** Visit this rank's nodes without reading any data (\a cells is NULL). Within a level the nodes
 * come in Morton order, the same as in walks with data. Not collective. */
oak_status_t oak_tree_walk_list(oak_tree_walk_t *walk, oak_node_visit_t visit, void *context);

/** Visit the nodes with the values of array number \a array, first all those for which the blocks
 * of this rank suffice. Rank-local, without MPI: another thread may call it. */
oak_status_t oak_tree_walk_begin(oak_tree_walk_t *walk, int array, oak_node_visit_t visit,
                                 void *context);
/** Then the nodes for which other ranks have blocks. Collective, but the status is this rank's
 * alone (a rank that failed still takes part in the communication): agree on it. Values do not
 * depend on the number of ranks. */
oak_status_t oak_tree_walk_finish(oak_tree_walk_t *walk, int array, oak_node_visit_t visit,
                                  void *context);
