/* SPDX-License-Identifier: GPL-2.0-or-later
 * Whether other users could put their code in the place of a file or folder, as OpenSSH judges its
 * keys. */
#include "base/trust.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/** In a container, an owner of the host may have no number. All such owners, root among them, look
 * like the number 65534, which then belongs to no single user. */
static int has_no_number(uid_t owner) {
  const unsigned nobody = 65534;
  unsigned first, host, count;
  int mapped = owner != nobody;
  FILE *file = fopen("/proc/self/uid_map", "re");
  if (!file) return 0;
  while (fscanf(file, "%u %u %u", &first, &host, &count) == 3)
    mapped |= owner >= first && owner - first < count;
  fclose(file);
  return !mapped;
}

int oak_file_trusted(const struct stat *info) {
  return (info->st_uid == geteuid() || info->st_uid == 0) && !(info->st_mode & (S_IWGRP | S_IWOTH));
}

/** Whether others may replace what is in a folder. In a sticky folder such as /tmp they may replace
 * only what belongs to them. */
static int others_may_replace(const struct stat *above, int own) {
  const uid_t owner = above->st_uid;
  return (owner != geteuid() && owner != 0 && !(own && has_no_number(owner))) ||
         ((above->st_mode & (S_IWGRP | S_IWOTH)) && !(above->st_mode & S_ISVTX));
}

/** Whether \a path is safe from other users. \a last: it is the file or folder in question, not a
 * folder that leads to it.
 * \return 1 if it is safe; otherwise \a why says how others could change it. */
static int part_trusted(const char *path, int last, int own, char why[OAK_WHY]) {
  struct stat info;
  why[0] = '\0';
  if (lstat(path, &info) != 0) {
    snprintf(why, OAK_WHY, "%s", strerror(errno));
    return 0;
  }
  const int foreign = info.st_uid != geteuid() && info.st_uid != 0;
  if (S_ISLNK(info.st_mode))
    snprintf(why, OAK_WHY, "%s has become a link", path);
  else if (last && !oak_file_trusted(&info))
    snprintf(why, OAK_WHY, "%s",
             foreign ? "it belongs to another user, whose code would run"
                     : "others may write to it, and their code would run (chmod go-w mends it)");
  else if (!last && others_may_replace(&info, own))
    snprintf(why, OAK_WHY, "others may replace it, since %s %s",
             foreign ? "another user owns" : "they may write to", path);
  return !why[0];
}

/* The check goes from the root down: nobody else can replace what was checked before. */
int oak_path_trusted(const char *path, int own, char why[OAK_WHY]) {
  const size_t length = strlen(path);
  char part[PATH_MAX];
  for (size_t end = 0; end <= length; end++) {
    if (end < length && path[end] != '/') continue;
    snprintf(part, sizeof part, "%.*s", end ? (int)end : 1, path);
    if (!part_trusted(part, end == length, own, why)) return 0;
  }
  return 1;
}
