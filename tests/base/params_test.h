/* SPDX-License-Identifier: GPL-2.0-or-later
 * Shared by the tests of parameters. A test defines _GNU_SOURCE and includes this header first. */
#ifndef OAK_PARAMS_TEST_H
#define OAK_PARAMS_TEST_H

#include <math.h>
#include <sys/stat.h>

#include "folder_test.h"
#include "oak/params.h"

static char path[96];

/* ---- helpers -------------------------------------------------------------------------------- */

/** Write a file on rank 0; all ranks may read it then. */
static inline void write_bytes(const char *text, size_t bytes) {
  if (test_rank == 0) {
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(text, 1, bytes, file) != bytes || fclose(file) != 0)
      fail_msg("cannot write %s", path);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

static inline oak_status_t read_text(oak_params_t *params, const char *text) {
  write_bytes(text, strlen(text));
  oak_status_t status = oak_params_read(params, MPI_COMM_WORLD, path);
  MPI_Barrier(MPI_COMM_WORLD);
  return status;
}

static inline oak_params_t *new_params(void) {
  oak_params_t *params = NULL;
  assert_int_equal(oak_params_new(&params), OAK_OK);
  return params;
}

/** A checked set from the text of a file. */
static inline oak_params_t *params_of(const char *text) {
  oak_params_t *params = new_params();
  oak_params_trust(params); /* an echo may have flags */
  if (read_text(params, text) != OAK_OK) fail_msg("not read: %s", oak_last_error());
  if (oak_params_check(params, 1) != OAK_OK) fail_msg("not accepted: %s", oak_last_error());
  return params;
}

static inline void assert_says(const char *words) {
  if (!strstr(oak_last_error(), words)) fail_msg("'%s' does not say '%s'", oak_last_error(), words);
}

static inline void assert_says_not(const char *words) {
  if (strstr(oak_last_error(), words)) fail_msg("'%s' says '%s'", oak_last_error(), words);
}

/** The set refuses this setting with these words. */
static inline void assert_refused(const char *assignment, const char *words) {
  oak_params_t *params = new_params();
  assert_int_equal(oak_params_assign(params, assignment, "command line"), OAK_OK);
  if (oak_params_check(params, 1) != OAK_ERR_INPUT) fail_msg("accepted: %s", assignment);
  assert_says(words);
  oak_params_destroy(&params);
}

static inline oak_params_t *params_with(const char *assignment) {
  oak_params_t *params = new_params();
  assert_int_equal(oak_params_assign(params, assignment, "command line"), OAK_OK);
  if (oak_params_check(params, 1) != OAK_OK) fail_msg("refused: %s", oak_last_error());
  return params;
}

static inline double real_of(const char *value) {
  oak_params_t *params = new_params();
  assert_int_equal(oak_params_set(params, "run.end_time", value), OAK_OK);
  if (oak_params_check(params, 1) != OAK_OK) fail_msg("refused: %s", oak_last_error());
  double x = oak_params_real(params, "run.end_time");
  oak_params_destroy(&params);
  return x;
}

/** What \a print writes, to be freed. */
static inline char *printed(const oak_params_t *params,
                            void (*print)(const oak_params_t *, FILE *)) {
  char *text = NULL;
  size_t size;
  FILE *stream = open_memstream(&text, &size);
  assert_non_null(stream);
  print(params, stream);
  fclose(stream);
  return text;
}

/** Run a group of tests in a folder of their own. */
static inline int params_test_main(int argc, char **argv, const struct CMUnitTest *tests,
                                   size_t count) {
  folder_begin(&argc, &argv);
  snprintf(path, sizeof path, "%s/run.ini", folder);
  return folder_end(test_group(tests, count));
}
#define PARAMS_TEST_MAIN(tests) \
  params_test_main(argc, argv, (tests), sizeof(tests) / sizeof *(tests))

#endif
