/* SPDX-License-Identifier: GPL-2.0-or-later
 * What surrounds the data of a picture: title, axes with round numbers, colour bar. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "picture_parts.h"

enum { MAX_FACTS = 40, FACT_SIZE = 96, LABEL_SIZE = 64 };
#define TIMES_TEN \
  "\xC3\x97"      \
  "10"
static const uint32_t INK = 0x1E2227, SOFT_INK = 0x4A5058, LINE = 0x565C64;

/* Lengths in heights of capitals. */
static const double MARGIN = 1.3, TICK = 0.55, TICK_GAP = 0.6, NAME_GAP = 1.0, LINE_HEIGHT = 2.1,
                    FACT_GAP = 1.7, BAR_GAP = 1.8, BAR_WIDTH = 1.7, POWER_GAP = 0.4,
                    TITLE_SCALE = 1.35;

/* ---- round numbers ---- */

typedef struct {
  double step;
  int64_t first, last; /* multiples of step */
  int decimals;        /* of the labels */
  int exponent;        /* labels are divided by 10^exponent, which is written once */
} ticks_t;

/** Multiples of 1, 2 or 5 times a power of ten within [low, high], about \a most of them. */
static ticks_t make_ticks(double low, double high, double most) {
  ticks_t ticks = {0, 0, 0, 0, 0};
  const double raw = (high - low) / (most < 1 ? 1 : most);
  const double power = floor(log10(raw) + 1e-9), base = pow(10, power);
  ticks.step = raw <= 1.0001 * base ? base
               : raw <= 2 * base    ? 2 * base
               : raw <= 5 * base    ? 5 * base
                                    : 10 * base;
  ticks.first = (int64_t)ceil(low / ticks.step - 1e-6);
  ticks.last = (int64_t)floor(high / ticks.step + 1e-6);
  const double largest = fmax(fabs(low), fabs(high));
  const int order = (int)floor(log10(largest) + 1e-9);
  if (order >= 5 || order <= -3) ticks.exponent = order;
  const int step_order = (int)floor(log10(ticks.step) + 1e-6);
  ticks.decimals = ticks.exponent - step_order;
  if (ticks.decimals < 0) ticks.decimals = 0;
  if (ticks.decimals > 12) ticks.decimals = 12;
  return ticks;
}

/** Print a number, or a text with numbers, with real minus signs. */
static void print_number(char label[LABEL_SIZE], const char *format, ...) {
  char text[LABEL_SIZE];
  size_t n = 0;
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  for (const char *c = text; *c && n + 4 < LABEL_SIZE; c++)
    n += (size_t)sprintf(label + n, *c == '-' ? "\xE2\x88\x92" : "%c", *c);
  label[n] = '\0';
}

static void print_tick(char label[LABEL_SIZE], const ticks_t *ticks, int64_t i) {
  const double value = (double)i * ticks->step / pow(10, ticks->exponent);
  print_number(label, "%.*f", ticks->decimals, i == 0 ? 0.0 : value);
}

/* The functions below only measure if the canvas is NULL, and return the width. */

static double draw_text(oak_canvas_t *canvas, double x, double y, const char *text, double size,
                        uint32_t color) {
  return oak_canvas_text(canvas, x, y, text, size, OAK_TEXT_REGULAR, color);
}

static double draw_raised(oak_canvas_t *canvas, double x, double y, const char *text, double size,
                          uint32_t color) {
  return draw_text(canvas, x, y - 0.6 * size, text, 0.75 * size, color);
}

/** Draw "x10" with the exponent raised. */
static double draw_power(oak_canvas_t *canvas, double x, double y, int exponent, double size) {
  char label[LABEL_SIZE];
  const double base = draw_text(canvas, x, y, TIMES_TEN, size, SOFT_INK);
  print_number(label, "%d", exponent);
  return base + draw_raised(canvas, x + base, y, label, size, SOFT_INK);
}

/* ---- names and units ---- */

/** Draw a unit such as "m^-3", with the numbers behind ^ raised. */
static double draw_unit(oak_canvas_t *canvas, double x, double y, const char *unit, double size,
                        uint32_t color) {
  double at = x;
  while (*unit) {
    char label[LABEL_SIZE];
    const int raised = *unit == '^' && unit[1];
    const size_t length =
        raised ? 1 + strspn(unit + 1, "+-.0123456789") : strcspn(unit + 1, "^") + 1;
    const int skipped = raised && length > 1;
    print_number(label, "%.*s", (int)length - skipped, unit + skipped);
    at += (raised ? draw_raised : draw_text)(canvas, at, y, label, size, color);
    unit += length;
  }
  return at - x;
}

