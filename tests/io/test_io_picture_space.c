/* SPDX-License-Identifier: GPL-2.0-or-later
 * Pictures of other coordinates than Cartesian: each cell is where it is in space. */
// TEST np={1,3} sanitize
#include "picture_test.h"

static int across, up; /* Cartesian axes of the picture */

/** The Cartesian point of a cell's centre, from its coordinates. */
static void find_point(const oak_grid_view_t *view, const double q[3], double x[3]) {
  const int spherical = view->coordinates == OAK_VIEW_SPHERICAL;
  const double theta = spherical ? q[1] : M_PI / 2;
  const double phi = spherical ? q[2] : view->coordinates == OAK_VIEW_AXISYMMETRIC ? 0 : q[1];
  x[0] = q[0] * sin(theta) * cos(phi);
  x[1] = q[0] * sin(theta) * sin(phi);
  x[2] = spherical ? q[0] * cos(theta) : view->coordinates == OAK_VIEW_AXISYMMETRIC ? q[1] : q[2];
}

/** A ramp along the two axes of the picture. */
static oak_status_t read_ramp(const oak_grid_view_t *view, int var, int b0, int n, double *dst) {
  const int size = view->block_size[0], cells = (int)oak_view_block_cells(view);
  (void)var;
  for (int b = b0; b < b0 + n; b++)
    for (int c = 0; c < cells; c++) {
      const int cell[3] = {c % size, c / size % size, c / size / size};
      double q[3] = {0, 0, 0}, x[3];
      for (int d = 0; d < view->dim; d++)
        q[d] = view->xmin[d] + (view->index[b][d] * size + cell[d] + 0.5) *
                                   oak_view_cell_size(view, view->level[b], d);
      find_point(view, q, x);
      *dst++ = x[across] + 0.5 * x[up];
    }
  return OAK_OK;
}

typedef struct {
  const char *name;
  int coordinates, dim, axis;
  int across, up;
  double low[3], high[3];
} case_t;

static const case_t cases[] = {
    {"disk", OAK_VIEW_POLAR, 2, 2, 0, 1, {0.5, 1}, {1, 1 + 2 * M_PI}},
    {"wedge", OAK_VIEW_POLAR, 2, 2, 0, 1, {0.5, 6}, {1, 7}},
    {"half", OAK_VIEW_SPHERICAL, 2, 2, 0, 2, {0, 0}, {1, 2}},
    {"layer", OAK_VIEW_CYLINDRICAL, 3, 2, 0, 1, {0.3, 0, 0}, {1, 6, 1}},
    {"cone", OAK_VIEW_SPHERICAL, 3, 1, 0, 1, {0.3, 1, 0}, {1, 2, 3}},
    {"phi", OAK_VIEW_SPHERICAL, 3, 2, 0, 2, {0.3, 1, -0.1}, {1, 2, 0.1}},
};

enum { POINTS = 1000 }; /* along each axis of the domain */

/** A point of the domain in the plane of the picture; \a i, \a j: 0 to POINTS. */
static void point_of(const case_t *c, int i, int j, double at[2]) {
  const oak_grid_view_t view = {.coordinates = c->coordinates};
  const int axis[2] = {c->dim == 3 && c->axis == 0, c->dim == 3 && c->axis < 2 ? 2 : 1};
  double q[3], x[3];
  for (int d = 0; d < 3; d++) q[d] = 0.5 * (c->low[d] + c->high[d]);
  for (int a = 0; a < 2; a++) {
    const int d = axis[a];
    q[d] = c->low[d] + (c->high[d] - c->low[d]) * (a ? j : i) / POINTS;
  }
  find_point(&view, q, x);
  at[0] = x[c->across];
  at[1] = x[c->up];
}

/** Which pixels have points of the domain in them. The caller frees it. */
static char *find_shown(const case_t *c, const image_t *image, double low[2], double high[2]) {
  char *shown = calloc((size_t)image->w * (size_t)image->h, 1);
  double at[2];
  for (int a = 0; a < 2; a++) low[a] = 9, high[a] = -9;
  for (int pass = 0; pass < 2; pass++) {
    for (int n = 0; n < (POINTS + 1) * (POINTS + 1); n++) {
      point_of(c, n % (POINTS + 1), n / (POINTS + 1), at);
      for (int a = 0; a < 2 && pass == 0; a++) {
        low[a] = fmin(low[a], at[a]);
        high[a] = fmax(high[a], at[a]);
      }
      if (pass == 0) continue;
      const int x = (int)((at[0] - low[0]) / (high[0] - low[0]) * image->w);
      const int y = (int)((at[1] - low[1]) / (high[1] - low[1]) * image->h);
      if (x < image->w && y < image->h) shown[y * image->w + x] = 1;
    }
  }
  return shown;
}

static void check_pixels(const case_t *c, const image_t *image) {
  double low[2], high[2];
  char *shown = find_shown(c, image, low, high);
  int inside = 0, outside = 0;
  for (int j = 1; j + 1 < image->h; j++)
    for (int i = 1; i + 1 < image->w; i++) {
      int around = 0; /* with its neighbours */
      for (int n = 0; n < 9; n++) around += shown[(j - 1 + n / 3) * image->w + i - 1 + n % 3];
      const double x = low[0] + (high[0] - low[0]) * (i + 0.5) / image->w;
      const double y = low[1] + (high[1] - low[1]) * (j + 0.5) / image->h;
      const double value = x + 0.5 * y;
      const double expected = around == 0 ? 255 : 255 * (value + 2) / 4;
      const int found = pixel(image, i, j)[0];
      if (around % 9 == 0 && fabs(expected - found) > (around ? 7 : 0))
        fail_msg("%s: pixel (%d, %d) at (%g, %g) has %d, not %g", c->name, i, j, x, y, found,
                 expected);
      inside += around == 9;
      outside += around == 0;
    }
  assert_true(inside > 1000 && outside > 100);
  free(shown);
}

static void draw_case(const case_t *c, MPI_Comm comm, const char *name, image_t *image) {
  test_mesh_t mesh;
  test_mesh_new(&mesh, comm, c->dim, 8, 2, 2, c->dim == 2 ? 8 : 2, 0, TEST_CUT_EVEN);
  mesh.view.coordinates = c->coordinates;
  mesh.view.read = read_ramp;
  for (int d = 0; d < c->dim; d++) {
    mesh.view.xmin[d] = c->low[d];
    mesh.view.xmax[d] = c->high[d];
  }
  across = c->across;
  up = c->up;
  oak_picture_options_t options = {
      .width = 200, .slice_axis = c->axis, .low = -2, .high = 2, .colormap = OAK_COLORMAP_GRAY};
  if (c->dim == 3) options.slice_position = 0.5 * (c->low[c->axis] + c->high[c->axis]);
  draw(&mesh.view, &options, name, image);
  test_mesh_free(&mesh);
}

static void test_space(void **state) {
  (void)state;
  for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
    const case_t *c = &cases[n];
    image_t many, one;
    char name[64];
    draw_case(c, MPI_COMM_WORLD, "many.png", &many);
    check_pixels(c, &many);
    snprintf(name, sizeof name, "alone_%d.png", test_rank);
    draw_case(c, MPI_COMM_SELF, name, &one);
    assert_true(one.width == many.width && one.height == many.height);
    assert_memory_equal(one.rgb, many.rgb, (size_t)one.width * (size_t)one.height * 3);
    free(one.rgb);
    free(many.rgb);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_space)};
  return FOLDER_TEST_MAIN(tests);
}
