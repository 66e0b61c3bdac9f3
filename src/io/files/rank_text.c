/* SPDX-License-Identifier: GPL-2.0-or-later
 * Text files that rank 0 writes from the texts of all ranks.
 *
 * The texts of all ranks, one after the other, are cut into pieces of equal length. Each piece is
 * one MPI_Gatherv, in which most ranks have nothing to send. Rank 0 therefore exchanges no messages
 * with single ranks, and its memory does not grow with their number. */
#include "rank_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "file_tools.h"

enum { PIECE_BYTES = 16 << 20 };

oak_status_t oak_rank_text_open(oak_rank_text_t *text_file, MPI_Comm comm, oak_disk_t *disk) {
  *text_file = (oak_rank_text_t){.comm = comm, .disk = disk, .status = OAK_OK};
  MPI_Comm_rank(comm, &text_file->rank);
  MPI_Comm_size(comm, &text_file->size);
  oak_status_t st = OAK_OK;
  const size_t size = (size_t)text_file->size;
  if (text_file->rank == 0) {
    st = OAK_NEW(text_file->begin, size + 1);
    oak_keep_failure(&st, OAK_NEW(text_file->count, size));
    oak_keep_failure(&st, OAK_NEW(text_file->start, size));
    oak_keep_failure(&st, OAK_NEW(text_file->piece, PIECE_BYTES));
  }
  st = oak_agree(comm, st);
  if (st == OAK_OK) return OAK_OK;
  text_file->status = st;
  return oak_rank_text_close(text_file);
}

oak_status_t oak_rank_text_close(oak_rank_text_t *text_file) {
  if (text_file->out) fclose(text_file->out);
  free(text_file->file);
  free(text_file->begin);
  free(text_file->count);
  free(text_file->start);
  free(text_file->piece);
  return oak_agree(text_file->comm, text_file->status);
}

/** A file that is being written. */
typedef struct oak_text_file {
  FILE *out;
  char path[PATH_MAX];
} file_t;

void oak_rank_text_begin(oak_rank_text_t *text_file, const char *path) {
  if (text_file->rank != 0 || text_file->status != OAK_OK) return;
  text_file->status = OAK_NEW(text_file->file, 1);
  if (text_file->status != OAK_OK) return;
  snprintf(text_file->file->path, PATH_MAX, "%s", path);
  text_file->out = text_file->file->out = fopen(path, "we");
  if (!text_file->out) text_file->status = oak_file_failed("create", path, errno);
}

static oak_status_t end_file(void *context, oak_status_t st) {
  file_t *file = context;
  errno = 0;
  if (st == OAK_OK && (fflush(file->out) != 0 || ferror(file->out)))
    st = oak_file_failed("write", file->path, errno ? errno : EIO);
  if (st == OAK_OK) st = oak_sync(fileno(file->out), file->path);
  if (fclose(file->out) != 0 && st == OAK_OK) st = oak_file_failed("write", file->path, errno);
  free(file);
  return st;
}

void oak_rank_text_finish(oak_rank_text_t *text_file) {
  if (!text_file->out) return;
  oak_keep_failure(&text_file->status, oak_disk_do(text_file->disk, sizeof *text_file->file,
                                                   end_file, text_file->file));
  text_file->file = NULL;
  text_file->out = NULL;
}

/** How much of the range [\a from, \a to) lies before \a end. */
static int64_t before(int64_t from, int64_t to, int64_t end) {
  return end <= from ? 0 : end >= to ? to - from : end - from;
}

void oak_rank_text_gather(oak_rank_text_t *text_file, const char *text, size_t length) {
  if (!text && text_file->status == OAK_OK)
    text_file->status =
        OAK_FAIL(OAK_ERR_MEMORY, "no memory to describe the blocks of rank %d; use more ranks",
                 text_file->rank);
  int64_t mine = text ? (int64_t)length : 0, from = 0, total = mine;
  MPI_Exscan(&mine, &from, 1, MPI_INT64_T, MPI_SUM, text_file->comm);
  if (text_file->rank == 0) from = 0; /* where MPI leaves it undefined */
  MPI_Allreduce(MPI_IN_PLACE, &total, 1, MPI_INT64_T, MPI_SUM, text_file->comm);
  MPI_Gather(&from, 1, MPI_INT64_T, text_file->begin, 1, MPI_INT64_T, 0, text_file->comm);
  if (text_file->rank == 0) text_file->begin[text_file->size] = total;
  for (int64_t at = 0; at < total; at += PIECE_BYTES) {
    const int64_t done = before(from, from + mine, at);
    const int n = (int)(before(from, from + mine, at + PIECE_BYTES) - done);
    int received = 0;
    for (int r = 0; text_file->rank == 0 && r < text_file->size; r++) {
      const int64_t first = text_file->begin[r], next = text_file->begin[r + 1];
      text_file->start[r] = received;
      text_file->count[r] = (int)(before(first, next, at + PIECE_BYTES) - before(first, next, at));
      received += text_file->count[r];
    }
    MPI_Gatherv(n > 0 ? text + done : NULL, n, MPI_CHAR, text_file->piece, text_file->count,
                text_file->start, MPI_CHAR, 0, text_file->comm);
    if (text_file->out) fwrite(text_file->piece, 1, (size_t)received, text_file->out);
  }
}
