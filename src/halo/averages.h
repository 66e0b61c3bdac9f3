/* SPDX-License-Identifier: GPL-2.0-or-later
 * Averages of fine fluxes on their way to the coarse faces that they cover, which may be faces of
 * another rank. Private. */
#pragma once

#include "base/timer.h"
#include "halo/pattern.h"

/** Start from {0}. */
typedef struct {
  oak_shared_t piece; /**< [npiece][components][(N/2)^(d-1)] */
  void *peer;         /**< device: [peers] those of peers; NULL if there are none */
  oak_messages_t messages;
} oak_averages_t;

/** Memory and messages for the present pattern; \a unit: bytes of a piece. Collective on the ranks
 * of a host; the status is this rank's own. */
oak_status_t oak_averages_fit(oak_averages_t *x, oak_transport_t *transport,
                              const oak_pattern_t *pattern, size_t unit);
/** Bring the pieces that this rank has computed to the ranks that need them. Every rank takes part,
 * even one that has failed; the status is this rank's own. */
oak_status_t oak_averages_exchange(oak_averages_t *x, oak_transport_t *transport,
                                   const oak_pattern_t *pattern, oak_timers_t *timers);
/** Meet the peers with which this rank shares averages: wait until they have completed the work
 * that they started before. */
oak_status_t oak_averages_meet(oak_transport_t *transport, const oak_pattern_t *pattern,
                               oak_timers_t *timers);
/** Whether oak_averages_exchange has anything to do. */
int oak_averages_travel(const oak_averages_t *x, const oak_pattern_t *pattern);
/** Collective on the ranks of a host. */
void oak_averages_clear(oak_averages_t *x, oak_transport_t *transport);
