/* SPDX-License-Identifier: GPL-2.0-or-later
 * The values of boxes, variable by variable: nodes from a walk gather in the box they are part of.
 *
 * Nodes of a level come in Morton order, so one box per level is being filled. */
#include "box_walk.h"

#include <stdlib.h>

/** The box of a level that is being filled. */
typedef struct {
  int box, filled; /**< its number, and how many of its nodes have come */
  char *buffer;    /**< its values; NULL: not needed yet */
} open_t;

struct oak_box_walk {
  const oak_grid_view_t *view;
  oak_tree_walk_t *tree; /**< NULL: leaves alone */
  int nlevel;
  size_t ncell;       /**< of a node */
  oak_boxes_t *boxes; /**< [nlevel] */
  open_t *open;       /**< [nlevel], or [nvar][nlevel] for a walk in two parts */
  int divided;
  int var; /**< now */
  oak_box_visit_t visit;
  void *context;
};

/* ---- the walk -------------------------------------------------------------------------------- */

static oak_status_t list_boxes(oak_box_walk_t *walk) {
  const oak_grid_view_t *view = walk->view;
  OAK_TRY(OAK_NEW(walk->boxes, walk->nlevel));
  OAK_TRY(OAK_NEW(walk->open, walk->nlevel));
  return oak_boxes_list(view, walk->tree, walk->boxes);
}

oak_status_t oak_box_walk_new(const oak_grid_view_t *view, int leaves, oak_box_walk_t **out) {
  oak_status_t st = oak_agree(view->comm, OAK_NEW(*out, 1));
  oak_box_walk_t *walk = *out;
  if (st == OAK_OK) {
    *walk = (oak_box_walk_t){
        .view = view, .nlevel = view->max_level + 1, .ncell = oak_view_block_cells(view)};
    if (!leaves) st = oak_tree_walk_new(view, &walk->tree);
  }
  if (st == OAK_OK) st = oak_agree(view->comm, list_boxes(walk));
  if (st != OAK_OK) oak_box_walk_destroy(out);
  return st;
}

void oak_box_walk_destroy(oak_box_walk_t **walk_ptr) {
  oak_box_walk_t *walk = *walk_ptr;
  if (!walk) return;
  const int nopen = (walk->divided ? walk->view->nvar : 1) * walk->nlevel;
  for (int i = 0; i < nopen && walk->open; i++) free(walk->open[i].buffer);
  if (walk->boxes) oak_boxes_free(walk->view, walk->boxes);
  oak_tree_walk_destroy(&walk->tree);
  free(walk->boxes);
  free(walk->open);
  free(walk);
  *walk_ptr = NULL;
}

const oak_boxes_t *oak_box_walk_boxes(const oak_box_walk_t *walk) { return walk->boxes; }

/* ---- values ---------------------------------------------------------------------------------- */

/** The box of the present variable that is being filled on a level. */
static open_t *open_box(const oak_box_walk_t *walk, int l) {
  return &walk->open[(walk->divided ? walk->var * walk->nlevel : 0) + l];
}

static oak_status_t add_node(void *context, int l, const int32_t index[3], const double *cells) {
  oak_box_walk_t *walk = context;
  const oak_grid_view_t *view = walk->view;
  const oak_boxes_t *boxes = &walk->boxes[l];
  open_t *open = open_box(walk, l);
  if (!oak_view_wants_node(view, l, index)) return OAK_OK;
  if (!open->buffer) {
    const size_t most = walk->ncell << (boxes->most * view->dim);
    OAK_TRY(OAK_NEW(open->buffer, most * (size_t)view->value_bytes));
  }
  const oak_box_t *box = &boxes->box[open->box];
  const int nnode = 1 << (box->merge * view->dim);
  oak_box_place(view, box, index, cells, open->buffer);
  if (++open->filled < nnode) return OAK_OK;
  const size_t bytes = walk->ncell * (size_t)nnode * (size_t)view->value_bytes;
  open->filled = 0;
  return walk->visit(walk->context, &(oak_box_values_t){.var = walk->var,
                                                        .level = l,
                                                        .number = open->box++,
                                                        .values = open->buffer,
                                                        .bytes = bytes});
}

static void start(oak_box_walk_t *walk, oak_box_visit_t visit, void *context) {
  walk->visit = visit;
  walk->context = context;
}

static void start_variable(oak_box_walk_t *walk, int var) {
  walk->var = var;
  for (int l = 0; l < walk->nlevel; l++) open_box(walk, l)->box = open_box(walk, l)->filled = 0;
}

oak_status_t oak_box_walk_run(oak_box_walk_t *walk, oak_box_visit_t visit, void *context) {
  const oak_grid_view_t *view = walk->view;
  oak_status_t st = OAK_OK;
  start(walk, visit, context);
  for (int v = 0; v < view->nvar && st == OAK_OK; v++) {
    start_variable(walk, v);
    st = oak_agree(view->comm, walk->tree ? oak_tree_walk_run(walk->tree, v, add_node, walk)
                                          : oak_leaves_run(view, v, add_node, walk));
  }
  return st;
}

/* ---- in two parts */

oak_status_t oak_box_walk_divide(oak_box_walk_t *walk) {
  const size_t n = (size_t)walk->view->nvar * (size_t)walk->nlevel;
  if (walk->tree) OAK_TRY(oak_tree_walk_divide(walk->tree));
  open_t *open;
  OAK_TRY(OAK_NEW(open, n));
  free(walk->open);
  walk->open = open;
  walk->divided = 1;
  return OAK_OK;
}

oak_status_t oak_box_walk_begin(oak_box_walk_t *walk, oak_box_visit_t visit, void *context) {
  const oak_grid_view_t *view = walk->view;
  oak_status_t st = OAK_OK;
  start(walk, visit, context);
  for (int v = 0; v < view->nvar && st == OAK_OK; v++) {
    start_variable(walk, v);
    st = walk->tree ? oak_tree_walk_leaves(walk->tree, v, add_node, walk)
                    : oak_leaves_run(view, v, add_node, walk);
    for (int l = 0; l < walk->nlevel; l++) {
      open_t *open = open_box(walk, l);
      if (open->filled > 0) continue; /* its other nodes come in the second part */
      free(open->buffer);
      open->buffer = NULL;
    }
  }
  return st;
}

oak_status_t oak_box_walk_finish(oak_box_walk_t *walk, oak_box_visit_t visit, void *context) {
  const oak_grid_view_t *view = walk->view;
  oak_status_t st = OAK_OK;
  start(walk, visit, context);
  for (int v = 0; v < view->nvar && st == OAK_OK && walk->tree; v++) {
    walk->var = v;
    st = oak_agree(view->comm, oak_tree_walk_rest(walk->tree, v, add_node, walk));
  }
  return st;
}
