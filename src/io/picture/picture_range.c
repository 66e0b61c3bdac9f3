/* SPDX-License-Identifier: GPL-2.0-or-later
 * The range of values of a picture, from the data shown. */
#include <math.h>

#include "picture_parts.h"

enum {
  LOG_DECADES = 8 /**< of a logarithmic scale: values below may be rounding errors of derivatives */
};

double oak_scene_scaled(const oak_scene_t *scene, double value) {
  if (!scene->options->log_scale) return value;
  return value > 0 ? log10(value) : -INFINITY;
}

/** Lowest and highest value. */
typedef struct {
  const oak_scene_t *scene;
  double range[2]; /* minus the lowest, the highest, as coloured */
} range_t;

static int wanted(const void *context, int b) {
  return oak_in_slice(((const range_t *)context)->scene, b);
}

static void add_value(range_t *found, double value) {
  const double v = oak_scene_scaled(found->scene, value);
  if (!isfinite(value) || !isfinite(v)) return;
  found->range[0] = fmax(found->range[0], -v);
  found->range[1] = fmax(found->range[1], v);
}

static void visit(void *context, int b, const double *cells) {
  range_t *found = context;
  const oak_scene_t *scene = found->scene;
  const int *size = scene->view->block_size;
  size_t stride[2];
  cells = oak_slice_cells(scene, b, cells, stride);
  for (int j = 0; j < size[scene->axis[1]]; j++) {
    if (oak_shown_share(scene, b, scene->axis[1], j) == 0) continue;
    for (int i = 0; i < size[scene->axis[0]]; i++)
      if (oak_shown_share(scene, b, scene->axis[0], i) > 0)
        add_value(found, cells[(size_t)j * stride[1] + (size_t)i * stride[0]]);
  }
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
  const MPI_Comm comm = scene->view->comm;
  OAK_TRY(oak_agree(comm, oak_scene_visit(scene, wanted, visit, &found)));
  MPI_Allreduce(MPI_IN_PLACE, found.range, 2, MPI_DOUBLE, MPI_MAX, comm);
  scene->low = -found.range[0];
  scene->high = found.range[1];
  widen(scene);
  if (scene->options->log_scale) scene->low = fmax(scene->low, scene->high - LOG_DECADES);
  return OAK_OK;
}
