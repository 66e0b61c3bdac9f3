/* SPDX-License-Identifier: GPL-2.0-or-later
 * Files of a run that are written while it goes on, and what follows when they are on the disk. */
#include <stdlib.h>
#include <string.h>

#include "base/hosts.h"
#include "io/checkpoint/checkpoint.h"
#include "io/folder/file_list.h"
#include "output/output.h"

/* ---- what follows a file */

typedef struct {
  const oak_output_t *out;
  const oak_output_kind_t *kind;
  char path[PATH_MAX], stem[PATH_MAX];
  double time;
  int keep;
  int *pending;
} sequel_t;

/* List the file, and the folder beside it. */
static oak_status_t list_file(const sequel_t *s) {
  const char *ending = s->kind->ending;
  OAK_TRY(oak_file_list_add(s->path));
  if (!s->kind->folder || !ending || !strcmp(ending, s->kind->folder->ending)) return OAK_OK;
  char data[PATH_MAX];
  OAK_TRY(oak_path_print(data, "%.*s%s", (int)(strlen(s->path) - strlen(ending)), s->path,
                         s->kind->folder->ending));
  return oak_file_list_add(data);
}

static oak_status_t add_to_series(const sequel_t *s) {
  const oak_series_t *series = s->kind->series;
  char list[PATH_MAX];
  OAK_TRY(oak_path_print(list, "%s%s", s->stem, series->ending));
  OAK_TRY(oak_series_add(series, s->stem, s->path, s->time));
  return oak_file_list_add(list);
}

/* Rank 0: lists, and older checkpoints. */
static oak_status_t finish(void *context) {
  const sequel_t *s = context;
  if (!s->kind) return oak_checkpoint_prune(s->out->folder, s->keep);
  OAK_TRY(list_file(s));
  return s->kind->series ? add_to_series(s) : OAK_OK;
}

static void done(void *context) {
  const sequel_t *s = context;
  oak_progress_note(s->out->progress, "wrote %s", s->path);
}

static void release(void *context) {
  sequel_t *s = context;
  if (!s) return;
  if (s->pending) (*s->pending)--;
  free(s);
}

static oak_status_t make_sequel(const oak_output_t *out, const oak_put_t *put, sequel_t **sequel) {
  OAK_TRY(OAK_NEW(*sequel, 1));
  sequel_t *s = *sequel;
  s->out = out;
  s->kind = put->kind;
  s->time = out->sim->data.clock.time;
  s->keep = put->keep;
  OAK_TRY(oak_path_print(s->stem, "%s", put->stem ? put->stem : ""));
  return oak_path_print(s->path, "%s", put->path);
}

oak_status_t oak_output_put(oak_output_t *out, const oak_put_t *put) {
  MPI_Comm comm = out->sim->setup.comm;
  const int64_t before = oak_disk_count(out->disk);
  sequel_t *s;
  oak_status_t st = oak_agree(comm, make_sequel(out, put, &s));
  if (st == OAK_OK) st = put->write(put->context, put->path, out->disk);
  if (st == OAK_OK && oak_disk_count(out->disk) > before) {
    s->pending = put->pending;
    ++*s->pending;
    oak_disk_then(out->disk, &(oak_disk_sequel_t){finish, done, release, s});
    return OAK_OK;
  }
  /* It is on the disk already. */
  if (st == OAK_OK) st = oak_agree(comm, out->sim->setup.rank == 0 ? finish(s) : OAK_OK);
  if (st == OAK_OK) done(s);
  release(s);
  return st;
}

/* ---- a run */

oak_status_t oak_output_disk_open(oak_output_t *out) {
  const double megabytes = oak_params_int(out->sim->setup.params, "output.buffer");
  MPI_Comm host;
  int ranks;
  if (megabytes == 0) return OAK_OK;
  oak_hosts_split(out->sim->setup.comm, &host);
  MPI_Comm_size(host, &ranks);
  MPI_Comm_free(&host);
  return oak_agree(
      out->sim->setup.comm,
      oak_disk_new(out->sim->setup.comm, (size_t)(megabytes * 1e6 / ranks), &out->disk));
}

oak_status_t oak_output_wait(oak_output_t *out) {
  return OAK_TIMED(&out->sim->data.timers, OAK_PHASE_OUTPUT, oak_disk_wait(out->disk));
}

oak_status_t oak_output_step(oak_output_t *out) {
  if (oak_disk_was_full(out->disk))
    oak_progress_note(out->progress, "the run waits for the disk: output.buffer = %d MB is full",
                      oak_params_int(out->sim->setup.params, "output.buffer"));
  return oak_disk_step(out->disk, out->sim->run.disk_most) ? oak_output_wait(out) : OAK_OK;
}

oak_status_t oak_output_disk_close(oak_output_t *out, oak_status_t st) {
  char *message = st == OAK_OK ? NULL : strdup(oak_last_error());
  const oak_status_t written = oak_output_wait(out);
  oak_disk_free(&out->disk);
  if (st == OAK_OK) return written;
  OAK_FAIL(st, "%s", message ? message : "out of memory");
  free(message);
  return st;
}
