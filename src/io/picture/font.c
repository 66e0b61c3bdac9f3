/* SPDX-License-Identifier: GPL-2.0-or-later
 * The font of the pictures: strokes with round ends, so that it needs no font files (compute nodes
 * often have none) and is sharp at any size.
 *
 * A letter is its width and a path of pen movements in a grid: base line 0, capitals 20, small
 * letters 14 high, descenders to -6.
 *   Mx y           lift the pen and go there
 *   Lx y           straight line
 *   Ca b c d x y   Bezier curve with control points (a, b) and (c, d)
 *   hx y, vx y     quarter of an ellipse that starts horizontally (h) or vertically (v)
 * The coverage of a pixel follows from its distance to the nearest stroke. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "canvas.h"

enum { CAP_HEIGHT = 20, MAX_SEGMENTS = 192, CURVE_STEPS = 10 };
static const double SIDE_BEARING = 2.9;      /* free space left and right of a letter */
static const double QUARTER_ELLIPSE = 0.575; /* 0.5523 is an ellipse; a bit squarer reads better */

/* Printable ASCII in its order, the signs of multiplication and subtraction, and a box. */
enum { TIMES_SIGN = 127 - ' ', MINUS_SIGN, UNKNOWN_SIGN, GLYPHS };
/* clang-format off */
static const char *const glyphs[GLYPHS] = {
  "2.5 ", "0M0 20L0 7M0 .2L0 0", "5M0 20L0 14.5M5 20L5 14.5",
  "14M4.5 20L2 0M12 20L9.5 0M1 13.5L14 13.5M0 6.5L13 6.5",
  ("11M10.6 15.5C9.6 17.2 7.9 18 5.7 18h.8 13.9C.8 11.4 3.2 10.6 5.8 9.9C8.6 9.2 11 8.2 11 5.3"
   "v5.6 1C3.2 1 1.2 2.1 0 4M5.7 21L5.7 -2"),
  "17M0 15v4 20h8 15v4 10h0 15M9 5v13 10h17 5v13 0h9 5M13.5 20L3.5 0",
  ("14M14 0L3.2 13C2.3 14.1 2 15 2 16v5.6 20h9.2 16.2C9.2 13.4 6.6 12.2 4 10.6C1.6 9.2 0 7.8 0 5.2"
   "v5.4 0C9.6 0 12.2 3 13 9"), "0M0 20L0 14.5", "4M4 22C1.2 18.6 0 14.4 0 9C0 3.6 1.2 -.6 4 -4",
  "4M0 22C2.8 18.6 4 14.4 4 9C4 3.6 2.8 -.6 0 -4",
  "9M4.5 20L4.5 10.5M.4 17.6L8.6 12.9M8.6 17.6L.4 12.9", "12M6 14.5L6 2.5M0 8.5L12 8.5",
  "1.5M1.5 .5L0 -3.8", "6M0 7.5L6 7.5", "0M0 .2L0 0", "8M8 22L0 -3",
  "11M0 10v5.5 20h11 10v5.5 0h0 10", "11M1.8 16.2L6.6 20L6.6 0M2 0L11 0",
  "11M.4 15.2C1 18.4 2.9 20 5.5 20h10.6 14.7C10.6 10.4 4.4 6 0 0L11 0",
  ("11M.5 17C1.5 19 3.2 20 5.2 20h10.2 15.4v5.2 10.8L3.8 10.8M5.2 10.8h11 5.4v5.2 0"
   "C2.8 0 1 1.1 0 3.1"), "12M9 0L9 20L0 5.8L12 5.8",
  "11M10 20L1.6 20L.9 11.2C2.1 12.4 3.6 13 5.4 13h11 6.5v5.3 0C3 0 1 1.1 0 3.1",
  "11M9.9 18.3C8.9 19.5 7.7 20 6.3 20C2.2 20 0 15.8 0 9L0 6.5v5.5 13h11 6.5v5.5 0h0 6.5",
  "11M0 20L11 20L4 0", "11M5.5 11h.8 15.5v5.5 20h10.2 15.5v5.5 11h11 5.5v5.5 0h0 5.5v5.5 11",
  "11M1.1 1.7C2.1 .5 3.3 0 4.7 0C8.8 0 11 4.2 11 11L11 13.5v5.5 7h0 13.5v5.5 20h11 13.5",
  "0M0 12.2L0 12M0 .2L0 0", "1.5M1 12.2L1 12M1.5 .5L0 -3.8", "11M11 14.5L0 8.5L11 2.5",
  "12M0 11.3L12 11.3M0 5.7L12 5.7", "11M0 14.5L11 8.5L0 2.5",
  "9.5M0 16C.8 18.7 2.4 20 4.9 20h9.5 15.4C9.5 11.2 4.6 11.4 4.6 6.6M4.6 .2L4.6 0",
  ("19M13.3 12C12.5 13.4 11.3 14 9.6 14h5.2 8v9.4 2.2h13.5 8L13.5 14M13.5 6"
   "C13.5 3.5 14.4 2.2 16 2.2C18 2.2 19 4.6 19 8.4v9.8 18.5h0 7.2v9.8 -4"
   "C12.6 -4 14.6 -3.3 16 -2.2"), "14M0 0L7 20L14 0M2.4 6.6L11.6 6.6",
  "11.6M6 10.8h10.6 15.4v6 20L0 20L0 0L6.2 0h11.6 5.4v6.2 10.8L0 10.8",
  "13M13 16.4C11.8 18.8 9.8 20 7.3 20h0 10v7.3 0C9.8 0 11.8 1.2 13 3.6",
  "13M0 0L0 20L5 20h13 10v5 0L0 0", "10.5M10.5 20L0 20L0 0L10.5 0M0 10.6L9 10.6",
  "10M10.5 20L0 20L0 0M0 10.2L9 10.2",
  "13.6M13 16.4C11.8 18.8 9.8 20 7.3 20h0 10v7.3 0C9.8 0 12 1 13.6 2.8L13.6 9.2L8.2 9.2",
  "12.6M0 0L0 20M12.6 0L12.6 20M0 10.6L12.6 10.6", "0M0 0L0 20",
  "8M8 20L8 5.4v3.9 0C2.1 0 .8 .8 0 2.3", "12M0 0L0 20M11.4 20L0 8M3.9 12.1L12 0",
  "10M0 20L0 0L10 0", "15.4M0 0L0 20L7.7 6L15.4 20L15.4 0", "12.6M0 0L0 20L12.6 0L12.6 20",
  "15M0 10v7.5 20h15 10v7.5 0h0 10", "11.6M0 0L0 20L6 20h11.6 14.5v6 9L0 9",
  "15M0 10v7.5 20h15 10v7.5 0h0 10M9.4 4.8L14.4 -1",
  "12M0 0L0 20L6 20h11.6 14.6v6 9.2L0 9.2M6.4 9.2L12 0",
  ("11.6M11 16.8C9.8 18.9 8 20 5.9 20h.8 15.2C.8 12.2 3.2 11.2 6 10.4C8.8 9.6 11.6 8.4 11.6 5.2"
   "v5.9 0C3.2 0 1.2 1.2 0 3.5"), "13M0 20L13 20M6.5 20L6.5 0",
  "12.4M0 20L0 6.6v6.2 0h12.4 6.6L12.4 20", "13.4M0 20L6.7 0L13.4 20",
  "20M0 20L5 0L10 19L15 0L20 20", "12.6M0 20L12.6 0M12.6 20L0 0",
  "12.6M0 20L6.3 9.4L12.6 20M6.3 9.4L6.3 0", "12M.5 20L11.5 20L0 0L12 0", "4M4 22L0 22L0 -4L4 -4",
  "8M0 22L8 -3", "4M0 22L4 22L4 -4L0 -4", "10M0 12.5L5 20L10 12.5", "11M0 -3.5L11 -3.5",
  "3.5M0 20L3.5 16.5",
  "9.6M9.6 0L9.6 8.8v5.1 14C3 14 1.6 13.2 .8 11.7M9.6 8L4.6 8h0 4v4 0C6.6 0 9.6 1.6 9.6 5.2",
  "10.6M0 20L0 0M0 7v5.4 14h10.6 7v5.4 0h0 7",
  "9.4M9.4 11.6C8.4 13.2 7 14 5.3 14h0 7v5.3 0C7 0 8.4 .8 9.4 2.4",
  "10.6M10.6 20L10.6 0M10.6 7v5.2 14h0 7v5.2 0h10.6 7",
  "10.6M0 7.3L10.6 7.3v5.4 14h0 7v5.5 0C7.4 0 8.9 .8 9.9 2.4",
  "6.6M7 20L6.2 20h2.8 16.3L2.8 0M0 14L6.6 14",
  "10.6M10.6 14L10.6 -.4v5.3 -6C3.3 -6 1.8 -5.4 .7 -4.2M10.6 7v5.2 14h0 7v5.2 0h10.6 7",
  "10M0 20L0 0M0 8.4v5.2 14h10 8.8L10 0", "0M0 14L0 0M0 19.4L0 19.2",
  "2.4M2.4 14L2.4 -2.6v-.8 -6M2.4 19.4L2.4 19.2", "9.6M0 20L0 0M9 14L0 5.4M3.5 8.7L9.6 0",
  "2.8M0 20L0 3.2v2.8 0", "16.4M0 14L0 0M0 9v4.5 14h8.2 9.4L8.2 0M8.2 9v12.7 14h16.4 9.4L16.4 0",
  "10M0 14L0 0M0 8.4v5.2 14h10 8.8L10 0", "11M0 7v5.5 14h11 7v5.5 0h0 7",
  "10.6M0 14L0 -6M0 7v5.4 14h10.6 7v5.4 0h0 7",
  "10.6M10.6 14L10.6 -6M10.6 7v5.2 14h0 7v5.2 0h10.6 7", "6M0 14L0 0M0 8v6 13.9",
  ("9M8.6 11.9C7.7 13.3 6.3 14 4.6 14h.6 10.7C.6 8.5 2.6 7.9 4.6 7.4C6.9 6.8 9 6 9 3.6v4.5 0"
   "C2.5 0 1 .9 0 2.5"), "7M2.8 18.4L2.8 3.8v6.2 0L7 0M0 14L6.8 14",
  "10M0 14L0 5.2v4.8 0h10 5.6M10 14L10 0", "10.4M0 14L5.2 0L10.4 14", "16M0 14L4 0L8 13L12 0L16 14",
  "9.8M0 14L9.8 0M9.8 14L0 0", "10.4M0 14L5.3 .4M10.4 14L4.2 -3C3.3 -5.3 2.2 -6 .4 -6",
  "9.4M.3 14L9 14L0 0L9.4 0", "6M6 22h3 18.5L3 12v0 9h3 6L3 -.5v6 -4", "0M0 22L0 -5",
  "6M0 22h3 18.5L3 12v6 9h3 6L3 -.5v0 -4", "12M0 7C1.4 10.4 3.6 10.6 6 8.8C8.4 7 10.6 7 12 10.4",
  "9M0 13L9 4M9 13L0 4", "11M0 8.5L11 8.5", "10M0 0L0 18L10 18L10 0L0 0",
};
/* clang-format on */

