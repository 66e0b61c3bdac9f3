/* SPDX-License-Identifier: GPL-2.0-or-later
 * Going on from a checkpoint in place of the initial condition. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/folder/file_list.h"
#include "io/folder/run_folder.h"
#include "output/provenance.h"
#include "run/checkpoint.h"
#include "run/saving.h"

static void tell_changes(const oak_output_t *out, const oak_changes_t *changes) {
  oak_progress_t *progress = out->progress;
  static const char note[] = "the file of the %s or a table of it has changed since";
  if (changes->physics) oak_progress_note(progress, note, "physics");
  if (changes->problem) oak_progress_note(progress, note, "problem");
  for (int i = 0; i < changes->count && i < OAK_MOST_CHANGES; i++)
    oak_progress_note(progress, "changed: %s", changes->line[i]);
  if (changes->count > OAK_MOST_CHANGES)
    oak_progress_note(progress, "and %d other keys", changes->count - OAK_MOST_CHANGES);
}

/* Say so if there is nothing left to do. */
static void tell_end(const oak_output_t *out) {
  const oak_t *sim = out->sim;
  const long most = oak_params_int(sim->setup.params, "run.max_steps");
  const double end = oak_params_real(sim->setup.params, "run.end_time");
  if (sim->data.clock.time >= end || (most > 0 && sim->data.clock.step >= most))
    oak_progress_note(out->progress,
                      "the run is finished; a larger run.end_time or run.max_steps prolongs it");
}

static oak_status_t load(oak_output_t *out, const char *path) {
  oak_t *sim = out->sim;
  oak_changes_t changes = {.count = 0};
  OAK_FREED char *schedule = NULL;
  oak_status_t st = OAK_TIMED(&sim->data.timers, OAK_PHASE_CHECKPOINT,
                              oak_checkpoint_load(sim, path, &schedule, &changes));
  if (st == OAK_OK) {
    oak_progress_note(out->progress, "restart from %s: step %ld, time %.10g", path,
                      sim->data.clock.step, sim->data.clock.time);
    tell_changes(out, &changes);
    tell_end(out);
    st = oak_agree(sim->setup.comm, oak_output_load(out, schedule));
  }
  return st;
}

/* Checkpoints of a folder, the newest first. */
typedef struct {
  const char *folder;
  oak_checkpoint_name_t *name;
  int count;
  long ended; /* the step at which the run has reached its end; -1: it has not */
  double time;
} found_t;

/* Those of the output folder, at least one. The names are to be freed, also after a failure. */
static oak_status_t list_all(const oak_t *sim, const char *folder, found_t *found) {
  MPI_Comm comm = sim->setup.comm;
  oak_file_list_t list = {.ended = -1};
  oak_status_t st = OAK_OK;
  *found = (found_t){.folder = folder};
  if (sim->setup.rank == 0 && access(folder, F_OK) == 0) {
    st = oak_checkpoint_list(folder, &found->name, &found->count);
    if (st == OAK_OK) st = oak_file_list_read(folder, &list);
  }
  found->ended = list.ended;
  found->time = list.time;
  oak_file_list_free(&list);
  OAK_TRY(oak_agree(comm, st));
  MPI_Bcast(&found->count, 1, MPI_INT, 0, comm);
  MPI_Bcast(&found->ended, 1, MPI_LONG, 0, comm);
  MPI_Bcast(&found->time, 1, MPI_DOUBLE, 0, comm);
  OAK_CHECK(found->count > 0, OAK_ERR_FILE,
            "there is no checkpoint in output.folder = %s%s: start the run without --restart, or "
            "name a checkpoint",
            folder, found->ended < 0 ? "" : ", whose run is finished");
  OAK_TRY(oak_agree(comm, found->name ? OAK_OK : OAK_NEW(found->name, found->count)));
  MPI_Bcast(found->name, found->count * (int)sizeof *found->name, MPI_BYTE, 0, comm);
  return OAK_OK;
}

/* The path of checkpoint i; newer ones cannot be read. Fails if the run has reached its end after
 * this checkpoint, because going back would lose results. */
