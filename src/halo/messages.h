/* SPDX-License-Identifier: GPL-2.0-or-later
 * Sets of point-to-point messages between fixed places of a device buffer: one message per pair of
 * ranks. Private. */
#ifndef OAK_MESSAGES_H
#define OAK_MESSAGES_H

#include <stdint.h>

#include "oak/device.h"

typedef struct {
  int rank;
  int64_t offset, count; /**< reals from the start of the buffer */
} oak_message_t;

typedef struct {
  int nsend, nrecv;
  int unit; /**< reals that every offset and count is a multiple of (0: 1): whole blocks, of which
               more than an int can count may move, travel as one datatype */
  oak_message_t *send, *recv;
  MPI_Request *request; /**< [nrecv + nsend] while under way */
  void *staging;        /**< host memory when the device's cannot be given to MPI */
} oak_messages_t;

/** Whether this rank takes part. */
static inline int oak_messages_any(const oak_messages_t *m) { return m->nsend + m->nrecv > 0; }

/** Make room for requests and, where needed, staging. Rank-local; the ranks agree on the outcome
 * before they exchange anything. */
oak_status_t oak_messages_prepare(oak_messages_t *m, oak_device_t *dev, int real_size);

/** Start to receive into, then to send from, \a buffer. Not collective, but every message needs its
 * counterpart; \a tag tells concurrent sets apart. Whatever is returned, all messages are under
 * way: a rank that failed still owes them to the others, who would wait. */
oak_status_t oak_messages_begin(oak_messages_t *m, MPI_Comm comm, oak_device_t *dev,
                                const void *send_buffer, void *recv_buffer, int real_size, int tag);
/** Wait until all have arrived and left; to be called after every begin. */
oak_status_t oak_messages_end(oak_messages_t *m, oak_device_t *dev, void *recv_buffer,
                              int real_size);
void oak_messages_clear(oak_messages_t *m);

#endif
