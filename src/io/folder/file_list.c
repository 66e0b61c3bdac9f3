/* SPDX-License-Identifier: GPL-2.0-or-later
 * The list of the files that runs have written to their folder: a text file with a line for each,
 * "CHECKSUM NAME". Lines are only added, so a file that is written again has several lines. */
#include "file_list.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "io/files/file_tools.h"

/* ---- checksums ------------------------------------------------------------------------------- */

enum { BEGINNING = 4096 }; /* bytes that are enough to tell files apart */

/** Checksum of the beginning of a file. Of a table it is the first line, because tables grow. */
static uint32_t sum_text(const char *text, size_t length) {
  static const char table[] = "step,time,";
  size_t n = length < BEGINNING ? length : BEGINNING;
  const char *end = memchr(text, '\n', n);
  if (end && !strncmp(text, table, sizeof table - 1)) n = (size_t)(end - text);
  return (uint32_t)crc32_z(0, (const unsigned char *)text, n);
}

int oak_file_sum(const char *path, uint32_t *sum) {
  char text[BEGINNING];
  const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  const ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text);
  if (fd >= 0) close(fd);
  if (n >= 0) *sum = sum_text(text, (size_t)n);
  return n >= 0;
}

/** Of a file, or of the Header of a plotfile. Other folders get 0: the names of their files are
 * checked before they are removed. */
static int sum_path(const char *path, uint32_t *sum) {
  struct stat info;
  if (lstat(path, &info) != 0) return 0;
  if (!S_ISDIR(info.st_mode)) return oak_file_sum(path, sum);
  char header[PATH_MAX];
  if (oak_path_print(header, "%s/Header", path) != OAK_OK || !oak_file_sum(header, sum)) *sum = 0;
  return 1;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* The thread that writes files in the background and the main thread take turns. */
static oak_status_t append(const char *folder, int length, const char *line) {
  static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
  static const char head[] = OAK_FILE_LIST_HEAD "\n";
  struct stat info;
  char list[PATH_MAX];
  OAK_TRY(oak_path_print(list, "%.*s/" OAK_FILE_LIST, length, folder));
  pthread_mutex_lock(&turn);
  oak_status_t st = lstat(list, &info) == 0 ? OAK_OK : oak_write_file(list, head, strlen(head));
  if (st == OAK_OK) st = oak_append_file(list, line, strlen(line));
  pthread_mutex_unlock(&turn);
  return st;
}

static oak_status_t add(const char *path, uint32_t sum) {
  const char *slash = strrchr(path, '/');
  char line[PATH_MAX];
  OAK_TRY(oak_path_print(line, "%08x %s\n", sum, slash ? slash + 1 : path));
  return append(slash ? path : ".", slash ? (int)(slash - path) : 1, line);
}

oak_status_t oak_file_list_add(const char *path) {
  uint32_t sum;
  if (!sum_path(path, &sum)) return oak_file_failed("read", path, errno);
  return add(path, sum);
}

oak_status_t oak_file_list_add_text(const char *path, const char *text, size_t length) {
  return add(path, sum_text(text, length));
}

oak_status_t oak_file_list_add_end(const char *folder, int ended, long step, double time) {
  char line[128];
  snprintf(line, sizeof line, "# %s at step %ld, time %.17g\n", ended ? "finished" : "continued",
           step, time);
  return append(folder, (int)strlen(folder), line);
}

/* ---- reading --------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b) {
  return strcmp(((const oak_listed_t *)a)->name, ((const oak_listed_t *)b)->name);
}

static void take_line(oak_file_list_t *list, char *line) {
  char *end;
  if (line[0] == '#') {
    if (sscanf(line, "# finished at step %ld, time %lf", &list->ended, &list->time) != 2)
      list->ended = -1;
    return;
  }
  const unsigned long sum = strtoul(line, &end, 16);
  /* A name with a slash is not of this folder. */
  if (end == line + 8 && *end == ' ' && !strchr(end, '/'))
    list->entry[list->count++] = (oak_listed_t){(uint32_t)sum, end + 1};
}

static oak_status_t read_lines(oak_file_list_t *list, size_t length) {
  int lines = 1;
  for (size_t i = 0; i < length; i++) lines += list->text[i] == '\n';
  OAK_TRY(OAK_NEW(list->entry, lines));
  char *rest = list->text;
  for (char *line; (line = strsep(&rest, "\n"));) take_line(list, line);
  qsort(list->entry, (size_t)list->count, sizeof *list->entry, compare);
  return OAK_OK;
}

/** A pipe of this name must not make oak wait. */
static FILE *open_list(const char *path) {
  struct stat info;
  const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  FILE *in = fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode) ? fdopen(fd, "r") : NULL;
  if (fd >= 0 && !in) close(fd);
  return in;
}

oak_status_t oak_file_list_read(const char *folder, oak_file_list_t *list) {
  size_t length = 0;
  *list = (oak_file_list_t){.ended = -1};
  char path[PATH_MAX];
  OAK_TRY(oak_path_print(path, "%s/" OAK_FILE_LIST, folder));
  FILE *in = open_list(path);
  /* The whole text is read, up to its end or to a zero byte. */
  const int there = in && getdelim(&list->text, &length, '\0', in) > 0;
  oak_status_t st = OAK_OK;
  if (there && !strncmp(list->text, OAK_FILE_LIST_HEAD, strlen(OAK_FILE_LIST_HEAD)))
    st = read_lines(list, strlen(list->text));
  if (in) fclose(in);
  return st;
}

void oak_file_list_free(oak_file_list_t *list) {
  free(list->text);
  free(list->entry);
  *list = (oak_file_list_t){.ended = -1};
}

long oak_file_list_ended(const char *folder) {
  oak_file_list_t list;
  const long ended = oak_file_list_read(folder, &list) == OAK_OK ? list.ended : LONG_MAX;
  oak_file_list_free(&list);
  return ended;
}

/** The first line of that name, NULL if there is none. */
static const oak_listed_t *find(const oak_file_list_t *list, const char *name) {
  const oak_listed_t key = {.name = name};
  const oak_listed_t *at =
      list->count ? bsearch(&key, list->entry, (size_t)list->count, sizeof key, compare) : NULL;
  while (at && at > list->entry && !compare(at - 1, &key)) at--;
  return at;
}

int oak_file_list_has_name(const oak_file_list_t *list, const char *name) {
  return find(list, name) != NULL;
}

int oak_file_list_has(const oak_file_list_t *list, const char *path, const char *name) {
  const oak_listed_t *at = find(list, name), *end = list->entry + list->count;
  uint32_t sum;
  if (!at || !sum_path(path, &sum)) return 0;
  for (; at < end && !strcmp(at->name, name); at++)
    if (at->sum == sum) return 1;
  return 0;
}
