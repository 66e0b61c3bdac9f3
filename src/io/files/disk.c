/* SPDX-License-Identifier: GPL-2.0-or-later
 * Writing files while the run goes on.
 *
 * Jobs wait in a queue and are done in the order in which they came. Marks between the jobs show
 * the progress of outputs. An output has one mark after its data, and another one after the job
 * that gives its files their names. All ranks set the same marks in the same order, so other ranks
 * need to know only how many marks the thread has passed. */
#include "disk.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file_tools.h"

typedef struct job {
  struct job *next;
  oak_disk_job_t run; /**< NULL: a mark */
  void *context;
  size_t bytes;
  int is_part; /**< 1: a member of an entry_t, which is freed elsewhere */
} job_t;

typedef enum { STAGE_DATA, STAGE_NAMES } stage_t;

/** An output on its way. */
typedef struct entry {
  struct entry *next;
  oak_disk_output_t output;
  oak_disk_sequel_t sequel;
  stage_t stage;
  int64_t mark;                     /**< number of the mark that was set last for it */
  job_t data_mark, name, name_mark; /**< members, because memory may lack later */
} entry_t;

struct oak_disk {
  MPI_Comm comm;
  int rank;
  size_t limit;
  pthread_t thread;
  pthread_mutex_t mutex; /**< protects the members below, up to `marked` */
  pthread_cond_t wake, done;
  job_t *first, **last;
  size_t pending; /**< bytes of jobs that are not done */
  int busy, stop;
  int64_t passed; /**< marks that the thread has passed */
  oak_status_t status;
  char *message;
  int64_t marked, count; /**< marks that were set, outputs that were committed */
  int full;              /**< 1: the memory was full; 2: and oak_disk_was_full has said so */
  entry_t *entry;        /**< outputs on their way, the oldest first */
};

/* ---- the thread ------------------------------------------------------------------------------ */

/** Do a job; the mutex is held before and after. */
static void run_job(oak_disk_t *disk, job_t *job) {
  const oak_status_t before = disk->status;
  pthread_mutex_unlock(&disk->mutex);
  const oak_status_t st = job->run(job->context, before);
  pthread_mutex_lock(&disk->mutex);
  if (before == OAK_OK && st != OAK_OK) {
    disk->status = st;
    disk->message = strdup(oak_last_error()); /* each thread has an error message of its own */
  }
}

static void *work(void *data) {
  oak_disk_t *disk = data;
  pthread_mutex_lock(&disk->mutex);
  for (;;) {
    while (!disk->first && !disk->stop) pthread_cond_wait(&disk->wake, &disk->mutex);
    job_t *job = disk->first;
    if (!job) break;
    disk->first = job->next;
    if (!job->next) disk->last = &disk->first;
    disk->busy = 1;
    const int is_part = job->is_part;
    const size_t bytes = job->bytes;
    if (job->run)
      run_job(disk, job);
    else
      disk->passed++;
    if (!is_part) free(job);
    disk->pending -= bytes;
    disk->busy = 0;
    pthread_cond_signal(&disk->done);
  }
  pthread_mutex_unlock(&disk->mutex);
  return NULL;
}

/** The thread gets no signals: they are for the run. */
static int start_thread(oak_disk_t *disk) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int reason = pthread_create(&disk->thread, NULL, work, disk);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return reason;
}

oak_status_t oak_disk_new(MPI_Comm comm, size_t bytes, oak_disk_t **out) {
  oak_disk_t *disk = *out = NULL;
  OAK_TRY(OAK_NEW(disk, 1));
  disk->comm = comm;
  MPI_Comm_rank(comm, &disk->rank);
  disk->limit = bytes;
  disk->last = &disk->first;
  pthread_mutex_init(&disk->mutex, NULL);
  pthread_cond_init(&disk->wake, NULL);
  pthread_cond_init(&disk->done, NULL);
  const int reason = start_thread(disk);
  if (reason) {
    free(disk);
    return OAK_FAIL(OAK_ERR_MEMORY,
                    "no thread to write output in the background: %s; set output.buffer = 0",
                    strerror(reason));
  }
  *out = disk;
  return OAK_OK;
}

void oak_disk_free(oak_disk_t **disk_ptr) {
  oak_disk_t *disk = *disk_ptr;
  if (!disk) return;
  pthread_mutex_lock(&disk->mutex);
  disk->stop = 1;
  pthread_cond_signal(&disk->wake);
  pthread_mutex_unlock(&disk->mutex);
  pthread_join(disk->thread, NULL);
  pthread_cond_destroy(&disk->wake);
  pthread_cond_destroy(&disk->done);
  pthread_mutex_destroy(&disk->mutex);
  free(disk->message);
  free(disk);
  *disk_ptr = NULL;
}

/* ---- jobs ------------------------------------------------------------------------------------ */

