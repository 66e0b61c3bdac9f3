/* SPDX-License-Identifier: GPL-2.0-or-later
 * Projections of 3D: for each pixel the highest value, the mean or the integral along an axis.
 *
 * Sums are fixed-point integers relative to the largest value, so the pixels are the same for any
 * number of ranks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "picture_blocks.h"

enum { DEPTH_ONE = 1024 /* weight of a whole cell of the finest level along the axis */ };

typedef struct {
  const oak_scene_t *scene;
  oak_overlap_t *along[2];
  double largest, unit; /* largest absolute value; value of 1 in the sums */
  double *highest;      /* [height][width]; INFINITY: a value that is not finite */
  int64_t *sum, *weight;
} project_t;

static void visit_largest(void *context, int b, const double *cells) {
  project_t *p = context;
  const int n = p->scene->view->block_size;
  (void)b;
  for (int64_t c = 0; c < (int64_t)n * n * n; c++)
    if (isfinite(cells[c])) p->largest = fmax(p->largest, fabs(cells[c]));
}

static int wanted(const void *context, int b) {
  const oak_scene_t *scene = ((const project_t *)context)->scene;
  int shown = 0;
  for (int k = 0; k < scene->view->block_size && !shown; k++)
    shown = oak_shown_share(scene, b, scene->normal, k) > 0;
  return shown && oak_in_frame(scene, b);
}

/** What a column of cells of a block, along the axis of the projection, adds to a pixel. */
typedef struct {
  double highest;
  int64_t sum, weight; /* weight: in cells of the finest level, times DEPTH_ONE */
} column_t;

static column_t read_column(const project_t *p, int b, const double *cells, size_t stride) {
  const oak_grid_view_t *view = p->scene->view;
  const double depth = (double)(INT64_C(1) << (view->max_level - view->level[b]));
  column_t column = {-INFINITY, 0, 0};
  for (int k = 0; k < view->block_size; k++) {
    const double value = cells[(size_t)k * stride];
    const double share = depth * oak_shown_share(p->scene, b, p->scene->normal, k);
    if (share == 0) continue;
    if (!isfinite(value)) return (column_t){INFINITY, 0, 0};
    column.highest = fmax(column.highest, value);
    if (p->sum) column.sum += llround(share * round(value / p->unit));
    column.weight += llround(share * DEPTH_ONE);
  }
  return column;
}

static void visit_draw(void *context, int b, const double *cells) {
  project_t *p = context;
  const oak_scene_t *scene = p->scene;
  const size_t n = (size_t)scene->view->block_size, stride[3] = {1, n, n * n};
  int count[2];
  for (int a = 0; a < 2; a++)
    count[a] =
        oak_find_overlaps(scene, b, a, 0, a == 0 ? scene->width : scene->height, p->along[a]);
  for (int j = 0; j < count[1]; j++)
    for (int i = 0; i < count[0]; i++) {
      const oak_overlap_t *x = &p->along[0][i], *y = &p->along[1][j];
      const column_t column = read_column(p, b,
                                          cells + (size_t)x->cell * stride[scene->axis[0]] +
                                              (size_t)y->cell * stride[scene->axis[1]],
                                          stride[scene->normal]);
      const size_t pixel = (size_t)y->pixel * (size_t)scene->width + (size_t)x->pixel;
      const int64_t share = (int64_t)x->weight * y->weight;
      p->highest[pixel] = fmax(p->highest[pixel], column.highest);
      if (!p->sum) continue;
      p->sum[pixel] += share * column.sum;
      p->weight[pixel] += share * column.weight;
    }
}

/** Choose the unit of the sums: a pixel that is full of the largest value does not overflow. */
static void set_unit(project_t *p) {
  const oak_scene_t *scene = p->scene;
  const double depth = (double)oak_blocks_along(scene, scene->normal, scene->view->max_level) *
                       scene->view->block_size;
  const double most = depth * 4.0 * OAK_PIXEL_ONE * OAK_PIXEL_ONE;
  const int bits = 62 - (int)ceil(log2(most));
  p->unit = p->largest > 0 ? ldexp(p->largest, -(bits < 1 ? 1 : bits)) : 1;
  if (!(p->unit > 0)) p->unit = 1;
}

