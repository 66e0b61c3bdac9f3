/* SPDX-License-Identifier: GPL-2.0-or-later
 * The values of one mesh on the blocks of another one. A cell gets the integral over its overlaps
 * with cells of the source, divided by its volume. Volumes and centres of overlaps are products of
 * one number for each axis, in all coordinates. */
#include "remap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/shape.h"
#include "base/str.h"
#include "grid_view.h"

/** Blocks of the source whose values stay in memory. */
enum { KEPT = 32 };

/** Values of some blocks. */
typedef struct {
  int leaf[KEPT]; /**< -1: none */
  double *value;  /**< [KEPT][cells] */
} kept_t;

struct oak_remap {
  const oak_grid_view_t *view;
  const char *file; /**< name of the source for messages */
  oak_locator_t *locator;
  size_t cells;         /**< of a block of the source */
  int variable;         /**< of values */
  kept_t values, masks; /**< masks: only where the source has one */
  double *slope;        /**< [3][cells] of one block */
  int slope_leaf;
  /* of the block that is wanted */
  const oak_remap_block_t *block;
  oak_remap_kind_t kind;
  int finer;
  double *sum, *volume; /**< [cells of the block] */
  size_t room;
};

/* ---- one axis */

/** What the volume between coordinates a < b is proportional to, along one axis. */
static double measure(const oak_grid_view_t *view, int d, double a, double b) {
  const int spherical = view->coordinates == OAK_VIEW_SPHERICAL;
  if (view->coordinates == OAK_VIEW_CARTESIAN || d > 1 || (d == 1 && !spherical)) return b - a;
  if (d == 1) return cos(a) - cos(b);
  if (view->logarithmic)
    return spherical ? (exp(3 * b) - exp(3 * a)) / 3 : (exp(2 * b) - exp(2 * a)) / 2;
  return spherical ? (b * b * b - a * a * a) / 3 : (b * b - a * a) / 2;
}

/** The mean of the coordinate over this volume. */
static double centre(const oak_grid_view_t *view, int d, double a, double b) {
  const int spherical = view->coordinates == OAK_VIEW_SPHERICAL;
  if (view->coordinates == OAK_VIEW_CARTESIAN || d > 1 || (d == 1 && !spherical))
    return 0.5 * (a + b);
  const double all = measure(view, d, a, b);
  if (d == 1) return (sin(b) - b * cos(b) - sin(a) + a * cos(a)) / all;
  if (view->logarithmic) { /* the integral of x exp(k x) is (x - 1 / k) exp(k x) / k */
    const double k = spherical ? 3 : 2;
    return ((b - 1 / k) * exp(k * b) - (a - 1 / k) * exp(k * a)) / (k * all);
  }
  return spherical ? (pow(b, 4) - pow(a, 4)) / (4 * all) : (pow(b, 3) - pow(a, 3)) / (3 * all);
}

/** An overlap of cells along one axis. */
typedef struct {
  int to, from;          /**< the cells within their blocks */
  double volume, offset; /**< offset: of its centre from that of the source's cell */
} overlap_t;

enum { MOST_CELLS = 4096, MOST_OVERLAPS = 2 * MOST_CELLS };

/** Lower end of a leaf along an axis, and the size of its cells. */
static double leaf_origin(const oak_grid_view_t *view, int leaf, int d, double *dx) {
  *dx = oak_view_cell_size(view, view->level[leaf], d);
  return oak_view_end(view, d, 0) + (double)view->index[leaf][d] * view->block_size[d] * *dx;
}

/** Overlaps of the wanted block with a leaf. Ends that differ by rounding are the same. */
static int list_overlaps(const oak_remap_t *r, int leaf, int d, overlap_t *list) {
  double h;
  const double low = leaf_origin(r->view, leaf, d, &h), dx = r->block->dx[d];
  const double slack = 1e-9 * fmin(h, dx);
  int count = 0;
  if (d >= r->view->dim) {
    list[0] = (overlap_t){0, 0, 1, 0};
    return 1;
  }
  for (int i = 0, j = 0;
       i < r->block->n[d] && j < r->view->block_size[d] && count < MOST_OVERLAPS;) {
    const double a = r->block->origin[d] + i * dx, b = r->block->origin[d] + (i + 1) * dx;
    const double p = low + j * h, q = low + (j + 1) * h;
    const double from = fmax(a, p), to = fmin(b, q);
    if (to - from > slack)
      list[count++] = (overlap_t){i, j, measure(r->view, d, from, to),
                                  centre(r->view, d, from, to) - centre(r->view, d, p, q)};
    i += b < q + slack;
    j += q < b + slack;
  }
  return count;
}

