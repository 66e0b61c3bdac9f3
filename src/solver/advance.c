/* SPDX-License-Identifier: GPL-2.0-or-later
 * Time steps. Each stage fills ghost cells, runs the fused flux kernel and fixes fluxes at
 * refinement boundaries. Each step ends with one reduction, for the next time step and for invalid
 * cells. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solver/sim.h"
#include "solver/trace.h"

oak_status_t oak_update_ghostcells(oak_t *sim) {
  return oak_sim_agree(sim, oak_fill_ghosts(sim, 0, sim->clock.time));
}

/* Reduce over all ranks: the largest rate, the number of invalid cells, requests of ranks, and the
 * progress of their output. */
static oak_status_t reduce_results(oak_t *sim, oak_status_t st, int *invalid) {
  double local[4] = {0, 0, sim->run.asks, sim->run.disk}, most[4];
  oak_timer_start(&sim->timers, OAK_PHASE_TIME_STEP);
  if (st == OAK_OK) st = oak_read_results(sim, local);
  if (st != OAK_OK) local[1] = INFINITY;
  oak_sim_failed(sim, st);
  MPI_Allreduce(local, most, 4, MPI_DOUBLE, MPI_MAX, sim->comm);
  sim->rates.most = most[0];
  sim->run.asked = most[2];
  sim->run.disk_most = most[3];
  sim->rates.known = OAK_RATES_KNOWN;
  sim->rates.doubted = 0;
  oak_timer_stop(&sim->timers, OAK_PHASE_TIME_STEP);
  *invalid = most[1] > 0;
  return isinf(most[1]) ? oak_sim_agree(sim, st) : OAK_OK;
}

double oak_time_step(const oak_t *sim) {
  double dt = sim->rates.most > 0 ? sim->method.cfl / sim->rates.most : INFINITY;
  if (sim->method.dt_max > 0 && dt > sim->method.dt_max) dt = sim->method.dt_max;
  return dt;
}

oak_status_t oak_update_time_step(oak_t *sim) {
  /* With a step of zero the flux kernel copies the state and reports the wave speeds. */
  static const oak_stage_t probe = {
      .deriv = 0, .out = 1, .beta = 0, .nprev = 1, .prev = {0}, .w = {1}};
  int invalid, changed = sim->rates.known != OAK_RATES_KNOWN || sim->rates.doubted;
  oak_status_t st;
  MPI_Allreduce(MPI_IN_PLACE, &changed, 1, MPI_INT, MPI_MAX, sim->comm);
  if (!changed) return OAK_OK;
  OAK_TRY(oak_update_globals(sim));
  if (sim->method.first_order)
    st = oak_careful_probe(sim, &probe);
  else
    st = oak_run_stage(sim, &probe, 1, 0);
  OAK_TRY(reduce_results(sim, st, &invalid));
  if (!invalid) return OAK_OK;
  OAK_TRY(oak_find_invalid(sim, 0, OAK_INVALID_GIVEN));
  return oak_report_invalid(sim, probe.out, OAK_INVALID_FLUXES);
}

oak_status_t oak_adapt_finish(oak_t *sim) {
  if (sim->storage.revision == sim->mesh->revision) return OAK_OK;
  OAK_TRY(oak_storage_fit(sim));
  if (sim->adapt.rates_due) OAK_TRY(oak_update_time_step(sim));
  sim->adapt.rates_due = 0;
  oak_rates_forget(sim);
  return OAK_OK;
}

/* The part of the clock that a step changes. */
typedef struct {
  double time, dt, max_rate;
  int64_t updates;
  long step;
} before_t;

/* A rank that fails goes through the messages of all stages: the ranks agree at the end of the
 * step. */
static oak_status_t run_stages(oak_t *sim, double dt, int *refused) {
  oak_status_t st = OAK_OK;
  for (int s = 0; s < sim->method.runge_kutta->nstage; s++) {
    oak_stage_t stage = sim->method.runge_kutta->stage[s];
    sim->clock.stage = s;
    if (stage.out == sim->method.runge_kutta->result) stage.out = sim->method.result;
    if (sim->method.first_order || sim->method.floors) {
      OAK_TRY(oak_careful_stage(sim, &stage, dt, refused));
      if (*refused) return OAK_OK;
      continue;
    }
    const oak_status_t ran = oak_run_stage(sim, &stage, s == 0, dt);
    if (st == OAK_OK) st = ran;
    const oak_status_t fixed = oak_fix_state(sim, stage.out, stage.beta * dt);
    if (st == OAK_OK) st = fixed;
  }
  return st;
}

/* All stages, and whether they leave invalid cells. */
static oak_status_t try_step(oak_t *sim, double dt, int *invalid) {
  const int64_t floored = sim->repairs.floored_cells;
  int refused = 0;
  sim->clock.taken_dt = dt;
  const oak_status_t st = run_stages(sim, dt, &refused);
  sim->clock.taken_dt = 0;
  sim->clock.stage = 0;
  if (refused)
    *invalid = 1;
  else if (sim->invalid.found)
    return st;
  else
    OAK_TRY(reduce_results(sim, st, invalid));
  if (*invalid && sim->method.retry) sim->repairs.floored_cells = floored;
  return OAK_OK;
}

/* The solution, time and step before a failed step; the solution is in state `from`. */
static void take_back(oak_t *sim, const before_t *before, int from) {
  oak_storage_swap(sim, 0, from);
  if (sim->invalid.state == 0) sim->invalid.state = from;
  sim->clock.time = before->time;
  sim->clock.dt = before->dt;
  sim->rates.most = before->max_rate;
  oak_rates_forget(sim);
  sim->clock.step = before->step;
  sim->clock.updates = before->updates;
}

