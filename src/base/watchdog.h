/* SPDX-License-Identifier: GPL-2.0-or-later
 * A watchdog ends a run in which a rank makes no progress, which is a change of phase (timer.h).
 * Each rank looks at itself. There is one run at a time in a process. Private. */
#pragma once

#include <mpi.h>

#include "oak/status.h"
#include "timer.h"

/** Watch the phases of \a timers on all ranks of \a comm from now on, and end the run if a rank has
 * not changed its phase for \a seconds. Collective. */
oak_status_t oak_watchdog_start(MPI_Comm comm, oak_timers_t *timers, double seconds);
/** Tell the watchdog which step is under way. Rank-local, as oak_watchdog_stop. */
void oak_watchdog_step(long step);
/** End watching, if there is a watchdog. */
void oak_watchdog_stop(void);
