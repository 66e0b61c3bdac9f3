/* SPDX-License-Identifier: GPL-2.0-or-later
 * Coordinates of the mesh, on the host; kernels have kernels/geometry.h. */
#include <math.h>

#include "solver/data/data.h"

/** 2 pi r of cell i along r of a block: its volume over the area of its section. */
static double circumference(const oak_data_t *data, int block, int i) {
  const double dx = ldexp(data->setup->dx0[0], -data->mesh->level[block]);
  const double cells = (double)data->mesh->index[block][0] * data->setup->block_size + i + 0.5;
  return 2 * M_PI * (data->setup->xmin[0] + cells * dx);
}

double oak_box_rings(const oak_data_t *data, int block, const int *box) {
  const int n = data->setup->block_size, whole[6] = {0, 0, 0, n, n, data->setup->dim == 3 ? n : 1};
  if (!box) box = whole;
  const double columns = (double)(box[4] - box[1]) * (box[5] - box[2]);
  if (!data->setup->coordinates) return columns * (box[3] - box[0]);
  double rings = 0;
  for (int i = box[0]; i < box[3]; i++) rings += circumference(data, block, i);
  return rings * columns;
}
