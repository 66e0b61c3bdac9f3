/* SPDX-License-Identifier: GPL-2.0-or-later
 * Growing texts and word lists. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "base/failure.h"
#include "base/str.h"

static const char no_memory[] = "no memory for a text";

void oak_buffer_bytes(oak_buffer_t *text, const void *bytes, size_t count) {
  if (text->failed) return;
  if (text->length + count + 1 > text->room) {
    size_t room = 2 * text->room + count + 64;
    char *data = realloc(text->data, room);
    if (!data) {
      text->failed = 1;
      return;
    }
    text->data = data;
    text->room = room;
  }
  if (count > 0) memcpy(text->data + text->length, bytes, count);
  text->length += count;
  text->data[text->length] = '\0';
}

void oak_buffer_print(oak_buffer_t *text, const char *format, ...) {
  char *line = NULL;
  va_list args;
  va_start(args, format);
  int length = vasprintf(&line, format, args);
  va_end(args);
  if (length < 0) {
    text->failed = 1;
    return;
  }
  oak_buffer_bytes(text, line, (size_t)length);
  free(line);
}

oak_status_t oak_buffer_status(const oak_buffer_t *text) {
  OAK_CHECK(!text->failed, OAK_ERR_MEMORY, no_memory);
  return OAK_OK;
}

void oak_buffer_free(oak_buffer_t *text) {
  free(text->data);
  *text = (oak_buffer_t){0};
}

const char *oak_buffer_get(const oak_buffer_t *text) { return text->data ? text->data : ""; }

int oak_buffer_read(oak_buffer_t *text, const char *path) {
  struct stat info;
  if (stat(path, &info) != 0) return errno;
  if (!S_ISREG(info.st_mode)) return EINVAL;
  FILE *file = fopen(path, "rbe");
  if (!file) return errno;
  size_t before = text->length, count;
  char part[16384];
  while ((count = fread(part, 1, sizeof part, file)) > 0) oak_buffer_bytes(text, part, count);
  int error = ferror(file) ? (errno ? errno : EIO) : text->failed ? ENOMEM : 0;
  fclose(file);
  if (error && text->data) {
    text->length = before;
    text->data[before] = '\0';
  }
  return error;
}

int oak_buffer_write(const oak_buffer_t *text, const char *path) {
  if (text->failed) return ENOMEM;
  FILE *file = fopen(path, "wbe");
  if (!file) return errno;
  int bad = fwrite(oak_buffer_get(text), 1, text->length, file) != text->length;
  int error = bad ? (errno ? errno : EIO) : 0;
  if (fclose(file) != 0 && !error) error = errno;
  return error;
}

static void words_push(oak_words_t *words, char *word) {
  if (!word || OAK_GROW(words->word, words->count) != OAK_OK ||
      OAK_GROW(words->word, words->count + 1) != OAK_OK) { /* NULL ends the list */
    free(word);
    words->failed = 1;
    return;
  }
  words->word[words->count++] = word;
  words->word[words->count] = NULL;
}

void oak_words_add(oak_words_t *words, const char *format, ...) {
  char *word = NULL;
  va_list args;
  va_start(args, format);
  if (vasprintf(&word, format, args) < 0) word = NULL;
  va_end(args);
  words_push(words, word);
}

void oak_words_split(oak_words_t *words, const char *text) {
  size_t length;
  for (const char *word; text && (word = oak_str_word(&text, &length));)
    words_push(words, strndup(word, length));
}

void oak_words_copy(oak_words_t *words, const oak_words_t *from) {
  for (int i = 0; i < from->count; i++) words_push(words, strdup(from->word[i]));
  words->failed |= from->failed;
}

oak_status_t oak_words_status(const oak_words_t *words) {
  OAK_CHECK(!words->failed, OAK_ERR_MEMORY, no_memory);
  return OAK_OK;
}

void oak_words_free(oak_words_t *words) {
  for (int i = 0; i < words->count; i++) free(words->word[i]);
  free(words->word);
  *words = (oak_words_t){0};
}

oak_status_t oak_format(char **out, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int length = vasprintf(out, format, args);
  va_end(args);
  if (length < 0) *out = NULL;
  OAK_CHECK(length >= 0, OAK_ERR_MEMORY, no_memory);
  return OAK_OK;
}

const char *oak_format_size(double bytes, char text[32]) {
  const double MiB = 1024.0 * 1024.0;
  if (bytes < 1024.0 * MiB) {
    snprintf(text, 32, "%.3g MiB", bytes / MiB);
  } else {
    snprintf(text, 32, "%.1f GiB", bytes / (1024.0 * MiB));
  }
  return text;
}
