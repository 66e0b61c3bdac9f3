/* SPDX-License-Identifier: GPL-2.0-or-later
 * Wall-clock time spent in the parts of a run, and its table. */
#include "timer.h"

const char *oak_phase_name(oak_phase_t phase) {
  static const char *const name[] = {
#define PHASE_NAME(phase, text) text,
      OAK_PHASE_TABLE(PHASE_NAME)
#undef PHASE_NAME
  };
  return name[phase];
}

void oak_timers_reset(oak_timers_t *timers) {
  *timers = (oak_timers_t){.depth = 0};
  timers->stack[0] = OAK_PHASE_OTHER;
  timers->since = MPI_Wtime();
}

/** Phases nested deeper than the stack are counted for the deepest phase that it holds. */
static oak_phase_t running(const oak_timers_t *timers) {
  return timers->stack[timers->depth < OAK_TIMER_DEPTH ? timers->depth : OAK_TIMER_DEPTH - 1];
}

static void show(oak_timers_t *timers) {
  oak_beat_t *beat = timers->beat;
  if (!beat) return;
  atomic_store_explicit(&beat->phase, (int)running(timers), memory_order_relaxed);
  atomic_fetch_add_explicit(&beat->changes, 1, memory_order_relaxed);
}

void oak_timers_show(oak_timers_t *timers, oak_beat_t *beat) {
  timers->beat = beat;
  show(timers);
}

/* What ends at a mark: a phase, a phase of a step in the sample, or steps that are measured as a
 * whole. */
enum { OF_SAMPLE = OAK_PHASE_COUNT, WHOLE_STEPS = 2 * OAK_PHASE_COUNT };

/** Add the time between two marks to what ended at the later one. */
static void read_marks(oak_timers_t *timers) {
  for (int m = 1; m < timers->marks; m++) {
    const int what = timers->marked[m], phase = what % OAK_PHASE_COUNT;
    const double seconds = timers->clock.between(timers->clock.data, m - 1, m);
    if (what == WHOLE_STEPS) {
      timers->undivided += seconds;
      continue;
    }
    timers->seconds[phase] += seconds;
    if (what >= OF_SAMPLE) timers->sample[phase] += seconds;
  }
  timers->marks = 0;
}

static void mark(oak_timers_t *timers, int what) {
  timers->marked[timers->marks] = what;
  timers->clock.mark(timers->clock.data, timers->marks++);
  if (timers->marks < OAK_TIMER_MARKS) return;
  read_marks(timers);
  timers->clock.mark(timers->clock.data, timers->marks++);
}

/** End a series of steps that were measured as a whole. The time that the host spent between them
 * is not part of the steps. */
static void end_whole(oak_timers_t *timers, double now) {
  timers->idle += now - timers->ended;
  timers->undivided -= timers->idle;
  timers->seconds[OAK_PHASE_OTHER] += timers->idle;
  timers->whole = 0;
  mark(timers, WHOLE_STEPS);
}

/** Charge the time since the last change to the running phase. Phases of a step that is measured as
 * a whole take no time of the host for this. */
static void charge(oak_timers_t *timers) {
  if (timers->held || (timers->whole && timers->in_step)) return;
  double now = MPI_Wtime();
  if (!timers->clock.mark) {
    timers->seconds[running(timers)] += now - timers->since;
  } else if (timers->whole) {
    end_whole(timers, now);
  } else if (running(timers) != OAK_PHASE_OTHER || now - timers->since > 2e-6) {
    /* if one phase follows another at once, one mark is enough */
    mark(timers, (timers->in_step ? OF_SAMPLE : 0) + (int)running(timers));
  }
  timers->since = now;
}

void oak_timer_step_begin(oak_timers_t *timers) {
  const int by_phase = !timers->clock.mark || timers->steps < OAK_TIMER_FIRST ||
                       timers->steps % OAK_TIMER_EVERY == 0;
  timers->steps++;
  if (timers->whole && !by_phase) {
    timers->idle += MPI_Wtime() - timers->ended;
  } else {
    charge(timers);
    timers->idle = 0;
  }
  timers->whole = !by_phase;
  timers->in_step = 1;
}