/* ---- values of the source */

static int mask_of(const oak_remap_t *r) { return r->view->has_mask ? r->view->mask : -1; }

/** All values of a leaf must be finite, and a mask between 0 and 2. */
static oak_status_t judge(const oak_remap_t *r, int var, int leaf, const double *value) {
  const oak_grid_view_t *view = r->view;
  const int mask = var == mask_of(r), *n = view->block_size;
  char place[96] = "";
  size_t c = 0;
  while (c < r->cells && (mask ? oak_mask_allowed(value[c]) : isfinite(value[c]))) c++;
  if (c == r->cells) return OAK_OK;
  const int cell = (int)c, at[3] = {cell % n[0], cell / n[0] % n[1], cell / (n[0] * n[1])};
  for (int d = 0; d < view->dim; d++)
    oak_str_append(place, sizeof place, "%s%g", d ? ", " : "",
                   oak_view_coordinate(view, view->level[leaf], d,
                                       (double)view->index[leaf][d] * n[d] + at[d] + 0.5));
  return OAK_FAIL(
      OAK_ERR_INPUT, "run.initial: %s: %s is %g at (%s), level %d; all values must be %s", r->file,
      view->name[var], value[c], place, view->level[leaf], mask ? "between 0 and 2" : "finite");
}

static oak_status_t read_block(const oak_remap_t *r, kept_t *kept, int var, int leaf,
                               const double **out) {
  double *value = kept->value + (size_t)(leaf % KEPT) * r->cells;
  *out = value;
  if (kept->leaf[leaf % KEPT] == leaf) return OAK_OK;
  kept->leaf[leaf % KEPT] = -1;
  OAK_TRY(r->view->read(r->view, var, leaf, 1, value));
  OAK_TRY(judge(r, var, leaf, value));
  kept->leaf[leaf % KEPT] = leaf;
  return OAK_OK;
}

static size_t cell_index(const oak_remap_t *r, const int at[3]) {
  const int *n = r->view->block_size;
  return (size_t)((at[2] * n[1] + at[1]) * n[0] + at[0]);
}

/** The value of the cell at \a at beside or in a leaf; \a own where that is outside of the domain
 * or solid. */
static oak_status_t read_beside(oak_remap_t *r, int leaf, const int at[3], double own,
                                double *out) {
  double x[3] = {0, 0, 0}, h;
  int cell[3] = {at[0], at[1], at[2]}, inside = 1, other = leaf;
  const double *value, *mask;
  for (int d = 0; d < r->view->dim; d++) inside &= at[d] >= 0 && at[d] < r->view->block_size[d];
  for (int d = 0; d < r->view->dim && !inside; d++)
    x[d] = leaf_origin(r->view, leaf, d, &h), x[d] += (at[d] + 0.5) * h;
  if (!inside) other = oak_locate_point(r->locator, x, cell);
  *out = own;
  if (other < 0) return OAK_OK;
  if (mask_of(r) >= 0) {
    OAK_TRY(read_block(r, &r->masks, mask_of(r), other, &mask));
    if (mask[cell_index(r, cell)] >= 0.5) return OAK_OK;
  }
  OAK_TRY(read_block(r, &r->values, r->variable, other, &value));
  *out = value[cell_index(r, cell)];
  return OAK_OK;
}

static double minmod(double a, double b) {
  if (!(a * b > 0)) return 0;
  return fabs(a) < fabs(b) ? a : b;
}

/** The limited slopes in all cells of a leaf, per unit of the coordinate. */
static oak_status_t find_slopes(oak_remap_t *r, int leaf) {
  const int *n = r->view->block_size;
  if (r->slope_leaf == leaf) return OAK_OK;
  r->slope_leaf = -1;
  for (int d = 0; d < r->view->dim; d++) {
    const double h = oak_view_cell_size(r->view, r->view->level[leaf], d);
    int at[3];
    for (at[2] = 0; at[2] < n[2]; at[2]++)
      for (at[1] = 0; at[1] < n[1]; at[1]++)
        for (at[0] = 0; at[0] < n[0]; at[0]++) {
          double own, side[2];
          OAK_TRY(read_beside(r, leaf, at, 0, &own));
          for (int s = 0; s < 2; s++) {
            int beside[3] = {at[0], at[1], at[2]};
            beside[d] += 2 * s - 1;
            OAK_TRY(read_beside(r, leaf, beside, own, &side[s]));
          }
          r->slope[(size_t)d * r->cells + cell_index(r, at)] =
              minmod(own - side[0], side[1] - own) / h;
        }
  }
  r->slope_leaf = leaf;
  return OAK_OK;
}

