/* SPDX-License-Identifier: GPL-2.0-or-later
 * The checkpoints of a run: when they are due, what ends a run early, and going on from one.
 * Private. */
#pragma once

#include <sys/stat.h>
#include <time.h>

#include "output/output.h"

/** The request of a rank. The ranks agree on the largest of these numbers. From OAK_ASK_END on the
 * run ends. */
typedef enum {
  OAK_ASK_NONE,
  OAK_ASK_CHECKPOINT, /**< because of the wall-clock time since the last one */
  OAK_ASK_END,
  OAK_ASK_LIMIT = OAK_ASK_END, /**< the limit of wall-clock time is near */
  OAK_ASK_FILE,                /**< there is a stop file */
  OAK_ASK_USR1,
  OAK_ASK_TERM,
  OAK_ASK_INT
} oak_ask_t;

/** The identity of a stop file, which an earlier one of that name has not: all 0 without a file. */
typedef struct {
  ino_t inode;
  struct timespec changed;
} oak_stop_file_t;

typedef struct {
  oak_t *sim;
  oak_output_t *out;
  int keep;
  oak_schedule_t schedule; /**< by steps and simulated time, and at the end */
  double wall;             /**< seconds between checkpoints */
  double written_at;       /**< MPI_Wtime of the last one, or of the beginning */
  double limit_at, margin; /**< MPI_Wtime at which all must have ended; INFINITY: never */
  double step_at, longest; /**< MPI_Wtime of the last step, and seconds of the longest */
  double looked_at;        /**< for a stop file */
  oak_stop_file_t stop;    /**< one that was there before the run */
  long last;               /**< step of the last checkpoint, -1: none */
  int signals;             /**< as in oak_run_options_t */
  int pending;             /**< checkpoints that are not on the disk yet */
} oak_saving_t;

/** Check the keys of [checkpoint] and run.wall_limit. Not collective. */
oak_status_t oak_saving_open(oak_saving_t *saving, oak_output_t *out);
/** A run begins, or goes on, now: \a signals are caught from here to oak_saving_close. */
void oak_saving_begin(oak_saving_t *saving, int signals);
/** The request of this rank, to be put into sim->run.asks before a step. Not collective. */
oak_ask_t oak_saving_asks(oak_saving_t *saving);
/** After a step and its output: write a checkpoint if one is due, or if the run ends early.
 * \a ends: it ends here anyway. Collective. */
oak_status_t oak_saving_step(oak_saving_t *saving, int ends);
/** Write one now, or begin to. Collective. */
oak_status_t oak_saving_write(oak_saving_t *saving);
/** Collective. */
void oak_saving_close(oak_saving_t *saving);

/** A request in words for messages. */
const char *oak_ask_text(oak_ask_t ask);

/** Go on from checkpoint \a which, a path, or "latest" for the newest good one of the output
 * folder, and take up its schedule. Collective. */
oak_status_t oak_restart(oak_output_t *out, const char *which);
/** Judge the checkpoint that oak_restart will read first, before there is a mesh
 * (oak_checkpoint_fits). Collective. */
oak_status_t oak_restart_check(const oak_t *sim, const char *which);

/** The use of the files in a run's folder if it goes on from \a which. Rank-local. */
oak_folder_use_t oak_restart_folder(const oak_t *sim, const char *which);

/* run.c */
/** A simulation without mesh and kernels whose keys are checked, those of outputs too, and with \a
 * restart the checkpoint. Collective. */
oak_status_t oak_run_prepare(MPI_Comm comm, oak_params_t *params, const char *restart, oak_t **out);
/** The time step of the present state. Fails if it is too small to reach \a end_time. Collective.
 */
oak_status_t oak_run_time_step(oak_t *sim, double end_time, double *dt);

/* signals.c */
/** Keep signals that ask for an end: SIGUSR1, SIGTERM and SIGINT. A second SIGINT or SIGTERM ends
 * the process at once. */
void oak_signals_catch(void);
/** Restore what signals did before oak_signals_catch, or \a ignore them until the process ends. */
void oak_signals_release(int ignore);
/** The request of the signals since oak_signals_catch. */
oak_ask_t oak_signals_asks(void);

/** The options of a program that may know fewer of them than this library. */
oak_status_t oak_run_options(const oak_run_options_t *given, oak_run_options_t *own);
