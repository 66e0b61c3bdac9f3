/* SPDX-License-Identifier: GPL-2.0-or-later
 * From boxes to blocks: the leaves of the tree that a plotfile holds.
 *
 * A plotfile does not say what its block size is: it is the largest size for which all boxes
 * consist of whole blocks and the blocks of each level fill whole families. All nodes are sorted so
 * that parents come before their children. One pass then finds the leaves, and proves that no node
 * is missing and none is there twice. */
#include "plotfile_text.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/shape.h"
#include "io/view/grid_view.h"

enum { SMALLEST_BLOCK = 4 };

typedef struct {
  oak_curve_t begin;
  int32_t index[3], box;
  int8_t level;
} node_t;

typedef struct {
  const oak_scan_t *scan;
  int trees[3];
  node_t *node;
  int64_t count;
} tree_t;

/* ---- block size ---- */

static int64_t greatest_divisor(int64_t a, int64_t b) {
  while (b != 0) {
    const int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/** Largest size of blocks of which all boxes can consist. */
static int64_t find_block_size(const oak_scan_t *scan) {
  int64_t size = 0;
  for (int d = 0; d < scan->dim; d++) size = greatest_divisor(size, scan->cells[d]);
  for (int l = 0; l <= scan->finest; l++)
    for (int b = 0; b < scan->level[l].nbox; b++)
      for (int d = 0; d < scan->dim; d++) {
        size = greatest_divisor(size, scan->level[l].box[b].low[d]);
        size = greatest_divisor(size, scan->level[l].box[b].size[d]);
      }
  return size;
}

/* ---- nodes ---- */

/** Blocks of a box along each dimension, from the first one on. */
static void box_blocks(const oak_scan_t *scan, const oak_scan_box_t *box, const int size[3],
                       int64_t first[3], int64_t n[3]) {
  for (int d = 0; d < 3; d++) {
    first[d] = d < scan->dim ? box->low[d] / size[d] : 0;
    n[d] = d < scan->dim ? box->size[d] / size[d] : 1;
  }
}

static void add_box(tree_t *tree, int l, int b, const int size[3]) {
  int64_t first[3], n[3];
  box_blocks(tree->scan, &tree->scan->level[l].box[b], size, first, n);
  for (int64_t k = 0; k < n[2]; k++)
    for (int64_t j = 0; j < n[1]; j++)
      for (int64_t i = 0; i < n[0]; i++) {
        node_t *node = &tree->node[tree->count++];
        *node = (node_t){
            .index = {(int32_t)(first[0] + i), (int32_t)(first[1] + j), (int32_t)(first[2] + k)},
            .box = b,
            .level = (int8_t)l};
        node->begin =
            oak_curve_at(tree->scan->dim, tree->trees, tree->scan->finest, l, node->index);
      }
}

static int compare_nodes(const void *a, const void *b) {
  const node_t *p = a, *q = b;
  const int order = oak_curve_compare(&p->begin, &q->begin);
  return order ? order : p->level - q->level;
}

/** All nodes of the plotfile, sorted. */
static oak_status_t list_nodes(tree_t *tree, const char *path, const int size[3]) {
  const oak_scan_t *scan = tree->scan;
  int64_t count = 0;
  for (int l = 0; l <= scan->finest; l++)
    for (int b = 0; b < scan->level[l].nbox; b++) {
      int64_t first[3], n[3];
      box_blocks(scan, &scan->level[l].box[b], size, first, n);
      OAK_CHECK(n[0] <= INT32_MAX / n[1] && n[0] * n[1] <= INT32_MAX / n[2] &&
                    count + n[0] * n[1] * n[2] <= INT32_MAX,
                OAK_ERR_FILE, "%s has more than %d blocks, more than oak can read", path,
                INT32_MAX);
      count += n[0] * n[1] * n[2];
    }
  OAK_TRY(OAK_NEW(tree->node, count));
  for (int l = 0; l <= scan->finest; l++)
    for (int b = 0; b < scan->level[l].nbox; b++) add_box(tree, l, b, size);
  qsort(tree->node, (size_t)count, sizeof *tree->node, compare_nodes);
  return OAK_OK;
}

/* ---- leaves ---- */

/** List the leaves. \a complete: they cover the domain once, in the order of the curve, and each
 * first child follows its parent. So no node is missing, and none is there twice. */
static oak_status_t take_leaves(const tree_t *tree, oak_leaves_t *out, int *complete) {
  const int dim = tree->scan->dim, finest = tree->scan->finest;
  const size_t n = (size_t)tree->count;
  oak_curve_t next = {0, 0};
  int below = 0; /* the node before is a parent */
  out->nleaf = *complete = 0;
  OAK_TRY(OAK_NEW(out->level, n));
  OAK_TRY(OAK_NEW(out->index, n));
  OAK_TRY(OAK_NEW(out->box, n));
  for (int64_t at = 0; at < tree->count; at++) {
    const node_t *node = &tree->node[at];
    const uint64_t size = UINT64_C(1) << (finest - node->level) * dim;
    const int first = node->level && !((node->index[0] | node->index[1] | node->index[2]) & 1);
    if (oak_curve_compare(&node->begin, &next) || first != below) return OAK_OK;
    if (below && node->level != node[-1].level + 1) return OAK_OK;
    below = at + 1 < tree->count && node[1].begin.tree == next.tree &&
            node[1].begin.place - next.place < size && node[1].level > node->level;
    if (below) continue;
    out->level[out->nleaf] = node->level;
    out->box[out->nleaf] = node->box;
    memcpy(out->index[out->nleaf++], node->index, sizeof node->index);
    next.place += size;
    if (next.place >> finest * dim) next = (oak_curve_t){next.tree + 1, 0};
  }
  *complete = next.tree == (int64_t)tree->trees[0] * tree->trees[1] * tree->trees[2];
  return OAK_OK;
}

/** Cut the boxes into blocks of \a size cells along each axis. \a complete as for take_leaves. */
static oak_status_t find_leaves(const oak_scan_t *scan, const char *path, const int size[3],
                                oak_leaves_t *out, int *complete) {
  tree_t tree = {.scan = scan};
  memcpy(out->block_size, size, sizeof out->block_size);
  for (int d = 0; d < 3; d++) {
    const int64_t trees = d < scan->dim ? scan->cells[d] / size[d] : 1;
    OAK_CHECK(trees << scan->finest <= INT32_MAX, OAK_ERR_FILE,
              "%s has more than %d blocks along a dimension, more than oak can read", path,
              INT32_MAX);
    out->trees[d] = tree.trees[d] = (int)trees;
  }
  oak_status_t st = list_nodes(&tree, path, size);
  if (st == OAK_OK) st = take_leaves(&tree, out, complete);
  free(tree.node);
  return st;
}

/** The edges of the boxes of level 0, if all of them have the same ones: oak writes a box for each
 * block of that level. \return 0: they differ, or other boxes do not consist of such blocks. */
static int box_edges(const oak_scan_t *scan, int size[3]) {
  const oak_scan_box_t *first = &scan->level[0].box[0];
  int fit = 1;
  for (int d = 0; d < 3; d++) {
    size[d] = d < scan->dim && first->size[d] <= INT_MAX ? (int)first->size[d] : 1;
    if (d >= scan->dim) continue;
    if (size[d] < SMALLEST_BLOCK || scan->cells[d] % size[d]) return 0;
    for (int l = 0; l <= scan->finest && fit; l++)
      for (int b = 0; b < scan->level[l].nbox && fit; b++) {
        const oak_scan_box_t *box = &scan->level[l].box[b];
        fit = box->low[d] % size[d] == 0 && box->size[d] % size[d] == 0 &&
              (l > 0 || box->size[d] == size[d]);
      }
  }
  return fit;
}

/** The blocks of the plotfile: those that level 0 shows, or else the largest cubes. Boxes of other
 * programs may hold parts of families. Then the blocks are smaller than the sizes of the boxes
 * suggest. */
static oak_status_t find_blocks(const oak_scan_t *scan, const char *path, oak_leaves_t *out,
                                int *complete) {
  int edges[3];
  if (box_edges(scan, edges)) {
    OAK_TRY(find_leaves(scan, path, edges, out, complete));
    if (*complete) return OAK_OK;
    oak_leaves_free(out);
  }
  for (int64_t size = find_block_size(scan); size >= SMALLEST_BLOCK && size <= INT_MAX; size /= 2) {
    for (int d = 0; d < 3; d++) edges[d] = d < scan->dim ? (int)size : 1;
    OAK_TRY(find_leaves(scan, path, edges, out, complete));
    if (*complete || size % 2 != 0) break;
    oak_leaves_free(out);
  }
  return OAK_OK;
}

oak_status_t oak_leaves_find(const oak_scan_t *scan, const char *path, const int block_size[3],
                             oak_leaves_t *out) {
  int complete = 0, same = 1, fits = 1;
  char text[2][32];
  *out = (oak_leaves_t){0};
  OAK_CHECK(scan->finest * scan->dim <= 62, OAK_ERR_FILE,
            "%s has %d levels, more than oak can read", path, scan->finest + 1);
  OAK_TRY(find_blocks(scan, path, out, &complete));
  OAK_CHECK(complete, OAK_ERR_FILE,
            "the boxes of %s are no tree of blocks of at least %d^%d cells that covers level 0 "
            "once and each other level in whole families: the plotfile is damaged, or not one that "
            "oak can read",
            path, SMALLEST_BLOCK, scan->dim);
  for (int d = 0; d < 3 && block_size; d++) {
    same = same && block_size[d] == out->block_size[d];
    fits = fits && block_size[d] > 0 && out->block_size[d] % block_size[d] == 0;
  }
  if (same) return OAK_OK;
  OAK_CHECK(fits, OAK_ERR_ARGUMENT,
            "%s has blocks of %s cells, which cannot be cut into blocks of %s", path,
            oak_shape_text(scan->dim, out->block_size, text[0]),
            oak_shape_text(scan->dim, block_size, text[1]));
  oak_leaves_free(out);
  return find_leaves(scan, path, block_size, out, &complete);
}

void oak_leaves_free(oak_leaves_t *leaves) {
  free(leaves->level);
  free(leaves->index);
  free(leaves->box);
  *leaves = (oak_leaves_t){0};
}
