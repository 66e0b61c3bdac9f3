/* SPDX-License-Identifier: GPL-2.0-or-later
 * Paths of files and folders. */
#include <errno.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/failure.h"
#include "base/path.h"

oak_status_t oak_path_print(char path[PATH_MAX], const char *format, ...) {
  va_list args;
  va_start(args, format);
  const int length = vsnprintf(path, PATH_MAX, format, args);
  va_end(args);
  OAK_CHECK(length >= 0 && length < PATH_MAX, OAK_ERR_FILE,
            "a path has %d characters, at most %d are allowed: choose shorter names: %.80s...",
            length, PATH_MAX - 1, path);
  return OAK_OK;
}

oak_status_t oak_path_absolute(const char *path, char **out) {
  if (path[0] == '/') return oak_format(out, "%s", path);
  OAK_FREED char *here = getcwd(NULL, 0);
  *out = NULL;
  OAK_CHECK(here, OAK_ERR_FILE, "the current folder is not known (%s), but '%s' is relative to it",
            strerror(errno), path);
  return oak_format(out, "%s/%s", here, path);
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *walk) {
  (void)info;
  (void)kind;
  (void)walk;
  return remove(path) != 0 && errno != ENOENT ? -1 : 0; /* another process may have removed it */
}

int oak_path_remove(const char *path) {
  struct stat info;
  if (lstat(path, &info) != 0) return errno == ENOENT || errno == ENOTDIR ? 0 : errno;
  return nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS) ? errno : 0;
}

int oak_path_find(const char *folder, const char *name, char path[PATH_MAX]) {
  char beside[2 * PATH_MAX];
  snprintf(beside, sizeof beside, "%s/%s", folder, name);
  return (*name != '/' && realpath(beside, path)) || realpath(name, path);
}
