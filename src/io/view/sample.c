/* SPDX-License-Identifier: GPL-2.0-or-later
 * Values along lines and in planes of a grid view. */
#include "sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int64_t MOST_POINTS = INT64_C(1) << 28;

/* ---- tables ---- */

void oak_table_free(oak_table_t *table) {
  for (int c = 0; table->name && c < table->ncol; c++) free(table->name[c]);
  free(table->name);
  free(table->value);
  *table = (oak_table_t){0};
}

static int compare_numbers(const void *a, const void *b) {
  const double p = *(const double *)a, q = *(const double *)b;
  return p < q ? -1 : p > q;
}

void oak_table_sort(oak_table_t *table) {
  if (table->nrow > 0)
    qsort(table->value, (size_t)table->nrow, (size_t)table->ncol * sizeof(double), compare_numbers);
}

/** An empty table with the columns \a first [nfirst] and those of the variables. */
static oak_status_t begin_table(const oak_grid_view_t *view, const char *const *first, int nfirst,
                                const int *var, int nvar, oak_table_t *out) {
  *out = (oak_table_t){.ncol = nfirst + nvar};
  out->name = calloc((size_t)out->ncol, sizeof *out->name);
  int ok = out->name != NULL;
  for (int c = 0; ok && c < out->ncol; c++) {
    out->name[c] = strdup(c < nfirst ? first[c] : view->name[var[c - nfirst]]);
    ok = out->name[c] != NULL;
  }
  OAK_CHECK(ok, OAK_ERR_MEMORY, "no memory for a table of %d columns", nfirst + nvar);
  return OAK_OK;
}

/* ---- single cells ---- */

typedef struct {
  const oak_pick_t *pick;
  int64_t npick, width;
  double *out;
} picks_t;

