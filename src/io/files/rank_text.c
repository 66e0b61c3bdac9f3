/* SPDX-License-Identifier: GPL-2.0-or-later
 * Text files that rank 0 writes from the texts of all ranks. They come one after the other, in
 * pieces, so the memory of rank 0 does not grow with the number of ranks. */
#include "rank_text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "file_tools.h"

enum { PIECE_BYTES = 16 << 20 };

oak_status_t oak_rank_text_open(oak_rank_text_t *text_file, MPI_Comm comm, oak_disk_t *disk) {
  *text_file = (oak_rank_text_t){.comm = comm, .disk = disk, .status = OAK_OK};
  MPI_Comm_rank(comm, &text_file->rank);
  MPI_Comm_size(comm, &text_file->size);
  const oak_status_t st =
      oak_agree(comm, text_file->rank == 0 ? OAK_NEW(text_file->piece, PIECE_BYTES) : OAK_OK);
  if (st == OAK_OK) return OAK_OK;
  text_file->status = st;
  return oak_rank_text_close(text_file);
}

oak_status_t oak_rank_text_close(oak_rank_text_t *text_file) {
  if (text_file->out) fclose(text_file->out);
  free(text_file->file);
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

void oak_rank_text_print(const oak_rank_text_t *text_file, const char *format, ...) {
  va_list args;
  va_start(args, format);
  if (text_file->out) vfprintf(text_file->out, format, args);
  va_end(args);
}

void oak_rank_text_gather(oak_rank_text_t *text_file, void (*print)(const void *context, FILE *out),
                          const void *context) {
  OAK_FREED char *all = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&all, &length);
  if (out && print) print(context, out);
  const int good = out && fclose(out) == 0;
  if (!good)
    oak_keep_failure(
        &text_file->status,
        OAK_FAIL(OAK_ERR_MEMORY, "no memory to describe the blocks of rank %d; use more ranks",
                 text_file->rank));
  const char *text = all;
  uint64_t left = good ? length : 0;
  if (text_file->out && left > 0) fwrite(text, 1, left, text_file->out);
  if (text_file->rank > 0) MPI_Send(&left, 1, MPI_UINT64_T, 0, 0, text_file->comm);
  for (int n; text_file->rank > 0 && left > 0; left -= (uint64_t)n, text += n) {
    n = left < PIECE_BYTES ? (int)left : PIECE_BYTES;
    MPI_Send(text, n, MPI_CHAR, 0, 0, text_file->comm);
  }
  for (int r = 1; r < text_file->size && text_file->rank == 0; r++) {
    MPI_Recv(&left, 1, MPI_UINT64_T, r, 0, text_file->comm, MPI_STATUS_IGNORE);
    for (int n; left > 0; left -= (uint64_t)n) {
      n = left < PIECE_BYTES ? (int)left : PIECE_BYTES;
      MPI_Recv(text_file->piece, n, MPI_CHAR, r, 0, text_file->comm, MPI_STATUS_IGNORE);
      if (text_file->out) fwrite(text_file->piece, 1, (size_t)n, text_file->out);
    }
  }
}
