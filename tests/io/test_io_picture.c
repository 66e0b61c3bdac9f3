/* SPDX-License-Identifier: GPL-2.0-or-later
 * Pictures, decoded with libpng: the same for any distribution over ranks, colours of single
 * pixels, averages, mesh lines, and what happens when writing fails. */
// TEST np={1,2,3} sanitize
#include "io/picture/canvas.h"
#include "picture_test.h"

#include <signal.h>
#include <sys/resource.h>

/** Draw over all ranks and on rank 0 alone: all pixels must be equal, titles included. */
static void compare_with_one_rank(int dim, const oak_picture_options_t *options) {
  image_t one, many;
  test_mesh_t alone;
  test_mesh_new(&alone, MPI_COMM_SELF, dim, dim == 3 ? 4 : 8, dim == 3 ? 3 : 5, 2, 1, 0,
                TEST_CUT_EVEN);
  char name[64];
  snprintf(name, sizeof name, "alone_%d.png", test_rank);
  draw(&alone.view, options, name, &one);
  for (test_cut_t cut = 0; cut < TEST_CUT_COUNT; cut++) {
    test_mesh_t mesh;
    test_mesh_new(&mesh, MPI_COMM_WORLD, dim, dim == 3 ? 4 : 8, dim == 3 ? 3 : 5, 2, 1, 0, cut);
    draw(&mesh.view, options, "many.png", &many);
    assert_int_equal(many.width, one.width);
    assert_int_equal(many.height, one.height);
    assert_memory_equal(many.rgb, one.rgb, (size_t)one.width * one.height * 3);
    free(many.rgb);
    test_mesh_free(&mesh);
  }
  free(one.rgb);
  test_mesh_free(&alone);
}

static void test_any_ranks(void **state) {
  (void)state;
  static const int widths[] = {37, 200, 611};
  for (int i = 0; i < 3; i++) {
    oak_picture_options_t options = {.width = widths[i],
                                     .draw_mesh = i > 0,
                                     .variable = i,
                                     .colormap = (oak_colormap_t)i,
                                     .title = "A heading"};
    compare_with_one_rank(2, &options);
    options.slice_axis = i;
    /* Within a cell, on a face of blocks, on the upper side of the domain. */
    options.slice_position = i == 0 ? 0.4999 : i == 1 ? 0.375 : 0.5;
    compare_with_one_rank(3, &options);
    compare_with_one_rank(3, &options);
  }
  oak_picture_options_t options = {.width = 300, .draw_mesh = 1, .log_scale = 1};
  compare_with_one_rank(2, &options);
}

/** A picture of more pixels than one band holds. */
static void test_bands(void **state) {
  (void)state;
  image_t image;
  test_mesh_t mesh;
  test_mesh_new(&mesh, MPI_COMM_WORLD, 2, 8, 4, 1, 2, 0, TEST_CUT_EVEN);
  oak_picture_options_t options = {.width = 1024, .variable = 1};
  draw(&mesh.view, &options, "bands.png", &image);
  assert_true((size_t)image.w * image.h * 8 > 8 << 20);
  for (int y = 0; y < image.h; y++) {
    uint8_t rgb[3];
    /* The ramp along y: cells differ from the pixel's own position by less than a cell. */
    const double v = -0.25 + 0.5 / image.w + 2 * 1.5 * (y + 0.5) / image.h;
    oak_colormap_rgb(OAK_COLORMAP_VIRIDIS, (v - image.low) / (image.high - image.low), rgb);
    for (int c = 0; c < 3; c++) assert_true(abs(rgb[c] - pixel(&image, 0, y)[c]) < 24);
  }
  free(image.rgb);
  test_mesh_free(&mesh);
}

