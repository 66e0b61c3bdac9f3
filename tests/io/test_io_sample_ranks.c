/* SPDX-License-Identifier: GPL-2.0-or-later
 * Samples of a mesh that is spread over ranks have the bits of those of one rank. */
// TEST np={1,3} sanitize
#include "io_test_view.h"
#include "main_test.h"
#include "io/view/sample.h"

static void must(oak_status_t st) {
  if (st == OAK_OK) return;
  fprintf(stderr, "%s\n", oak_last_error());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* On rank 0, the same rows as on one rank alone. */
static void compare(const oak_table_t *table, const oak_table_t *whole) {
  if (test_rank > 0) return;
  assert_int_equal(table->nrow, whole->nrow);
  assert_int_equal(table->shape[0], whole->shape[0]);
  assert_true(table->nrow > 8);
  assert_memory_equal(table->value, whole->value,
                      (size_t)(table->nrow * table->ncol) * sizeof(double));
}

static void compare_tables(const test_mesh_t *mesh, const test_mesh_t *whole) {
  const double from[3] = {-0.2, 0.1, -0.3}, to[3] = {0.7, 0.6, 0.4};
  const int var[TEST_NVAR] = {0, 1, 2};
  oak_table_t table, all;
  must(oak_sample_line(&mesh->view, from, to, var, TEST_NVAR, &table));
  must(oak_table_gather(MPI_COMM_WORLD, &table));
  must(oak_sample_line(&whole->view, from, to, var, TEST_NVAR, &all));
  compare(&table, &all);
  oak_table_free(&table);
  oak_table_free(&all);
  for (int axis = 0; axis < (mesh->view.dim == 3 ? 3 : 1); axis++) {
    must(oak_sample_plane(&mesh->view, axis, 0.125, mesh->view.max_level - axis % 2, var, TEST_NVAR,
                          &table));
    oak_table_merge(MPI_COMM_WORLD, &table);
    must(oak_sample_plane(&whole->view, axis, 0.125, mesh->view.max_level - axis % 2, var,
                          TEST_NVAR, &all));
    compare(&table, &all);
    oak_table_free(&table);
    oak_table_free(&all);
  }
}

/* The value of the cell that a point lies in: of the field that is linear, what its centre gives.
 */
static void check_points(const test_mesh_t *mesh) {
  enum { COUNT = 40 };
  const oak_grid_view_t *view = &mesh->view;
  double x[COUNT][3], out[COUNT][TEST_NVAR];
  for (int p = 0; p < COUNT; p++)
    for (int d = 0; d < 3; d++) /* the last point is the upper corner */
      x[p][d] = view->xmin[d] + (view->xmax[d] - view->xmin[d]) *
                                    (p == COUNT - 1 ? 1 : fmod(0.618034 * (p + 1) * (d + 1), 1));
  must(oak_sample_points(view, COUNT, (const double(*)[3])x, out[0]));
  for (int p = 0; p < COUNT && test_rank == 0; p++) {
    double low = INFINITY;
    for (int b = 0; b < mesh->nleaf; b++) { /* the leaf that holds the point */
      int64_t cell[3] = {0, 0, 0};
      int inside = 1;
      for (int d = 0; d < view->dim; d++) {
        const int64_t n = view->block_size[d], cells = (view->trees[d] * n) << mesh->level[b];
        const double width = (view->xmax[d] - view->xmin[d]) / (double)cells;
        cell[d] = (int64_t)((x[p][d] - view->xmin[d]) / width);
        if (cell[d] >= cells) cell[d] = cells - 1;
        inside &= cell[d] / n == mesh->index[b][d];
      }
      if (inside) low = fmin(low, fabs(out[p][1] - test_field(view, 1, mesh->level[b], cell)));
    }
    assert_true(low == 0);
  }
}

static void test_ranks(void **state) {
  (void)state;
  for (int dim = 2; dim <= 3; dim++)
    for (int cut = 0; cut < TEST_CUT_COUNT; cut++) {
      test_mesh_t mesh, whole;
      test_mesh_new(&mesh, MPI_COMM_WORLD, dim, 4, dim == 2 ? 4 : 3, 2, 1, cut % 2, cut);
      test_mesh_new(&whole, MPI_COMM_SELF, dim, 4, dim == 2 ? 4 : 3, 2, 1, 0, TEST_CUT_EVEN);
      compare_tables(&mesh, &whole);
      check_points(&mesh);
      test_mesh_free(&mesh);
      test_mesh_free(&whole);
    }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_ranks)};
  return TEST_MAIN(tests);
}
