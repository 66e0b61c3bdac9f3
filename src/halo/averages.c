/* SPDX-License-Identifier: GPL-2.0-or-later
 * Averages of fine fluxes: their memory, messages and meetings. */
#include "halo/averages.h"

enum { TAG_FLUX = 3 };

/* Tell kernels the present addresses of peers' averages. */
static oak_status_t look_at_peers(oak_averages_t *x, oak_transport_t *transport) {
  const size_t bytes = transport->peers.count * sizeof(void *);
  if (transport->peers.count == 1) return OAK_OK;
  if (!x->peer) OAK_TRY(oak_device_alloc(transport->dev, bytes, &x->peer));
  return x->piece.peer ? oak_device_upload(transport->dev, x->peer, x->piece.peer, bytes) : OAK_OK;
}

oak_status_t oak_averages_fit(oak_averages_t *x, oak_transport_t *transport,
                              const oak_pattern_t *pattern, size_t unit) {
  const oak_need_t need = {&x->piece, pattern->flux.npiece, (int64_t)unit};
  int changed;
  oak_status_t st = oak_peers_fit(&transport->peers, &need, 1, &changed);
  if (st == OAK_OK) st = oak_messages_prepare(&x->messages, transport, &pattern->flux.route, unit);
  return st == OAK_OK && changed ? look_at_peers(x, transport) : st;
}

int oak_averages_travel(const oak_averages_t *x, const oak_pattern_t *pattern) {
  return pattern->flux.meet || oak_messages_any(&x->messages);
}

oak_status_t oak_averages_meet(oak_transport_t *transport, const oak_pattern_t *pattern,
                               oak_timers_t *timers) {
  if (!pattern->flux.meet) return OAK_OK;
  return OAK_TIMED(timers, OAK_PHASE_MPI, oak_peers_meet(&transport->peers, pattern->contact));
}

oak_status_t oak_averages_exchange(oak_averages_t *x, oak_transport_t *transport,
                                   const oak_pattern_t *pattern, oak_timers_t *timers) {
  oak_status_t st = OAK_OK;
  if (oak_messages_any(&x->messages)) {
    oak_timer_start(timers, OAK_PHASE_MPI);
    void *memory = x->piece.mine;
    st = oak_messages_begin(&x->messages, transport, memory, memory, TAG_FLUX);
    oak_keep_failure(&st, oak_messages_end(&x->messages, transport, TAG_FLUX));
    oak_timer_stop(timers, OAK_PHASE_MPI);
  }
  oak_keep_failure(&st, oak_averages_meet(transport, pattern, timers));
  return st;
}

void oak_averages_clear(oak_averages_t *x, oak_transport_t *transport) {
  if (!transport->dev) return;
  oak_messages_clear(&x->messages, transport);
  oak_peers_free(&transport->peers, &x->piece);
  oak_device_free(transport->dev, x->peer);
  *x = (oak_averages_t){0};
}