/** Angles are in radians and have no label. */
static const char *axis_unit(const oak_scene_t *scene, const char *axis) {
  const char *unit = scene->view->length_unit;
  return unit && strcmp(axis, "phi") && strcmp(axis, "theta") ? unit : "";
}

/** Draw "x", or with a power of ten and a unit "x [x10^-3 m]". */
static double draw_name(const oak_scene_t *scene, oak_canvas_t *canvas, double x, double y,
                        const char *name, int exponent, double size) {
  const char *unit = axis_unit(scene, name);
  double at = x + draw_text(canvas, x, y, name, size, INK);
  if (*unit) at += draw_text(canvas, at, y, " [", size, INK);
  if (exponent) {
    if (!*unit) at += POWER_GAP * size;
    at += draw_power(canvas, at, y, exponent, size);
    if (*unit) at += POWER_GAP * size;
  }
  at += draw_unit(canvas, at, y, unit, size, INK);
  if (*unit) at += draw_text(canvas, at, y, "]", size, INK);
  return at - x;
}

/** Draw what stands above the colour bar: the power of ten of its labels, and the unit. */
static double draw_bar_unit(const oak_scene_t *scene, oak_canvas_t *canvas, double x, double y,
                            int exponent, double size) {
  const char *unit = scene->unit;
  double at = x;
  if (exponent) at += draw_power(canvas, at, y, exponent, size);
  if (exponent && *unit) at += POWER_GAP * size;
  return at + draw_unit(canvas, at, y, unit, size, SOFT_INK) - x;
}

static ticks_t axis_ticks(const oak_scene_t *scene, int a, double size) {
  const double most = a == 0 ? scene->width / (8 * size) : scene->height / (5 * size);
  return make_ticks(scene->low_corner[a], scene->high_corner[a], most);
}

/** Ticks of the colour bar, unless it has those of decades. */
static ticks_t bar_ticks(const oak_scene_t *scene, double size) {
  const int is_log = scene->options->log_scale;
  return make_ticks(is_log ? pow(10, scene->low) : scene->low,
                    is_log ? pow(10, scene->high) : scene->high,
                    fmax(3, scene->height / (4 * size)));
}

/** Whether a logarithmic scale is long enough for at least two labels at 1, 2 and 5 times powers of
 * ten. */
static int has_decades(const oak_scene_t *scene) {
  return scene->options->log_scale && scene->high - scene->low >= 0.7;
}

/* ---- the scale of a logarithmic colour bar ---- */

/** Ticks at 1, 2, .. 9 times powers of ten; which ones have labels depends on how many decades
 * there are. */
typedef struct {
  int first, last; /**< powers of ten around the range */
  int every;       /**< power with a label */
  int digits;      /**< 1: labels at powers alone; 2: at 1, 2, 5 times powers */
  int minor;       /**< ticks between powers */
  int plain;       /**< labels are 0.01 to 1000; otherwise all are powers */
} decades_t;

static decades_t make_decades(const oak_scene_t *scene, double size) {
  const double low = scene->low, high = scene->high;
  const double most = fmax(2, scene->height / (3 * size));
  const int plain = floor(low) >= -2 && floor(high) <= 3;
  decades_t d = {(int)floor(low), (int)ceil(high), 1, high - low < 1.6 ? 2 : 1, 0, plain};
  while ((high - low) / d.every > most) d.every++;
  d.minor = d.every == 1 && (high - low) * 14 * size < scene->height * 2;
  return d;
}

static int has_label(const decades_t *d, int power, int digit) {
  if (digit == 1) return power % d->every == 0;
  return d->digits == 2 && (digit == 2 || digit == 5);
}

/** Draw the label "5x10^-3" (as "10^-3" for digit 1) at the left end x, middle y. */
static double draw_decade(const decades_t *d, oak_canvas_t *canvas, double x, double y, int digit,
                          int power, double size) {
  char raised[LABEL_SIZE] = "", label[LABEL_SIZE];
  const double base = floor(y + size / 2 + 0.5);
  if (d->plain) {
    print_number(label, "%.*f", power < 0 ? -power : 0, digit * pow(10, power));
  } else {
    snprintf(label, sizeof label, digit == 1 ? "10" : "%d" TIMES_TEN, digit);
    print_number(raised, "%d", power);
  }
  const double width = draw_text(canvas, x, base, label, size, SOFT_INK);
  return width +
         draw_text(canvas, x + width, base - floor(0.6 * size), raised, 0.75 * size, SOFT_INK);
}

