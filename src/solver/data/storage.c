/* SPDX-License-Identifier: GPL-2.0-or-later
 * Block data of all Runge-Kutta states, and other memory that depends on the blocks of the mesh.
 * Storage grows with the mesh and shrinks when it is far too large. */
#include <math.h>
#include <stdlib.h>

#include "solver/data/data.h"

/* Tell kernels the present addresses of peers' memory. */
static oak_status_t look_at_peers(oak_data_t *data) {
  for (int i = 0; i < data->setup->method.nstate; i++)
    OAK_TRY(oak_values_look(&data->exchange, &data->storage.state[i]));
  return OAK_OK;
}

oak_status_t oak_storage_reserve(oak_data_t *data, int first, int last, int blocks) {
  oak_values_t *list[OAK_MAX_STATES];
  int changed;
  for (int i = first; i < last; i++) list[i - first] = &data->storage.state[i];
  oak_status_t st = oak_values_fit(&data->exchange, list, last - first, blocks, &changed);
  if (st == OAK_OK && changed) st = look_at_peers(data);
  if (st == OAK_ERR_MEMORY)
    st = OAK_FAIL(OAK_ERR_MEMORY,
                  "no memory for %d blocks of %lld cells and %d variables on rank %d in each of %d "
                  "states; lower mesh.min_level or mesh.max_level or refine less: %s",
                  blocks, (long long)data->setup->block.cells, data->setup->nvar, data->setup->rank,
                  data->setup->method.nstate, oak_last_error());
  return oak_data_agree(data, st);
}

oak_status_t oak_storage_check(const oak_setup_t *setup, double *blocks) {
  const int most = OAK_MESH_MAX_BLOCKS;
  *blocks = 1;
  for (int d = 0; d < setup->dim; d++)
    *blocks *= ldexp(setup->domain.trees[d], setup->refine.min_level);
  const double share = ceil(*blocks / setup->size);
  OAK_CHECK(
      share <= most, OAK_ERR_INPUT,
      "mesh.min_level = %d gives %.3g blocks, %.3g for each rank, but a rank can have at most %d: "
      "lower mesh.min_level or mesh.trees",
      setup->refine.min_level, *blocks, share, most);
  return OAK_OK;
}

oak_status_t oak_storage_begin(oak_data_t *data) {
  double blocks;
  OAK_TRY(oak_storage_check(data->setup, &blocks));
  return oak_storage_reserve(data, 0, data->setup->method.nstate,
                             (int)ceil(blocks / data->setup->size));
}

oak_status_t oak_array_fit(oak_device_t *dev, oak_array_t *array, int64_t bytes) {
  const int64_t wanted = bytes + bytes / 8;
  if (bytes <= array->bytes) return OAK_OK;
  oak_device_free(dev, array->at);
  *array = (oak_array_t){.at = NULL};
  OAK_TRY(oak_device_alloc(dev, (size_t)wanted, &array->at));
  array->bytes = wanted;
  return OAK_OK;
}

static oak_status_t upload_geometry(oak_data_t *data) {
  const oak_mesh_t *mesh = data->mesh;
  const size_t bytes = mesh->nblock * sizeof(oak_block_t);
  OAK_FREED oak_block_t *b = NULL;
  OAK_TRY(oak_array_fit(data->setup->dev, &data->storage.blocks, (int64_t)bytes));
  OAK_TRY(OAK_NEW(b, mesh->nblock + 1));
  for (int n = 0; n < mesh->nblock; n++) {
    double dx[3];
    b[n] = (oak_block_t){.level = mesh->level[n], .first = mesh->index[n][0]};
    oak_data_geometry(data, n, b[n].origin, dx);
  }
  return oak_device_upload(data->setup->dev, data->storage.blocks.at, b, bytes);
}

/* The number of parts into which tiles are cut along z. With more parts, a small mesh, or the last
 * tiles of a large one, keeps the whole device busy. Each part costs the time of about PART_COST
 * more planes, because it computes some values that its neighbours compute too. The number follows
 * from the blocks of all ranks, because results must not depend on the number of ranks: compilers
 * of GPUs choose anew, for the flux at which a part begins, which products and sums they round
 * once. */
static int choose_parts(const oak_data_t *data) {
  static const double PART_COST = 1.5;
  const oak_device_ops_t *ops = oak_device_ops(data->setup->dev);
  const double tiles = (double)data->mesh->nglobal * data->results.tiles;
  int best = 1;
  double least = INFINITY;
  if (!ops->slots || data->setup->dim == 2 || data->results.whole_tiles) return 1;
  const double slots = ops->slots(data->setup->dev, data->setup->kernel.flux);
  for (int parts = 1; 2 * parts <= data->setup->block.size[2]; parts *= 2) {
    const double time =
        ceil(tiles * parts / slots) * ((double)data->setup->block.size[2] / parts + PART_COST);
    if (time < 0.97 * least) least = time, best = parts;
  }
  return best;
}

/* Arrays of the flux kernel's results. */
static oak_status_t fit_results(oak_data_t *data) {
  int tile[2];
  oak_setup_tile(data->setup, tile);
  data->results.tiles =
      data->setup->block.size[0] / tile[0] * (data->setup->block.size[1] / tile[1]);
  data->results.parts = choose_parts(data);
  oak_results_t *r = &data->results;
  const long n = (long)data->mesh->nblock * oak_data_results(data), chunks = oak_results_chunks(n);
  OAK_TRY(oak_array_fit(data->setup->dev, &r->memory,
                        n * (sizeof(double) + sizeof(int)) + 2 * chunks * sizeof(double)));
  r->rate = r->memory.at;
  r->sums = (double *)r->memory.at + n;
  r->bad = (double *)r->memory.at + n + 2 * chunks;
  return OAK_OK;
}

void oak_storage_swap(oak_data_t *data, int a, int b) {
  const oak_values_t values = data->storage.state[a];
  data->storage.state[a] = data->storage.state[b];
  data->storage.state[b] = values;
}

oak_status_t oak_storage_blocks(oak_data_t *data) {
  OAK_TRY(upload_geometry(data));
  return fit_results(data);
}

oak_status_t oak_storage_connect(oak_data_t *data) {
  int changed;
  OAK_TRY(oak_exchange_fit(&data->exchange, &changed));
  return changed ? look_at_peers(data) : OAK_OK;
}

int64_t oak_storage_bytes(const oak_data_t *data) {
  int64_t bytes = oak_exchange_bytes(&data->exchange) + data->pattern.table_capacity +
                  data->storage.blocks.bytes + data->results.memory.bytes;
  for (int s = 0; s < data->setup->method.nstate; s++) bytes += data->storage.state[s].memory.bytes;
  return bytes;
}

void oak_storage_clear(oak_data_t *data) {
  const oak_array_t *const memory[] = {&data->storage.blocks, &data->storage.scratch,
                                       &data->results.memory, &data->tasks};
  oak_values_t *states[OAK_MAX_STATES];
  for (int s = 0; s < OAK_MAX_STATES; s++) states[s] = &data->storage.state[s];
  oak_values_clear(&data->exchange, states, OAK_MAX_STATES);
  for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
    oak_device_free(data->setup->dev, memory[i]->at);
}
