/* SPDX-License-Identifier: GPL-2.0-or-later
 * Time steps. What takes place in a step is listed in parts.c. The stages end with one reduction,
 * for the next time step and for invalid cells. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/failure.h"
#include "solver/step/part.h"
#include "solver/step/sim.h"
#include "solver/step/trace.h"

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
  OAK_TRY(oak_parts_begin_step(sim));
  st = oak_parts_stage(sim)->probe(sim, &probe);
  OAK_TRY(reduce_results(sim, st, &invalid));
  if (!invalid) return OAK_OK;
  OAK_TRY(oak_find_invalid(sim, 0, OAK_INVALID_GIVEN));
  return oak_report_invalid(sim, probe.out, OAK_INVALID_FLUXES);
}

/* The part of the clock that a step changes. */
typedef struct {
  double time, dt, max_rate;
  int64_t updates;
  long step;
  oak_repairs_t repairs;
} before_t;

/* A rank that fails goes through the messages of all stages: the ranks agree at the end of the
 * step, or where a stage ends it. */
static oak_status_t run_stages(oak_t *sim, double dt, int *ended) {
  const oak_part_t *part = oak_parts_stage(sim);
  oak_status_t st = OAK_OK;
  for (int s = 0; s < sim->method.runge_kutta->nstage && !*ended; s++) {
    oak_stage_t stage = sim->method.runge_kutta->stage[s];
    sim->clock.stage = s;
    if (stage.out == sim->method.runge_kutta->result) stage.out = sim->method.result;
    oak_keep_failure(&st, part->stage(sim, &stage, s == 0, dt, ended));
  }
  return st;
}

/* All stages, and whether they leave invalid cells. */
static oak_status_t try_step(oak_t *sim, double dt, int *invalid) {
  const int64_t floored = sim->repairs.floored_cells;
  int ended = 0;
  sim->clock.taken_dt = dt;
  const oak_status_t st = run_stages(sim, dt, &ended);
  sim->clock.taken_dt = 0;
  sim->clock.stage = 0;
  if (ended && st != OAK_OK) return st;
  if (ended)
    *invalid = 1;
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

/* Advance what is not a part of the stages over `span`, within a step dt. Before the stages, the
 * order is reversed. */
static oak_status_t advance_beside(oak_t *sim, double time, double span, double dt, int before) {
  sim->clock.taken_dt = dt;
  const oak_status_t st = oak_parts_advance(sim, time, span, before);
  sim->clock.taken_dt = 0;
  if (st != OAK_OK) {
    sim->invalid.found = 1;
    sim->invalid.state = 0;
  }
  return st;
}

/* With scheme.splitting = strang, what is advanced beside the stages takes half a step before
 * them. */
static oak_status_t begin_step(oak_t *sim, double dt) {
  OAK_TRY(oak_parts_begin_step(sim));
  if (sim->method.kept) OAK_TRY(oak_sim_agree(sim, oak_copy_state(sim, sim->method.kept)));
  if (!oak_parts_beside(sim) || !sim->method.strang) return OAK_OK;
  OAK_TRY(oak_sim_agree(sim, oak_device_sync(sim->dev))); /* no rank reads the state any more */
  return advance_beside(sim, sim->clock.time, 0.5 * dt, dt, 1);
}

/* After the stages, at the new time, it takes the rest of the step. */
static oak_status_t end_step(oak_t *sim, double dt) {
  const double span = sim->method.strang ? 0.5 * dt : dt;
  if (!oak_parts_beside(sim)) return OAK_OK;
  return advance_beside(sim, sim->clock.time - span, span, dt, 0);
}

static oak_status_t advance(oak_t *sim, double dt, const before_t *before) {
  enum { MOST_RETRIES = 10 };
  const int result = sim->method.result;
  int invalid;
  OAK_CHECK(dt >= 0 && dt < INFINITY, OAK_ERR_ARGUMENT,
            "time step dt = %g: must be finite and not negative; if no wave moves, set run.dt_max",
            dt);
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
  const int there = result != 0 && !(oak_parts_beside(sim) && sim->method.strang) &&
                    !(oak_parts_need(sim) & OAK_PART_STATES);
  if (ended == OAK_ERR_STATE && sim->invalid.found && there) take_back(sim, before, result);
  if (!invalid) return ended;
  const oak_status_t st = report_step(sim);
  sim->invalid.found = 1;
  sim->invalid.state = 0;
  if (there) take_back(sim, before, result);
  return st;
}

oak_status_t oak_advance(oak_t *sim, double dt) {
  const before_t before = {sim->clock.time,    sim->clock.dt,   sim->rates.most,
                           sim->clock.updates, sim->clock.step, sim->repairs};
  sim->invalid.found = 0;
  oak_timer_step_begin(&sim->timers);
  const oak_status_t st = advance(sim, dt, &before);
  oak_timer_step_end(&sim->timers);
  if (st == OAK_ERR_STATE && sim->invalid.found && sim->method.kept)
    take_back(sim, &before, sim->method.kept);
  /* Repaired cells are compared with updates: those of a step that does not count do not either. */
  if (st != OAK_OK && sim->clock.updates == before.updates) sim->repairs = before.repairs;
  return st;
}

int64_t oak_retries(const oak_t *sim) { return sim->clock.retries; }
void oak_set_time(oak_t *sim, double time) {
  sim->clock.time = time;
  sim->rates.doubted = 1; /* TIMESTEP may depend on it */
}
void oak_set_step(oak_t *sim, long step) { sim->clock.step = step; }
