/* SPDX-License-Identifier: GPL-2.0-or-later
 * What many files need: what kernels get of a state, its ghost
 * cells, and the agreement of ranks after a failure. */
#include <math.h>
#include <stdlib.h>

#include "base/geometry.h"
#include "solver/data/data.h"

/* ---- failures */

void oak_data_failed(oak_data_t *data, oak_status_t st) {
  if (st != OAK_OK && data->transport.dev && oak_device_sync(data->setup->dev) != OAK_OK)
    oak_transport_failed(&data->transport);
}

oak_status_t oak_data_agree(oak_data_t *data, oak_status_t st) {
  oak_data_failed(data, st);
  return oak_agree(data->setup->comm, st);
}

/* ---- states */

void oak_data_geometry(const oak_data_t *data, int block, double origin[3], double dx[3]) {
  const double scale = 1.0 / (double)(1LL << data->mesh->level[block]);
  for (int d = 0; d < 3; d++) {
    dx[d] = data->setup->domain.dx0[d] * scale;
    origin[d] = data->setup->domain.low[d] +
                data->mesh->index[block][d] * (data->setup->block.size[d] * dx[d]);
  }
}

/* The volume of cell (i, j) of a block divided by the product of its sizes in coordinates. */
static double factor(const oak_data_t *data, int block, int i, int j) {
  const int place[2] = {i, j};
  double low[2], high[2];
  for (int d = 0; d < 2; d++) {
    const double dx = ldexp(data->setup->domain.dx0[d], -data->mesh->level[block]);
    const double cells =
        (double)data->mesh->index[block][d] * data->setup->block.size[d] + place[d];
    low[d] = data->setup->domain.low[d] + cells * dx;
    high[d] = data->setup->domain.low[d] + (cells + 1) * dx;
  }
  return oak_volume_of(data->setup, low, high);
}

double oak_box_volume(const oak_data_t *data, int block, const int *box) {
  const int *n = data->setup->block.size, whole[6] = {0, 0, 0, n[0], n[1], n[2]};
  if (!box) box = whole;
  if (!data->setup->domain.coordinates)
    return (double)(box[3] - box[0]) * (box[4] - box[1]) * (box[5] - box[2]);
  double volume = 0;
  for (int j = box[1]; j < box[4]; j++)
    for (int i = box[0]; i < box[3]; i++) volume += factor(data, block, i, j);
  return volume * (box[5] - box[2]);
}

/* What is added to the numbers of cells from stage to stage, see kernels/access/rounding.h. */
static const unsigned NEXT_STAGE = 0x881403b9u;

static unsigned stage_number(const oak_data_t *data) {
  return (unsigned)data->clock.step * (unsigned)data->setup->method.runge_kutta->nstage +
         (unsigned)data->clock.stage;
}

void oak_data_field(const oak_data_t *data, int state, double time, oak_field_t *field) {
  const oak_setup_t *setup = data->setup;
  *field = (oak_field_t){.block = data->storage.blocks.at,
                         .user = setup->user.device,
                         .time = time,
                         .dt = data->clock.taken_dt,
                         .step = data->clock.step,
                         .beside = data->fields.table,
                         .finest = (short)setup->refine.max_level,
                         .rounding = stage_number(data) * NEXT_STAGE};
  oak_exchange_field(&data->exchange, &data->storage.state[state], field);
  oak_geometry_field(setup->domain.logarithmic, setup->dim, setup->domain.low, setup->domain.dx0,
                     field);
}

oak_status_t oak_data_launch(const oak_data_t *data, oak_kernel_t *kernel, int state, double time,
                             void *args, size_t bytes) {
  oak_data_field(data, state, time, args);
  return oak_device_launch(data->setup->dev, kernel, data->mesh->nblock, args, bytes);
}

oak_status_t oak_late_kernel(const oak_setup_t *setup, oak_late_kernel_t *late, const char *file,
                             const char *name) {
  if (late->kernel) return OAK_OK;
  if (!late->module) OAK_TRY(oak_setup_build_module(setup, file, &late->module));
  return oak_agree(setup->comm, oak_device_kernel(setup->dev, late->module, name, &late->kernel));
}

void oak_data_halo(const oak_data_t *data, int state, double time, oak_halo_args_t *args) {
  *args = (oak_halo_args_t){.bc = data->setup->domain.bc, .theta = data->setup->refine.theta};
  oak_data_field(data, state, time, &args->f);
}

oak_status_t oak_fill_ghosts(oak_data_t *data, int state, double time) {
  oak_halo_args_t args;
  oak_data_halo(data, state, time, &args);
  return oak_exchange_fill(&data->exchange, &data->storage.state[state], &args, &data->timers);
}

oak_status_t oak_count_invalid(oak_data_t *data, int results, int *invalid) {
  const long n = (long)data->mesh->nblock * results;
  OAK_FREED int *bad = NULL;
  *invalid = 0;
  OAK_TRY(OAK_NEW(bad, n + 1));
  const oak_status_t st =
      oak_device_download(data->setup->dev, bad, data->results.bad, n * sizeof *bad);
  for (long b = 0; b < n && st == OAK_OK; b++) *invalid |= bad[b];
  return st;
}
