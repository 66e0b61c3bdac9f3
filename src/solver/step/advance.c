/* SPDX-License-Identifier: GPL-2.0-or-later
 * Time steps. What takes place in a step is listed in parts.c. The stages end with one reduction,
 * for the next time step and for invalid cells. */
#include <math.h>
#include <string.h>

#include "base/await.h"
#include "solver/step/sim.h"
#include "solver/step/stage.h"
#include "solver/step/trace.h"

/* Reduce over all ranks: the largest rate, the number of invalid cells, requests of ranks, and the
 * progress of their output. */
static oak_status_t reduce_results(oak_t *sim, oak_status_t st, int *invalid) {
  double local[4] = {0, 0, sim->run.asks, sim->run.disk}, most[4];
  oak_timer_start(&sim->data.timers, OAK_PHASE_TIME_STEP);
  if (st == OAK_OK) st = oak_read_results(sim, local);
  if (st != OAK_OK) local[1] = INFINITY;
  oak_data_failed(&sim->data, st);
  oak_await(sim->setup.comm);
  MPI_Allreduce(local, most, 4, MPI_DOUBLE, MPI_MAX, sim->setup.comm);
  if (isinf(most[1])) /* some rank has no rates */
    oak_rates_forget(sim);
  else
    oak_rates_set(sim, (oak_rates_t){.most = most[0], .known = OAK_RATES_KNOWN});
  sim->run.asked = most[2];
  sim->run.disk_most = most[3];
  oak_timer_stop(&sim->data.timers, OAK_PHASE_TIME_STEP);
  *invalid = most[1] > 0;
  return isinf(most[1]) ? oak_data_agree(&sim->data, st) : OAK_OK;
}

oak_status_t oak_update_time_step(oak_t *sim) {
  OAK_BEGIN(sim);
  OAK_TRY(oak_sim_whole(sim));
  /* With a step of zero the flux kernel copies the state and reports the wave speeds. */
  static const oak_stage_t probe = {
      .deriv = 0, .out = 1, .beta = 0, .nprev = 1, .prev = {0}, .w = {1}};
  int invalid, changed = sim->rates.known != OAK_RATES_KNOWN || sim->rates.doubted;
  oak_status_t st;
  MPI_Allreduce(MPI_IN_PLACE, &changed, 1, MPI_INT, MPI_MAX, sim->setup.comm);
  if (!changed) return OAK_OK;
  OAK_TRY(oak_parts_begin_step(sim));
  st = oak_parts_stage(sim)->probe(sim, &probe);
  OAK_TRY(reduce_results(sim, st, &invalid));
  if (!invalid) return OAK_OK;
  OAK_TRY(oak_find_invalid(sim, 0, OAK_INVALID_GIVEN));
  return oak_report_invalid(sim, probe.out, OAK_INVALID_FLUXES);
}

oak_status_t oak_look_ahead(oak_t *sim, double dt) {
  const oak_solution_time_t clock = sim->data.clock;
  const double most = sim->rates.most;
  if (most >= sim->rates.least && !oak_rates_unmoved(sim)) return OAK_OK;
  oak_rates_forget(sim);
  sim->data.clock.time += dt;
  sim->data.clock.taken_dt = dt;
  const oak_status_t st = oak_update_time_step(sim);
  sim->data.clock = clock;
  sim->rates.most = fmax(most, sim->rates.most);
  return st;
}

/* What a step that fails takes back. */
typedef struct {
  oak_solution_time_t clock;
  double max_rate;
  oak_counts_t counts;
} before_t;

/* A rank that fails goes through the messages of all stages: the ranks agree at the end of the
 * step, or where a stage ends it. */
static oak_status_t run_stages(oak_t *sim, double dt, int *ended) {
  const oak_part_t *part = oak_parts_stage(sim);
  oak_status_t st = OAK_OK;
  for (int s = 0; s < sim->setup.method.runge_kutta->nstage && !*ended; s++) {
    oak_stage_t stage = sim->setup.method.runge_kutta->stage[s];
    sim->data.clock.stage = s;
    if (stage.out == sim->setup.method.runge_kutta->result) stage.out = sim->setup.method.result;
    oak_keep_failure(&st, part->stage(sim, &stage, s == 0, dt, ended));
  }
  return st;
}

/* All stages, and whether they leave invalid cells. */
static oak_status_t try_step(oak_t *sim, double dt, int *invalid) {
  const oak_counts_t before = sim->counts;
  int ended = 0;
  sim->data.clock.taken_dt = dt;
  const oak_status_t st = run_stages(sim, dt, &ended);
  sim->data.clock.taken_dt = 0;
  sim->data.clock.stage = 0;
  if (ended && st != OAK_OK) return st;
  if (ended)
    *invalid = 1;
  else
    OAK_TRY(reduce_results(sim, st, invalid));
  if (*invalid && sim->setup.method.retry) sim->counts = before;
  return OAK_OK;
}

