/* SPDX-License-Identifier: GPL-2.0-or-later
 * Public facts about a simulation: time, sizes, blocks and their geometry, counts, time spent. */
#include <math.h>
#include <string.h>

#include "base/shape.h"
#include "solver/step/sim.h"

void oak_print_wtime(oak_t *sim, FILE *stream) {
  OAK_HANDLE(sim, );
  oak_timers_print(&sim->data.timers, sim->setup.comm, stream);
}

double oak_wtime(oak_t *sim, const char *phase) {
  OAK_HANDLE(sim, 0);
  if (!phase) return oak_timers_total(&sim->data.timers);
  for (int p = 0; p < OAK_PHASE_COUNT; p++)
    if (!strcmp(phase, oak_phase_name(p))) return oak_timer_seconds(&sim->data.timers, p);
  return 0;
}

/* A function without other arguments; 0 for a handle that is NULL. */
#define FACT(type, name, value) \
  type name(const oak_t *sim) { \
    OAK_HANDLE(sim, 0);         \
    return value;               \
  }
FACT(double, oak_time, sim->data.clock.time)
FACT(long, oak_step, sim->data.clock.step)
FACT(int, oak_interrupted, sim->run.interrupted)
FACT(int, oak_dim, sim->setup.dim)
int oak_block_size(const oak_t *sim) {
  OAK_HANDLE(sim, 0);
  return oak_shape_equal(sim->setup.dim, sim->setup.block.size) ? sim->setup.block.size[0] : 0;
}
void oak_block_shape(const oak_t *sim, int n[3]) {
  OAK_HANDLE(sim, );
  for (int d = 0; d < 3; d++) n[d] = sim->setup.block.size[d];
}
FACT(int, oak_ghost_layers, sim->setup.block.layers)
FACT(int, oak_nvar, sim->setup.nvar)
/* Without a solution the lists of blocks may be those of another mesh. */
FACT(int, oak_nblocks, sim->lost ? 0 : sim->data.mesh->nblock)
FACT(int64_t, oak_nblocks_global, sim->lost ? 0 : sim->data.mesh->nglobal)
FACT(long, oak_mesh_revision, sim->data.mesh->revision)
FACT(long, oak_solution_revision, sim->revision)
FACT(int64_t, oak_cell_updates, sim->counts.updates)
FACT(int64_t, oak_retries, sim->counts.retries)
FACT(int64_t, oak_first_order_cells, sim->counts.first_order_cells)
FACT(int64_t, oak_floored_cells, sim->counts.floored_cells)
int oak_block_level(const oak_t *sim, int block) {
  OAK_HANDLE(sim, 0);
  return block >= 0 && block < oak_nblocks(sim) ? sim->data.mesh->level[block] : -1;
}
oak_device_t *oak_device(oak_t *sim) {
  OAK_HANDLE(sim, NULL);
  return sim->setup.dev;
}

const char *oak_variable_name(const oak_t *sim, int variable) {
  OAK_HANDLE(sim, "");
  return variable >= 0 && variable <= 2 * sim->setup.nvar ? sim->setup.description.name[variable]
                                                          : "";
}

void oak_block_geometry(const oak_t *sim, int block, double origin[3], double dx[3]) {
  OAK_HANDLE(sim, );
  if (block < 0 || block >= oak_nblocks(sim)) {
    for (int d = 0; d < 3; d++) origin[d] = dx[d] = NAN;
    return;
  }
  oak_data_geometry(&sim->data, block, origin, dx);
}

void oak_set_time(oak_t *sim, double time) {
  OAK_HANDLE(sim, );
  sim->data.clock.time = time;
  oak_rates_doubt(sim); /* TIMESTEP may depend on it */
}
void oak_set_step(oak_t *sim, long step) {
  OAK_HANDLE(sim, );
  sim->data.clock.step = step;
}
