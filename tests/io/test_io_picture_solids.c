/* SPDX-License-Identifier: GPL-2.0-or-later
 * Pictures of solids: grey, and left out of ranges, means and integrals. */
// TEST np=2 sanitize
#include "picture_test.h"

static size_t ncell;

/** Lowest and highest finite value of the cells of a block. */
static void extend(void *context, int b, const double *cells) {
  double *range = context;
  (void)b;
  for (size_t c = 0; c < ncell; c++) {
    if (!isfinite(cells[c])) continue;
    range[0] = fmin(range[0], cells[c]);
    range[1] = fmax(range[1], cells[c]);
  }
}

/** The cells where variable 1 is at least 1/2 are solids: grey, and not in the range, also where
 * many cells are in a pixel. */
static void test_solids(void **state) {
  (void)state;
  for (int width = 16; width <= 333; width += 317) {
    image_t image;
    test_mesh_t mesh;
    double range[2] = {INFINITY, -INFINITY};
    int grey = 0;
    test_mesh_new(&mesh, MPI_COMM_WORLD, 2, 4, 3, 2, 1, 0, TEST_CUT_EVEN);
    mesh.view.has_mask = mesh.view.mask = mesh.view.no_dielectrics = 1;
    oak_picture_options_t options = {.width = width, .variable = 0};
    draw(&mesh.view, &options, "solids.png", &image);
    ncell = oak_view_block_cells(&mesh.view);
    assert_int_equal(oak_view_visit(&mesh.view, 0, NAN, NULL, extend, range), OAK_OK);
    MPI_Allreduce(MPI_IN_PLACE, &range[0], 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &range[1], 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    assert_true(image.low == range[0] && image.high == range[1]);
    for (int y = 0; y < image.h && width > 300; y++)
      for (int x = 0; x < image.w; x++) {
        int found = 0;
        const uint8_t *rgb = pixel(&image, x, y);
        const int solid = value_at(&mesh, &image, 1, x, y, 0, &found) >= 0.5;
        assert_int_equal(rgb[0] == 0x80 && rgb[1] == 0x80 && rgb[2] == 0x80, solid);
        grey += solid;
      }
    assert_true(width < 300 || (grey > 0 && grey < image.w * image.h));
    options.variable = 1; /* the mask itself has colours */
    free(image.rgb);
    draw(&mesh.view, &options, "solids.png", &image);
    assert_true(image.high > 0.5);
    free(image.rgb);
    test_mesh_free(&mesh);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_solids)};
  return FOLDER_TEST_MAIN(tests);
}
