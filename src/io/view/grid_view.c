/* SPDX-License-Identifier: GPL-2.0-or-later
 * What all output formats ask of a grid view before they write it. */
#include "grid_view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *oak_view_file_name(const char *name, char out[OAK_VIEW_NAME]) {
  const size_t length = strlen(name);
  const int part = length > 2 && name[length - 2] == '_' && strchr("xyz", name[length - 1]);
  snprintf(out, OAK_VIEW_NAME, "%.*s%s", (int)length - (part ? 2 : 0), name,
           part ? name + length - 1 : "");
  return out;
}

int oak_view_find(const oak_grid_view_t *view, const char *name) {
  for (int pass = 0; pass < 3; pass++)
    for (int v = 0; v < view->nvar; v++) {
      char file[OAK_VIEW_NAME];
      const int same = pass == 0   ? !strcmp(name, view->name[v])
                       : pass == 1 ? oak_component_same(view->coordinates, name, view->name[v])
                                   : !strcmp(name, oak_view_file_name(view->name[v], file)) ||
                                         !strcmp(oak_view_file_name(name, file), view->name[v]);
      if (same) return v;
    }
  return -1;
}

static oak_status_t check_name(const oak_grid_view_t *view, int v) {
  const char *name = view->name[v];
  const size_t length = strlen(name);
  OAK_CHECK(length > 0 && strcspn(name, " \t\r\n") == length, OAK_ERR_ARGUMENT,
            "output variable %d is called '%s'; a name has no blanks and is not empty", v, name);
  OAK_CHECK(strcspn(name, "<>&'\"/") == length, OAK_ERR_ARGUMENT,
            "output variable %d is called %s; a name has none of the characters <>&'\"/", v, name);
  OAK_CHECK(length < OAK_VIEW_NAME, OAK_ERR_ARGUMENT,
            "output variable '%s' has a name of %zu letters; choose at most %d", name, length,
            OAK_VIEW_NAME - 1);
  for (int w = 0; w < v; w++) {
    char one[OAK_VIEW_NAME], other[OAK_VIEW_NAME];
    OAK_CHECK(strcmp(oak_view_file_name(name, one), oak_view_file_name(view->name[w], other)),
              OAK_ERR_ARGUMENT, "two output variables are called '%s'; give each its own name",
              one);
  }
  return OAK_OK;
}

const char *oak_view_axis(const oak_grid_view_t *view, int d) {
  return oak_geometry_axis(view->coordinates, d);
}

const char *oak_view_unit(const oak_grid_view_t *view, int var) {
  return view->unit ? view->unit[var] : "";
}

oak_status_t oak_view_check(const oak_grid_view_t *view, const char *path) {
  OAK_CHECK(path[0], OAK_ERR_ARGUMENT, "the name of an output is empty; give a path");
  OAK_CHECK(view->value_bytes == 4 || view->value_bytes == 8, OAK_ERR_ARGUMENT,
            "%s: %d bytes per value are asked for; single precision has 4, double precision 8",
            path, view->value_bytes);
  OAK_CHECK(view->nvar > 0, OAK_ERR_ARGUMENT, "%s has no variables; choose at least one for output",
            path);
  for (int v = 0; v < view->nvar; v++) OAK_TRY(check_name(view, v));
  return OAK_OK;
}

oak_status_t oak_view_check_cells(const oak_grid_view_t *view, int level, const char *path,
                                  const char *advice) {
  for (int d = 0; d < view->dim; d++) {
    const int64_t n = (int64_t)view->block_size[d] * view->trees[d] << level;
    OAK_CHECK(n <= INT32_MAX, OAK_ERR_ARGUMENT,
              "%s: these files count cells by 32 bits, and level %d has %lld along %s, more than "
              "%d: %s",
              path, level, (long long)n, oak_view_axis(view, d), INT32_MAX, advice);
  }
  return OAK_OK;
}

int oak_view_touches(const oak_grid_view_t *view, const double (*region)[3], int level,
                     const int32_t index[3]) {
  const double rounding = 1e-9; /* of a block */
  for (int d = 0; d < view->dim; d++) {
    const double n = view->block_size[d];
    const double low = oak_view_cells_to(view, level, d, region[0][d]) / n - index[d];
    const double high = oak_view_cells_to(view, level, d, region[1][d]) / n - index[d];
    if (high <= rounding || low >= 1 - rounding) return 0;
  }
  return 1;
}

int oak_view_wants_node(const oak_grid_view_t *view, int level, const int32_t index[3]) {
  if (!view->region || level == 0) return 1;
  const int32_t parent[3] = {index[0] >> 1, index[1] >> 1, index[2] >> 1};
  return oak_view_touches(view, view->region, level - 1, parent);
}

