/* SPDX-License-Identifier: GPL-2.0-or-later
 * Plots as inline SVG. */
#include "plot_svg.h"

#include <math.h>
#include <string.h>

static const char *const colors[] = {"#0b5fa5", "#d1495b", "#2e8b57",
                                     "#e08e0b", "#7b52ab", "#3c3c3c"};
enum { NCOLORS = sizeof colors / sizeof *colors };
/* In pixels: the frame of the points, the room around it, a line of the legend. */
enum { WIDTH = 460, HEIGHT = 300, LEFT = 70, TOP = 12, BOTTOM = 46, LEGEND = 250, LINE = 18 };

void oak_html_text(FILE *out, const char *text) {
  for (; *text; text++) {
    if (*text == '<')
      fputs("&lt;", out);
    else if (*text == '>')
      fputs("&gt;", out);
    else if (*text == '&')
      fputs("&amp;", out);
    else if (*text == '"')
      fputs("&quot;", out);
    else
      fputc(*text, out);
  }
}

/* ---- axes */

/* From values to pixels. */
typedef struct {
  oak_axis_t kind;
  double low, high; /* of the value, or of its logarithm */
  double begin, end;
} scale_t;

static double base_log(oak_axis_t kind, double x) {
  return kind == OAK_AXIS_LINEAR ? x : kind == OAK_AXIS_LOG2 ? log2(x) : log10(x);
}

static double pixel(const scale_t *s, double x) {
  return s->begin + (s->end - s->begin) * (base_log(s->kind, x) - s->low) / (s->high - s->low);
}

static void include(scale_t *s, double x) {
  if (isnan(x) || (s->kind != OAK_AXIS_LINEAR && x <= 0)) return;
  x = base_log(s->kind, x);
  s->low = fmin(s->low, x);
  s->high = fmax(s->high, x);
}

/* A step between ticks, 1, 2 or 5 times a power of ten, such that the range holds four to eight
 * steps. */
static double nice_step(double range) {
  const double power = pow(10, floor(log10(range / 5))), rest = range / 5 / power;
  return power * (rest < 1.5 ? 1 : rest < 3.5 ? 2 : rest < 7.5 ? 5 : 10);
}

/* Room at the ends of the axis. */
static void widen(scale_t *s, int from_zero) {
  if (s->low > s->high) s->low = 0, s->high = 1;
  if (s->kind == OAK_AXIS_LINEAR && from_zero) {
    s->low = fmin(0, s->low);
    s->high += 0.06 * (s->high - s->low) + (s->high == s->low);
    return;
  }
  if (s->kind == OAK_AXIS_LOG10 && s->high - s->low < 1) {
    s->low = floor(s->low * 3) / 3;
    s->high = fmax(ceil(s->high * 3) / 3, s->low + 1);
  }
  const double room = fmax(0.05 * (s->high - s->low), s->kind == OAK_AXIS_LOG2 ? 0.3 : 0.05);
  s->low -= room;
  s->high += room;
}

static scale_t make_scale(const oak_plot_t *plot, int y) {
  scale_t s = {.kind = y ? plot->y_axis : plot->x_axis, .low = INFINITY, .high = -INFINITY};
  for (int n = 0; n < plot->nseries; n++) {
    const oak_plot_series_t *series = &plot->series[n];
    for (int i = 0; i < series->n; i++) {
      if (isnan(series->y[i])) continue;
      include(&s, y ? series->y[i] : series->x[i]);
      if (y && series->least) include(&s, series->least[i]);
      if (y && series->most) include(&s, series->most[i]);
    }
  }
  widen(&s, y);
  s.begin = y ? TOP + HEIGHT : LEFT;
  s.end = y ? TOP : LEFT + WIDTH;
  return s;
}

static void tick(FILE *out, const scale_t *s, int y, double value, int text) {
  const double at = pixel(s, value);
  char label[32];
  if (at < fmin(s->begin, s->end) - 0.5 || at > fmax(s->begin, s->end) + 0.5) return;
  fprintf(out, "<line class='grid' x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f'/>\n",
          y ? (double)LEFT : at, y ? at : (double)TOP, y ? (double)(LEFT + WIDTH) : at,
          y ? at : (double)(TOP + HEIGHT));
  if (!text) return;
  if (s->kind == OAK_AXIS_LOG10 && (value < 1e-3 || value > 9999))
    snprintf(label, sizeof label, "%.0e", value);
  else
    snprintf(label, sizeof label, "%.6g", value);
  fprintf(out, "<text x='%.1f' y='%.1f' text-anchor='%s'>%s</text>\n", y ? (double)(LEFT - 7) : at,
          y ? at + 4 : (double)(TOP + HEIGHT + 17), y ? "end" : "middle", label);
}

