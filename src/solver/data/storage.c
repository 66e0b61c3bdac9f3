/* SPDX-License-Identifier: GPL-2.0-or-later
 * Block data of all Runge-Kutta states, and other memory that depends on the blocks of the mesh.
 * Storage grows with the mesh and shrinks when it is far too large. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/failure.h"
#include "solver/step/part.h"
#include "solver/step/sim.h"

/* Tell kernels the present addresses of peers' memory. */
static oak_status_t look_at_peers(oak_t *sim) {
  for (int i = 0; i < sim->method.nstate; i++)
    OAK_TRY(oak_values_look(&sim->exchange, &sim->storage.state[i]));
  return OAK_OK;
}

oak_status_t oak_storage_reserve(oak_t *sim, int first, int last, int blocks) {
  oak_values_t *list[OAK_MAX_STATES];
  int changed;
  for (int i = first; i < last; i++) list[i - first] = &sim->storage.state[i];
  oak_status_t st = oak_values_fit(&sim->exchange, list, last - first, blocks, &changed);
  if (st == OAK_OK && changed) st = look_at_peers(sim);
  if (st == OAK_ERR_MEMORY)
    st = OAK_FAIL(OAK_ERR_MEMORY,
                  "no memory for %d blocks of %lld cells and %d variables on rank %d in each of %d "
                  "states; lower mesh.min_level or mesh.max_level or refine less: %s",
                  blocks, (long long)sim->cells, sim->nvar, sim->rank, sim->method.nstate,
                  oak_last_error());
  return oak_sim_agree(sim, st);
}

oak_status_t oak_storage_check(const oak_t *sim, double *blocks) {
  const int most = OAK_MESH_MAX_BLOCKS;
  *blocks = 1;
  for (int d = 0; d < sim->dim; d++) *blocks *= ldexp(sim->trees[d], sim->min_level);
  const double share = ceil(*blocks / sim->size);
  OAK_CHECK(
      share <= most, OAK_ERR_INPUT,
      "mesh.min_level = %d gives %.3g blocks, %.3g for each rank, but a rank can have at most %d: "
      "lower mesh.min_level or mesh.trees",
      sim->min_level, *blocks, share, most);
  return OAK_OK;
}

oak_status_t oak_storage_begin(oak_t *sim) {
  double blocks;
  OAK_TRY(oak_storage_check(sim, &blocks));
  return oak_storage_reserve(sim, 0, sim->method.nstate, (int)ceil(blocks / sim->size));
}

static oak_status_t upload_geometry(oak_t *sim) {
  const oak_mesh_t *mesh = sim->mesh;
  const int in_place = oak_device_ops(sim->dev)->host_memory;
  if (mesh->nblock > sim->storage.blocks_capacity) {
    oak_device_free(sim->dev, sim->storage.blocks);
    sim->storage.blocks = NULL;
    sim->storage.blocks_capacity = 0;
    const int wanted = mesh->nblock + mesh->nblock / 8;
    OAK_TRY(oak_device_alloc(sim->dev, wanted * sizeof(oak_block_t), &sim->storage.blocks));
    sim->storage.blocks_capacity = wanted;
  }
  oak_block_t *b = in_place ? sim->storage.blocks : malloc((mesh->nblock + 1) * sizeof *b);
  OAK_CHECK(b || mesh->nblock == 0, OAK_ERR_MEMORY, "out of memory for the positions of %d blocks",
            mesh->nblock);
  for (int n = 0; n < mesh->nblock; n++) {
    double dx[3];
    b[n] = (oak_block_t){.level = mesh->level[n]};
    oak_block_geometry(sim, n, b[n].origin, dx);
  }
  if (in_place) return OAK_OK;
  oak_status_t st = OAK_OK;
  if (mesh->nblock)
    st = oak_device_upload(sim->dev, sim->storage.blocks, b, mesh->nblock * sizeof *b);
  free(b);
  return st;
}

/* The number of parts into which tiles are cut along z. With more parts, a small mesh, or the last
 * tiles of a large one, keeps the whole device busy. A part takes the time of about PART_COST
 * further planes, for values that its neighbours compute too. */
