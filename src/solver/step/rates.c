/* SPDX-License-Identifier: GPL-2.0-or-later
 * The largest rate of the solution, from which the time step follows, and whether it is known. */
#include <math.h>
#include <stdlib.h>

#include "base/await.h"
#include "solver/step/sim.h"

static void count_change(oak_t *sim) {
  sim->revision++;
  sim->data.exchange.ahead = NULL;
}

void oak_rates_set(oak_t *sim, oak_rates_t rates) {
  rates.least = sim->rates.least;
  sim->rates = rates;
  count_change(sim);
}
void oak_rates_forget(oak_t *sim) {
  sim->rates.known = OAK_RATES_UNKNOWN;
  count_change(sim);
}
void oak_rates_doubt(oak_t *sim) {
  sim->rates.doubted = 1;
  count_change(sim);
}

void oak_rates_agree(oak_t *sim) {
  MPI_Allreduce(MPI_IN_PLACE, &sim->rates.known, 1, MPI_INT, MPI_MIN, sim->setup.comm);
}

static double step_of_speeds(const oak_t *sim) {
  const double rate = fmax(sim->rates.most, sim->rates.least);
  return rate > 0 ? sim->setup.method.cfl / rate : INFINITY;
}

double oak_rates_step(const oak_t *sim) {
  const double dt = step_of_speeds(sim), most = sim->setup.method.dt_max;
  return most > 0 && dt > most ? most : dt;
}

int oak_rates_unmoved(const oak_t *sim) {
  const oak_method_t *method = &sim->setup.method;
  return method->may_begin && sim->data.clock.step == 0 && method->end_time > 0 &&
         step_of_speeds(sim) >= method->end_time;
}

/* Later steps grow twofold, so a small part costs few steps. */
#define FIRST_PART 1e-6

double oak_time_step(const oak_t *sim) {
  OAK_HANDLE(sim, 0);
  double dt = oak_rates_step(sim);
  if (oak_rates_unmoved(sim)) dt = fmin(dt, FIRST_PART * sim->setup.method.end_time);
  return oak_tables_step(&sim->setup, sim->data.clock.time, dt);
}

double oak_rates_of_step(const oak_t *sim) {
  const double rate = fmax(sim->rates.most, sim->rates.least);
  return fmax(rate, sim->setup.method.cfl / oak_time_step(sim));
}

oak_status_t oak_block_rates(const oak_t *sim, int blocks, double *rate) {
  const int results = oak_data_results(&sim->data); /* how many a block has */
  OAK_FREED double *all = NULL;
  OAK_TRY(OAK_NEW(all, (size_t)blocks * results + 1));
  const double *next = all;
  oak_status_t st = oak_device_download(sim->setup.dev, all, sim->data.results.rate,
                                        (size_t)blocks * results * sizeof *all);
  for (int b = 0; b < blocks && st == OAK_OK; b++) {
    rate[b] = 0;
    for (int t = 0; t < results; t++, next++)
      if (*next > rate[b]) rate[b] = *next;
  }
  return st;
}

oak_status_t oak_block_rates_set(const oak_t *sim, const double *rate) {
  const int n = sim->data.mesh->nblock, results = oak_data_results(&sim->data);
  OAK_FREED double *all = NULL;
  OAK_TRY(OAK_NEW(all, (size_t)n * results + 1));
  for (int b = 0; b < n; b++) all[(size_t)b * results] = rate[b];
  return oak_device_upload(sim->setup.dev, sim->data.results.rate, all,
                           (size_t)n * results * sizeof *all);
}

/* Whether ghost cells follow from the cells alone, which nothing changes after the stages, and the
 * device works while the host waits. Several ranks would have to agree that nothing has changed. */
static int fills_ahead(const oak_t *sim, const oak_step_t *ended) {
  const oak_setup_t *setup = &sim->setup;
  return ended->dt > 0 && oak_device_ops(setup->dev)->answers && setup->size == 1 &&
         !sim->parts.beside && !setup->domain.hooks && !setup->equations.count &&
         !setup->description.nglobal;
}

static oak_status_t ghosts_ahead(oak_t *sim, oak_step_t *ended) {
  oak_halo_args_t args;
  if (!fills_ahead(sim, ended)) return OAK_OK;
  oak_data_halo(&sim->data, ended->stage.out, sim->data.clock.time + ended->dt, &args);
  return oak_exchange_begin(&sim->data.exchange, &sim->data.storage.state[ended->stage.out], &args,
                            &sim->data.timers);
}

oak_status_t oak_read_results(oak_t *sim, oak_step_t *ended, double local[2]) {
  const long count = (long)sim->data.mesh->nblock * oak_data_results(&sim->data),
             chunks = oak_results_chunks(count);
  oak_results_args_t args = {.rate = sim->data.results.rate,
                             .bad = sim->data.results.bad,
                             .count = count,
                             .out = sim->data.results.sums};
  const oak_device_ops_t *ops = oak_device_ops(sim->setup.dev);
  local[0] = local[1] = 0;
  if (!count) return OAK_OK;
  OAK_FREED double *copy = NULL;
  double *out = ops->answers ? ops->answers(sim->setup.dev, 2 * chunks) : NULL;
  const int answers = out != NULL;
  if (!answers) OAK_TRY(OAK_NEW(copy, 2 * chunks));
  args.out = answers ? out : sim->data.results.sums;
  oak_status_t st =
      oak_device_launch(sim->setup.dev, sim->setup.kernel.results, chunks, &args, sizeof args);
  if (st == OAK_OK && ended) st = ghosts_ahead(sim, ended);
  if (st == OAK_OK && answers)
    st = ops->answered(sim->setup.dev, 2 * chunks);
  else if (st == OAK_OK)
    st = oak_device_download(sim->setup.dev, out = copy, args.out, 2 * chunks * sizeof *out);
  for (long c = 0; c < chunks && st == OAK_OK; c++) {
    if (out[2 * c] > local[0]) local[0] = out[2 * c];
    local[1] += out[2 * c + 1];
  }
  return st;
}

/* Reduce over all ranks: the largest rate, the number of invalid cells, requests of ranks, and the
 * progress of their output. */
oak_status_t oak_rates_reduce(oak_t *sim, oak_step_t *step) {
  oak_status_t st = step->status;
  double local[4] = {0, 0, sim->run.asks, sim->run.disk}, most[4];
  oak_timer_start(&sim->data.timers, OAK_PHASE_TIME_STEP);
  if (st == OAK_OK) st = oak_read_results(sim, step, local);
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
  step->invalid = most[1] > 0;
  if (!step->invalid && fills_ahead(sim, step))
    sim->data.exchange.ahead = oak_data_state(&sim->data, step->stage.out);
  return isinf(most[1]) ? oak_data_agree(&sim->data, st) : OAK_OK;
}
