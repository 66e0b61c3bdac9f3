/* SPDX-License-Identifier: GPL-2.0-or-later
 * Built kernels in folders: the one that the environment asks for, if only this user and root can
 * put code into it, and one for this run alone. A file is written under another name and then
 * renamed, so several runs may share a folder. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
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

oak_status_t oak_cache_folder(char **out) {
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
  OAK_TRY(oak_cache_folder(&choice));
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

void oak_cache_close(oak_device_t *dev) {
  if (dev->own) oak_path_remove(dev->own);
  free(dev->own);
  free(dev->cache);
  free(dev->unkept);
  dev->own = dev->cache = dev->unkept = NULL;
}

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

/** Write \a text to a new file with the permissions that other files of the user get, since a cache
 * may serve several users; nobody else may write. \return 0 or errno. */
static int write_new(const char *path, const oak_buffer_t *text) {
  struct stat info;
  const int error = oak_buffer_write(text, path);
  if (error) return error;
  return stat(path, &info) != 0 || chmod(path, info.st_mode & 0755) != 0 ? errno : 0;
}

int oak_cache_write(const char *path, const oak_buffer_t *text) {
  OAK_FREED char *folder = NULL, *part = NULL;
  if (oak_format(&folder, "%s.XXXXXX", path) != OAK_OK) return ENOMEM;
  if (!mkdtemp(folder)) return errno;
  int error = oak_format(&part, "%s/part", folder) == OAK_OK ? write_new(part, text) : ENOMEM;
  if (!error && rename(part, path) != 0) error = errno;
  oak_path_remove(folder);
  return error;
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
  const seal_t seal = seal_of(oak_buffer_get(object), object->length);
  oak_buffer_bytes(object, &seal, sizeof seal);
  return oak_cache_write(path, object);
}

int oak_cache_check(const char *path) {
  oak_buffer_t entry = {0};
  const int error = oak_cache_get(path, &entry);
  oak_buffer_free(&entry);
  /* An entry that could not be read for lack of descriptors or memory may be good. */
  if (error == EBADMSG) unlink(path);
  return !error;
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

/** Remove entries (name-hash.device), their references (.ref) and folders of builds (one of these
 * and .XXXXXX) that were not used for long. */
void oak_cache_sweep(const oak_device_t *dev) {
  enum { DAY = 24 * 3600, KEEP_ENTRY = 90 * DAY, KEEP_WORK = 7 * DAY };
  regex_t own;
  DIR *folder = opendir(dev->cache);
  if (!folder || regcomp(&own, "^[A-Za-z0-9_]+-[0-9a-f]{32}[.][a-z]+([.]ref)?([.][A-Za-z0-9]{6})?$",
                         REG_EXTENDED) != 0) {
    if (folder) closedir(folder);
    return;
  }
  for (const struct dirent *item; (item = readdir(folder));) {
    regmatch_t part[3];
    struct stat info;
    char path[PATH_MAX];
    if (regexec(&own, item->d_name, 3, part, 0) != 0 ||
        oak_path_print(path, "%s/%s", dev->cache, item->d_name) != OAK_OK ||
        lstat(path, &info) != 0)
      continue;
    const int work = part[2].rm_so >= 0;
    if ((work ? S_ISDIR(info.st_mode) : S_ISREG(info.st_mode)) &&
        time(NULL) - info.st_mtime > (work ? KEEP_WORK : KEEP_ENTRY))
      oak_path_remove(path);
  }
  closedir(folder);
  regfree(&own);
}
