/* SPDX-License-Identifier: GPL-2.0-or-later
 * Writes PNG files through libpng. */
#include "png_file.h"

#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/files/file_tools.h"

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
