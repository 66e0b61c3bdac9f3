/* SPDX-License-Identifier: GPL-2.0-or-later
 * The difference of two grid views, on meshes that may differ.
 *
 * A leaf of the first view is cut into halves along each dimension until a leaf of the second
 * covers each piece: there the cells of the finer of the two are compared. */
#include "compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/** A comparison under way. */
typedef struct {
  const oak_comparison_t *comparison;
  int var[2], leaf[2]; /* leaf: whose cells are in memory; -1: none */
  double *cells[2];
  double allowed;
  oak_difference_t *out;
} work_t;

/** Part of the domain: a block of \a level, counted from the coarser blocks. */
typedef struct {
  int level;
  int64_t index[3];
} region_t;

static oak_status_t check_views(const oak_grid_view_t *a, const oak_grid_view_t *b,
                                oak_comparison_t *out) {
  OAK_CHECK(a->dim == b->dim, OAK_ERR_UNSUPPORTED, "one has %d dimensions, the other %d", a->dim,
            b->dim);
  OAK_CHECK(
      a->coordinates == b->coordinates && a->logarithmic == b->logarithmic, OAK_ERR_UNSUPPORTED,
      "they have different coordinates: the axes of one begin with %s, %s, those of the other "
      "with %s, %s",
      oak_view_axis(a, 0), oak_view_axis(a, 1), oak_view_axis(b, 0), oak_view_axis(b, 1));
  for (int d = 0; d < a->dim; d++) {
    const double slack = 1e-12 * (a->xmax[d] - a->xmin[d]);
    OAK_CHECK(fabs(a->xmin[d] - b->xmin[d]) <= slack && fabs(a->xmax[d] - b->xmax[d]) <= slack,
              OAK_ERR_UNSUPPORTED, "one covers %s = %g to %g, the other %g to %g",
              oak_view_axis(a, d), a->xmin[d], a->xmax[d], b->xmin[d], b->xmax[d]);
  }
  while ((int64_t)b->trees[0] << out->shift[0] < a->trees[0]) out->shift[0]++;
  while ((int64_t)a->trees[0] << out->shift[1] < b->trees[0]) out->shift[1]++;
  for (int d = 0; d < a->dim; d++)
    OAK_CHECK((int64_t)a->trees[d] << out->shift[1] == (int64_t)b->trees[d] << out->shift[0],
              OAK_ERR_UNSUPPORTED,
              "one has %lld cells along %s on level 0, the other %lld: their ratio must be a "
              "power of 2, the same along each dimension",
              (long long)a->trees[d] * a->block_size[d], oak_view_axis(a, d),
              (long long)b->trees[d] * b->block_size[d]);
  return OAK_OK;
}

/** The block as a part of the domain. */
static region_t block_region(const oak_comparison_t *c, int which, int b) {
  const oak_grid_view_t *view = c->view[which];
  region_t region = {view->level[b] + c->shift[which], {0, 0, 0}};
  for (int d = 0; d < view->dim; d++) region.index[d] = view->index[b][d];
  return region;
}

/** The leaf of the second view around the lower corner of a region. */
static int find_other(const oak_comparison_t *c, const region_t *region) {
  int64_t at[3];
  for (int d = 0; d < 3; d++) at[d] = region->index[d] << (c->finest - region->level);
  return oak_locate(c->locator, c->finest - c->shift[1], at);
}

oak_status_t oak_compare_new(const oak_grid_view_t *a, const oak_grid_view_t *b,
                             oak_comparison_t *out) {
  *out = (oak_comparison_t){.view = {a, b}};
  OAK_TRY(check_views(a, b, out));
  for (int w = 0; w < 2; w++) {
    const int finest = out->view[w]->max_level + out->shift[w];
    if (finest > out->finest) out->finest = finest;
  }
  OAK_TRY(oak_locator_new(b, &out->locator));
  for (int n = 0; n < a->nblock; n++) {
    const region_t region = block_region(out, 0, n);
    const int other = find_other(out, &region);
    if (other >= 0) out->common += b->level[other] + out->shift[1] == region.level;
  }
  return OAK_OK;
}

void oak_compare_free(oak_comparison_t *comparison) { oak_locator_destroy(&comparison->locator); }

