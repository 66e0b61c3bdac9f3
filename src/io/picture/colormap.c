/* SPDX-License-Identifier: GPL-2.0-or-later
 * Colour maps of the pictures.
 *
 * Each map is a table of colours at equal distances, from the lowest to the highest value; between
 * them it is linear in sRGB. viridis and inferno (S. van der Walt, N. Smith, E. Firing; CC0) and
 * gray grow evenly in lightness, so they stay true in print and for colour-blind readers. coolwarm
 * (K. Moreland, Diverging Color Maps for Scientific Visualization, 2009) is lightest in the middle:
 * for values around a centre. With 33 colours, no colour differs by more than 2/255 from the full
 * maps. */
#include "colormap.h"

#include <string.h>

enum { ANCHORS = 33 };

static const char *const map_name[OAK_COLORMAP_COUNT] = {"viridis", "inferno", "coolwarm", "gray"};

/* clang-format off */
static const uint32_t table[OAK_COLORMAP_GRAY][ANCHORS] = { /* 0xRRGGBB */
  { /* viridis */
    0x440154, 0x470D60, 0x48186A, 0x482374, 0x472D7B, 0x453681, 0x424086, 0x3F4989, 0x3B528B,
    0x375A8D, 0x33638D, 0x2F6A8E, 0x2C728E, 0x297A8E, 0x26818E, 0x23898E, 0x21908C, 0x1F988B,
    0x1F9F88, 0x21A685, 0x28AE80, 0x31B57B, 0x3EBC74, 0x4CC26C, 0x5DC963, 0x6ECE58, 0x82D34C,
    0x96D83F, 0xABDC32, 0xC0DF24, 0xD5E21A, 0xEAE51A, 0xFDE725,
  },
  { /* inferno */
    0x000004, 0x040312, 0x0B0724, 0x150B37, 0x210C4A, 0x2E0A5A, 0x3C0965, 0x4A0C6B, 0x57106D,
    0x63146E, 0x70196E, 0x7D1E6D, 0x89226A, 0x962766, 0xA32B61, 0xAF315C, 0xBB3755, 0xC63E4D,
    0xD14644, 0xDB4F3B, 0xE35932, 0xEB6528, 0xF1711E, 0xF67F14, 0xF98D0A, 0xFB9C06, 0xFCAB0F,
    0xFBBA1F, 0xF9CA32, 0xF5D949, 0xF2E865, 0xF3F586, 0xFCFFA4,
  },
  { /* coolwarm */
    0x3B4CC0, 0x445ACC, 0x4D68D7, 0x5775E1, 0x6282EA, 0x6C8EF1, 0x779AF7, 0x82A5FB, 0x8DB0FE,
    0x98B9FF, 0xA3C2FE, 0xAEC9FC, 0xB8D0F9, 0xC2D5F4, 0xCCD9EE, 0xD5DBE6, 0xDDDDDD, 0xE5D8D1,
    0xECD3C5, 0xF1CCB9, 0xF4C4AD, 0xF7BBA0, 0xF7B194, 0xF7A687, 0xF49A7B, 0xF18D6F, 0xEC7F63,
    0xE57058, 0xDE604D, 0xD55042, 0xCB3E38, 0xC0282F, 0xB40426,
  },
};
/* clang-format on */

const char *oak_colormap_name(oak_colormap_t map) { return map_name[map]; }

oak_status_t oak_colormap_find(const char *name, oak_colormap_t *out) {
  *out = OAK_COLORMAP_AUTO;
  if (strcmp(name, "auto") == 0) return OAK_OK;
  for (int m = 0; m < OAK_COLORMAP_COUNT; m++)
    if (strcmp(name, map_name[m]) == 0) {
      *out = (oak_colormap_t)m;
      return OAK_OK;
    }
  return OAK_FAIL(OAK_ERR_ARGUMENT, "unknown colour map '%s'; choose one of: %s", name,
                  OAK_COLORMAP_NAMES);
}

/** Colour \a i of a map, 0xRRGGBB. */
static uint32_t anchor(oak_colormap_t map, int i) {
  return map == OAK_COLORMAP_GRAY ? (uint32_t)(255 * i + 16) / 32 * 0x010101 : table[map][i];
}

void oak_colormap_rgb(oak_colormap_t map, double t, uint8_t rgb[3]) {
  const double x = (t > 0 ? t < 1 ? t : 1 : 0) * (ANCHORS - 1); /* NaN: the lowest */
  const int i = x < ANCHORS - 2 ? (int)x : ANCHORS - 2;
  for (int c = 0; c < 3; c++) {
    const int low = anchor(map, i) >> (16 - 8 * c) & 255;
    const int high = anchor(map, i + 1) >> (16 - 8 * c) & 255;
    rgb[c] = (uint8_t)(low + (high - low) * (x - i) + 0.5);
  }
}
