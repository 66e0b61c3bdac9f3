/* SPDX-License-Identifier: GPL-2.0-or-later
 * The main function of a test with a temporary folder, the same on all ranks. */
#ifndef OAK_FOLDER_TEST_H
#define OAK_FOLDER_TEST_H

#include "base/path.h"
#include "main_test.h"

static char folder[64];

static inline void folder_begin(int *argc, char ***argv) {
  const char *parent = getenv("TMPDIR");
  test_init(argc, argv);
  snprintf(folder, sizeof folder, "%s/oak-test-XXXXXX",
           parent && strlen(parent) < 40 ? parent : "/tmp");
  if (test_rank == 0 && !mkdtemp(folder)) {
    perror(folder);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Bcast(folder, sizeof folder, MPI_CHAR, 0, MPI_COMM_WORLD);
}

/** folder/name; valid until the call after the next seven. */
static inline const char *in_folder(const char *name) {
  static char path[8][512];
  static int turn;
  turn = (turn + 1) % 8;
  snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
  return path[turn];
}

/** On this rank alone. */
static inline void write_file(const char *name, const char *content) {
  FILE *file = fopen(in_folder(name), "w");
  assert_non_null(file);
  assert_true(fputs(content, file) >= 0);
  assert_int_equal(fclose(file), 0);
}

static inline int folder_end(int status) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (test_rank == 0) oak_path_remove(folder);
  MPI_Finalize();
  return status;
}

#define FOLDER_TEST_MAIN(tests) (folder_begin(&argc, &argv), folder_end(TEST_GROUP(tests)))

#endif
