/* SPDX-License-Identifier: GPL-2.0-or-later
 * Boxes for formats that store boxes: nodes merged into cubes, and their values.
 *
 * Nodes of a level come in Morton order, so one box per level and variable is being filled. */
#include "boxes.h"

#include <stdlib.h>
#include <string.h>

/** Longest side of a box, in cells: 2 MB in 3D and 512 KB in 2D for one variable. */
enum { BOX_SIDE_3D = 64, BOX_SIDE_2D = 256 };

/** The box of a level that is being filled. */
typedef struct {
  int box, filled; /**< its number, and how many of its nodes have come */
  char *buffer;    /**< its values; NULL: not needed yet */
} open_t;

struct oak_box_walk {
  const oak_grid_view_t *view;
  oak_tree_walk_t *tree;
  int nlevel;
  size_t ncell;       /**< of a node */
  oak_boxes_t *boxes; /**< [nlevel] */
  int narray, now;    /**< number of the present array */
  oak_view_array_t *array;
  open_t *open; /**< [narray][nlevel] */
  oak_box_visit_t visit;
  void *context;
};

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

/* ---- the list */

/** A rank's nodes of a level. */
typedef struct {
  int32_t (*node)[3]; /**< [nnode] in Morton order */
  int nnode;
} nodes_t;

/** List the leaves of this rank, each after those ancestors that begin with it: these are the
 * rank's parents. */
