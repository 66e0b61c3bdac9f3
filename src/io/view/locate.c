/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which block is where: leaves of a grid view, found by their place.
 *
 * Leaves sorted by tree and Morton number of their lower corner follow each other without gaps, so
 * a binary search finds the last one that begins before a place. */
#include "locate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  int64_t tree;
  uint64_t place; /**< Morton number within the tree, of its lower corner on the finest level */
  int leaf;
} entry_t;

struct oak_locator {
  const oak_grid_view_t *view;
  int finest;
  entry_t *entry; /**< [nblock] sorted */
};

/** Where the block \a index of \a level lies in the sorted list. */
static entry_t make_entry(const oak_grid_view_t *view, int finest, int level,
                          const int64_t index[3]) {
  entry_t entry = {0};
  int64_t tree[3];
  for (int d = 0; d < 3; d++) tree[d] = index[d] >> level;
  entry.tree = (tree[2] * view->trees[1] + tree[1]) * view->trees[0] + tree[0];
  for (int bit = 0; bit < level; bit++)
    for (int d = 0; d < view->dim; d++)
      entry.place |= (uint64_t)(index[d] >> bit & 1) << ((bit + finest - level) * view->dim + d);
  return entry;
}

static int compare_entries(const void *a, const void *b) {
  const entry_t *p = a, *q = b;
  if (p->tree != q->tree) return p->tree < q->tree ? -1 : 1;
  return p->place < q->place ? -1 : p->place > q->place;
}

oak_status_t oak_locator_new(const oak_grid_view_t *view, oak_locator_t **out) {
  oak_locator_t *locator = malloc(sizeof *locator);
  entry_t *entry = malloc(((size_t)view->nblock + 1) * sizeof *entry);
  if (!locator || !entry) {
    free(locator);
    free(entry);
    *out = NULL;
    return OAK_FAIL(OAK_ERR_MEMORY, "no memory to sort %d blocks; use more ranks", view->nblock);
  }
  *locator = (oak_locator_t){view, view->max_level, entry};
  for (int b = 0; b < view->nblock; b++) {
    const int64_t index[3] = {view->index[b][0], view->index[b][1], view->index[b][2]};
    entry[b] = make_entry(view, locator->finest, view->level[b], index);
    entry[b].leaf = b;
  }
  qsort(entry, (size_t)view->nblock, sizeof *entry, compare_entries);
  *out = locator;
  return OAK_OK;
}

void oak_locator_destroy(oak_locator_t **locator) {
  if (*locator) free((*locator)->entry);
  free(*locator);
  *locator = NULL;
}

int oak_locate(const oak_locator_t *locator, int level, const int64_t at[3]) {
  const oak_grid_view_t *view = locator->view;
  int64_t index[3] = {0, 0, 0};
  for (int d = 0; d < view->dim; d++) {
    index[d] = at[d] >> (level - locator->finest);
    if (index[d] < 0 || index[d] >= (int64_t)view->trees[d] << locator->finest) return -1;
  }
  const entry_t wanted = make_entry(view, locator->finest, locator->finest, index);
  int low = 0, high = view->nblock; /* the last entry not after the place is in [low - 1, high) */
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (compare_entries(&locator->entry[middle], &wanted) <= 0)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0) return -1;
  const int leaf = locator->entry[low - 1].leaf;
  for (int d = 0; d < view->dim; d++) /* the block that would hold it may be another rank's */
    if (view->index[leaf][d] != index[d] >> (locator->finest - view->level[leaf])) return -1;
  return leaf;
}

int oak_locate_point(const oak_locator_t *locator, const double x[3], int cell[3]) {
  const oak_grid_view_t *view = locator->view;
  int64_t at[3] = {0, 0, 0};
  double fraction[3] = {0, 0, 0}; /* of the domain, in trees */
  for (int d = 0; d < view->dim; d++) {
    fraction[d] = oak_view_part_to(view, d, x[d]) * view->trees[d];
    if (!(fraction[d] >= 0 && fraction[d] <= view->trees[d])) return -1;
    const int64_t blocks = (int64_t)view->trees[d] << locator->finest;
    at[d] = (int64_t)floor(ldexp(fraction[d], locator->finest));
    if (at[d] >= blocks) at[d] = blocks - 1;
  }
  const int leaf = oak_locate(locator, locator->finest, at);
  for (int d = 0; d < 3; d++) {
    cell[d] = 0;
    if (leaf < 0 || d >= view->dim) continue;
    const int n = view->block_size[d];
    const double within =
        (ldexp(fraction[d], view->level[leaf]) - view->index[leaf][d]) * (double)n;
    cell[d] = within < 0 ? 0 : within >= n ? n - 1 : (int)within;
  }
  return leaf;
}
