/* SPDX-License-Identifier: GPL-2.0-or-later
 * Time steps: per stage fill ghost cells, run the fused flux kernel, fix fluxes at refinement
 * boundaries; per step one reduction for the next time step and for invalid cells. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solver/sim.h"

void oak_sim_field(const oak_t *sim, int state, double time, oak_field_t *field) {
  *field = (oak_field_t){.block = sim->blocks, .user = sim->user, .time = time};
  oak_exchange_field(&sim->exchange, &sim->state[state], field);
  memcpy(field->dx0, sim->dx0, sizeof field->dx0);
  for (int d = 0; d < sim->dim; d++) field->inv_dx0[d] = 1 / sim->dx0[d];
}

static void halo_args(const oak_t *sim, int state, double time, oak_halo_args_t *args) {
  *args = (oak_halo_args_t){.bc = sim->bc, .theta = sim->theta};
  oak_sim_field(sim, state, time, &args->f);
}

oak_status_t oak_fill_state(oak_t *sim, int state, double time) {
  oak_halo_args_t args;
  halo_args(sim, state, time, &args);
  return oak_exchange_fill(&sim->exchange, &sim->state[state], &args, &sim->timers);
}

oak_status_t oak_update_ghostcells(oak_t *sim) {
  return oak_sim_agree(sim, oak_fill_state(sim, 0, sim->time));
}

void oak_stage_args(const oak_t *sim, const oak_stage_t *stage, int out, double dt,
                    oak_flux_args_t *args) {
  *args = (oak_flux_args_t){.out = oak_sim_state(sim, out),
                            .nprev = stage->nprev,
                            .dt = stage->beta * dt,
                            .bflux = sim->fluxfix.bflux,
                            .parts = sim->parts,
                            .first = 1,
                            .rate = sim->rate_dev,
                            .bad = sim->bad_dev};
  oak_sim_field(sim, stage->deriv, sim->time + stage->c * dt, &args->f);
  oak_stage_weights(stage, sim->real_size == sizeof(float), args->w);
  for (int p = 0; p < OAK_MAX_PREV; p++) /* unused ones: any state, with weight 0 */
    args->prev[p] = oak_sim_state(sim, stage->prev[p < stage->nprev ? p : 0]);
}

oak_status_t oak_launch_flux(oak_t *sim, oak_flux_args_t *args, const oak_list_t *blocks) {
  const long count = blocks ? blocks->count : sim->mesh->nblock;
  if (!count) return OAK_OK;
  args->f.list = blocks ? blocks->device : NULL;
  oak_timer_start(&sim->timers, OAK_PHASE_FLUX);
  oak_status_t st = oak_device_launch(sim->dev, sim->kernel.flux, count * oak_sim_results(sim),
                                      args, sizeof *args);
  oak_timer_stop(&sim->timers, OAK_PHASE_FLUX);
  return st;
}

/* Ghost cells and one forward Euler step of a stage. Where some come in messages, blocks that need
 * none of them are computed while the messages are under way. A rank that fails goes through all
 * meetings and messages. */
static oak_status_t run_stage(oak_t *sim, const oak_stage_t *stage, int first, double dt) {
  oak_halo_args_t halo;
  oak_flux_args_t args;
  const int split = sim->transport.messages;
  halo_args(sim, stage->deriv, sim->time + stage->c * dt, &halo);
  oak_stage_args(sim, stage, stage->out, dt, &args);
  args.first = first;
  oak_status_t st =
      oak_exchange_begin(&sim->exchange, &sim->state[stage->deriv], &halo, &sim->timers);
  if (st == OAK_OK && split) st = oak_launch_flux(sim, &args, &sim->pattern.inner);
  const oak_status_t filled = oak_exchange_end(&sim->exchange, &halo, &sim->timers);
  if (st == OAK_OK) st = filled;
  if (st == OAK_OK) st = oak_launch_flux(sim, &args, split ? &sim->pattern.outer : NULL);
  return st;
}

oak_status_t oak_read_results(oak_t *sim, double local[2]) {
  const long count = (long)sim->mesh->nblock * oak_sim_results(sim), chunks = oak_sim_chunks(count);
  oak_results_args_t args = {
      .rate = sim->rate_dev, .bad = sim->bad_dev, .count = count, .out = sim->results_dev};
  local[0] = local[1] = 0;
  if (!count) return OAK_OK;
  double *out = malloc(2 * chunks * sizeof *out);
  OAK_CHECK(out, OAK_ERR_MEMORY, "out of memory for the results of %ld tiles", count);
  oak_status_t st = oak_device_launch(sim->dev, sim->kernel.results, chunks, &args, sizeof args);
  if (st == OAK_OK)
    st = oak_device_download(sim->dev, out, sim->results_dev, 2 * chunks * sizeof *out);
  for (long c = 0; c < chunks && st == OAK_OK; c++) {
    if (out[2 * c] > local[0]) local[0] = out[2 * c];
    local[1] += out[2 * c + 1];
  }
  free(out);
  return st;
}

/* The same on all ranks. */
static oak_status_t reduce_results(oak_t *sim, oak_status_t st, int *invalid) {
  double local[2] = {0, 0}, most[2];
  oak_timer_start(&sim->timers, OAK_PHASE_TIME_STEP);
  if (st == OAK_OK) st = oak_read_results(sim, local);
  if (st != OAK_OK) local[1] = INFINITY;
  oak_sim_failed(sim, st);
  MPI_Allreduce(local, most, 2, MPI_DOUBLE, MPI_MAX, sim->comm);
  sim->max_rate = most[0];
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
    st = run_stage(sim, &probe, 1, 0);
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
    const oak_status_t ran = run_stage(sim, stage, s == 0, dt);
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
  sim->step++;
  sim->updates += sim->mesh->nglobal * sim->cells * sim->scheme->nstage;
  if (!invalid) return OAK_OK;
  for (int s = 1; s < sim->scheme->nstate; s++) {
    OAK_TRY(oak_find_invalid(sim, s - 1, s == 1 ? OAK_INVALID_STEP : OAK_INVALID_STAGE));
  }
  return oak_report_invalid(sim, sim->scheme->nstate - 1, OAK_INVALID_STAGE);
}
