/* SPDX-License-Identifier: GPL-2.0-or-later
 * The folder of built kernels, for build.c. Entries appear by rename: runs may share it. */
#define _GNU_SOURCE 1
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "device_private.h"

/* ---- folder */

/** mkdir -p. \return 0 or errno. */
static int make_folders(char *path) {
  for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    int error = mkdir(path, 0700) == 0 || errno == EEXIST ? 0 : errno;
    /* A parent that exists may refuse mkdir with another error (read-only file system). */
    if (error && access(path, X_OK) == 0) error = 0;
    *slash = '/';
    if (error) return error;
  }
  return mkdir(path, 0700) == 0 || errno == EEXIST ? 0 : errno;
}

/** Can a kernel be written here? Asks by writing: permission bits, quotas and read-only mounts all
 * show. \return 0 or errno. */
static int try_folder(const char *folder) {
  const unsigned long long enough = 16u << 20;
  struct statvfs disk;
  if (statvfs(folder, &disk) != 0) return errno;
  if ((unsigned long long)disk.f_bavail * disk.f_frsize < enough) return ENOSPC;
  char *path;
  if (oak_format(&path, "%s/probe.XXXXXX", folder) != OAK_OK) return ENOMEM;
  static const char zeros[65536];
  int file = mkostemp(path, O_CLOEXEC), error = file < 0 ? errno : 0;
  if (file >= 0) {
    ssize_t count = write(file, zeros, sizeof zeros);
    if (count != (ssize_t)sizeof zeros) error = count < 0 ? errno : ENOSPC;
    if (close(file) != 0 && !error) error = errno;
    unlink(path);
  }
  free(path);
  return error;
}

/** The folder that the environment asks for; NULL if there is no home. */
static oak_status_t wished_folder(char **out) {
  const char *own = getenv("OAK_CACHE"), *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  *out = NULL;
  if (own && own[0]) return oak_path_absolute(own, out);
  if (cache && cache[0] == '/') return oak_format(out, "%s/oak", cache);
  if (home && home[0] == '/') return oak_format(out, "%s/.cache/oak", home);
  return OAK_OK;
}

/** A folder of our own in \a parent. \return 0 or errno. */
static int private_folder(oak_device_t *dev, const char *parent) {
  char *path;
  if (!parent || !parent[0] || oak_format(&path, "%s/oak-XXXXXX", parent) != OAK_OK) return ENOENT;
  int error = mkdtemp(path) ? try_folder(path) : errno;
  if (!error) {
    dev->cache = path;
    dev->cache_private = 1;
    return 0;
  }
  rmdir(path);
  free(path);
  return error;
}

oak_status_t oak_cache_open(oak_device_t *dev) {
  if (dev->cache) return OAK_OK;
  char *wish;
  OAK_TRY(wished_folder(&wish));
  int error = wish ? make_folders(wish) : ENOENT;
  if (!error) error = try_folder(wish);
  if (!error) {
    dev->cache = wish;
    return OAK_OK;
  }
  const char *reason = strerror(error), *shown = wish ? wish : "~/.cache/oak";
  const char *temporary = getenv("TMPDIR");
  int bad = private_folder(dev, temporary);
  if (bad) bad = private_folder(dev, "/tmp");
  oak_status_t status = OAK_OK;
  if (bad) {
    status =
        OAK_FAIL(OAK_ERR_FILE,
                 "no folder for built kernels: %s: %s; nor $TMPDIR or /tmp: %s; set OAK_CACHE to a "
                 "folder that can be written",
                 shown, reason, strerror(bad));
  } else if (dev->rank == 0) {
    fprintf(stderr,
            "oak: built kernels are not kept for the next run: %s: %s; OAK_CACHE names another "
            "folder\n",
            shown, reason);
  }
  free(wish);
  return status;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *walk) {
  (void)info;
  (void)kind;
  (void)walk;
  remove(path);
  return 0;
}

void oak_cache_remove_folder(const char *path) { nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS); }

void oak_cache_close(oak_device_t *dev) {
  if (dev->cache && dev->cache_private) oak_cache_remove_folder(dev->cache);
  free(dev->cache);
  dev->cache = NULL;
}

/* ---- entries */

/** What follows the built object in an entry. */
typedef struct {
  char magic[8];
  uint64_t length;
  oak_hash_t hash;
} seal_t;

static seal_t seal_of(const char *bytes, size_t length) {
  seal_t seal = {.magic = "oakseal", .length = length};
  oak_hash_start(&seal.hash);
  oak_hash_bytes(&seal.hash, bytes, length);
  return seal;
}

oak_status_t oak_cache_seal(const char *path) {
  oak_buffer_t entry = {0};
  int error = oak_buffer_read(&entry, path);
  if (!error) {
    seal_t seal = seal_of(oak_buffer_get(&entry), entry.length);
    oak_buffer_bytes(&entry, &seal, sizeof seal);
    error = oak_buffer_write(&entry, path);
  }
  oak_buffer_free(&entry);
  OAK_CHECK(!error, OAK_ERR_FILE,
            "the built kernel %s cannot be written: %s; set OAK_CACHE to a folder with space", path,
            strerror(error));
  return OAK_OK;
}

int oak_cache_has(const char *path) {
  oak_buffer_t entry = {0};
  int error = oak_buffer_read(&entry, path), whole = 0;
  if (!error && entry.length > sizeof(seal_t)) {
    size_t length = entry.length - sizeof(seal_t);
    seal_t found, seal = seal_of(entry.data, length);
    memcpy(&found, entry.data + length, sizeof found);
    whole = memcmp(&found, &seal, sizeof seal) == 0;
  }
  oak_buffer_free(&entry);
  if (whole) utimensat(AT_FDCWD, path, NULL, 0);
  if (!whole && error != ENOENT) unlink(path);
  return whole;
}

/** 1: a name of an entry (name-hash.device), 2: of a work folder (the same and .XXXXXX), 0: not
 * ours. */
static int entry_kind(const char *name) {
  const char *dash = strrchr(name, '-');
  if (!dash || strspn(dash + 1, "0123456789abcdef") != 32 || dash[33] != '.') return 0;
  for (int i = 0; oak_device_known(i); i++) {
    const char *device = oak_device_known(i)->name;
    size_t length = strlen(device);
    if (strncmp(dash + 34, device, length) != 0) continue;
    const char *rest = dash + 34 + length;
    if (!rest[0]) return 1;
    if (rest[0] == '.' && strlen(rest) == 7) return 2;
  }
  return 0;
}

void oak_cache_sweep(const oak_device_t *dev) {
  const time_t day = 24 * 3600, keep_entry = 90 * day, keep_work = 7 * day;
  DIR *folder = opendir(dev->cache);
  if (!folder) return;
  time_t now = time(NULL);
  const struct dirent *item;
  while ((item = readdir(folder))) {
    int kind = entry_kind(item->d_name);
    struct stat info;
    if (!kind || fstatat(dirfd(folder), item->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
    time_t age = now - info.st_mtime;
    if (kind == 1 && S_ISREG(info.st_mode) && age > keep_entry)
      unlinkat(dirfd(folder), item->d_name, 0);
    char *path;
    if (kind == 2 && S_ISDIR(info.st_mode) && age > keep_work &&
        oak_format(&path, "%s/%s", dev->cache, item->d_name) == OAK_OK) {
      oak_cache_remove_folder(path);
      free(path);
    }
  }
  closedir(folder);
}