/* Go back to solution, time and step before a failed step. That solution is in state `from`. */
static void take_back(oak_t *sim, const before_t *before, int from) {
  oak_storage_swap(&sim->data, 0, from);
  if (sim->invalid.state == 0) sim->invalid.state = from;
  sim->data.clock = before->clock;
  sim->counts.updates = before->counts.updates;
  oak_rates_set(sim, (oak_rates_t){.most = before->max_rate, .known = OAK_RATES_UNKNOWN});
}

/* After a failed step whose solution is in state 0, report where the first invalid cell is. */
static oak_status_t report_step(oak_t *sim) {
  const oak_invalid_t kind = sim->setup.method.retry ? OAK_INVALID_RETRIED : OAK_INVALID_STEP;
  OAK_TRY(oak_trace(sim, sim->setup.method.nstate, OAK_TRACE_CHANGES, 0));
  for (int s = 1; s < sim->setup.method.runge_kutta->nstate; s++)
    OAK_TRY(oak_find_invalid(sim, s - 1, s == 1 ? kind : OAK_INVALID_STAGE));
  return oak_report_invalid(sim, sim->setup.method.runge_kutta->nstate - 1, OAK_INVALID_STAGE);
}

/* Advance by `span`, within a step dt, everything that is not part of the stages. Before the
 * stages, the order is reversed. */
static oak_status_t advance_beside(oak_t *sim, double time, double span, double dt, int before) {
  sim->data.clock.taken_dt = dt;
  const oak_status_t st = oak_parts_advance(sim, time, span, before);
  sim->data.clock.taken_dt = 0;
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
  if (sim->setup.method.kept)
    OAK_TRY(oak_data_agree(&sim->data, oak_copy_state(&sim->data, sim->setup.method.kept)));
  if (!oak_parts_beside(sim) || !sim->setup.method.strang) return OAK_OK;
  OAK_TRY(oak_data_agree(&sim->data,
                         oak_device_sync(sim->setup.dev))); /* no rank reads the state any more */
  return advance_beside(sim, sim->data.clock.time, 0.5 * dt, dt, 1);
}

/* After the stages, at the new time, it takes the rest of the step. */
static oak_status_t end_step(oak_t *sim, double dt) {
  const double span = sim->setup.method.strang ? 0.5 * dt : dt;
  if (!oak_parts_beside(sim)) return OAK_OK;
  return advance_beside(sim, sim->data.clock.time - span, span, dt, 0);
}

static oak_status_t advance(oak_t *sim, double dt, const before_t *before) {
  enum { MOST_RETRIES = 10 };
  const int result = sim->setup.method.result;
  int invalid;
  OAK_CHECK(dt >= 0 && dt < INFINITY, OAK_ERR_ARGUMENT,
            "time step dt = %g: must be finite and not negative; if no wave moves, set run.dt_max",
            dt);
  OAK_TRY(begin_step(sim, dt));
  OAK_TRY(try_step(sim, dt, &invalid));
  for (int n = 0; invalid && sim->setup.method.retry && n < MOST_RETRIES; n++) {
    dt *= 0.5;
    sim->counts.retries++;
    OAK_TRY(try_step(sim, dt, &invalid));
  }
  if (result != 0) oak_storage_swap(&sim->data, 0, result);
  sim->data.clock.time += dt;
  sim->data.clock.dt = dt;
  const oak_status_t ended = invalid ? OAK_OK : end_step(sim, dt);
  sim->data.clock.step++;
  sim->counts.updates +=
      sim->data.mesh->nglobal * sim->setup.cells * sim->setup.method.runge_kutta->nstage;
  /* The state that was swapped with state 0 still holds the solution at the start of the step,
   * unless something else has used it. */
  const int there = result != 0 && !(oak_parts_beside(sim) && sim->setup.method.strang) &&
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
  OAK_BEGIN(sim);
  OAK_TRY(oak_sim_whole(sim));
  const before_t before = {sim->data.clock, sim->rates.most, sim->counts};
  sim->invalid.found = 0;
  sim->revision++;
  oak_timer_step_begin(&sim->data.timers);
  const double rate = oak_rates_of_step(sim);
  const oak_status_t st = advance(sim, dt, &before);
  if (st == OAK_OK) sim->rates.least = 0.5 * rate;
  oak_timer_step_end(&sim->data.timers);
  if (st == OAK_ERR_STATE && sim->invalid.found && sim->setup.method.kept)
    take_back(sim, &before, sim->setup.method.kept);
  /* The number of repaired cells is compared with the number of updates. A failed step counts in
   * neither. */
  if (st != OAK_OK && sim->counts.updates == before.counts.updates) {
    const int64_t retries = sim->counts.retries;
    sim->counts = before.counts;
    sim->counts.retries = retries;
  }
  return st;
}
