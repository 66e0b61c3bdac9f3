/* SPDX-License-Identifier: GPL-2.0-or-later
 * Files of text in the output folder. */
#include "output/output_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "io/files/file_tools.h"

void oak_text_begin(oak_text_t *text) {
  *text = (oak_text_t){NULL};
  text->stream = open_memstream(&text->text, &text->length);
}

/* The text is complete, unless there was no memory for it. */
static int finish(oak_text_t *text) {
  const int good = text->stream && fclose(text->stream) == 0;
  text->stream = NULL;
  return good;
}

oak_status_t oak_text_write(oak_text_t *text, const char *path, int append) {
  oak_status_t st;
  if (!finish(text))
    st = OAK_FAIL(OAK_ERR_MEMORY, "no memory to write %s", path);
  else
    st = (append ? oak_append_file : oak_write_file)(path, text->text, text->length);
  free(text->text);
  text->text = NULL;
  return st;
}

void oak_text_drop(oak_text_t *text) {
  finish(text);
  free(text->text);
  text->text = NULL;
}

/* Keep the first line and whole rows up to a step; OAK_TABLE_HEAD: look at the first line alone. */
static oak_status_t keep_rows(FILE *file, const char *path, const char *head, long step,
                              oak_text_t *kept) {
  OAK_FREED char *line = NULL;
  size_t room = 0;
  ssize_t length = getline(&line, &room, file);
  oak_status_t st = OAK_OK;
  if (length < 0 || strcmp(line, head) != 0)
    st = OAK_FAIL(OAK_ERR_INPUT,
                  "%s does not have the columns that this run writes: keep the variables of "
                  "the run that is continued, or choose another folder",
                  path);
  else
    fputs(line, kept->stream);
  while (st == OAK_OK && step != OAK_TABLE_HEAD && (length = getline(&line, &room, file)) > 0) {
    char *end;
    const long row = strtol(line, &end, 10);
    if (end > line && *end == ',' && line[length - 1] == '\n' && row <= step)
      fputs(line, kept->stream);
  }
  if (st == OAK_OK && ferror(file)) st = oak_file_failed("read", path, errno);
  return st;
}

oak_status_t oak_table_cut(const char *path, oak_text_t *head, long step) {
  FILE *file = fopen(path, "r");
  const int reason = errno;
  if (!file && reason == ENOENT && step != OAK_TABLE_HEAD) return oak_text_write(head, path, 0);
  oak_text_t kept = {NULL};
  oak_status_t st = OAK_OK;
  oak_text_begin(&kept);
  if (!file)
    st = reason == ENOENT ? OAK_OK : oak_file_failed("read", path, reason);
  else if (!finish(head) || !kept.stream)
    st = OAK_FAIL(OAK_ERR_MEMORY, "no memory to continue %s", path);
  else
    st = keep_rows(file, path, head->text, step, &kept);
  if (file) fclose(file);
  oak_text_drop(head);
  if (st == OAK_OK && step != OAK_TABLE_HEAD) return oak_text_write(&kept, path, 0);
  oak_text_drop(&kept);
  return st;
}