static void draw_axis(FILE *out, const scale_t *s, int y) {
  if (s->kind == OAK_AXIS_LINEAR) {
    const double step = nice_step(s->high - s->low);
    for (double v = ceil(s->low / step) * step; v <= s->high; v += step)
      tick(out, s, y, fabs(v) < 1e-9 * step ? 0 : v, 1);
  } else if (s->kind == OAK_AXIS_LOG2) {
    for (double e = ceil(s->low); e <= s->high; e++) tick(out, s, y, exp2(e), 1);
  } else {
    static const double part[] = {1, 2, 5};
    const int decades = (int)ceil(s->high - s->low), parts = decades <= 3 ? 3 : 1;
    for (double e = floor(s->low); e <= s->high; e++)
      for (int p = 0; p < parts; p++)
        tick(out, s, y, part[p] * pow(10, e), decades <= 8 || fmod(fabs(e), 2) < 0.5);
  }
}

/* ---- points */

static void draw_point(FILE *out, const oak_plot_series_t *s, double x, double y) {
  const char *color = colors[s->color % NCOLORS];
  if (s->style == OAK_PLOT_DASHED) return;
  fprintf(out, "<circle cx='%.1f' cy='%.1f' r='3.6' fill='%s' stroke='%s' stroke-width='1.4'/>\n",
          x, y, s->style == OAK_PLOT_OUTLINED ? "#fff" : color, color);
}

static void draw_line(FILE *out, const oak_plot_series_t *s, const scale_t *sx, const scale_t *sy) {
  const int dashed = s->style == OAK_PLOT_DASHED || s->style == OAK_PLOT_OUTLINED;
  if (s->style == OAK_PLOT_POINTS) return;
  fprintf(out, "<polyline fill='none' stroke='%s' stroke-width='1.5'%s points='",
          s->style == OAK_PLOT_DASHED ? "#888" : colors[s->color % NCOLORS],
          dashed ? " stroke-dasharray='5 4'" : "");
  for (int i = 0; i < s->n; i++)
    if (!isnan(s->y[i])) fprintf(out, "%.1f,%.1f ", pixel(sx, s->x[i]), pixel(sy, s->y[i]));
  fprintf(out, "'/>\n");
}

static void draw_series(FILE *out, const oak_plot_series_t *s, const scale_t *sx,
                        const scale_t *sy) {
  draw_line(out, s, sx, sy);
  for (int i = 0; i < s->n; i++) {
    if (isnan(s->y[i])) continue;
    const double x = pixel(sx, s->x[i]), y = pixel(sy, s->y[i]);
    if (s->least && s->most)
      fprintf(out,
              "<line stroke='%s' stroke-width='1.4' x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f'/>\n",
              colors[s->color % NCOLORS], x, pixel(sy, s->least[i]), x, pixel(sy, s->most[i]));
    draw_point(out, s, x, y);
    if (!s->point_name) continue;
    fprintf(out, "<text x='%.1f' y='%.1f'>", x + 6, y + 4);
    oak_html_text(out, s->point_name[i]);
    fprintf(out, "</text>\n");
  }
}

static void draw_legend(FILE *out, const oak_plot_t *plot) {
  const int x = LEFT + WIDTH + 16;
  for (int n = 0; n < plot->nseries; n++) {
    const oak_plot_series_t *s = &plot->series[n];
    const int y = TOP + 10 + n * LINE;
    const double ends[2] = {x, x + 22}, heights[2] = {y, y};
    const scale_t same = {.low = 0, .high = 1, .begin = 0, .end = 1};
    oak_plot_series_t sample = *s;
    sample.x = ends;
    sample.y = heights;
    sample.n = 2;
    draw_line(out, &sample, &same, &same);
    draw_point(out, s, x + 11, y);
    fprintf(out, "<text x='%d' y='%d'>", x + 28, y + 4);
    oak_html_text(out, s->name);
    fprintf(out, "</text>\n");
  }
}

