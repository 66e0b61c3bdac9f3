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
static const uint8_t table[OAK_COLORMAP_COUNT][ANCHORS][3] = {
  { /* viridis */
    {68, 1, 84}, {71, 13, 96}, {72, 24, 106}, {72, 35, 116}, {71, 45, 123},
    {69, 54, 129}, {66, 64, 134}, {63, 73, 137}, {59, 82, 139}, {55, 90, 141},
    {51, 99, 141}, {47, 106, 142}, {44, 114, 142}, {41, 122, 142}, {38, 129, 142},
    {35, 137, 142}, {33, 144, 140}, {31, 152, 139}, {31, 159, 136}, {33, 166, 133},
    {40, 174, 128}, {49, 181, 123}, {62, 188, 116}, {76, 194, 108}, {93, 201, 99},
    {110, 206, 88}, {130, 211, 76}, {150, 216, 63}, {171, 220, 50}, {192, 223, 36},
    {213, 226, 26}, {234, 229, 26}, {253, 231, 37},
  },
  { /* inferno */
    {0, 0, 4}, {4, 3, 18}, {11, 7, 36}, {21, 11, 55}, {33, 12, 74},
    {46, 10, 90}, {60, 9, 101}, {74, 12, 107}, {87, 16, 109}, {99, 20, 110},
    {112, 25, 110}, {125, 30, 109}, {137, 34, 106}, {150, 39, 102}, {163, 43, 97},
    {175, 49, 92}, {187, 55, 85}, {198, 62, 77}, {209, 70, 68}, {219, 79, 59},
    {227, 89, 50}, {235, 101, 40}, {241, 113, 30}, {246, 127, 20}, {249, 141, 10},
    {251, 156, 6}, {252, 171, 15}, {251, 186, 31}, {249, 202, 50}, {245, 217, 73},
    {242, 232, 101}, {243, 245, 134}, {252, 255, 164},
  },
  { /* coolwarm */
    {59, 76, 192}, {68, 90, 204}, {77, 104, 215}, {87, 117, 225}, {98, 130, 234},
    {108, 142, 241}, {119, 154, 247}, {130, 165, 251}, {141, 176, 254}, {152, 185, 255},
    {163, 194, 254}, {174, 201, 252}, {184, 208, 249}, {194, 213, 244}, {204, 217, 238},
    {213, 219, 230}, {221, 221, 221}, {229, 216, 209}, {236, 211, 197}, {241, 204, 185},
    {244, 196, 173}, {247, 187, 160}, {247, 177, 148}, {247, 166, 135}, {244, 154, 123},
    {241, 141, 111}, {236, 127, 99}, {229, 112, 88}, {222, 96, 77}, {213, 80, 66},
    {203, 62, 56}, {192, 40, 47}, {180, 4, 38},
  },
  { /* gray */
    {0, 0, 0}, {8, 8, 8}, {16, 16, 16}, {24, 24, 24}, {32, 32, 32},
    {40, 40, 40}, {48, 48, 48}, {56, 56, 56}, {64, 64, 64}, {72, 72, 72},
    {80, 80, 80}, {88, 88, 88}, {96, 96, 96}, {104, 104, 104}, {112, 112, 112},
    {120, 120, 120}, {128, 128, 128}, {135, 135, 135}, {143, 143, 143}, {151, 151, 151},
    {159, 159, 159}, {167, 167, 167}, {175, 175, 175}, {183, 183, 183}, {191, 191, 191},
    {199, 199, 199}, {207, 207, 207}, {215, 215, 215}, {223, 223, 223}, {231, 231, 231},
    {239, 239, 239}, {247, 247, 247}, {255, 255, 255},
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

void oak_colormap_rgb(oak_colormap_t map, double t, uint8_t rgb[3]) {
  const double x = (t > 0 ? t < 1 ? t : 1 : 0) * (ANCHORS - 1); /* NaN: the lowest */
  const int i = x < ANCHORS - 2 ? (int)x : ANCHORS - 2;
  const uint8_t *low = table[map][i], *high = table[map][i + 1];
  for (int c = 0; c < 3; c++) rgb[c] = (uint8_t)(low[c] + (high[c] - low[c]) * (x - i) + 0.5);
}
