/* SPDX-License-Identifier: GPL-2.0-or-later
 * Child processes. Private. */
#pragma once

#include "base/buffer.h"

/** Run a program without a shell. Its input is /dev/null, its messages are in English, and of the
 * environment it gets only what oak_process_variable names. All that it prints is appended to \a
 * output; if \a to is not NULL, its standard output goes to that file instead. The program and all
 * that it has started are stopped after $OAK_BUILD_LIMIT seconds (600), when they have used no
 * processor time for 50 s (unless $OAK_BUILD_LIMIT is set), or when they print without end. \a code
 * is its exit status, or 128 + the signal that ended it. Not collective. */
oak_status_t oak_process_run(const oak_words_t *command, const char *to, oak_buffer_t *output,
                             int *code);
/** 1 if programs get the variable \a entry, NAME=VALUE, of the environment. \a result: only if it
 * may change what a compiler makes; others say where and for whom it runs. */
int oak_process_variable(const char *entry, int result);
/** A program to run, and what came of it; start from {0}. */
typedef struct {
  oak_words_t command;
  const char *to;      /**< as for oak_process_run */
  oak_buffer_t output; /**< output of the process */
  int code;            /**< as for oak_process_run, or OAK_JOB_STOPPED: not started or not ended */
} oak_job_t;
enum { OAK_MOST_JOBS = 16, OAK_JOB_STOPPED = -1 };
/** Run programs at the same time, at most \a most (and OAK_MOST_JOBS) of them, each as
 * oak_process_run does. If one fails, those that still run are stopped and the others are not
 * started; the function returns OAK_OK also then. Not collective. */
oak_status_t oak_process_run_jobs(oak_job_t *job, int count, int most);
void oak_job_free(oak_job_t *job);
/** Full path of a program as a shell would find it, or NULL. Freed by the caller. */
char *oak_process_find(const char *name);