static void begin_svg(FILE *out, int width, int height) {
  fprintf(out,
          "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' viewBox='0 0 %d %d' "
          "font-family='sans-serif' font-size='12'>\n"
          "<style>.grid{stroke:#e4e4e4;stroke-width:1} .frame{fill:none;stroke:#888}</style>\n",
          width, height, width, height);
}

void oak_plot_lines(FILE *out, const oak_plot_t *plot) {
  const scale_t x = make_scale(plot, 0), y = make_scale(plot, 1);
  const int legend = TOP + 10 + plot->nseries * LINE, frame = TOP + HEIGHT + BOTTOM;
  begin_svg(out, LEFT + WIDTH + LEGEND, legend > frame ? legend : frame);
  draw_axis(out, &x, 0);
  draw_axis(out, &y, 1);
  fprintf(out, "<rect class='frame' x='%d' y='%d' width='%d' height='%d'/>\n", LEFT, TOP, WIDTH,
          HEIGHT);
  for (int n = 0; n < plot->nseries; n++) draw_series(out, &plot->series[n], &x, &y);
  fprintf(out, "<text x='%d' y='%d' text-anchor='middle'>", LEFT + WIDTH / 2, TOP + HEIGHT + 38);
  oak_html_text(out, plot->x_title);
  fprintf(out, "</text>\n<text transform='translate(16 %d) rotate(-90)' text-anchor='middle'>",
          TOP + HEIGHT / 2);
  oak_html_text(out, plot->y_title);
  fprintf(out, "</text>\n");
  draw_legend(out, plot);
  fprintf(out, "</svg>\n");
}

void oak_plot_shares(FILE *out, const char *const *bar, int nbar, const char *const *part,
                     int npart, const double *share) {
  static const char *const fill[] = {"#0b5fa5", "#d1495b", "#2e8b57", "#e08e0b",
                                     "#7b52ab", "#8fb8d8", "#eaa3ad", "#a3d3b5",
                                     "#f2cf8e", "#c3aedb", "#3c3c3c", "#bbbbbb"};
  enum { NFILL = sizeof fill / sizeof *fill, BAR = 24, GAP = 8, NAMES = 150 };
  const int bars = TOP + nbar * (BAR + GAP), legend = TOP + 10 + npart * LINE;
  begin_svg(out, NAMES + WIDTH + LEGEND, (legend > bars + 24 ? legend : bars + 24) + 8);
  for (int b = 0; b < nbar; b++) {
    double at = NAMES;
    const int y = TOP + b * (BAR + GAP);
    fprintf(out, "<text x='%d' y='%d' text-anchor='end'>", NAMES - 8, y + BAR / 2 + 4);
    oak_html_text(out, bar[b]);
    fprintf(out, "</text>\n");
    for (int p = 0; p < npart; p++) {
      const double width = WIDTH * fmax(0, share[b * npart + p]);
      fprintf(out, "<rect x='%.1f' y='%d' width='%.1f' height='%d' fill='%s'><title>", at, y, width,
              BAR, fill[p % NFILL]);
      oak_html_text(out, part[p]);
      fprintf(out, ": %.1f %%</title></rect>\n", 100 * share[b * npart + p]);
      if (width > 34)
        fprintf(out, "<text x='%.1f' y='%d' text-anchor='middle' fill='#fff'>%.0f %%</text>\n",
                at + width / 2, y + BAR / 2 + 4, 100 * share[b * npart + p]);
      at += width;
    }
  }
  for (int percent = 0; percent <= 100; percent += 20)
    fprintf(out, "<text x='%d' y='%d' text-anchor='middle'>%d %%</text>\n",
            NAMES + WIDTH * percent / 100, bars + 14, percent);
  for (int p = 0; p < npart; p++) {
    const int y = TOP + p * LINE;
    fprintf(out, "<rect x='%d' y='%d' width='12' height='12' fill='%s'/><text x='%d' y='%d'>",
            NAMES + WIDTH + 26, y, fill[p % NFILL], NAMES + WIDTH + 44, y + 11);
    oak_html_text(out, part[p]);
    fprintf(out, "</text>\n");
  }
  fprintf(out, "</svg>\n");
}