/** The first cell of a block, or else of a later one. */
static int64_t first_pick(const picks_t *picks, int b) {
  int64_t low = 0, high = picks->npick;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (picks->pick[middle].block < b)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static int is_picked(const void *context, int b) {
  const picks_t *picks = context;
  const int64_t at = first_pick(picks, b);
  return at < picks->npick && picks->pick[at].block == b;
}

static void take_cells(void *context, int b, const double *cells) {
  const picks_t *picks = context;
  for (int64_t i = first_pick(picks, b); i < picks->npick && picks->pick[i].block == b; i++)
    picks->out[picks->pick[i].row * picks->width] = cells[picks->pick[i].cell];
}

oak_status_t oak_view_pick(const oak_grid_view_t *view, const oak_pick_t *pick, int64_t npick,
                           const int *var, int nvar, double *out, int64_t width) {
  for (int v = 0; v < nvar; v++) {
    picks_t picks = {pick, npick, width, out + v};
    OAK_TRY(oak_view_visit(view, var[v], NAN, is_picked, take_cells, &picks));
  }
  return OAK_OK;
}

/* ---- lines ---- */

typedef struct {
  const oak_grid_view_t *view;
  double from[3], to[3], length;
  oak_table_t *table;
  double *cut;      /* where the line crosses faces of the cells of a block */
  oak_pick_t *pick; /* [nrow] the cell of each row */
} line_t;

/** The part of the line, from 0 to 1, that lies in the block: lower faces belong to the block,
 * upper faces only at the end of the domain. \return 0 if there is none. */
static int clip(const line_t *line, int b, double part[2]) {
  const oak_grid_view_t *view = line->view;
  part[0] = 0;
  part[1] = 1;
  for (int d = 0; d < view->dim; d++) {
    const int64_t i = view->index[b][d], blocks = (int64_t)view->trees[d] << view->level[b];
    const double n = view->block_size[d];
    const double low = oak_view_coordinate(view, view->level[b], d, (double)i * n);
    const double high = i + 1 == blocks
                            ? view->xmax[d]
                            : oak_view_coordinate(view, view->level[b], d, (double)(i + 1) * n);
    const double step = line->to[d] - line->from[d];
    if (step == 0) {
      const double x = line->from[d];
      if (x < low || x > high || (x == high && i + 1 < blocks)) return 0;
      continue;
    }
    const double t0 = (low - line->from[d]) / step, t1 = (high - line->from[d]) / step;
    part[0] = fmax(part[0], fmin(t0, t1));
    part[1] = fmin(part[1], fmax(t0, t1));
  }
  return part[1] - part[0] > 1e-12 || line->length == 0;
}

/** Fill line->cut with the ends of the line's parts in the cells of a block. \return how many. */
static int cut_block(const line_t *line, int b, const double part[2]) {
  const oak_grid_view_t *view = line->view;
  int count = 0;
  line->cut[count++] = part[0];
  for (int d = 0; d < view->dim; d++) {
    const double step = line->to[d] - line->from[d];
    const int n = view->block_size[d];
    for (int f = 1; f < n && step != 0; f++) {
      const double x =
          oak_view_coordinate(view, view->level[b], d, (double)view->index[b][d] * n + f);
      const double t = (x - line->from[d]) / step;
      if (t > part[0] && t < part[1]) line->cut[count++] = t;
    }
  }
  line->cut[count++] = part[1];
  qsort(line->cut, (size_t)count, sizeof *line->cut, compare_numbers);
  return count;
}

static oak_status_t add_row(line_t *line, int b, double t) {
  const oak_grid_view_t *view = line->view;
  oak_table_t *table = line->table;
  OAK_TRY(OAK_GROW(line->pick, table->nrow));
  OAK_TRY(oak_grow(&table->value, (size_t)table->nrow, (size_t)table->ncol * sizeof(double),
                   __FILE__, __LINE__));
  oak_pick_t *pick = &line->pick[table->nrow];
  double *row = table->value + table->nrow * table->ncol;
  size_t stride = 1;
  *pick = (oak_pick_t){b, 0, table->nrow++};
  row[0] = t * line->length;
  for (int d = 0; d < view->dim; d++) {
    const double x = line->from[d] + t * (line->to[d] - line->from[d]);
    const int n = view->block_size[d];
    const double at = oak_view_cells_to(view, view->level[b], d, x) - (double)view->index[b][d] * n;
    row[1 + d] = x;
    pick->cell += stride * (size_t)(at < 0 ? 0 : at >= n ? n - 1 : (int)at);
    stride *= (size_t)n;
  }
  row[1 + view->dim] = view->level[b];
  return OAK_OK;
}

/** Add the line's rows, without values of variables. */
static oak_status_t add_rows(line_t *line) {
  double part[2];
  for (int b = 0; b < line->view->nblock; b++) {
    const int ncut = clip(line, b, part) ? cut_block(line, b, part) : 0;
    for (int c = 0; c + 1 < ncut; c++)
      if (line->cut[c + 1] - line->cut[c] > 1e-12 || (line->length == 0 && c == 0))
        OAK_TRY(add_row(line, b, 0.5 * (line->cut[c] + line->cut[c + 1])));
  }
  return OAK_OK;
}

static oak_status_t check_ends(const line_t *line) {
  const oak_grid_view_t *view = line->view;
  for (int end = 0; end < 2; end++)
    for (int d = 0; d < view->dim; d++) {
      const double x = end == 0 ? line->from[d] : line->to[d];
      OAK_CHECK(x >= view->xmin[d] && x <= view->xmax[d], OAK_ERR_ARGUMENT,
                "the line %s at %s = %g, outside the domain; choose %g to %g",
                end == 0 ? "begins" : "ends", oak_view_axis(view, d), x, view->xmin[d],
                view->xmax[d]);
    }
  return OAK_OK;
}

oak_status_t oak_sample_line(const oak_grid_view_t *view, const double from[3], const double to[3],
                             const int *var, int nvar, oak_table_t *out) {
  const char *names[5] = {"s"};
  line_t line = {.view = view, .table = out};
  *out = (oak_table_t){0};
  names[1 + view->dim] = "level";
  for (int d = 0; d < view->dim; d++) {
    names[1 + d] = oak_view_axis(view, d);
    line.from[d] = from[d];
    line.to[d] = to[d];
    line.length += (to[d] - from[d]) * (to[d] - from[d]);
  }
  line.length = sqrt(line.length);
  OAK_TRY(check_ends(&line));
  OAK_TRY(begin_table(view, names, view->dim + 2, var, nvar, out));
  size_t most = 2;
  for (int d = 0; d < view->dim; d++) most += (size_t)view->block_size[d];
  oak_status_t st = OAK_NEW(line.cut, most);
  if (st == OAK_OK) st = add_rows(&line);
  if (st == OAK_OK)
    st =
        oak_view_pick(view, line.pick, out->nrow, var, nvar, out->value + view->dim + 2, out->ncol);
  free(line.cut);
  free(line.pick);
  if (st == OAK_OK) oak_table_sort(out);
  out->shape[0] = out->nrow;
  if (st != OAK_OK) oak_table_free(out);
  return st;
}

/* ---- planes ---- */

typedef struct {
  const oak_grid_view_t *view;
  int normal, axis[2]; /* normal: -1 in 2D */
  double fraction;     /* position of the plane, in trees */
  int level;
  const int *var;
  int nvar;
  oak_table_t *table;
  int column;     /* of the present variable */
  double *weight; /* [rows] volume of the finer cells added up; NULL if there are none */
} plane_t;

/** Volume of a cell of the plane relative to others of the same layer. */
static double weight_of(const plane_t *plane, int b, int64_t i, int64_t j) {
  const oak_grid_view_t *view = plane->view;
  int64_t cell[3] = {0, 0, 0};
  if (!view->coordinates) return 1;
  for (int d = 0; d < view->dim; d++) cell[d] = (int64_t)view->index[b][d] * view->block_size[d];
  cell[plane->axis[0]] += i;
  cell[plane->axis[1]] += j;
  return oak_view_volume(view, view->level[b], cell);
}

static int in_plane(const void *context, int b) {
  const plane_t *plane = context;
  return oak_view_layer(plane->view, b, plane->normal, plane->fraction) >= 0;
}

/** Add the values of a block to the rows. */
static void add_cells(void *context, int b, const double *cells) {
  const plane_t *plane = context;
  const oak_grid_view_t *view = plane->view;
  oak_table_t *table = plane->table;
  const int *size = view->block_size, *axis = plane->axis;
  const int64_t stride[3] = {1, size[0], (int64_t)size[0] * size[1]};
  const int finer = view->level[b] - plane->level, shift = finer > 0 ? finer : -finer;
  if (plane->normal >= 0)
    cells += oak_view_layer(view, b, plane->normal, plane->fraction) * stride[plane->normal];
  const int64_t n[2] = {size[axis[0]], size[axis[1]]}, grow = finer > 0 ? 0 : shift;
  for (int64_t j = 0; j < n[1] << grow; j++)
    for (int64_t i = 0; i < n[0] << grow; i++) {
      const int64_t ci = finer > 0 ? i : i >> shift, cj = finer > 0 ? j : j >> shift;
      int64_t x = view->index[b][axis[0]] * n[0], y = view->index[b][axis[1]] * n[1];
      x = finer > 0 ? (x + i) >> shift : (x << shift) + i;
      y = finer > 0 ? (y + j) >> shift : (y << shift) + j;
      const int64_t row = y * table->shape[1] + x;
      double *to = &table->value[row * table->ncol + plane->column];
      const double value = cells[ci * stride[axis[0]] + cj * stride[axis[1]]];
      if (finer <= 0) {
        *to = value;
      } else if (!view->has_mask || !isnan(value)) { /* an average leaves out solids */
        const double weight = weight_of(plane, b, ci, cj);
        *to = plane->weight[row] == 0 ? weight * value : *to + weight * value;
        plane->weight[row] += weight;
      }
    }
}

static oak_status_t add_variable(plane_t *plane, int v) {
  oak_table_t *table = plane->table;
  plane->column = 2 + v;
  for (int64_t r = 0; r < table->nrow; r++) table->value[r * table->ncol + plane->column] = NAN;
  if (plane->weight) memset(plane->weight, 0, (size_t)table->nrow * sizeof *plane->weight);
  OAK_TRY(oak_view_visit(plane->view, plane->var[v], NAN, in_plane, add_cells, plane));
  for (int64_t r = 0; plane->weight && r < table->nrow; r++)
    if (plane->weight[r] > 0) table->value[r * table->ncol + plane->column] /= plane->weight[r];
  return OAK_OK;
}

static oak_status_t set_plane(plane_t *plane, int axis, double at) {
  const oak_grid_view_t *view = plane->view;
  plane->normal = -1;
  plane->axis[1] = 1;
  if (view->dim == 2) return OAK_OK;
  OAK_CHECK(axis >= 0 && axis < 3, OAK_ERR_ARGUMENT, "plane across axis %d; choose 0 to 2", axis);
  const double low = view->xmin[axis], high = view->xmax[axis];
  OAK_CHECK(at >= low && at <= high, OAK_ERR_ARGUMENT,
            "a plane at %s = %g is outside the domain; choose %g to %g", oak_view_axis(view, axis),
            at, low, high);
  plane->normal = axis;
  plane->axis[0] = axis == 0 ? 1 : 0;
  plane->axis[1] = axis == 2 ? 1 : 2;
  plane->fraction = oak_view_part_to(view, axis, at) * view->trees[axis];
  return OAK_OK;
}

/** Points along both axes of the plane. */
static oak_status_t find_shape(const plane_t *plane, int64_t shape[2]) {
  const oak_grid_view_t *view = plane->view;
  for (int a = 0; a < 2; a++)
    shape[1 - a] = ((int64_t)view->trees[plane->axis[a]] * view->block_size[plane->axis[a]])
                   << plane->level;
  OAK_CHECK(shape[0] <= MOST_POINTS / shape[1], OAK_ERR_ARGUMENT,
            "a plane of %lld x %lld points on level %d is too much; choose a lower level",
            (long long)shape[1], (long long)shape[0], plane->level);
  return OAK_OK;
}

static oak_status_t allocate_plane(plane_t *plane) {
  const oak_grid_view_t *view = plane->view;
  oak_table_t *table = plane->table;
  OAK_TRY(find_shape(plane, table->shape));
  table->nrow = table->shape[0] * table->shape[1];
  OAK_TRY(OAK_NEW(table->value, table->nrow * table->ncol));
  if (plane->level < view->max_level) OAK_TRY(OAK_NEW(plane->weight, table->nrow));
  for (int64_t r = 0; r < table->nrow; r++)
    for (int a = 0; a < 2; a++) {
      const int d = plane->axis[a];
      const int64_t i = a == 0 ? r % table->shape[1] : r / table->shape[1];
      table->value[r * table->ncol + a] =
          oak_view_coordinate(view, plane->level, d, (double)i + 0.5);
    }
  return OAK_OK;
}

oak_status_t oak_sample_plane_check(const oak_grid_view_t *view, int axis, double at, int level) {
  plane_t plane = {.view = view, .level = level};
  int64_t shape[2];
  OAK_CHECK(level >= 0 && level <= 30, OAK_ERR_ARGUMENT, "level %d; choose 0 to 30", level);
  OAK_TRY(set_plane(&plane, axis, at));
  return find_shape(&plane, shape);
}

oak_status_t oak_sample_plane(const oak_grid_view_t *view, int axis, double at, int level,
                              const int *var, int nvar, oak_table_t *out) {
  plane_t plane = {.view = view, .level = level, .var = var, .nvar = nvar, .table = out};
  *out = (oak_table_t){0};
  OAK_TRY(oak_sample_plane_check(view, axis, at, level));
  OAK_TRY(set_plane(&plane, axis, at));
  const char *const names[] = {oak_view_axis(view, plane.axis[0]),
                               oak_view_axis(view, plane.axis[1])};
  oak_status_t st = begin_table(view, names, 2, var, nvar, out);
  if (st == OAK_OK) st = allocate_plane(&plane);
  for (int v = 0; v < nvar && st == OAK_OK; v++) st = add_variable(&plane, v);
  free(plane.weight);
  if (st != OAK_OK) oak_table_free(out);
  return st;
}
