/* SPDX-License-Identifier: GPL-2.0-or-later
 * Waiting for other ranks without keeping a core from them. */
#define _GNU_SOURCE 1
#include "base/wait.h"

#include <sched.h>
#include <time.h>

enum { YIELDS = 3, NAPS = 1000, MANY_RANKS = 256 };
static const double short_wait = 5e-6, long_wait = 1e-3, shared_core = 50e-6;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* To yield takes less than a microsecond if no other process needs the core, and a time slice or
 * more if one does. A process that has slept gets the core as soon as it wakes, but if it does not
 * share its core, it wakes 70 us late for nothing. */
void oak_wait(oak_wait_t *wait) {
  static _Thread_local int naps;   /* that are left, since the core was found to be shared */
  static _Thread_local int yields; /* since the last nap */
  const struct timespec pause = {.tv_nsec = 20 * 1000};
  const double before = now();
  if (wait->since == 0) wait->since = before;
  if (before - wait->since < short_wait) return;
  if ((naps > 0 || before - wait->since > long_wait) && ++yields > YIELDS) {
    yields = 0;
    naps -= naps > 0;
    nanosleep(&pause, NULL);
  } else {
    sched_yield();
    if (now() - before > shared_core) naps = NAPS;
  }
}

void oak_waitall(int n, MPI_Request *request) {
  oak_wait_t wait = {0};
  int done = 0;
  while (MPI_Testall(n, request, &done, MPI_STATUSES_IGNORE), !done) oak_wait(&wait);
}

/* On many ranks, which have cores of their own, the calls of MPI that wait are faster. */
static int few(MPI_Comm comm) {
  int size;
  MPI_Comm_size(comm, &size);
  return size > 1 && size <= MANY_RANKS;
}

void oak_barrier(MPI_Comm comm) {
  MPI_Request request;
  if (!few(comm)) {
    MPI_Barrier(comm);
  } else {
    MPI_Ibarrier(comm, &request);
    oak_waitall(1, &request);
  }
}

void oak_allreduce(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  MPI_Request request;
  if (!few(comm)) {
    MPI_Allreduce(in, out, n, type, op, comm);
  } else {
    MPI_Iallreduce(in, out, n, type, op, comm, &request);
    oak_waitall(1, &request);
  }
}

void oak_allgatherv(void *memory, const int *count, const int *start, MPI_Datatype type,
                    MPI_Comm comm) {
  MPI_Request request;
  if (!few(comm)) {
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, memory, count, start, type, comm);
  } else {
    MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, memory, count, start, type, comm, &request);
    oak_waitall(1, &request);
  }
}