int oak_view_layer(const oak_grid_view_t *view, int b, int d, double trees) {
  if (d < 0) return 0;
  const int64_t blocks = (int64_t)view->trees[d] << view->level[b], n = view->block_size[d];
  const double at = ldexp(trees, view->level[b]);
  const int64_t block = (int64_t)fmin(floor(at), (double)(blocks - 1));
  const int64_t layer = (int64_t)floor((at - (double)block) * (double)n);
  return view->index[b][d] != block ? -1 : layer < n ? (int)layer : (int)n - 1;
}

oak_curve_t oak_curve_at(int dim, const int trees[3], int finest, int level,
                         const int32_t index[3]) {
  oak_curve_t at = {0, 0};
  for (int d = dim - 1; d >= 0; d--) {
    at.tree = at.tree * trees[d] + (index[d] >> level);
    for (int bit = 0; bit < level; bit++)
      at.place |= (uint64_t)(index[d] >> bit & 1) << ((bit + finest - level) * dim + d);
  }
  return at;
}

int oak_curve_compare(const oak_curve_t *a, const oak_curve_t *b) {
  if (a->tree != b->tree) return a->tree < b->tree ? -1 : 1;
  return (a->place > b->place) - (a->place < b->place);
}

static int is_logarithmic(const oak_grid_view_t *view, int d) {
  return view->logarithmic && d == 0;
}

double oak_view_end(const oak_grid_view_t *view, int d, int upper) {
  return oak_geometry_to_mesh(is_logarithmic(view, d), upper ? view->xmax[d] : view->xmin[d]);
}

double oak_view_cell_size(const oak_grid_view_t *view, int level, int d) {
  const double cells = (double)view->trees[d] * view->block_size[d];
  return (oak_view_end(view, d, 1) - oak_view_end(view, d, 0)) /
         (cells * (double)(INT64_C(1) << level));
}

double oak_view_coordinate(const oak_grid_view_t *view, int level, int d, double cells) {
  const double way = cells * oak_view_cell_size(view, level, d);
  return is_logarithmic(view, d) ? view->xmin[d] * exp(way) : view->xmin[d] + way;
}

double oak_view_at_part(const oak_grid_view_t *view, int d, double part) {
  const double low = view->xmin[d], high = view->xmax[d];
  return is_logarithmic(view, d) ? low * pow(high / low, part) : low + (high - low) * part;
}

double oak_view_part_to(const oak_grid_view_t *view, int d, double x) {
  const double low = view->xmin[d], high = view->xmax[d];
  return is_logarithmic(view, d) ? log(x / low) / log(high / low) : (x - low) / (high - low);
}

double oak_view_cells_to(const oak_grid_view_t *view, int level, int d, double x) {
  const double way = is_logarithmic(view, d) ? log(x / view->xmin[d]) : x - view->xmin[d];
  return way / oak_view_cell_size(view, level, d);
}

int oak_view_is_bent(const oak_grid_view_t *view) {
  return view->coordinates > OAK_VIEW_AXISYMMETRIC;
}

void oak_view_corners(const oak_grid_view_t *view, int level, const int64_t first[3],
                      const int cells[3], double *point) {
  int at[3];
  double q[3] = {0, 0, 0};
  for (at[2] = 0; at[2] <= (view->dim == 3 ? cells[2] : 0); at[2]++)
    for (at[1] = 0; at[1] <= cells[1]; at[1]++)
      for (at[0] = 0; at[0] <= cells[0]; at[0]++, point += 3) {
        for (int d = 0; d < view->dim; d++)
          q[d] = oak_view_coordinate(view, level, d, (double)(first[d] + at[d]));
        oak_geometry_point(view->coordinates, view->dim, q, point);
      }
}

double oak_view_volume(const oak_grid_view_t *view, int level, const int64_t cell[3]) {
  double low[2], high[2];
  for (int d = 0; d < 2; d++) {
    const double h = oak_view_cell_size(view, level, d);
    low[d] = oak_view_end(view, d, 0) + (double)cell[d] * h;
    high[d] = oak_view_end(view, d, 0) + (double)(cell[d] + 1) * h;
  }
  return oak_geometry_volume(view->coordinates, view->logarithmic, view->dim, low, high);
}

static int is_in_vector(const oak_grid_view_t *view, int var) {
  for (int n = 0; n < 3 * view->nvector; n++)
    if (view->vector[n / 3].var[n % 3] == var) return 1;
  return 0;
}

oak_status_t oak_view_arrays(const oak_grid_view_t *view, int vectors, oak_view_array_t **list,
                             int *count) {
  *count = 0;
  OAK_TRY(OAK_NEW(*list, view->nvar + view->nvector));
  for (int v = 0; v < view->nvar; v++) {
    if (vectors && !view->coordinates && is_in_vector(view, v)) continue;
    oak_view_array_t *array = &(*list)[(*count)++];
    *array = (oak_view_array_t){.unit = oak_view_unit(view, v), .count = 1, .var = {v}};
    if (view->coordinates)
      snprintf(array->name, sizeof array->name, "%s", view->name[v]);
    else
      oak_view_file_name(view->name[v], array->name);
  }
  for (int v = 0; v < view->nvector && vectors; v++) {
    oak_view_array_t *array = &(*list)[(*count)++];
    *array = (oak_view_array_t){.unit = oak_view_unit(view, view->vector[v].var[0]), .count = 3};
    memcpy(array->var, view->vector[v].var, sizeof array->var);
    snprintf(array->name, sizeof array->name, "%s", view->vector[v].name);
  }
  return OAK_OK;
}

