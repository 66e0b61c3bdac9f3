/* SPDX-License-Identifier: GPL-2.0-or-later
 * The folder of a plotfile: what belongs into it, and the safe replacement of an earlier one. */
#define _GNU_SOURCE 1
#include "plotfile_folder.h"

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/files/file_tools.h"
#include "plotfile.h"

/* What oak_plotfile_check of this thread found first; nftw hands its callback no pointer of ours.
 */
static _Thread_local char stranger[PATH_MAX];

/** Stop at anything that a plotfile does not hold. \a at->level: 0 is the plotfile itself. */
static int find_stranger(const char *path, const struct stat *info, int type, struct FTW *at) {
  const char *name = path + at->base;
  const int file = S_ISREG(info->st_mode), is_folder = S_ISDIR(info->st_mode);
  (void)type;
  if (at->level == 0 && is_folder) return 0;
  if (at->level == 1 && file && !strcmp(name, "Header")) return 0;
  if (at->level == 1 && is_folder && !strncmp(name, "Level_", 6)) return 0;
  if (at->level == 2 && file && (!strcmp(name, "Cell_H") || !strncmp(name, "Cell_D_", 7))) return 0;
  /* NFS keeps removed files under such names while a viewer has them open. */
  if (at->level > 0 && file && !strncmp(name, ".nfs", 4)) return 0;
  snprintf(stranger, sizeof stranger, "%s", path);
  return 1;
}

oak_status_t oak_plotfile_check(const char *path) {
  struct stat info;
  if (lstat(path, &info) != 0) return OAK_OK;
  const int found = nftw(path, find_stranger, 16, FTW_PHYS);
  if (found < 0) return oak_file_failed("read", path, errno);
  OAK_CHECK(found == 0, OAK_ERR_FILE,
            "cannot replace %s: %s was not written by oak; move it away or choose another name",
            path, stranger);
  return OAK_OK;
}

oak_status_t oak_plotfile_remove(const char *path) {
  OAK_TRY(oak_plotfile_check(path));
  return oak_remove_all(path);
}

/** Is \a path free, or an earlier plotfile? Anything else is not ours to replace. */
static oak_status_t check_replaceable(const char *path) {
  struct stat info;
  if (lstat(path, &info) != 0) return OAK_OK;
  char *header = oak_text_new("%s/Header", path);
  const int is_plotfile = S_ISDIR(info.st_mode) && header && access(header, F_OK) == 0;
  free(header);
  OAK_CHECK(is_plotfile, OAK_ERR_FILE,
            "cannot write plotfile %s: something else of that name is there; move it away or "
            "choose another name",
            path);
  return oak_plotfile_check(path);
}

oak_status_t oak_plot_create(int max_level, const char *path, const char *part) {
  OAK_TRY(check_replaceable(path));
  OAK_TRY(oak_make_parents(path));
  OAK_TRY(oak_plotfile_remove(part));
  if (mkdir(part, 0777) != 0) return oak_file_failed("create folder", part, errno);
  for (int l = 0; l <= max_level; l++) {
    char *folder = oak_text_new("%s/Level_%d", part, l);
    OAK_CHECK(folder, OAK_ERR_MEMORY, "no memory for the name of a folder in %s", part);
    const int failed = mkdir(folder, 0777) != 0;
    const oak_status_t st = failed ? oak_file_failed("create folder", folder, errno) : OAK_OK;
    free(folder);
    OAK_TRY(st);
  }
  return OAK_OK;
}

/** Rank 0: wait until the folders of the plotfile are on the disk, as its files are. */
static oak_status_t sync_folders(int max_level, const char *part) {
  for (int l = 0; l <= max_level; l++) {
    char *folder = oak_text_new("%s/Level_%d", part, l);
    OAK_CHECK(folder, OAK_ERR_MEMORY, "no memory for the name of a folder in %s", part);
    const oak_status_t st = oak_sync_folder(folder);
    free(folder);
    OAK_TRY(st);
  }
  return oak_sync_folder(part);
}

oak_status_t oak_plot_publish(int max_level, const char *path, const char *part) {
  OAK_TRY(sync_folders(max_level, part));
  char *old = oak_text_new("%s" OAK_OLD, path);
  OAK_CHECK(old, OAK_ERR_MEMORY, "no memory for the name of %s", path);
  oak_status_t st = oak_plotfile_remove(old);
  int replaces = 0;
  if (st == OAK_OK) {
    replaces = rename(path, old) == 0;
    if (!replaces && errno != ENOENT) st = oak_file_failed("replace", path, errno);
  }
  if (st == OAK_OK && rename(part, path) != 0) {
    st = oak_file_failed("rename the finished plotfile to", path, errno);
    if (replaces && rename(old, path) != 0)
      st = OAK_FAIL(OAK_ERR_FILE, "%s; the earlier plotfile is now %s", oak_last_error(), old);
  } else if (st == OAK_OK && replaces) {
    /* The plotfile is good even if the old one stays, as when a viewer has it open over NFS. */
    (void)oak_plotfile_remove(old);
  }
  free(old);
  return st;
}

char *oak_plot_path(const char *path) {
  size_t length = strlen(path);
  while (length > 1 && path[length - 1] == '/') length--;
  return strndup(path, length);
}
