/* SPDX-License-Identifier: GPL-2.0-or-later
 * Facts about a simulation: time, sizes, blocks and their geometry, time spent. */
#include <string.h>

#include "solver/step/sim.h"

void oak_print_wtime(oak_t *sim, FILE *stream) {
  oak_timers_print(&sim->timers, sim->comm, stream);
}

double oak_wtime(oak_t *sim, const char *phase) {
  if (!phase) return oak_timers_total(&sim->timers);
  for (int p = 0; p < OAK_PHASE_COUNT; p++)
    if (!strcmp(phase, oak_phase_name(p))) return oak_timer_seconds(&sim->timers, p);
  return 0;
}

double oak_time(const oak_t *sim) { return sim->clock.time; }
long oak_step(const oak_t *sim) { return sim->clock.step; }
int oak_interrupted(const oak_t *sim) { return sim->run.interrupted; }
int oak_dim(const oak_t *sim) { return sim->dim; }
int oak_block_size(const oak_t *sim) { return sim->block_size; }
int oak_ghost_layers(const oak_t *sim) { return sim->layers; }
int oak_nvar(const oak_t *sim) { return sim->nvar; }
int oak_nblocks(const oak_t *sim) { return sim->mesh->nblock; }
int64_t oak_nblocks_global(const oak_t *sim) { return sim->mesh->nglobal; }
int64_t oak_cell_updates(const oak_t *sim) { return sim->clock.updates; }
int oak_block_level(const oak_t *sim, int block) { return sim->mesh->level[block]; }
oak_device_t *oak_device(oak_t *sim) { return sim->dev; }

const char *oak_variable_name(const oak_t *sim, int variable) {
  return variable >= 0 && variable <= 2 * sim->nvar ? sim->description.name[variable] : "";
}

void oak_block_geometry(const oak_t *sim, int block, double origin[3], double dx[3]) {
  const double scale = 1.0 / (double)(1LL << sim->mesh->level[block]);
  for (int d = 0; d < 3; d++) {
    dx[d] = sim->dx0[d] * scale;
    origin[d] = sim->xmin[d] + sim->mesh->index[block][d] * (sim->block_size * dx[d]);
  }
}