static oak_status_t load(work_t *work, int which, int leaf) {
  const oak_grid_view_t *view = work->comparison->view[which];
  if (work->leaf[which] == leaf) return OAK_OK;
  work->leaf[which] = -1;
  OAK_TRY(view->read(view, work->var[which], leaf, 1, work->cells[which]));
  work->leaf[which] = leaf;
  return OAK_OK;
}

/** Note two values of the cell of \a region that is at \a cell. */
static void compare_values(work_t *work, const region_t *region, const int cell[3], double a,
                           double b) {
  oak_difference_t *out = work->out;
  const oak_grid_view_t *view = work->comparison->view[0];
  uint64_t bits[2];
  memcpy(&bits[0], &a, sizeof a);
  memcpy(&bits[1], &b, sizeof b);
  out->cells++;
  if (bits[0] == bits[1]) return;
  double difference = a == b || (isnan(a) && isnan(b)) ? 0 : fabs(a - b);
  if (isnan(difference)) difference = INFINITY;
  const int differs = work->allowed < 0 ? !(isnan(a) && isnan(b)) : difference > work->allowed;
  const int first = differs && out->differ == 0 && out->largest == 0;
  out->differ += differs;
  if (!first && difference <= out->largest) return;
  out->largest = difference;
  out->value[0] = a;
  out->value[1] = b;
  for (int d = 0; d < view->dim; d++) {
    out->x[d] =
        oak_view_coordinate(view, region->level - work->comparison->shift[0], d,
                            (double)(region->index[d] * view->block_size[d] + cell[d]) + 0.5);
  }
}

/** Compare the cells of a region, which a leaf of each view covers. */
static void compare_region(work_t *work, const region_t *region) {
  const oak_comparison_t *c = work->comparison;
  const int *n = c->view[0]->block_size;
  int64_t first[2][3];
  int coarser[2];
  for (int w = 0; w < 2; w++) {
    const region_t block = block_region(c, w, work->leaf[w]);
    coarser[w] = region->level - block.level;
    for (int d = 0; d < 3; d++)
      first[w][d] = (region->index[d] - (block.index[d] << coarser[w])) * n[d];
  }
  int cell[3];
  for (cell[2] = 0; cell[2] < n[2]; cell[2]++)
    for (cell[1] = 0; cell[1] < n[1]; cell[1]++)
      for (cell[0] = 0; cell[0] < n[0]; cell[0]++) {
        double value[2];
        for (int w = 0; w < 2; w++) {
          int64_t at[3];
          for (int d = 0; d < 3; d++) at[d] = (first[w][d] + cell[d]) >> coarser[w];
          value[w] = work->cells[w][(at[2] * n[1] + at[1]) * n[0] + at[0]];
        }
        compare_values(work, region, cell, value[0], value[1]);
      }
}

static oak_status_t visit_region(work_t *work, const region_t *region) {
  const oak_comparison_t *c = work->comparison;
  const int other = find_other(c, region);
  OAK_CHECK(other >= 0, OAK_ERR_STATE, "the second mesh has no block at a place of the first");
  if (c->view[1]->level[other] + c->shift[1] <= region->level) {
    OAK_TRY(load(work, 1, other));
    compare_region(work, region);
    return OAK_OK;
  }
  for (int child = 0; child < 1 << c->view[0]->dim; child++) {
    region_t part = {region->level + 1, {0, 0, 0}};
    for (int d = 0; d < 3; d++) part.index[d] = 2 * region->index[d] + (child >> d & 1);
    OAK_TRY(visit_region(work, &part));
  }
  return OAK_OK;
}

oak_status_t oak_compare(const oak_comparison_t *comparison, const int var[2], double allowed,
                         oak_difference_t *out) {
  const oak_grid_view_t *a = comparison->view[0];
  work_t work = {comparison, {var[0], var[1]}, {-1, -1}, {NULL, NULL}, allowed, out};
  const size_t ncell = oak_view_block_cells(a);
  oak_status_t st = OAK_OK;
  *out = (oak_difference_t){0};
  for (int w = 0; w < 2 && st == OAK_OK; w++) st = OAK_NEW(work.cells[w], ncell);
  for (int b = 0; b < a->nblock && st == OAK_OK; b++) {
    const region_t region = block_region(comparison, 0, b);
    st = load(&work, 0, b);
    if (st == OAK_OK) st = visit_region(&work, &region);
  }
  for (int w = 0; w < 2; w++) free(work.cells[w]);
  return st;
}
