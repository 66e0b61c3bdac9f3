/* SPDX-License-Identifier: GPL-2.0-or-later
 * Boxes of formats that store the whole tree: nodes merged into cubes. */
#include "boxes.h"

#include <stdlib.h>
#include <string.h>

/** Longest side of a box, in cells: 2 MB in 3D and 512 KB in 2D for one variable. */
enum { BOX_SIDE_3D = 64, BOX_SIDE_2D = 256 };

/** A rank's nodes of a level. */
typedef struct {
  int32_t (*node)[3]; /**< [nnode] in Morton order */
  int nnode;
} nodes_t;

typedef struct {
  const oak_grid_view_t *view;
  nodes_t *level; /**< [max_level + 1] */
} list_t;

static oak_status_t add_node(void *context, int l, const int32_t index[3], const double *cells) {
  const list_t *list = context;
  nodes_t *level = list->level + l;
  (void)cells;
  if (!oak_view_wants_node(list->view, l, index)) return OAK_OK;
  OAK_TRY(OAK_GROW(level->node, level->nnode));
  memcpy(level->node[level->nnode++], index, sizeof *level->node);
  return OAK_OK;
}

/** Do the nodes from \a i on fill a cube of 2^merge nodes a side? They do if the first is at its
 * corner and the last of that many still inside: nodes are in Morton order without repetition. */
static int fills_cube(const oak_grid_view_t *view, const nodes_t *level, int i, int merge) {
  const int64_t last = i + (INT64_C(1) << (merge * view->dim)) - 1;
  if (last >= level->nnode) return 0;
  for (int d = 0; d < view->dim; d++) {
    if (level->node[i][d] & ((1 << merge) - 1)) return 0;
    if (level->node[i][d] >> merge != level->node[last][d] >> merge) return 0;
  }
  return 1;
}

static int longest_edge(const oak_grid_view_t *view) {
  int n = 0;
  for (int d = 0; d < view->dim; d++) n = view->block_size[d] > n ? view->block_size[d] : n;
  return n;
}

static oak_status_t merge_nodes(const oak_grid_view_t *view, int l, const nodes_t *level,
                                oak_boxes_t *boxes) {
  const int longest = view->dim == 3 ? BOX_SIDE_3D : BOX_SIDE_2D;
  if (level->nnode == 0) return OAK_OK;
  OAK_TRY(OAK_NEW(boxes->box, level->nnode));
  for (int i = 0; i < level->nnode;) {
    oak_box_t *box = &boxes->box[boxes->nbox++];
    int merge = 0;
    while (merge < l && longest_edge(view) << (merge + 1) <= longest &&
           fills_cube(view, level, i, merge + 1))
      merge++;
    memcpy(box->node, level->node[i], sizeof box->node);
    box->merge = merge;
    i += 1 << (merge * view->dim);
    if (merge > boxes->most) boxes->most = merge;
  }
  return OAK_OK;
}

static oak_status_t add_leaves(list_t *list) {
  const oak_grid_view_t *view = list->view;
  for (int b = 0; b < view->nblock; b++)
    OAK_TRY(add_node(list, view->level[b], view->index[b], NULL));
  return OAK_OK;
}

oak_status_t oak_boxes_list(const oak_grid_view_t *view, oak_tree_walk_t *walk,
                            oak_boxes_t *boxes) {
  OAK_FREED nodes_t *nodes = NULL;
  OAK_TRY(OAK_NEW(nodes, view->max_level + 1));
  list_t list = {view, nodes};
  oak_status_t st = walk ? oak_tree_walk_list(walk, add_node, &list) : add_leaves(&list);
  for (int l = 0; l <= view->max_level; l++) {
    boxes[l] = (oak_boxes_t){NULL, 0, 0};
    if (st == OAK_OK) st = merge_nodes(view, l, &nodes[l], &boxes[l]);
    free(nodes[l].node);
  }
  return st;
}

void oak_boxes_free(const oak_grid_view_t *view, oak_boxes_t *boxes) {
  for (int l = 0; l <= view->max_level; l++) free(boxes[l].box);
}

size_t oak_box_cells(const oak_grid_view_t *view, const oak_box_t *box) {
  size_t cells = 1;
  for (int d = 0; d < view->dim; d++) cells *= (size_t)view->block_size[d] << box->merge;
  return cells;
}

void oak_box_range(const oak_grid_view_t *view, const oak_box_t *box, int64_t low[3],
                   int64_t high[3]) {
  for (int d = 0; d < 3; d++) {
    const int64_t n = view->block_size[d];
    low[d] = box->node[d] * n;
    high[d] = low[d] + (n << box->merge) - 1;
  }
}

void oak_box_place(const oak_grid_view_t *view, const oak_box_t *box, const int32_t index[3],
                   const double *cells, void *values) {
  size_t at[3], n[3], side[3];
  for (int d = 0; d < 3; d++) {
    n[d] = (size_t)view->block_size[d];
    side[d] = n[d] << box->merge;
    at[d] = (size_t)(index[d] - box->node[d]) * n[d];
  }
  for (size_t k = 0; k < n[2]; k++)
    for (size_t j = 0; j < n[1]; j++)
      oak_view_pack(view, cells + (k * n[1] + j) * n[0], n[0],
                    (char *)values + (((at[2] + k) * side[1] + at[1] + j) * side[0] + at[0]) *
                                         (size_t)view->value_bytes);
}
