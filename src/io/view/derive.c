/* SPDX-License-Identifier: GPL-2.0-or-later
 * Views whose one variable is computed from those of another view.
 *
 * The values are kept in memory: differences need the neighbours of each block, and these are in
 * other boxes of a plotfile. */
#include "derive.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/geometry.h"
#include "io/files/file_tools.h"
#include "grid_view.h"

static const double SCHLIEREN_STRENGTH = 6;

/** One variable of a view, with all values in memory. */
typedef struct {
  const oak_grid_view_t *view;
  oak_locator_t *locator;
  double *value; /**< [nblock][N^dim] */
  size_t ncell;
} values_t;

struct oak_derived {
  oak_grid_view_t view;
  const oak_grid_view_t *base;
  oak_derive_t what;
  values_t values, other;
  char *name;
  const char *names[1], *units[1];
  double largest; /**< gradient */
};

/* ---- values ---- */

static oak_status_t load(const oak_grid_view_t *view, int var, values_t *out) {
  *out = (values_t){.view = view, .ncell = oak_view_block_cells(view)};
  OAK_TRY(oak_locator_new(view, &out->locator));
  OAK_TRY(OAK_NEW(out->value, (size_t)view->nblock * out->ncell));
  if (!view->has_mask) return view->read(view, var, 0, view->nblock, out->value);
  for (int b = 0; b < view->nblock; b++)
    OAK_TRY(oak_view_read_fluid(view, var, 1, &b, NAN, out->value + (size_t)b * out->ncell));
  return OAK_OK;
}

static void unload(values_t *values) {
  oak_locator_destroy(&values->locator);
  free(values->value);
}

/** Value at the cell \a cell of \a level, anywhere in the domain: that of the cell, that of a
 * coarser cell around it, or the average of the finer cells in it. \param [out] coarser by how many
 * levels the cell found is coarser; may be NULL. */
static double value_at(const values_t *values, int level, const int64_t cell[3], int *coarser) {
  const oak_grid_view_t *view = values->view;
  const int *n = view->block_size;
  int64_t at[3] = {0, 0, 0};
  for (int d = 0; d < view->dim; d++) at[d] = cell[d] / n[d];
  /* oak_locate() needs a place at a level that is at least the finest one of the view. */
  const int finest = level > view->max_level ? level : view->max_level;
  for (int d = 0; d < view->dim; d++) at[d] <<= finest - level;
  const int b = oak_locate(values->locator, finest, at);
  if (b < 0) return NAN;
  const int found = view->level[b];
  if (coarser) *coarser = found < level ? level - found : 0;
  if (found > level) {
    double sum = 0, volume = 0;
    for (int c = 0; c < 1 << view->dim; c++) {
      int64_t child[3];
      for (int d = 0; d < 3; d++) child[d] = 2 * cell[d] + (c >> d & 1);
      const double weight = oak_view_volume(view, level + 1, child);
      sum += weight * value_at(values, level + 1, child, NULL);
      volume += weight;
    }
    return sum / volume;
  }
  size_t place = 0, stride = 1;
  for (int d = 0; d < view->dim; d++) {
    const int64_t i = (cell[d] >> (level - found)) - (int64_t)view->index[b][d] * n[d];
    place += (size_t)i * stride;
    stride *= (size_t)n[d];
  }
  return values->value[(size_t)b * values->ncell + place];
}

/* ---- gradients ---- */

/** Value and distance, in cells, of the neighbour of a cell in direction \a step along \a d. At the
 * end of the domain and beside a solid it is the cell itself. */
static double neighbour(const values_t *values, int b, const int cell[3], int d, int step,
                        double *distance) {
  const oak_grid_view_t *view = values->view;
  const int *n = view->block_size, next = cell[d] + step, stride[3] = {1, n[0], n[0] * n[1]};
  const double *own = values->value + (size_t)b * values->ncell + cell[0] + cell[1] * stride[1] +
                      cell[2] * stride[2];
  double value = *own;
  int64_t at[3] = {0, 0, 0};
  int coarser = 0;
  for (int e = 0; e < view->dim; e++) at[e] = (int64_t)view->index[b][e] * n[e] + cell[e];
  at[d] += step;
  *distance = 1;
  if (next >= 0 && next < n[d]) {
    value = own[step * stride[d]];
  } else if (at[d] < 0 || at[d] >= ((int64_t)view->trees[d] * n[d]) << view->level[b]) {
    *distance = 0;
  } else {
    value = value_at(values, view->level[b], at, &coarser);
    *distance = 0.5 + 0.5 * (double)(1 << coarser);
  }
  if (!view->has_mask || !isnan(value)) return value;
  *distance = 0;
  return *own;
}

/** The true size of a cell along \a d, through its middle. */
static double length_of(const oak_grid_view_t *view, int b, const int cell[3], int d) {
  double middle[3] = {0, 0, 0};
  for (int e = 0; e < view->dim; e++)
    middle[e] = oak_view_coordinate(
        view, view->level[b], e, (double)view->index[b][e] * view->block_size[e] + cell[e] + 0.5);
  return oak_view_cell_size(view, view->level[b], d) *
         oak_geometry_length(view->coordinates, view->logarithmic, view->dim, middle, d);
}

