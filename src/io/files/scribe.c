/* SPDX-License-Identifier: GPL-2.0-or-later
 * Text files that rank 0 writes from what all ranks have to say.
 *
 * The texts of all ranks, one after the other, are cut into pieces of equal length. Each piece is
 * one MPI_Gatherv, in which most ranks have nothing to send. Rank 0 therefore exchanges no messages
 * with single ranks, and its memory does not grow with their number. */
#define _GNU_SOURCE 1
#include "scribe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "file_tools.h"

enum { PIECE_BYTES = 16 << 20 };

oak_status_t oak_scribe_open(oak_scribe_t *scribe, MPI_Comm comm, oak_disk_t *disk) {
  *scribe = (oak_scribe_t){.comm = comm, .disk = disk, .status = OAK_OK};
  MPI_Comm_rank(comm, &scribe->rank);
  MPI_Comm_size(comm, &scribe->size);
  oak_status_t st = OAK_OK;
  if (scribe->rank == 0) {
    const size_t size = (size_t)scribe->size;
    scribe->begin = malloc((size + 1) * sizeof *scribe->begin);
    scribe->count = malloc(size * sizeof *scribe->count);
    scribe->start = malloc(size * sizeof *scribe->start);
    scribe->piece = malloc(PIECE_BYTES);
    if (!scribe->begin || !scribe->count || !scribe->start || !scribe->piece)
      st = OAK_FAIL(OAK_ERR_MEMORY, "no memory to write what %d ranks describe", scribe->size);
  }
  st = oak_agree(comm, st);
  if (st != OAK_OK) {
    scribe->status = st;
    return oak_scribe_close(scribe);
  }
  return OAK_OK;
}

oak_status_t oak_scribe_close(oak_scribe_t *scribe) {
  if (scribe->out) fclose(scribe->out);
  free(scribe->path);
  free(scribe->begin);
  free(scribe->count);
  free(scribe->start);
  free(scribe->piece);
  return oak_agree(scribe->comm, scribe->status);
}

void oak_scribe_begin(oak_scribe_t *scribe, const char *path) {
  if (scribe->rank != 0 || scribe->status != OAK_OK) return;
  scribe->path = path ? strdup(path) : NULL;
  scribe->out = scribe->path ? fopen(path, "we") : NULL;
  if (!scribe->path)
    scribe->status = OAK_FAIL(OAK_ERR_MEMORY, "no memory for the name of an output file");
  else if (!scribe->out)
    scribe->status = oak_file_failed("create", path, errno);
}

/** A file whose text is complete. */
typedef struct {
  FILE *out;
  char *path;
} text_t;

static oak_status_t end_file(FILE *out, const char *path, oak_status_t st) {
  errno = 0;
  if (st == OAK_OK && (fflush(out) != 0 || ferror(out)))
    st = oak_file_failed("write", path, errno ? errno : EIO);
  if (st == OAK_OK) st = oak_sync(fileno(out), path);
  if (fclose(out) != 0 && st == OAK_OK) st = oak_file_failed("write", path, errno);
  return st;
}

static oak_status_t end_text(void *context, oak_status_t st) {
  text_t *text = context;
  st = end_file(text->out, text->path, st);
  free(text->path);
  free(text);
  return st;
}

void oak_scribe_finish(oak_scribe_t *scribe) {
  text_t *text = scribe->out && scribe->disk ? malloc(sizeof *text) : NULL;
  oak_status_t st = OAK_OK;
  if (text) {
    *text = (text_t){scribe->out, scribe->path};
    scribe->path = NULL;
    st = oak_disk_do(scribe->disk, sizeof *text, end_text, text);
  } else if (scribe->out) {
    st = end_file(scribe->out, scribe->path, OAK_OK);
  }
  if (scribe->status == OAK_OK) scribe->status = st;
  free(scribe->path);
  scribe->path = NULL;
  scribe->out = NULL;
}

/** How much of the range [\a from, \a to) lies before \a end. */
static int64_t before(int64_t from, int64_t to, int64_t end) {
  return end <= from ? 0 : end >= to ? to - from : end - from;
}

void oak_scribe_gather(oak_scribe_t *scribe, const char *text, size_t length) {
  if (!text && scribe->status == OAK_OK)
    scribe->status = OAK_FAIL(OAK_ERR_MEMORY,
                              "no memory to describe the blocks of rank %d; use "
                              "more ranks",
                              scribe->rank);
  int64_t mine = text ? (int64_t)length : 0, from = 0, total = mine;
  MPI_Exscan(&mine, &from, 1, MPI_INT64_T, MPI_SUM, scribe->comm);
  if (scribe->rank == 0) from = 0; /* where MPI leaves it undefined */
  MPI_Allreduce(MPI_IN_PLACE, &total, 1, MPI_INT64_T, MPI_SUM, scribe->comm);
  MPI_Gather(&from, 1, MPI_INT64_T, scribe->begin, 1, MPI_INT64_T, 0, scribe->comm);
  if (scribe->rank == 0) scribe->begin[scribe->size] = total;
  for (int64_t at = 0; at < total; at += PIECE_BYTES) {
    const int64_t done = before(from, from + mine, at);
    const int n = (int)(before(from, from + mine, at + PIECE_BYTES) - done);
    int received = 0;
    for (int r = 0; scribe->rank == 0 && r < scribe->size; r++) {
      const int64_t first = scribe->begin[r], next = scribe->begin[r + 1];
      scribe->start[r] = received;
      scribe->count[r] = (int)(before(first, next, at + PIECE_BYTES) - before(first, next, at));
      received += scribe->count[r];
    }
    MPI_Gatherv(n > 0 ? text + done : NULL, n, MPI_CHAR, scribe->piece, scribe->count,
                scribe->start, MPI_CHAR, 0, scribe->comm);
    if (scribe->out) fwrite(scribe->piece, 1, (size_t)received, scribe->out);
  }
}
