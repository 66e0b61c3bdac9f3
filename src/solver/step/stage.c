/* SPDX-License-Identifier: GPL-2.0-or-later
 * One stage, which time steps and repairs share: one pass of the flux kernel, and its results. */
#include <stdlib.h>

#include "solver/step/part.h"
#include "solver/step/sim.h"

static void halo_args(const oak_t *sim, int state, double time, oak_halo_args_t *args) {
  *args = (oak_halo_args_t){.bc = sim->setup.bc, .theta = sim->setup.interpolation_theta};
  oak_data_field(&sim->data, state, time, &args->f);
}

void oak_stage_args(const oak_t *sim, const oak_stage_t *stage, int out, double dt,
                    oak_flux_args_t *args) {
  *args = (oak_flux_args_t){.out = oak_data_state(&sim->data, out),
                            .nprev = stage->nprev,
                            .dt = stage->beta * dt,
                            .cfl = sim->setup.method.cfl,
                            .part_bits = __builtin_ctz((unsigned)sim->data.results.parts),
                            .first = 1,
                            .rate = sim->data.results.rate,
                            .bad = sim->data.results.bad};
  oak_data_field(&sim->data, stage->deriv, sim->data.clock.time + stage->c * dt, &args->f);
  oak_stage_weights(stage, sim->setup.real_size == sizeof(float), args->w);
  oak_parts_flux_args(sim, args);
  for (int p = 0; p < OAK_MAX_PREV; p++) /* unused ones: any state, with weight 0 */
    args->prev[p] = oak_data_state(&sim->data, stage->prev[p < stage->nprev ? p : 0]);
}

oak_status_t oak_launch_flux(oak_t *sim, oak_flux_args_t *args, const oak_list_t *blocks) {
  const long count = blocks ? blocks->count : sim->data.mesh->nblock;
  if (!count) return OAK_OK;
  args->f.list = blocks ? blocks->device : NULL;
  sim->data.results.computed += count;
  oak_timer_start(&sim->data.timers, OAK_PHASE_FLUX);
  oak_status_t st = oak_device_launch(sim->setup.dev, sim->setup.kernel.flux,
                                      count * oak_data_results(&sim->data), args, sizeof *args);
  oak_timer_stop(&sim->data.timers, OAK_PHASE_FLUX);
  return st;
}

/* If some ghost cells arrive in messages, the blocks that do not need them are computed while the
 * messages travel, unless a part of the step comes in between. */
static oak_status_t run_stage(oak_t *sim, const oak_stage_t *stage, int first, double dt,
                              int *ended) {
  const double time = sim->data.clock.time + stage->c * dt;
  oak_halo_args_t halo;
  oak_flux_args_t args;
  oak_status_t st = oak_parts_before_ghosts(sim, stage->deriv, time);
  *ended = st != OAK_OK; /* on all ranks: there is nothing for later stages to begin from */
  OAK_TRY(st);
  const int split = sim->data.transport.messages && !oak_parts_wait(sim);
  halo_args(sim, stage->deriv, time, &halo);
  oak_stage_args(sim, stage, stage->out, dt, &args);
  args.first = first;
  st = oak_exchange_begin(&sim->data.exchange, &sim->data.storage.state[stage->deriv], &halo,
                          &sim->data.timers);
  if (st == OAK_OK && split) st = oak_launch_flux(sim, &args, &sim->data.pattern.inner);
  oak_keep_failure(&st, oak_exchange_end(&sim->data.exchange, &halo, &sim->data.timers));
  oak_keep_failure(&st, oak_parts_with_ghosts(sim, stage->deriv, time));
  if (st == OAK_OK) st = oak_launch_flux(sim, &args, split ? &sim->data.pattern.outer : NULL);
  return st;
}

static oak_status_t compute_stage(oak_t *sim, const oak_stage_t *stage, int first, double dt,
                                  int *ended) {
  oak_status_t st = run_stage(sim, stage, first, dt, ended);
  if (!*ended) oak_keep_failure(&st, oak_parts_after_fluxes(sim, stage->out, stage->beta * dt));
  return st;
}

oak_status_t oak_probe_stage(oak_t *sim, const oak_stage_t *stage) {
  int ended;
  return run_stage(sim, stage, 1, 0, &ended);
}

const oak_part_t oak_part_fluxes = {
    .name = "ghost cells, fluxes", .stage = compute_stage, .probe = oak_probe_stage};

oak_status_t oak_read_results(oak_t *sim, double local[2]) {
  const long count = (long)sim->data.mesh->nblock * oak_data_results(&sim->data),
             chunks = oak_results_chunks(count);
  oak_results_args_t args = {.rate = sim->data.results.rate,
                             .bad = sim->data.results.bad,
                             .count = count,
                             .out = sim->data.results.sums};
  local[0] = local[1] = 0;
  if (!count) return OAK_OK;
  OAK_FREED double *out = NULL;
  OAK_TRY(OAK_NEW(out, 2 * chunks));
  oak_status_t st =
      oak_device_launch(sim->setup.dev, sim->setup.kernel.results, chunks, &args, sizeof args);
  if (st == OAK_OK)
    st = oak_device_download(sim->setup.dev, out, sim->data.results.sums, 2 * chunks * sizeof *out);
  for (long c = 0; c < chunks && st == OAK_OK; c++) {
    if (out[2 * c] > local[0]) local[0] = out[2 * c];
    local[1] += out[2 * c + 1];
  }
  return st;
}
