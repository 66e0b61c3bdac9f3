/* SPDX-License-Identifier: GPL-2.0-or-later
 * What all ways to draw blocks share: where their cells fall among the pixels, and reading them. */
#include "picture_parts.h"

#include <math.h>
#include <stdlib.h>

static const int64_t ONE = OAK_PIXEL_ONE;

double oak_scene_place(const oak_scene_t *scene, int a, int64_t i, int64_t n) {
  return (double)i / (double)n * scene->span[a] - scene->skip[a];
}

double oak_shown_share(const oak_scene_t *scene, int b, int d, int cell) {
  if (!scene->cropped) return 1;
  const oak_grid_view_t *view = scene->view;
  const double rounding = 1e-9;
  const double first = (double)((int64_t)view->index[b][d] * view->block_size[d] + cell);
  const int level = view->level[b];
  const double low = fmax(oak_view_cells_to(view, level, d, scene->from[d]) - first, 0);
  const double high = fmin(oak_view_cells_to(view, level, d, scene->to[d]) - first, 1);
  return high - low > rounding ? high - low : 0;
}

int oak_is_shown(const oak_scene_t *scene, int b, int d) {
  for (int cell = 0; cell < scene->view->block_size[d]; cell++)
    if (oak_shown_share(scene, b, d, cell) > 0) return 1;
  return 0;
}

int oak_in_frame(const oak_scene_t *scene, int b) {
  if (scene->plane)
    return oak_is_shown(scene, b, scene->axis[0]) && oak_is_shown(scene, b, scene->axis[1]);
  for (int a = 0; a < 2; a++) {
    const int d = scene->axis[a];
    const int64_t n = oak_blocks_along(scene, d, scene->view->level[b]);
    const int64_t i = scene->view->index[b][d];
    if (oak_scene_place(scene, a, i + 1, n) <= 0) return 0;
    if (oak_scene_place(scene, a, i, n) >= (a == 0 ? scene->width : scene->height)) return 0;
  }
  return 1;
}

int oak_in_slice(const oak_scene_t *scene, int b) {
  if (!oak_in_frame(scene, b)) return 0;
  return oak_view_layer(scene->view, b, scene->normal, scene->fraction) >= 0;
}

const double *oak_slice_cells(const oak_scene_t *scene, int b, const double *cells,
                              size_t stride[2]) {
  const int *n = scene->view->block_size, normal = scene->normal;
  const size_t all[3] = {1, (size_t)n[0], (size_t)n[0] * (size_t)n[1]};
  for (int a = 0; a < 2; a++) stride[a] = all[scene->axis[a]];
  if (normal < 0) return cells;
  return cells + (size_t)oak_view_layer(scene->view, b, normal, scene->fraction) * all[normal];
}

/** Which pixels of [p0, p1) the cells of block \a b touch along the dimension of the picture \a a.
 * \return the number of entries, at most pixels + cells + 1. */
static int find_overlaps(const oak_scene_t *scene, int b, int a, int p0, int p1,
                         oak_overlap_t *out) {
  const int d = scene->axis[a], size = scene->view->block_size[d];
  const int64_t n = oak_blocks_along(scene, d, scene->view->level[b]) * size;
  const int64_t first = (int64_t)scene->view->index[b][d] * size;
  int count = 0;
  if ((double)n <= scene->span[a]) {
    const double begin = floor(oak_scene_place(scene, a, first, n)) - 1;
    for (int p = begin > p0 ? (int)begin : p0; p < p1; p++) {
      const double cell = floor((p + 0.5 + scene->skip[a]) / scene->span[a] * (double)n);
      if (cell >= (double)(first + size)) break;
      if (cell >= (double)first)
        out[count++] = (oak_overlap_t){p, (int)(cell - (double)first), (int)ONE};
    }
    return count;
  }
  for (int c = 0; c < size; c++) {
    const double one = (double)ONE;
    const double low = fmax(one * oak_scene_place(scene, a, first + c, n), one * p0);
    const double high = fmin(one * oak_scene_place(scene, a, first + c + 1, n), one * p1);
    if (low >= high) continue;
    const int64_t begin = llround(low), end = llround(high);
    for (int64_t p = begin / ONE; p * ONE < end; p++) {
      const int64_t from = begin > p * ONE ? begin : p * ONE;
      const int64_t to = end < (p + 1) * ONE ? end : (p + 1) * ONE;
      if (to > from) out[count++] = (oak_overlap_t){(int)p, c, (int)(to - from)};
    }
  }
  return count;
}

oak_status_t oak_scene_visit(const oak_scene_t *scene, oak_block_wanted_t wanted,
                             oak_block_visit_t visit, void *context) {
  return oak_view_visit(scene->view, scene->options->variable, -INFINITY, wanted, visit, context);
}

void oak_scene_cover(const oak_scene_t *scene, int b, int row0, int row1, oak_cover_t visit,
                     void *context) {
  const int n = scene->view->block_size[scene->axis[0]];
  if (scene->plane) {
    oak_space_cover(scene, b, row0, row1, visit, context);
    return;
  }
  const int columns = find_overlaps(scene, b, 0, 0, scene->width, scene->along[0]);
  const int rows = find_overlaps(scene, b, 1, row0, row1, scene->along[1]);
  for (const oak_overlap_t *y = scene->along[1]; y < scene->along[1] + rows; y++)
    for (const oak_overlap_t *x = scene->along[0]; x < scene->along[0] + columns; x++)
      visit(context, x->pixel, y->pixel, y->cell * n + x->cell, (int64_t)x->weight * y->weight);
}
