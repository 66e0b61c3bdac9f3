/* SPDX-License-Identifier: GPL-2.0-or-later
 * A picture in memory: pixels and rectangles, and its PNG file through libpng. Text is in font.c.
 */
#include "canvas.h"

#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/files/file_tools.h"

oak_status_t oak_canvas_new(int width, int height, oak_canvas_t *out) {
  const size_t bytes = (size_t)width * (size_t)height * 3;
  *out = (oak_canvas_t){width, height, malloc(bytes)};
  OAK_CHECK(out->rgb, OAK_ERR_MEMORY, "no memory for a picture of %d x %d pixels; make it smaller",
            width, height);
  memset(out->rgb, 255, bytes);
  return OAK_OK;
}

void oak_canvas_mix(oak_canvas_t *canvas, int x, int y, uint32_t color, double share) {
  if (x < 0 || y < 0 || x >= canvas->width || y >= canvas->height) return;
  uint8_t *p = canvas->rgb + ((size_t)y * canvas->width + x) * 3;
  for (int c = 0; c < 3; c++) {
    const int target = color >> (16 - 8 * c) & 255;
    p[c] = (uint8_t)(p[c] + (target - p[c]) * share + 0.5);
  }
}

void oak_canvas_fill(oak_canvas_t *canvas, int x, int y, int w, int h, uint32_t color) {
  if (!canvas) return;
  for (int j = y; j < y + h; j++)
    for (int i = x; i < x + w; i++) oak_canvas_mix(canvas, i, j, color, 1.0);
}

/* ---- the file */

static void keep_message(png_structp png, png_const_charp message) {
  const char **kept = png_get_error_ptr(png);
  *kept = message;
  longjmp(png_jmpbuf(png), 1);
}

static void ignore_warning(png_structp png, png_const_charp message) {
  (void)png;
  (void)message;
}

/** Write to a stream in memory. Nothing here changes a local variable after setjmp. */
static oak_status_t encode(const oak_canvas_t *canvas, png_text *text, int ntext, FILE *out,
                           const char *path) {
  const char *message = NULL;
  png_structp png =
      png_create_write_struct(PNG_LIBPNG_VER_STRING, &message, keep_message, ignore_warning);
  OAK_CHECK(png, OAK_ERR_MEMORY, "no memory to write %s", path);
  png_infop info = png_create_info_struct(png);
  if (!info || setjmp(png_jmpbuf(png))) {
    png_destroy_write_struct(&png, &info);
    return OAK_FAIL(OAK_ERR_MEMORY, "libpng could not write %s: %s; make the picture smaller", path,
                    message ? message : "no memory");
  }
  png_init_io(png, out);
  png_set_IHDR(png, info, (png_uint_32)canvas->width, (png_uint_32)canvas->height, 8,
               PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
  if (ntext > 0) png_set_text(png, info, text, ntext);
  png_write_info(png, info);
  for (int row = 0; row < canvas->height; row++)
    png_write_row(png, canvas->rgb + (size_t)row * canvas->width * 3);
  png_write_end(png, NULL);
  png_destroy_write_struct(&png, &info);
  return OAK_OK;
}

oak_status_t oak_png_write(const oak_canvas_t *canvas, const oak_png_note_t *note, int nnote,
                           const char *path) {
  OAK_TRY(oak_make_parents(path));
  OAK_FREED char *data = NULL;
  size_t bytes;
  oak_status_t st = OAK_OK;
  png_text *text = calloc((size_t)nnote + 1, sizeof *text);
  FILE *out = open_memstream(&data, &bytes);
  if (!out || !text) st = OAK_FAIL(OAK_ERR_MEMORY, "no memory to write %s", path);
  for (int i = 0; i < nnote && st == OAK_OK; i++) {
    text[i].compression = PNG_TEXT_COMPRESSION_NONE;
    text[i].key = (char *)note[i].key;
    text[i].text = (char *)note[i].text;
  }
  if (st == OAK_OK) st = encode(canvas, text, nnote, out, path);
  if (out && fclose(out) != 0 && st == OAK_OK)
    st = OAK_FAIL(OAK_ERR_MEMORY, "no memory to write %s; make the picture smaller", path);
  free(text);
  if (st == OAK_OK) st = oak_write_file(path, data, bytes);
  return st;
}
