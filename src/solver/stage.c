/* SPDX-License-Identifier: GPL-2.0-or-later
 * One stage, which time steps and repairs share: one pass of the flux kernel, and its results. */
#include <stdlib.h>

#include "solver/sim.h"

static void halo_args(const oak_t *sim, int state, double time, oak_halo_args_t *args) {
  *args = (oak_halo_args_t){.bc = sim->bc, .theta = sim->interpolation_theta};
  oak_sim_field(sim, state, time, &args->f);
}

void oak_stage_args(const oak_t *sim, const oak_stage_t *stage, int out, double dt,
                    oak_flux_args_t *args) {
  *args = (oak_flux_args_t){.out = oak_sim_state(sim, out),
                            .nprev = stage->nprev,
                            .dt = stage->beta * dt,
                            .cfl = sim->method.cfl,
                            .bflux = sim->fluxfix.bflux,
                            .part_bits = __builtin_ctz((unsigned)sim->results.parts),
                            .first = 1,
                            .rate = sim->results.rate,
                            .bad = sim->results.bad};
  oak_sim_field(sim, stage->deriv, sim->clock.time + stage->c * dt, &args->f);
  oak_stage_weights(stage, sim->real_size == sizeof(float), args->w);
  if (sim->diffusion.kind == OAK_DIFFUSION_EXPLICIT)
    args->diffusion = oak_sim_state(sim, sim->diffusion.rate);
  for (int p = 0; p < OAK_MAX_PREV; p++) /* unused ones: any state, with weight 0 */
    args->prev[p] = oak_sim_state(sim, stage->prev[p < stage->nprev ? p : 0]);
}

oak_status_t oak_launch_flux(oak_t *sim, oak_flux_args_t *args, const oak_list_t *blocks) {
  const long count = blocks ? blocks->count : sim->mesh->nblock;
  if (!count) return OAK_OK;
  args->f.list = blocks ? blocks->device : NULL;
  sim->pace.recent += count;
  oak_timer_start(&sim->timers, OAK_PHASE_FLUX);
  oak_status_t st = oak_device_launch(sim->dev, sim->kernel.flux, count * oak_sim_results(sim),
                                      args, sizeof *args);
  oak_timer_stop(&sim->timers, OAK_PHASE_FLUX);
  return st;
}

/* If some ghost cells arrive in messages, the blocks that do not need them are computed while the
 * messages travel; not with explicit diffusion, whose fluxes at refinement boundaries other ranks
 * need first. */
oak_status_t oak_run_stage(oak_t *sim, const oak_stage_t *stage, int first, double dt) {
  oak_halo_args_t halo;
  oak_flux_args_t args;
  OAK_TRY(oak_poisson_solve(sim, stage->deriv, sim->clock.time + stage->c * dt));
  const int split = sim->transport.messages && sim->diffusion.kind != OAK_DIFFUSION_EXPLICIT;
  halo_args(sim, stage->deriv, sim->clock.time + stage->c * dt, &halo);
  oak_stage_args(sim, stage, stage->out, dt, &args);
  args.first = first;
  oak_status_t st =
      oak_exchange_begin(&sim->exchange, &sim->storage.state[stage->deriv], &halo, &sim->timers);
  if (st == OAK_OK && split) st = oak_launch_flux(sim, &args, &sim->pattern.inner);
  const oak_status_t filled = oak_exchange_end(&sim->exchange, &halo, &sim->timers);
  if (st == OAK_OK) st = filled;
  const oak_status_t diffused = oak_diffusion_rate(sim, stage->deriv, halo.f.time);
  if (st == OAK_OK) st = diffused;
  if (st == OAK_OK) st = oak_launch_flux(sim, &args, split ? &sim->pattern.outer : NULL);
  return st;
}

oak_status_t oak_read_results(oak_t *sim, double local[2]) {
  const long count = (long)sim->mesh->nblock * oak_sim_results(sim), chunks = oak_sim_chunks(count);
  oak_results_args_t args = {
      .rate = sim->results.rate, .bad = sim->results.bad, .count = count, .out = sim->results.sums};
  local[0] = local[1] = 0;
  if (!count) return OAK_OK;
  double *out = malloc(2 * chunks * sizeof *out);
  OAK_CHECK(out, OAK_ERR_MEMORY, "out of memory for the results of %ld tiles", count);
  oak_status_t st = oak_device_launch(sim->dev, sim->kernel.results, chunks, &args, sizeof args);
  if (st == OAK_OK)
    st = oak_device_download(sim->dev, out, sim->results.sums, 2 * chunks * sizeof *out);
  for (long c = 0; c < chunks && st == OAK_OK; c++) {
    if (out[2 * c] > local[0]) local[0] = out[2 * c];
    local[1] += out[2 * c + 1];
  }
  free(out);
  return st;
}
