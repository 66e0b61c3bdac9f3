/* SPDX-License-Identifier: GPL-2.0-or-later
 * Writes PNG files. Private. Rank-local. */
#pragma once

#include "canvas.h"

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
