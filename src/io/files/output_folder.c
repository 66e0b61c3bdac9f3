/* SPDX-License-Identifier: GPL-2.0-or-later
 * Outputs that are folders: what belongs into them, and the safe replacement of an earlier one. */
#include "output_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { OPEN_FOLDERS = 16 };

/* nftw hands its callbacks no pointer of ours. */
static _Thread_local const oak_folder_kind_t *kind_now;
static _Thread_local size_t root_length;      /* of the path of the output, with the slash */
static _Thread_local char stranger[PATH_MAX]; /* what was found first */

/** Stop at anything that such an output does not hold. \a at->level: 0 is the output itself. */
static int find_stranger(const char *path, const struct stat *info, int type, struct FTW *at) {
  const int file = S_ISREG(info->st_mode), folder = S_ISDIR(info->st_mode);
  (void)type;
  if (at->level == 0 && folder) return 0;
  /* NFS keeps removed files under such names while a viewer has them open. */
  if (at->level > 0 && file && !strncmp(path + at->base, ".nfs", 4)) return 0;
  for (const char *const *c = kind_now->content; at->level > 0 && (file || folder) && *c; c++) {
    char name[PATH_MAX];
    snprintf(name, sizeof name, "%s%s", path + root_length, folder ? "/" : "");
    if (fnmatch(*c, name, FNM_PATHNAME | FNM_PERIOD) == 0) return 0;
  }
  snprintf(stranger, sizeof stranger, "%s", path);
  return 1;
}

oak_status_t oak_folder_check(const oak_folder_kind_t *kind, const char *path) {
  struct stat info;
  if (lstat(path, &info) != 0) return OAK_OK;
  kind_now = kind;
  root_length = strlen(path) + 1;
  const int found = nftw(path, find_stranger, OPEN_FOLDERS, FTW_PHYS);
  if (found < 0) return oak_file_failed("read", path, errno);
  OAK_CHECK(found == 0, OAK_ERR_FILE,
            "%s was not written by oak, and is not replaced; move it away or choose another name",
            stranger);
  return OAK_OK;
}

oak_status_t oak_folder_remove(const oak_folder_kind_t *kind, const char *path) {
  OAK_TRY(oak_folder_check(kind, path));
  return oak_remove_all(path);
}

void oak_folder_discard(const oak_folder_kind_t *kind, const char *part) {
  OAK_FREED char *message = strdup(oak_last_error());
  (void)oak_folder_remove(kind, part);
  if (message) (void)OAK_FAIL(OAK_ERR_FILE, "%s", message);
}

oak_status_t oak_folder_begin(const oak_folder_kind_t *kind, const char *path, const char *part) {
  OAK_TRY(oak_folder_check(kind, path));
  OAK_TRY(oak_make_parents(path));
  OAK_TRY(oak_folder_remove(kind, part));
  return mkdir(part, 0777) == 0 ? OAK_OK : oak_file_failed("create folder", part, errno);
}

static int sync_entry(const char *path, const struct stat *info, int type, struct FTW *at) {
  (void)type, (void)at;
  return S_ISDIR(info->st_mode) && oak_sync_folder(path) != OAK_OK;
}

/** Wait until the entries of a folder and of all folders in it are on the disk. */
static oak_status_t sync_folders(const char *path) {
  const int failed = nftw(path, sync_entry, OPEN_FOLDERS, FTW_PHYS);
  return failed < 0 ? oak_file_failed("read", path, errno) : failed ? OAK_ERR_FILE : OAK_OK;
}

/** Give a finished folder its name. An earlier one changes places with it, or is put aside where
 * the file system cannot do that, and is then removed: a complete one is there at any time. */
static oak_status_t put_in_place(const oak_folder_kind_t *kind, const oak_part_file_t *file) {
  char aside[PATH_MAX];
  if (renameat2(AT_FDCWD, file->part, AT_FDCWD, file->path, RENAME_EXCHANGE) == 0) {
    /* The output is good even if the old one stays, as when a viewer has it open over NFS. */
    (void)oak_folder_remove(kind, file->part);
    return OAK_OK;
  }
  OAK_TRY(oak_path_print(aside, "%s.old" OAK_PART, file->path));
  OAK_TRY(oak_folder_remove(kind, aside));
  int reason = rename(file->path, aside) == 0 || errno == ENOENT ? 0 : errno;
  if (!reason && rename(file->part, file->path) != 0) {
    reason = errno;
    (void)rename(aside, file->path);
  }
  if (reason) return oak_file_failed("rename the finished output to", file->path, reason);
  (void)oak_folder_remove(kind, aside);
  return OAK_OK;
}

oak_status_t oak_folder_publish(int count, const oak_part_file_t *file,
                                const oak_folder_kind_t *const *kind) {
  for (int i = 0; i < count; i++)
    if (kind[i]) OAK_TRY(sync_folders(file[i].part));
  for (int i = count - 1; i >= 0; i--)
    OAK_TRY(kind[i] ? put_in_place(kind[i], &file[i]) : oak_part_file_publish((void *)&file[i]));
  return OAK_OK;
}
