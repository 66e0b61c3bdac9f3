/* SPDX-License-Identifier: GPL-2.0-or-later
 * The range of values of a picture, from the data shown: all of them, or all but a share of the
 * area at each end. Counts are integers, so they do not depend on the number of ranks. */
#include <math.h>
#include <stdlib.h>

#include "picture_parts.h"

enum {
  BINS = 8192,
  LOG_DECADES = 8 /**< of a logarithmic scale: values below may be rounding errors of derivatives */
};

double oak_scene_scaled(const oak_scene_t *scene, double value) {
  if (!scene->options->log_scale) return value;
  return value > 0 ? log10(value) : -INFINITY;
}

/** Lowest and highest value, and how much area is where between them. */
typedef struct {
  const oak_scene_t *scene;
  double range[2];   /* minus the lowest, the highest, as coloured */
  double low, scale; /* of the bins */
  int64_t *count;    /* [BINS] area in cells of the finest level */
} range_t;

static int wanted(const void *context, int b) {
  return oak_in_slice(((const range_t *)context)->scene, b);
}

static void add_value(range_t *found, double value, int64_t area) {
  const double v = oak_scene_scaled(found->scene, value);
  if (!isfinite(value) || !isfinite(v)) return;
  if (!found->count) {
    found->range[0] = fmax(found->range[0], -v);
    found->range[1] = fmax(found->range[1], v);
    return;
  }
  const int bin = (int)((v - found->low) * found->scale);
  found->count[bin < 0 ? 0 : bin < BINS ? bin : BINS - 1] += area;
}

static void visit(void *context, int b, const double *cells) {
  range_t *found = context;
  const oak_scene_t *scene = found->scene;
  const int *size = scene->view->block_size;
  const int64_t area = INT64_C(1) << 2 * (scene->view->max_level - scene->view->level[b]);
  size_t stride[2];
  cells = oak_slice_cells(scene, b, cells, stride);
  for (int j = 0; j < size[scene->axis[1]]; j++) {
    if (oak_shown_share(scene, b, scene->axis[1], j) == 0) continue;
    for (int i = 0; i < size[scene->axis[0]]; i++)
      if (oak_shown_share(scene, b, scene->axis[0], i) > 0)
        add_value(found, cells[(size_t)j * stride[1] + (size_t)i * stride[0]], area);
  }
}

/** Value below which \a part of the area is. */
static double quantile(const range_t *found, double part) {
  int64_t total = 0;
  for (int i = 0; i < BINS; i++) total += found->count[i];
  double left = part * (double)total;
  for (int i = 0; i < BINS; i++) {
    const double count = (double)found->count[i];
    if (left <= count && count > 0) return found->low + (i + left / count) / found->scale;
    left -= count;
  }
  return found->low + BINS / found->scale;
}

/** Collective. */
static oak_status_t share(const oak_scene_t *scene, oak_status_t st, void *value, int count,
                          MPI_Datatype type, MPI_Op op) {
  OAK_TRY(oak_agree(scene->view->comm, st));
  MPI_Allreduce(MPI_IN_PLACE, value, count, type, op, scene->view->comm);
  return OAK_OK;
}

/** Narrow the scene's range to what lies between two quantiles. */
static oak_status_t find_quantiles(oak_scene_t *scene, range_t *found) {
  const double part = scene->options->quantile;
  oak_status_t st = OAK_OK;
  found->low = scene->low;
  found->scale = BINS / (scene->high - scene->low);
  oak_keep_failure(&st, OAK_NEW(found->count, BINS));
  if (st == OAK_OK) st = oak_scene_visit(scene, wanted, visit, found);
  st = share(scene, st, found->count, BINS, MPI_INT64_T, MPI_SUM);
  if (st == OAK_OK) {
    const double low = quantile(found, part), high = quantile(found, 1 - part);
    if (low < high) {
      scene->low = low;
      scene->high = high;
    }
  }
  free(found->count);
  return st;
}

/** Make a range from the values found; its width is not 0. */
static void widen(oak_scene_t *scene) {
  if (scene->low > scene->high) { /* no value that can be shown */
    scene->low = 0;
    scene->high = 1;
  }
  if (!isfinite(scene->high - scene->low)) { /* a run that blows up */
    scene->low = fmax(scene->low, -1e300);
    scene->high = fmin(scene->high, 1e300);
  }
  /* Differences that are mere rounding would fill the picture with noise. */
  const double size = scene->options->log_scale ? 1 : fmax(fabs(scene->low), fabs(scene->high));
  if (scene->high - scene->low <= fmax(1e-12 * size, OAK_SMALLEST_RANGE)) {
    const double margin = 0.05 * size > OAK_SMALLEST_RANGE ? 0.05 * size : 1;
    scene->low -= margin;
    scene->high += margin;
  }
}

oak_status_t oak_scene_find_range(oak_scene_t *scene) {
  range_t found = {.scene = scene, .range = {-INFINITY, -INFINITY}};
  OAK_TRY(share(scene, oak_scene_visit(scene, wanted, visit, &found), found.range, 2, MPI_DOUBLE,
                MPI_MAX));
  scene->low = -found.range[0];
  scene->high = found.range[1];
  widen(scene);
  if (scene->options->quantile > 0) OAK_TRY(find_quantiles(scene, &found));
  if (scene->options->log_scale) scene->low = fmax(scene->low, scene->high - LOG_DECADES);
  return OAK_OK;
}