/** Every pixel has the colour of the cell at its centre where cells are larger than pixels. */
static void test_colors(void **state) {
  (void)state;
  for (int dim = 2; dim <= 3; dim++) {
    image_t image;
    test_mesh_t mesh;
    test_mesh_new(&mesh, MPI_COMM_WORLD, dim, 4, 3, 2, 1, 0, TEST_CUT_EVEN);
    oak_picture_options_t options = {.width = 333,
                                     .variable = 2,
                                     .low = -0.9,
                                     .high = 1.0,
                                     .slice_axis = 2,
                                     .slice_position = -0.2,
                                     .colormap = OAK_COLORMAP_COOLWARM};
    draw(&mesh.view, &options, "colors.png", &image);
    assert_int_equal(image.w, 333);
    assert_int_equal(image.h, 125); /* 333 * 0.75 / 2 = 124.9 */
    assert_true(image.low == -0.9 && image.high == 1.0);
    for (int y = 0; y < image.h; y++)
      for (int x = 0; x < image.w; x += 3) {
        uint8_t rgb[3];
        int found = 0;
        const double v = value_at(&mesh, &image, 2, x, y, 0.3, &found);
        assert_true(found);
        oak_colormap_rgb(options.colormap, (v + 0.9) / 1.9, rgb);
        for (int c = 0; c < 3; c++) assert_true(abs(rgb[c] - pixel(&image, x, y)[c]) <= 1);
      }
    free(image.rgb);
    test_mesh_free(&mesh);
  }
}

/** Average of variable 2 over pixel (x, y) of \a side, for 32 x 32 cells of level 1. */
static double pixel_average(const oak_grid_view_t *view, int x, int y, int side) {
  double sum = 0;
  const double width = 32.0 / side; /* of a pixel, in cells */
  for (int j = 0; j < 32; j++)
    for (int i = 0; i < 32; i++) {
      const int64_t cell[3] = {i, j, 0};
      const double wx = fmin(i + 1, (x + 1) * width) - fmax(i, x * width);
      const double wy = fmin(j + 1, (y + 1) * width) - fmax(j, y * width);
      if (wx > 0 && wy > 0) sum += wx * wy * test_field(view, 2, 1, cell);
    }
  return sum / (width * width);
}

/** Pixels larger than cells show averages, whether cells fit into them or not. */
static void test_averages(void **state) {
  (void)state;
  static const int sides[] = {16, 20, 27};
  test_mesh_t mesh;
  test_mesh_new(&mesh, MPI_COMM_WORLD, 2, 8, 1, 2, 2, 0, TEST_CUT_EVEN); /* 32 x 32 cells */
  mesh.view.xmax[1] = mesh.view.xmin[1] + 2; /* square, and so are pixels */
  double low = 1, high = -1;
  for (int j = 0; j < 32; j++)
    for (int i = 0; i < 32; i++) {
      const int64_t cell[3] = {i, j, 0};
      low = fmin(low, test_field(&mesh.view, 2, 1, cell));
      high = fmax(high, test_field(&mesh.view, 2, 1, cell));
    }
  for (int s = 0; s < 3; s++) {
    image_t image;
    oak_picture_options_t options = {
        .width = sides[s], .variable = 2, .colormap = OAK_COLORMAP_GRAY};
    draw(&mesh.view, &options, "averages.png", &image);
    assert_int_equal(image.h, sides[s]);
    assert_true(image.low == low && image.high == high);
    for (int y = 0; y < image.h; y++)
      for (int x = 0; x < image.w; x++) {
        uint8_t rgb[3];
        const double t = (pixel_average(&mesh.view, x, y, sides[s]) - low) / (high - low);
        oak_colormap_rgb(OAK_COLORMAP_GRAY, t, rgb);
        assert_true(abs(rgb[0] - pixel(&image, x, y)[0]) <= 1);
      }
    free(image.rgb);
  }
  test_mesh_free(&mesh);
}

