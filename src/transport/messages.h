/* SPDX-License-Identifier: GPL-2.0-or-later
 * Sets of point-to-point messages between fixed places of device memory: one message per pair of
 * ranks. Private. */
#pragma once

#include "transport/transport.h"

/** Memory of the host for copies from and to the device: that of device.h's host_alloc, if the
 * device has it. NULL: out of memory. Rank-local. */
void *oak_staging_new(oak_device_t *dev, size_t bytes);
void oak_staging_free(oak_device_t *dev, void *memory);

/** Places are in units whose size a field decides: pieces of its halo buffer, or blocks. */
typedef struct {
  int rank;
  int64_t offset, count; /**< units from the start of the memory */
} oak_message_t;

/** The messages of a set: to and from which ranks, and where in memory. Both ends list the parts of
 * a message in the same order. */
typedef struct {
  int nsend, nrecv;
  oak_message_t *send, *recv;
} oak_route_t;

/** A part of a message on its way through memory of the host. */
typedef struct {
  int rank, count; /**< units */
  char *memory;    /**< memory of the device */
  char *staging;   /**< staging of the host */
} oak_chunk_t;

/** Messages of a route for a field, and what they need while they are under way. Start from {0}. */
typedef struct {
  const oak_route_t *route;
  size_t unit; /**< bytes */
  MPI_Datatype type;
  MPI_Request *request;         /**< receives, then sends; of chunks if they are staged */
  oak_direct_message_t *direct; /**< sends, then receives */
  oak_chunk_t *chunk;           /**< receives, then sends */
  int room;
  char *staging; /**< memory of the host: receives first, then sends, in their order */
  size_t staging_bytes;
} oak_messages_t;

/** Whether this rank takes part. */
static inline int oak_messages_any(const oak_messages_t *m) {
  return m->route && m->route->nsend + m->route->nrecv > 0;
}

/** Prepare for a route, which must outlive the messages. Rank-local: the ranks must agree on the
 * outcome before they exchange anything. */
oak_status_t oak_messages_prepare(oak_messages_t *m, oak_transport_t *transport,
                                  const oak_route_t *route, size_t unit);

/** Start to receive into, and to send from, device memory. Not collective, but every message needs
 * its counterpart; \a tag tells concurrent sets apart. Until oak_messages_end the device may do
 * work that does not touch this memory. oak_messages_end must follow even after a failure, because
 * the other ranks wait for the messages of the rank that failed. */
oak_status_t oak_messages_begin(oak_messages_t *m, oak_transport_t *transport, void *send_memory,
                                void *recv_memory, int tag);
/** Complete the messages: work of the device that is started after this finds the received data. */
oak_status_t oak_messages_end(oak_messages_t *m, oak_transport_t *transport, int tag);
void oak_messages_clear(oak_messages_t *m, oak_transport_t *transport);
void oak_route_clear(oak_route_t *route);
