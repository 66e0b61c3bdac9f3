/* SPDX-License-Identifier: GPL-2.0-or-later
 * The watchdog: a thread per rank that looks at what the ranks of its host have noted. */
#include "watchdog.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "failure.h"
#include "hosts.h"
#include "process.h"

/** What a rank tells the other ranks of its host. */
typedef struct {
  oak_beat_t beat;
  _Atomic long step;
  _Atomic long before; /**< changes of phase when the step began */
  int rank, process;
  _Atomic int ends; /**< in the first slot only: 1 when a watchdog of this host is ending the run */
} slot_t;

struct oak_watchdog {
  MPI_Comm comm, host;
  MPI_Win window;
  slot_t *slot, *mine; /**< [count] of this host; of this rank */
  int count;
  double limit;
  oak_timers_t *timers;
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t wake;
  int stop;
};

/** State of a process; 0: gone. */
static char process_state(int process) {
  oak_process_t seen;
  return oak_process_see(process, &seen) ? seen.state : 0;
}

static int halted(char state) { return state == 'T' || state == 't' || state == 'Z' || !state; }

/** 1 if \a a is behind \a b. All ranks go through the same phases. A rank that hangs has changed
 * its phase least often, because the other ranks go on until they need it. */
static int behind(const slot_t *a, const slot_t *b) {
  const int halt_a = halted(process_state(a->process)), halt_b = halted(process_state(b->process));
  if (halt_a != halt_b) return halt_a;
  const long step_a = a->step, step_b = b->step;
  const long in_a = a->beat.changes - a->before, in_b = b->beat.changes - b->before;
  if (step_a != step_b) return step_a < step_b;
  if (in_a != in_b) return in_a < in_b;
  return a->beat.time < b->beat.time;
}

static void end_run(oak_watchdog_t *dog) {
  int first = 0;
  if (!atomic_compare_exchange_strong(&dog->slot[0].ends, &first, 1))
    return; /* another watchdog ends the run */
  const slot_t *late = &dog->slot[0];
  char host[256] = "", why[64] = "";
  for (int i = 1; i < dog->count; i++)
    if (behind(&dog->slot[i], late)) late = &dog->slot[i];
  const char state = process_state(late->process);
  gethostname(host, sizeof host - 1);
  if (halted(state))
    snprintf(why, sizeof why, ", %s",
             state == 'T' || state == 't' ? "stopped by a signal" : "dead");
  OAK_FAIL(
      OAK_ERR_STATE,
      "rank %d (process %d on %s%s) has made no progress for %.3g s in phase '%s' of step %ld: "
      "run.watchdog = %g ends the run; look at that process or host, and at your hooks for a loop "
      "without an end, or set a longer time if such a phase may last longer",
      late->rank, late->process, host, why, oak_seconds() - late->beat.time,
      oak_phase_name((oak_phase_t)late->beat.phase), late->step, dog->limit);
  oak_end_all(dog->comm);
}

/** Wait for \a seconds. \return 1 if the watchdog is to stop. */
static int pause_for(oak_watchdog_t *dog, double seconds) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  const double fraction = 1e-9 * (double)until.tv_nsec + seconds;
  until.tv_sec += (time_t)fraction;
  until.tv_nsec = (long)(1e9 * (fraction - (double)(time_t)fraction));
  pthread_mutex_lock(&dog->mutex);
  if (!dog->stop) pthread_cond_timedwait(&dog->wake, &dog->mutex, &until);
  const int stop = dog->stop;
  pthread_mutex_unlock(&dog->mutex);
  return stop;
}

/** If a process was stopped together with its watchdog, the limit seems to be exceeded when it goes
 * on. Its time therefore counts from the moment at which the watchdog looks again. */
static void *watch(void *data) {
  oak_watchdog_t *dog = data;
  const double turn = dog->limit / 8 < 1 ? dog->limit / 8 : 1;
  double looked = oak_seconds(), awake = looked;
  while (!pause_for(dog, turn)) {
    const double t = oak_seconds();
    if (t - looked > 4 * turn + 1) awake = t;
    looked = t;
    double since = dog->mine->beat.time;
    if (since < awake) since = awake;
    if (t - since > dog->limit) end_run(dog);
  }
  return NULL;
}

static oak_status_t start_thread(oak_watchdog_t *dog) {
  pthread_mutex_init(&dog->mutex, NULL);
  pthread_cond_init(&dog->wake, NULL);
  const int code = pthread_create(&dog->thread, NULL, watch, dog);
  OAK_CHECK(code == 0, OAK_ERR_MEMORY, "run.watchdog: cannot start a thread: %s", strerror(code));
  return OAK_OK;
}

/** The memory that the ranks of the host share. */
static void share_slots(oak_watchdog_t *dog) {
  MPI_Aint size;
  int rank, unit;
  oak_hosts_split(dog->comm, &dog->host);
  MPI_Comm_rank(dog->host, &rank);
  MPI_Comm_size(dog->host, &dog->count);
  MPI_Win_allocate_shared(rank == 0 ? (MPI_Aint)dog->count * (MPI_Aint)sizeof(slot_t) : 0,
                          (int)sizeof(slot_t), MPI_INFO_NULL, dog->host, &dog->slot, &dog->window);
  MPI_Win_shared_query(dog->window, 0, &size, &unit, &dog->slot);
  dog->mine = &dog->slot[rank];
  memset(dog->mine, 0, sizeof *dog->mine);
  dog->mine->process = (int)getpid();
  MPI_Comm_rank(dog->comm, &dog->mine->rank);
  dog->mine->beat.time = oak_seconds();
}

oak_status_t oak_watchdog_start(MPI_Comm comm, oak_timers_t *timers, double seconds,
                                oak_watchdog_t **out) {
  oak_watchdog_t *dog;
  *out = NULL;
  oak_status_t st = oak_agree(comm, OAK_NEW(dog, 1));
  if (st != OAK_OK) {
    free(dog);
    return st;
  }
  dog->comm = comm;
  dog->limit = seconds;
  dog->timers = timers;
  share_slots(dog);
  oak_timers_show(timers, &dog->mine->beat);
  MPI_Barrier(dog->host);
  const oak_status_t started = start_thread(dog);
  st = oak_agree(comm, started);
  if (st != OAK_OK) {
    if (started != OAK_OK) dog->thread = pthread_self();
    oak_watchdog_stop(&dog);
    return st;
  }
  *out = dog;
  return OAK_OK;
}

void oak_watchdog_step(oak_watchdog_t *dog, long step) {
  if (!dog) return;
  dog->mine->before = dog->mine->beat.changes;
  dog->mine->step = step;
}

void oak_watchdog_stop(oak_watchdog_t **out) {
  oak_watchdog_t *dog = *out;
  if (!dog) return;
  pthread_mutex_lock(&dog->mutex);
  dog->stop = 1;
  pthread_cond_signal(&dog->wake);
  pthread_mutex_unlock(&dog->mutex);
  if (!pthread_equal(dog->thread, pthread_self())) pthread_join(dog->thread, NULL);
  pthread_cond_destroy(&dog->wake);
  pthread_mutex_destroy(&dog->mutex);
  oak_timers_show(dog->timers, NULL);
  MPI_Win_free(&dog->window);
  MPI_Comm_free(&dog->host);
  free(dog);
  *out = NULL;
}
