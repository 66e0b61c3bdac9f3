/* SPDX-License-Identifier: GPL-2.0-or-later
 * When a run writes checkpoints, and when it ends early. What is known to one rank alone, such as a
 * signal or the clock, travels in the reduction of the time step. */
#include "solver/run/saver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "solver/run/checkpoint.h"

static const char stop_file[] = "stop";
static const double look_seconds = 1; /* between looks for a stop file */

const char *oak_ask_text(oak_ask_t ask) {
  switch (ask) {
    case OAK_ASK_LIMIT:
      return "the limit of wall-clock time";
    case OAK_ASK_FILE:
      return "a stop file";
    case OAK_ASK_USR1:
      return "SIGUSR1";
    case OAK_ASK_TERM:
      return "SIGTERM";
    case OAK_ASK_INT:
      return "SIGINT";
    default:
      return "nothing";
  }
}

/* ---- keys */

/* When a SLURM job ends, on the clock of MPI_Wtime. */
static double slurm_end(void) {
  const char *text = getenv("SLURM_JOB_END_TIME");
  char *end;
  if (!text || !*text) return INFINITY;
  const long long at = strtoll(text, &end, 10);
  return *end || at <= 0 ? INFINITY : MPI_Wtime() + difftime((time_t)at, time(NULL));
}

static oak_stop_file_t find_stop_file(const oak_output_t *out) {
  char path[4096];
  struct stat info;
  snprintf(path, sizeof path, "%s/%s", out->folder, stop_file);
  if (stat(path, &info) != 0) return (oak_stop_file_t){0};
  return (oak_stop_file_t){info.st_ino, info.st_mtim};
}

oak_status_t oak_saver_open(oak_saver_t *saver, oak_output_t *out) {
  const oak_params_t *p = out->sim->params;
  const double limit = oak_params_real(p, "run.wall_limit"),
               every = oak_params_real(p, "checkpoint.every");
  *saver = (oak_saver_t){.sim = out->sim,
                         .out = out,
                         .steps = oak_params_int(p, "checkpoint.steps"),
                         .keep = oak_params_int(p, "checkpoint.keep"),
                         .at_end = oak_params_bool(p, "checkpoint.at_end"),
                         .every = every > 0 ? every : INFINITY,
                         .wall = oak_params_real(p, "checkpoint.wall"),
                         .margin = oak_params_real(p, "run.wall_margin"),
                         .last = -1};
  OAK_CHECK(
      limit == 0 || limit > saver->margin, OAK_ERR_INPUT,
      "%s: run.wall_limit = %g s leaves no time: it must be above run.wall_margin = %g s, the "
      "time kept for the last checkpoint",
      oak_params_origin(p, "run.wall_limit"), limit, saver->margin);
  /* One that is there is of an earlier run, or a file of the user. */
  if (out->sim->rank == 0) saver->stop = find_stop_file(out);
  if (saver->stop.inode)
    oak_progress_note(out->progress,
                      "%s/%s is older than this run and does not end it: touch it to do so",
                      out->folder, stop_file);
  saver->limit_at = limit > 0 ? out->sim->started + limit : slurm_end();
  return OAK_OK;
}

/* The first multiple of the interval after the present time. */
static void plan(oak_saver_t *saver) {
  saver->next = INFINITY;
  if (isfinite(saver->every))
    saver->next = (floor(saver->sim->clock.time / saver->every * (1 + 1e-11)) + 1) * saver->every;
}

void oak_saver_begin(oak_saver_t *saver, int signals) {
  plan(saver);
  saver->written_at = saver->step_at = saver->looked_at = MPI_Wtime();
  saver->signals = signals;
  if (signals) oak_signals_catch();
}

void oak_saver_close(oak_saver_t *saver) {
  if (saver->signals) oak_signals_release();
  saver->signals = 0;
}

/* ---- what is asked for */