void oak_view_pack_row(const oak_grid_view_t *view, const oak_view_array_t *array, int level,
                       const int64_t first[3], int n, const double *src, size_t stride, void *dst) {
  char *to = dst;
  double q[3] = {0, 0, 0};
  if (array->count == 1) {
    oak_view_pack(view, src, (size_t)n, dst);
    return;
  }
  for (int i = 0; i < n; i++, to += 3 * view->value_bytes) {
    double value[3] = {src[i], src[stride + (size_t)i], src[2 * stride + (size_t)i]};
    for (int d = 0; d < view->dim && view->coordinates; d++)
      q[d] = oak_view_coordinate(view, level, d, (double)(first[d] + (d ? 0 : i)) + 0.5);
    oak_geometry_vector(view->coordinates, view->dim, q, value);
    oak_view_pack(view, value, 3, to);
  }
}

void oak_view_pack(const oak_grid_view_t *view, const double *src, size_t n, void *dst) {
  if (view->value_bytes == 8) {
    memcpy(dst, src, n * sizeof *src);
  } else {
    float *single = dst;
    for (size_t i = 0; i < n; i++) single[i] = (float)src[i];
  }
}

size_t oak_view_block_cells(const oak_grid_view_t *view) {
  size_t n = 1;
  for (int d = 0; d < view->dim; d++) n *= (size_t)view->block_size[d];
  return n;
}

int oak_view_batch(const oak_grid_view_t *view) {
  enum { BATCH_BYTES = 4 << 20 };
  const size_t blocks = BATCH_BYTES / (oak_view_block_cells(view) * sizeof(double));
  return blocks < 1 ? 1 : (int)blocks;
}

static oak_status_t read_blocks(const oak_grid_view_t *view, int var, int n, const int *block,
                                double *dst) {
  int run = 1; /* blocks that follow each other are read together */
  while (run < n && block[run] == block[0] + run) run++;
  if (run < n && view->read_list) return view->read_list(view, var, n, block, dst);
  const size_t cells = oak_view_block_cells(view);
  for (int b = 0; b < n; b += run) {
    run = 1;
    while (b + run < n && block[b + run] == block[b] + run) run++;
    OAK_TRY(view->read(view, var, block[b], run, dst + (size_t)b * cells));
  }
  return OAK_OK;
}

oak_status_t oak_view_read_fluid(const oak_grid_view_t *view, int var, int n, const int *block,
                                 double solid, double *dst) {
  const size_t count = (size_t)n * oak_view_block_cells(view);
  OAK_TRY(read_blocks(view, var, n, block, dst));
  if (!view->has_mask || var == view->mask) return OAK_OK;
  OAK_FREED double *mask = NULL;
  OAK_TRY(OAK_NEW(mask, count));
  const oak_status_t st = read_blocks(view, view->mask, n, block, mask);
  for (size_t c = 0; c < count && st == OAK_OK; c++) {
    if (dst[c] == solid) dst[c] = NAN;
    if (mask[c] >= 0.5 && (mask[c] < 1.5 || view->no_dielectrics)) dst[c] = solid;
  }
  return st;
}

oak_status_t oak_view_take(const oak_grid_view_t *view, size_t bytes, void *out) {
  void *memory = calloc(1, bytes);
  memcpy(out, &memory, sizeof memory);
  if (!memory && view->release) view->release(view->owner);
  return memory ? OAK_OK : oak_no_memory(1, bytes, __FILE__, __LINE__);
}

oak_status_t oak_view_visit(const oak_grid_view_t *view, int var, double solid,
                            oak_block_wanted_t wanted, oak_block_visit_t visit, void *context) {
  const int most = oak_view_batch(view);
  const size_t ncell = oak_view_block_cells(view);
  OAK_FREED double *cells = NULL;
  OAK_FREED int *block = NULL;
  for (int b = 0; b < view->nblock;) {
    int n = 0;
    if (!cells) OAK_TRY(OAK_NEW(cells, (size_t)most * ncell));
    if (!block) OAK_TRY(OAK_NEW(block, most));
    for (; b < view->nblock && n < most; b++)
      if (!wanted || wanted(context, b)) block[n++] = b;
    if (n > 0) OAK_TRY(oak_view_read_fluid(view, var, n, block, solid, cells));
    for (int i = 0; i < n; i++) visit(context, block[i], cells + (size_t)i * ncell);
  }
  return OAK_OK;
}
