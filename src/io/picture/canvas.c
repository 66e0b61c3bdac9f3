/* SPDX-License-Identifier: GPL-2.0-or-later
 * A picture in memory: pixels and rectangles. Text is in font.c. */
#include "canvas.h"

#include <stdlib.h>
#include <string.h>

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
  for (int j = y; j < y + h; j++)
    for (int i = x; i < x + w; i++) oak_canvas_mix(canvas, i, j, color, 1.0);
}