static void enqueue(oak_disk_t *disk, job_t *job) {
  pthread_mutex_lock(&disk->mutex);
  while (job->bytes > 0 && disk->pending > 0 && disk->pending + job->bytes > disk->limit) {
    if (!disk->full) disk->full = 1;
    pthread_cond_wait(&disk->done, &disk->mutex);
  }
  job->next = NULL;
  *disk->last = job;
  disk->last = &job->next;
  disk->pending += job->bytes;
  pthread_cond_signal(&disk->wake);
  pthread_mutex_unlock(&disk->mutex);
}

/** Wait until the thread has nothing left to do. */
static void drain(oak_disk_t *disk) {
  pthread_mutex_lock(&disk->mutex);
  while (disk->first || disk->busy) pthread_cond_wait(&disk->done, &disk->mutex);
  pthread_mutex_unlock(&disk->mutex);
}

oak_status_t oak_disk_do(oak_disk_t *disk, size_t bytes, oak_disk_job_t run, void *context) {
  job_t *job = disk ? malloc(sizeof *job) : NULL;
  if (!job) {
    if (disk) drain(disk); /* earlier jobs must be done first */
    return run(context, OAK_OK);
  }
  *job = (job_t){.run = run, .context = context, .bytes = bytes};
  enqueue(disk, job);
  return OAK_OK;
}

typedef struct {
  int fd;
  int64_t offset;
  size_t bytes;
  char *path;
  char data[];
} piece_t;

static oak_status_t write_piece(void *context, oak_status_t st) {
  piece_t *piece = context;
  if (st == OAK_OK)
    st = oak_write_at(piece->fd, piece->data, piece->bytes, piece->offset, piece->path);
  free(piece);
  return st;
}

oak_status_t oak_disk_write(oak_disk_t *disk, int fd, const void *data, size_t bytes,
                            int64_t offset, const char *path) {
  const size_t all = sizeof(piece_t) + bytes + strlen(path) + 1;
  piece_t *piece = disk ? malloc(all) : NULL;
  if (!piece) return oak_write_at(fd, data, bytes, offset, path);
  *piece = (piece_t){fd, offset, bytes, piece->data + bytes};
  memcpy(piece->data, data, bytes);
  memcpy(piece->path, path, strlen(path) + 1);
  return oak_disk_do(disk, all, write_piece, piece);
}

static oak_status_t close_file(int fd, const char *path, oak_status_t st) {
  if (st == OAK_OK) st = oak_sync(fd, path);
  if (close(fd) != 0 && st == OAK_OK) st = oak_file_failed("write", path, errno);
  return st;
}

static oak_status_t close_piece(void *context, oak_status_t st) {
  piece_t *piece = context;
  st = close_file(piece->fd, piece->path, st);
  free(piece);
  return st;
}

oak_status_t oak_disk_close(oak_disk_t *disk, int fd, const char *path, oak_status_t st) {
  const size_t all = sizeof(piece_t) + strlen(path) + 1;
  piece_t *piece = disk && st == OAK_OK ? malloc(all) : NULL;
  if (!piece) {
    if (disk) drain(disk);
    return close_file(fd, path, st);
  }
  *piece = (piece_t){fd, 0, 0, piece->data};
  memcpy(piece->path, path, strlen(path) + 1);
  return oak_disk_do(disk, all, close_piece, piece);
}

/* ---- outputs --------------------------------------------------------------------------------- */

static void set_mark(oak_disk_t *disk, entry_t *entry, job_t *mark) {
  *mark = (job_t){.is_part = 1};
  enqueue(disk, mark);
  entry->mark = ++disk->marked;
}

static oak_status_t name_files(void *context, oak_status_t st) {
  const entry_t *entry = context;
  if (st == OAK_OK && entry->output.finish) st = entry->output.finish(entry->output.context);
  if (st == OAK_OK && entry->sequel.finish) st = entry->sequel.finish(entry->sequel.context);
  return st;
}

static void release(entry_t *entry) {
  if (entry->output.release) entry->output.release(entry->output.context);
  if (entry->sequel.release) entry->sequel.release(entry->sequel.context);
  free(entry);
}

/** Rank 0: remove what is there of an output. The message stays that of the failure: a clean-up may
 * fail for the same reason. */
static void discard(const oak_disk_output_t *output, int rank, oak_status_t st) {
  if (rank != 0 || !output->discard) return;
  OAK_FREED char *message = strdup(oak_last_error());
  output->discard(output->context);
  if (message) OAK_FAIL(st, "%s", message);
}

/** Commit before returning. Collective. */
static oak_status_t commit_now(MPI_Comm comm, oak_status_t st, const oak_disk_output_t *output) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  st = oak_agree(comm, st);
  if (st == OAK_OK && output->finish)
    st = oak_agree(comm, rank == 0 ? output->finish(output->context) : OAK_OK);
  if (st != OAK_OK) discard(output, rank, st);
  if (output->release) output->release(output->context);
  return st;
}

