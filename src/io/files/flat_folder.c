/* SPDX-License-Identifier: GPL-2.0-or-later
 * Outputs that are folders of files without subfolders. */
#define _GNU_SOURCE 1
#include "flat_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "file_tools.h"

/** NFS keeps removed files under names with .nfs while a viewer has them open. */
static int is_own_name(const char *name, const char *const *patterns) {
  if (!strcmp(name, ".") || !strcmp(name, "..") || !strncmp(name, ".nfs", 4)) return 1;
  for (; *patterns; patterns++)
    if (fnmatch(*patterns, name, FNM_PERIOD) == 0) return 1;
  return 0;
}

oak_status_t oak_flat_check(const char *path, const char *const *patterns) {
  struct stat info;
  if (lstat(path, &info) != 0) return OAK_OK;
  OAK_CHECK(
      S_ISDIR(info.st_mode), OAK_ERR_FILE,
      "cannot replace %s: it is no folder that oak wrote; move it away or choose another name",
      path);
  DIR *folder = opendir(path);
  if (!folder) return oak_file_failed("read folder", path, errno);
  oak_status_t st = OAK_OK;
  for (struct dirent *entry; st == OAK_OK && (entry = readdir(folder));)
    if (!is_own_name(entry->d_name, patterns))
      st = OAK_FAIL(OAK_ERR_FILE,
                    "cannot replace %s: %s in it was not written by oak; move it away or choose "
                    "another name",
                    path, entry->d_name);
  closedir(folder);
  return st;
}

oak_status_t oak_flat_remove(const char *path, const char *const *patterns) {
  OAK_TRY(oak_flat_check(path, patterns));
  return oak_remove_all(path);
}

oak_status_t oak_flat_begin(const char *path, const char *part, const char *const *patterns) {
  OAK_TRY(oak_flat_check(path, patterns));
  OAK_TRY(oak_make_parents(path));
  OAK_TRY(oak_flat_remove(part, patterns));
  return mkdir(part, 0777) == 0 ? OAK_OK : oak_file_failed("create folder", part, errno);
}

oak_status_t oak_flat_publish(const char *path, const char *part, const char *const *patterns) {
  OAK_TRY(oak_sync_folder(part));
  char *old = oak_text_new("%s" OAK_OLD, path);
  OAK_CHECK(old, OAK_ERR_MEMORY, "no memory for the name of %s", path);
  oak_status_t st = oak_flat_remove(old, patterns);
  int replaces = 0;
  if (st == OAK_OK) {
    replaces = rename(path, old) == 0;
    if (!replaces && errno != ENOENT) st = oak_file_failed("replace", path, errno);
  }
  if (st == OAK_OK && rename(part, path) != 0) {
    st = oak_file_failed("rename the finished output to", path, errno);
    if (replaces && rename(old, path) != 0)
      st = OAK_FAIL(OAK_ERR_FILE, "%s; the earlier output is now %s", oak_last_error(), old);
  } else if (st == OAK_OK && replaces) {
    /* The output is good even if the old one stays, as when a viewer has it open over NFS. */
    (void)oak_flat_remove(old, patterns);
  }
  free(old);
  return st;
}
