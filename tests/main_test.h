/* SPDX-License-Identifier: GPL-2.0-or-later
 * The main function of tests: MPI and cmocka. A case that cannot run is skipped with a reason; all
 * ranks must decide this alike. */
#ifndef OAK_MAIN_TEST_H
#define OAK_MAIN_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <mpi.h>

static int test_rank, test_size;
static FILE *test_out; /* rank 0: the terminal */
static const char *test_name;
static size_t test_skipped; /* cases */

/** One line on rank 0. */
__attribute__((format(printf, 1, 2))) static inline void report(const char *format, ...) {
  va_list args;
  if (!test_out) return;
  va_start(args, format);
  fprintf(test_out, "%s np=%d: ", test_name, test_size);
  vfprintf(test_out, format, args);
  fputc('\n', test_out);
  fflush(test_out);
  va_end(args);
}

/** tools/run_tests.sh lists the lines that begin with "skipped: ". */
static inline void test_say_skipped(const char *what, const char *reason) {
  if (!test_out) return;
  fprintf(test_out, "skipped: %s np=%d: %s: %s\n", test_name, test_size, what, reason);
  fflush(test_out);
}

/** Leave a case, which counts as skipped. */
#define SKIP_CASE(reason) (test_skipped++, test_say_skipped(__func__, reason), skip())
/** A part of a case cannot run here. */
#define SKIP_PART(reason) test_say_skipped(__func__, reason)

static inline void test_init(int *argc, char ***argv) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &test_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &test_size);
  test_name = strrchr((*argv)[0], '/') ? strrchr((*argv)[0], '/') + 1 : (*argv)[0];
}

/** Run all cases. \return the exit status: 0, 1 for a failure, 77 if all cases were skipped. */
static inline int test_group(const struct CMUnitTest *tests, size_t count) {
  if (test_rank == 0) test_out = fdopen(dup(STDOUT_FILENO), "w");
  /* cmocka reports success on standard output and failure on standard error. */
  if (!freopen("/dev/null", "w", stdout)) perror("/dev/null");
  const int failed = _cmocka_run_group_tests(test_name, tests, count, NULL, NULL);
  return failed ? 1 : test_skipped == count ? 77 : 0;
}
#define TEST_GROUP(tests) test_group((tests), sizeof(tests) / sizeof *(tests))

static inline int test_main(int argc, char **argv, const struct CMUnitTest *tests, size_t count) {
  test_init(&argc, &argv);
  const int status = test_group(tests, count);
  MPI_Finalize();
  return status;
}
#define TEST_MAIN(tests) test_main(argc, argv, (tests), sizeof(tests) / sizeof *(tests))

#endif
