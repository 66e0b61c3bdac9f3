/* SPDX-License-Identifier: GPL-2.0-or-later
 * Ghost cells and fluxes of a stage: lines of a step. */
#include "solver/step/part.h"
#include "solver/step/sim.h"

void oak_stage_begin(const oak_t *sim, oak_step_t *step, const oak_stage_t *stage) {
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
                                 .rate = data->results.rate,
                                 .bad = data->results.bad,
                                 .bflux = sim->fluxfix.bflux.at};
  if (sim->setup.method.diffusion == OAK_DIFFUSION_EXPLICIT)
    step->flux.diffusion = oak_data_state(data, sim->diffusion.rate);
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
  sim->data.results.computed += count;
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
