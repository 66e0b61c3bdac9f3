/* SPDX-License-Identifier: GPL-2.0-or-later
 * The checkpoints in a folder, from the newest on. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "checkpoint.h"
#include "io/files/file_tools.h"

/** The end of a name "chkSTEP" with at least six digits, NULL if it is no such name. */
static const char *after_step(const char *name) {
  if (strncmp(name, "chk", 3) != 0 || strlen(name) >= OAK_CHECKPOINT_NAME) return NULL;
  const size_t digits = strspn(name + 3, "0123456789");
  return digits >= 6 && digits <= 18 ? name + 3 + digits : NULL;
}

int oak_checkpoint_is_name(const char *name) {
  const char *end = after_step(name);
  return end && !strcmp(end, ".oak");
}

/** Is this the unfinished file of a checkpoint? */
static int is_rest(const char *name) {
  const char *end = after_step(name);
  return end && !strcmp(end, ".oak" OAK_PART);
}

static void stat_one(const char *folder, oak_checkpoint_name_t *entry) {
  struct stat info;
  char path[PATH_MAX];
  if (oak_path_print(path, "%s/%s", folder, entry->name) == OAK_OK && stat(path, &info) == 0)
    entry->time = (int64_t)info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec;
  entry->step = atol(entry->name + 3);
}

/** Newest first. Copies of a folder may have the same times: then the step decides. */
static int compare(const void *a, const void *b) {
  const oak_checkpoint_name_t *x = a, *y = b;
  if (x->time != y->time) return x->time < y->time ? 1 : -1;
  return (x->step < y->step) - (x->step > y->step);
}

oak_status_t oak_checkpoint_list(const char *folder, oak_checkpoint_name_t **list, int *count) {
  struct dirent **all;
  const int n = scandir(folder, &all, NULL, alphasort);
  *list = NULL;
  *count = 0;
  if (n < 0) return oak_file_failed("read folder", folder, errno);
  const oak_status_t st = OAK_NEW(*list, n);
  for (int i = 0; i < n; i++) {
    if (*list && oak_checkpoint_is_name(all[i]->d_name)) {
      oak_checkpoint_name_t *entry = &(*list)[(*count)++];
      snprintf(entry->name, sizeof entry->name, "%.*s", (int)sizeof entry->name - 1,
               all[i]->d_name);
      stat_one(folder, entry);
    }
    free(all[i]);
  }
  free(all);
  if (st == OAK_OK) qsort(*list, (size_t)*count, sizeof **list, compare);
  return st;
}

/** Remove a file of that name. One that is already gone is no failure. */
static oak_status_t remove_one(const char *folder, const char *name, int checkpoint) {
  char path[PATH_MAX];
  OAK_TRY(oak_path_print(path, "%s/%s", folder, name));
  if ((!checkpoint || oak_checkpoint_is_one(path)) && unlink(path) != 0 && errno != ENOENT)
    return oak_file_failed("remove", path, errno);
  return OAK_OK;
}

static oak_status_t remove_rests(const char *folder) {
  DIR *dir = opendir(folder);
  if (!dir) return oak_file_failed("read folder", folder, errno);
  oak_status_t st = OAK_OK;
  for (struct dirent *entry; st == OAK_OK && (entry = readdir(dir));)
    if (is_rest(entry->d_name)) st = remove_one(folder, entry->d_name, 0);
  closedir(dir);
  return st;
}

oak_status_t oak_checkpoint_prune(const char *folder, int keep) {
  OAK_FREED oak_checkpoint_name_t *list = NULL;
  int count;
  oak_status_t st = oak_checkpoint_list(folder, &list, &count);
  for (int i = keep; i < count && st == OAK_OK; i++) st = remove_one(folder, list[i].name, 1);
  return st == OAK_OK ? remove_rests(folder) : st;
}
