/* SPDX-License-Identifier: GPL-2.0-or-later
 * Projections of 3D: for each pixel the highest value, the mean or the integral along an axis.
 *
 * Sums are fixed-point integers relative to the largest value, so the pixels are the same for any
 * number of ranks. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "picture_parts.h"

enum {
  DEPTH_ONE = 1024 /* weight of a whole cell of the finest level along the axis */
};

struct oak_projection {
  const oak_scene_t *scene;
  double largest, unit; /* largest absolute value; value of 1 in the sums */
  double *highest;      /* [height][width]; INFINITY: a value that is not finite */
  int64_t *sum, *weight;
  double solid; /* value of cells of solids; NAN: there are none */
  /* What a column of cells of one block, along the axis of the projection, adds to a pixel. The
   * weight is in cells of the finest level, times DEPTH_ONE. */
  double *column_highest, *column_sum;
  int64_t *column_weight;
};

static void visit_largest(void *context, int b, const double *cells) {
  enum { PARTS = 8 /* maxima at a time; one alone is slower */ };
  oak_projection_t *p = context;
  const int64_t n = (int64_t)oak_view_block_cells(p->scene->view); /* a multiple of PARTS */
  double part[PARTS] = {0};
  (void)b;
  for (int64_t c = 0; c < n; c += PARTS)
    for (int s = 0; s < PARTS; s++) {
      const double size = fabs(cells[c + s]);
      const double finite = size <= DBL_MAX ? size : 0;
      part[s] = finite > part[s] ? finite : part[s];
    }
  for (int s = 0; s < PARTS; s++) p->largest = fmax(p->largest, part[s]);
}

static int wanted(const void *context, int b) {
  const oak_scene_t *scene = ((const oak_projection_t *)context)->scene;
  return oak_is_shown(scene, b, scene->normal) && oak_in_frame(scene, b);
}

/** round(x) for |x| < 2^51, without a call: to the nearest integer, halves away from zero. */
static double round_small(double x) {
  static const double SHIFT = 0x1.8p52;
  const double even = (x + SHIFT) - SHIFT, rest = x - even; /* halves went to the even integer */
  return even + (rest == 0.5 && x > 0 ? 1 : 0) - (rest == -0.5 && x < 0 ? 1 : 0);
}

/** Add a layer of the row of columns from \a first on. \a share: the weight of the layer in sums.
 * All terms are integers, and their sum is below 2^53. With \a cut the weight is no integer, so the
 * terms are rounded. */
static void add_layer(const oak_projection_t *p, size_t first, const double *line, size_t stride,
                      double share, int cut) {
  const size_t n = (size_t)p->scene->view->block_size[p->scene->axis[0]];
  const double unit = p->unit, solid = p->solid;
  double *highest = p->column_highest + first, *sum = p->column_sum + first;
  for (size_t i = 0; i < n; i++) {
    const double value = line[i * stride];
    const double seen = fabs(value) <= DBL_MAX || value == solid ? value : INFINITY;
    highest[i] = highest[i] > seen ? highest[i] : seen;
  }
  if (!p->sum) return;
  for (size_t i = 0; i < n; i++) {
    const double value = line[i * stride];
    const double count = fabs(value) <= DBL_MAX ? round_small(value / unit) : 0;
    sum[i] += cut ? round(share * count) : share * count;
  }
  for (size_t i = 0; i < n && p->scene->options->show == OAK_SHOW_MEAN; i++)
    if (line[i * stride] == solid) p->column_weight[first + i] -= llround(share * DEPTH_ONE);
}

/** Find what the columns of block \a b add. */
static void add_columns(const oak_projection_t *p, int b, const double *cells) {
  const oak_scene_t *scene = p->scene;
  const int *size = scene->view->block_size;
  const size_t stride[3] = {1, (size_t)size[0], (size_t)size[0] * (size_t)size[1]};
  const size_t ni = (size_t)size[scene->axis[0]], nj = (size_t)size[scene->axis[1]];
  const double depth = (double)(INT64_C(1) << (scene->view->max_level - scene->view->level[b]));
  int64_t weight = 0;
  for (int k = 0; k < size[scene->normal]; k++)
    weight += llround(depth * oak_shown_share(scene, b, scene->normal, k) * DEPTH_ONE);
  for (size_t c = 0; c < ni * nj; c++) {
    p->column_highest[c] = -INFINITY;
    p->column_sum[c] = 0;
    p->column_weight[c] = weight;
  }
  for (size_t j = 0; j < nj; j++)
    for (int k = 0; k < size[scene->normal]; k++) {
      const double shown = oak_shown_share(scene, b, scene->normal, k);
      if (shown > 0)
        add_layer(p, j * ni, cells + j * stride[scene->axis[1]] + (size_t)k * stride[scene->normal],
                  stride[scene->axis[0]], depth * shown, shown < 1);
    }
}

