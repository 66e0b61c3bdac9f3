/* SPDX-License-Identifier: GPL-2.0-or-later
 * Growing texts and word lists. A failed allocation sets `failed` and later calls do nothing, so
 * callers check once, with oak_buffer_status() or oak_words_status(). Private. */
#pragma once

#include <stddef.h>

#include "oak/status.h"

/** A growing text; start from {0}. `data` ends in a NUL that `length` does not count, and is NULL
 * until something is added. */
typedef struct {
  char *data;
  size_t length, room;
  int failed;
} oak_buffer_t;

/** Words of a command line; start from {0}. word[count] is NULL once there is a word. */
typedef struct {
  char **word;
  int count, failed;
} oak_words_t;

void oak_buffer_bytes(oak_buffer_t *text, const void *bytes, size_t count);
void oak_buffer_print(oak_buffer_t *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
oak_status_t oak_buffer_status(const oak_buffer_t *text);
void oak_buffer_free(oak_buffer_t *text);
/** The text as a C string, "" if empty. */
const char *oak_buffer_get(const oak_buffer_t *text);
/** Append a regular file. \return 0, or an errno with \a text unchanged; EINVAL: the file is not a
 * regular one. */
int oak_buffer_read(oak_buffer_t *text, const char *path);
/** Write to a new file. \return 0 or errno. */
int oak_buffer_write(const oak_buffer_t *text, const char *path);

void oak_words_add(oak_words_t *words, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/** Add the words of \a text, which blanks separate; NULL adds none. */
void oak_words_split(oak_words_t *words, const char *text);
void oak_words_copy(oak_words_t *words, const oak_words_t *from);
oak_status_t oak_words_status(const oak_words_t *words);
void oak_words_free(oak_words_t *words);

/** A new string, freed by the caller. OAK_ERR_MEMORY leaves *out NULL. */
oak_status_t oak_format(char **out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/** "1.5 GiB" into \a text (returned): sizes of memory for messages. */
const char *oak_format_size(double bytes, char text[32]);