/** The mesh changes pixels at the sides of blocks only, and none where blocks are tiny. */
static void test_mesh_lines(void **state) {
  (void)state;
  static const int widths[] = {512, 20};
  for (int i = 0; i < 2; i++) {
    image_t with, without;
    test_mesh_t mesh;
    test_mesh_new(&mesh, MPI_COMM_WORLD, 2, 4, 2, 2, 1, 0, TEST_CUT_EVEN);
    mesh.view.xmax[1] = mesh.view.xmin[1] + 1;
    oak_picture_options_t options = {.width = widths[i], .draw_mesh = 1};
    draw(&mesh.view, &options, "with.png", &with);
    options.draw_mesh = 0;
    draw(&mesh.view, &options, "without.png", &without);
    int changed = 0;
    for (int y = 0; y < with.h; y++)
      for (int x = 0; x < with.w; x++) {
        const int differs = memcmp(pixel(&with, x, y), pixel(&without, x, y), 3) != 0;
        changed += differs;
        /* 64 pixels are a block of the finest level. */
        if (differs) assert_true(x % 64 == 0 || y % 64 == 0);
        if (i == 0 && y % 128 == 0 && y > 0) assert_true(differs);
      }
    assert_true(i == 0 ? changed > 512 : changed == 0);
    free(with.rgb);
    free(without.rgb);
    test_mesh_free(&mesh);
  }
}

/** Variable 0: constant; 1: nothing finite in the first cell of each block; 2: huge. */
static oak_status_t read_odd(const oak_grid_view_t *view, int var, int b0, int n, double *dst) {
  const size_t count = (size_t)n * oak_view_block_cells(view);
  (void)b0;
  for (size_t i = 0; i < count; i++)
    dst[i] = var == 0 ? 3.0 : var == 1 ? (i % 16 ? 3.0 : NAN) : i % 2 ? 1e308 : -1e308;
  return OAK_OK;
}

static void test_odd_values(void **state) {
  (void)state;
  image_t image;
  test_mesh_t mesh;
  test_mesh_new(&mesh, MPI_COMM_WORLD, 2, 4, 2, 2, 1, 0, TEST_CUT_EVEN);
  mesh.view.read = read_odd;
  oak_picture_options_t options = {.width = 300};
  draw(&mesh.view, &options, "constant.png", &image);
  assert_true(image.low < 3 && image.high > 3);
  free(image.rgb);
  options.variable = 1;
  for (int i = 0; i < 2; i++) { /* cells larger, then smaller than pixels: none may hide */
    options.width = i == 0 ? 300 : 16;
    draw(&mesh.view, &options, "nan.png", &image);
    assert_memory_equal(pixel(&image, 0, 0), "\xFF\x00\xFF", 3);
    assert_memory_not_equal(pixel(&image, i == 0 ? 14 : 1, i == 0 ? 10 : 1), "\xFF\x00\xFF", 3);
    free(image.rgb);
  }
  options.variable = 2;
  draw(&mesh.view, &options, "huge.png", &image);
  assert_true(isfinite(image.high - image.low));
  free(image.rgb);
  test_mesh_free(&mesh);
}

/** Colours of a logarithmic scale; what is not above 0 is at its lower end. */
static void test_log_scale(void **state) {
  (void)state;
  image_t image;
  test_mesh_t mesh;
  test_mesh_new(&mesh, MPI_COMM_WORLD, 2, 4, 3, 2, 1, 0, TEST_CUT_EVEN);
  oak_picture_options_t options = {.width = 200, .variable = 2, .log_scale = 1};
  for (int given = 0; given < 2; given++) {
    options.low = given ? 0.01 : 0;
    options.high = given ? 0.5 : 0;
    draw(&mesh.view, &options, "log.png", &image);
    assert_true(image.low > 0 && image.low < image.high);
    assert_true(!given || (image.low == 0.01 && image.high == 0.5));
    for (int y = 0; y < image.h; y++)
      for (int x = 0; x < image.w; x++) {
        uint8_t rgb[3];
        int found;
        const double v = value_at(&mesh, &image, 2, x, y, 0, &found);
        if (!given) assert_true(v <= image.high * (1 + 1e-12));
        const double t = v > 0 ? log(v / image.low) / log(image.high / image.low) : 0;
        oak_colormap_rgb(options.colormap, t, rgb);
        for (int c = 0; c < 3; c++) assert_true(abs(rgb[c] - pixel(&image, x, y)[c]) <= 1);
      }
    free(image.rgb);
  }
  test_mesh_free(&mesh);
}

