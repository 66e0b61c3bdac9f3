/* SPDX-License-Identifier: GPL-2.0-or-later
 * The list of the files that runs have written to their folder. A file is recognised by its name
 * and by the checksum of its beginning. The author of a false list would therefore have to know the
 * contents of the files that it names. Private. All is rank-local: rank 0 calls it. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "oak/status.h"

#define OAK_FILE_LIST "oak-files.txt"
#define OAK_FILE_LIST_HEAD "# Files that oak has written to this folder"

/** Checksum of the beginning of the file \a path. \return 0 if it cannot be read */
int oak_file_sum(const char *path, uint32_t *sum);

/** Enter the file \a path, which is there, or the folder of an output. */
oak_status_t oak_file_list_add(const char *path);
/** Enter a file that will begin with \a text. */
oak_status_t oak_file_list_add_text(const char *path, const char *text, size_t length);
/** Enter that the run has reached its end, or goes on, at \a step. */
oak_status_t oak_file_list_add_end(const char *folder, int ended, long step, double time);

typedef struct {
  uint32_t sum;
  const char *name; /**< in the text */
} oak_listed_t;

typedef struct {
  char *text;
  oak_listed_t *entry; /**< sorted by name */
  int count;
  long ended;  /**< step at which the run has reached its end; -1: it has not */
  double time; /**< time of that step */
} oak_file_list_t;

/** Read the list of \a folder; it is empty if there is none. */
oak_status_t oak_file_list_read(const char *folder, oak_file_list_t *list);
void oak_file_list_free(oak_file_list_t *list);
/** The step at which the run of \a folder has reached its end; -1: it has not; LONG_MAX: unknown,
 * because the list cannot be read. */
long oak_file_list_ended(const char *folder);
/** Was a file of this name written? */
int oak_file_list_has_name(const oak_file_list_t *list, const char *name);
/** Is the file \a path, whose last part is \a name, one that was written? */
int oak_file_list_has(const oak_file_list_t *list, const char *path, const char *name);
