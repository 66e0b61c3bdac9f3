/* SPDX-License-Identifier: GPL-2.0-or-later
 * Pictures of the artificial octrees of io_test_view.h, decoded with libpng. */
#ifndef OAK_PICTURE_TEST_H
#define OAK_PICTURE_TEST_H
#define _GNU_SOURCE 1
#include <png.h>

#include "folder_test.h"
#include "io/files/file_tools.h"
#include "io_test_view.h"
#include "io/picture/picture.h"

typedef struct {
  int width, height;
  uint8_t *rgb;
  int x, y, w, h; /* data area */
  double low, high;
} image_t;

static void read_image(image_t *image, const char *path) {
  FILE *in = fopen(path, "rb");
  if (!in) fail_msg("cannot read %s", path);
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
  png_infop info = png_create_info_struct(png);
  assert_non_null(info);
  if (setjmp(png_jmpbuf(png))) fail_msg("libpng cannot decode %s", path);
  png_init_io(png, in);
  png_read_png(png, info, PNG_TRANSFORM_IDENTITY, NULL);
  assert_int_equal(png_get_color_type(png, info), PNG_COLOR_TYPE_RGB);
  assert_int_equal(png_get_bit_depth(png, info), 8);
  image->width = (int)png_get_image_width(png, info);
  image->height = (int)png_get_image_height(png, info);
  image->rgb = malloc((size_t)image->width * image->height * 3);
  png_bytepp rows = png_get_rows(png, info);
  for (int y = 0; y < image->height; y++)
    memcpy(image->rgb + (size_t)y * image->width * 3, rows[y], (size_t)image->width * 3);
  png_textp text;
  int ntext = 0, found = 0;
  png_get_text(png, info, &text, &ntext);
  for (int i = 0; i < ntext; i++) {
    if (strcmp(text[i].key, "oak area") == 0)
      found += sscanf(text[i].text, "%d %d %d %d", &image->x, &image->y, &image->w, &image->h);
    if (strcmp(text[i].key, "oak range") == 0)
      found += sscanf(text[i].text, "%lf %lf", &image->low, &image->high);
  }
  assert_int_equal(found, 6);
  assert_true(image->x > 0 && image->x + image->w < image->width);
  assert_true(image->y > 0 && image->y + image->h < image->height);
  png_destroy_read_struct(&png, &info, NULL);
  fclose(in);
}

/** Pixel of the data area, row 0 below. */
static const uint8_t *pixel(const image_t *image, int x, int y) {
  return image->rgb + ((size_t)(image->y + image->h - 1 - y) * image->width + image->x + x) * 3;
}

/** Draw \a mesh and read it back, on every rank. */
static void draw(const oak_grid_view_t *view, const oak_picture_options_t *options,
                 const char *name, image_t *image) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  MPI_Barrier(view->comm);
  if (oak_picture_write(view, options, path) != OAK_OK) fail_msg("%s", oak_last_error());
  read_image(image, path);
  MPI_Barrier(view->comm);
}

/** Leaf cell at a pixel's centre and its value. */
static inline double value_at(const test_mesh_t *mesh, const image_t *image, int var, int x, int y,
                              double slice, int *found) {
  const oak_grid_view_t *view = &mesh->view;
  const double at[3] = {(x + 0.5) / image->w * view->trees[0],
                        (y + 0.5) / image->h * view->trees[1], slice};
  for (int b = 0; b < mesh->nleaf; b++) {
    int64_t cell[3] = {0, 0, 0};
    int inside = 1;
    for (int d = 0; d < view->dim; d++) {
      const double block = at[d] * (1 << mesh->level[b]);
      inside = inside && (int)block == mesh->index[b][d];
      cell[d] = (int64_t)(block * view->block_size[d]);
    }
    if (!inside) continue;
    *found = 1;
    return test_field(view, var, mesh->level[b], cell);
  }
  return 0;
}

#endif