/** A short logarithmic scale has ticks too, though no power of ten and no 2 or 5 times one is in
 * it. */
static void test_short_log_scale(void **state) {
  (void)state;
  image_t image;
  test_mesh_t mesh;
  test_mesh_new(&mesh, MPI_COMM_WORLD, 2, 4, 3, 2, 1, 0, TEST_CUT_EVEN);
  const oak_picture_options_t options = {
      .width = 600, .variable = 2, .log_scale = 1, .low = 0.12, .high = 0.19};
  draw(&mesh.view, &options, "short.png", &image);
  int ticks = 0;
  /* The bar begins 14 pixels right of the plot and is 13 wide; its frame is one. */
  for (int y = 0; y < image.h; y++)
    ticks += !memcmp(pixel(&image, image.w + 14 + 13 + 1, y), "\x56\x5C\x64", 3);
  assert_in_range(ticks, 3, 9);
  free(image.rgb);
  test_mesh_free(&mesh);
}

/** Lines stand at the sides of blocks alone. */
static void test_lines(void **state) {
  (void)state;
  image_t with, without;
  test_mesh_t mesh;
  test_mesh_new(&mesh, MPI_COMM_WORLD, 2, 4, 2, 2, 1, 0, TEST_CUT_EVEN);
  mesh.view.xmax[1] = mesh.view.xmin[1] + 1;
  oak_picture_options_t options = {.width = 512, .draw_mesh = 1};
  draw(&mesh.view, &options, "lines.png", &with);
  options.draw_mesh = 0;
  draw(&mesh.view, &options, "none.png", &without);
  int count = 0;
  for (int y = 0; y < with.h; y++)
    for (int x = 0; x < with.w; x++) {
      if (memcmp(pixel(&with, x, y), pixel(&without, x, y), 3) == 0) continue;
      assert_true(x % 64 == 0 || y % 64 == 0);
      count++;
    }
  assert_true(count > 1000);
  free(with.rgb);
  free(without.rgb);
  test_mesh_free(&mesh);
}

static double lightness(oak_colormap_t map, double t) {
  uint8_t rgb[3];
  oak_colormap_rgb(map, t, rgb);
  return 0.2126 * pow(rgb[0], 2.2) + 0.7152 * pow(rgb[1], 2.2) + 0.0722 * pow(rgb[2], 2.2);
}

/** Values of both signs get a map with 0 in its middle, unless the user gave another range. */
static void test_chosen_colors(void **state) {
  (void)state;
  image_t image;
  test_mesh_t mesh;
  test_mesh_new(&mesh, MPI_COMM_WORLD, 2, 8, 2, 1, 2, 0, TEST_CUT_EVEN);
  const struct {
    double low, high;
    oak_colormap_t map;
  } cases[] = {{0, 0, OAK_COLORMAP_COOLWARM},
               {-3, 3, OAK_COLORMAP_COOLWARM},
               {-1, 3, OAK_COLORMAP_INFERNO},
               {0.5, 3, OAK_COLORMAP_INFERNO}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    draw(&mesh.view,
         &(oak_picture_options_t){.width = 64,
                                  .variable = 1,
                                  .low = cases[i].low,
                                  .high = cases[i].high,
                                  .colormap = OAK_COLORMAP_AUTO},
         "chosen.png", &image);
    assert_true(cases[i].low == cases[i].high ? image.low == -image.high && image.high > 1
                                              : image.low == cases[i].low);
    for (int y = 0; y < image.h; y += 7) {
      uint8_t rgb[3];
      int found;
      const double v = value_at(&mesh, &image, 1, 5, y, 0, &found);
      oak_colormap_rgb(cases[i].map, (v - image.low) / (image.high - image.low), rgb);
      for (int c = 0; c < 3; c++) assert_true(abs(rgb[c] - pixel(&image, 5, y)[c]) <= 1);
    }
    free(image.rgb);
  }
  test_mesh_free(&mesh);
}

