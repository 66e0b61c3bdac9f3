/* SPDX-License-Identifier: GPL-2.0-or-later
 * Child processes. Private. */
#ifndef OAK_PROCESS_H
#define OAK_PROCESS_H

#include "base/buffer.h"

/** Run a program without a shell, input from /dev/null, messages in English, and append all it says
 * to \a output; what it prints goes to the file \a to unless that is NULL. It is stopped, with all
 * that it started, after $OAK_BUILD_LIMIT seconds (600) or when it prints without end. \a code is
 * its exit status, or 128 + the signal that ended it. Not collective. */
oak_status_t oak_process_run(const oak_words_t *command, const char *to, oak_buffer_t *output,
                             int *code);
/** A program to run, and what came of it; start from {0}. */
typedef struct {
  oak_words_t command;
  const char *to;      /**< as for oak_process_run */
  oak_buffer_t output; /**< what it says */
  int code;            /**< as for oak_process_run, or OAK_JOB_STOPPED: not started or not ended */
} oak_job_t;
enum { OAK_MOST_JOBS = 16, OAK_JOB_STOPPED = -1 };
/** Run programs side by side, at most \a most at a time (and OAK_MOST_JOBS), each as
 * oak_process_run does. When one fails, those that still run are stopped and the others are not
 * started; this is OAK_OK. Not collective. */
oak_status_t oak_process_run_jobs(oak_job_t *job, int count, int most);
void oak_job_free(oak_job_t *job);
/** Full path of a program as a shell would find it, or NULL. Freed by the caller. */
char *oak_process_find(const char *name);

#endif
