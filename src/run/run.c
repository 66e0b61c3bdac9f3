/* SPDX-License-Identifier: GPL-2.0-or-later
 * The main loop, as `oak run` uses it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/watchdog.h"
#include "io/checkpoint/checkpoint.h"
#include "io/folder/file_list.h"
#include "solver/adapt/adapt.h"
#include "api/create.h"
#include "run/checkpoint.h"
#include "run/initial_file.h"
#include "run/log.h"
#include "run/saving.h"
#include "solver/step/sim.h"

typedef struct {
  oak_progress_t progress;
  oak_progress_state_t state;
  int64_t blocks[OAK_MESH_MAX_LEVEL + 1];
  long revision;
} report_t;

static void refresh(report_t *r, const oak_t *sim, double dt) {
  int lowest;
  if (r->revision != sim->data.mesh->revision)
    oak_mesh_levels(sim->data.mesh, &lowest, &r->state.max_level, r->blocks);
  r->revision = sim->data.mesh->revision;
  r->state.step = sim->data.clock.step;
  r->state.time = sim->data.clock.time;
  r->state.dt = dt;
  r->state.blocks = r->blocks;
  r->state.cells_per_block = sim->setup.block.cells;
  r->state.updates = sim->counts.updates;
}

/* Steps must not be smaller than what the clock resolves, and some digits more. The first one must
 * not need a hopeless number of steps to run.end_time, which may be a large number that the run
 * never reaches. */
oak_status_t oak_run_time_step(oak_t *sim, double end_time, double *dt) {
  const oak_params_t *p = sim->setup.params;
  const double time = sim->data.clock.time;
  *dt = oak_time_step(sim);
  const int chosen = *dt > 0 && *dt == sim->setup.method.dt_max;
  const double least = (chosen ? 1e-15 : 1e-13) * time;
  const double hopeless = oak_params_int(p, "run.max_steps") ? 0 : 1e-26 * end_time;
  if (*dt > fmax(least, hopeless) || *dt >= end_time - time) return OAK_OK;
  OAK_CHECK(
      !chosen && !(*dt > least), OAK_ERR_STATE,
      "the time step %g at step %ld, time %g is so small that a run never reaches run.end_time = "
      "%g: %s, or check the units",
      *dt, sim->data.clock.step, time, end_time,
      chosen ? "raise run.dt_max" : "lower run.end_time, or set run.max_steps");
  return OAK_FAIL(OAK_ERR_STATE,
                  "time step %g at step %ld, time %g is too small to reach run.end_time = %g: a "
                  "wave speed has grown without bound%s; look at the last plotfile or picture for "
                  "the place, and check boundary values and units",
                  *dt, sim->data.clock.step, time, end_time,
                  OAK_HAS_HOOK(&sim->setup, timestep) || OAK_HAS_HOOK(&sim->setup, diffusivity)
                      ? ", or TIMESTEP or DIFFUSIVITY is wrong (oak run --debug checks them)"
                      : "");
}

/* The next step, cut to end exactly at the end time, or at an output's time before it. The last two
 * steps before such a time have the same size, so that no tiny step remains. A sum of steps that
 * meets the time but for rounding is no reason for another step. */
static oak_status_t choose_step(oak_t *sim, double end_time, double output_time, double *dt) {
  const double left = end_time - sim->data.clock.time, wait = output_time - sim->data.clock.time;
  const double slack = 1e-12 * end_time, until = wait > 0 && wait < left - slack ? wait : left;
  OAK_TRY(oak_run_time_step(sim, end_time, dt));
  OAK_TRY(oak_look_ahead(sim, fmin(*dt, left)));
  *dt = fmin(*dt, oak_time_step(sim));
  if (*dt + fmin(slack, 1e-6 * *dt) >= until)
    *dt = until;
  else if (2 * *dt > until)
    *dt = 0.5 * until;
  return OAK_OK;
}

/* Where memory does not suffice for a finer mesh, the run ends, but the solution is kept. Outputs
 * that are still being written may hold memory of the device. The run then waits for them and
 * adapts again. */
