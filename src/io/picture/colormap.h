/* SPDX-License-Identifier: GPL-2.0-or-later
 * Colour maps of the pictures. Private. */
#pragma once

#include <stdint.h>

#include "oak/status.h"

typedef enum {
  OAK_COLORMAP_VIRIDIS,
  OAK_COLORMAP_INFERNO,
  OAK_COLORMAP_COOLWARM,
  OAK_COLORMAP_GRAY,
  OAK_COLORMAP_COUNT,
  OAK_COLORMAP_AUTO = OAK_COLORMAP_COUNT /**< of a picture: coolwarm for values of both signs, else
                                              inferno */
} oak_colormap_t;

/** Their names, as choices of a parameter. */
#define OAK_COLORMAP_NAMES "auto viridis inferno coolwarm gray"

const char *oak_colormap_name(oak_colormap_t map);

/** \return OAK_ERR_ARGUMENT, with the known names, if there is no map of that name. */
oak_status_t oak_colormap_find(const char *name, oak_colormap_t *out);

/** Colour at \a t, clipped to [0, 1]. */
void oak_colormap_rgb(oak_colormap_t map, double t, uint8_t rgb[3]);
