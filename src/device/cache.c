/* SPDX-License-Identifier: GPL-2.0-or-later
 * The folder of built kernels, for build.c. A file is written under another name and then renamed,
 * so several runs may share the folder. */
#define _GNU_SOURCE 1
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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

/** Why code must not be loaded from \a folder (a full path without links), or NULL if it may: the
 * folder must belong to this user or root, and nobody else may write to it or replace it. */
static const char *folder_fault(const char *folder) {
  struct stat info;
  if (stat(folder, &info) != 0) return strerror(errno);
  if (!S_ISDIR(info.st_mode)) return "not a folder";
  if (info.st_uid != geteuid() && info.st_uid != 0)
    return "it belongs to another user, whose code would run";
  if (info.st_mode & (S_IWGRP | S_IWOTH))
    return "others may write to it, and their code would run (chmod go-w mends it)";
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s", folder);
  for (char *slash; (slash = strrchr(path, '/')) && path[1];) {
    slash[slash == path] = '\0';
    if (stat(path, &info) != 0) return strerror(errno);
    if ((info.st_mode & S_IWOTH) && !(info.st_mode & S_ISVTX))
      return "others may replace it, since everybody may write to a folder above it";
  }
  return NULL;
}

/** Find out whether a kernel can be written here, by writing a file: this finds permission bits,
 * quotas and read-only mounts. \return 0 or errno. */
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

/** Use \a folder, or say in \a *why it cannot be used. \return 1 if it is used. */
static int take_folder(oak_device_t *dev, const char *folder, const char **why) {
  char *path = realpath(folder, NULL);
  int error = path ? 0 : errno;
  *why = error ? strerror(error) : folder_fault(path);
  if (!*why && (error = try_folder(path)) != 0) *why = strerror(error);
  if (!*why) dev->cache = path;
  if (*why) free(path);
  return !*why;
}

/** A folder of our own in \a parent. */
static int private_folder(oak_device_t *dev, const char *parent, const char **why) {
  char *path;
  *why = "no such folder";
  if (!parent || !parent[0] || oak_format(&path, "%s/oak-XXXXXX", parent) != OAK_OK) return 0;
  dev->cache_private = 0;
  if (!mkdtemp(path)) {
    *why = strerror(errno);
  } else {
    dev->cache_private = take_folder(dev, path, why);
    if (!dev->cache_private) rmdir(path);
  }
  free(path);
  return dev->cache_private;
}

oak_status_t oak_cache_open(oak_device_t *dev) {
  if (dev->cache) return OAK_OK;
  char *wish;
  const char *reason = "there is no home folder", *bad;
  OAK_TRY(wished_folder(&wish));
  int error = wish ? make_folders(wish) : 0;
  if (error) reason = strerror(error);
  if (wish && !error && take_folder(dev, wish, &reason)) {
    free(wish);
    return OAK_OK;
  }
  const char *shown = wish ? wish : "~/.cache/oak";
  oak_status_t status = OAK_OK;
  if (!private_folder(dev, getenv("TMPDIR"), &bad) && !private_folder(dev, "/tmp", &bad)) {
    status =
        OAK_FAIL(OAK_ERR_FILE,
                 "no folder for built kernels: %s: %s; nor $TMPDIR or /tmp: %s; set OAK_CACHE to a "
                 "folder of yours",
                 shown, reason, bad);
  } else if (dev->rank == 0) {
    fprintf(stderr,
            "oak: built kernels are not kept for the next run: %s: %s; OAK_CACHE names another "
            "folder\n",
            shown, reason);
  }
  free(wish);
  return status;
}

void oak_cache_close(oak_device_t *dev) {
  if (dev->cache && dev->cache_private) oak_path_remove(dev->cache);
  free(dev->cache);
  dev->cache = NULL;
}

/* ---- entries */

