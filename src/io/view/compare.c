/* SPDX-License-Identifier: GPL-2.0-or-later
 * The difference of two grid views, on meshes that may differ.
 *
 * At each place the cells of the finer leaf are compared with those of the leaf of the other view
 * that covers it. So first come the leaves of the first view that are finer or of the same level,
 * and then those of the second that are finer. */
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

/** Level of a leaf, counted from the coarser blocks. */
static int level_of(const oak_comparison_t *c, int w, int leaf) {
  return c->view[w]->level[leaf] + c->shift[w];
}

/** The leaf of the other view around the lower corner of leaf \a b of view \a w. */
static oak_status_t find_other(const oak_comparison_t *c, int w, int b, int *other) {
  int64_t at[3];
  for (int d = 0; d < 3; d++)
    at[d] = (int64_t)c->view[w]->index[b][d] << (c->finest - level_of(c, w, b));
  *other = oak_locate(c->locator[1 - w], c->finest - c->shift[1 - w], at);
  OAK_CHECK(*other >= 0, OAK_ERR_STATE, "one mesh has no block at a place of the other");
  return OAK_OK;
}

oak_status_t oak_compare_new(const oak_grid_view_t *a, const oak_grid_view_t *b,
                             oak_comparison_t *out) {
  *out = (oak_comparison_t){.view = {a, b}};
  OAK_TRY(check_views(a, b, out));
  for (int w = 0; w < 2; w++) {
    const int finest = out->view[w]->max_level + out->shift[w];
    if (finest > out->finest) out->finest = finest;
    OAK_TRY(oak_locator_new(out->view[w], &out->locator[w]));
  }
  for (int n = 0; n < a->nblock; n++) {
    int other;
    OAK_TRY(find_other(out, 0, n, &other));
    out->common += level_of(out, 1, other) == level_of(out, 0, n);
  }
  return OAK_OK;
}

void oak_compare_free(oak_comparison_t *comparison) {
  for (int w = 0; w < 2; w++) oak_locator_destroy(&comparison->locator[w]);
}

static oak_status_t load(work_t *work, int which, int leaf) {
  const oak_grid_view_t *view = work->comparison->view[which];
  if (work->leaf[which] == leaf) return OAK_OK;
  work->leaf[which] = -1;
  OAK_TRY(view->read(view, work->var[which], leaf, 1, work->cells[which]));
  work->leaf[which] = leaf;
  return OAK_OK;
}

/** Note the values \a a and \a b of the cell at \a cell of leaf \a leaf of view \a w. */
static void compare_values(work_t *work, int w, int leaf, const int cell[3], double a, double b) {
  oak_difference_t *out = work->out;
  const oak_grid_view_t *view = work->comparison->view[w];
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
  for (int d = 0; d < view->dim; d++)
    out->x[d] = oak_view_coordinate(
        view, view->level[leaf], d,
        (double)((int64_t)view->index[leaf][d] * view->block_size[d] + cell[d]) + 0.5);
}

/** Compare the cells of leaf \a b of view \a w, unless those of the other view are finer there. */
static oak_status_t compare_leaf(work_t *work, int w, int b) {
  const oak_comparison_t *c = work->comparison;
  const int *n = c->view[0]->block_size;
  int other, cell[3], at[3];
  OAK_TRY(find_other(c, w, b, &other));
  const int coarser = level_of(c, w, b) - level_of(c, 1 - w, other);
  if (coarser < w) return OAK_OK;
  OAK_TRY(load(work, w, b));
  OAK_TRY(load(work, 1 - w, other));
  for (cell[2] = 0; cell[2] < n[2]; cell[2]++)
    for (cell[1] = 0; cell[1] < n[1]; cell[1]++)
      for (cell[0] = 0; cell[0] < n[0]; cell[0]++) {
        for (int d = 0; d < 3; d++)
          at[d] = (int)((((int64_t)c->view[w]->index[b][d] * n[d] + cell[d]) >> coarser) -
                        (int64_t)c->view[1 - w]->index[other][d] * n[d]);
        const double value[2] = {work->cells[w][(cell[2] * n[1] + cell[1]) * n[0] + cell[0]],
                                 work->cells[1 - w][(at[2] * n[1] + at[1]) * n[0] + at[0]]};
        compare_values(work, w, b, cell, value[w], value[1 - w]);
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
  for (int w = 0; w < 2; w++)
    for (int b = 0; b < comparison->view[w]->nblock && st == OAK_OK; b++)
      st = compare_leaf(&work, w, b);
  for (int w = 0; w < 2; w++) free(work.cells[w]);
  return st;
}
