/* SPDX-License-Identifier: GPL-2.0-or-later
 * The folders of built kernels: the one that the environment asks for, if only this user and root
 * can put code into it, and one for this run alone. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/trust.h"
#include "build/build.h"

/** mkdir -p. \return 0 or errno. */
static int make_folders(char *path) {
  for (char *slash = strchr(path + 1, '/');; slash = strchr(slash + 1, '/')) {
    if (slash) *slash = '\0';
    int error = mkdir(path, 0700) == 0 || errno == EEXIST ? 0 : errno;
    /* A folder that exists may refuse mkdir with another error (read-only file system). */
    if (error && access(path, X_OK) == 0) error = 0;
    if (slash) *slash = '/';
    if (error || !slash) return error;
  }
}

enum { PROBE_BYTES = 65536 };

/** Find out whether a kernel can be written here, by writing a file: this finds permission bits,
 * quotas and read-only mounts. \return 0 or errno. */
static int try_folder(const char *folder) {
  static const char zeros[PROBE_BYTES];
  const unsigned long long enough = 16u << 20;
  struct statvfs disk;
  char path[PATH_MAX];
  if (statvfs(folder, &disk) != 0) return errno;
  if ((unsigned long long)disk.f_bavail * disk.f_frsize < enough) return ENOSPC;
  if (oak_path_print(path, "%s/probe.XXXXXX", folder) != OAK_OK) return ENAMETOOLONG;
  const int file = mkostemp(path, O_CLOEXEC);
  if (file < 0) return errno;
  const ssize_t count = write(file, zeros, sizeof zeros);
  int error = count < 0 ? errno : count < (ssize_t)sizeof zeros ? ENOSPC : 0;
  if (close(file) != 0 && !error) error = errno;
  unlink(path);
  return error;
}

/** The folder that the environment asks for; NULL if there is no home. */
static oak_status_t chosen_folder(char **out) {
  const char *own = getenv("OAK_CACHE"), *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  *out = NULL;
  if (own && own[0]) return oak_path_absolute(own, out);
  if (cache && cache[0] == '/') return oak_format(out, "%s/oak", cache);
  if (home && home[0] == '/') return oak_format(out, "%s/.cache/oak", home);
  return OAK_OK;
}

/** The real path of \a folder, if it may be used; else NULL, and the reason in \a why. \a own: this
 * run has just made it. */
static char *take_folder(const char *folder, int own, char why[OAK_WHY]) {
  char *path = realpath(folder, NULL);
  if (!path) snprintf(why, OAK_WHY, "%s", strerror(errno));
  if (path && oak_path_trusted(path, own, why)) return path;
  free(path);
  return NULL;
}

oak_status_t oak_cache_open(oak_device_t *dev) {
  OAK_FREED char *choice = NULL;
  char why[OAK_WHY] = "there is no home folder";
  if (dev->cache || dev->unkept) return OAK_OK;
  OAK_TRY(chosen_folder(&choice));
  int error = choice ? make_folders(choice) : 0;
  if (!error && choice) dev->cache = take_folder(choice, 0, why);
  if (dev->cache) error = try_folder(dev->cache);
  if (dev->cache && !error) return OAK_OK;
  if (error) snprintf(why, sizeof why, "%s", strerror(error));
  return oak_format(&dev->unkept, "%s: %s", choice ? choice : "~/.cache/oak", why);
}

/** A folder of this run alone in \a parent. */
static char *private_folder(const char *parent, char why[OAK_WHY]) {
  OAK_FREED char *made = NULL;
  snprintf(why, OAK_WHY, "no such folder");
  if (!parent || !parent[0] || oak_format(&made, "%s/oak-XXXXXX", parent) != OAK_OK) return NULL;
  int error = mkdtemp(made) ? 0 : errno;
  char *path = error ? NULL : take_folder(made, 1, why);
  if (path) error = try_folder(path);
  if (error) snprintf(why, OAK_WHY, "%s", strerror(error));
  if (path && !error) return path;
  free(path);
  rmdir(made);
  return NULL;
}

/** Limits of the file sizes fail in every folder. */
static oak_status_t check_limit(void) {
  struct rlimit size;
  if (getrlimit(RLIMIT_FSIZE, &size) != 0) return OAK_OK;
  OAK_CHECK(size.rlim_cur >= PROBE_BYTES, OAK_ERR_FILE,
            "built kernels cannot be written: files may have at most %llu bytes; raise this limit "
            "(ulimit -f)",
            (unsigned long long)size.rlim_cur);
  return OAK_OK;
}

oak_status_t oak_cache_private(oak_device_t *dev, const char **folder) {
  char why[OAK_WHY];
  if (!dev->own) dev->own = private_folder(getenv("TMPDIR"), why);
  if (!dev->own) dev->own = private_folder("/tmp", why);
  *folder = dev->own;
  if (!dev->own) OAK_TRY(check_limit());
  OAK_CHECK(
      dev->own, OAK_ERR_FILE,
      "no folder for built kernels: %s%s$TMPDIR or /tmp: %s; set OAK_CACHE to a folder of yours",
      dev->unkept ? dev->unkept : "", dev->unkept ? "; nor " : "", why);
  return OAK_OK;
}

oak_status_t oak_cache_store(oak_device_t *dev, const char **folder) {
  *folder = dev->cache;
  return dev->unkept ? oak_cache_private(dev, folder) : OAK_OK;
}

oak_status_t oak_entry_place(oak_device_t *dev, const oak_source_t *source, oak_entry_t *e) {
  const char *store;
  free(e->path);
  e->path = NULL;
  OAK_TRY((e->own ? oak_cache_private : oak_cache_store)(dev, &store));
  return oak_entry_path(dev, store, source, e->keys.built, "", &e->path);
}

void oak_cache_close(oak_device_t *dev) {
  if (dev->own) oak_path_remove(dev->own);
  free(dev->own);
  free(dev->cache);
  free(dev->unkept);
  dev->own = dev->cache = dev->unkept = NULL;
}
