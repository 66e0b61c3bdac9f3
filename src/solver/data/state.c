/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the other files of this folder share: the data of a state and its ghost cells, scratch
 * memory, and the agreement of ranks after a failure. This file calls none of them. */
#include <string.h>

#include "solver/step/sim.h"

/* ---- failures */

void oak_sim_failed(oak_t *sim, oak_status_t st) {
  if (st != OAK_OK && sim->transport.dev && oak_device_sync(sim->dev) != OAK_OK)
    oak_transport_failed(&sim->transport);
}

oak_status_t oak_sim_agree(oak_t *sim, oak_status_t st) {
  oak_sim_failed(sim, st);
  return oak_agree(sim->comm, st);
}

void oak_rates_agree(oak_t *sim) {
  MPI_Allreduce(MPI_IN_PLACE, &sim->rates.known, 1, MPI_INT, MPI_MIN, sim->comm);
}

/* ---- states */

/* What is added to the numbers of cells from stage to stage, see kernels/rounding.h. */
static const unsigned NEXT_STAGE = 0x881403b9u;

static unsigned stage_number(const oak_t *sim) {
  return (unsigned)sim->clock.step * (unsigned)sim->method.runge_kutta->nstage +
         (unsigned)sim->clock.stage;
}

void oak_sim_field(const oak_t *sim, int state, double time, oak_field_t *field) {
  *field = (oak_field_t){.block = sim->storage.blocks,
                         .user = sim->user.device,
                         .time = time,
                         .dt = sim->clock.taken_dt,
                         .step = sim->clock.step,
                         .beside = sim->fields.table,
                         .finest = sim->max_level,
                         .rounding = stage_number(sim) * NEXT_STAGE};
  oak_exchange_field(&sim->exchange, &sim->storage.state[state], field);
  memcpy(field->dx0, sim->dx0, sizeof field->dx0);
  for (int d = 0; d < sim->dim; d++) field->inv_dx0[d] = 1 / sim->dx0[d];
}

oak_status_t oak_fill_ghosts(oak_t *sim, int state, double time) {
  oak_halo_args_t args = {.bc = sim->bc, .theta = sim->interpolation_theta};
  oak_sim_field(sim, state, time, &args.f);
  return oak_exchange_fill(&sim->exchange, &sim->storage.state[state], &args, &sim->timers);
}

void oak_storage_swap(oak_t *sim, int a, int b) {
  const oak_values_t values = sim->storage.state[a];
  sim->storage.state[a] = sim->storage.state[b];
  sim->storage.state[b] = values;
}

oak_status_t oak_storage_scratch(oak_t *sim, size_t bytes) {
  if (bytes <= sim->storage.scratch_bytes) return OAK_OK;
  oak_device_free(sim->dev, sim->storage.scratch);
  sim->storage.scratch = NULL;
  sim->storage.scratch_bytes = 0;
  OAK_TRY(oak_device_alloc(sim->dev, bytes, &sim->storage.scratch));
  sim->storage.scratch_bytes = bytes;
  return OAK_OK;
}
