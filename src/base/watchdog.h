/* SPDX-License-Identifier: GPL-2.0-or-later
 * A watchdog ends a run in which a rank makes no progress: it names the rank that is behind, its
 * phase and step, and ends all ranks. Private.
 *
 * Progress is a change of phase (timer.h). Each rank notes its changes in memory that the ranks of
 * its host share, and a thread of each rank looks at them a few times per limit. The thread calls
 * no MPI function before it ends the run. With several hosts the message names a rank of the host
 * that is the first to reach the limit. */
#pragma once

#include <mpi.h>

#include "oak/status.h"
#include "timer.h"

typedef struct oak_watchdog oak_watchdog_t;

/** Watch the phases of \a timers on all ranks of \a comm from now on, and end the run if a rank has
 * not changed its phase for \a seconds. Collective. */
oak_status_t oak_watchdog_start(MPI_Comm comm, oak_timers_t *timers, double seconds,
                                oak_watchdog_t **out);
/** Tell the watchdog which step is under way; NULL is no watchdog. Rank-local. */
void oak_watchdog_step(oak_watchdog_t *dog, long step);
/** End watching; NULL is no watchdog. Collective. */
void oak_watchdog_stop(oak_watchdog_t **out);
