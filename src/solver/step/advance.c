/* SPDX-License-Identifier: GPL-2.0-or-later
 * Time steps. What takes place in a step is listed in parts.c. The stages end with one reduction,
 * for the next time step and for invalid cells. */
#include <math.h>

#include "solver/step/sim.h"

/* ---- a stage: ghost cells and fluxes */

/* Begin stage sim->data.clock.stage of a step step->dt; last: of the stages. */
static void stage_begin(const oak_t *sim, oak_step_t *step, const oak_stage_t *stage, int last) {
  const oak_data_t *data = &sim->data;
  step->stage = *stage;
  step->state = stage->deriv;
  step->out = stage->out;
  step->time = data->clock.time + stage->c * step->dt;
  step->pass = 0;
  step->marked = step->all_marked = 0;
  oak_data_halo(data, step->state, step->time, &step->halo);
  step->flux = (oak_flux_args_t){.f = step->halo.f,
                                 .out = oak_data_state(data, step->out),
                                 .nprev = stage->nprev,
                                 .dt = stage->beta * step->dt,
                                 .cfl = sim->setup.method.cfl,
                                 .part_bits = __builtin_ctz((unsigned)data->results.parts),
                                 .first = data->clock.stage == 0,
                                 .rates = last,
                                 .rate = data->results.rate,
                                 .bad = data->results.bad,
                                 .bflux = sim->fluxfix.bflux.at};
  if (sim->setup.method.diffusion == OAK_DIFFUSION_EXPLICIT)
    step->flux.diffusion = oak_data_state(data, sim->diffusion.rate);
  step->flux.shares = sim->curl.shares.memory.mine;
  oak_stage_weights(stage, sim->setup.bytes.real == sizeof(float), step->flux.w);
  for (int p = 0; p < OAK_MAX_PREV; p++) /* unused ones: any state, with weight 0 */
    step->flux.prev[p] = oak_data_state(data, stage->prev[p < stage->nprev ? p : 0]);
}

oak_status_t oak_ghosts_begin(oak_t *sim, oak_step_t *step) {
  return oak_exchange_begin(&sim->data.exchange, &sim->data.storage.state[step->state], &step->halo,
                            &sim->data.timers);
}

oak_status_t oak_ghosts_end(oak_t *sim, oak_step_t *step) {
  return oak_exchange_end(&sim->data.exchange, &step->halo, &sim->data.timers);
}

/* Over the blocks of a list, or all of them (NULL). */
static oak_status_t launch_flux(oak_t *sim, oak_flux_args_t *args, const oak_list_t *blocks) {
  const long count = blocks ? blocks->count : sim->data.mesh->nblock;
  if (!count) return OAK_OK;
  args->f.list = blocks ? blocks->device : NULL;
  return OAK_TIMED(&sim->data.timers, OAK_PHASE_FLUX,
                   oak_device_launch(sim->setup.dev, sim->setup.kernel.flux,
                                     count * oak_data_results(&sim->data), args, sizeof *args));
}

/* Blocks that need no ghost cells of a message are computed while messages travel. */
oak_status_t oak_fluxes_inner(oak_t *sim, oak_step_t *step) {
  step->inner = sim->data.transport.messages;
  return step->inner ? launch_flux(sim, &step->flux, &sim->data.pattern.inner) : OAK_OK;
}

oak_status_t oak_fluxes_outer(oak_t *sim, oak_step_t *step) {
  const oak_list_t *outer = step->inner ? &sim->data.pattern.outer : NULL;
  step->inner = 0; /* a stage that is repeated computes all blocks */
  return launch_flux(sim, &step->flux, outer);
}

static int wanted_inner(const oak_t *sim) {
  return sim->setup.size > 1 && !(sim->parts.needs & OAK_NEEDS_GHOSTS);
}

const oak_part_t oak_part_fluxes = {.wanted = NULL};
const oak_part_t oak_part_inner = {.wanted = wanted_inner};

/* ---- a step */