/* ---- a block */

/** Whether the cells of the wanted block are made of whole cells of the leaf: then slopes do not
 * matter. */
static int is_nested(const oak_remap_t *r, int leaf) {
  for (int d = 0; d < r->view->dim; d++) {
    double h;
    const double low = leaf_origin(r->view, leaf, d, &h), dx = r->block->dx[d];
    const double ratio = dx / h, shift = (r->block->origin[d] - low) / h;
    if (fabs(ratio - rint(ratio)) > 1e-9 * ratio || ratio < 0.75) return 0;
    if (fabs(shift - rint(shift)) > 1e-9 * (1 + fabs(shift))) return 0;
  }
  return 1;
}

/** Add what overlaps with one leaf. */
static oak_status_t add_leaf(oak_remap_t *r, int leaf) {
  static _Thread_local overlap_t list[3][MOST_OVERLAPS];
  const int sloping = r->kind == OAK_REMAP_SLOPES && !is_nested(r, leaf), *n = r->block->n;
  const double *value, *mask = NULL;
  int count[3];
  for (int d = 0; d < 3; d++) count[d] = list_overlaps(r, leaf, d, list[d]);
  if (sloping) OAK_TRY(find_slopes(r, leaf));
  if (mask_of(r) >= 0) OAK_TRY(read_block(r, &r->masks, mask_of(r), leaf, &mask));
  OAK_TRY(read_block(r, &r->values, r->variable, leaf, &value));
  for (int k = 0; k < count[2]; k++)
    for (int j = 0; j < count[1]; j++)
      for (int i = 0; i < count[0]; i++) {
        const overlap_t o[3] = {list[0][i], list[1][j], list[2][k]};
        const size_t from = cell_index(r, (int[3]){o[0].from, o[1].from, o[2].from});
        const size_t to = (size_t)((o[2].to * n[1] + o[1].to) * n[0] + o[0].to);
        const double volume = o[0].volume * o[1].volume * o[2].volume;
        double mean = value[from];
        if ((mask && mask[from] >= 0.5) != (r->kind == OAK_REMAP_SOLIDS)) continue;
        for (int d = 0; d < r->view->dim && sloping; d++)
          mean += r->slope[(size_t)d * r->cells + from] * o[d].offset;
        /* A cell that overlaps with one other cell gets exactly its value. */
        r->sum[to] = r->volume[to] > 0
                         ? r->sum[to] + (mean - r->sum[to]) * volume / (r->volume[to] + volume)
                         : mean;
        r->volume[to] += volume;
      }
  return OAK_OK;
}

/** Whether cells of a leaf are smaller than those of the wanted block. */
static oak_status_t look_at_leaf(oak_remap_t *r, int leaf) {
  r->finer |= oak_view_cell_size(r->view, r->view->level[leaf], 0) < 0.75 * r->block->dx[0];
  return OAK_OK;
}

/** Call \a take for all leaves in a node of the source's tree that overlap with the block. */
static oak_status_t visit(oak_remap_t *r, int level, const int64_t index[3],
                          oak_status_t (*take)(oak_remap_t *, int)) {
  const int finest = r->view->max_level;
  int64_t at[3] = {0, 0, 0};
  for (int d = 0; d < r->view->dim; d++) {
    const double h = oak_view_cell_size(r->view, level, d);
    const double low = oak_view_end(r->view, d, 0) + (double)index[d] * r->view->block_size[d] * h;
    const double high = low + r->view->block_size[d] * h, slack = 1e-9 * fmin(h, r->block->dx[d]);
    if (high < r->block->origin[d] + slack) return OAK_OK;
    if (low > r->block->origin[d] + r->block->n[d] * r->block->dx[d] - slack) return OAK_OK;
    at[d] = index[d] << (finest - level);
  }
  const int leaf = oak_locate(r->locator, finest, at);
  OAK_CHECK(leaf >= 0, OAK_ERR_STATE, "a mesh has no block at a place in its domain");
  if (r->view->level[leaf] <= level) return take(r, leaf);
  for (int child = 0; child < 1 << r->view->dim; child++) {
    int64_t part[3] = {0, 0, 0};
    for (int d = 0; d < r->view->dim; d++) part[d] = 2 * index[d] + (child >> d & 1);
    OAK_TRY(visit(r, level + 1, part, take));
  }
  return OAK_OK;
}

