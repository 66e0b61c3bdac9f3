/* SPDX-License-Identifier: GPL-2.0-or-later
 * Fills the ghost cells of a field, following the pattern of the mesh. Fields differ in the number
 * of components and in how they are interpolated; the solution is one of them. Private. */
#pragma once

#include "base/timer.h"
#include "halo/pattern.h"

/** Values of a field in the cells of this rank's blocks, [nblock][components][N^d]. A field may
 * have several sets of values, such as the states of a Runge-Kutta scheme. Start from {0}. */
typedef struct {
  oak_shared_t memory;
  void *peer; /**< device: [2 peers] addresses of the values and the halo buffer of each peer */
} oak_values_t;

/** A field's ghost cells. */
typedef struct {
  oak_transport_t *transport;
  const oak_pattern_t *pattern;
  int components;
  int stored;           /**< numbers that a block holds for each cell: components and more */
  int interpolation;    /**< OAK_INTERPOLATE_; with _EDGES there is no second round */
  int faces;            /**< 1: no ghost cells beyond edges, though the pattern has them */
  int store_size;       /**< bytes */
  oak_kernel_t *kernel; /**< oak_halo */
  oak_shared_t buffer;  /**< the halo buffer */
  oak_messages_t round1, round2;
  const void *ahead; /**< oak_exchange_begin has already been called for these cells, which have not
                      * changed since, and need not be called again; NULL: none */
} oak_exchange_t;

void oak_exchange_init(oak_exchange_t *x, oak_transport_t *transport, const oak_pattern_t *pattern,
                       int components, int interpolation, int store_size);
/** Collective on the ranks of a host. */
void oak_exchange_clear(oak_exchange_t *x);

/** Make buffers and messages for the current pattern. Collective on the ranks of a host. *changed
 * is 1 if the buffer moved, on this rank or a peer; then oak_values_look must follow. The ranks do
 * not agree on the status. */
oak_status_t oak_exchange_fit(oak_exchange_t *x, int *changed);

/** Room for \a blocks in each of \a n values, whose contents are lost if they move; *changed as for
 * oak_exchange_fit. Collective on the ranks of a host; the status is this rank's own. */
oak_status_t oak_values_fit(oak_exchange_t *x, oak_values_t *const *values, int n, int64_t blocks,
                            int *changed);
/** Tell kernels the present addresses of peers' memory. Not collective. */
oak_status_t oak_values_look(oak_exchange_t *x, oak_values_t *values);
/** Collective on the ranks of a host. */
void oak_values_clear(oak_exchange_t *x, oak_values_t *const *values, int n);

/** Set the members of \a field that lead to cells and ghost cells. */
void oak_exchange_field(const oak_exchange_t *x, const oak_values_t *values, oak_field_t *f);

/** Fill all ghost cells, in both rounds. The caller sets geometry, time, boundary conditions and
 * theta in \a args. Collective: a rank that has failed takes part too. The ranks do not agree on
 * the status. */
oak_status_t oak_exchange_fill(oak_exchange_t *x, const oak_values_t *values, oak_halo_args_t *args,
                               oak_timers_t *timers);
/** oak_exchange_fill in two parts. Messages travel in between, and kernels may then work on the
 * blocks in pattern->inner. */
oak_status_t oak_exchange_begin(oak_exchange_t *x, const oak_values_t *values,
                                oak_halo_args_t *args, oak_timers_t *timers);
oak_status_t oak_exchange_end(oak_exchange_t *x, oak_halo_args_t *args, oak_timers_t *timers);

/** Bytes held on the device. */
int64_t oak_exchange_bytes(const oak_exchange_t *x);
