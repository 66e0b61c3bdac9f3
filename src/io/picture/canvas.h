/* SPDX-License-Identifier: GPL-2.0-or-later
 * A picture in memory: rectangles and text, and its PNG file. Private. Rank-local. */
#pragma once

#include <stdint.h>

#include "oak/status.h"

/** Pixels [height][width][3], sRGB; row 0 is at the top. */
typedef struct {
  int width, height;
  uint8_t *rgb;
} oak_canvas_t;

/** A white picture. The caller frees rgb. */
oak_status_t oak_canvas_new(int width, int height, oak_canvas_t *out);

/** Mix \a share (0 to 1) of \a color (0xRRGGBB) into a pixel; nothing happens outside. */
void oak_canvas_mix(oak_canvas_t *canvas, int x, int y, uint32_t color, double share);

/** Fill columns [x, x+w) of rows [y, y+h), unless \a canvas is NULL. */
void oak_canvas_fill(oak_canvas_t *canvas, int x, int y, int w, int h, uint32_t color);

typedef enum { OAK_TEXT_REGULAR, OAK_TEXT_BOLD } oak_text_weight_t;

/** Draw \a text (UTF-8) with its left end at \a x and its base line at \a y, capitals \a size
 * pixels high, anti-aliased, in the built-in font: printable ASCII, the multiplication sign, the
 * minus sign. Greek letters become their names, Latin ones lose their accents, numbers behind ^ are
 * raised, and other letters become a box. NULL \a canvas: only measure. \return the width in pixels
 */
double oak_canvas_text(oak_canvas_t *canvas, double x, double y, const char *text, double size,
                       oak_text_weight_t weight, uint32_t color);

/** A text in the file, which `exiftool` or `identify -verbose` shows. */
typedef struct {
  const char *key; /**< at most 79 letters of Latin-1 */
  const char *text;
} oak_png_note_t;

/** Write \a canvas to \a path. An earlier file of that name stays until the new one is complete.
 * Missing folders are created.
 * \return OAK_ERR_FILE with path and reason. */
oak_status_t oak_png_write(const oak_canvas_t *canvas, const oak_png_note_t *note, int nnote,
                           const char *path);