/** The next letter of UTF-8 text; advances \a text. */
static const char *next_glyph(const char **text) {
  const unsigned char *p = (const unsigned char *)*text;
  int length = 1;
  while ((p[length] & 0xC0) == 0x80) length++;
  *text += length;
  if (p[0] >= 32 && p[0] < 127) return glyphs[p[0] - ' '];
  if (length == 2 && memcmp(p, "\xC3\x97", 2) == 0) return glyphs[TIMES_SIGN];
  if (length == 3 && memcmp(p, "\xE2\x88\x92", 3) == 0) return glyphs[MINUS_SIGN];
  return glyphs[UNKNOWN_SIGN];
}

typedef struct {
  double x0, y0, x1, y1;
} segment_t;

typedef struct {
  segment_t segment[MAX_SEGMENTS];
  int count;
  double x, y; /* pen */
} outline_t;

static void line_to(outline_t *out, double x, double y) {
  if (out->count < MAX_SEGMENTS) out->segment[out->count++] = (segment_t){out->x, out->y, x, y};
  out->x = x;
  out->y = y;
}

static void curve_to(outline_t *out, const double p[6]) {
  const double x = out->x, y = out->y;
  for (int i = 1; i <= CURVE_STEPS; i++) {
    const double t = (double)i / CURVE_STEPS, s = 1 - t;
    const double a = s * s * s, b = 3 * s * s * t, c = 3 * s * t * t, d = t * t * t;
    line_to(out, a * x + b * p[0] + c * p[2] + d * p[4], a * y + b * p[1] + c * p[3] + d * p[5]);
  }
}