static oak_status_t list_nodes(const oak_grid_view_t *view, int leaves, nodes_t *levels) {
  for (int b = 0; b < view->nblock; b++) {
    const int32_t *leaf = view->index[b];
    int up = 0; /* to the first ancestor that begins with the leaf */
    while (!leaves && up < view->level[b] && !((leaf[0] | leaf[1] | leaf[2]) >> up & 1)) up++;
    for (; up >= 0; up--) {
      const int32_t index[3] = {leaf[0] >> up, leaf[1] >> up, leaf[2] >> up};
      nodes_t *level = &levels[view->level[b] - up];
      if (!oak_view_wants_node(view, view->level[b] - up, index)) continue;
      OAK_TRY(OAK_GROW(level->node, level->nnode));
      memcpy(level->node[level->nnode++], index, sizeof index);
    }
  }
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

static oak_status_t list_boxes(oak_box_walk_t *walk, int leaves) {
  const oak_grid_view_t *view = walk->view;
  OAK_FREED nodes_t *nodes = NULL;
  OAK_TRY(OAK_NEW(nodes, walk->nlevel));
  OAK_TRY(OAK_NEW(walk->boxes, walk->nlevel));
  OAK_TRY(OAK_NEW(walk->open, walk->nlevel * walk->narray));
  oak_status_t st = list_nodes(view, leaves, nodes);
  for (int l = 0; l < walk->nlevel; l++) {
    if (st == OAK_OK) st = merge_nodes(view, l, &nodes[l], &walk->boxes[l]);
    free(nodes[l].node);
  }
  return st;
}

oak_status_t oak_box_walk_new(const oak_grid_view_t *view, int leaves, int vectors,
                              oak_box_walk_t **out) {
  oak_status_t st = oak_agree(view->comm, OAK_NEW(*out, 1));
  oak_box_walk_t *walk = *out;
  if (st == OAK_OK) {
    *walk = (oak_box_walk_t){
        .view = view, .nlevel = view->max_level + 1, .ncell = oak_view_block_cells(view)};
    st = oak_agree(view->comm, oak_view_arrays(view, vectors, &walk->array, &walk->narray));
  }
  if (st == OAK_OK) st = oak_tree_walk_new(view, leaves, walk->narray, walk->array, &walk->tree);
  if (st == OAK_OK) st = oak_agree(view->comm, list_boxes(walk, leaves));
  if (st != OAK_OK) oak_box_walk_destroy(out);
  return st;
}

void oak_box_walk_destroy(oak_box_walk_t **walk_ptr) {
  oak_box_walk_t *walk = *walk_ptr;
  if (!walk) return;
  for (int i = 0; walk->open && i < walk->narray * walk->nlevel; i++) free(walk->open[i].buffer);
  for (int l = 0; l < walk->nlevel && walk->boxes; l++) free(walk->boxes[l].box);
  oak_tree_walk_destroy(&walk->tree);
  free(walk->boxes);
  free(walk->open);
  free(walk->array);
  free(walk);
  *walk_ptr = NULL;
}

const oak_boxes_t *oak_box_walk_boxes(const oak_box_walk_t *walk) { return walk->boxes; }

const oak_view_array_t *oak_box_walk_arrays(const oak_box_walk_t *walk, int *count) {
  *count = walk->narray;
  return walk->array;
}

/* ---- values */

/** Put the cells of node \a index of level \a l into \a values, the box that it is part of. */
static void place_node(const oak_box_walk_t *walk, int l, const oak_box_t *box,
                       const int32_t index[3], const double *cells, size_t stride, char *values) {
  const oak_view_array_t *array = &walk->array[walk->now];
  const int *n = walk->view->block_size;
  int64_t at[3], side[3];
  for (int d = 0; d < 3; d++) {
    side[d] = (int64_t)n[d] << box->merge;
    at[d] = (int64_t)(index[d] - box->node[d]) * n[d];
  }
  for (int k = 0; k < n[2]; k++)
    for (int j = 0; j < n[1]; j++, cells += n[0]) {
      const int64_t first[3] = {(int64_t)index[0] * n[0], (int64_t)index[1] * n[1] + j,
                                (int64_t)index[2] * n[2] + k};
      const int64_t to = ((at[2] + k) * side[1] + at[1] + j) * side[0] + at[0];
      oak_view_pack_row(walk->view, array, l, first, n[0], cells, stride,
                        values + to * array->count * walk->view->value_bytes);
    }
}

static oak_status_t add_node(void *context, int l, const int32_t index[3], const double *cells,
                             size_t stride) {
  oak_box_walk_t *walk = context;
  const oak_grid_view_t *view = walk->view;
  const oak_boxes_t *boxes = &walk->boxes[l];
  open_t *open = &walk->open[walk->now * walk->nlevel + l];
  const size_t node_bytes =
      walk->ncell * (size_t)walk->array[walk->now].count * (size_t)view->value_bytes;
  if (!oak_view_wants_node(view, l, index)) return OAK_OK;
  if (!open->buffer) OAK_TRY(OAK_NEW(open->buffer, node_bytes << (boxes->most * view->dim)));
  const oak_box_t *box = &boxes->box[open->box];
  const int nnode = 1 << (box->merge * view->dim);
  place_node(walk, l, box, index, cells, stride, open->buffer);
  if (++open->filled < nnode) return OAK_OK;
  open->filled = 0;
  return walk->visit(walk->context, &(oak_box_values_t){.array = walk->now,
                                                        .level = l,
                                                        .number = open->box++,
                                                        .values = open->buffer,
                                                        .bytes = node_bytes * (size_t)nnode});
}

oak_status_t oak_box_walk_begin(oak_box_walk_t *walk, oak_box_visit_t visit, void *context) {
  oak_status_t st = OAK_OK;
  walk->visit = visit;
  walk->context = context;
  for (walk->now = 0; walk->now < walk->narray && st == OAK_OK; walk->now++) {
    st = oak_tree_walk_begin(walk->tree, walk->now, add_node, walk);
    for (int l = 0; l < walk->nlevel; l++) {
      open_t *open = &walk->open[walk->now * walk->nlevel + l];
      if (open->filled > 0) continue; /* its other nodes come in the second part */
      free(open->buffer);
      open->buffer = NULL;
    }
  }
  return st;
}

oak_status_t oak_box_walk_finish(oak_box_walk_t *walk, oak_box_visit_t visit, void *context) {
  oak_status_t st = OAK_OK;
  walk->visit = visit;
  walk->context = context;
  for (walk->now = 0; walk->now < walk->narray && st == OAK_OK; walk->now++)
    st = oak_agree(walk->view->comm, oak_tree_walk_finish(walk->tree, walk->now, add_node, walk));
  return st;
}
