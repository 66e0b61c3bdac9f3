/* SPDX-License-Identifier: GPL-2.0-or-later
 * Flux fixing at refinement boundaries (paper, "Flux fixing"). */
#include "solver/sim.h"

oak_status_t oak_fix_state(oak_t *sim, int state, double dt) {
  oak_halo_t *h = &sim->halo;
  oak_fluxfix_args_t args = {.bflux = h->bflux,
                             .piece = h->piece,
                             .fine = h->fine.device,
                             .u = sim->state[state],
                             .dt = dt,
                             .bad = sim->bad_dev};
  oak_sim_field(sim, state, sim->time, &args.f);
  oak_timer_start(&sim->timers, OAK_PHASE_FLUX_FIX);
  oak_status_t st = h->fine.count ? oak_device_launch(sim->dev, sim->kernel.fluxfix_average,
                                                      h->fine.count, &args, sizeof args)
                                  : OAK_OK;
  oak_timer_start(&sim->timers, OAK_PHASE_MPI);
  /* Also after a failure: the others wait for these messages. */
  oak_status_t sent = oak_messages_begin(&h->flux_messages, sim->comm, sim->dev, h->piece, h->piece,
                                         sim->real_size, 3);
  oak_status_t received = oak_messages_end(&h->flux_messages, sim->dev, h->piece, sim->real_size);
  if (st == OAK_OK) st = sent != OAK_OK ? sent : received;
  oak_timer_stop(&sim->timers, OAK_PHASE_MPI);
  for (int d = 0; d < sim->dim && st == OAK_OK; d++) {
    if (!h->coarse[d].count) continue;
    args.coarse = h->coarse[d].device;
    st = oak_device_launch(sim->dev, sim->kernel.fluxfix_apply, h->coarse[d].count, &args,
                           sizeof args);
  }
  if (st == OAK_OK) st = oak_device_sync(sim->dev);
  oak_timer_stop(&sim->timers, OAK_PHASE_FLUX_FIX);
  return st;
}

oak_status_t oak_fix_c2f_flux(oak_t *sim, double dt) {
  return oak_agree(sim->comm, oak_fix_state(sim, 0, dt));
}
