/* SPDX-License-Identifier: GPL-2.0-or-later
 * Small file-system helpers of the output formats. */
#include "file_tools.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *oak_text_new(const char *format, ...) {
  char *text = NULL;
  va_list args;
  va_start(args, format);
  if (vasprintf(&text, format, args) < 0) text = NULL;
  va_end(args);
  return text;
}

int oak_path_length(const char *path) {
  size_t length = strlen(path);
  while (length > 1 && path[length - 1] == '/') length--;
  return (int)length;
}

int oak_path_ends(const char *path, const char *ending) {
  const size_t n = strlen(path), m = strlen(ending);
  return n > m && !strcmp(path + n - m, ending);
}

static const char *advice(int reason) {
  switch (reason) {
    case ENOSPC:
    case EDQUOT:
      return "free some space or choose another output folder";
    case EFBIG:
      return "raise the file size limit (ulimit -f)";
    case EACCES:
    case EPERM:
    case EROFS:
      return "choose an output folder that you may write to";
    case ENOENT: /* oak found or made the folder before, so somebody has removed it */
      return "its folder was removed or renamed during the run: start the run again";
    case EMFILE:
    case ENFILE:
      return "raise the limit of open files (ulimit -n)";
    default:
      return "check the output folder";
  }
}

oak_status_t oak_file_failed(const char *action, const char *path, int reason) {
  return OAK_FAIL(OAK_ERR_FILE, "cannot %s %s: %s; %s", action, path, strerror(reason),
                  advice(reason));
}

/** Wait until the new folder \a path is on the disk. A folder above it that cannot be read cannot
 * be synced either. */
static oak_status_t sync_new_folder(const char *path) {
  char above[PATH_MAX];
  OAK_TRY(oak_path_print(above, "%s", path));
  char *slash = strrchr(above, '/');
  if (slash) slash[slash == above] = '\0';
  return access(slash ? above : ".", R_OK) == 0 ? oak_sync_folder(slash ? above : ".") : OAK_OK;
}

oak_status_t oak_make_parents(const char *path) {
  char part[PATH_MAX];
  oak_status_t st = oak_path_print(part, "%s", path);
  for (char *slash = strchr(part + 1, '/'); slash && st == OAK_OK; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    if (mkdir(part, 0777) == 0) {
      st = sync_new_folder(part);
    } else {
      /* On a read-only parent mkdir may fail with EROFS or EACCES although the folder exists. */
      const int reason = errno;
      struct stat info;
      if (stat(part, &info) != 0)
        /* The folder above is there. In /proc nothing can be created, which is called ENOENT. */
        st = oak_file_failed("create folder", part, reason == ENOENT ? EPERM : reason);
      else if (!S_ISDIR(info.st_mode))
        st = oak_file_failed("use as folder", part, ENOTDIR);
    }
    *slash = '/';
  }
  return st;
}

oak_status_t oak_remove_all(const char *path) {
  const int reason = oak_path_remove(path);
  return reason ? oak_file_failed("remove", path, reason) : OAK_OK;
}

oak_status_t oak_write_at(int fd, const void *data, size_t bytes, int64_t offset,
                          const char *path) {
  const char *from = data;
  while (bytes > 0) {
    const ssize_t n = pwrite(fd, from, bytes, (off_t)offset);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return oak_file_failed("write", path, n < 0 ? errno : ENOSPC);
#ifdef SYNC_FILE_RANGE_WRITE /* the disk begins at once; closing the file finds a failure */
    if (n >= 1 << 18) (void)sync_file_range(fd, (off_t)offset, n, SYNC_FILE_RANGE_WRITE);
#endif
    from += n;
    bytes -= (size_t)n;
    offset += n;
  }
  return OAK_OK;
}

