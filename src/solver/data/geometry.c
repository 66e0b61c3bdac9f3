/* SPDX-License-Identifier: GPL-2.0-or-later
 * Volumes of cells in the coordinates of the mesh, on the host; kernels have
 * kernels/geometry/geometry.h. */
#include <math.h>

#include "solver/data/data.h"

/** The volume of cell (i, j) of a block divided by the product of its sizes in coordinates. */
static double factor(const oak_data_t *data, int block, int i, int j) {
  const int place[2] = {i, j};
  double low[2], high[2];
  for (int d = 0; d < 2; d++) {
    const double dx = ldexp(data->setup->dx0[d], -data->mesh->level[block]);
    const double cells =
        (double)data->mesh->index[block][d] * data->setup->block_size[d] + place[d];
    low[d] = data->setup->low[d] + cells * dx;
    high[d] = data->setup->low[d] + (cells + 1) * dx;
  }
  return oak_volume_of(data->setup, low, high);
}

double oak_box_volume(const oak_data_t *data, int block, const int *box) {
  const int *n = data->setup->block_size, whole[6] = {0, 0, 0, n[0], n[1], n[2]};
  if (!box) box = whole;
  if (!data->setup->coordinates)
    return (double)(box[3] - box[0]) * (box[4] - box[1]) * (box[5] - box[2]);
  double volume = 0;
  for (int j = box[1]; j < box[4]; j++)
    for (int i = box[0]; i < box[3]; i++) volume += factor(data, block, i, j);
  return volume * (box[5] - box[2]);
}