static int has_stop_file(oak_saver_t *saver, double now) {
  if (now - saver->looked_at < look_seconds) return 0;
  saver->looked_at = now;
  const oak_stop_file_t stop = find_stop_file(saver->out);
  return stop.inode &&
         (stop.inode != saver->stop.inode || stop.changed.tv_sec != saver->stop.changed.tv_sec ||
          stop.changed.tv_nsec != saver->stop.changed.tv_nsec);
}

oak_ask_t oak_saver_asks(oak_saver_t *saver) {
  const double now = MPI_Wtime();
  const oak_ask_t ask = saver->signals ? oak_signals_asks() : OAK_ASK_NONE;
  if (now - saver->step_at > saver->longest) saver->longest = now - saver->step_at;
  saver->step_at = now;
  if (ask != OAK_ASK_NONE || saver->sim->rank != 0) return ask;
  if (has_stop_file(saver, now)) return OAK_ASK_FILE;
  if (now + saver->margin + 2 * saver->longest > saver->limit_at) return OAK_ASK_LIMIT;
  if (saver->wall > 0 && now - saver->written_at > saver->wall) return OAK_ASK_CHECKPOINT;
  return OAK_ASK_NONE;
}

/* ---- writing */

/* The schedule of the output as text, on rank 0. */
static oak_status_t make_schedule(const oak_output_t *out, char **text) {
  size_t size;
  FILE *stream = open_memstream(text, &size);
  if (stream) oak_output_save(out, stream);
  OAK_CHECK(stream && fclose(stream) == 0, OAK_ERR_MEMORY, "no memory for the schedule of output");
  return OAK_OK;
}

typedef struct {
  oak_t *sim;
  char *schedule; /* on rank 0 */
} save_t;

static oak_status_t save(void *context, const char *path, oak_disk_t *disk) {
  const save_t *s = context;
  return oak_checkpoint_save(s->sim, s->schedule, path, disk);
}

static oak_status_t write_one(oak_saver_t *saver, const char *path) {
  oak_t *sim = saver->sim;
  save_t what = {.sim = sim};
  oak_status_t st = OAK_OK;
  if (saver->pending) OAK_TRY(oak_output_wait(saver->out));
  if (sim->rank == 0) {
    st = oak_run_folder_check(&saver->out->hold);
    if (st == OAK_OK) st = make_schedule(saver->out, &what.schedule);
  }
  st = oak_agree(sim->comm, st);
  if (st == OAK_OK)
    st = oak_output_put(saver->out, &(oak_put_t){.path = path,
                                                 .write = save,
                                                 .context = &what,
                                                 .keep = saver->keep,
                                                 .pending = &saver->pending});
  free(what.schedule);
  return st;
}

oak_status_t oak_saver_write(oak_saver_t *saver) {
  oak_t *sim = saver->sim;
  char path[4096];
  if (saver->last == sim->clock.step) return OAK_OK;
  snprintf(path, sizeof path, "%s/" OAK_CHECKPOINT_FORMAT, saver->out->folder, sim->clock.step);
  oak_timer_start(&sim->timers, OAK_PHASE_CHECKPOINT);
  const oak_status_t st = write_one(saver, path);
  oak_timer_stop(&sim->timers, OAK_PHASE_CHECKPOINT);
  OAK_TRY(st);
  saver->last = sim->clock.step;
  saver->written_at = saver->step_at = MPI_Wtime();
  return OAK_OK;
}

oak_status_t oak_saver_step(oak_saver_t *saver, int ends) {
  const oak_t *sim = saver->sim;
  const int asked = sim->run.asked != OAK_ASK_NONE && !ends;
  const int by_step = saver->steps > 0 && sim->clock.step % saver->steps == 0;
  const int by_time = sim->clock.time >= saver->next * (1 - 1e-12);
  if (by_time) plan(saver);
  return asked || by_step || by_time || (ends && saver->at_end) ? oak_saver_write(saver) : OAK_OK;
}
