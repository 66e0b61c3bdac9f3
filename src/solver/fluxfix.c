/* SPDX-License-Identifier: GPL-2.0-or-later
 * Flux fixing at refinement boundaries (paper, "Flux fixing"). */
#include "solver/sim.h"

static oak_status_t exchange_pieces(oak_t *sim) {
  oak_halo_t *h = &sim->halo;
  if (!oak_messages_any(&h->flux_messages)) return OAK_OK;
  oak_timer_start(&sim->timers, OAK_PHASE_MPI);
  oak_status_t sent = oak_messages_begin(&h->flux_messages, sim->comm, sim->dev, h->piece, h->piece,
                                         sim->real_size, 3);
  oak_status_t received = oak_messages_end(&h->flux_messages, sim->dev, h->piece, sim->real_size);
  oak_timer_stop(&sim->timers, OAK_PHASE_MPI);
  return sent != OAK_OK ? sent : received;
}

oak_status_t oak_fix_state(oak_t *sim, int state, double dt) {
  oak_halo_t *h = &sim->halo;
  oak_fluxfix_args_t args = {.bflux = h->bflux,
                             .piece = h->piece,
                             .fine = h->fine.device,
                             .u = sim->state[state],
                             .dt = dt,
                             .bad = sim->bad_dev,
                             .results = oak_sim_results(sim)};
  oak_sim_field(sim, state, sim->time, &args.f);
  const int faces = h->coarse[0].count + h->coarse[1].count + h->coarse[2].count + h->fine.count;
  if (!faces && !oak_messages_any(&h->flux_messages)) return OAK_OK;
  oak_timer_start(&sim->timers, OAK_PHASE_FLUX_FIX);
  oak_status_t st = h->fine.count ? oak_device_launch(sim->dev, sim->kernel.fluxfix_average,
                                                      h->fine.count, &args, sizeof args)
                                  : OAK_OK;
  /* Also after a failure: the others wait for these messages. */
  oak_status_t sent = exchange_pieces(sim);
  if (st == OAK_OK) st = sent;
  for (int d = 0; d < sim->dim && st == OAK_OK; d++) {
    if (!h->coarse[d].count) continue;
    args.coarse = h->coarse[d].device;
    st = oak_device_launch(sim->dev, sim->kernel.fluxfix_apply, h->coarse[d].count, &args,
                           sizeof args);
  }
  oak_timer_stop(&sim->timers, OAK_PHASE_FLUX_FIX);
  return st;
}

oak_status_t oak_fix_c2f_flux(oak_t *sim, double dt) {
  return oak_agree(sim->comm, oak_fix_state(sim, 0, dt));
}
