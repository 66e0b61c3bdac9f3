/* SPDX-License-Identifier: GPL-2.0-or-later
 * The font of the pictures: strokes with round ends, so that it needs no font files (compute nodes
 * often have none) and is sharp at any size.
 *
 * A letter is a path of pen movements in a grid: base line 0, capitals 20, small letters 14 high,
 * descenders to -6.
 *   M x y            lift the pen and go there
 *   L x y            straight line
 *   C a b c d x y    Bezier curve with control points (a, b) and (c, d)
 *   h x y, v x y     quarter of an ellipse that starts horizontally (h) or vertically (v)
 * The coverage of a pixel follows from its distance to the nearest stroke. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "canvas.h"

enum { CAP_HEIGHT = 20, MAX_SEGMENTS = 192, CURVE_STEPS = 10 };
static const double SIDE_BEARING = 2.9;      /* free space left and right of a letter */
static const double QUARTER_ELLIPSE = 0.575; /* 0.5523 is an ellipse; a bit squarer reads better */

typedef struct {
  double width;
  const char *path;
} glyph_t;

static const glyph_t ascii[95] = {
    {2.5, ""},                                                          /* space */
    {0, "M0 20 L0 7 M0 .2 L0 0"},                                       /* ! */
    {5, "M0 20 L0 14.5 M5 20 L5 14.5"},                                 /* " */
    {14, "M4.5 20 L2 0 M12 20 L9.5 0 M1 13.5 L14 13.5 M0 6.5 L13 6.5"}, /* # */
    {11,
     "M10.6 15.5 C9.6 17.2 7.9 18 5.7 18 h.8 13.9 C.8 11.4 3.2 10.6 5.8 9.9 "
     "C8.6 9.2 11 8.2 11 5.3 v5.6 1 C3.2 1 1.2 2.1 0 4 M5.7 21 L5.7 -2"},               /* $ */
    {17, "M0 15 v4 20 h8 15 v4 10 h0 15 M9 5 v13 10 h17 5 v13 0 h9 5 M13.5 20 L3.5 0"}, /* % */
    {14,
     "M14 0 L3.2 13 C2.3 14.1 2 15 2 16 v5.6 20 h9.2 16.2 C9.2 13.4 6.6 12.2 4 10.6 "
     "C1.6 9.2 0 7.8 0 5.2 v5.4 0 C9.6 0 12.2 3 13 9"},                           /* & */
    {0, "M0 20 L0 14.5"},                                                         /* ' */
    {4, "M4 22 C1.2 18.6 0 14.4 0 9 C0 3.6 1.2 -.6 4 -4"},                        /* ( */
    {4, "M0 22 C2.8 18.6 4 14.4 4 9 C4 3.6 2.8 -.6 0 -4"},                        /* ) */
    {9, "M4.5 20 L4.5 10.5 M.4 17.6 L8.6 12.9 M8.6 17.6 L.4 12.9"},               /* * */
    {12, "M6 14.5 L6 2.5 M0 8.5 L12 8.5"},                                        /* + */
    {1.5, "M1.5 .5 L0 -3.8"},                                                     /* , */
    {6, "M0 7.5 L6 7.5"},                                                         /* - */
    {0, "M0 .2 L0 0"},                                                            /* . */
    {8, "M8 22 L0 -3"},                                                           /* / */
    {11, "M0 10 v5.5 20 h11 10 v5.5 0 h0 10"},                                    /* 0 */
    {11, "M1.8 16.2 L6.6 20 L6.6 0 M2 0 L11 0"},                                  /* 1 */
    {11, "M.4 15.2 C1 18.4 2.9 20 5.5 20 h10.6 14.7 C10.6 10.4 4.4 6 0 0 L11 0"}, /* 2 */
    {11,
     "M.5 17 C1.5 19 3.2 20 5.2 20 h10.2 15.4 v5.2 10.8 L3.8 10.8 M5.2 10.8 h11 5.4 v5.2 0 "
     "C2.8 0 1 1.1 0 3.1"},            /* 3 */
    {12, "M9 0 L9 20 L0 5.8 L12 5.8"}, /* 4 */
    {11, "M10 20 L1.6 20 L.9 11.2 C2.1 12.4 3.6 13 5.4 13 h11 6.5 v5.3 0 C3 0 1 1.1 0 3.1"},
    {11,
     "M9.9 18.3 C8.9 19.5 7.7 20 6.3 20 C2.2 20 0 15.8 0 9 L0 6.5 v5.5 13 h11 6.5 v5.5 0 "
     "h0 6.5"},                                                                        /* 6 */
    {11, "M0 20 L11 20 L4 0"},                                                         /* 7 */
    {11, "M5.5 11 h.8 15.5 v5.5 20 h10.2 15.5 v5.5 11 h11 5.5 v5.5 0 h0 5.5 v5.5 11"}, /* 8 */
    {11,
     "M1.1 1.7 C2.1 .5 3.3 0 4.7 0 C8.8 0 11 4.2 11 11 L11 13.5 v5.5 7 h0 13.5 v5.5 20 "
     "h11 13.5"},                            /* 9 */
    {0, "M0 12.2 L0 12 M0 .2 L0 0"},         /* : */
    {1.5, "M1 12.2 L1 12 M1.5 .5 L0 -3.8"},  /* ; */
    {11, "M11 14.5 L0 8.5 L11 2.5"},         /* < */
    {12, "M0 11.3 L12 11.3 M0 5.7 L12 5.7"}, /* = */
    {11, "M0 14.5 L11 8.5 L0 2.5"},          /* > */
    {9.5, "M0 16 C.8 18.7 2.4 20 4.9 20 h9.5 15.4 C9.5 11.2 4.6 11.4 4.6 6.6 M4.6 .2 L4.6 0"},
    {19,
     "M13.3 12 C12.5 13.4 11.3 14 9.6 14 h5.2 8 v9.4 2.2 h13.5 8 L13.5 14 M13.5 6 "
     "C13.5 3.5 14.4 2.2 16 2.2 C18 2.2 19 4.6 19 8.4 v9.8 18.5 h0 7.2 v9.8 -4 "
     "C12.6 -4 14.6 -3.3 16 -2.2"},              /* @ */
    {14, "M0 0 L7 20 L14 0 M2.4 6.6 L11.6 6.6"}, /* A */
    {11.6, "M6 10.8 h10.6 15.4 v6 20 L0 20 L0 0 L6.2 0 h11.6 5.4 v6.2 10.8 L0 10.8"},
    {13, "M13 16.4 C11.8 18.8 9.8 20 7.3 20 h0 10 v7.3 0 C9.8 0 11.8 1.2 13 3.6"},
    {13, "M0 0 L0 20 L5 20 h13 10 v5 0 L0 0"},
    {10.5, "M10.5 20 L0 20 L0 0 L10.5 0 M0 10.6 L9 10.6"},
    {10, "M10.5 20 L0 20 L0 0 M0 10.2 L9 10.2"},
    {13.6,
     "M13 16.4 C11.8 18.8 9.8 20 7.3 20 h0 10 v7.3 0 C9.8 0 12 1 13.6 2.8 L13.6 9.2 L8.2 9.2"},
    {12.6, "M0 0 L0 20 M12.6 0 L12.6 20 M0 10.6 L12.6 10.6"},
    {0, "M0 0 L0 20"},
    {8, "M8 20 L8 5.4 v3.9 0 C2.1 0 .8 .8 0 2.3"},
    {12, "M0 0 L0 20 M11.4 20 L0 8 M3.9 12.1 L12 0"},
    {10, "M0 20 L0 0 L10 0"},
    {15.4, "M0 0 L0 20 L7.7 6 L15.4 20 L15.4 0"},
    {12.6, "M0 0 L0 20 L12.6 0 L12.6 20"},
    {15, "M0 10 v7.5 20 h15 10 v7.5 0 h0 10"},
    {11.6, "M0 0 L0 20 L6 20 h11.6 14.5 v6 9 L0 9"},
    {15, "M0 10 v7.5 20 h15 10 v7.5 0 h0 10 M9.4 4.8 L14.4 -1"},
    {12, "M0 0 L0 20 L6 20 h11.6 14.6 v6 9.2 L0 9.2 M6.4 9.2 L12 0"},
    {11.6,
     "M11 16.8 C9.8 18.9 8 20 5.9 20 h.8 15.2 C.8 12.2 3.2 11.2 6 10.4 "
     "C8.8 9.6 11.6 8.4 11.6 5.2 v5.9 0 C3.2 0 1.2 1.2 0 3.5"},
    {13, "M0 20 L13 20 M6.5 20 L6.5 0"},
    {12.4, "M0 20 L0 6.6 v6.2 0 h12.4 6.6 L12.4 20"},
    {13.4, "M0 20 L6.7 0 L13.4 20"},
    {20, "M0 20 L5 0 L10 19 L15 0 L20 20"},
    {12.6, "M0 20 L12.6 0 M12.6 20 L0 0"},
    {12.6, "M0 20 L6.3 9.4 L12.6 20 M6.3 9.4 L6.3 0"},
    {12, "M.5 20 L11.5 20 L0 0 L12 0"},
    {4, "M4 22 L0 22 L0 -4 L4 -4"}, /* [ */
    {8, "M0 22 L8 -3"},             /* backslash */
    {4, "M0 22 L4 22 L4 -4 L0 -4"}, /* ] */
    {10, "M0 12.5 L5 20 L10 12.5"}, /* ^ */
    {11, "M0 -3.5 L11 -3.5"},       /* _ */
    {3.5, "M0 20 L3.5 16.5"},       /* ` */
    {9.6,
     "M9.6 0 L9.6 8.8 v5.1 14 C3 14 1.6 13.2 .8 11.7 M9.6 8 L4.6 8 h0 4 v4 0 "
     "C6.6 0 9.6 1.6 9.6 5.2"},
    {10.6, "M0 20 L0 0 M0 7 v5.4 14 h10.6 7 v5.4 0 h0 7"},
    {9.4, "M9.4 11.6 C8.4 13.2 7 14 5.3 14 h0 7 v5.3 0 C7 0 8.4 .8 9.4 2.4"},
    {10.6, "M10.6 20 L10.6 0 M10.6 7 v5.2 14 h0 7 v5.2 0 h10.6 7"},
    {10.6, "M0 7.3 L10.6 7.3 v5.4 14 h0 7 v5.5 0 C7.4 0 8.9 .8 9.9 2.4"},
    {6.6, "M7 20 L6.2 20 h2.8 16.3 L2.8 0 M0 14 L6.6 14"},
    {10.6,
     "M10.6 14 L10.6 -.4 v5.3 -6 C3.3 -6 1.8 -5.4 .7 -4.2 M10.6 7 v5.2 14 h0 7 v5.2 0 h10.6 7"},
    {10, "M0 20 L0 0 M0 8.4 v5.2 14 h10 8.8 L10 0"},
    {0, "M0 14 L0 0 M0 19.4 L0 19.2"},
    {2.4, "M2.4 14 L2.4 -2.6 v-.8 -6 M2.4 19.4 L2.4 19.2"},
    {9.6, "M0 20 L0 0 M9 14 L0 5.4 M3.5 8.7 L9.6 0"},
    {2.8, "M0 20 L0 3.2 v2.8 0"},
    {16.4, "M0 14 L0 0 M0 9 v4.5 14 h8.2 9.4 L8.2 0 M8.2 9 v12.7 14 h16.4 9.4 L16.4 0"},
    {10, "M0 14 L0 0 M0 8.4 v5.2 14 h10 8.8 L10 0"},
    {11, "M0 7 v5.5 14 h11 7 v5.5 0 h0 7"},
    {10.6, "M0 14 L0 -6 M0 7 v5.4 14 h10.6 7 v5.4 0 h0 7"},
    {10.6, "M10.6 14 L10.6 -6 M10.6 7 v5.2 14 h0 7 v5.2 0 h10.6 7"},
    {6, "M0 14 L0 0 M0 8 v6 13.9"},
    {9,
     "M8.6 11.9 C7.7 13.3 6.3 14 4.6 14 h.6 10.7 C.6 8.5 2.6 7.9 4.6 7.4 "
     "C6.9 6.8 9 6 9 3.6 v4.5 0 C2.5 0 1 .9 0 2.5"},
    {7, "M2.8 18.4 L2.8 3.8 v6.2 0 L7 0 M0 14 L6.8 14"},
    {10, "M0 14 L0 5.2 v4.8 0 h10 5.6 M10 14 L10 0"},
    {10.4, "M0 14 L5.2 0 L10.4 14"},
    {16, "M0 14 L4 0 L8 13 L12 0 L16 14"},
    {9.8, "M0 14 L9.8 0 M9.8 14 L0 0"},
    {10.4, "M0 14 L5.3 .4 M10.4 14 L4.2 -3 C3.3 -5.3 2.2 -6 .4 -6"},
    {9.4, "M.3 14 L9 14 L0 0 L9.4 0"},
    {6, "M6 22 h3 18.5 L3 12 v0 9 h3 6 L3 -.5 v6 -4"},           /* { */
    {0, "M0 22 L0 -5"},                                          /* | */
    {6, "M0 22 h3 18.5 L3 12 v6 9 h3 6 L3 -.5 v0 -4"},           /* } */
    {12, "M0 7 C1.4 10.4 3.6 10.6 6 8.8 C8.4 7 10.6 7 12 10.4"}, /* ~ */
};
static const glyph_t times_sign = {9, "M0 13 L9 4 M9 13 L0 4"};
static const glyph_t minus_sign = {11, "M0 8.5 L11 8.5"};
static const glyph_t unknown_sign = {10, "M0 0 L0 18 L10 18 L10 0 L0 0"};

