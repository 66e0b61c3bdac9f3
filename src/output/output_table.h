/* SPDX-License-Identifier: GPL-2.0-or-later
 * Files of text in the output folder: written at once, or tables that get a row each time. Private.
 * All functions are rank-local: rank 0 calls them. */
#pragma once

#include <stdio.h>

#include "oak/status.h"

/** A text that is put together in memory. */
typedef struct {
  FILE *stream; /**< NULL without memory */
  char *text;
  size_t length;
} oak_text_t;

void oak_text_begin(oak_text_t *text);
/** Write it to the file \a path, a new one, or the end of one if \a append is 1; frees the text. */
oak_status_t oak_text_write(oak_text_t *text, const char *path, int append);
/** Free the text. */
void oak_text_drop(oak_text_t *text);

enum { OAK_TABLE_HEAD = -2 };

/** Cut rows of a step beyond \a step off the table \a path, whose first column is the step, and an
 * unfinished last row; frees \a head, which is the first line and must be that of the file. A table
 * that is not there is begun. With OAK_TABLE_HEAD in place of a step only the first line is read,
 * and nothing written. */
oak_status_t oak_table_cut(const char *path, oak_text_t *head, long step);