static oak_status_t choose(const found_t *found, int i, char path[4096]) {
  snprintf(path, 4096, "%s/%s", found->folder, found->name[i].name);
  OAK_CHECK(
      found->name[i].step >= found->ended, OAK_ERR_INPUT,
      "the run in output.folder = %s is finished: it ended at step %ld, time %g, and has no "
      "good checkpoint there%s%s%s. To go back, name one and a new folder, such as --restart=%s "
      "output.folder=NEW",
      found->folder, found->ended, found->time, i ? " (" : "", i ? oak_last_error() : "",
      i ? ")" : "", path);
  return OAK_OK;
}

/* Load the newest one of a folder that is good; without \a out, only check it. */
static oak_status_t take_latest(const oak_t *sim, const char *folder, oak_output_t *out) {
  found_t found;
  char path[4096];
  oak_status_t st = list_all(sim, folder, &found);
  for (int i = 0, go_on = st == OAK_OK; go_on && i < found.count; i++) {
    st = choose(&found, i, path);
    if (st == OAK_OK) st = out ? load(out, path) : oak_checkpoint_fits(sim, path);
    go_on = st == OAK_ERR_FILE;
    if (out && go_on && i + 1 < found.count)
      oak_progress_note(out->progress, "%s; the one before is tried next", oak_last_error());
  }
  free(found.name);
  return st;
}

/* The status of reading the checkpoint that was named. */
static oak_status_t named(oak_status_t st) {
  if (st != OAK_ERR_FILE) return st;
  return OAK_FAIL(st, "%s; --restart without a name takes the newest good one of output.folder",
                  oak_last_error());
}

oak_status_t oak_restart(oak_output_t *out, const char *which) {
  if (!strcmp(which, "latest")) return take_latest(out->sim, out->folder, out);
  return named(load(out, which));
}

/* Whether parameters.ini of a folder says that its run began from this checkpoint, and the run has
 * not reached its end, as after a kill before its first own checkpoint. */
static int began_from(const char *folder, const char *checkpoint) {
  char note[PATH_MAX + 64];
  OAK_FREED char *begun = oak_run_folder_note(folder, "begun from");
  oak_checkpoint_note(checkpoint, note, sizeof note);
  return begun && !strcmp(begun, note) && oak_file_list_ended(folder) < 0;
}

/* Whether a folder has nothing to lose after this checkpoint of it: it is the newest one, and the
 * run has not reached its end later. */
static int is_last(const char *folder, const char *name) {
  OAK_FREED oak_checkpoint_name_t *list = NULL;
  int count = 0;
  return oak_checkpoint_list(folder, &list, &count) == OAK_OK && count > 0 &&
         !strcmp(list[0].name, name) && list[0].step >= oak_file_list_ended(folder);
}

/* If the folder holds the checkpoint, or a copy of it, as the last one, the same run goes on. */
oak_folder_use_t oak_restart_folder(const oak_t *sim, const char *which) {
  char path[4096 + PATH_MAX], real[PATH_MAX];
  const char *folder = oak_params_text(sim->setup.params, "output.folder");
  uint32_t here, there;
  if (!strcmp(which, "latest")) return OAK_FOLDER_CONTINUE;
  if (realpath(which, real)) which = real; /* it may be a link */
  const char *slash = strrchr(which, '/');
  snprintf(path, sizeof path, "%s/%s", folder, slash ? slash + 1 : which);
  const int same = oak_file_sum(path, &here) && oak_file_sum(which, &there) && here == there &&
                   is_last(folder, strrchr(path, '/') + 1);
  return same || began_from(folder, which) ? OAK_FOLDER_CONTINUE : OAK_FOLDER_BRANCH;
}

oak_status_t oak_restart_check(const oak_t *sim, const char *which) {
  if (!strcmp(which, "latest"))
    return take_latest(sim, oak_params_text(sim->setup.params, "output.folder"), NULL);
  return named(oak_checkpoint_fits(sim, which));
}