static void add_gradient(const values_t *values, int b, double *dst) {
  const oak_grid_view_t *view = values->view;
  const int *n = view->block_size;
  for (int c = 0; c < (int)values->ncell; c++) {
    const int cell[3] = {c % n[0], c / n[0] % n[1], c / n[0] / n[1]};
    double sum = 0;
    for (int d = 0; d < view->dim; d++) {
      double above, below;
      const double high = neighbour(values, b, cell, d, 1, &above);
      const double low = neighbour(values, b, cell, d, -1, &below);
      const double width = (above + below) * length_of(view, b, cell, d);
      const double slope = width > 0 ? (high - low) / width : 0;
      sum += slope * slope;
    }
    dst[c] = sqrt(sum);
  }
}

static oak_status_t find_largest(oak_derived_t *derived) {
  OAK_FREED double *block = NULL;
  OAK_TRY(OAK_NEW(block, derived->values.ncell));
  for (int b = 0; b < derived->view.nblock; b++) {
    add_gradient(&derived->values, b, block);
    for (size_t c = 0; c < derived->values.ncell; c++)
      if (isfinite(block[c])) derived->largest = fmax(derived->largest, block[c]);
  }
  return OAK_OK;
}

/* ---- differences ---- */

static void subtract(const oak_derived_t *derived, int b, double *dst) {
  const oak_grid_view_t *view = &derived->view;
  const int *n = view->block_size;
  for (int c = 0; c < (int)derived->values.ncell; c++) {
    const int64_t cell[3] = {(int64_t)view->index[b][0] * n[0] + c % n[0],
                             (int64_t)view->index[b][1] * n[1] + c / n[0] % n[1],
                             (int64_t)view->index[b][2] * n[2] + c / n[0] / n[1]};
    dst[c] = derived->values.value[(size_t)b * derived->values.ncell + (size_t)c] -
             value_at(&derived->other, view->level[b], cell, NULL);
  }
}

static oak_status_t check_other(const oak_grid_view_t *view, const oak_grid_view_t *other) {
  int same = view->dim == other->dim && view->logarithmic == other->logarithmic;
  for (int d = 0; d < view->dim; d++)
    same = same && view->block_size[d] == other->block_size[d] &&
           view->trees[d] == other->trees[d] && view->xmin[d] == other->xmin[d] &&
           view->xmax[d] == other->xmax[d];
  OAK_CHECK(same, OAK_ERR_UNSUPPORTED,
            "the two plotfiles have other domains or blocks; take them from the same run");
  return OAK_OK;
}

/* ---- the view ---- */

static oak_status_t read_derived(const oak_grid_view_t *view, int var, int b0, int n, double *dst) {
  const oak_derived_t *derived = view->owner;
  if (var == view->mask) return derived->base->read(derived->base, derived->base->mask, b0, n, dst);
  for (int b = b0; b < b0 + n; b++, dst += derived->values.ncell) {
    if (derived->what == OAK_DERIVE_DIFFERENCE)
      subtract(derived, b, dst);
    else
      add_gradient(&derived->values, b, dst);
    for (size_t c = 0; derived->what == OAK_DERIVE_SCHLIEREN && c < derived->values.ncell; c++)
      dst[c] = derived->largest > 0 ? exp(-SCHLIEREN_STRENGTH * dst[c] / derived->largest) : 1;
  }
  return OAK_OK;
}

static oak_status_t fill(oak_derived_t *derived, const oak_grid_view_t *view, int var,
                         const oak_grid_view_t *other, int other_var) {
  static const char *const name[] = {"gradient of %s", "schlieren of %s"};
  derived->view = *view;
  derived->base = view;
  derived->view.nvar = 1;
  derived->view.has_mask = view->has_mask && var != view->mask;
  derived->view.mask = 1;
  derived->view.name = derived->names;
  derived->view.read = read_derived;
  derived->view.read_list = NULL;
  derived->view.read_ghosts = NULL;
  derived->view.owner = derived;
  OAK_TRY(load(view, var, &derived->values));
  if (derived->what == OAK_DERIVE_DIFFERENCE) {
    OAK_TRY(check_other(view, other));
    OAK_TRY(load(other, other_var, &derived->other));
    derived->name = oak_text_new("%s minus that of t = %.4g", view->name[var], other->time);
  } else {
    derived->name = oak_text_new(name[derived->what == OAK_DERIVE_SCHLIEREN], view->name[var]);
    OAK_TRY(find_largest(derived));
  }
  OAK_CHECK(derived->name, OAK_ERR_MEMORY, "no memory for the name of a variable");
  derived->names[0] = derived->name;
  derived->units[0] = derived->what == OAK_DERIVE_DIFFERENCE ? oak_view_unit(view, var) : "";
  derived->view.unit = derived->units;
  return OAK_OK;
}

oak_status_t oak_derive(const oak_grid_view_t *view, int var, oak_derive_t what,
                        const oak_grid_view_t *other, int other_var, oak_derived_t **out) {
  OAK_TRY(OAK_NEW(*out, 1));
  oak_derived_t *derived = *out;
  derived->what = what;
  const oak_status_t st = fill(derived, view, var, other, other_var);
  if (st != OAK_OK) oak_derived_destroy(out);
  return st;
}

void oak_derived_destroy(oak_derived_t **derived) {
  if (*derived) {
    unload(&(*derived)->values);
    unload(&(*derived)->other);
    free((*derived)->name);
  }
  free(*derived);
  *derived = NULL;
}

const oak_grid_view_t *oak_derived_view(const oak_derived_t *derived) { return &derived->view; }
