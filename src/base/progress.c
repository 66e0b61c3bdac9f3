/* SPDX-License-Identifier: GPL-2.0-or-later
 * The terminal output of a run: table, bar, summary. */
#include "progress.h"

#include <math.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "str.h"

enum { MAX_WIDTH = 100, NARROW = 90, MIN_LEVELS = 12, MAX_LEVELS = 32 };

static const double bar_seconds = 0.1;     /* between drawings of the bar */
static const double smooth_seconds = 30.0; /* over which the speed is averaged for the time left */

/* ---- pieces --------------------------------------------------------------------------------- */

static int terminal_width(FILE *stream) {
  struct winsize size;
  int width = 80;
  const char *columns = getenv("COLUMNS");
  if (ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    width = size.ws_col;
  else if (columns && atoi(columns) > 0)
    width = atoi(columns);
  return width < MAX_WIDTH ? width : MAX_WIDTH;
}

/** mpirun gives its children a pseudo-terminal even if its own output goes to a file. The output of
 * the parent process then decides. */
static int parent_writes_to_terminal(void) {
  char path[64];
  struct stat out;
  if (!getenv("OMPI_COMM_WORLD_SIZE") && !getenv("PMI_SIZE")) return 1;
  snprintf(path, sizeof path, "/proc/%ld/fd/1", (long)getppid());
  return stat(path, &out) == 0 && S_ISCHR(out.st_mode) && out.st_rdev != makedev(1, 3);
}

/** A terminal that understands escape sequences. */
static int is_terminal(FILE *stream) {
  const char *term = getenv("TERM");
  return isatty(fileno(stream)) && term && *term && strcmp(term, "dumb") != 0 &&
         parent_writes_to_terminal();
}

/** This reads the environment variables, because the program may not have set its locale. */
static int speaks_utf8(void) {
  static const char *const variable[] = {"LC_ALL", "LC_CTYPE", "LANG"};
  for (int v = 0; v < 3; v++) {
    const char *value = getenv(variable[v]);
    if (value && *value)
      return strstr(value, "UTF-8") || strstr(value, "utf8") || strstr(value, "UTF8");
  }
  return 0;
}

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

/** Print a line to the terminal, in place of the bar, and to the log. */
static void print_everywhere(oak_progress_t *progress, const char *begin, const char *line,
                             const char *end) {
  const oak_progress_options_t *o = &progress->options;
  oak_progress_clear(progress);
  if (o->stream) {
    fprintf(o->stream, "%s%s%s\n", begin, line, end);
    fflush(o->stream);
  }
  if (o->log) {
    fprintf(o->log, "%s\n", line);
    fflush(o->log);
  }
}

static void print_titles(oak_progress_t *progress) {
  char line[160];
  snprintf(line, sizeof line, "%7s %10s %9s %6s %6s %10s %s%8s  %s", "step", "time", "dt", "blocks",
           "cells", "rate", progress->narrow ? "" : " elapsed ", "left",
           progress->narrow ? "levels" : "blocks on levels");
  print_everywhere(progress, progress->colors ? "\033[1m" : "", line,
                   progress->colors ? "\033[0m" : "");
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
  snprintf(line, sizeof line, "%7ld %10.5g %9s %6s %6s %10s ", state->step, state->time, dt, blocks,
           cells, rate);
  if (!progress->narrow) oak_str_append(line, sizeof line, "%8s ", elapsed);
  oak_str_append(line, sizeof line, "%8s  ", left);
  const int used = (int)strlen(line);
  int room = progress->width - used;
  print_levels(line + used, sizeof line - (size_t)used, room > MIN_LEVELS ? room : MIN_LEVELS,
               state);
  print_everywhere(progress, "", line, "");
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

/* ---- bar ------------------------------------------------------------------------------------ */

/** \a cells columns, filled up to \a fraction in eighths where the terminal can show them. */
static void draw_cells(const oak_progress_t *progress, int cells, double fraction) {
  static const char *const eighth[] = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
  FILE *stream = progress->options.stream;
  int filled = (int)(fraction * cells * 8);
  for (int c = 0; c < cells; c++) {
    int part = filled - 8 * c;
    part = part < 0 ? 0 : part > 8 ? 8 : part;
    if (progress->unicode)
      fputs(eighth[part], stream);
    else
      fputc(part >= 4 ? '#' : '.', stream);
  }
}

static void draw_bar(oak_progress_t *progress, const oak_progress_state_t *state, double now) {
  if (!progress->terminal || now - progress->bar_at < bar_seconds) return;
  char head[16], tail[96], left[24], rate[24];
  progress->bar_at = now;
  progress->width = terminal_width(progress->options.stream);
  print_left(progress, left, sizeof left);
  print_rate(rate, sizeof rate, (double)(state->updates - progress->first_updates),
             now - progress->begin);
  int before = snprintf(head, sizeof head, "%5.1f %% ", 100 * progress->fraction);
  int after = snprintf(tail, sizeof tail, "  step %ld  t = %.5g  %s  %s left", state->step,
                       state->time, rate, left);
  int cells = progress->width - 1 - before - after - 2;
  if (cells < 8) { /* a narrow terminal: the bar matters most */
    snprintf(tail, sizeof tail, "%s", "");
    cells = progress->width - 1 - before - 2;
  }
  if (cells < 1) return;
  const char *edge = progress->unicode ? "│" : "|";
  FILE *stream = progress->options.stream;
  fprintf(stream, "\r%s%s%s", head, edge, progress->colors ? "\033[32m" : "");
  draw_cells(progress, cells, progress->fraction);
  fprintf(stream, "%s%s%s\033[K", progress->colors ? "\033[0m" : "", edge, tail);
  fflush(stream);
  progress->bar_shown = 1;
}

void oak_progress_clear(oak_progress_t *progress) {
  if (!progress->bar_shown || !progress->options.stream) return;
  fputs("\r\033[K", progress->options.stream);
  fflush(progress->options.stream);
  progress->bar_shown = 0;
  progress->bar_at = -INFINITY;
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
    progress->terminal = 0;
  }
  return progress->options.stream || progress->options.log;
}

void oak_progress_begin(oak_progress_t *progress, const oak_progress_options_t *options,
                        const oak_progress_state_t *state) {
  *progress = (oak_progress_t){.options = *options, .width = MAX_WIDTH};
  if (!can_write(progress)) return;
  progress->terminal = progress->options.stream && is_terminal(options->stream);
  progress->colors = progress->terminal && !getenv("NO_COLOR");
  progress->unicode = speaks_utf8();
  if (progress->terminal) progress->width = terminal_width(options->stream);
  progress->narrow = progress->width < NARROW;
  progress->first_step = state->step;
  progress->first_time = state->time;
  progress->first_updates = progress->line_updates = state->updates;
  progress->begin = progress->line_at = progress->last_at = MPI_Wtime();
  progress->bar_at = -INFINITY;
  print_titles(progress);
  print_line(progress, state, progress->begin);
}

void oak_progress_update(oak_progress_t *progress, const oak_progress_state_t *state) {
  if (!can_write(progress)) return;
  double now = MPI_Wtime();
  follow(progress, state, now);
  if (line_due(progress, state, now)) print_line(progress, state, now);
  draw_bar(progress, state, now);
}

void oak_progress_note(oak_progress_t *progress, const char *format, ...) {
  char *line = NULL;
  if (!can_write(progress)) return;
  va_list args;
  va_start(args, format);
  if (vasprintf(&line, format, args) >= 0) print_everywhere(progress, "", line, "");
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