/** The next letter of UTF-8 text; advances \a text. */
static const glyph_t *next_glyph(const char **text) {
  const unsigned char *p = (const unsigned char *)*text;
  if (p[0] >= 32 && p[0] < 127) {
    (*text)++;
    return &ascii[p[0] - 32];
  }
  int length = 1;
  while ((p[length] & 0xC0) == 0x80) length++;
  *text += length;
  if (length == 2 && memcmp(p, "\xC3\x97", 2) == 0) return &times_sign;
  if (length == 3 && memcmp(p, "\xE2\x88\x92", 3) == 0) return &minus_sign;
  return &unknown_sign;
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

/** Follow a path. The paths above are all well-formed. */
static void trace(const char *path, outline_t *out) {
  out->count = 0;
  out->x = out->y = 0;
  for (;;) {
    path += strspn(path, " ");
    const char command = *path++;
    if (!command) return;
    double p[6];
    const int n = command == 'C' ? 6 : 2;
    for (int i = 0; i < n; i++) {
      char *end;
      p[i] = strtod(path, &end);
      path = end;
    }
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
static double advance(const glyph_t *glyph, double size, oak_text_weight_t weight) {
  const double bearing = SIDE_BEARING * (weight == OAK_TEXT_BOLD ? 1.1 : 1.0);
  return (glyph->width + 2 * bearing) * size / CAP_HEIGHT;
}

double oak_text_width(const char *text, double size, oak_text_weight_t weight) {
  double width = 0;
  while (*text) width += advance(next_glyph(&text), size, weight);
  return width;
}

static void draw_glyph(oak_canvas_t *canvas, double x, double y, const glyph_t *glyph, double size,
                       double radius, uint32_t color) {
  const double scale = size / CAP_HEIGHT;
  outline_t outline;
  trace(glyph->path, &outline);
  for (int i = 0; i < outline.count; i++) {
    segment_t *s = &outline.segment[i];
    *s = (segment_t){x + s->x0 * scale, y - s->y0 * scale, x + s->x1 * scale, y - s->y1 * scale};
  }
  const int left = (int)floor(x - 2 * scale - radius) - 1;
  const int right = (int)ceil(x + (glyph->width + 2) * scale + radius) + 1;
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

void oak_canvas_text(oak_canvas_t *canvas, double x, double y, const char *text, double size,
                     oak_text_weight_t weight, uint32_t color) {
  const double radius = pen_radius(size, weight);
  while (*text) {
    const glyph_t *glyph = next_glyph(&text);
    const double step = advance(glyph, size, weight);
    const double bearing = (step - glyph->width * size / CAP_HEIGHT) / 2;
    draw_glyph(canvas, x + bearing, y, glyph, size, radius, color);
    x += step;
  }
}
