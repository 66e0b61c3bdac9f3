/* SPDX-License-Identifier: GPL-2.0-or-later
 * When a run writes checkpoints, and when it ends early. What is known to one rank alone, such as a
 * signal or the clock, travels in the reduction of the time step. */
#include "run/saving.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "run/checkpoint.h"

static const char stop_file[] = "stop";
static const double look_seconds = 1; /* between looks for a stop file */

const char *oak_ask_text(oak_ask_t ask) {
  static const char *const text[] = {
      [OAK_ASK_NONE] = "nothing",     [OAK_ASK_CHECKPOINT] = "nothing",
      [OAK_ASK_FILE] = "a stop file", [OAK_ASK_LIMIT] = "the limit of wall-clock time",
      [OAK_ASK_USR1] = "SIGUSR1",     [OAK_ASK_TERM] = "SIGTERM",
      [OAK_ASK_INT] = "SIGINT"};
  return text[ask];
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

oak_status_t oak_saving_open(oak_saving_t *saving, oak_output_t *out) {
  const oak_params_t *p = out->sim->setup.params;
  const double limit = oak_params_real(p, "run.wall_limit");
  *saving = (oak_saving_t){.sim = out->sim,
                           .out = out,
                           .keep = oak_params_int(p, "checkpoint.keep"),
                           .schedule = {.steps = oak_params_int(p, "checkpoint.steps"),
                                        .every = oak_params_real(p, "checkpoint.every"),
                                        .first_last = oak_params_bool(p, "checkpoint.at_end")},
                           .wall = oak_params_real(p, "checkpoint.wall"),
                           .margin = oak_params_real(p, "run.wall_margin"),
                           .last = -1};
  OAK_CHECK(
      limit == 0 || limit > saving->margin, OAK_ERR_INPUT,
      "%s: run.wall_limit = %g s leaves no time: it must be above run.wall_margin = %g s, the "
      "time kept for the last checkpoint",
      oak_params_origin(p, "run.wall_limit"), limit, saving->margin);
  /* A stop file that exists already is of an earlier run, or a file of the user. */
  if (out->sim->setup.rank == 0) saving->stop = find_stop_file(out);
  if (saving->stop.inode)
    oak_progress_note(out->progress,
                      "%s/%s is older than this run and does not end it: touch it to do so",
                      out->folder, stop_file);
  saving->limit_at = limit > 0 ? out->sim->run.started + limit : slurm_end();
  return OAK_OK;
}

void oak_saving_begin(oak_saving_t *saving, int signals) {
  oak_schedule_begin(&saving->schedule, NULL, 0);
  oak_schedule_skip(&saving->schedule, saving->sim->data.clock.time);
  saving->written_at = saving->step_at = saving->looked_at = MPI_Wtime();
  saving->signals = signals;
  if (signals) oak_signals_catch();
}

void oak_saving_close(oak_saving_t *saving) {
  if (saving->signals) {
    oak_signals_release(saving->signals == OAK_SIGNALS_UNTIL_EXIT);
    /* No rank says that the run has ended while another one can still be ended by a signal. */
    MPI_Barrier(saving->sim->setup.comm);
  }
  saving->signals = 0;
}

/* ---- what is asked for */

static int has_stop_file(oak_saving_t *saving, double now) {
  if (now - saving->looked_at < look_seconds) return 0;
  saving->looked_at = now;
  const oak_stop_file_t stop = find_stop_file(saving->out);
  return stop.inode &&
         (stop.inode != saving->stop.inode || stop.changed.tv_sec != saving->stop.changed.tv_sec ||
          stop.changed.tv_nsec != saving->stop.changed.tv_nsec);
}

oak_ask_t oak_saving_asks(oak_saving_t *saving) {
  const double now = MPI_Wtime();
  const oak_ask_t ask = saving->signals ? oak_signals_asks() : OAK_ASK_NONE;
  if (now - saving->step_at > saving->longest) saving->longest = now - saving->step_at;
  saving->step_at = now;
  if (ask != OAK_ASK_NONE || saving->sim->setup.rank != 0) return ask;
  if (has_stop_file(saving, now)) return OAK_ASK_FILE;
  if (now + saving->margin + 2 * saving->longest > saving->limit_at) return OAK_ASK_LIMIT;
  if (saving->wall > 0 && now - saving->written_at > saving->wall) return OAK_ASK_CHECKPOINT;
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

static oak_status_t write_one(oak_saving_t *saving, const char *path) {
  oak_t *sim = saving->sim;
  save_t what = {.sim = sim};
  oak_status_t st = OAK_OK;
  if (saving->pending) OAK_TRY(oak_output_wait(saving->out));
  if (sim->setup.rank == 0) {
    st = oak_run_folder_check(&saving->out->run_folder);
    if (st == OAK_OK) st = make_schedule(saving->out, &what.schedule);
  }
  st = oak_agree(sim->setup.comm, st);
  if (st == OAK_OK)
    st = oak_output_put(saving->out, &(oak_put_t){.path = path,
                                                  .write = save,
                                                  .context = &what,
                                                  .keep = saving->keep,
                                                  .pending = &saving->pending});
  free(what.schedule);
  return st;
}

oak_status_t oak_saving_write(oak_saving_t *saving) {
  oak_t *sim = saving->sim;
  char path[4096];
  if (saving->last == sim->data.clock.step) return OAK_OK;
  snprintf(path, sizeof path, "%s/" OAK_CHECKPOINT_FORMAT, saving->out->folder,
           sim->data.clock.step);
  const oak_status_t st =
      OAK_TIMED(&sim->data.timers, OAK_PHASE_CHECKPOINT, write_one(saving, path));
  OAK_TRY(st);
  saving->last = sim->data.clock.step;
  saving->written_at = saving->step_at = MPI_Wtime();
  return OAK_OK;
}

oak_status_t oak_saving_step(oak_saving_t *saving, int ends) {
  const oak_t *sim = saving->sim;
  const int asked = sim->run.asked != OAK_ASK_NONE && !ends;
  const int due =
      oak_schedule_due(&saving->schedule, sim->data.clock.time, sim->data.clock.step, ends);
  return asked || due ? oak_saving_write(saving) : OAK_OK;
}
