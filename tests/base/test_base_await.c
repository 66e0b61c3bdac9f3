/* SPDX-License-Identifier: GPL-2.0-or-later
 * Ranks that wait for each other leave their cores to other programs. */
// TEST np={2,3,4} sanitize

#include <time.h>

#include "base/await.h"
#include "main_test.h"

/* The others wait a millisecond for rank 0, many times. The environment of the tests says that
 * ranks share cores, so they sleep at once. Otherwise they look at the flag for 0.1 ms or more. */
static void test_sleep(void **state) {
  (void)state;
  const struct timespec pause = {.tv_nsec = 1000000};
  oak_await_open(MPI_COMM_WORLD);
  const clock_t begin = clock();
  for (int n = 0; n < 300; n++) {
    if (test_rank == 0) nanosleep(&pause, NULL);
    oak_await(MPI_COMM_WORLD);
  }
  const double used = (double)(clock() - begin) / CLOCKS_PER_SEC;
  oak_await_close(MPI_COMM_WORLD);
  assert_true(used < 300 * 1e-4);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_sleep)};
  return TEST_MAIN(tests);
}
