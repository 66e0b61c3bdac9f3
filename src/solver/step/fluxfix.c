/* SPDX-License-Identifier: GPL-2.0-or-later
 * Flux fixing at refinement boundaries (paper, "Flux fixing"). */
#include "solver/step/part.h"
#include "solver/step/sim.h"

/* Collective on the ranks of a host. */
static oak_status_t connect(oak_t *sim) {
  const int64_t number = sim->setup.nvar * sim->setup.bytes.real;
  const oak_status_t st =
      oak_averages_fit(&sim->fluxfix.average, &sim->data.transport, &sim->data.pattern,
                       (size_t)(number * oak_pattern_average_cells(&sim->data.pattern)));
  OAK_TRY(st);
  return oak_array_fit(sim->setup.dev, &sim->fluxfix.bflux,
                       number * sim->setup.block.face_cells * sim->data.pattern.flux.nbflux);
}

/* Cells that become invalid are noted in \a bad, which has `results` numbers for each block. */
static oak_status_t fix(oak_t *sim, int state, double dt, void *bad, int results) {
  const oak_flux_pattern_t *p = &sim->data.pattern.flux;
  oak_fluxfix_args_t args = {.bflux = sim->fluxfix.bflux.at,
                             .piece = sim->fluxfix.average.piece.mine,
                             .peer_piece = sim->fluxfix.average.peer,
                             .fine = p->fine.device,
                             .u = oak_data_state(&sim->data, state),
                             .dt = dt,
                             .bad = bad,
                             .results = results};
  oak_data_field(&sim->data, state, sim->data.clock.time, &args.f);
  const int faces = p->coarse[0].count + p->coarse[1].count + p->coarse[2].count + p->fine.count;
  if (!faces && !oak_averages_travel(&sim->fluxfix.average, &sim->data.pattern)) return OAK_OK;
  oak_timer_start(&sim->data.timers, OAK_PHASE_FLUX_FIX);
  oak_status_t st = oak_device_launch(sim->setup.dev, sim->setup.kernel.fluxfix_average,
                                      p->fine.count, &args, sizeof args);
  oak_keep_failure(&st, oak_averages_exchange(&sim->fluxfix.average, &sim->data.transport,
                                              &sim->data.pattern, &sim->data.timers));
  for (int d = 0; d < sim->setup.dim && st == OAK_OK; d++) {
    args.coarse = p->coarse[d].device;
    st = oak_device_launch(sim->setup.dev, sim->setup.kernel.fluxfix_apply, p->coarse[d].count,
                           &args, sizeof args);
  }
  oak_timer_stop(&sim->data.timers, OAK_PHASE_FLUX_FIX);
  return st;
}

oak_status_t oak_fluxfix_match(oak_t *sim, oak_step_t *step) {
  return fix(sim, step->out, step->flux.dt, sim->data.results.bad, oak_data_results(&sim->data));
}

/* Peers read the averages of this rank until the second meeting. It cannot be left out, because the
 * averages of the stage's own fluxes follow without a meeting in between. */
oak_status_t oak_fix_rate(oak_t *sim, int state, void *unused) {
  oak_status_t st = fix(sim, state, 1, unused, 0);
  oak_keep_failure(&st,
                   oak_averages_meet(&sim->data.transport, &sim->data.pattern, &sim->data.timers));
  return st;
}

oak_status_t oak_fix_c2f_flux(oak_t *sim, double dt) {
  OAK_BEGIN_FITS(sim);
  oak_rates_doubt(sim);
  return oak_data_agree(&sim->data,
                        fix(sim, 0, dt, sim->data.results.bad, oak_data_results(&sim->data)));
}

/* ---- the part */

static int wanted(const oak_t *sim) {
  return sim->setup.refine.max_level > sim->setup.refine.min_level;
}

static int64_t bytes(const oak_t *sim) {
  return sim->fluxfix.bflux.bytes + sim->fluxfix.average.piece.bytes;
}

static void clear(oak_t *sim) {
  if (!sim->data.transport.dev) return;
  oak_averages_clear(&sim->fluxfix.average, &sim->data.transport);
  oak_device_free(sim->setup.dev, sim->fluxfix.bflux.at);
}

const oak_part_t oak_part_fluxfix = {
    .wanted = wanted, .connect = connect, .bytes = bytes, .clear = clear};