static int choose_parts(const oak_t *sim) {
  static const double PART_COST = 1.5;
  const oak_device_ops_t *ops = oak_device_ops(sim->dev);
  const double tiles = (double)sim->mesh->nblock * sim->results.tiles;
  int best = 1;
  double least = INFINITY;
  if (!ops->slots || sim->dim == 2 || oak_parts_need(sim) & OAK_PART_WHOLE_TILES) return 1;
  const double slots = ops->slots(sim->dev, sim->kernel.flux);
  for (int parts = 1; 2 * parts <= sim->block_size; parts *= 2) {
    const double time = ceil(tiles * parts / slots) * ((double)sim->block_size / parts + PART_COST);
    if (time < 0.97 * least) least = time, best = parts;
  }
  return best;
}

/* Arrays of the flux kernel's results. */
static oak_status_t fit_results(oak_t *sim) {
  int tile[2];
  oak_sim_tile(sim, tile);
  sim->results.tiles = sim->block_size / tile[0] * (sim->block_size / tile[1]);
  sim->results.parts = choose_parts(sim);
  const long n = (long)sim->mesh->nblock * oak_sim_results(sim);
  if (n <= sim->results.capacity) return OAK_OK;
  const long wanted = n + n / 8;
  void **memory[] = {&sim->results.rate, &sim->results.bad, &sim->results.sums};
  const size_t size[] = {wanted * sizeof(double), wanted * sizeof(int),
                         2 * sizeof(double) * oak_sim_chunks(wanted)};
  sim->results.capacity = 0;
  for (int i = 0; i < 3; i++) {
    oak_device_free(sim->dev, *memory[i]);
    *memory[i] = NULL;
    OAK_TRY(oak_device_alloc(sim->dev, size[i], memory[i]));
  }
  sim->results.capacity = wanted;
  return OAK_OK;
}

/* The memory that depends on the blocks of this rank. Rank-local. */
static oak_status_t fit_blocks(oak_t *sim) {
  OAK_TRY(upload_geometry(sim));
  OAK_TRY(fit_results(sim));
  return oak_parts_fit(sim);
}

/* Prepare buffers for a new pattern. Every rank takes part in all steps. */
static oak_status_t fit_exchanges(oak_t *sim) {
  int changed;
  oak_status_t st = oak_exchange_fit(&sim->exchange, &changed);
  oak_keep_failure(&st, oak_parts_connect(sim));
  if (st == OAK_OK && changed) st = look_at_peers(sim);
  return oak_sim_agree(sim, st);
}

oak_status_t oak_storage_fit(oak_t *sim) {
  int changed;
  oak_timer_start(&sim->timers, OAK_PHASE_PATTERN);
  oak_status_t st = OAK_OK;
  if (sim->storage.revision != sim->mesh->revision) {
    st = oak_storage_reserve(sim, sim->storage.revision < 0 ? 0 : 1, sim->method.nstate,
                             sim->mesh->nblock);
    if (st == OAK_OK) st = oak_sim_agree(sim, fit_blocks(sim));
  }
  if (st == OAK_OK) st = oak_pattern_update(&sim->pattern, &sim->transport, sim->mesh, &changed);
  /* An earlier attempt may have made the pattern and failed after that. */
  if (st == OAK_OK && (changed || sim->storage.revision != sim->mesh->revision))
    st = fit_exchanges(sim);
  if (st == OAK_OK && sim->storage.revision != sim->mesh->revision) st = oak_parts_renew(sim);
  if (st == OAK_OK) sim->storage.revision = sim->mesh->revision;
  oak_timer_stop(&sim->timers, OAK_PHASE_PATTERN);
  return st;
}

void oak_storage_clear(oak_t *sim) {
  void *memory[] = {sim->storage.blocks, sim->storage.scratch, sim->results.rate, sim->results.bad,
                    sim->results.sums};
  oak_values_t *states[OAK_MAX_STATES];
  for (int s = 0; s < OAK_MAX_STATES; s++) states[s] = &sim->storage.state[s];
  oak_values_clear(&sim->exchange, states, OAK_MAX_STATES);
  for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) oak_device_free(sim->dev, memory[i]);
}

int64_t oak_memory(const oak_t *sim) {
  int64_t bytes = oak_exchange_bytes(&sim->exchange) + sim->pattern.table_capacity +
                  (int64_t)(sim->storage.blocks_capacity * sizeof(oak_block_t));
  for (int s = 0; s < sim->method.nstate; s++) bytes += sim->storage.state[s].memory.bytes;
  return bytes + oak_parts_bytes(sim) +
         sim->results.capacity * (int64_t)(sizeof(double) + sizeof(int));
}