/** Add a column to its share of a pixel. */
static void add_column(void *context, int x, int y, int cell, int64_t share) {
  oak_projection_t *p = context;
  const size_t pixel = (size_t)y * (size_t)p->scene->width + (size_t)x;
  p->highest[pixel] = fmax(p->highest[pixel], p->column_highest[cell]);
  if (!p->sum) return;
  p->sum[pixel] += share * (int64_t)p->column_sum[cell];
  p->weight[pixel] += share * p->column_weight[cell];
}

static void visit_draw(void *context, int b, const double *cells) {
  oak_projection_t *p = context;
  add_columns(p, b, cells);
  oak_scene_cover(p->scene, b, 0, p->scene->height, add_column, p);
}

/* ---- the picture */

/** Choose the unit of the sums: a pixel that is full of the largest value does not overflow. */
static void set_unit(oak_projection_t *p) {
  const oak_scene_t *scene = p->scene;
  const double depth = (double)oak_blocks_along(scene, scene->normal, scene->view->max_level) *
                       scene->view->block_size[scene->normal];
  const double most = depth * 4.0 * OAK_PIXEL_ONE * OAK_PIXEL_ONE;
  const int bits = 62 - (int)ceil(log2(most));
  p->unit = p->largest > 0 ? ldexp(p->largest, -(bits < 1 ? 1 : bits)) : 1;
  if (!(p->unit > 0)) p->unit = 1;
}

static oak_status_t allocate(oak_projection_t *p, int sums) {
  const oak_scene_t *scene = p->scene;
  const size_t n = (size_t)scene->width * (size_t)scene->height;
  const int *size = scene->view->block_size;
  const size_t columns = (size_t)size[scene->axis[0]] * (size_t)size[scene->axis[1]];
  OAK_TRY(OAK_NEW(p->column_highest, columns));
  OAK_TRY(OAK_NEW(p->column_sum, columns));
  OAK_TRY(OAK_NEW(p->column_weight, columns));
  p->solid = scene->view->has_mask ? -INFINITY : NAN;
  OAK_TRY(OAK_NEW(p->highest, n));
  for (size_t i = 0; i < n; i++) p->highest[i] = -INFINITY;
  if (sums) OAK_TRY(OAK_NEW(p->sum, n));
  if (sums) OAK_TRY(OAK_NEW(p->weight, n));
  return OAK_OK;
}

oak_status_t oak_projection_new(const oak_scene_t *scene, oak_projection_t **out) {
  OAK_TRY(OAK_NEW(*out, 1));
  oak_projection_t *p = *out;
  p->scene = scene;
  const oak_status_t st = allocate(p, scene->options->show != OAK_SHOW_MAXIMUM);
  if (st != OAK_OK) oak_projection_free(out);
  return st;
}

void oak_projection_free(oak_projection_t **projection) {
  oak_projection_t *p = *projection;
  if (!p) return;
  free(p->column_highest);
  free(p->column_sum);
  free(p->column_weight);
  free(p->highest);
  free(p->sum);
  free(p->weight);
  free(p);
  *projection = NULL;
}

oak_status_t oak_projection_scan(oak_projection_t *p) {
  return oak_scene_visit(p->scene, wanted, visit_largest, p);
}

void oak_projection_scale(oak_projection_t *p) {
  MPI_Allreduce(MPI_IN_PLACE, &p->largest, 1, MPI_DOUBLE, MPI_MAX, p->scene->view->comm);
  set_unit(p);
}

oak_status_t oak_projection_add(oak_projection_t *p) {
  return oak_scene_visit(p->scene, wanted, visit_draw, p);
}

/** Add the pixels of all ranks on rank 0, in parts whose number fits an int. Collective. */
static void reduce(void *data, size_t size, MPI_Datatype type, MPI_Op op, const oak_scene_t *scene,
                   int rank) {
  char *at = data;
  for (int row = 0; row < scene->height; row++, at += size * (size_t)scene->width)
    MPI_Reduce(rank == 0 ? MPI_IN_PLACE : at, at, scene->width, type, op, 0, scene->view->comm);
}

void oak_projection_reduce(oak_projection_t *p) {
  int rank;
  MPI_Comm_rank(p->scene->view->comm, &rank);
  reduce(p->highest, sizeof *p->highest, MPI_DOUBLE, MPI_MAX, p->scene, rank);
  if (!p->sum) return;
  reduce(p->sum, sizeof *p->sum, MPI_INT64_T, MPI_SUM, p->scene, rank);
  reduce(p->weight, sizeof *p->weight, MPI_INT64_T, MPI_SUM, p->scene, rank);
}

const double *oak_projection_field(oak_projection_t *p) {
  const oak_scene_t *scene = p->scene;
  const double length = scene->to[scene->normal] - scene->from[scene->normal];
  const int column = scene->options->show == OAK_SHOW_COLUMN;
  double *field = p->highest; /* the sums replace it pixel by pixel */
  for (size_t i = 0; p->sum && i < (size_t)scene->width * (size_t)scene->height; i++)
    if (p->weight[i] > 0 && isfinite(p->highest[i]))
      field[i] =
          (double)p->sum[i] / (double)p->weight[i] * DEPTH_ONE * p->unit * (column ? length : 1);
    else if (p->highest[i] != -INFINITY)
      field[i] = NAN;
  return field;
}
