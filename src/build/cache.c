/* SPDX-License-Identifier: GPL-2.0-or-later
 * Built kernels in a folder, for build.c. A file is written under another name and then renamed, so
 * several runs may share the folder. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/trust.h"
#include "build/build.h"

/* ---- entries */

oak_status_t oak_entry_path(const oak_device_t *dev, const char *folder, const oak_source_t *source,
                            const char *hex, const char *ending, char **out) {
  char name[41];
  snprintf(name, sizeof name, "%s", oak_source_name(source));
  for (char *c = name; *c; c++) {
    if (!isalnum((unsigned char)*c) && *c != '_') *c = '_';
  }
  return oak_format(out, "%s/%s-%s.%s%s", folder, name, hex, dev->ops->name, ending);
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

static void add_seal(oak_buffer_t *entry) {
  const seal_t seal = seal_of(oak_buffer_get(entry), entry->length);
  oak_buffer_bytes(entry, &seal, sizeof seal);
}

/** Write \a text to a file with the permissions that other files of the user get, since a cache
 * may serve several users; nobody else may write. \return 0 or errno. */
static int write_new(const char *path, const oak_buffer_t *text) {
  struct stat info;
  const int error = oak_buffer_write(text, path);
  if (error) return error;
  return stat(path, &info) != 0 || chmod(path, info.st_mode & 0755) != 0 ? errno : 0;
}

oak_status_t oak_cache_seal(const char *path) {
  oak_buffer_t entry = {0};
  int error = oak_buffer_read(&entry, path);
  if (!error) {
    add_seal(&entry);
    error = write_new(path, &entry);
  }
  oak_buffer_free(&entry);
  OAK_CHECK(!error, OAK_ERR_FILE,
            "the built kernel %s cannot be written: %s; set OAK_CACHE to a folder with space", path,
            strerror(error));
  return OAK_OK;
}

/** Open a file of the cache, whose folder and owner are those that are trusted. \return 0 or errno,
 * as oak_cache_read() does. */
static int open_entry(const char *path, int *file) {
  struct stat info;
  char above[PATH_MAX];
  const char *name = strrchr(path, '/');
  *file = -1;
  if (!name || (size_t)(name - path) >= sizeof above) return EINVAL;
  snprintf(above, sizeof above, "%.*s", (int)(name - path), path);
  const int folder = open(above, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return errno;
  int error = fstat(folder, &info) != 0 ? errno : oak_file_trusted(&info) ? 0 : EPERM;
  /* A FIFO of this name must not make oak wait. */
  if (!error) *file = openat(folder, name + 1, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (!error && *file < 0) error = errno == ELOOP || errno == ENXIO ? EBADMSG : errno;
  close(folder);
  if (!error && fstat(*file, &info) != 0) error = errno;
  if (!error && !(S_ISREG(info.st_mode) && oak_file_trusted(&info))) error = EBADMSG;
  if (error && *file >= 0) close(*file);
  return error;
}

/** Append an open file. \return 0 or errno. */
static int read_all(int file, oak_buffer_t *text) {
  char part[16384];
  for (;;) {
    const ssize_t count = read(file, part, sizeof part);
    if (count == 0) return text->failed ? ENOMEM : 0;
    if (count > 0) oak_buffer_bytes(text, part, (size_t)count);
    if (count < 0 && errno != EINTR) return errno;
  }
}

int oak_cache_read(const char *path, oak_buffer_t *text) {
  int file, error = open_entry(path, &file);
  if (error) return error;
  error = read_all(file, text);
  close(file);
  return error;
}

/** 1 if \a entry ends in a seal (size and hash) that fits the bytes before it. */
static int is_whole(const oak_buffer_t *entry) {
  if (entry->length <= sizeof(seal_t)) return 0;
  const size_t length = entry->length - sizeof(seal_t);
  seal_t found, seal = seal_of(entry->data, length);
  memcpy(&found, entry->data + length, sizeof found);
  return memcmp(&found, &seal, sizeof seal) == 0;
}

int oak_cache_take(const char *path, oak_buffer_t *entry, int *file) {
  int error = open_entry(path, file);
  if (error) return error;
  error = read_all(*file, entry);
  if (!error && !is_whole(entry)) error = EBADMSG;
  if (error) close(*file);
  return error;
}

int oak_cache_write(const char *path, const oak_buffer_t *text) {
  char *folder, *part = NULL;
  if (oak_format(&folder, "%s.XXXXXX", path) != OAK_OK) return ENOMEM;
  int error = mkdtemp(folder) ? 0 : errno;
  if (!error) {
    if (oak_format(&part, "%s/part", folder) != OAK_OK) error = ENOMEM;
    if (!error) error = write_new(part, text);
    if (!error && rename(part, path) != 0) error = errno;
    oak_path_remove(folder);
  }
  free(part);
  free(folder);
  return error;
}

int oak_cache_check(const char *path) {
  oak_buffer_t entry = {0};
  int file;
  const int error = oak_cache_take(path, &entry, &file);
  oak_buffer_free(&entry);
  if (!error) {
    futimens(file, NULL);
    close(file);
  }
  /* An entry that could not be read for lack of descriptors or memory may be good. */
  if (error == EBADMSG) unlink(path);
  return !error;
}

int oak_cache_get(const char *path, oak_buffer_t *object) {
  int file;
  const int error = oak_cache_take(path, object, &file);
  if (error) return error;
  object->length -= sizeof(seal_t);
  futimens(file, NULL);
  close(file);
  return 0;
}

int oak_cache_put(const char *path, oak_buffer_t *object) {
  add_seal(object);
  return oak_cache_write(path, object);
}

int oak_entry_find(const oak_device_t *dev, const oak_source_t *source, const char *hex,
                   char **path) {
  const char *const folder[] = {dev->cache, dev->own};
  *path = NULL;
  for (int i = 0; i < 2; i++) {
    if (!folder[i] || oak_entry_path(dev, folder[i], source, hex, "", path) != OAK_OK) continue;
    if (oak_cache_check(*path)) return 1;
    free(*path);
    *path = NULL;
  }
  return 0;
}

/** What a name in the folder belongs to. \return 1: an entry (name-hash.device) or its reference
 * (.ref); 2: a work folder (one of these and .XXXXXX); 0: not oak's. */
static int entry_kind(const oak_device_t *dev, const char *name) {
  const char *dash = strrchr(name, '-');
  if (!dash || strspn(dash + 1, "0123456789abcdef") != 32 || dash[33] != '.') return 0;
  for (int i = 0; i < dev->known_count; i++) {
    const char *device = dev->known[i]->name;
    size_t length = strlen(device);
    if (strncmp(dash + 34, device, length) != 0) continue;
    const char *rest = dash + 34 + length;
    if (!strncmp(rest, ".ref", 4)) rest += 4;
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
