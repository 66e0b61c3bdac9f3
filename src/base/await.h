/* SPDX-License-Identifier: GPL-2.0-or-later
 * Waiting for other ranks of the host without keeping a core busy. A rank that waits inside MPI
 * uses its core, also if another program or the awaited rank itself needs it. Private. */
#pragma once

#include <mpi.h>
#include <stdint.h>

/** A number that grows, in memory that ranks share. Start from zeros. */
typedef struct {
  uint64_t value;
  uint64_t sleepers; /**< ranks that sleep until it changes */
} oak_flag_t;

/** Raise a flag, and wake those that wait for it. */
void oak_flag_raise(oak_flag_t *flag, uint64_t value);
/** Wait until a flag is raised to \a value. */
void oak_flag_await(oak_flag_t *flag, uint64_t value);

/** Let oak_await work on this communicator, if all of its ranks are on one host. Collective. */
void oak_await_open(MPI_Comm comm);
void oak_await_close(MPI_Comm comm);
/** Wait until all ranks have come here. To be called just before collective functions of MPI, which
 * then need not wait. It does nothing if this communicator has not been opened. Collective. */
void oak_await(MPI_Comm comm);
