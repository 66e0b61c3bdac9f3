/* SPDX-License-Identifier: GPL-2.0-or-later
 * The text of a user's file and of what it includes in quotes, for searches that have to give the
 * same on all devices, also where there is no compiler. Private to src/solver. */
#pragma once

#include <sys/types.h>

#include "base/failure.h"

typedef struct {
  char path[4096];
  char *text; /**< without comments; line feeds stay, so that lines can be counted */
  dev_t device;
  ino_t inode;
} oak_user_file_t;

typedef struct {
  oak_user_file_t *file; /**< in the order in which they were met */
  int nfile;
  int whole; /**< no file was left out because there were too many */
} oak_user_files_t;

/** Add a file and those that it includes in quotes, each once: beside it or in the source root.
 * What is not there or not a regular file is left to the compiler. */
oak_status_t oak_user_files_read(oak_user_files_t *files, const char *path);
void oak_user_files_free(oak_user_files_t *files);

/** 1 for letters, digits and _. */
int oak_is_word(char c);
/** What follows "# word" in a line, NULL if it is no such line. */
const char *oak_after_directive(const char *line, const char *word);
const char *oak_next_line(const char *line);
/** Whether a file has a line "#define name". */
int oak_user_files_define(const oak_user_files_t *files, const char *name);
