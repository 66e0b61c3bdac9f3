/* SPDX-License-Identifier: GPL-2.0-or-later
 * Averages of output in other coordinates than Cartesian are those of volumes: cells have the exact
 * mean of r over their volume, and parents and coarse planes then have it too. */
// TEST sanitize
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "io_test_view.h"
#include "io/view/sample.h"
#include "io/view/boxes.h"

static int power; /* of r in the volume: 1, or 2 in spherical coordinates */

static double mean_radius(const oak_grid_view_t *view, int level, int64_t cell) {
  const double h = oak_view_cell_size(view, level, 0);
  const double low = view->xmin[0] + (double)cell * h, high = low + h;
  const int m = power + 1, n = power + 2;
  return (pow(high, n) - pow(low, n)) / n / ((pow(high, m) - pow(low, m)) / m);
}

static oak_status_t read_radius(const oak_grid_view_t *view, int var, int b0, int n, double *dst) {
  const int size = view->block_size[0], cells = (int)oak_view_block_cells(view);
  (void)var;
  for (int b = b0; b < b0 + n; b++)
    for (int c = 0; c < cells; c++)
      *dst++ = mean_radius(view, view->level[b], (int64_t)view->index[b][0] * size + c % size);
  return OAK_OK;
}

static oak_status_t check_node(void *context, int level, const int32_t index[3],
                               const double *cells, size_t stride) {
  const oak_grid_view_t *view = context;
  const int size = view->block_size[0];
  (void)stride;
  for (size_t c = 0; c < oak_view_block_cells(view); c++)
    assert_true(fabs(cells[c] -
                     mean_radius(view, level, (int64_t)index[0] * size + (int)c % size)) < 1e-13);
  return OAK_OK;
}

static void check(int coordinates, int dim) {
  test_mesh_t mesh;
  const oak_view_array_t array = {.count = 1};
  oak_tree_walk_t *walk;
  oak_table_t table;
  const int var = 0;
  test_mesh_new(&mesh, MPI_COMM_WORLD, dim, 4, 3, 2, 1, 0, TEST_CUT_EVEN);
  oak_grid_view_t *view = &mesh.view;
  view->coordinates = coordinates;
  view->read = read_radius;
  view->xmin[0] = 0.1;
  view->xmax[0] = 1.1;
  view->xmin[1] = 0.3;
  view->xmax[1] = 2.5;
  power = coordinates == OAK_VIEW_SPHERICAL ? 2 : 1;
  assert_int_equal(oak_tree_walk_new(view, 0, 1, &array, &walk), OAK_OK);
  assert_int_equal(oak_tree_walk_begin(walk, 0, check_node, view), OAK_OK);
  assert_int_equal(oak_tree_walk_finish(walk, 0, check_node, view), OAK_OK);
  oak_tree_walk_destroy(&walk);
  assert_int_equal(oak_sample_plane(view, 2, 0.1, 1, &var, 1, &table), OAK_OK);
  for (int64_t row = 0; row < table.nrow; row++) {
    const double *value = &table.value[row * table.ncol];
    const int64_t cell = row % table.shape[1];
    if (fabs(value[2] - mean_radius(view, 1, cell)) > 1e-13)
      fail_msg("row %d: %.15g, not %.15g", (int)row, value[2], mean_radius(view, 1, cell));
  }
  oak_table_free(&table);
  test_mesh_free(&mesh);
}

static void test_volumes(void **state) {
  (void)state;
  check(OAK_VIEW_AXISYMMETRIC, 2);
  check(OAK_VIEW_POLAR, 2);
  check(OAK_VIEW_SPHERICAL, 2);
  check(OAK_VIEW_CYLINDRICAL, 3);
  check(OAK_VIEW_SPHERICAL, 3);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_volumes)};
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  MPI_Finalize();
  return failed;
}