static void quarter_to(outline_t *out, char start, double x, double y) {
  const double dx = (x - out->x) * QUARTER_ELLIPSE, dy = (y - out->y) * QUARTER_ELLIPSE;
  if (start == 'h')
    curve_to(out, (double[6]){out->x + dx, out->y, x, y - dy, x, y});
  else
    curve_to(out, (double[6]){out->x, out->y + dy, x - dx, y, x, y});
}

/** Follow the path of a letter. Those above are all well-formed. \return the letter's width */
static double trace(const char *glyph, outline_t *out) {
  char *path;
  const double width = strtod(glyph, &path);
  out->count = 0;
  out->x = out->y = 0;
  for (path += strspn(path, " "); *path;) {
    const char command = *path++;
    double p[6];
    for (int i = 0; i < (command == 'C' ? 6 : 2); i++) p[i] = strtod(path, &path);
    if (command == 'M') {
      out->x = p[0];
      out->y = p[1];
    } else if (command == 'L') {
      line_to(out, p[0], p[1]);
    } else if (command == 'C') {
      curve_to(out, p);
    } else {
      quarter_to(out, command, p[0], p[1]);
    }
  }
  return width;
}

static double distance2(const segment_t *s, double x, double y) {
  const double dx = s->x1 - s->x0, dy = s->y1 - s->y0, length2 = dx * dx + dy * dy;
  double t = length2 > 0 ? ((x - s->x0) * dx + (y - s->y0) * dy) / length2 : 0;
  t = t < 0 ? 0 : t > 1 ? 1 : t;
  const double ex = x - s->x0 - t * dx, ey = y - s->y0 - t * dy;
  return ex * ex + ey * ey;
}