static oak_status_t adapt(oak_t *sim, oak_saving_t *saving) {
  oak_status_t st = oak_adjust_refinement(sim, NULL);
  if (st == OAK_ERR_MEMORY && oak_disk_pending(saving->out->disk)) {
    const int whole = !oak_storage_fits(&sim->data); /* only tables are missing */
    OAK_TRY(oak_output_wait(saving->out));
    st = whole ? oak_adapt_finish(sim) : oak_adjust_refinement(sim, NULL);
  }
  if (st != OAK_ERR_MEMORY) return st;
  OAK_FREED char *message = strdup(oak_last_error());
  (void)oak_output_disk_close(saving->out, OAK_OK);
  if (oak_saving_write(saving) == OAK_OK)
    OAK_FAIL(st,
             "%s; checkpoint %s/" OAK_CHECKPOINT_FORMAT " was written, to go on with more memory",
             message ? message : "out of memory", saving->out->folder, sim->data.clock.step);
  else
    OAK_FAIL(st, "%s", message ? message : "out of memory");
  return st;
}

static oak_status_t step_to_end(oak_t *sim, report_t *r, oak_saving_t *saving, double end_time,
                                long max_steps) {
  oak_output_t *out = saving->out;
  double dt = 0;
  while (sim->data.clock.time < end_time && (max_steps == 0 || sim->data.clock.step < max_steps)) {
    const double output_time = oak_output_target(out);
    oak_watchdog_step(sim->data.clock.step + 1);
    oak_poisson_warn(sim, &r->progress);
    OAK_TRY(choose_step(sim, end_time, output_time, &dt));
    const int reaches_end = dt >= end_time - sim->data.clock.time,
              meets = dt == output_time - sim->data.clock.time;
    sim->run.asks = oak_saving_asks(saving);
    sim->run.disk = oak_disk_state(out->disk);
    OAK_TRY(oak_advance(sim, dt));
    OAK_TRY(oak_output_step(out));
    const int whole = sim->data.clock.dt == dt; /* the step had its full size */
    dt = sim->data.clock.dt;
    if (whole && meets) oak_set_time(sim, output_time);
    if (whole && reaches_end) oak_set_time(sim, end_time);
    if (sim->setup.refine.every > 0 && sim->data.clock.step % sim->setup.refine.every == 0)
      OAK_TRY(adapt(sim, saving));
    refresh(r, sim, dt);
    oak_progress_update(&r->progress, &r->state);
    const int ends = (whole && reaches_end) || (max_steps && sim->data.clock.step == max_steps);
    OAK_TRY(oak_output_write(out, dt, ends));
    OAK_TRY(oak_saving_step(saving, ends));
    sim->run.interrupted = !ends && sim->run.asked >= OAK_ASK_END;
    if (sim->run.interrupted) return OAK_OK;
  }
  return OAK_OK;
}

/* Report the cells whose result was changed: repaired ones, and those raised to a floor. */
static void note_counts(oak_progress_t *progress, const oak_t *sim) {
  const double share = 100.0 / (double)(sim->counts.updates ? sim->counts.updates : 1);
  if (sim->counts.first_order_cells)
    oak_progress_note(progress, "first-order fluxes around %lld invalid cells (%.2g %% of updates)",
                      (long long)sim->counts.first_order_cells,
                      (double)sim->counts.first_order_cells * share);
  if (sim->counts.floored_cells)
    oak_progress_note(progress, "%lld cells raised to a floor (%.2g %% of updates)",
                      (long long)sim->counts.floored_cells,
                      (double)sim->counts.floored_cells * share);
  if (sim->counts.retries)
    oak_progress_note(progress, "%lld times a step was repeated with half its size",
                      (long long)sim->counts.retries);
}

/* The first call opens a library, which takes some 50 ms: no time of the steps. */
static double first_energy(oak_t *sim) {
  oak_timer_start(&sim->data.timers, OAK_PHASE_INIT);
  const double joules = oak_device_energy(sim->setup.dev);
  oak_timer_stop(&sim->data.timers, OAK_PHASE_INIT);
  return joules;
}

/* Joules that the devices of all ranks have used since `before`; NaN unless all of them tell. */
static double energy_since(const oak_t *sim, double before) {
  double joules = oak_device_energy(sim->setup.dev) - before;
  MPI_Allreduce(MPI_IN_PLACE, &joules, 1, MPI_DOUBLE, MPI_SUM, sim->setup.comm);
  return joules;
}

static void note_energy(report_t *r, double joules) {
  const double updates = (double)(r->state.updates - r->progress.first_updates);
  if (joules > 0 && updates > 0)
    oak_progress_note(&r->progress, "the GPUs used %.3g J, %.3g J per 1e9 cell updates", joules,
                      joules / updates * 1e9);
}