static void test_colormaps(void **state) {
  (void)state;
  static const uint8_t ends[OAK_COLORMAP_COUNT][2][3] = {{{68, 1, 84}, {253, 231, 37}},
                                                         {{0, 0, 4}, {252, 255, 164}},
                                                         {{59, 76, 192}, {180, 4, 38}},
                                                         {{0, 0, 0}, {255, 255, 255}}};
  char names[128] = "";
  for (int m = 0; m < OAK_COLORMAP_COUNT; m++) {
    oak_colormap_t found;
    uint8_t rgb[3];
    assert_int_equal(oak_colormap_find(oak_colormap_name((oak_colormap_t)m), &found), OAK_OK);
    assert_int_equal(found, m);
    snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", m ? " " : "",
             oak_colormap_name(found));
    oak_colormap_rgb(found, -0.1, rgb);
    assert_memory_equal(rgb, ends[m][0], 3);
    oak_colormap_rgb(found, 1.0, rgb);
    assert_memory_equal(rgb, ends[m][1], 3);
    for (int i = 1; i <= 64; i++) {
      const double step = lightness(found, i / 64.0) - lightness(found, (i - 1) / 64.0);
      if (m != OAK_COLORMAP_COOLWARM)
        assert_true(step > 0);
      else
        assert_true(i <= 30 ? step > 0 : i <= 34 || step < 0);
    }
  }
  assert_string_equal(names, strchr(OAK_COLORMAP_NAMES, ' ') + 1);
  oak_colormap_t none;
  assert_int_equal(oak_colormap_find("jet", &none), OAK_ERR_ARGUMENT);
  assert_non_null(strstr(oak_last_error(), "'jet'; choose one of: auto viridis"));
}

/** All ranks must have got the same status and the same message, with \a words in it. */
static void check_failure(oak_status_t st, oak_status_t expected, const char *words) {
  char message[512];
  assert_int_equal(st, expected);
  snprintf(message, sizeof message, "%s", oak_last_error());
  MPI_Bcast(message, sizeof message, MPI_CHAR, 0, MPI_COMM_WORLD);
  assert_string_equal(message, oak_last_error());
  if (!strstr(message, words)) fail_msg("'%s' is not in '%s'", words, message);
}

static void test_refusals(void **state) {
  (void)state;
  test_mesh_t mesh;
  test_mesh_new(&mesh, MPI_COMM_WORLD, 3, 4, 2, 2, 1, 0, TEST_CUT_EVEN);
  const oak_picture_options_t good = oak_picture_defaults(&mesh.view);
  oak_picture_options_t bad = good;
  bad.variable = TEST_NVAR;
  check_failure(oak_picture_write(&mesh.view, &bad, "x.png"), OAK_ERR_ARGUMENT, "from 0 to 2");
  bad = good;
  bad.width = 3;
  check_failure(oak_picture_write(&mesh.view, &bad, "x.png"), OAK_ERR_ARGUMENT, "width 3");
  bad = good;
  bad.low = 2;
  bad.high = 1;
  check_failure(oak_picture_write(&mesh.view, &bad, "x.png"), OAK_ERR_ARGUMENT, "range 2 to 1");
  bad = good;
  bad.slice_position = 0.7;
  check_failure(oak_picture_write(&mesh.view, &bad, "x.png"), OAK_ERR_ARGUMENT, "outside the dom");
  bad = good;
  bad.log_scale = 1;
  bad.high = 1;
  check_failure(oak_picture_write(&mesh.view, &bad, "x.png"), OAK_ERR_ARGUMENT, "values above 0");
  check_failure(oak_picture_write(&mesh.view, &good, "/dev/null/x/p.png"), OAK_ERR_FILE,
                "/dev/null: Not a directory");
  check_failure(oak_picture_write(&mesh.view, &good, ""), OAK_ERR_ARGUMENT, "name of a picture");
  test_mesh_free(&mesh);
}