/** Half the stroke, in pixels. */
static double pen_radius(double size, oak_text_weight_t weight) {
  const double radius = size * (weight == OAK_TEXT_BOLD ? 0.083 : 0.058);
  const double thinnest = weight == OAK_TEXT_BOLD ? 0.8 : 0.55;
  return radius > thinnest ? radius : thinnest;
}

/** Bold letters need more room for their strokes. */
static double advance(const char *glyph, double size, oak_text_weight_t weight) {
  const double bearing = SIDE_BEARING * (weight == OAK_TEXT_BOLD ? 1.1 : 1.0);
  return (strtod(glyph, NULL) + 2 * bearing) * size / CAP_HEIGHT;
}

static void draw_glyph(oak_canvas_t *canvas, double x, double y, const char *glyph, double size,
                       double radius, uint32_t color) {
  const double scale = size / CAP_HEIGHT;
  outline_t outline;
  const double width = trace(glyph, &outline);
  for (int i = 0; i < outline.count; i++) {
    segment_t *s = &outline.segment[i];
    *s = (segment_t){x + s->x0 * scale, y - s->y0 * scale, x + s->x1 * scale, y - s->y1 * scale};
  }
  const int left = (int)floor(x - 2 * scale - radius) - 1;
  const int right = (int)ceil(x + (width + 2) * scale + radius) + 1;
  const int top = (int)floor(y - 23 * scale - radius) - 1;
  const int bottom = (int)ceil(y + 7 * scale + radius) + 1;
  for (int row = top; row <= bottom; row++) {
    segment_t near[MAX_SEGMENTS]; /* those that reach into the row, with a pixel to spare */
    const double y0 = row - radius - 1, y1 = row + radius + 2;
    int count = 0;
    for (int i = 0; i < outline.count; i++) {
      const segment_t *s = &outline.segment[i];
      if ((s->y0 >= y0 || s->y1 >= y0) && (s->y0 <= y1 || s->y1 <= y1)) near[count++] = *s;
    }
    for (int column = left; column <= right && count > 0; column++) {
      double nearest = 1e30;
      for (int i = 0; i < count; i++) {
        const double d = distance2(&near[i], column + 0.5, row + 0.5);
        if (d < nearest) nearest = d;
      }
      const double cover = radius + 0.5 - sqrt(nearest);
      if (cover > 0) oak_canvas_mix(canvas, column, row, color, cover < 1 ? cover : 1);
    }
  }
}

