/* SPDX-License-Identifier: GPL-2.0-or-later
 * Text files that rank 0 writes from the texts of all ranks. Private. */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "disk.h"

typedef struct {
  MPI_Comm comm;
  oak_disk_t *disk;
  int rank, size;
  FILE *out; /**< on rank 0, the file being written; NULL on other ranks and after a failure */
  struct oak_text_file *file; /**< its name too */
  char *piece;                /**< on rank 0 */
  oak_status_t status;        /**< first failure of this rank */
} oak_rank_text_t;

/** Get ready. Collective; all ranks fail together, with nothing to close. \a disk syncs and closes
 * files; NULL: at once. */
oak_status_t oak_rank_text_open(oak_rank_text_t *text_file, MPI_Comm comm, oak_disk_t *disk);
/** Free everything. \return the status that all ranks agree on. Collective. */
oak_status_t oak_rank_text_close(oak_rank_text_t *text_file);

/** Begin the file \a path, given by rank 0. Rank-local, as oak_rank_text_finish. */
void oak_rank_text_begin(oak_rank_text_t *text_file, const char *path);
/** End the file, which is on the disk then or, with an oak_disk_t, later. */
void oak_rank_text_finish(oak_rank_text_t *text_file);

/** Append what \a print prints on each rank, in their order; nothing where it is NULL. Collective.
 * Rank 0 has some megabytes of text of others in memory at a time. */
void oak_rank_text_gather(oak_rank_text_t *text_file, void (*print)(const void *context, FILE *out),
                          const void *context);
/** Print on rank 0 alone. Rank-local. */
void oak_rank_text_print(const oak_rank_text_t *text_file, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
