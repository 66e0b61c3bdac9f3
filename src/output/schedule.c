/* SPDX-License-Identifier: GPL-2.0-or-later
 * When an output of a run is due. A time counts as reached already if the run is a relative 1e-12
 * before it, because sums of time steps are rounded. */
#include "output/schedule.h"

#include <math.h>
#include <stdlib.h>

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

void oak_schedule_begin(oak_schedule_t *schedule, double *times, int count) {
  schedule->times = times;
  schedule->ntimes = count;
  schedule->next = schedule->every > 0 ? schedule->every : INFINITY;
  schedule->passed = 0;
  if (count > 1) qsort(times, (size_t)count, sizeof *times, ascending);
}

void oak_schedule_clear(oak_schedule_t *schedule) {
  free(schedule->times);
  schedule->times = NULL;
  schedule->ntimes = 0;
}

static int reached(double time, double target) { return time >= target * (1 - 1e-12); }

/** The next multiple of the interval, even if a step has passed several multiples. Intervals may be
 * so small that the number of multiples overflows. */
static double multiple_after(double every, double time) {
  const double passed = floor(time / every * (1 + 1e-11));
  return isfinite(passed) ? (passed + 1) * every : time;
}

int oak_schedule_due(oak_schedule_t *s, double time, long step, int ends) {
  int due = (ends && s->first_last) || (s->steps > 0 && step % s->steps == 0);
  for (; s->passed < s->ntimes && reached(time, s->times[s->passed]); s->passed++) due = 1;
  if (reached(time, s->next)) {
    s->next = multiple_after(s->every, time);
    due = 1;
  }
  return due;
}

double oak_schedule_target(const oak_schedule_t *s) {
  if (!s->exact) return INFINITY;
  return s->passed < s->ntimes ? fmin(s->next, s->times[s->passed]) : s->next;
}

void oak_schedule_skip(oak_schedule_t *s, double time) {
  while (s->passed < s->ntimes && reached(time, s->times[s->passed])) s->passed++;
  if (s->every > 0 && reached(time, s->next)) s->next = multiple_after(s->every, time);
}