size_t oak_read_at(int fd, void *to, size_t bytes, int64_t offset) {
  size_t done = 0;
  while (done < bytes) {
    errno = 0;
    const ssize_t n = pread(fd, (char *)to + done, bytes - done, (off_t)(offset + (int64_t)done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    done += (size_t)n;
  }
  return done;
}

oak_status_t oak_sync(int fd, const char *path) {
  int failed;
  do failed = fsync(fd) != 0;
  while (failed && errno == EINTR);
  /* Some file systems cannot sync; others cannot sync folders. */
  if (!failed || errno == EINVAL || errno == ENOTSUP) return OAK_OK;
  return oak_file_failed("write", path, errno);
}

oak_status_t oak_sync_folder(const char *path) {
  const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return oak_file_failed("open folder", path, errno);
  const oak_status_t st = oak_sync(fd, path);
  close(fd);
  return st;
}

oak_status_t oak_part_file_name(oak_part_file_t *file, const char *path) {
  file->fd = -1;
  OAK_TRY(oak_path_print(file->path, "%.*s", oak_path_length(path), path));
  return oak_path_print(file->part, "%s" OAK_PART, file->path);
}

/** Give a finished file its name. It never takes the place of a device or a pipe, such as
 * /dev/null. \return 0, or 1 with errno set. */
static int put_in_place(const char *part, const char *path) {
  struct stat info;
  const int there = stat(path, &info) == 0;
  if (!there || S_ISREG(info.st_mode) || S_ISDIR(info.st_mode)) return rename(part, path) != 0;
  errno = EEXIST;
  return 1;
}

oak_status_t oak_part_file_publish(void *file) {
  const oak_part_file_t *f = file;
  if (put_in_place(f->part, f->path))
    return oak_file_failed("rename the finished file to", f->path, errno);
  const char *slash = strrchr(f->path, '/');
  char folder[PATH_MAX];
  OAK_TRY(oak_path_print(folder, "%.*s", slash ? (int)(slash - f->path) + 1 : 1,
                         slash ? f->path : "."));
  return oak_sync_folder(folder);
}

void oak_part_file_discard(void *file) { (void)unlink(((oak_part_file_t *)file)->part); }

int oak_file_has_mark(const char *path, const char *mark, size_t length) {
  char text[256];
  const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return 0;
  const ssize_t n = read(fd, text, sizeof text);
  close(fd);
  return n > 0 && memmem(text, (size_t)n, mark, length);
}

oak_status_t oak_file_claim(const char *path, const char *mark, size_t length) {
  struct stat info;
  OAK_CHECK(lstat(path, &info) != 0 || oak_file_has_mark(path, mark, length), OAK_ERR_FILE,
            "cannot write %s: something of that name is there that oak did not write; move it away "
            "or choose another name",
            path);
  return OAK_OK;
}

oak_status_t oak_write_file(const char *path, const void *data, size_t bytes) {
  char part[PATH_MAX];
  OAK_TRY(oak_path_print(part, "%s" OAK_PART, path));
  (void)unlink(part); /* a file that a killed run has left */
  const int fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0) return oak_file_failed("create", part, errno);
  oak_status_t st = oak_write_at(fd, data, bytes, 0, part);
  if (st == OAK_OK) st = oak_sync(fd, part);
  if (close(fd) != 0 && st == OAK_OK) st = oak_file_failed("write", part, errno);
  if (st == OAK_OK && put_in_place(part, path)) st = oak_file_failed("replace", path, errno);
  if (st != OAK_OK) unlink(part);
  return st;
}

oak_status_t oak_append_file(const char *path, const void *data, size_t bytes) {
  const int fd = open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return oak_file_failed("write", path, errno);
  const off_t end = lseek(fd, 0, SEEK_END);
  oak_status_t st =
      end < 0 ? oak_file_failed("write", path, errno) : oak_write_at(fd, data, bytes, end, path);
  if (st != OAK_OK && end >= 0 && ftruncate(fd, end) != 0) {
    /* If even this fails, a part of a line stays in the file. The message is still that of the
     * first failure. */
  }
  if (close(fd) != 0 && st == OAK_OK) st = oak_file_failed("write", path, errno);
  return st;
}