/* After a failed step whose solution is in state 0, report where the first invalid cell is. */
static oak_status_t report_step(oak_t *sim) {
  const oak_invalid_t kind = sim->method.retry ? OAK_INVALID_RETRIED : OAK_INVALID_STEP;
  OAK_TRY(oak_trace(sim, sim->method.nstate, OAK_TRACE_CHANGES, 0));
  for (int s = 1; s < sim->method.runge_kutta->nstate; s++)
    OAK_TRY(oak_find_invalid(sim, s - 1, s == 1 ? kind : OAK_INVALID_STAGE));
  return oak_report_invalid(sim, sim->method.runge_kutta->nstate - 1, OAK_INVALID_STAGE);
}

int oak_has_parts(const oak_t *sim) {
  return oak_has_update(sim) || sim->diffusion.kind == OAK_DIFFUSION_RKL2;
}

/* Advance the solution by super time stepping and UPDATE, as parts of a step dt. Before the stages,
 * their order is reversed. If they leave an invalid cell, it stays in the solution. */
static oak_status_t advance_parts(oak_t *sim, double time, double part, int before) {
  oak_status_t st = OAK_OK;
  for (int n = 0; n < 2 && st == OAK_OK; n++) {
    if (n == before && sim->diffusion.kind == OAK_DIFFUSION_RKL2)
      st = oak_apply_diffusion(sim, time, part);
    if (n != before && oak_has_update(sim)) st = oak_apply_update(sim, time, part);
  }
  return st;
}

static oak_status_t run_parts(oak_t *sim, double time, double part, double dt, int before) {
  sim->clock.taken_dt = dt;
  const oak_status_t st = advance_parts(sim, time, part, before);
  sim->clock.taken_dt = 0;
  if (st != OAK_OK) {
    sim->invalid.found = 1;
    sim->invalid.state = 0;
  }
  return st;
}

/* Before the stages, the globals are computed. With scheme.splitting = strang, the parts that are
 * advanced separately (UPDATE, rkl2) then take half a step. */
static oak_status_t begin_step(oak_t *sim, double dt) {
  OAK_TRY(oak_update_globals(sim));
  if (sim->method.kept) OAK_TRY(oak_sim_agree(sim, oak_copy_state(sim, sim->method.kept)));
  if (!oak_has_parts(sim) || !sim->method.strang) return OAK_OK;
  OAK_TRY(oak_sim_agree(sim, oak_device_sync(sim->dev))); /* no rank reads the state any more */
  return run_parts(sim, sim->clock.time, 0.5 * dt, dt, 1);
}

/* After the stages, at the new time, these parts take the rest of their step. */
static oak_status_t end_step(oak_t *sim, double dt) {
  const double part = sim->method.strang ? 0.5 * dt : dt;
  return oak_has_parts(sim) ? run_parts(sim, sim->clock.time - part, part, dt, 0) : OAK_OK;
}

static oak_status_t advance(oak_t *sim, double dt, const before_t *before) {
  enum { MOST_RETRIES = 10 };
  const int result = sim->method.result;
  int invalid;
  OAK_CHECK(dt >= 0 && dt < INFINITY, OAK_ERR_ARGUMENT,
            "time step dt = %g: must be finite and not negative; if no wave moves, set run.dt_max",
            dt);
  OAK_TRY(oak_adapt_finish(sim)); /* an adaptation that failed before for lack of memory */
  OAK_TRY(begin_step(sim, dt));
  OAK_TRY(try_step(sim, dt, &invalid));
  for (int n = 0; invalid && sim->method.retry && n < MOST_RETRIES; n++) {
    dt *= 0.5;
    sim->clock.retries++;
    OAK_TRY(try_step(sim, dt, &invalid));
  }
  if (result != 0) oak_storage_swap(sim, 0, result);
  sim->clock.time += dt;
  sim->clock.dt = dt;
  const oak_status_t ended = invalid ? OAK_OK : end_step(sim, dt);
  sim->clock.step++;
  sim->clock.updates += sim->mesh->nglobal * sim->cells * sim->method.runge_kutta->nstage;
  /* The stages have left the start of the step in the state from which the solution came. */
  const int there = result != 0 && !(oak_has_parts(sim) && sim->method.strang) &&
                    sim->diffusion.kind != OAK_DIFFUSION_RKL2;
  if (ended == OAK_ERR_STATE && sim->invalid.found && there) take_back(sim, before, result);
  if (!invalid) return ended;
  const oak_status_t st = report_step(sim);
  sim->invalid.found = 1;
  sim->invalid.state = 0;
  if (there) take_back(sim, before, result);
  return st;
}

oak_status_t oak_advance(oak_t *sim, double dt) {
  const before_t before = {sim->clock.time, sim->clock.dt, sim->rates.most, sim->clock.updates,
                           sim->clock.step};
  sim->invalid.found = 0;
  oak_timer_step_begin(&sim->timers);
  const oak_status_t st = advance(sim, dt, &before);
  oak_timer_step_end(&sim->timers);
  if (st == OAK_ERR_STATE && sim->invalid.found && sim->method.kept)
    take_back(sim, &before, sim->method.kept);
  return st;
}

int64_t oak_retries(const oak_t *sim) { return sim->clock.retries; }
void oak_set_time(oak_t *sim, double time) {
  sim->clock.time = time;
  sim->rates.doubted = 1; /* TIMESTEP may depend on it */
}
void oak_set_step(oak_t *sim, long step) { sim->clock.step = step; }
