/* SPDX-License-Identifier: GPL-2.0-or-later
 * Writing files while the run goes on. Private.
 *
 * Each rank has a thread that writes, syncs and closes files, one job after the other. The thread
 * does not call MPI. An output ends with a commit: when the jobs of all ranks are done, rank 0
 * gives the files their names. The progress of each rank is one number in the reduction at the end
 * of each time step (oak_disk_state, oak_disk_step). If a job fails on any rank, later jobs only
 * close their files, and outputs that are not committed are discarded.
 *
 * Where a disk is NULL, each job is done and each output is committed before its function
 * returns. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "oak/status.h"

typedef struct oak_disk oak_disk_t;

/** Start the thread of this rank. \a bytes: the most memory for data that is not yet written.
 * Rank-local. */
oak_status_t oak_disk_new(MPI_Comm comm, size_t bytes, oak_disk_t **out);
/** End the thread, after oak_disk_wait. Rank-local. */
void oak_disk_free(oak_disk_t **disk);

/* ---- jobs; rank-local. A job that is done at once returns its failure. If a job fails in the
 * thread, oak_disk_step and oak_disk_wait report it. */

/** A job, which the thread does once. If an earlier job failed, \a st is a failure, and the job
 * only releases what \a context holds. */
typedef oak_status_t (*oak_disk_job_t)(void *context, oak_status_t st);

/** Hand over a job whose context holds \a bytes. Waits while the memory is full. */
oak_status_t oak_disk_do(oak_disk_t *disk, size_t bytes, oak_disk_job_t run, void *context);
/** Write \a data, which is copied, as oak_write_at. Without memory for a copy it is written at
 * once. */
oak_status_t oak_disk_write(oak_disk_t *disk, int fd, const void *data, size_t bytes,
                            int64_t offset, const char *path);
/** Sync the file if \a st is OAK_OK, and close it in any case. \return \a st or the first failure.
 */
oak_status_t oak_disk_close(oak_disk_t *disk, int fd, const char *path, oak_status_t st);

/* ---- outputs */

/** The end of an output. All may be NULL. */
typedef struct {
  oak_status_t (*finish)(void *context); /**< rank 0, by the thread: give the files their names */
  void (*discard)(void *context); /**< rank 0, after a failure; all ranks have closed their files */
  void (*release)(void *context); /**< last, on every rank */
  void *context;
  /** Every rank, when the jobs of all ranks are done: hand over jobs for which ranks must
   * communicate. Collective; called by oak_disk_step or oak_disk_wait, only with a disk. */
  oak_status_t (*resume)(void *context);
} oak_disk_output_t;

/** End an output whose jobs have all been handed over, with the status \a st on this rank.
 * Collective; if it fails, it fails on all ranks, and the output is released. */
oak_status_t oak_disk_commit(oak_disk_t *disk, MPI_Comm comm, oak_status_t st,
                             const oak_disk_output_t *output);

/** Work after an output is complete. */
typedef struct {
  oak_status_t (*finish)(void *context); /**< rank 0, by the thread, after `finish` of the output */
  void (*done)(void *context);           /**< every rank, when all is on the disk */
  void (*release)(void *context);        /**< last, on every rank, also after a failure */
  void *context;
} oak_disk_sequel_t;

/** Outputs that were committed so far; 0 if the disk is NULL. This function and the next ones are
 * rank-local. */
int64_t oak_disk_count(const oak_disk_t *disk);
/** 1 if outputs are on their way; the same on all ranks. */
int oak_disk_pending(const oak_disk_t *disk);
/** Add such work to the output that was committed last. */
void oak_disk_then(oak_disk_t *disk, const oak_disk_sequel_t *sequel);

/** A number that says how far this rank has written. The caller finds the largest one of all ranks
 * and passes it to oak_disk_step. */
double oak_disk_state(oak_disk_t *disk);
/** Go on with outputs that are complete on all ranks. Collective if there are any. \return 1 if a
 * job has failed on some rank: then oak_disk_wait says which. */
int oak_disk_step(oak_disk_t *disk, double most);
/** 1 if the memory was full and the run had to wait, for the first time. */
int oak_disk_was_full(oak_disk_t *disk);

/** Wait until all outputs are committed. Collective; fails on all ranks alike, with the message of
 * the job that failed. All files are then closed. */
oak_status_t oak_disk_wait(oak_disk_t *disk);