/** The same for all trees that the block touches. */
static oak_status_t visit_trees(oak_remap_t *r, oak_status_t (*take)(oak_remap_t *, int)) {
  int64_t first[3] = {0, 0, 0}, last[3] = {0, 0, 0}, index[3];
  for (int d = 0; d < r->view->dim; d++) {
    const double tree = oak_view_cell_size(r->view, 0, d) * r->view->block_size[d];
    const double low = (r->block->origin[d] - oak_view_end(r->view, d, 0)) / tree;
    first[d] = (int64_t)fmax(0, floor(low - 1e-9));
    last[d] = (int64_t)fmin(r->view->trees[d] - 1,
                            floor(low + r->block->n[d] * r->block->dx[d] / tree + 1e-9));
  }
  for (index[2] = first[2]; index[2] <= last[2]; index[2]++)
    for (index[1] = first[1]; index[1] <= last[1]; index[1]++)
      for (index[0] = first[0]; index[0] <= last[0]; index[0]++) OAK_TRY(visit(r, 0, index, take));
  return OAK_OK;
}

int oak_remap_is_finer(oak_remap_t *r, const oak_remap_block_t *block) {
  r->block = block;
  r->finer = 0;
  return visit_trees(r, look_at_leaf) == OAK_OK && r->finer;
}

static oak_status_t make_room(oak_remap_t *r, size_t cells) {
  if (cells <= r->room) return OAK_OK;
  free(r->sum);
  free(r->volume);
  r->sum = malloc(cells * sizeof *r->sum);
  r->volume = malloc(cells * sizeof *r->volume);
  r->room = r->sum && r->volume ? cells : 0;
  OAK_CHECK(r->room, OAK_ERR_MEMORY, "no memory for a block of %zu cells", cells);
  return OAK_OK;
}

static void forget_values(oak_remap_t *r) {
  for (int i = 0; i < KEPT; i++) r->values.leaf[i] = -1;
  r->slope_leaf = -1;
}

oak_status_t oak_remap_read(oak_remap_t *r, int var, const oak_remap_block_t *block,
                            oak_remap_kind_t kind, double *out) {
  const size_t cells = (size_t)oak_shape_cells(block->n);
  OAK_TRY(make_room(r, cells));
  if (r->variable != var) forget_values(r);
  r->variable = var;
  r->block = block;
  r->kind = kind;
  memset(r->volume, 0, cells * sizeof *r->volume);
  OAK_TRY(visit_trees(r, add_leaf));
  for (size_t c = 0; c < cells; c++)
    if (r->volume[c] > 0) out[c] = r->sum[c];
  return OAK_OK;
}

oak_status_t oak_remap_new(const oak_grid_view_t *source, const char *file, oak_remap_t **out) {
  OAK_TRY(OAK_NEW(*out, 1));
  oak_remap_t *r = *out;
  r->view = source;
  r->file = file;
  r->variable = -1;
  r->cells = oak_view_block_cells(source);
  OAK_TRY(OAK_NEW(r->slope, 3 * r->cells));
  OAK_TRY(OAK_NEW(r->values.value, KEPT * r->cells));
  OAK_TRY(OAK_NEW(r->masks.value, source->has_mask ? KEPT * r->cells : 1));
  forget_values(r);
  for (int i = 0; i < KEPT; i++) r->masks.leaf[i] = -1;
  return oak_locator_new(source, &r->locator);
}

void oak_remap_destroy(oak_remap_t **remap) {
  oak_remap_t *r = *remap;
  if (!r) return;
  oak_locator_destroy(&r->locator);
  free(r->values.value);
  free(r->masks.value);
  free(r->slope);
  free(r->sum);
  free(r->volume);
  free(r);
  *remap = NULL;
}
