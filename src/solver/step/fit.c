/* SPDX-License-Identifier: GPL-2.0-or-later
 * Makes data and parts fit the mesh, after it has changed. */
#include "solver/step/sim.h"

/* What depends on the blocks of the mesh. Collective; the ranks agree. */
static oak_status_t fit_blocks(oak_t *sim) {
  OAK_TRY(oak_storage_states(&sim->data));
  oak_status_t st = oak_storage_blocks(&sim->data);
  if (st == OAK_OK) st = oak_parts_fit(sim);
  return oak_data_agree(&sim->data, st);
}

/* Prepare buffers for a new pattern. Every rank takes part in all steps. */
static oak_status_t fit_exchanges(oak_t *sim) {
  oak_status_t st = oak_storage_connect(&sim->data);
  oak_keep_failure(&st, oak_parts_connect(sim));
  return oak_data_agree(&sim->data, st);
}

oak_status_t oak_fit_mesh(oak_t *sim) {
  oak_data_t *data = &sim->data;
  const int fits = oak_storage_fits(data);
  int changed;
  oak_timer_start(&data->timers, OAK_PHASE_PATTERN);
  oak_status_t st = fits ? OAK_OK : fit_blocks(sim);
  if (st == OAK_OK) st = oak_pattern_update(&data->pattern, &data->transport, data->mesh, &changed);
  /* An earlier attempt may have made the pattern and failed after that. */
  if (st == OAK_OK && (changed || !fits)) st = fit_exchanges(sim);
  if (st == OAK_OK && !fits) st = oak_step_run(sim, OAK_STEP_NEW_MESH, &(oak_step_t){.state = 0});
  if (st == OAK_OK) oak_storage_fitted(data);
  oak_timer_stop(&data->timers, OAK_PHASE_PATTERN);
  return st;
}

oak_status_t oak_sim_whole(const oak_t *sim) {
  OAK_CHECK(!sim->lost, OAK_ERR_STATE,
            "reading a checkpoint, or an adaptation, has failed halfway, so there is no solution: "
            "read another checkpoint, or destroy the simulation");
  return OAK_OK;
}

oak_status_t oak_sim_fits(const oak_t *sim) {
  OAK_TRY(oak_sim_whole(sim));
  OAK_CHECK(oak_storage_fits(&sim->data), OAK_ERR_STATE,
            "the last adaptation lacked memory for what belongs to the new mesh: oak_advance and "
            "oak_adjust_refinement try to get it again, and oak_write_checkpoint works without");
  return OAK_OK;
}

int64_t oak_memory(const oak_t *sim) {
  OAK_HANDLE(sim, 0);
  return oak_storage_bytes(&sim->data) + oak_parts_bytes(sim);
}
