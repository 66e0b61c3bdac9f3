/* SPDX-License-Identifier: GPL-2.0-or-later
 * Differences of two views: equal ones, one changed value, other meshes, other trees for the same
 * cells, and views that do not fit together. */
// TEST sanitize
#define _GNU_SOURCE 1

#include <stdio.h>

#include "main_test.h"
#include "io/view/compare.h"
#include "io_test_view.h"

static oak_difference_t compare(const oak_grid_view_t *a, const oak_grid_view_t *b, int var,
                                double allowed) {
  oak_comparison_t comparison;
  oak_difference_t found;
  if (oak_compare_new(a, b, &comparison) != OAK_OK) fail_msg("%s", oak_last_error());
  if (oak_compare(&comparison, (int[2]){var, var}, allowed, &found) != OAK_OK)
    fail_msg("%s", oak_last_error());
  oak_compare_free(&comparison);
  return found;
}

static const double odd_values[] = {1e6, -0.0, 0.0, NAN};
static int odd; /* value that read_odd() gives to one cell */

/** 0 everywhere but in the last cell of block 3. */
static oak_status_t read_odd(const oak_grid_view_t *view, int var, int b0, int n, double *dst) {
  const size_t cells = oak_view_block_cells(view);
  (void)var;
  memset(dst, 0, (size_t)n * cells * sizeof *dst);
  if (b0 <= 3 && 3 < b0 + n) dst[(size_t)(4 - b0) * cells - 1] = odd_values[odd];
  return OAK_OK;
}

static oak_status_t read_zero(const oak_grid_view_t *view, int var, int b0, int n, double *dst) {
  (void)var;
  (void)b0;
  memset(dst, 0, (size_t)n * oak_view_block_cells(view) * sizeof *dst);
  return OAK_OK;
}

static void test_one_cell(void **state) {
  (void)state;
  for (int dim = 2; dim <= 3; dim++) {
    test_mesh_t a, b;
    test_mesh_new(&a, MPI_COMM_WORLD, dim, 4, 3, 2, 1, 0, TEST_CUT_EVEN);
    test_mesh_new(&b, MPI_COMM_WORLD, dim, 4, 3, 2, 1, 0, TEST_CUT_EVEN);
    for (int v = 0; v < TEST_NVAR; v++) {
      const oak_difference_t same = compare(&a.view, &b.view, v, -1);
      assert_true(same.differ == 0 && same.largest == 0);
      assert_int_equal(same.cells, a.nleaf * (int)pow(4, dim));
    }
    a.view.read = read_odd;
    b.view.read = read_zero;
    odd = 0;
    const oak_difference_t one = compare(&a.view, &b.view, 0, -1);
    assert_true(one.differ == 1 && one.largest == 1e6 && one.value[0] == 1e6 && one.value[1] == 0);
    for (int d = 0; d < dim; d++) {
      const double h = oak_view_cell_size(&a.view, a.level[3], d);
      const double x = a.view.xmin[d] + h * (4 * (a.index[3][d] + 1) - 0.5);
      assert_true(fabs(one.x[d] - x) < 1e-14);
    }
    assert_int_equal(compare(&b.view, &a.view, 0, 1e6).differ, 0);
    assert_int_equal(compare(&b.view, &a.view, 0, 0.99e6).differ, 1);
    odd = 1; /* -0 differs in its bits alone */
    assert_int_equal(compare(&a.view, &b.view, 0, -1).differ, 1);
    assert_int_equal(compare(&a.view, &b.view, 0, 0).differ, 0);
    odd = 3; /* NAN */
    assert_true(compare(&a.view, &b.view, 0, 1e99).largest == INFINITY);
    assert_int_equal(compare(&a.view, &b.view, 0, 1e99).differ, 1);
    assert_int_equal(compare(&a.view, &a.view, 0, -1).differ, 0);
    test_mesh_free(&a);
    test_mesh_free(&b);
  }
}

/** The ramp is linear in x: a coarse cell differs from a fine one by the distance of the centres.
 */
static void test_other_mesh(void **state) {
  (void)state;
  for (int dim = 2; dim <= 3; dim++) {
    test_mesh_t coarse, fine;
    test_mesh_new(&coarse, MPI_COMM_WORLD, dim, 4, 1, 2, 1, 0, TEST_CUT_EVEN);
    test_mesh_new(&fine, MPI_COMM_WORLD, dim, 4, 3, 2, 1, 1, TEST_CUT_EVEN);
    double sum = 0; /* largest distance of the centres: 3 times half a fine cell, of level 3 */
    for (int d = 0; d < dim; d++) sum += (d + 1) * 1.5 * oak_view_cell_size(&fine.view, 3, d);
    const oak_difference_t one = compare(&coarse.view, &fine.view, 1, 1e-9);
    const oak_difference_t other = compare(&fine.view, &coarse.view, 1, 1e-9);
    assert_true(fabs(one.largest - sum) < 1e-12 && fabs(other.largest - sum) < 1e-12);
    assert_int_equal(one.differ, other.differ);
    assert_int_equal(one.cells, other.cells);
    assert_int_equal(one.cells, fine.nleaf * (int)pow(4, dim));
    assert_true(one.differ > 0 && one.differ < one.cells);
    oak_comparison_t comparison;
    assert_int_equal(oak_compare_new(&coarse.view, &fine.view, &comparison), OAK_OK);
    int common = 0;
    for (int b = 0; b < fine.nleaf; b++) common += fine.level[b] == 1;
    assert_int_equal(comparison.common, common);
    oak_compare_free(&comparison);
    test_mesh_free(&coarse);
    test_mesh_free(&fine);
  }
}

/** The same cells as blocks of level 1 of two trees, and as eight trees of level 0. */
static void test_other_trees(void **state) {
  (void)state;
  test_mesh_t a, b;
  test_mesh_new(&a, MPI_COMM_WORLD, 2, 4, 1, 2, 1, 0, TEST_CUT_EVEN);
  test_mesh_new(&b, MPI_COMM_WORLD, 2, 4, 1, 2, 1, 0, TEST_CUT_EVEN);
  for (int n = 0; n < b.nleaf; n++) b.level[n] = 0;
  b.view.trees[0] = 4;
  b.view.trees[1] = 2;
  b.view.min_level = b.view.max_level = 0;
  const oak_difference_t found = compare(&a.view, &b.view, 0, 1e-14);
  assert_int_equal(found.differ, 0);
  assert_int_equal(found.cells, 8 * 16);
  assert_int_equal(compare(&b.view, &a.view, 1, 1e-14).differ, 0);
  oak_comparison_t comparison;
  b.view.trees[0] = 3;
  assert_int_equal(oak_compare_new(&a.view, &b.view, &comparison), OAK_ERR_UNSUPPORTED);
  assert_non_null(strstr(oak_last_error(), "power of 2"));
  b.view.trees[0] = 4;
  b.view.xmax[1] = 7;
  assert_int_equal(oak_compare_new(&a.view, &b.view, &comparison), OAK_ERR_UNSUPPORTED);
  assert_non_null(strstr(oak_last_error(), "covers y"));
  b.view.dim = 3;
  assert_int_equal(oak_compare_new(&a.view, &b.view, &comparison), OAK_ERR_UNSUPPORTED);
  test_mesh_free(&a);
  test_mesh_free(&b);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_cell),
                                     cmocka_unit_test(test_other_mesh),
                                     cmocka_unit_test(test_other_trees)};
  return TEST_MAIN(tests);
}