static oak_status_t allocate(project_t *p, int sums) {
  const oak_scene_t *scene = p->scene;
  const size_t n = (size_t)scene->width * (size_t)scene->height;
  int ok = 1;
  for (int a = 0; a < 2; a++) {
    const int most = (a == 0 ? scene->width : scene->height) + scene->view->block_size + 2;
    p->along[a] = malloc((size_t)most * sizeof *p->along[a]);
    ok = ok && p->along[a];
  }
  p->highest = malloc(n * sizeof *p->highest);
  for (size_t i = 0; p->highest && i < n; i++) p->highest[i] = -INFINITY;
  if (sums) {
    p->sum = calloc(n, sizeof *p->sum);
    p->weight = calloc(n, sizeof *p->weight);
    ok = ok && p->sum && p->weight;
  }
  OAK_CHECK(ok && p->highest, OAK_ERR_MEMORY,
            "no memory for a picture of %d x %d pixels; make it smaller", scene->width,
            scene->height);
  return OAK_OK;
}

/** Rank 0: pixels of what has been added up. */
static void finish(const project_t *p, double *field) {
  const oak_scene_t *scene = p->scene;
  const double length = scene->to[scene->normal] - scene->from[scene->normal];
  const int column = scene->options->show == OAK_SHOW_COLUMN;
  for (size_t i = 0; i < (size_t)scene->width * (size_t)scene->height; i++)
    field[i] =
        p->weight[i] > 0 && isfinite(p->highest[i])
            ? (double)p->sum[i] / (double)p->weight[i] * DEPTH_ONE * p->unit * (column ? length : 1)
            : NAN;
}

/** Add the pixels of all ranks on rank 0, in parts whose number fits an int. Collective. */
static void reduce(void *data, size_t size, MPI_Datatype type, MPI_Op op, const oak_scene_t *scene,
                   int rank) {
  char *at = data;
  for (int row = 0; row < scene->height; row++, at += size * (size_t)scene->width)
    MPI_Reduce(rank == 0 ? MPI_IN_PLACE : at, at, scene->width, type, op, 0, scene->view->comm);
}

oak_status_t oak_scene_project(const oak_scene_t *scene, double *field) {
  const MPI_Comm comm = scene->view->comm;
  const int sums = scene->options->show != OAK_SHOW_MAXIMUM;
  project_t p = {.scene = scene};
  oak_batch_t batch = {.cells = NULL};
  int rank;
  MPI_Comm_rank(comm, &rank);
  oak_status_t st = allocate(&p, sums);
  if (st == OAK_OK) st = oak_batch_new(scene, &batch);
  if (st == OAK_OK && sums) st = oak_batch_visit(&batch, wanted, visit_largest, &p);
  st = oak_agree(comm, st);
  if (st == OAK_OK) {
    MPI_Allreduce(MPI_IN_PLACE, &p.largest, 1, MPI_DOUBLE, MPI_MAX, comm);
    set_unit(&p);
    st = oak_agree(comm, oak_batch_visit(&batch, wanted, visit_draw, &p));
  }
  if (st == OAK_OK) {
    reduce(p.highest, sizeof *p.highest, MPI_DOUBLE, MPI_MAX, scene, rank);
    if (sums) reduce(p.sum, sizeof *p.sum, MPI_INT64_T, MPI_SUM, scene, rank);
    if (sums) reduce(p.weight, sizeof *p.weight, MPI_INT64_T, MPI_SUM, scene, rank);
    if (rank == 0 && sums)
      finish(&p, field);
    else if (rank == 0)
      memcpy(field, p.highest, (size_t)scene->width * (size_t)scene->height * sizeof *field);
  }
  for (int a = 0; a < 2; a++) free(p.along[a]);
  free(p.highest);
  free(p.sum);
  free(p.weight);
  free(batch.cells);
  return st;
}