oak_status_t oak_update_time_step(oak_t *sim) {
  OAK_BEGIN_WHOLE(sim);
  /* With a step of zero the flux kernel copies the state and reports the wave speeds. */
  static const oak_stage_t probe = {
      .deriv = 0, .out = 1, .beta = 0, .nprev = 1, .prev = {0}, .w = {1}};
  int changed = sim->rates.known != OAK_RATES_KNOWN || sim->rates.doubted;
  oak_step_t step = {.time = sim->data.clock.time};
  MPI_Allreduce(MPI_IN_PLACE, &changed, 1, MPI_INT, MPI_MAX, sim->setup.comm);
  if (!changed) return OAK_OK;
  OAK_TRY(oak_step_run(sim, OAK_STEP_START, &step));
  stage_begin(sim, &step, &probe, 1);
  oak_step_run(sim, OAK_STEP_FLUXES, &step);
  OAK_TRY(oak_step_run(sim, OAK_STEP_END, &step));
  if (!step.invalid) return OAK_OK;
  OAK_TRY(oak_find_invalid(sim, 0, OAK_INVALID_GIVEN));
  return oak_report_invalid(sim, step.out, OAK_INVALID_FLUXES);
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

/* All stages, and whether they leave invalid cells. */
static oak_status_t try_step(oak_t *sim, double dt, int *invalid) {
  const oak_runge_kutta_t *scheme = sim->setup.method.runge_kutta;
  const oak_counts_t before = sim->counts;
  oak_step_t step = {.dt = dt};
  sim->data.clock.taken_dt = dt;
  for (int s = 0; s < scheme->nstage && !step.ended; s++) {
    oak_stage_t stage = scheme->stage[s];
    if (stage.out == scheme->result) stage.out = sim->setup.method.result;
    sim->data.clock.stage = s;
    stage_begin(sim, &step, &stage, s == scheme->nstage - 1);
    oak_step_run(sim, OAK_STEP_FLUXES, &step);
    oak_step_run(sim, OAK_STEP_RESULT, &step);
  }
  sim->data.clock.taken_dt = 0;
  sim->data.clock.stage = 0;
  OAK_TRY(oak_step_run(sim, OAK_STEP_END, &step));
  *invalid = step.invalid > 0;
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
  const int retry = sim->setup.method.retry;
  const oak_invalid_t step = retry ? OAK_INVALID_RETRIED : OAK_INVALID_STEP;
  const oak_invalid_t stage = retry ? OAK_INVALID_RETRIED : OAK_INVALID_STAGE;
  for (int s = 1; s < sim->setup.method.runge_kutta->nstate; s++)
    OAK_TRY(oak_find_invalid(sim, s - 1, s == 1 ? step : stage));
  return oak_report_invalid(sim, sim->setup.method.runge_kutta->nstate - 1, stage);
}

/* Advance by `span`, within a step dt, everything that is split from the stages. */
static oak_status_t advance_beside(oak_t *sim, oak_moment_t when, double time, double span,
                                   double dt) {
  oak_step_t step = {.time = time, .dt = span};
  sim->data.clock.taken_dt = dt;
  const oak_status_t st = oak_step_run(sim, when, &step);
  sim->data.clock.taken_dt = 0;
  if (st != OAK_OK) sim->invalid = (oak_failed_step_t){.found = 1};
  return st;
}

/* What is split from the stages changes the state in place. */
oak_status_t oak_start_settle(oak_t *sim, oak_step_t *step) {
  (void)step;
  return oak_data_agree(&sim->data, sim->parts.beside ? oak_device_sync(sim->setup.dev) : OAK_OK);
}

static int is_split(const oak_t *sim) { return sim->setup.method.strang; }
const oak_part_t oak_part_start = {.wanted = is_split};

static oak_status_t advance(oak_t *sim, double dt, const before_t *before) {
  enum { MOST_RETRIES = 10 };
  const oak_method_t *method = &sim->setup.method;
  const int result = method->result;
  const int before_stages = sim->parts.beside && method->strang;
  oak_step_t step = {.time = sim->data.clock.time};
  int invalid;
  OAK_CHECK(dt >= 0 && dt < INFINITY, OAK_ERR_ARGUMENT,
            "time step dt = %g: must be finite and not negative; if no wave moves, set run.dt_max",
            dt);
  OAK_TRY(oak_step_run(sim, OAK_STEP_START, &step));
  OAK_TRY(oak_step_run(sim, OAK_STEP_BEFORE, &step));
  OAK_TRY(advance_beside(sim, OAK_STEP_FIRST_HALF, sim->data.clock.time, 0.5 * dt, dt));
  OAK_TRY(try_step(sim, dt, &invalid));
  for (int n = 0; invalid && method->retry && n < MOST_RETRIES; n++) {
    dt *= 0.5;
    sim->counts.retries++;
    OAK_TRY(try_step(sim, dt, &invalid));
  }
  if (result != 0) oak_storage_swap(&sim->data, 0, result);
  sim->data.clock.time += dt;
  sim->data.clock.dt = dt;
  const double rest = method->strang ? 0.5 * dt : dt;
  const oak_status_t ended =
      invalid ? OAK_OK
              : advance_beside(sim, OAK_STEP_SECOND_HALF, sim->data.clock.time - rest, rest, dt);
  sim->data.clock.step++;
  sim->counts.updates +=
      sim->data.mesh->nglobal * sim->setup.block.cells * method->runge_kutta->nstage;
  /* The state that was swapped with state 0 still holds the solution at the start of the step,
   * unless something else has used it. */
  const int there = result != 0 && !before_stages && !(sim->parts.needs & OAK_NEEDS_STATES);
  if (ended == OAK_ERR_STATE && sim->invalid.found && there) take_back(sim, before, result);
  if (!invalid) return ended;
  const oak_status_t st = report_step(sim);
  sim->invalid = (oak_failed_step_t){.found = 1};
  if (there) take_back(sim, before, result);
  return st;
}

oak_status_t oak_advance(oak_t *sim, double dt) {
  OAK_BEGIN_WHOLE(sim);
  const before_t before = {sim->data.clock, sim->rates.most, sim->counts};
  sim->invalid.found = 0;
  sim->revision++;
  oak_timer_step_begin(&sim->data.timers);
  const double rate = oak_rates_of_step(sim);
  const oak_status_t st = advance(sim, dt, &before);
  if (st == OAK_OK) sim->rates.least = 0.5 * rate;
  oak_timer_step_end(&sim->data.timers);
  /* The number of repaired cells is compared with the number of updates. A failed step counts in
   * neither. */
  if (st != OAK_OK && sim->counts.updates == before.counts.updates) {
    const int64_t retries = sim->counts.retries;
    sim->counts = before.counts;
    sim->counts.retries = retries;
  }
  return st;
}
