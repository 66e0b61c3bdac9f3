/* SPDX-License-Identifier: GPL-2.0-or-later
 * How data gets from one rank to another: ranks of one host read it in place (peers.h), others get
 * it in messages (messages.h). The way is chosen once, when a simulation is created. Private. */
#pragma once

#include "transport/peers.h"

/** The ways that messages can take, and the words of the key device.transport for them. "direct":
 * reading in place, with the best of the others for ranks of other hosts. */
typedef enum {
  OAK_TRANSPORT_AUTO,
  OAK_TRANSPORT_DIRECT,
  OAK_TRANSPORT_NCCL,  /**< from GPU to GPU by NVIDIA's library */
  OAK_TRANSPORT_MPI,   /**< MPI is given addresses of the device */
  OAK_TRANSPORT_STAGED /**< through memory of the host */
} oak_transport_kind_t;

typedef struct {
  oak_device_t *dev;
  MPI_Comm comm;
  oak_transport_kind_t kind; /**< way of messages: _NCCL, _MPI or _STAGED */
  int messages;              /**< some ranks are not peers */
  oak_peers_t peers;
  char text[512]; /**< the way and the reason, for people; "" on one rank */
} oak_transport_t;

/** Choose the transport of the ranks of \a comm, following \a wanted. If the wanted way does not
 * work, the next best is taken, and `text` says so. Collective. */
oak_status_t oak_transport_open(oak_transport_t *transport, MPI_Comm comm, oak_device_t *dev,
                                oak_transport_kind_t wanted);
/** A rank whose device no longer works calls this, with the message in oak_last_error: its peers
 * then do not wait for it. With NCCL the other ranks wait in their devices' queues for its data,
 * and it has no way to tell them. In this case the message is printed and all ranks are ended. */
void oak_transport_failed(oak_transport_t *transport);
void oak_transport_close(oak_transport_t *transport);