oak_status_t oak_entry_path(oak_device_t *dev, const oak_source_t *source, const char *hex,
                            const char *ending, char **out) {
  char name[41];
  snprintf(name, sizeof name, "%s", oak_source_name(source));
  for (char *c = name; *c; c++) {
    if (!isalnum((unsigned char)*c) && *c != '_') *c = '_';
  }
  return oak_format(out, "%s/%s-%s.%s%s", dev->cache, name, hex, dev->ops->name, ending);
}

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
  struct stat info;
  int error = oak_buffer_read(&entry, path);
  if (!error) {
    seal_t seal = seal_of(oak_buffer_get(&entry), entry.length);
    oak_buffer_bytes(&entry, &seal, sizeof seal);
    error = oak_buffer_write(&entry, path);
  }
  if (!error && (stat(path, &info) != 0 || chmod(path, info.st_mode & 0755) != 0)) error = errno;
  oak_buffer_free(&entry);
  OAK_CHECK(!error, OAK_ERR_FILE,
            "the built kernel %s cannot be written: %s; set OAK_CACHE to a folder with space", path,
            strerror(error));
  return OAK_OK;
}

int oak_cache_read(const char *path, oak_buffer_t *text) {
  struct stat info;
  /* A FIFO of this name must not make oak wait. */
  int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return errno == ELOOP || errno == ENXIO ? EBADMSG : errno;
  int error = fstat(file, &info) != 0 ? errno : 0;
  int ours = S_ISREG(info.st_mode) && !(info.st_mode & (S_IWGRP | S_IWOTH)) &&
             (info.st_uid == geteuid() || info.st_uid == 0);
  if (!error && !ours) error = EBADMSG;
  char part[16384];
  while (!error) {
    ssize_t count = read(file, part, sizeof part);
    if (count == 0) break;
    if (count > 0) oak_buffer_bytes(text, part, (size_t)count);
    if (count < 0 && errno != EINTR) error = errno;
  }
  close(file);
  return !error && text->failed ? ENOMEM : error;
}

int oak_cache_write(const char *path, const oak_buffer_t *text) {
  char *part;
  if (oak_format(&part, "%s.XXXXXX", path) != OAK_OK) return ENOMEM;
  int file = mkostemp(part, O_CLOEXEC), error = file < 0 ? errno : 0;
  if (!error) {
    close(file);
    error = oak_buffer_write(text, part);
    if (!error && rename(part, path) != 0) error = errno;
    if (error) unlink(part);
  }
  free(part);
  return error;
}

int oak_cache_check(const char *path) {
  oak_buffer_t entry = {0};
  int error = oak_cache_read(path, &entry), whole = 0;
  if (!error && entry.length > sizeof(seal_t)) {
    size_t length = entry.length - sizeof(seal_t);
    seal_t found, seal = seal_of(entry.data, length);
    memcpy(&found, entry.data + length, sizeof found);
    whole = memcmp(&found, &seal, sizeof seal) == 0;
  }
  oak_buffer_free(&entry);
  if (whole) utimensat(AT_FDCWD, path, NULL, 0);
  /* An entry that could not be read for lack of descriptors or memory may be good. */
  if (!whole && (!error || error == EBADMSG)) unlink(path);
  return whole;
}

/** What a name in the folder belongs to. \return 1: an entry (name-hash.device) or its reference
 * (.ref); 2: a work folder (the same and .XXXXXX); 0: not oak's. */
static int entry_kind(const oak_device_t *dev, const char *name) {
  const char *dash = strrchr(name, '-');
  if (!dash || strspn(dash + 1, "0123456789abcdef") != 32 || dash[33] != '.') return 0;
  for (int i = 0; i < dev->known_count; i++) {
    const char *device = dev->known[i]->name;
    size_t length = strlen(device);
    if (strncmp(dash + 34, device, length) != 0) continue;
    const char *rest = dash + 34 + length;
    if (!rest[0] || !strcmp(rest, ".ref")) return 1;
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
    int kind = entry_kind(dev, item->d_name);
    struct stat info;
    if (!kind || fstatat(dirfd(folder), item->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
    time_t age = now - info.st_mtime;
    if (kind == 1 && S_ISREG(info.st_mode) && age > keep_entry)
      unlinkat(dirfd(folder), item->d_name, 0);
    char *path;
    if (kind == 2 && S_ISDIR(info.st_mode) && age > keep_work &&
        oak_format(&path, "%s/%s", dev->cache, item->d_name) == OAK_OK) {
      oak_path_remove(path);
      free(path);
    }
  }
  closedir(folder);
}
