/* SPDX-License-Identifier: GPL-2.0-or-later
 * Peers: the ranks of one host that read each other's memory in place. On CPUs the memory is shared
 * between processes, on GPUs it is mapped through the driver. Nothing is packed, sent or received;
 * what is left of a message is a signal that the data is complete. Private.
 *
 * Every rank of a host has a flag that all of them see. At a meeting each rank raises its own flag,
 * in the order of its device's queue, and waits for the flags of those it is about to read from.
 * All ranks of a host go through the same meetings, whatever happens to one of them. */
#ifndef OAK_PEERS_H
#define OAK_PEERS_H

#include <mpi.h>
#include <stdint.h>

#include "oak/device.h"

typedef struct {
  oak_device_t *dev;
  MPI_Comm host;  /**< the peers and this rank; MPI_COMM_NULL before oak_peers_open */
  int me, count;  /**< number of this rank among them, and how many they are; 1: there are none */
  int *number;    /**< [ranks of the simulation] number of a rank among the peers, -1: not one */
  uint64_t *flag; /**< [count] a cache line each, in memory that the host's ranks share */
  uint64_t sequence; /**< meetings so far */
  int released;      /**< this rank's device has failed: nobody waits for it, nor does it wait */
  oak_handle_t page; /**< of the flags, on the rank that made them */
} oak_peers_t;

/** Memory of this rank that its peers see. Start from {0}. */
typedef struct {
  void *mine;
  int64_t bytes;       /**< its size */
  void **peer;         /**< [count] where that of each peer is seen here; NULL: nowhere */
  oak_handle_t handle; /**< by which peers find it */
} oak_shared_t;

/** What a piece of shared memory must hold: \a count units of \a unit bytes. Where it has to grow
 * it gets \a count / \a slack units more. */
typedef struct {
  oak_shared_t *memory;
  int64_t count, unit;
  int slack;
} oak_wish_t;

/** Find out which ranks can share memory, by trying it. \a wanted 0: none. Whatever does not work
 * is not an error: \a why [size] then says what it was, "" otherwise. Collective on \a comm. */
oak_status_t oak_peers_open(oak_peers_t *peers, MPI_Comm comm, oak_device_t *dev, int wanted,
                            char *why, size_t size);
void oak_peers_close(oak_peers_t *peers);

/** Number of a rank of the simulation among the peers, -1 if its data comes in messages. */
static inline int oak_peers_number(const oak_peers_t *peers, int rank) {
  return peers->count > 1 ? peers->number[rank] : -1;
}

/** Give every piece of memory its size; contents of those that change are lost, and *changed (which
 * may be NULL) is 1 if any did, on this rank or a peer. Nothing is freed or moved while a peer may
 * still read it. Collective on the ranks of the host; the status is this rank's own, for the caller
 * to agree on. OAK_ERR_MEMORY: the memory that failed is gone. */
oak_status_t oak_peers_fit(oak_peers_t *peers, const oak_wish_t *wish, int n, int *changed);
/** Free shared memory. Collective on the ranks of the host. */
void oak_peers_free(oak_peers_t *peers, oak_shared_t *const *memory, int n);

/** Raise the flag of this rank, then wait for those of the peers with with[p] != 0 (NULL: all). A
 * rank that has failed comes too. Not to be left out by any rank of the host. */
oak_status_t oak_peers_meet(oak_peers_t *peers, const unsigned char *with);
/** After a failure of this rank's device, which may never raise the flag: let all peers pass. */
void oak_peers_release(oak_peers_t *peers);

#endif
