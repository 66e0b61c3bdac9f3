/* SPDX-License-Identifier: GPL-2.0-or-later
 * Going on from a checkpoint in place of the initial condition. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "solver/run/checkpoint.h"
#include "solver/run/saver.h"

/* Names of the checkpoints of a folder, if there is one, on all ranks, the newest first. */
static oak_status_t share_list(const oak_t *sim, const char *folder, oak_checkpoint_name_t **list,
                               int *count) {
  oak_status_t st = OAK_OK;
  *list = NULL;
  *count = 0;
  if (sim->rank == 0 && access(folder, F_OK) == 0) st = oak_checkpoint_list(folder, list, count);
  OAK_TRY(oak_agree(sim->comm, st));
  MPI_Bcast(count, 1, MPI_INT, 0, sim->comm);
  if (!*list) *list = calloc((size_t)*count + 1, sizeof **list);
  OAK_TRY(oak_agree(sim->comm, *list ? OAK_OK : OAK_FAIL(OAK_ERR_MEMORY, "no memory for a list")));
  MPI_Bcast(*list, *count * (int)sizeof **list, MPI_BYTE, 0, sim->comm);
  return OAK_OK;
}

static void tell_changes(const oak_output_t *out, const oak_changes_t *changes) {
  oak_progress_t *progress = out->progress;
  if (changes->physics) oak_progress_note(progress, "the file of the physics has changed since");
  if (changes->problem) oak_progress_note(progress, "the file of the problem has changed since");
  for (int i = 0; i < changes->count && i < OAK_MOST_CHANGES; i++)
    oak_progress_note(progress, "changed: %s", changes->line[i]);
  if (changes->count > OAK_MOST_CHANGES)
    oak_progress_note(progress, "and %d other keys", changes->count - OAK_MOST_CHANGES);
}

static oak_status_t load(oak_output_t *out, const char *path) {
  oak_t *sim = out->sim;
  oak_changes_t changes = {.count = 0};
  char *schedule;
  oak_timer_start(&sim->timers, OAK_PHASE_CHECKPOINT);
  oak_status_t st = oak_checkpoint_load(sim, path, &schedule, &changes);
  oak_timer_stop(&sim->timers, OAK_PHASE_CHECKPOINT);
  if (st == OAK_OK) {
    oak_progress_note(out->progress, "restart from %s: step %ld, time %.10g", path, sim->clock.step,
                      sim->clock.time);
    tell_changes(out, &changes);
    st = oak_agree(sim->comm, oak_output_load(out, schedule));
  }
  free(schedule);
  return st;
}

/* Those of the output folder, at least one. */
static oak_status_t list_all(const oak_t *sim, const char *folder, oak_checkpoint_name_t **list,
                             int *count) {
  oak_status_t st = share_list(sim, folder, list, count);
  if (st == OAK_OK && *count == 0)
    st = OAK_FAIL(
        OAK_ERR_FILE,
        "there is no checkpoint in output.folder = %s: start the run without --restart, or "
        "name a checkpoint",
        folder);
  if (st != OAK_OK) *count = 0;
  return st;
}

/* The newest one that is good. */
static oak_status_t load_latest(oak_output_t *out) {
  oak_checkpoint_name_t *list;
  int count;
  oak_status_t st = list_all(out->sim, out->folder, &list, &count);
  for (int i = 0; i < count; i++) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", out->folder, list[i].name);
    st = load(out, path);
    if (st != OAK_ERR_FILE) break;
    if (i + 1 < count)
      oak_progress_note(out->progress, "%s; the one before is tried next", oak_last_error());
  }
  free(list);
  return st;
}

/* The checkpoint that was named is damaged: say which earlier one is good. */
static oak_status_t offer_older(const oak_t *sim, const char *path) {
  char folder[4096], message[8192];
  oak_checkpoint_name_t *list;
  int count, at = 0;
  const char *slash = strrchr(path, '/');
  const int length = slash ? (int)(slash - path) : 1;
  snprintf(message, sizeof message, "%s", oak_last_error());
  snprintf(folder, sizeof folder, "%.*s", length, slash ? path : ".");
  if (share_list(sim, folder, &list, &count) == OAK_OK) {
    while (at < count && strcmp(list[at].name, slash ? slash + 1 : path)) at++;
    for (at++; at < count; at++) {
      char other[4096 + OAK_CHECKPOINT_NAME];
      snprintf(other, sizeof other, "%s/%s", folder, list[at].name);
      if (oak_checkpoint_verify(sim->comm, other) != OAK_OK) continue;
      free(list);
      return OAK_FAIL(OAK_ERR_FILE, "%s: %s is good", message, other);
    }
  }
  free(list);
  return OAK_FAIL(OAK_ERR_FILE, "%s", message);
}

oak_status_t oak_restart(oak_output_t *out, const char *which) {
  if (!strcmp(which, "latest")) return load_latest(out);
  const oak_status_t st = load(out, which);
  return st == OAK_ERR_FILE ? offer_older(out->sim, which) : st;
}

oak_status_t oak_restart_check(const oak_t *sim, const char *which) {
  const char *folder = oak_params_text(sim->params, "output.folder");
  oak_checkpoint_name_t *list;
  int count;
  if (strcmp(which, "latest")) {
    const oak_status_t st = oak_checkpoint_fits(sim, which);
    return st == OAK_ERR_FILE ? offer_older(sim, which) : st;
  }
  oak_status_t st = list_all(sim, folder, &list, &count);
  for (int i = 0; i < count; i++) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, list[i].name);
    st = oak_checkpoint_fits(sim, path);
    if (st != OAK_ERR_FILE) break;
  }
  free(list);
  return st;
}