void oak_timer_step_end(oak_timers_t *timers) {
  if (!timers->whole) charge(timers);
  timers->ended = timers->since = MPI_Wtime();
  timers->in_step = 0;
}

/** Divide the time of steps that were measured as a whole. */
static void divide(oak_timers_t *timers) {
  double sum = 0;
  for (int p = 0; p < OAK_PHASE_COUNT; p++) sum += timers->sample[p];
  for (int p = 0; p < OAK_PHASE_COUNT && sum > 0; p++)
    timers->seconds[p] += timers->undivided * timers->sample[p] / sum;
  if (sum > 0) timers->undivided = 0;
}

void oak_timers_use(oak_timers_t *timers, const oak_clock_t *clock) {
  charge(timers);
  if (timers->clock.mark) read_marks(timers);
  timers->clock = clock ? *clock : (oak_clock_t){NULL, NULL, NULL};
  if (timers->clock.mark) mark(timers, OAK_PHASE_OTHER);
}

void oak_timers_hold(oak_timers_t *timers, int on) {
  if (on) charge(timers);
  timers->held = on;
}

void oak_timer_start(oak_timers_t *timers, oak_phase_t phase) {
  charge(timers);
  timers->depth++;
  OAK_ASSERT(timers->depth < OAK_TIMER_DEPTH);
  if (timers->depth < OAK_TIMER_DEPTH) timers->stack[timers->depth] = phase;
  show(timers);
}

void oak_timer_stop(oak_timers_t *timers, oak_phase_t phase) {
  OAK_ASSERT(timers->depth > 0 && running(timers) == phase);
  (void)phase;
  charge(timers);
  if (timers->depth > 0) timers->depth--;
  show(timers);
}

double oak_timer_seconds(oak_timers_t *timers, oak_phase_t phase) {
  charge(timers);
  if (timers->clock.mark) {
    read_marks(timers);
    mark(timers, OAK_PHASE_OTHER);
    divide(timers);
  }
  return timers->seconds[phase];
}

double oak_timers_total(oak_timers_t *timers) {
  double total = 0;
  oak_timer_seconds(timers, OAK_PHASE_OTHER);
  for (int p = 0; p < OAK_PHASE_COUNT; p++) total += timers->seconds[p];
  return total;
}

void oak_timers_print(oak_timers_t *timers, MPI_Comm comm, FILE *stream) {
  int rank, size;
  double mine[OAK_PHASE_COUNT], mean[OAK_PHASE_COUNT], least[OAK_PHASE_COUNT],
      most[OAK_PHASE_COUNT];
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  for (int p = 0; p < OAK_PHASE_COUNT; p++) mine[p] = oak_timer_seconds(timers, (oak_phase_t)p);
  MPI_Reduce(mine, mean, OAK_PHASE_COUNT, MPI_DOUBLE, MPI_SUM, 0, comm);
  MPI_Reduce(mine, least, OAK_PHASE_COUNT, MPI_DOUBLE, MPI_MIN, 0, comm);
  MPI_Reduce(mine, most, OAK_PHASE_COUNT, MPI_DOUBLE, MPI_MAX, 0, comm);
  if (rank != 0 || !stream) return;

  double total = 0;
  for (int p = 0; p < OAK_PHASE_COUNT; p++) total += mean[p] /= size;
  if (!(total > 0)) return;
  fprintf(stream, "  %-26s %11s %11s %11s %8s\n", "wall-clock time", "seconds", "least", "most",
          "%");
  for (int p = 0; p < OAK_PHASE_COUNT; p++)
    if (most[p] > 0)
      fprintf(stream, "  %-26s %11.3f %11.3f %11.3f %8.1f\n", oak_phase_name((oak_phase_t)p),
              mean[p], least[p], most[p], 100 * mean[p] / total);
  fprintf(stream, "  %-26s %11.3f %11s %11s %8.1f\n", "total", total, "", "", 100.0);
  const double stepping = total - mean[OAK_PHASE_INIT] - mean[OAK_PHASE_OUTPUT];
  if (mean[OAK_PHASE_FLUX] > 0)
    fprintf(stream, "  outside flux and update: %.1f %% (initialization and output not counted)\n",
            100 * (1 - mean[OAK_PHASE_FLUX] / stepping));
}
