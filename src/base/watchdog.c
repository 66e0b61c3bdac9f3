/* SPDX-License-Identifier: GPL-2.0-or-later
 * The watchdog: a timer of the operating system, which looks whether the phase has changed. */
#include "watchdog.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "failure.h"

enum { TURNS = 8 }; /* looks in the time that a phase may take */

/* The run of this process. Its memory stays, because a look may still be under way at the end. */
static struct {
  MPI_Comm comm;
  oak_timers_t *timers;
  oak_beat_t beat;
  double limit;
  long seen; /* changes of phase at the last look */
  int quiet; /* looks since then */
  _Atomic long step;
  timer_t timer;
  int runs;
} dog;

/* Where all ranks stand still, one speaks and ends all. The others leave it some seconds: those in
 * phases in which a rank waits for others, and higher ranks. */
static void let_others_speak(int rank, int phase) {
  enum { SECONDS = 2, MOST = 4 };
  const int waits = phase == OAK_PHASE_MPI || phase == OAK_PHASE_TIME_STEP;
  sleep(SECONDS * (unsigned)((rank < MOST ? rank : MOST) + waits * (MOST + 1)));
}

/* Looks are counted, and not seconds: while the whole process is stopped, as by a terminal, there
 * are none. */
static void look(union sigval unused) {
  char host[256] = "";
  (void)unused;
  const long changes = dog.beat.changes;
  const int quiet = dog.quiet = changes == dog.seen ? dog.quiet + 1 : 0;
  dog.seen = changes;
  if (quiet != TURNS || !dog.runs) return; /* later looks leave it to the one that speaks */
  int rank;
  MPI_Comm_rank(dog.comm, &rank);
  let_others_speak(rank, dog.beat.phase);
  if (dog.beat.changes != changes || !dog.runs) return;
  gethostname(host, sizeof host - 1);
  OAK_FAIL(OAK_ERR_STATE,
           "rank %d (process %ld on %s) has made no progress for %g s in phase '%s' of step %ld, "
           "so run.watchdog ends the run: this process, or another one that it waits for, hangs; "
           "look at your hooks for a loop without an end, or set a longer time if such a phase may "
           "last longer",
           rank, (long)getpid(), host, dog.limit, oak_phase_name((oak_phase_t)dog.beat.phase),
           dog.step);
  oak_end_all(dog.comm);
}

static oak_status_t start_timer(void) {
  struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = look};
  const double turn = dog.limit / TURNS;
  struct itimerspec every = {.it_interval.tv_sec = (time_t)turn};
  every.it_interval.tv_nsec = (long)(1e9 * (turn - (double)every.it_interval.tv_sec)) + 1;
  every.it_value = every.it_interval;
  OAK_CHECK(timer_create(CLOCK_MONOTONIC, &event, &dog.timer) == 0, OAK_ERR_MEMORY,
            "run.watchdog: cannot start a timer: %s", strerror(errno));
  dog.runs = timer_settime(dog.timer, 0, &every, NULL) == 0;
  return OAK_OK;
}

oak_status_t oak_watchdog_start(MPI_Comm comm, oak_timers_t *timers, double seconds) {
  dog.comm = comm;
  dog.timers = timers;
  dog.limit = seconds;
  dog.quiet = 0;
  dog.step = 0;
  oak_timers_show(timers, &dog.beat);
  return oak_agree(comm, start_timer());
}

void oak_watchdog_step(long step) { dog.step = step; }

void oak_watchdog_stop(void) {
  if (!dog.runs) return;
  dog.runs = 0;
  timer_delete(dog.timer);
  oak_timers_show(dog.timers, NULL);
}