oak_status_t oak_disk_commit(oak_disk_t *disk, MPI_Comm comm, oak_status_t st,
                             const oak_disk_output_t *output) {
  if (!disk) return commit_now(comm, st, output);
  entry_t *entry = calloc(1, sizeof *entry);
  if (!entry && st == OAK_OK)
    st = OAK_FAIL(OAK_ERR_MEMORY, "no memory to write output in the background");
  if (st != OAK_OK) drain(disk); /* files are closed before anything is removed */
  st = oak_agree(comm, st);
  if (st != OAK_OK) {
    drain(disk);
    MPI_Barrier(comm);
    discard(output, disk->rank, st);
    if (output->release) output->release(output->context);
    free(entry);
    return st;
  }
  entry->output = *output;
  entry_t **last = &disk->entry;
  while (*last) last = &(*last)->next;
  *last = entry;
  disk->count++;
  set_mark(disk, entry, &entry->data_mark);
  return OAK_OK;
}

int oak_disk_pending(const oak_disk_t *disk) { return disk && disk->entry; }

int64_t oak_disk_count(const oak_disk_t *disk) { return disk ? disk->count : 0; }

void oak_disk_then(oak_disk_t *disk, const oak_disk_sequel_t *sequel) {
  entry_t *entry = disk->entry;
  while (entry->next) entry = entry->next;
  entry->sequel = *sequel;
}

double oak_disk_state(oak_disk_t *disk) {
  if (!disk) return 0;
  pthread_mutex_lock(&disk->mutex);
  const double state = disk->status != OAK_OK ? 1 : -(double)disk->passed;
  pthread_mutex_unlock(&disk->mutex);
  return state;
}

/** Hand over the rest of an output. Collective. */
static oak_status_t resume(oak_disk_t *disk, entry_t *entry) {
  oak_status_t (*const rest)(void *context) = entry->output.resume;
  entry->output.resume = NULL;
  const oak_status_t st = oak_agree(disk->comm, rest(entry->output.context));
  if (st == OAK_OK) {
    set_mark(disk, entry, &entry->data_mark);
    return OAK_OK;
  }
  pthread_mutex_lock(&disk->mutex);
  if (disk->status == OAK_OK) {
    disk->status = st;
    disk->message = strdup(oak_last_error());
  }
  pthread_mutex_unlock(&disk->mutex);
  return st;
}

/** Do the next step of those outputs whose marks all ranks have passed. */
static oak_status_t go_on(oak_disk_t *disk, int64_t passed) {
  for (entry_t *entry = disk->entry; entry; entry = entry->next) {
    if (entry->stage != STAGE_DATA) continue;
    if (entry->mark > passed) break; /* files get their names in the order of the outputs */
    if (entry->output.resume) {
      OAK_TRY(resume(disk, entry));
      break;
    }
    entry->stage = STAGE_NAMES;
    entry->name = (job_t){.run = name_files, .context = entry, .is_part = 1};
    if (disk->rank == 0) enqueue(disk, &entry->name);
    set_mark(disk, entry, &entry->name_mark);
  }
  while (disk->entry && disk->entry->stage == STAGE_NAMES && disk->entry->mark <= passed) {
    entry_t *entry = disk->entry;
    disk->entry = entry->next;
    if (entry->sequel.done) entry->sequel.done(entry->sequel.context);
    release(entry);
  }
  return OAK_OK;
}

int oak_disk_step(oak_disk_t *disk, double most) {
  if (!disk) return 0;
  if (most > 0) return 1;
  return go_on(disk, (int64_t)-most) != OAK_OK;
}

int oak_disk_was_full(oak_disk_t *disk) {
  if (!disk) return 0;
  pthread_mutex_lock(&disk->mutex);
  const int full = disk->full == 1;
  if (full) disk->full = 2;
  pthread_mutex_unlock(&disk->mutex);
  return full;
}

/** Wait for all jobs of all ranks. Collective. */
static oak_status_t meet(oak_disk_t *disk) {
  drain(disk);
  oak_status_t st = disk->status;
  if (st != OAK_OK) OAK_FAIL(st, "%s", disk->message ? disk->message : "cannot write output");
  return oak_agree(disk->comm, st);
}

oak_status_t oak_disk_wait(oak_disk_t *disk) {
  oak_status_t st = OAK_OK;
  if (!disk) return OAK_OK;
  while (disk->entry && st == OAK_OK) {
    st = meet(disk);
    if (st == OAK_OK) (void)go_on(disk, disk->marked); /* meet() gives its failure */
  }
  while (disk->entry) {
    entry_t *entry = disk->entry;
    disk->entry = entry->next;
    discard(&entry->output, disk->rank, st);
    release(entry);
  }
  return st;
}
