/* SPDX-License-Identifier: GPL-2.0-or-later
 * The terminal output of a run: table and summary. */
#include "progress.h"

#include <math.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "str.h"

enum { MAX_WIDTH = 100, MIN_LEVELS = 12, MAX_LEVELS = 32 };

static const double smooth_seconds = 30.0; /* over which the speed is averaged for the time left */

/* ---- pieces --------------------------------------------------------------------------------- */

static int64_t all_blocks(const oak_progress_state_t *state) {
  int64_t sum = 0;
  for (int l = 0; l <= state->max_level; l++) sum += state->blocks[l];
  return sum;
}

/** Cell updates per second in at most 10 characters: "38.1 MCUPS", "6.71 GCUPS". */
static void print_rate(char *out, size_t size, double updates, double seconds) {
  double rate = seconds > 0 ? updates / seconds / 1e6 : 0;
  if (!(rate > 0)) {
    snprintf(out, size, "-");
    return;
  }
  char unit = 'M';
  for (const char *next = "GTP"; *next && rate >= 999.5; next++) {
    rate /= 1000;
    unit = *next;
  }
  int digits = rate < 9.995 ? 2 : rate < 99.95 ? 1 : 0;
  snprintf(out, size, "%.*f %cCUPS", digits, rate, unit);
}

/** "L2:16 L3:120" in at most \a room characters, the coarsest levels left out if need be. */
static void print_levels(char *out, size_t size, int room, const oak_progress_state_t *state) {
  char item[MAX_LEVELS][16];
  int first = state->max_level, length = 0, lost = 0;
  for (int l = state->max_level; l >= 0 && l < MAX_LEVELS; l--) {
    char count[16];
    item[l][0] = '\0';
    if (state->blocks[l] == 0) continue;
    oak_str_count(count, sizeof count, (double)state->blocks[l]);
    int more = snprintf(item[l], sizeof item[l], "L%d:%.10s", l, count) + (length > 0);
    int coarser = 0;
    for (int c = 0; c < l; c++) coarser |= state->blocks[c] > 0;
    if (length + more + (coarser ? 3 : 0) > room) {
      lost = 1;
      break;
    }
    length += more;
    first = l;
  }
  snprintf(out, size, "%s", lost ? ".." : "");
  for (int l = first; l <= state->max_level && l < MAX_LEVELS; l++)
    if (item[l][0]) oak_str_append(out, size, "%s%s", *out ? " " : "", item[l]);
}

/** The part of the run that is done, from 0 to 1: by time or by steps, whichever will end it first.
 */
static double done(const oak_progress_t *progress, const oak_progress_state_t *state) {
  const oak_progress_options_t *o = &progress->options;
  double by_time = (state->time - progress->first_time) / (o->end_time - progress->first_time);
  double by_steps =
      (double)(state->step - progress->first_step) / (double)(o->max_steps - progress->first_step);
  if (!isfinite(o->end_time) || !(o->end_time > progress->first_time)) by_time = 0;
  if (o->max_steps <= progress->first_step) by_steps = 0;
  double fraction = by_time > by_steps ? by_time : by_steps;
  return fraction < 0 ? 0 : fraction > 1 ? 1 : fraction;
}

static void print_left(const oak_progress_t *progress, char *out, size_t size) {
  double left = progress->speed > 0 ? (1 - progress->fraction) / progress->speed : -1;
  oak_str_span(out, size, left);
}

/** Follow the speed of the run: at first the mean since the start, later the mean of the last half
 * minute. */
static void follow(oak_progress_t *progress, const oak_progress_state_t *state, double now) {
  double fraction = done(progress, state), span = now - progress->last_at;
  if (!(span > 0)) return;
  double recent = 1 - exp(-span / smooth_seconds), overall = span / (now - progress->begin);
  double weight = recent > overall ? recent : overall;
  progress->speed += weight * ((fraction - progress->fraction) / span - progress->speed);
  progress->fraction = fraction;
  progress->last_at = now;
}

/* ---- table ---------------------------------------------------------------------------------- */

/** Print a line to the terminal and to the log. */
static void print_everywhere(const oak_progress_t *progress, const char *line) {
  FILE *const to[] = {progress->options.stream, progress->options.log};
  for (int i = 0; i < 2; i++) {
    if (!to[i]) continue;
    fprintf(to[i], "%s\n", line);
    fflush(to[i]);
  }
}

