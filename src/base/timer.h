/* SPDX-License-Identifier: GPL-2.0-or-later
 * Wall-clock time spent in the parts of a run. Private.
 *
 * Times are exclusive: starting a phase suspends the one that is running, stopping it resumes that
 * one, so the phases add up to the time since oak_timers_reset(). Time in no phase is "other".
 *
 * A device may still be working when a launch returns. Its clock therefore marks the changes of
 * phase in the queue of its work. A phase then gets the time of the work that was started in it,
 * and the host need not wait. Marks cost time themselves: a third of a step of 64^3 cells on a GPU.
 * Therefore only some time steps are measured phase by phase, as a sample: the first
 * OAK_TIMER_FIRST steps, and later one step in OAK_TIMER_EVERY. Any other step is measured as a
 * whole. Its time is divided among the phases in the proportions of the sample. */
#pragma once

#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>

#include "oak/status.h"

#define OAK_PHASE_TABLE(X)                      \
  X(OAK_PHASE_INIT, "initialization")           \
  X(OAK_PHASE_FLUX, "flux and update")          \
  X(OAK_PHASE_GHOST_R1, "ghost cells R1")       \
  X(OAK_PHASE_GHOST_R2, "ghost cells R2")       \
  X(OAK_PHASE_MPI, "MPI transfer")              \
  X(OAK_PHASE_PATTERN, "ghost cell pattern")    \
  X(OAK_PHASE_FLUX_FIX, "flux fixing")          \
  X(OAK_PHASE_POISSON, "Poisson's equation")    \
  X(OAK_PHASE_FLAGS, "refinement flags")        \
  X(OAK_PHASE_MESH, "mesh adaptation (p4est)")  \
  X(OAK_PHASE_BLOCKS, "block adaptation")       \
  X(OAK_PHASE_PARTITION, "partitioning")        \
  X(OAK_PHASE_TIME_STEP, "time step reduction") \
  X(OAK_PHASE_OUTPUT, "output")                 \
  X(OAK_PHASE_CHECKPOINT, "checkpoints")        \
  X(OAK_PHASE_DIAGNOSTICS, "diagnostics")       \
  X(OAK_PHASE_OTHER, "other")

typedef enum {
#define OAK_PHASE_ENUM(phase, text) phase,
  OAK_PHASE_TABLE(OAK_PHASE_ENUM)
#undef OAK_PHASE_ENUM
      OAK_PHASE_COUNT
} oak_phase_t;

enum { OAK_TIMER_DEPTH = 16, OAK_TIMER_MARKS = 128, OAK_TIMER_FIRST = 8, OAK_TIMER_EVERY = 16 };

/** A device's clock. Marks are numbered 0 to OAK_TIMER_MARKS - 1 and used again and again. */
typedef struct {
  void *data;
  /** Mark this point of the work queue. */
  void (*mark)(void *data, int number);
  /** Seconds from one mark to a later one; waits until that is reached. */
  double (*between)(void *data, int from, int to);
} oak_clock_t;

/** What another thread may look at: the running phase, and changes of phase so far. */
typedef struct {
  _Atomic int phase;
  _Atomic long changes;
} oak_beat_t;

typedef struct {
  double seconds[OAK_PHASE_COUNT]; /**< up to `since` */
  double since;                    /**< MPI_Wtime of the last change of phase */
  oak_clock_t clock;               /**< clock of a device; mark NULL: MPI_Wtime */
  int marked[OAK_TIMER_MARKS];     /**< phase that ended at each mark */
  int marks;                       /**< made and not yet read, the oldest 0 */
  long steps;                      /**< time steps begun */
  int in_step;
  int held;                       /**< between oak_timers_hold with 1 and with 0 */
  int whole;                      /**< all steps since the last mark were measured as a whole */
  double ended, idle;             /**< end of the last step, and time between steps since then */
  double sample[OAK_PHASE_COUNT]; /**< seconds of the steps measured phase by phase */
  double undivided; /**< seconds of the other steps, which are not yet added to `seconds` */
  oak_phase_t stack[OAK_TIMER_DEPTH];
  int depth;        /**< running phase: stack[depth]; stack[0] is OAK_PHASE_OTHER */
  oak_beat_t *beat; /**< kept up to date unless NULL */
} oak_timers_t;

/** Set all times to 0 and begin with OAK_PHASE_OTHER. Not collective, as all but printing. */
void oak_timers_reset(oak_timers_t *timers);
/** From now on take times from a device's clock; NULL: from the host's again. */
void oak_timers_use(oak_timers_t *timers, const oak_clock_t *clock);

/** Note each change of phase in \a beat; NULL: no longer. */
void oak_timers_show(oak_timers_t *timers, oak_beat_t *beat);

/** Start a phase within the running one. Each start needs its stop, also where a function fails. */
void oak_timer_start(oak_timers_t *timers, oak_phase_t phase);
/** Stop \a phase, which must be the running one, and go on with the one around it. */
void oak_timer_stop(oak_timers_t *timers, oak_phase_t phase);

/** The status of a call that is a phase of its own. */
#define OAK_TIMED(timers, phase, call) \
  (oak_timer_start(timers, phase), oak_timer_ended(timers, phase, call))
static inline oak_status_t oak_timer_ended(oak_timers_t *timers, oak_phase_t phase,
                                           oak_status_t status) {
  oak_timer_stop(timers, phase);
  return status;
}

/** While a queue of work is recorded, no time passes on the device: changes of phase are not
 * noted. */
void oak_timers_hold(oak_timers_t *timers, int on);

/** The beginning and the end of a time step, both outside of any phase. */
void oak_timer_step_begin(oak_timers_t *timers);
void oak_timer_step_end(oak_timers_t *timers);

/** Seconds spent in a phase until now, on this rank. */
double oak_timer_seconds(oak_timers_t *timers, oak_phase_t phase);
/** Seconds since oak_timers_reset(), on this rank. */
double oak_timers_total(oak_timers_t *timers);
/** Name of a phase, as printed. */
const char *oak_phase_name(oak_phase_t phase);

/** Print a table of all phases that took time: mean, least and most over the ranks of \a comm, and
 * the share of the whole. Collective; \a stream is used on rank 0 alone (NULL elsewhere is fine).
 */
void oak_timers_print(oak_timers_t *timers, MPI_Comm comm, FILE *stream);
