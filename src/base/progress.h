/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the terminal shows of a run: a table with a line every so many steps. Private. Used on one
 * rank (without stream and log all calls do nothing). */
#pragma once

#include <stdint.h>
#include <stdio.h>

/** Filled by the caller after each step. Levels without blocks are not shown. */
typedef struct {
  long step;
  double time;
  double dt;             /**< dt of the last step; 0 before the first */
  int max_level;         /**< highest level that exists */
  const int64_t *blocks; /**< [max_level + 1] blocks of each level, on all ranks */
  int64_t cells_per_block;
  int64_t updates; /**< cells updated so far, on all ranks; each Runge-Kutta stage counts */
} oak_progress_state_t;

typedef struct {
  FILE *stream;         /**< NULL on the ranks that print nothing */
  FILE *log;            /**< gets the same lines; NULL: none */
  double end_time;      /**< the run ends there ... */
  long max_steps;       /**< ... or at this step (0: no limit) */
  long every_steps;     /**< steps between lines, 0: none by steps */
  double every_seconds; /**< a line at least every so many seconds, 0: off */
} oak_progress_options_t;

/** Private. The structure is not opaque so that it can be a local variable. */
typedef struct {
  oak_progress_options_t options;
  long first_step, line_step;
  double first_time, begin;
  double line_at, last_at; /* MPI_Wtime of the last line and update */
  int64_t first_updates, line_updates;
  double fraction, speed; /* done so far, and done per second, smoothed */
} oak_progress_t;

/** Print the column titles and the line of the initial \a state, and start the clock. */
void oak_progress_begin(oak_progress_t *progress, const oak_progress_options_t *options,
                        const oak_progress_state_t *state);
/** Print a line if one is due. Cheap: meant for every step. */
void oak_progress_update(oak_progress_t *progress, const oak_progress_state_t *state);
/** A remark between the lines of the table, such as the name of a file just written. A newline is
 * added. */
void oak_progress_note(oak_progress_t *progress, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/** Print the line of the final state and a summary. */
void oak_progress_end(oak_progress_t *progress, const oak_progress_state_t *state);
