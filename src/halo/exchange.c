/* SPDX-License-Identifier: GPL-2.0-or-later
 * The two rounds of the ghost cell exchange, and the storage behind them. */
#include "halo/exchange.h"

#include <stdlib.h>

enum { TAG_ROUND1 = 1, TAG_ROUND2 = 2 };

/* ---- storage */

void oak_exchange_init(oak_exchange_t *x, oak_transport_t *transport, const oak_pattern_t *pattern,
                       int components, int interpolation, int store_size) {
  *x = (oak_exchange_t){.transport = transport,
                        .pattern = pattern,
                        .components = components,
                        .stored = components,
                        .interpolation = interpolation,
                        .store_size = store_size};
}

void oak_exchange_clear(oak_exchange_t *x) {
  if (!x->transport) return;
  oak_messages_clear(&x->round1, x->transport);
  oak_messages_clear(&x->round2, x->transport);
  oak_peers_free(&x->transport->peers, &x->buffer);
  *x = (oak_exchange_t){0};
}

static int64_t piece_bytes(const oak_exchange_t *x) {
  return oak_pattern_piece_cells(x->pattern) * x->components * x->store_size;
}

oak_status_t oak_exchange_fit(oak_exchange_t *x, int *changed) {
  const oak_need_t need = {&x->buffer, x->pattern->pieces, piece_bytes(x)};
  x->ahead = NULL;
  oak_status_t st = oak_peers_fit(&x->transport->peers, &need, 1, changed);
  oak_keep_failure(&st, oak_messages_prepare(&x->round1, x->transport, &x->pattern->round1,
                                             (size_t)piece_bytes(x)));
  oak_keep_failure(&st, oak_messages_prepare(&x->round2, x->transport, &x->pattern->round2,
                                             (size_t)piece_bytes(x)));
  return st;
}

oak_status_t oak_values_fit(oak_exchange_t *x, oak_values_t *const *values, int n, int64_t blocks,
                            int *changed) {
  enum { MOST = 8 };
  oak_need_t need[MOST];
  const int64_t bytes = oak_pattern_block_cells(x->pattern) * x->stored * x->store_size;
  OAK_ASSERT(n <= MOST);
  for (int i = 0; i < n; i++) need[i] = (oak_need_t){&values[i]->memory, blocks, bytes};
  return oak_peers_fit(&x->transport->peers, need, n, changed);
}

oak_status_t oak_values_look(oak_exchange_t *x, oak_values_t *values) {
  const oak_peers_t *peers = &x->transport->peers;
  oak_device_t *dev = x->transport->dev;
  const size_t bytes = 2 * peers->count * sizeof(void *);
  if (peers->count == 1) return OAK_OK;
  if (!values->peer) OAK_TRY(oak_device_alloc(dev, bytes, &values->peer));
  OAK_FREED void **table = NULL;
  OAK_TRY(OAK_NEW(table, 2 * peers->count));
  for (int p = 0; p < peers->count; p++) {
    table[2 * p] = values->memory.peer ? values->memory.peer[p] : NULL;
    table[2 * p + 1] = x->buffer.peer ? x->buffer.peer[p] : NULL;
  }
  return oak_device_upload(dev, values->peer, table, bytes);
}

void oak_values_clear(oak_exchange_t *x, oak_values_t *const *values, int n) {
  if (!x->transport) return;
  for (int i = 0; i < n; i++) {
    oak_peers_free(&x->transport->peers, &values[i]->memory);
    oak_device_free(x->transport->dev, values[i]->peer);
    *values[i] = (oak_values_t){0};
  }
}

int64_t oak_exchange_bytes(const oak_exchange_t *x) { return x->buffer.bytes; }

void oak_exchange_field(const oak_exchange_t *x, const oak_values_t *values, oak_field_t *f) {
  f->face = x->pattern->face.device;
  f->u = values->memory.mine;
  f->halo = x->buffer.mine;
  f->peer = values->peer;
  f->room = (short)(x->stored - x->components);
}

/* ---- the rounds */

static oak_status_t run(oak_exchange_t *x, const oak_list_t *list, oak_halo_args_t *args) {
  args->task = list->device;
  return oak_device_launch(x->transport->dev, x->kernel, list->count, args, sizeof *args);
}