static void test_keeps_earlier(void **state) {
  (void)state;
  char path[512], part[600];
  image_t before, after;
  test_mesh_t mesh;
  test_mesh_new(&mesh, MPI_COMM_WORLD, 2, 4, 3, 2, 1, 0, TEST_CUT_EVEN);
  oak_picture_options_t options = {.width = 200, .low = 0, .high = 2};
  draw(&mesh.view, &options, "kept.png", &before);
  snprintf(path, sizeof path, "%s/kept.png", folder);
  for (int failure = 0; failure < 3; failure++) {
    struct rlimit limit, small;
    getrlimit(RLIMIT_FSIZE, &limit);
    small = limit;
    small.rlim_cur = 300;
    signal(SIGXFSZ, SIG_IGN);
    mesh.fail_rank =
        failure < 2 ? test_size - 1 : -1; /* while drawing, while looking for the range */
    options.high = failure == 1 ? 0 : 2;
    if (failure == 2) setrlimit(RLIMIT_FSIZE, &small);
    const oak_status_t st = oak_picture_write(&mesh.view, &options, path);
    setrlimit(RLIMIT_FSIZE, &limit);
    if (failure < 2)
      check_failure(st, OAK_ERR_DEVICE, "lets reading fail");
    else
      check_failure(st, OAK_ERR_FILE, "File too large");
    read_image(&after, path);
    assert_memory_equal(after.rgb, before.rgb, (size_t)before.width * before.height * 3);
    free(after.rgb);
    snprintf(part, sizeof part, "%s" OAK_PART, path);
    assert_int_not_equal(access(part, F_OK), 0);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  free(before.rgb);
  test_mesh_free(&mesh);
}

static double width(const char *text) {
  return oak_canvas_text(NULL, 0, 0, text, 20, OAK_TEXT_REGULAR, 0);
}

/** Letters that the font lacks are as wide as those that they become; a raised number is smaller.
 */
static void test_letters(void **state) {
  static const char *const same[][2] = {{"\u03c1 \u03c9 \u03a9", "rho omega Omega"},
                                        {"\u00e9\u00c4\u00ff", "eAy"},
                                        {"\u00b5m\u00b3", "um^3"},
                                        {"\u00d7", "\u00d7"},
                                        {"a^b", "a^b"}};
  (void)state;
  for (size_t i = 0; i < sizeof same / sizeof *same; i++)
    assert_float_equal(width(same[i][0]), width(same[i][1]), 1e-9);
  assert_float_equal(width("m^-3"), width("m") + 0.7 * width("-3"), 1e-9);
  assert_float_equal(width("\u00e9\u2260"), width("e") + width("\u2260"), 1e-9);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_any_ranks),       cmocka_unit_test(test_bands),
      cmocka_unit_test(test_colors),          cmocka_unit_test(test_averages),
      cmocka_unit_test(test_mesh_lines),      cmocka_unit_test(test_log_scale),
      cmocka_unit_test(test_short_log_scale), cmocka_unit_test(test_lines),
      cmocka_unit_test(test_odd_values),      cmocka_unit_test(test_chosen_colors),
      cmocka_unit_test(test_colormaps),       cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_keeps_earlier),   cmocka_unit_test(test_letters)};
  return FOLDER_TEST_MAIN(tests);
}