/** Call draw_decade for each tick of the range, with the ticks before it if there is a canvas. \a
 * x: where ticks begin. \return the widest label. */
static double draw_decades(const oak_scene_t *scene, const oak_frame_t *frame, oak_canvas_t *canvas,
                           int x, double size) {
  const decades_t d = make_decades(scene, size);
  const int length = (int)(TICK * size + 0.5);
  double widest = 0;
  for (int power = d.first; power <= d.last; power++)
    for (int digit = 1; digit <= 9; digit++) {
      const double t = (power + log10(digit) - scene->low) / (scene->high - scene->low);
      const int labelled = has_label(&d, power, digit);
      if (t < -1e-6 || t > 1 + 1e-6 || (!labelled && digit > 1 && !d.minor)) continue;
      const double y = frame->top + (1 - t) * scene->height;
      oak_canvas_fill(canvas, x, (int)floor(y - 0.5 * frame->thin + 0.5),
                      labelled ? length : (length + 1) / 2, frame->thin, LINE);
      if (labelled)
        widest = fmax(widest, draw_decade(&d, canvas, x + length + 0.7 * TICK_GAP * size, y, digit,
                                          power, size));
    }
  return widest;
}

/** Draw ticks and their labels along the height, to the left (\a side -1) or the right of \a x. The
 * scale goes from \a low to \a high. \return the widest label. */
static double draw_ticks(const oak_scene_t *scene, const oak_frame_t *frame, oak_canvas_t *canvas,
                         const ticks_t *ticks, double low, double high, int x, int side) {
  const double size = frame->size;
  const int length = (int)(TICK * size + 0.5), is_log = side > 0 && scene->options->log_scale;
  double widest = 0;
  char label[LABEL_SIZE];
  for (int64_t i = ticks->first; i <= ticks->last; i++) {
    const double value = (double)i * ticks->step;
    const double t = ((is_log ? log10(value) : value) - low) / (high - low);
    const double y = frame->top + (1 - t) * scene->height;
    print_tick(label, ticks, i);
    oak_canvas_fill(canvas, side < 0 ? x - length : x, (int)floor(y - 0.5 * frame->thin + 0.5),
                    length, frame->thin, LINE);
    const double width = draw_text(NULL, 0, 0, label, size, 0);
    widest = fmax(widest, width);
    draw_text(canvas,
              side < 0 ? x - length - TICK_GAP * size - width : x + length + 0.7 * TICK_GAP * size,
              floor(y + size / 2 + 0.5), label, size, SOFT_INK);
  }
  return widest;
}

/** Draw what is to the right of the colour bar. \return the widest label. */
static double draw_scale(const oak_scene_t *scene, const oak_frame_t *frame, oak_canvas_t *canvas,
                         int x) {
  const ticks_t ticks = bar_ticks(scene, frame->size);
  return has_decades(scene)
             ? draw_decades(scene, frame, canvas, x, frame->size)
             : draw_ticks(scene, frame, canvas, &ticks, scene->low, scene->high, x, 1);
}

/* ---- title ---- */

/** A piece of the line below the title. */
typedef struct {
  char text[FACT_SIZE];
  uint32_t color;
  oak_text_weight_t weight;
} fact_t;

/** Append a fact. \return where its text goes. */
static char *add_fact(fact_t *fact, int *n) {
  fact[*n] = (fact_t){"", SOFT_INK, OAK_TEXT_REGULAR};
  return fact[(*n)++].text;
}

static void name_variable(const oak_scene_t *scene, fact_t *fact) {
  *fact = (fact_t){"", INK, OAK_TEXT_BOLD};
  snprintf(fact->text, FACT_SIZE, "%s", scene->variable);
}

static void list_levels(const oak_scene_t *scene, fact_t *fact, int *n) {
  const oak_grid_view_t *view = scene->view;
  if (view->min_level == view->max_level)
    snprintf(add_fact(fact, n), FACT_SIZE, "level %d", view->max_level);
  else
    snprintf(add_fact(fact, n), FACT_SIZE, "levels %d-%d", view->min_level, view->max_level);
}

