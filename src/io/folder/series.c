/* SPDX-License-Identifier: GPL-2.0-or-later
 * Lists that let a viewer open all outputs of one kind as one time series. */
#include "series.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/files/file_tools.h"

/** Copy the lines of outputs that come before \a name and are still there. \a count: how many. */
static oak_status_t copy_earlier(const oak_series_t *series, const char *list, const char *folder,
                                 const char *name, FILE *out, int *count) {
  const size_t before = strlen(series->before);
  OAK_FREED char *line = NULL;
  size_t size = 0;
  oak_status_t st = OAK_OK;
  FILE *in = fopen(list, "re");
  while (in && st == OAK_OK && getline(&line, &size, in) > 0) {
    struct stat info;
    const char *row = line + (series->commas && *line == ','), *after = strstr(row, series->after);
    if (!after || after < row + before || strncmp(row, series->before, before) != 0) continue;
    const int length = (int)(after - row - (long)before);
    char path[PATH_MAX];
    st = oak_path_print(path, "%s%.*s", folder, length, row + before);
    if (st == OAK_OK && strverscmp(path + strlen(folder), name) < 0 && lstat(path, &info) == 0)
      fprintf(out, "%s%s", series->commas && (*count)++ ? "," : "", row);
  }
  if (in) fclose(in);
  return st;
}

static oak_status_t update(const oak_series_t *series, const char *list, const char *path,
                           double time) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  OAK_FREED char *folder = strndup(path, (size_t)(name - path)), *text = NULL;
  size_t length;
  FILE *out = open_memstream(&text, &length);
  oak_status_t st = OAK_OK;
  if (!folder || !out) {
    st = OAK_FAIL(OAK_ERR_MEMORY, "no memory to list %s", path);
  } else {
    int count = 0;
    fputs(series->head, out);
    st = copy_earlier(series, list, folder, name, out, &count);
    fprintf(out, "%s%s%s%s", count ? "," : "", series->before, name, series->after);
    if (series->time) fprintf(out, "%.17g%s", time, series->time);
    fputs(series->tail, out);
  }
  if (out && fclose(out) != 0 && st == OAK_OK)
    st = OAK_FAIL(OAK_ERR_MEMORY, "no memory to list %s", path);
  if (st == OAK_OK) st = oak_write_file(list, text, length);
  return st;
}

oak_status_t oak_series_add(const oak_series_t *series, const char *stem, const char *path,
                            double time) {
  char list[PATH_MAX], plain[PATH_MAX];
  OAK_TRY(oak_path_print(list, "%s%s", stem, series->ending));
  OAK_TRY(oak_path_print(plain, "%.*s", oak_path_length(path), path));
  return update(series, list, plain, time);
}
