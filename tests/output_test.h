/* SPDX-License-Identifier: GPL-2.0-or-later
 * Shared by tests of output files: a temporary folder, and functions with which all ranks look
 * into it together. */
#ifndef OAK_OUTPUT_TEST_H
#define OAK_OUTPUT_TEST_H

#include <sys/stat.h>

#include "folder_test.h"
#include "io/files/file_tools.h"
#include "io_test_view.h"

/** Does a file exist? The ranks wait for each other before and after, so that none creates or
 * removes the file while another looks. */
static inline int exists(const char *path, const char *suffix) {
  char name[1024];
  struct stat info;
  snprintf(name, sizeof name, "%s%s", path, suffix);
  MPI_Barrier(MPI_COMM_WORLD);
  const int found = lstat(name, &info) == 0;
  MPI_Barrier(MPI_COMM_WORLD);
  return found;
}

/** All ranks must have the same status and the same message, which contains \a words. */
static inline void check_failure(oak_status_t st, oak_status_t expected, const char *words) {
  char message[512];
  assert_int_equal(st, expected);
  snprintf(message, sizeof message, "%s", oak_last_error());
  MPI_Bcast(message, sizeof message, MPI_CHAR, 0, MPI_COMM_WORLD);
  assert_string_equal(message, oak_last_error());
  if (!strstr(message, words)) fail_msg("'%s' is not in '%s'", words, message);
}

static inline void plot_path(char *path, size_t size, const char *name) {
  snprintf(path, size, "%s/%s", folder, name);
  MPI_Barrier(MPI_COMM_WORLD);
}

/** On rank 0 a file with a folder of its own, "PATH SUFFIX/NAME". */
static inline void leave_file(const char *path, const char *suffix, const char *name) {
  char file[1200];
  snprintf(file, sizeof file, "%s%s/%s", path, suffix, name);
  if (test_rank == 0) {
    assert_int_equal(oak_make_parents(file), OAK_OK);
    FILE *out = fopen(file, "w");
    assert_non_null(out);
    fclose(out);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

#endif
