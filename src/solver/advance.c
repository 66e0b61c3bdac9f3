/* SPDX-License-Identifier: GPL-2.0-or-later
 * Time steps: per stage fill ghost cells, run the fused flux kernel, fix fluxes at refinement
 * boundaries; per step one reduction for the next time step and for invalid cells. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solver/sim.h"

oak_status_t oak_update_ghostcells(oak_t *sim) {
  return oak_sim_agree(sim, oak_fill_state(sim, 0, sim->time));
}

/* Largest rate, invalid cells and what ranks ask for of this step, on all ranks. */
static oak_status_t reduce_results(oak_t *sim, oak_status_t st, int *invalid) {
  double local[3] = {0, 0, sim->asks}, most[3];
  oak_timer_start(&sim->timers, OAK_PHASE_TIME_STEP);
  if (st == OAK_OK) st = oak_read_results(sim, local);
  if (st != OAK_OK) local[1] = INFINITY;
  oak_sim_failed(sim, st);
  MPI_Allreduce(local, most, 3, MPI_DOUBLE, MPI_MAX, sim->comm);
  sim->max_rate = most[0];
  sim->asked = most[2];
  sim->rates_fresh = 1;
  oak_timer_stop(&sim->timers, OAK_PHASE_TIME_STEP);
  *invalid = most[1] > 0;
  return isinf(most[1]) ? oak_sim_agree(sim, st) : OAK_OK;
}

double oak_time_step(const oak_t *sim) {
  double dt = sim->max_rate > 0 ? sim->cfl / sim->max_rate : INFINITY;
  if (sim->dt_max > 0 && dt > sim->dt_max) dt = sim->dt_max;
  return dt;
}

oak_status_t oak_update_time_step(oak_t *sim) {
  /* The flux kernel with a step of zero: copies the state and reports wave speeds. */
  static const oak_stage_t probe = {
      .deriv = 0, .out = 1, .beta = 0, .nprev = 1, .prev = {0}, .w = {1}};
  int invalid;
  oak_status_t st;
  if (sim->first_order)
    st = oak_careful_probe(sim, &probe);
  else
    st = oak_run_stage(sim, &probe, 1, 0);
  OAK_TRY(reduce_results(sim, st, &invalid));
  if (!invalid) return OAK_OK;
  OAK_TRY(oak_find_invalid(sim, 0, OAK_INVALID_GIVEN));
  return oak_report_invalid(sim, probe.out, OAK_INVALID_FLUXES);
}

/* A rank that fails goes through the messages of all stages: the ranks agree at the end of the
 * step. */
static oak_status_t run_stages(oak_t *sim, double dt) {
  oak_status_t st = OAK_OK;
  for (int s = 0; s < sim->scheme->nstage; s++) {
    const oak_stage_t *stage = &sim->scheme->stage[s];
    if (sim->first_order || sim->floors) {
      OAK_TRY(oak_careful_stage(sim, stage, dt));
      continue;
    }
    const oak_status_t ran = oak_run_stage(sim, stage, s == 0, dt);
    if (st == OAK_OK) st = ran;
    const oak_status_t fixed = oak_fix_state(sim, stage->out, stage->beta * dt);
    if (st == OAK_OK) st = fixed;
  }
  return st;
}

oak_status_t oak_advance(oak_t *sim, double dt) {
  int invalid;
  OAK_CHECK(dt >= 0 && dt < INFINITY, OAK_ERR_ARGUMENT,
            "time step dt = %g: must be finite and not negative (no wave moves? set run.dt_max)",
            dt);
  OAK_TRY(reduce_results(sim, run_stages(sim, dt), &invalid));
  if (sim->scheme->result != 0) oak_storage_swap(sim, 0, sim->scheme->result);
  sim->time += dt;
  sim->dt = dt;
  sim->step++;
  sim->updates += sim->mesh->nglobal * sim->cells * sim->scheme->nstage;
  if (!invalid) return OAK_OK;
  for (int s = 1; s < sim->scheme->nstate; s++) {
    OAK_TRY(oak_find_invalid(sim, s - 1, s == 1 ? OAK_INVALID_STEP : OAK_INVALID_STAGE));
  }
  return oak_report_invalid(sim, sim->scheme->nstate - 1, OAK_INVALID_STAGE);
}