/** The facts in the line below the title, in order. */
static int list_facts(const oak_scene_t *scene, fact_t fact[MAX_FACTS]) {
  const oak_grid_view_t *view = scene->view;
  int n = 1;
  name_variable(scene, &fact[0]);
  const double t = fabs(view->time);
  const char *format = t == 0 || (t >= 1e-3 && t < 1e4) ? "t = %#.4g" : "t = %.4g";
  char *time = add_fact(fact, &n);
  snprintf(time, FACT_SIZE, format, view->time);
  if (view->time_unit && *view->time_unit)
    snprintf(time + strlen(time), FACT_SIZE - strlen(time), " %s", view->time_unit);
  if (scene->normal >= 0) {
    const char *axis = oak_view_axis(view, scene->normal), *unit = axis_unit(scene, axis);
    snprintf(add_fact(fact, &n), FACT_SIZE, "%s = %.4g%s%s", axis, scene->options->slice_position,
             *unit ? " " : "", unit);
  }
  snprintf(add_fact(fact, &n), FACT_SIZE, "step %ld", view->step);
  snprintf(add_fact(fact, &n), FACT_SIZE, "blocks %lld", (long long)view->nglobal);
  list_levels(scene, fact, &n);
  return n;
}

/** Draw the facts from (x, y) on, in lines of at most \a room pixels. \return the number of lines.
 */
static int draw_facts(const oak_scene_t *scene, oak_canvas_t *canvas, double x, double y,
                      double room, double size) {
  fact_t fact[MAX_FACTS];
  const int n = list_facts(scene, fact);
  int lines = 1;
  double used = 0;
  for (int i = 0; i < n; i++) {
    const double width = oak_canvas_text(NULL, 0, 0, fact[i].text, size, fact[i].weight, 0);
    if (used > 0 && used + width > room) {
      used = 0;
      lines++;
      y += LINE_HEIGHT * size;
    }
    oak_canvas_text(canvas, x + used, floor(y), fact[i].text, size, fact[i].weight, fact[i].color);
    used += width + FACT_GAP * size;
  }
  return lines;
}

static int has_title(const oak_scene_t *scene) {
  return scene->options->title && scene->options->title[0];
}

/* ---- the frame ---- */

oak_frame_t oak_frame_measure(const oak_scene_t *scene) {
  oak_frame_t frame = {.size = 0};
  const double fitting = floor(scene->width / 80.0 + 0.5);
  const double size = fitting < 8 ? 8 : fitting > 40 ? 40 : fitting;
  frame.size = size;
  frame.thin = size < 15 ? 1 : (int)(size / 10 + 0.5);
  const ticks_t y = axis_ticks(scene, 1, size), bar = bar_ticks(scene, size);
  const double label = TICK + TICK_GAP;
  const double widest = draw_scale(scene, &frame, NULL, 0);
  double scale_width = widest + (TICK + TICK_GAP + BAR_WIDTH) * size;
  const double above =
      draw_bar_unit(scene, NULL, 0, 0, has_decades(scene) ? 0 : bar.exponent, size);
  scale_width = fmax(scale_width, above);
  const char *name = scene->name[1][1] ? scene->name[1] : "x"; /* pictures in z are as wide */
  const double name_width = draw_name(scene, NULL, 0, 0, name, y.exponent, size);
  frame.left = (int)ceil((MARGIN + NAME_GAP + label) * size + name_width +
                         draw_ticks(scene, &frame, NULL, &y, 0, 1, 0, -1));
  frame.right = (int)ceil((BAR_GAP + MARGIN) * size + scale_width);
  frame.bottom = (int)ceil((MARGIN + 1 + NAME_GAP + 1 + label) * size);
  const double room = scene->width + frame.right - MARGIN * size;
  const int lines = draw_facts(scene, NULL, 0, 0, room, size);
  double top = MARGIN + 1 + LINE_HEIGHT * (lines - 1) + 1.6;
  if (has_title(scene)) top += LINE_HEIGHT * TITLE_SCALE;
  if (above > 0) top += 1.7;
  frame.top = (int)ceil(top * size);
  return frame;
}

