/* SPDX-License-Identifier: GPL-2.0-or-later
 * Time steps: per stage fill ghost cells, run the fused flux kernel, fix fluxes at refinement
 * boundaries; per step one reduction for the next time step and for invalid cells. */
#include <math.h>
#include <string.h>

#include "solver/sim.h"

void oak_sim_field(const oak_t *sim, int state, double time, oak_field_t *field) {
  *field = (oak_field_t){.block = sim->blocks,
                         .face = sim->halo.face.device,
                         .u = sim->state[state],
                         .halo = sim->halo.buffer,
                         .user = sim->user,
                         .time = time};
  memcpy(field->dx0, sim->dx0, sizeof field->dx0);
}

oak_status_t oak_fill_state(oak_t *sim, int state, double time) {
  oak_halo_args_t args = {.bc = sim->bc, .theta = sim->theta};
  oak_sim_field(sim, state, time, &args.f);
  return oak_halo_fill(&sim->halo, &args, &sim->timers);
}

oak_status_t oak_update_ghostcells(oak_t *sim) {
  return oak_agree(sim->comm, oak_fill_state(sim, 0, sim->time));
}

void oak_stage_args(const oak_t *sim, const oak_stage_t *stage, int out, double dt,
                    oak_flux_args_t *args) {
  *args = (oak_flux_args_t){.out = sim->state[out],
                            .nprev = stage->nprev,
                            .dt = stage->beta * dt,
                            .bflux = sim->halo.bflux,
                            .rate = sim->rate_dev,
                            .bad = sim->bad_dev};
  oak_sim_field(sim, stage->deriv, sim->time + stage->c * dt, &args->f);
  oak_stage_weights(stage, sim->real_size == sizeof(float), args->w);
  for (int p = 0; p < OAK_MAX_PREV; p++) /* unused ones: any state, with weight 0 */
    args->prev[p] = sim->state[stage->prev[p < stage->nprev ? p : 0]];
}

oak_status_t oak_launch_flux(oak_t *sim, const oak_flux_args_t *args) {
  oak_timer_start(&sim->timers, OAK_PHASE_FLUX);
  oak_status_t st = oak_device_launch(sim->dev, sim->kernel.flux,
                                      (long)sim->mesh->nblock * sim->tiles, args, sizeof *args);
  if (st == OAK_OK) st = oak_device_sync(sim->dev);
  oak_timer_stop(&sim->timers, OAK_PHASE_FLUX);
  return st;
}

/* One forward Euler step of a stage over all blocks. */
static oak_status_t launch_stage(oak_t *sim, const oak_stage_t *stage, double dt) {
  oak_flux_args_t args;
  oak_stage_args(sim, stage, stage->out, dt, &args);
  return oak_launch_flux(sim, &args);
}

oak_status_t oak_clear_invalid(oak_t *sim) {
  const size_t bytes = (size_t)sim->mesh->nblock * sim->tiles * sizeof *sim->bad;
  if (!bytes) return OAK_OK;
  memset(sim->bad, 0, bytes);
  return oak_device_upload(sim->dev, sim->bad_dev, sim->bad, bytes);
}

/* Largest rate of the last stage and invalid cells since oak_clear_invalid(), on all ranks. */
static oak_status_t reduce_results(oak_t *sim, oak_status_t st, int *invalid) {
  const int n = sim->mesh->nblock;
  double local[2] = {0, 0}, most[2];
  oak_timer_start(&sim->timers, OAK_PHASE_TIME_STEP);
  if (st == OAK_OK && n)
    st = oak_device_download(sim->dev, sim->rate, sim->rate_dev, n * sim->tiles * sizeof(double));
  if (st == OAK_OK && n)
    st = oak_device_download(sim->dev, sim->bad, sim->bad_dev, n * sim->tiles * sizeof(int));
  for (int b = 0; b < n && st == OAK_OK; b++) {
    double rate = 0;
    for (int t = 0; t < sim->tiles; t++) {
      if (sim->rate[b * sim->tiles + t] > rate) rate = sim->rate[b * sim->tiles + t];
      local[1] += sim->bad[b * sim->tiles + t];
    }
    sim->rate[b] = rate; /* from here on one per block */
    if (rate > local[0]) local[0] = rate;
  }
  if (st != OAK_OK) local[1] = INFINITY;
  MPI_Allreduce(local, most, 2, MPI_DOUBLE, MPI_MAX, sim->comm);
  sim->max_rate = most[0];
  sim->rates_fresh = 1;
  oak_timer_stop(&sim->timers, OAK_PHASE_TIME_STEP);
  *invalid = most[1] > 0;
  return isinf(most[1]) ? oak_agree(sim->comm, st) : OAK_OK;
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
  else {
    st = oak_fill_state(sim, 0, sim->time);
    if (st == OAK_OK) st = oak_clear_invalid(sim);
    if (st == OAK_OK) st = launch_stage(sim, &probe, 0);
  }
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
    /* The kernels of all stages add to the counts of invalid cells. */
    if (s == 0) st = oak_clear_invalid(sim);
    oak_status_t filled = oak_fill_state(sim, stage->deriv, sim->time + stage->c * dt);
    if (st == OAK_OK) st = filled;
    if (st == OAK_OK) st = launch_stage(sim, stage, dt);
    oak_status_t fixed = oak_fix_state(sim, stage->out, stage->beta * dt);
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
  sim->step++;
  sim->updates += sim->mesh->nglobal * sim->cells * sim->scheme->nstage;
  if (!invalid) return OAK_OK;
  for (int s = 1; s < sim->scheme->nstate; s++) {
    OAK_TRY(oak_find_invalid(sim, s - 1, s == 1 ? OAK_INVALID_STEP : OAK_INVALID_STAGE));
  }
  return oak_report_invalid(sim, sim->scheme->nstate - 1, OAK_INVALID_STAGE);
}
