/* SPDX-License-Identifier: GPL-2.0-or-later
 * Lines and planes of an artificial tree: each value is that of the cell around the point, the
 * cells of a line follow each other, planes are complete. */
// TEST sanitize
#define _GNU_SOURCE 1

#include <stdio.h>

#include "main_test.h"
#include "io_test_view.h"
#include "io/view/grid_view.h"
#include "io/view/sample.h"

/** Value of the cell around a point. */
static double value_at(const oak_grid_view_t *view, const oak_locator_t *locator, int var,
                       const double x[3], int *level) {
  int at[3];
  const int b = oak_locate_point(locator, x, at), *n = view->block_size;
  assert_true(b >= 0);
  *level = view->level[b];
  const int64_t cell[3] = {(int64_t)view->index[b][0] * n[0] + at[0],
                           (int64_t)view->index[b][1] * n[1] + at[1],
                           (int64_t)view->index[b][2] * n[2] + at[2]};
  return test_field(view, var, *level, cell);
}

static void check_line(const oak_grid_view_t *view, const double from[3], const double to[3]) {
  const int var[] = {2, 0}, dim = view->dim;
  oak_table_t table;
  oak_locator_t *locator;
  assert_int_equal(oak_locator_new(view, &locator), OAK_OK);
  if (oak_sample_line(view, from, to, var, 2, &table) != OAK_OK) fail_msg("%s", oak_last_error());
  assert_int_equal(table.ncol, dim + 4);
  assert_string_equal(table.name[dim + 1], "level");
  assert_string_equal(table.name[dim + 2], "mx");
  double length = 0, end = 0;
  for (int d = 0; d < dim; d++) length += (to[d] - from[d]) * (to[d] - from[d]);
  length = sqrt(length);
  assert_true(table.nrow > 0);
  for (int64_t r = 0; r < table.nrow; r++) {
    const double *row = table.value + r * table.ncol;
    double x[3] = {0, 0, 0};
    int level;
    for (int d = 0; d < dim; d++) {
      x[d] = row[1 + d];
      const double on = from[d] + (length > 0 ? row[0] / length : 0) * (to[d] - from[d]);
      assert_true(fabs(x[d] - on) < 1e-14);
    }
    for (int v = 0; v < 2; v++)
      assert_true(row[dim + 2 + v] == value_at(view, locator, var[v], x, &level));
    assert_true(row[dim + 1] == level);
    end += 2 * (row[0] - end); /* rows are in the middle of parts without gaps between them */
  }
  assert_true(fabs(end - length) < 1e-12);
  oak_table_free(&table);
  oak_locator_destroy(&locator);
}

static void test_lines(void **state) {
  (void)state;
  for (int dim = 2; dim <= 3; dim++) {
    test_mesh_t mesh;
    test_mesh_new(&mesh, MPI_COMM_WORLD, dim, dim == 3 ? 4 : 8, dim == 3 ? 3 : 5, 2, 1, 1,
                  TEST_CUT_EVEN);
    const oak_grid_view_t *view = &mesh.view; /* [-0.25, 1.75] x [0, 0.75] x [-0.5, 0.5] */
    check_line(view, (double[3]){-0.25, 0.3, 0.1}, (double[3]){1.75, 0.3, 0.1});
    check_line(view, (double[3]){-0.25, 0.0, -0.5}, (double[3]){1.75, 0.75, 0.5});
    check_line(view, (double[3]){1.7, 0.75, 0.5}, (double[3]){0.1, 0.01, -0.4});
    check_line(view, (double[3]){0.75, 0.0, 0.0}, (double[3]){0.75, 0.75, 0.0}); /* on faces */
    check_line(view, (double[3]){0, 0.75, 0.5}, (double[3]){1, 0.75, 0.5}); /* on the boundary */
    check_line(view, (double[3]){0.3, 0.3, 0.3}, (double[3]){0.3, 0.3, 0.3});
    oak_table_t table;
    assert_int_equal(
        oak_sample_line(view, (double[3]){0, 0, 0}, (double[3]){0, 0.8, 0}, NULL, 0, &table),
        OAK_ERR_ARGUMENT);
    test_mesh_free(&mesh);
  }
}

/** A plane of as fine or finer points has the values of the cells; a coarser one averages. */
static void check_plane(const oak_grid_view_t *view, int axis, double at, int level) {
  const int var[] = {2};
  const int h = view->dim == 3 && axis == 0 ? 1 : 0, v = view->dim == 3 && axis != 2 ? 2 : 1;
  oak_table_t table, fine;
  oak_locator_t *locator;
  assert_int_equal(oak_locator_new(view, &locator), OAK_OK);
  assert_int_equal(oak_sample_plane(view, axis, at, level, var, 1, &table), OAK_OK);
  assert_int_equal(oak_sample_plane(view, axis, at, view->max_level, var, 1, &fine), OAK_OK);
  assert_int_equal(table.shape[1], view->trees[h] * view->block_size[h] << level);
  assert_int_equal(table.shape[0], view->trees[v] * view->block_size[v] << level);
  assert_int_equal(table.nrow, table.shape[0] * table.shape[1]);
  double sum[2] = {0, 0};
  for (int64_t r = 0; r < table.nrow; r++) {
    const double *row = table.value + 3 * r;
    double x[3] = {0, 0, 0};
    int found;
    if (view->dim == 3) x[axis] = at;
    x[h] = row[0];
    x[v] = row[1];
    const double expected = value_at(view, locator, 2, x, &found);
    if (found <= level) assert_true(row[2] == expected);
    sum[0] += row[2] / (double)table.nrow;
  }
  for (int64_t r = 0; r < fine.nrow; r++) sum[1] += fine.value[3 * r + 2] / (double)fine.nrow;
  assert_true(fabs(sum[0] - sum[1]) < 1e-13);
  oak_table_free(&table);
  oak_table_free(&fine);
  oak_locator_destroy(&locator);
}

static void test_planes(void **state) {
  (void)state;
  for (int dim = 2; dim <= 3; dim++) {
    test_mesh_t mesh;
    test_mesh_new(&mesh, MPI_COMM_WORLD, dim, 4, 3, 2, 1, 1, TEST_CUT_EVEN);
    for (int level = 0; level <= 4; level++)
      for (int axis = 0; axis < (dim == 3 ? 3 : 1); axis++) {
        check_plane(&mesh.view, axis, 0.26, level);
        check_plane(&mesh.view, axis, mesh.view.xmax[axis], level);
      }
    oak_table_t table;
    assert_int_equal(oak_sample_plane(&mesh.view, 0, 0, 30, NULL, 0, &table), OAK_ERR_ARGUMENT);
    if (dim == 3)
      assert_int_equal(oak_sample_plane(&mesh.view, 2, 0.6, 1, NULL, 0, &table), OAK_ERR_ARGUMENT);
    test_mesh_free(&mesh);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_lines), cmocka_unit_test(test_planes)};
  return TEST_MAIN(tests);
}
