/* SPDX-License-Identifier: GPL-2.0-or-later
 * When an output of a run is due: by steps, by time, at given times, at the start and the end.
 * Private. */
#pragma once

#include <stdio.h>

#include "oak/status.h"

typedef struct {
  long steps;    /**< between outputs; 0: none by steps */
  double every;  /**< time between outputs; 0: none by time */
  double *times; /**< [ntimes] further times, ascending */
  int ntimes;
  int exact;      /**< time steps are shortened to meet these times */
  int first_last; /**< the initial and the final state */
  double next;    /**< the next multiple of `every`; INFINITY: none */
  int passed;     /**< times that are over */
} oak_schedule_t;

/** Set the state for a run that begins at time 0; the rest is given. Takes over \a times, an
 * allocated array of \a count times, which it sorts. */
void oak_schedule_begin(oak_schedule_t *schedule, double *times, int count);
void oak_schedule_clear(oak_schedule_t *schedule);

/** Is an output due after step \a step, which ended at \a time? \a ends: the run begins or ends
 * here. To be called once for each step, because it moves on to the next time. */
int oak_schedule_due(oak_schedule_t *schedule, double time, long step, int ends);

/** The next time that has to be met exactly; INFINITY: none. */
double oak_schedule_target(const oak_schedule_t *schedule);

/** Move on to the first times after \a time, without output. */
void oak_schedule_skip(oak_schedule_t *schedule, double time);
