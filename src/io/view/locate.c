/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which block is where: leaves of a grid view, found by their place.
 *
 * Leaves sorted by tree and Morton number of their lower corner follow each other without gaps, so
 * a binary search finds the last one that begins before a place. */
#include "grid_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  oak_curve_t begin;
  int leaf;
} entry_t;

struct oak_locator {
  const oak_grid_view_t *view;
  int finest;
  entry_t *entry; /**< [nblock] sorted */
};

static int compare_entries(const void *a, const void *b) {
  return oak_curve_compare(&((const entry_t *)a)->begin, &((const entry_t *)b)->begin);
}

oak_status_t oak_locator_new(const oak_grid_view_t *view, oak_locator_t **out) {
  OAK_TRY(OAK_NEW(*out, 1));
  oak_locator_t *locator = *out;
  *locator = (oak_locator_t){.view = view, .finest = view->max_level};
  const oak_status_t st = OAK_NEW(locator->entry, view->nblock + 1);
  if (st != OAK_OK) oak_locator_destroy(out);
  OAK_TRY(st);
  for (int b = 0; b < view->nblock; b++)
    locator->entry[b] = (entry_t){
        oak_curve_at(view->dim, view->trees, locator->finest, view->level[b], view->index[b]), b};
  qsort(locator->entry, (size_t)view->nblock, sizeof *locator->entry, compare_entries);
  return OAK_OK;
}

void oak_locator_destroy(oak_locator_t **locator) {
  if (*locator) free((*locator)->entry);
  free(*locator);
  *locator = NULL;
}

int oak_locate(const oak_locator_t *locator, int level, const int64_t at[3]) {
  const oak_grid_view_t *view = locator->view;
  int32_t index[3] = {0, 0, 0};
  for (int d = 0; d < view->dim; d++) {
    const int64_t i = at[d] >> (level - locator->finest);
    if (i < 0 || i >= (int64_t)view->trees[d] << locator->finest) return -1;
    index[d] = (int32_t)i;
  }
  const oak_curve_t wanted =
      oak_curve_at(view->dim, view->trees, locator->finest, locator->finest, index);
  int low = 0, high = view->nblock; /* the last entry not after the place is in [low - 1, high) */
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (oak_curve_compare(&locator->entry[middle].begin, &wanted) <= 0)
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
