/* SPDX-License-Identifier: GPL-2.0-or-later
 * Pictures of solids: grey, and left out of ranges, means and integrals. */
// TEST np=2 sanitize
#include "picture_test.h"

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
    assert_int_equal(oak_view_range(&mesh.view, 0, range), OAK_OK);
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

/** Variable 0 is 2, and 50 in solids: these are the lower half along x and the upper half along z.
 */
static oak_status_t read_walls(const oak_grid_view_t *view, int var, int b0, int n, double *dst) {
  const int size = view->block_size[0];
  for (int b = b0; b < b0 + n; b++)
    for (int c = 0; c < size * size * size; c++) {
      const int blocks[2] = {view->trees[0] << view->level[b], view->trees[2] << view->level[b]};
      const int x = 2 * (view->index[b][0] * size + c % size) < blocks[0] * size;
      const int z = 2 * (view->index[b][2] * size + c / (size * size)) >= blocks[1] * size;
      *dst++ = var ? x || z : x || z ? 50 : 2;
    }
  return OAK_OK;
}

/** Projections leave out solids: a mean is that of the rest. */
static void test_solids_along_axis(void **state) {
  (void)state;
  for (int show = OAK_SHOW_MAXIMUM; show <= OAK_SHOW_COLUMN; show++) {
    image_t image;
    test_mesh_t mesh;
    test_mesh_new(&mesh, MPI_COMM_WORLD, 3, 4, 3, 2, 1, 0, TEST_CUT_EVEN);
    mesh.view.read = read_walls;
    mesh.view.has_mask = mesh.view.mask = 1;
    oak_picture_options_t options = {
        .width = 64, .slice_axis = 2, .show = (oak_picture_show_t)show};
    draw(&mesh.view, &options, "walls.png", &image);
    const double value = show == OAK_SHOW_COLUMN ? 2 * 0.5 : 2;
    assert_true(fabs(image.low / 0.95 - value) < 1e-7 && fabs(image.high / 1.05 - value) < 1e-7);
    assert_memory_equal(pixel(&image, 31, 5), "\x80\x80\x80", 3);
    assert_true(memcmp(pixel(&image, 32, 5), "\x80\x80\x80", 3) != 0);
    free(image.rgb);
    test_mesh_free(&mesh);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_solids),
                                     cmocka_unit_test(test_solids_along_axis)};
  return FOLDER_TEST_MAIN(tests);
}
