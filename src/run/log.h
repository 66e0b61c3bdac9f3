/* SPDX-License-Identifier: GPL-2.0-or-later
 * The log of a run. Private to src/solver. */
#pragma once

#include "solver/step/sim.h"

typedef struct {
  oak_t *sim;
  FILE *stream; /**< NULL on all ranks but 0, and without a log */
  char *text;   /**< text printed before there was a file */
  size_t size;
} oak_log_t;

/** Begin with the first lines of the run. */
void oak_log_begin(oak_log_t *log, oak_t *sim, const char *command);
/** Go on in the file oak.log of a folder that is ready; \a append: behind what it holds. */
void oak_log_open(oak_log_t *log, const char *folder, int append);
/** End with the table of times or, if \a st says so, with the last error. A log that could not be
 * written is noted on \a stream, which may be NULL. Collective. */
void oak_log_close(oak_log_t *log, oak_status_t st, FILE *stream);
