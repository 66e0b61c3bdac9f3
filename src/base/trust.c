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

/** A program that runs, "" if none counts. Who may replace it, or one of the folders that do not
 * lead to the path in question, could run code without that path. */
typedef struct {
  const char *path;
  size_t common; /**< its first characters are folders that lead to the path too */
  size_t inside; /**< the same, with the path itself if the program is in it */
} program_t;

static const program_t no_program = {"", 0, 0};

/** \a foreign: the owner is not this user, root or somebody who can exchange the program. \return
 * others who may write to the file or folder, and cannot exchange the program: S_IWGRP, S_IWOTH. */
static mode_t others(const program_t *program, const struct stat *info, int *foreign) {
  mode_t known = 0;
  *foreign = info->st_uid != geteuid() && info->st_uid != 0;
  for (size_t end = strlen(program->path); end > program->common; end--) {
    struct stat part;
    char path[PATH_MAX];
    if (program->path[end] && program->path[end] != '/') continue;
    snprintf(path, sizeof path, "%.*s", (int)end, program->path);
    if (lstat(path, &part) != 0 || (part.st_mode & S_ISVTX)) continue;
    *foreign &= part.st_uid != info->st_uid;
    if (end > program->inside)
      known |= part.st_mode & (part.st_gid == info->st_gid ? S_IWGRP | S_IWOTH : S_IWOTH);
  }
  return info->st_mode & (S_IWGRP | S_IWOTH) & ~known;
}

int oak_file_trusted(const struct stat *info) {
  int foreign;
  return !others(&no_program, info, &foreign) && !foreign;
}

/** Whether \a path is safe from other users. \a last: it is the file or folder in question, not a
 * folder that leads to it. In a sticky folder such as /tmp others may replace only what belongs to
 * them.
 * \return 1 if it is safe; otherwise \a why says how others could change it. */
static int part_trusted(const char *path, int last, int own, const program_t *program,
                        char why[OAK_WHY]) {
  struct stat info;
  int foreign;
  why[0] = '\0';
  if (lstat(path, &info) != 0) {
    snprintf(why, OAK_WHY, "%s", strerror(errno));
    return 0;
  }
  const mode_t writers = others(program, &info, &foreign);
  if (S_ISLNK(info.st_mode))
    snprintf(why, OAK_WHY, "%s has become a link", path);
  else if (!S_ISDIR(info.st_mode) && !S_ISREG(info.st_mode))
    snprintf(why, OAK_WHY, "%s is a pipe or a device", path);
  else if (last && (foreign || writers))
    snprintf(why, OAK_WHY, "%s",
             foreign ? "it belongs to another user, whose code would run"
                     : "others may write to it, and their code would run (chmod go-w mends it)");
  else if (!last && ((foreign && !(own && has_no_number(info.st_uid))) ||
                     (writers && !(info.st_mode & S_ISVTX))))
    snprintf(why, OAK_WHY, "others may replace it, since %s %s",
             foreign ? "another user owns" : "they may write to", path);
  return !why[0];
}

/* The check goes from the root down: nobody else can replace what was checked before. */
static int parts_trusted(const char *path, int own, const program_t *program, char why[OAK_WHY]) {
  const size_t length = strlen(path);
  char part[PATH_MAX];
  for (size_t end = 0; end <= length; end++) {
    if (end < length && (path[end] != '/' || end < program->common)) continue;
    snprintf(part, sizeof part, "%.*s", end ? (int)end : 1, path);
    if (!part_trusted(part, end == length, own, program, why)) return 0;
  }
  return 1;
}

int oak_path_trusted(const char *path, int own, char why[OAK_WHY]) {
  return parts_trusted(path, own, &no_program, why);
}

int oak_path_trusted_by(const char *program, const char *path, char why[OAK_WHY]) {
  program_t near = {program, 0, 0};
  size_t i = 0;
  for (; path[i] == program[i] && path[i]; i++)
    if (path[i] == '/') near.common = i + 1;
  near.inside = !path[i] && program[i] == '/' ? i + 1 : near.common;
  return parts_trusted(path, 0, &near, why);
}