oak_status_t oak_run_options(const oak_run_options_t *given, oak_run_options_t *own) {
  const size_t size = given ? given->size : 0;
  OAK_CHECK(size >= sizeof size && size <= sizeof *own, OAK_ERR_ARGUMENT,
            "oak_run_options_t: size is %zu: set it to sizeof(oak_run_options_t), at most %zu with "
            "this library",
            size, sizeof *own);
  memset(own, 0, sizeof *own);
  memcpy(own, given, size);
  return OAK_OK;
}

oak_status_t oak_run(oak_t *sim, FILE *stream) {
  OAK_BEGIN(sim);
  const oak_run_options_t options = {.size = sizeof options, .stream = stream};
  return oak_run_ext(sim, &options);
}

/* The initial condition, or a checkpoint; then the folder is made ready. A run that cannot begin
 * leaves the folder as it was. */
static oak_status_t begin(oak_t *sim, oak_output_t *out, const char *restart) {
  OAK_TRY(restart ? oak_restart(out, restart) : oak_initialize(sim));
  if (!restart) OAK_TRY(oak_fields_check(&sim->data));
  if (!restart && sim->run.oblique > 1)
    oak_progress_note(
        out->progress,
        "solids: walls along axes are exact, others are staircases of cells: the shock "
        "of a wedge of 15 degrees at Mach 3 lies 12 to 14 cells too far out");
  if (!restart && sim->curl.divergence > 0)
    oak_progress_note(out->progress,
                      "%s: a gradient was taken off %s of INITIAL, whose divergence on faces of "
                      "cells was up to %.3g: VECTOR_POTENTIAL(at, a) would give a field without",
                      sim->setup.files.problem, sim->setup.files.declared.vector[0].name,
                      sim->curl.divergence);
  return restart ? oak_output_continue(out) : oak_output_begin(out);
}

/* What a failed step leaves: a plotfile of the bad solution, and a checkpoint of the solution
 * before the step if that is still there. The message stays that of the step, with the names of the
 * files. */
static void leave_traces(oak_saving_t *saving) {
  oak_t *sim = saving->sim;
  OAK_FREED char *message = strdup(oak_last_error());
  char path[4096], files[8300] = "";
  const int bad = sim->invalid.state;
  snprintf(path, sizeof path, "%s/invalid%06ld", saving->out->folder, sim->data.clock.step);
  oak_storage_swap(&sim->data, 0, bad);
  if (oak_write_grid(sim, path) == OAK_OK) snprintf(files, sizeof files, "; see %s", path);
  if (*files && sim->setup.rank == 0) (void)oak_file_list_add(path);
  oak_storage_swap(&sim->data, 0, bad);
  /* Half a step of UPDATE or diffusion has changed the state before. */
  const int lost = bad == 0 || (sim->parts.beside && sim->setup.method.strang);
  if (!lost && oak_saving_write(saving) == OAK_OK)
    oak_str_append(files, sizeof files, "; the state before is in %s/" OAK_CHECKPOINT_FORMAT,
                   saving->out->folder, sim->data.clock.step);
  if (lost)
    oak_str_append(
        files, sizeof files,
        "; the state before is lost: a restart that ends one step earlier (run.max_steps) "
        "finds it");
  OAK_FAIL(OAK_ERR_STATE, "%s%s", message ? message : "", files);
}

/* From the first to the last step. */
static oak_status_t run_steps(oak_t *sim, report_t *r, oak_saving_t *saving,
                              const oak_progress_options_t *options, const oak_run_options_t *run) {
  refresh(r, sim, 0);
  const double before = first_energy(sim);
  oak_progress_begin(&r->progress, options, &r->state);
  oak_saving_begin(saving, run->signals);
  oak_status_t st = oak_output_disk_open(saving->out);
  if (saving->out->disk) oak_checkpoint_prepare(sim);
  if (st == OAK_OK && !run->restart) st = oak_output_write(saving->out, 0, options->end_time == 0);
  if (st == OAK_OK) st = step_to_end(sim, r, saving, options->end_time, options->max_steps);
  st = oak_output_disk_close(saving->out, st);
  oak_saving_close(saving);
  if (st == OAK_ERR_STATE && sim->invalid.found) leave_traces(saving);
  if (st == OAK_OK) {
    oak_progress_end(&r->progress, &r->state);
    note_energy(r, energy_since(sim, before));
  }
  note_counts(&r->progress, sim);
  if (st == OAK_OK && sim->run.interrupted)
    oak_progress_note(&r->progress, "ended early because of %s",
                      oak_ask_text((oak_ask_t)sim->run.asked));
  return st;
}

