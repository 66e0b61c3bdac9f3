/* SPDX-License-Identifier: GPL-2.0-or-later
 * Exact sums: known results, any order, any distribution over the ranks, values that are not
 * finite. */
// TEST np={1,2,3,4} sanitize

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "main_test.h"
#include "reduce.h"

static void assert_same_bits(double a, double b) {
  uint64_t x, y;
  memcpy(&x, &a, sizeof x);
  memcpy(&y, &b, sizeof y);
  assert_int_equal(x, y);
}

/** Sum \a x[count][n], which all ranks know. Rows go to the ranks in turn, the first one to rank
 * \a first. */
static void deal_and_sum(int n, int count, const double *x, int first, double *sum) {
  double *mine = malloc((size_t)(count + 1) * (size_t)n * sizeof *mine);
  int64_t rows = 0;
  assert_non_null(mine);
  for (int i = 0; i < count; i++)
    if ((i + first) % test_size == test_rank)
      memcpy(mine + n * rows++, x + (size_t)i * (size_t)n, (size_t)n * sizeof *x);
  assert_int_equal(oak_sum_exact(MPI_COMM_WORLD, n, rows, mine, sum), OAK_OK);
  free(mine);
}

static void assert_sum(int count, const double *x, double expected) {
  double sum = -1;
  deal_and_sum(1, count, x, 0, &sum);
  assert_same_bits(sum, expected);
}

#define ASSERT_SUM(expected, ...)                                                              \
  assert_sum((int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)), (double[]){__VA_ARGS__}, \
             expected)

static void test_known(void **state) {
  (void)state;
  ASSERT_SUM(6, 1, 2, 3);
  ASSERT_SUM(0, 0);
  ASSERT_SUM(0, 1, -1, 3, -3);
  ASSERT_SUM(-2.5, -3, 0.5);
  ASSERT_SUM(1, 1e16, 1, -1e16);
  ASSERT_SUM(0x1p-60, 1, 0x1p-60, -1);
  ASSERT_SUM(1e300, 1e300, 1e300, -1e300);
  /* Ten times the double nearest to 0.1 is 1 + 2^-54, nearest to 1; a loop of additions gives
   * 1 - 2^-53. */
  ASSERT_SUM(1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1);
}

/** Rounding once, to nearest, ties to even. */
static void test_rounding(void **state) {
  (void)state;
  const double ulp = DBL_EPSILON;
  ASSERT_SUM(1, 1, ulp / 2);
  ASSERT_SUM(1 + ulp, 1, ulp / 2, ulp * 0x1p-40);
  ASSERT_SUM(1 + 2 * ulp, 1 + ulp, ulp / 2);
  ASSERT_SUM(-1, -1, -ulp / 2);
  ASSERT_SUM(-1 - ulp, -1, -ulp / 2, -ulp * 0x1p-40);
  ASSERT_SUM(1 - ulp / 2, 1, -ulp / 4, -ulp * 0x1p-40);
}

static void test_range(void **state) {
  (void)state;
  const double tiny = 0x1p-1074;
  ASSERT_SUM(3 * tiny, tiny, tiny, tiny);
  ASSERT_SUM(-tiny, tiny, -2 * tiny);
  ASSERT_SUM(DBL_MIN, DBL_MIN, tiny, -tiny);
  ASSERT_SUM(DBL_MAX, DBL_MAX, DBL_MAX, -DBL_MAX);
  ASSERT_SUM(DBL_MAX / 2, DBL_MAX, -DBL_MAX / 2);
  ASSERT_SUM(INFINITY, DBL_MAX, DBL_MAX);
  ASSERT_SUM(-INFINITY, -DBL_MAX, -DBL_MAX);
  ASSERT_SUM(DBL_MAX, DBL_MAX, tiny, -1.0);
}

/** A value that is not finite on one rank makes the sum of its column so on all ranks; other
 * columns stay. */
static void test_not_finite(void **state) {
  (void)state;
  const double bad[] = {NAN, INFINITY, -INFINITY};
  for (int b = 0; b < 3; b++) {
    double row[3] = {1, test_rank == test_size - 1 ? bad[b] : 2, 3}, sum[3];
    assert_int_equal(oak_sum_exact(MPI_COMM_WORLD, 3, 1, row, sum), OAK_OK);
    assert_same_bits(sum[0], test_size);
    assert_true(isnan(sum[1]));
    assert_same_bits(sum[2], 3.0 * test_size);
  }
}

static void test_nothing(void **state) {
  (void)state;
  double sum[40];
  for (int c = 0; c < 40; c++) sum[c] = 1;
  assert_int_equal(oak_sum_exact(MPI_COMM_WORLD, 40, 0, NULL, sum), OAK_OK);
  for (int c = 0; c < 40; c++) assert_same_bits(sum[c], 0);
  assert_int_equal(oak_sum_exact(MPI_COMM_WORLD, 0, 0, NULL, NULL), OAK_OK);
  assert_int_equal(oak_sum_exact(MPI_COMM_WORLD, -1, 0, NULL, NULL), OAK_ERR_ARGUMENT);
}

/** Numbers of all sizes, the same on all ranks: a linear congruential generator. */
static double draw(uint64_t *seed) {
  *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  double fraction = (double)(*seed >> 11) * 0x1p-53 - 0.5;
  *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return ldexp(fraction, (int)(*seed >> 58) - 32);
}

static void swap_rows(double *x, int n, int i, int j) {
  for (int c = 0; c < n; c++) {
    double kept = x[i * n + c];
    x[i * n + c] = x[j * n + c];
    x[j * n + c] = kept;
  }
}

/** The same bits if all rows are on one rank, distributed over the ranks, or shuffled, with more
 * columns than are summed at a time. Each column is also compared with a sum of integers: the terms
 * are below 2^30 and cut at 2^-60. */
static void test_order(void **state) {
  (void)state;
  enum { N = 35, COUNT = 501 };
  static double x[COUNT * N];
  double alone[N], dealt[N], shuffled[N];
  uint64_t seed = 12345;
  for (int i = 0; i < COUNT * N; i++) x[i] = draw(&seed);

  assert_int_equal(oak_sum_exact(MPI_COMM_SELF, N, COUNT, x, alone), OAK_OK);
  deal_and_sum(N, COUNT, x, 0, dealt);
  for (int i = COUNT - 1; i > 0; i--)
    swap_rows(x, N, i, (int)((seed = seed * 31 + 7) >> 33) % (i + 1));
  deal_and_sum(N, COUNT, x, 1, shuffled);
  for (int c = 0; c < N; c++) {
    assert_same_bits(dealt[c], alone[c]);
    assert_same_bits(shuffled[c], alone[c]);
    int64_t high = 0, low = 0; /* in units of 2^-20 and 2^-60 */
    for (int i = 0; i < COUNT; i++) {
      double whole = trunc(ldexp(x[i * N + c], 20));
      high += (int64_t)whole;
      low += (int64_t)ldexp(ldexp(x[i * N + c], 20) - whole, 40);
    }
    double expected = ldexp((double)high, -20) + ldexp((double)low, -60);
    assert_true(fabs(alone[c] - expected) <= 4 * DBL_EPSILON * fabs(expected) + COUNT * 0x1p-60);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_known),   cmocka_unit_test(test_rounding),
      cmocka_unit_test(test_range),   cmocka_unit_test(test_not_finite),
      cmocka_unit_test(test_nothing), cmocka_unit_test(test_order)};
  return TEST_MAIN(tests);
}