/* What cells give to their edges has no values from coarser blocks and beyond the boundary. */
static int one_round(const oak_exchange_t *x) { return x->interpolation == OAK_INTERPOLATE_EDGES; }

/* After this meeting all peers have completed the data that is read in place. */
static oak_status_t meet(oak_exchange_t *x, oak_timers_t *timers) {
  if (x->transport->peers.count == 1) return OAK_OK;
  return OAK_TIMED(timers, OAK_PHASE_MPI,
                   oak_peers_meet(&x->transport->peers, x->pattern->contact));
}

static oak_status_t send(oak_exchange_t *x, oak_messages_t *m, int tag, oak_timers_t *timers) {
  if (!oak_messages_any(m)) return OAK_OK;
  return OAK_TIMED(timers, OAK_PHASE_MPI,
                   oak_messages_begin(m, x->transport, x->buffer.mine, x->buffer.mine, tag));
}

static oak_status_t receive(oak_exchange_t *x, oak_messages_t *m, int tag, oak_timers_t *timers) {
  if (!oak_messages_any(m)) return OAK_OK;
  return OAK_TIMED(timers, OAK_PHASE_MPI, oak_messages_end(m, x->transport, tag));
}

/* A rank that fails still goes through all meetings and messages, because the others wait for it.
 */
oak_status_t oak_exchange_begin(oak_exchange_t *x, const oak_values_t *values,
                                oak_halo_args_t *args, oak_timers_t *timers) {
  const oak_pattern_t *p = x->pattern;
  const int there = x->ahead && x->ahead == values->memory.mine;
  x->ahead = NULL;
  args->halo = x->buffer.mine;
  args->components = x->components;
  args->interpolation = x->interpolation;
  args->faces = x->faces;
  args->f.list = NULL;
  oak_exchange_field(x, values, &args->f);
  if (there) return OAK_OK;
  oak_status_t st = meet(x, timers);
  if (p->make1.count || oak_messages_any(&x->round1)) {
    oak_timer_start(timers, OAK_PHASE_GHOST_R1);
    if (st == OAK_OK) st = run(x, &p->make1, args);
    oak_keep_failure(&st, send(x, &x->round1, TAG_ROUND1, timers));
    oak_timer_stop(timers, OAK_PHASE_GHOST_R1);
  }
  if (st != OAK_OK || !p->make2.count || one_round(x)) return st;
  return OAK_TIMED(timers, OAK_PHASE_GHOST_R2, run(x, &p->make2, args));
}

oak_status_t oak_exchange_end(oak_exchange_t *x, oak_halo_args_t *args, oak_timers_t *timers) {
  const oak_pattern_t *p = x->pattern;
  oak_status_t st = OAK_OK;
  if (p->unpack.count || oak_messages_any(&x->round1)) {
    oak_timer_start(timers, OAK_PHASE_GHOST_R1);
    st = receive(x, &x->round1, TAG_ROUND1, timers);
    if (st == OAK_OK) st = run(x, &p->unpack, args);
    oak_timer_stop(timers, OAK_PHASE_GHOST_R1);
  }
  if (one_round(x)) return st;
  if (p->late2.count || oak_messages_any(&x->round2)) {
    oak_timer_start(timers, OAK_PHASE_GHOST_R2);
    if (st == OAK_OK) st = run(x, &p->late2, args);
    oak_keep_failure(&st, send(x, &x->round2, TAG_ROUND2, timers));
    oak_keep_failure(&st, receive(x, &x->round2, TAG_ROUND2, timers));
    oak_timer_stop(timers, OAK_PHASE_GHOST_R2);
  }
  if (p->meet2) oak_keep_failure(&st, meet(x, timers));
  if (st != OAK_OK || !p->last.count || x->faces) return st;
  return OAK_TIMED(timers, OAK_PHASE_GHOST_R2, run(x, &p->last, args));
}

oak_status_t oak_exchange_fill(oak_exchange_t *x, const oak_values_t *values, oak_halo_args_t *args,
                               oak_timers_t *timers) {
  oak_status_t st = oak_exchange_begin(x, values, args, timers);
  oak_keep_failure(&st, oak_exchange_end(x, args, timers));
  return st;
}