/* The file of run.initial, before kernels are compiled. */
static oak_status_t check_initial(const oak_t *sim) {
  oak_initial_file_t *file;
  OAK_TRY(oak_initial_file_open(sim, &file));
  oak_initial_file_close(&file);
  return OAK_OK;
}

oak_status_t oak_run_prepare(MPI_Comm comm, oak_params_t *params, const char *restart,
                             oak_t **out) {
  OAK_TRY(oak_sim_prepare(comm, params, out));
  oak_status_t st = oak_output_print(*out, NULL);
  if (st == OAK_OK) st = restart ? oak_restart_check(*out, restart) : check_initial(*out);
  if (st != OAK_OK) oak_destroy(out);
  return st;
}

static oak_folder_use_t folder_use(const oak_t *sim, const oak_run_options_t *run) {
  return run->restart     ? oak_restart_folder(sim, run->restart)
         : run->overwrite ? OAK_FOLDER_OVERWRITE
                          : OAK_FOLDER_NEW;
}

oak_status_t oak_create_run(MPI_Comm comm, oak_params_t *params, const oak_run_options_t *given,
                            oak_t **out) {
  oak_run_options_t run;
  OAK_BEGIN(params);
  OAK_TRY(oak_run_options(given, &run));
  OAK_TRY(oak_run_prepare(comm, params, run.restart, out));
  /* before kernels are compiled */
  const oak_status_t st = oak_output_check_folder(*out, folder_use(*out, &run));
  if (st != OAK_OK) oak_destroy(out);
  OAK_TRY(st);
  return oak_sim_finish(out, run.stream);
}

/* All of a run, with a full set of options. */
static oak_status_t run_all(oak_t *sim, const oak_run_options_t *run) {
  FILE *stream = run->stream;
  const double patience = oak_params_real(sim->setup.params, "run.watchdog");
  report_t r = {.revision = -1};
  oak_output_t out;
  oak_saving_t saving;
  oak_progress_options_t options = {
      .stream = sim->setup.rank == 0 ? stream : NULL,
      .end_time = oak_params_real(sim->setup.params, "run.end_time"),
      .max_steps = oak_params_int(sim->setup.params, "run.max_steps"),
      .every_steps = oak_params_int(sim->setup.params, "run.report_every"),
      .every_seconds = oak_params_real(sim->setup.params, "run.report_seconds")};
  oak_log_t log;
  oak_output_release(sim);
  sim->run.interrupted = 0;
  if (!sim->run.announced) oak_print_head(sim, stream, 0);
  sim->run.announced = 1;
  if (run->overwrite) OAK_TRY(oak_initial_file_kept(sim));
  OAK_TRY(oak_output_open(&out, sim, &r.progress, folder_use(sim, run)));
  if (stream && out.run_folder.unlocked)
    fprintf(stream, "The file system of %s has no locks: let no other run write to it.\n\n",
            out.folder);
  out.command = run->command;
  if (run->restart && strcmp(run->restart, "latest") != 0) out.begun_from = run->restart;
  oak_log_begin(&log, sim, run->command);
  options.log = log.stream;
  r.progress.options = options; /* for notes before the table begins */
  oak_output_advise(&out);
  oak_status_t st = oak_agree(sim->setup.comm, oak_saving_open(&saving, &out));
  if (st == OAK_OK && patience > 0)
    st = oak_watchdog_start(sim->setup.comm, &sim->data.timers, patience);
  if (st == OAK_OK) st = begin(sim, &out, run->restart);
  if (st == OAK_OK) oak_log_open(&log, out.folder, run->restart != NULL);
  options.log = log.stream;
  if (st == OAK_OK) st = run_steps(sim, &r, &saving, &options, run);
  oak_log_close(&log, st, stream);
  st = oak_output_close(&out, st);
  oak_watchdog_stop();
  if (st == OAK_OK && stream) oak_print_wtime(sim, stream);
  return st;
}

oak_status_t oak_run_ext(oak_t *sim, const oak_run_options_t *given) {
  oak_run_options_t run;
  OAK_BEGIN_FITS(sim);
  OAK_TRY(oak_run_options(given, &run));
  return run_all(sim, &run);
}
