/* SPDX-License-Identifier: GPL-2.0-or-later
 * Flux fixing at refinement boundaries (paper, "Flux fixing"). */
#include "solver/sim.h"

enum { TAG_FLUX = 3, SLACK = 16 };

/* Tell kernels the present addresses of peers' averages. */
static oak_status_t look_at_peers(oak_t *sim) {
  oak_fluxfix_t *x = &sim->fluxfix;
  const size_t bytes = sim->transport.peers.count * sizeof(void *);
  if (sim->transport.peers.count == 1) return OAK_OK;
  if (!x->peer) OAK_TRY(oak_device_alloc(sim->dev, bytes, &x->peer));
  return x->piece.peer ? oak_device_upload(sim->dev, x->peer, x->piece.peer, bytes) : OAK_OK;
}

static oak_status_t fit_bflux(oak_t *sim) {
  oak_fluxfix_t *x = &sim->fluxfix;
  const int64_t area = sim->cells / sim->block_size;
  const int64_t bytes = area * sim->pattern.flux.nbflux * sim->nvar * sim->real_size;
  if (bytes <= x->bflux_bytes && bytes >= x->bflux_bytes / 2) return OAK_OK;
  const int64_t wanted = x->bflux_bytes == 0 || bytes == 0 ? bytes : bytes + bytes / SLACK;
  oak_device_free(sim->dev, x->bflux);
  x->bflux = NULL;
  x->bflux_bytes = 0;
  OAK_TRY(oak_device_alloc(sim->dev, (size_t)wanted, &x->bflux));
  x->bflux_bytes = wanted;
  return OAK_OK;
}

oak_status_t oak_fluxfix_fit(oak_t *sim) {
  oak_fluxfix_t *x = &sim->fluxfix;
  const oak_flux_pattern_t *p = &sim->pattern.flux;
  const int64_t unit = oak_pattern_average_cells(&sim->pattern) * sim->nvar * sim->real_size;
  const oak_wish_t wish = {&x->piece, p->npiece, unit, SLACK};
  int changed;
  oak_status_t st = oak_peers_fit(&sim->transport.peers, &wish, 1, &changed);
  if (st == OAK_OK) st = oak_messages_prepare(&x->messages, &sim->transport, &p->route, unit);
  if (st == OAK_OK) st = fit_bflux(sim);
  return st == OAK_OK && changed ? look_at_peers(sim) : st;
}

void oak_fluxfix_clear(oak_t *sim) {
  oak_shared_t *list[] = {&sim->fluxfix.piece};
  if (!sim->transport.dev) return;
  oak_messages_clear(&sim->fluxfix.messages, &sim->transport);
  oak_peers_free(&sim->transport.peers, list, 1);
  oak_device_free(sim->dev, sim->fluxfix.bflux);
  oak_device_free(sim->dev, sim->fluxfix.peer);
}

/* Wait until the peers have done what they were told to do before. */
static oak_status_t meet(oak_t *sim) {
  if (!sim->pattern.flux.meet) return OAK_OK;
  oak_timer_start(&sim->timers, OAK_PHASE_MPI);
  const oak_status_t st = oak_peers_meet(&sim->transport.peers, sim->pattern.contact);
  oak_timer_stop(&sim->timers, OAK_PHASE_MPI);
  return st;
}

/* Exchange averages with other ranks. */
static oak_status_t exchange_pieces(oak_t *sim) {
  oak_fluxfix_t *x = &sim->fluxfix;
  oak_status_t st = OAK_OK;
  if (oak_messages_any(&x->messages)) {
    oak_timer_start(&sim->timers, OAK_PHASE_MPI);
    void *memory = x->piece.mine;
    st = oak_messages_begin(&x->messages, &sim->transport, memory, memory, TAG_FLUX);
    const oak_status_t received = oak_messages_end(&x->messages, &sim->transport, TAG_FLUX);
    if (st == OAK_OK) st = received;
    oak_timer_stop(&sim->timers, OAK_PHASE_MPI);
  }
  const oak_status_t met = meet(sim);
  return st == OAK_OK ? met : st;
}

/* Cells that become invalid are noted in \a bad, which has `results` numbers for each block. */
static oak_status_t fix(oak_t *sim, int state, double dt, void *bad, int results) {
  const oak_flux_pattern_t *p = &sim->pattern.flux;
  oak_fluxfix_args_t args = {.bflux = sim->fluxfix.bflux,
                             .piece = sim->fluxfix.piece.mine,
                             .peer_piece = sim->fluxfix.peer,
                             .fine = p->fine.device,
                             .u = oak_sim_state(sim, state),
                             .dt = dt,
                             .bad = bad,
                             .results = results};
  oak_sim_field(sim, state, sim->clock.time, &args.f);
  const int faces = p->coarse[0].count + p->coarse[1].count + p->coarse[2].count + p->fine.count;
  if (!faces && !p->meet && !oak_messages_any(&sim->fluxfix.messages)) return OAK_OK;
  oak_timer_start(&sim->timers, OAK_PHASE_FLUX_FIX);
  oak_status_t st = p->fine.count ? oak_device_launch(sim->dev, sim->kernel.fluxfix_average,
                                                      p->fine.count, &args, sizeof args)
                                  : OAK_OK;
  /* This is done after a failure too, because the other ranks wait. */
  const oak_status_t sent = exchange_pieces(sim);
  if (st == OAK_OK) st = sent;
  for (int d = 0; d < sim->dim && st == OAK_OK; d++) {
    if (!p->coarse[d].count) continue;
    args.coarse = p->coarse[d].device;
    st = oak_device_launch(sim->dev, sim->kernel.fluxfix_apply, p->coarse[d].count, &args,
                           sizeof args);
  }
  oak_timer_stop(&sim->timers, OAK_PHASE_FLUX_FIX);
  return st;
}

oak_status_t oak_fix_state(oak_t *sim, int state, double dt) {
  return fix(sim, state, dt, sim->results.bad, oak_sim_results(sim));
}

/* Peers read the averages of this one until the second meeting, and those of the stage's own fluxes
 * follow without another. */
oak_status_t oak_fix_rate(oak_t *sim, int state, void *unused) {
  const oak_status_t st = fix(sim, state, 1, unused, 0), met = meet(sim);
  return st == OAK_OK ? met : st;
}

oak_status_t oak_fix_c2f_flux(oak_t *sim, double dt) {
  return oak_sim_agree(sim, oak_fix_state(sim, 0, dt));
}
