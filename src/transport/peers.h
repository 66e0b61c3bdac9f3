/* SPDX-License-Identifier: GPL-2.0-or-later
 * Peers: the ranks of one host that read each other's memory in place. On CPUs the memory is shared
 * between processes, on GPUs it is mapped through the driver. Nothing is packed, sent or received;
 * ranks only signal to each other that their data is complete. Private.
 *
 * Every rank of a host has a flag that all of them see. At a meeting each rank raises its own flag,
 * in the order of its device's queue, and waits for the flags of the ranks that it will read from.
 * All ranks of a host go through the same meetings, whatever happens to one of them. */
#pragma once

#include <mpi.h>
#include <stdint.h>

#include "base/failure.h"
#include "oak/device.h"

typedef struct {
  oak_device_t *dev;
  MPI_Comm host;  /**< the peers and this rank; MPI_COMM_NULL before oak_peers_open */
  int me, count;  /**< number of this rank among them, and their number; 1: there is no other peer
                   */
  int *number;    /**< [ranks of the simulation] number of a rank among the peers, -1: not one */
  uint64_t *flag; /**< [count] a cache line each, in memory that the host's ranks share */
  uint64_t sequence; /**< meetings so far */
  int released; /**< this rank's device has failed: peers do not wait for it, and it does not wait
                   for them */
  oak_handle_t page; /**< page of the flags, on the rank that made them */
} oak_peers_t;

/** Memory of this rank that its peers see. Start from {0}. */
typedef struct {
  void *mine;
  int64_t bytes;       /**< size of the memory */
  void **peer;         /**< [count] address of each peer's memory on this rank; NULL: not mapped */
  oak_handle_t handle; /**< by which peers find it */
} oak_shared_t;

/** The size that a piece of shared memory must have: \a count units of \a unit bytes. */
typedef struct {
  oak_shared_t *memory;
  int64_t count, unit;
} oak_need_t;

/** Find out by trying which ranks can share memory; with \a wanted 0 none does. If it does not
 * work, this is not an error: \a why [size] then says what failed, otherwise it is "". Collective
 * on \a comm. */
oak_status_t oak_peers_open(oak_peers_t *peers, MPI_Comm comm, oak_device_t *dev, int wanted,
                            char *why, size_t size);
void oak_peers_close(oak_peers_t *peers);

/** Number of a rank of the simulation among the peers, -1 if its data comes in messages. */
static inline int oak_peers_number(const oak_peers_t *peers, int rank) {
  return peers->count > 1 ? peers->number[rank] : -1;
}

/** Give every piece of memory its size, and more if it has to grow; contents of those that change
 * are lost, and *changed (which may be NULL) is 1 if any did, on this rank or a peer. Nothing is
 * freed or moved while a peer may still read it. Collective on the ranks of the host; the status is
 * this rank's own, for the caller to agree on. OAK_ERR_MEMORY: the memory that failed is gone. */
oak_status_t oak_peers_fit(oak_peers_t *peers, const oak_need_t *need, int n, int *changed);
/** Free shared memory. Collective on the ranks of the host. */
void oak_peers_free(oak_peers_t *peers, oak_shared_t *memory);

/** Raise the flag of this rank, then wait for the flags of the peers with with[p] != 0 (NULL: all).
 * Every rank of the host must take part, even one that has failed. */
oak_status_t oak_peers_meet(oak_peers_t *peers, const unsigned char *with);
/** Let all peers pass from now on, because the device of this rank has failed and may never raise
 * the flag. */
void oak_peers_release(oak_peers_t *peers);
