/* SPDX-License-Identifier: GPL-2.0-or-later
 * Timers: exclusive times that add up, and their table. */
// TEST np={1,2,3} sanitize
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "main_test.h"
#include "timer.h"

static void spend(double seconds) {
  double end = MPI_Wtime() + seconds;
  while (MPI_Wtime() < end) continue;
}

/** While an inner phase runs, the outer one stops. The test asserts that the parts add up to the
 * whole, since upper limits would fail on a busy machine. */
static void test_exclusive(void **state) {
  (void)state;
  oak_timers_t timers;
  double begin = MPI_Wtime();
  oak_timers_reset(&timers);
  spend(0.002);
  oak_timer_start(&timers, OAK_PHASE_GHOST_R1);
  spend(0.004);
  double inner = MPI_Wtime();
  oak_timer_start(&timers, OAK_PHASE_MPI);
  spend(0.02);
  oak_timer_stop(&timers, OAK_PHASE_MPI);
  inner = MPI_Wtime() - inner;
  oak_timer_start(&timers, OAK_PHASE_GHOST_R1); /* within itself */
  spend(0.004);
  oak_timer_stop(&timers, OAK_PHASE_GHOST_R1);
  oak_timer_stop(&timers, OAK_PHASE_GHOST_R1);
  double outer = oak_timer_seconds(&timers, OAK_PHASE_GHOST_R1);
  double total = oak_timers_total(&timers), whole = MPI_Wtime() - begin;

  double mpi = oak_timer_seconds(&timers, OAK_PHASE_MPI);
  assert_true(mpi >= 0.02 && mpi <= inner);
  assert_true(outer >= 0.008 && outer <= whole - mpi);
  assert_true(oak_timer_seconds(&timers, OAK_PHASE_OTHER) >= 0.002);
  assert_true(oak_timer_seconds(&timers, OAK_PHASE_FLUX) == 0);
  assert_true(total <= whole && total >= 0.03);
  double sum = 0;
  for (int p = 0; p < OAK_PHASE_COUNT; p++) sum += timers.seconds[p];
  assert_true(fabs(sum - (timers.since - begin)) < whole - total + 1e-9);
}

/** The running phase is counted up to now. */
static void test_running(void **state) {
  (void)state;
  oak_timers_t timers;
  oak_timers_reset(&timers);
  oak_timer_start(&timers, OAK_PHASE_FLUX);
  spend(0.003);
  assert_true(oak_timer_seconds(&timers, OAK_PHASE_FLUX) >= 0.003);
  oak_timer_stop(&timers, OAK_PHASE_FLUX);
  assert_true(timers.seconds[OAK_PHASE_FLUX] >= 0.003);
}

static void test_table(void **state) {
  (void)state;
  int size;
  char *text = NULL;
  size_t bytes;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  oak_timers_t timers;
  oak_timers_reset(&timers);
  timers.seconds[OAK_PHASE_FLUX] = 1000 * (test_rank + 1);
  timers.seconds[OAK_PHASE_GHOST_R1] = 500 * (size + 1);
  FILE *stream = test_rank == 0 ? open_memstream(&text, &bytes) : NULL;
  oak_timers_print(&timers, MPI_COMM_WORLD, stream);
  if (test_rank != 0) return;
  fclose(stream);

  double mean, least, most, percent;
  const char *row = strstr(text, oak_phase_name(OAK_PHASE_FLUX));
  assert_non_null(row);
  row += strlen(oak_phase_name(OAK_PHASE_FLUX));
  assert_int_equal(sscanf(row, "%lf %lf %lf %lf", &mean, &least, &most, &percent), 4);
  assert_true(fabs(mean - 500 * (size + 1)) < 1e-3);
  assert_true(fabs(least - 1000) < 1e-3 && fabs(most - 1000 * size) < 1e-3);
  assert_true(fabs(percent - 50) < 0.11);
  assert_non_null(strstr(text, "outside flux and update: 50."));
  assert_null(strstr(text, oak_phase_name(OAK_PHASE_PARTITION)));
  free(text);
}

/* A device whose work takes as long as the test says. */
static double device_time, marked[OAK_TIMER_MARKS];
static int marks;

static void device_mark(void *data, int number) {
  (void)data;
  marked[number] = device_time;
  marks++;
}

static double device_between(void *data, int from, int to) {
  (void)data;
  return marked[to] - marked[from];
}

static void work(oak_timers_t *timers, oak_phase_t phase, double seconds) {
  oak_timer_start(timers, phase);
  device_time += seconds;
  oak_timer_stop(timers, phase);
}

/** Few of many steps are timed; still all time is divided among the phases. */
static void test_steps(void **state) {
  (void)state;
  enum { STEPS = 200 };
  oak_timers_t timers;
  oak_timers_reset(&timers);
  oak_timers_use(&timers, &(oak_clock_t){NULL, device_mark, device_between});
  for (int step = 0; step < STEPS; step++) {
    oak_timer_step_begin(&timers);
    work(&timers, OAK_PHASE_GHOST_R1, 100);
    work(&timers, OAK_PHASE_FLUX, 300);
    oak_timer_step_end(&timers);
    if (step % 50 == 0) work(&timers, OAK_PHASE_OUTPUT, 1000);
  }
  assert_true(marks < STEPS);
  assert_true(fabs(oak_timer_seconds(&timers, OAK_PHASE_OUTPUT) - 4000) < 1);
  assert_true(fabs(oak_timer_seconds(&timers, OAK_PHASE_FLUX) - 300 * STEPS) < 1);
  assert_true(fabs(oak_timer_seconds(&timers, OAK_PHASE_GHOST_R1) - 100 * STEPS) < 1);
  assert_true(fabs(oak_timers_total(&timers) - device_time) < 1);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_exclusive),
                                     cmocka_unit_test(test_running), cmocka_unit_test(test_table),
                                     cmocka_unit_test(test_steps)};
  return TEST_MAIN(tests);
}