/** A letter that the font lacks in letters that it has: the name of a Greek one, a Latin one
 * without its accent, a superscript behind ^. \return its bytes, 0: it is another one. */
static int spell(const char *text, char word[16]) {
  static const char greek[] =
      "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho "
      "sigma "
      "sigma tau upsilon phi chi psi omega";
  static const char latin[] = "AAAAAAACEEEEIIIIDNOOOOOxOUUUUYTsaaaaaaaceeeeiiiidnooooo/ouuuuyty";
  const int code = (text[0] & 0xE0) == 0xC0 ? (text[0] & 31) << 6 | (text[1] & 63) : 0;
  const int number = (code - 0x391) % 32; /* of a Greek letter, small or not */
  const char *names = greek, *name = greek;
  size_t length = 0;
  if (code == 0xB2 || code == 0xB3) return snprintf(word, 16, "^%d", code - 0xB0);
  if (code == 0xB5 || (code >= 0xC0 && code <= 0xFF && code != 0xD7))
    return 2 * snprintf(word, 16, "%c", code == 0xB5 ? 'u' : latin[code - 0xC0]);
  if (code < 0x391 || code > 0x3C9 || number > 24) return 0;
  for (int n = 0; n <= number; n++) name = oak_str_word(&names, &length);
  snprintf(word, 16, "%.*s", (int)length, name);
  if (code < 0x3B1) word[0] = (char)toupper((unsigned char)word[0]);
  return 2;
}

double oak_canvas_text(oak_canvas_t *canvas, double x, double y, const char *text, double size,
                       oak_text_weight_t weight, uint32_t color) {
  const double radius = pen_radius(size, weight);
  double width = 0;
  while (*text) {
    char word[16];
    const int digits = *text == '^' ? (int)strspn(text + 1, "+-0123456789") : 0;
    const int bytes = digits ? 1 + digits : spell(text, word);
    if (digits) snprintf(word, sizeof word, "%.*s", digits, text + 1);
    if (bytes) {
      const double step = oak_canvas_text(canvas, x, digits ? y - 0.5 * size : y, word,
                                          digits ? 0.7 * size : size, weight, color);
      text += bytes;
      x += step;
      width += step;
      continue;
    }
    const char *glyph = next_glyph(&text);
    const double step = advance(glyph, size, weight);
    const double bearing = (step - strtod(glyph, NULL) * size / CAP_HEIGHT) / 2;
    if (canvas) draw_glyph(canvas, x + bearing, y, glyph, size, radius, color);
    x += step;
    width += step;
  }
  return width;
}
