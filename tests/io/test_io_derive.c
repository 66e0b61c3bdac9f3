/* SPDX-License-Identifier: GPL-2.0-or-later
 * Views computed from others: gradients of a linear field, schlieren, differences between meshes.
 */
// TEST sanitize
#define _GNU_SOURCE 1

#include <stdio.h>

#include "main_test.h"
#include "io/view/derive.h"
#include "io_test_view.h"

/** Lowest and highest value of a view's variable. */
static void find_range(const oak_grid_view_t *view, double range[2]) {
  const size_t ncell = oak_view_block_cells(view);
  double *cells = malloc(ncell * sizeof *cells);
  range[0] = INFINITY;
  range[1] = -INFINITY;
  for (int b = 0; b < view->nblock; b++) {
    assert_int_equal(view->read(view, 0, b, 1, cells), OAK_OK);
    for (size_t c = 0; c < ncell; c++) {
      range[0] = fmin(range[0], cells[c]);
      range[1] = fmax(range[1], cells[c]);
    }
  }
  free(cells);
}

static void derive(const oak_grid_view_t *view, oak_derive_t what, const oak_grid_view_t *other,
                   double range[2]) {
  oak_derived_t *derived;
  if (oak_derive(view, 1, what, other, 1, &derived) != OAK_OK) fail_msg("%s", oak_last_error());
  assert_int_equal(oak_derived_view(derived)->nvar, 1);
  assert_non_null(strstr(oak_derived_view(derived)->name[0], "ramp"));
  find_range(oak_derived_view(derived), range);
  oak_derived_destroy(&derived);
}

/** The ramp is x + 2 y - 3 z. On one level its gradient is exact everywhere; where levels meet,
 * neighbours beyond the face are off by less than a cell. */
static void test_gradient(void **state) {
  (void)state;
  for (int dim = 2; dim <= 3; dim++) {
    const double exact = dim == 2 ? sqrt(5) : sqrt(14);
    double range[2];
    test_mesh_t mesh;
    test_mesh_new(&mesh, MPI_COMM_WORLD, dim, 4, 1, 2, 1, 0, TEST_CUT_EVEN);
    derive(&mesh.view, OAK_DERIVE_GRADIENT, NULL, range);
    assert_true(fabs(range[0] - exact) < 1e-12 && fabs(range[1] - exact) < 1e-12);
    derive(&mesh.view, OAK_DERIVE_SCHLIEREN, NULL, range);
    assert_true(range[0] >= exp(-6) * (1 - 1e-9) && range[1] <= exp(-6) * (1 + 1e-9));
    test_mesh_free(&mesh);
    test_mesh_new(&mesh, MPI_COMM_WORLD, dim, 4, 3, 2, 1, 1, TEST_CUT_EVEN);
    derive(&mesh.view, OAK_DERIVE_GRADIENT, NULL, range);
    assert_true(range[0] > 0.5 * exact && range[1] < 1.5 * exact);
    test_mesh_free(&mesh);
  }
}

/** Finer cells of the other view are averaged, which is exact for the ramp; coarser ones are off by
 * half of their width at most. */
static void test_difference(void **state) {
  (void)state;
  for (int dim = 2; dim <= 3; dim++) {
    double range[2], half = 0;
    test_mesh_t coarse, fine;
    test_mesh_new(&coarse, MPI_COMM_WORLD, dim, 4, 1, 2, 1, 0, TEST_CUT_EVEN);
    test_mesh_new(&fine, MPI_COMM_WORLD, dim, 4, 3, 2, 1, 1, TEST_CUT_EVEN);
    derive(&coarse.view, OAK_DERIVE_DIFFERENCE, &fine.view, range);
    assert_true(range[0] > -1e-13 && range[1] < 1e-13);
    derive(&fine.view, OAK_DERIVE_DIFFERENCE, &coarse.view, range);
    for (int d = 0; d < dim; d++) half += (d + 1) * 1.5 * oak_view_cell_size(&fine.view, 3, d);
    assert_true(fabs(range[1] - half) < 1e-12 && fabs(range[0] + half) < 1e-12);
    oak_derived_t *derived;
    coarse.view.trees[0] = 1;
    assert_int_equal(oak_derive(&fine.view, 1, OAK_DERIVE_DIFFERENCE, &coarse.view, 1, &derived),
                     OAK_ERR_UNSUPPORTED);
    assert_null(derived);
    test_mesh_free(&coarse);
    test_mesh_free(&fine);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_gradient),
                                     cmocka_unit_test(test_difference)};
  return TEST_MAIN(tests);
}
