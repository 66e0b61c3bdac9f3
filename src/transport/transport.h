/* SPDX-License-Identifier: GPL-2.0-or-later
 * How data gets from one rank to another: read in place where ranks share a host (peers.h), in
 * messages elsewhere (messages.h). Chosen once, when a simulation is made. Private. */
#ifndef OAK_TRANSPORT_H
#define OAK_TRANSPORT_H

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
  oak_transport_kind_t kind; /**< of messages: _NCCL, _MPI or _STAGED */
  int messages;              /**< some ranks are not peers */
  oak_peers_t peers;
  char text[512]; /**< what is used and why, for people; "" on one rank */
} oak_transport_t;

/** Choose for the ranks of \a comm, by \a wish. What is asked for and cannot be had is replaced by
 * the next best, and text says so. Collective. */
oak_status_t oak_transport_open(oak_transport_t *transport, MPI_Comm comm, oak_device_t *dev,
                                oak_transport_kind_t wish);
/** To be called by a rank whose device does nothing any more, with its message in oak_last_error:
 * peers no longer wait for it. With NCCL others wait in their devices' queues for what it would
 * have sent, and nothing of theirs can tell them: the message is printed and all ranks are ended.
 */
void oak_transport_failed(oak_transport_t *transport);
void oak_transport_close(oak_transport_t *transport);

#endif