/** A line of the frame's width around columns [x, x+w), rows [y, y+h). */
static void draw_box(oak_canvas_t *canvas, int x, int y, int w, int h, int thin) {
  oak_canvas_fill(canvas, x - thin, y - thin, w + 2 * thin, thin, LINE);
  oak_canvas_fill(canvas, x - thin, y + h, w + 2 * thin, thin, LINE);
  oak_canvas_fill(canvas, x - thin, y, thin, h, LINE);
  oak_canvas_fill(canvas, x + w, y, thin, h, LINE);
}

static void draw_x_axis(const oak_scene_t *scene, const oak_frame_t *frame, oak_canvas_t *canvas) {
  const double size = frame->size;
  const int y0 = frame->top + scene->height + frame->thin;
  const ticks_t ticks = axis_ticks(scene, 0, size);
  const double low = scene->low_corner[0], high = scene->high_corner[0];
  const double base = floor(y0 + (TICK + TICK_GAP + 1) * size);
  char label[LABEL_SIZE];
  for (int64_t i = ticks.first; i <= ticks.last; i++) {
    const double x = frame->left + ((double)i * ticks.step - low) / (high - low) * scene->width;
    print_tick(label, &ticks, i);
    oak_canvas_fill(canvas, (int)floor(x - 0.5 * frame->thin + 0.5), y0, frame->thin,
                    (int)(TICK * size + 0.5), LINE);
    draw_text(canvas, x - draw_text(NULL, 0, 0, label, size, 0) / 2, base, label, size, SOFT_INK);
  }
  const double x = frame->left + scene->width / 2.0, below = floor(base + (NAME_GAP + 1) * size);
  draw_name(scene, canvas, x, below, scene->name[0], ticks.exponent, size);
}

static void draw_y_axis(const oak_scene_t *scene, const oak_frame_t *frame, oak_canvas_t *canvas) {
  const double size = frame->size;
  const ticks_t ticks = axis_ticks(scene, 1, size);
  draw_ticks(scene, frame, canvas, &ticks, scene->low_corner[1], scene->high_corner[1],
             frame->left - frame->thin, -1);
  const double y = floor(frame->top + scene->height / 2.0 + size / 2);
  draw_name(scene, canvas, MARGIN * size * 0.7, y, scene->name[1], ticks.exponent, size);
}

static void draw_bar(const oak_scene_t *scene, const oak_frame_t *frame, oak_canvas_t *canvas) {
  const double size = frame->size;
  const int x0 = frame->left + scene->width + (int)(BAR_GAP * size);
  const int width = (int)(BAR_WIDTH * size);
  const ticks_t ticks = bar_ticks(scene, size);
  for (int row = 0; row < scene->height; row++) {
    uint8_t rgb[3];
    const double t = scene->height > 1 ? (double)row / (scene->height - 1) : 0.5;
    oak_colormap_rgb(scene->options->colormap, t, rgb);
    oak_canvas_fill(canvas, x0, frame->top + scene->height - 1 - row, width, 1,
                    (uint32_t)rgb[0] << 16 | (uint32_t)rgb[1] << 8 | rgb[2]);
  }
  draw_box(canvas, x0, frame->top, width, scene->height, frame->thin);
  draw_bar_unit(scene, canvas, x0 - 0.1 * size, floor(frame->top - 1.0 * size),
                has_decades(scene) ? 0 : ticks.exponent, size);
  draw_scale(scene, frame, canvas, x0 + width + frame->thin);
}

void oak_frame_draw(const oak_scene_t *scene, const oak_frame_t *frame, oak_canvas_t *canvas) {
  const double size = frame->size, room = scene->width + frame->right - MARGIN * size;
  double y = (MARGIN + 1) * size;
  if (has_title(scene)) {
    const char *title = scene->options->title;
    const double width = oak_canvas_text(NULL, 0, 0, title, TITLE_SCALE * size, OAK_TEXT_BOLD, INK);
    const double fit = width > room ? room / width : 1;
    y += (TITLE_SCALE - 1) * size;
    oak_canvas_text(canvas, frame->left, floor(y), title, TITLE_SCALE * size * fit, OAK_TEXT_BOLD,
                    INK);
    y += LINE_HEIGHT * TITLE_SCALE * size - (TITLE_SCALE - 1) * size;
  }
  draw_facts(scene, canvas, frame->left, y, room, size);
  draw_box(canvas, frame->left, frame->top, scene->width, scene->height, frame->thin);
  draw_x_axis(scene, frame, canvas);
  draw_y_axis(scene, frame, canvas);
  draw_bar(scene, frame, canvas);
}