static void print_titles(const oak_progress_t *progress) {
  char line[160];
  snprintf(line, sizeof line, "%7s %10s %9s %6s %6s %10s %8s %8s  %s", "step", "time", "dt",
           "blocks", "cells", "rate", "elapsed", "left", "blocks on levels");
  print_everywhere(progress, line);
}

/** The rate is the mean since the line before. */
static void print_line(oak_progress_t *progress, const oak_progress_state_t *state, double now) {
  char dt[24] = "-", blocks[16], cells[16], rate[24], elapsed[24], left[24],
       line[160 + MAX_WIDTH + 1];
  int64_t count = all_blocks(state);
  if (state->dt > 0) snprintf(dt, sizeof dt, "%.3e", state->dt);
  oak_str_count(blocks, sizeof blocks, (double)count);
  oak_str_count(cells, sizeof cells, (double)count * (double)state->cells_per_block);
  print_rate(rate, sizeof rate, (double)(state->updates - progress->line_updates),
             now - progress->line_at);
  oak_str_span(elapsed, sizeof elapsed, now - progress->begin);
  print_left(progress, left, sizeof left);
  const int used = snprintf(line, sizeof line, "%7ld %10.5g %9s %6s %6s %10s %8s %8s  ",
                            state->step, state->time, dt, blocks, cells, rate, elapsed, left);
  const int room = MAX_WIDTH - used;
  print_levels(line + used, sizeof line - (size_t)used, room > MIN_LEVELS ? room : MIN_LEVELS,
               state);
  print_everywhere(progress, line);
  progress->line_step = state->step;
  progress->line_updates = state->updates;
  progress->line_at = now;
}

static int line_due(const oak_progress_t *progress, const oak_progress_state_t *state, double now) {
  const oak_progress_options_t *o = &progress->options;
  if (o->every_steps > 0 && state->step % o->every_steps == 0 && state->step != progress->line_step)
    return 1;
  return o->every_seconds > 0 && now - progress->line_at >= o->every_seconds;
}

/* ---- run ------------------------------------------------------------------------------------ */

/** A run whose terminal or pipe is gone goes on without it. */
static int can_write(oak_progress_t *progress) {
  static int said;
  FILE *stream = progress->options.stream;
  if (stream && ferror(stream)) {
    if (!said)
      fprintf(stderr, "oak: standard output cannot be written: the run goes on without it\n");
    said = 1;
    progress->options.stream = NULL;
  }
  return progress->options.stream || progress->options.log;
}

void oak_progress_begin(oak_progress_t *progress, const oak_progress_options_t *options,
                        const oak_progress_state_t *state) {
  *progress = (oak_progress_t){.options = *options};
  if (!can_write(progress)) return;
  progress->first_step = state->step;
  progress->first_time = state->time;
  progress->first_updates = progress->line_updates = state->updates;
  progress->begin = progress->line_at = progress->last_at = MPI_Wtime();
  print_titles(progress);
  print_line(progress, state, progress->begin);
}

void oak_progress_update(oak_progress_t *progress, const oak_progress_state_t *state) {
  if (!can_write(progress)) return;
  double now = MPI_Wtime();
  follow(progress, state, now);
  if (line_due(progress, state, now)) print_line(progress, state, now);
}

void oak_progress_note(oak_progress_t *progress, const char *format, ...) {
  char *line = NULL;
  if (!can_write(progress)) return;
  va_list args;
  va_start(args, format);
  if (vasprintf(&line, format, args) >= 0) print_everywhere(progress, line);
  va_end(args);
  free(line);
}

void oak_progress_end(oak_progress_t *progress, const oak_progress_state_t *state) {
  if (!can_write(progress)) return;
  char elapsed[24], rate[24];
  double now = MPI_Wtime();
  follow(progress, state, now);
  if (state->step != progress->line_step) print_line(progress, state, now);
  long steps = state->step - progress->first_step;
  oak_str_span(elapsed, sizeof elapsed, now - progress->begin);
  print_rate(rate, sizeof rate, (double)(state->updates - progress->first_updates),
             now - progress->begin);
  oak_progress_note(progress, "%ld step%s to t = %.5g in %s, %s on average", steps,
                    steps == 1 ? "" : "s", state->time, elapsed, rate);
}
