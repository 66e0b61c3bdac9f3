/* SPDX-License-Identifier: GPL-2.0-or-later
 * The numbers of a table, from a text file: two columns, or for two dimensions a
 * matrix whose first row holds the numbers of y, and whose first column those of x. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "setup/table.h"

/** Rows of numbers. */
typedef struct {
  const char *path;
  int dim, columns, rows, count; /**< count: of all numbers */
  double *number;
  int *line; /**< of each row of a text */
} rows_t;

/* A line of numbers, with a comma between the numbers or without. */
static oak_status_t read_line(rows_t *r, char *text, int line) {
  char *end = text;
  int found = 0;
  text[strcspn(text, "#\r\n")] = 0;
  for (char *begin = text; *(begin += strspn(begin, found ? " \t," : " \t")); begin = end) {
    const double x = strtod(begin, &end);
    OAK_CHECK(end > begin, OAK_ERR_INPUT, "%s:%d: '%.60s': must be numbers", r->path, line, text);
    OAK_TRY(OAK_GROW(r->number, r->count));
    r->number[r->count++] = x;
    found++;
  }
  if (!found) return OAK_OK;
  if (!r->rows) r->columns = r->dim == 1 ? 2 : found;
  OAK_CHECK(found == r->columns, OAK_ERR_INPUT,
            "%s:%d: '%.60s': must be %d numbers, and there are %d", r->path, line, text, r->columns,
            found);
  OAK_TRY(OAK_GROW(r->line, r->rows));
  r->line[r->rows++] = line;
  return OAK_OK;
}

static oak_status_t read_text(rows_t *r, FILE *f) {
  char *line = NULL;
  size_t room = 0;
  ssize_t length;
  oak_status_t st = OAK_OK;
  for (int n = 1; st == OAK_OK && (length = getline(&line, &room, f)) >= 0; n++) {
    const int bom = n == 1 && !strncmp(line, "\xEF\xBB\xBF", 3) ? 3 : 0;
    if (strlen(line) < (size_t)length)
      st = OAK_FAIL(OAK_ERR_INPUT, "%s:%d: binary data: a table is a text file", r->path, n);
    else
      st = read_line(r, line + bom, n);
  }
  free(line);
  return st;
}

/* ---- points */

/* The axes and the values; in two dimensions the corner is not used. */
static oak_status_t take_points(const rows_t *r, oak_points_t *p) {
  static const int log_bit[] = {OAK_TABLE_LOG_X, OAK_TABLE_LOG_Y, OAK_TABLE_LOG_VALUE};
  const int from = p->dim == 2;
  p->count[0] = r->rows - from;
  p->count[1] = from ? r->columns - 1 : 1;
  OAK_CHECK(from || r->columns == 2 || !r->rows, OAK_ERR_INPUT,
            "%s: must have two columns, x and y", r->path);
  OAK_CHECK(p->count[0] >= 2, OAK_ERR_INPUT,
            "%s has %d line%s with numbers: a table needs at least %d", r->path, r->rows,
            r->rows == 1 ? "" : "s", 2 + from);
  OAK_CHECK(!from || p->count[1] >= 2, OAK_ERR_INPUT,
            "%s has %d columns: this table needs at least 3", r->path, r->columns);
  for (int d = 0; d < p->dim; d++) OAK_TRY(OAK_NEW(p->x[d], p->count[d]));
  OAK_TRY(OAK_NEW(p->value, p->count[0] * p->count[1]));
  for (int n = 0; n < r->rows; n++)
    for (int c = n < from; c < r->columns; c++) {
      const int kind = n < from ? 1 : c ? 2 : 0, line = r->line[n];
      const int is_log = p->words & log_bit[kind], place = kind == 1 ? c - 1 : n - from;
      const double x = r->number[n * r->columns + c];
      double *to = kind == 2 ? &p->value[place * p->count[1] + c - 1] : &p->x[kind][place];
      OAK_CHECK(isfinite(x) && (!is_log || x > 0), OAK_ERR_INPUT, "%s:%d: %g must be finite%s",
                r->path, line, x, is_log ? " and above 0, because this scale is logarithmic" : "");
      OAK_CHECK(kind == 2 || !place || x > to[-1], OAK_ERR_INPUT,
                "%s:%d: %g follows %g: the numbers of the first %s must increase", r->path, line, x,
                to[-1], kind ? "row" : "column");
      *to = x;
    }
  return OAK_OK;
}

/* ---- slopes */

static double chord(const oak_points_t *p, int n) {
  return (p->value[n + 1] - p->value[n]) / (p->x[0][n + 1] - p->x[0][n]);
}

/* The slope at an end, of the parabola through three points. It has the sign of the last chord, and
 * is three times as steep at most; the cubic is then monotone. */
static double cubic_end(const oak_points_t *p, int last, int before) {
  const double *x = p->x[0], a = chord(p, last);
  if (p->count[0] == 2) return a;
  const double h = x[last + 1] - x[last], b = chord(p, before);
  const double slope = a + (a - b) * h / (h + x[before + 1] - x[before]);
  return slope * a <= 0 ? 0 : fabs(slope) > 3 * fabs(a) ? 3 * a : slope;
}

/* The slopes of a cubic that is monotone where the points are: F. N. Fritsch, J. Butland, SIAM J.
 * Sci. Stat. Comput. 5 (1984) 300. */
static oak_status_t find_slopes(oak_points_t *p) {
  const double *x = p->x[0];
  const int count = p->count[0];
  if (!(p->words & OAK_TABLE_CUBIC)) return OAK_OK;
  OAK_TRY(OAK_NEW(p->slope, count));
  p->slope[0] = cubic_end(p, 0, 1);
  p->slope[count - 1] = cubic_end(p, count - 2, count - 3);
  for (int n = 1; n < count - 1; n++) {
    const double a = chord(p, n - 1), b = chord(p, n);
    const double share = (1 + (x[n + 1] - x[n]) / (x[n + 1] - x[n - 1])) / 3;
    p->slope[n] = a * b > 0 ? a * b / (share * b + (1 - share) * a) : 0;
  }
  return OAK_OK;
}

/* ---- all of it */

oak_status_t oak_points_value(const oak_points_t *p, int n, long double x, long double *y) {
  const long double a = p->x[0][n], b = p->x[0][n + 1], h = b - a;
  const long double s = p->words & OAK_TABLE_LOG_X ? logl(x / a) / logl(b / a) : (x - a) / h;
  double number;
  if (p->formula) {
    OAK_TRY(p->formula(p->of, (double)x, &number));
    *y = number;
    return OAK_OK;
  }
  const long double u = p->value[n], v = p->value[n + 1];
  *y = p->words & OAK_TABLE_LOG_VALUE ? u * powl(v / u, s) : (1 - s) * u + s * v;
  if (p->slope)
    *y += s * (1 - s) * ((1 - s) * (h * p->slope[n] - v + u) - s * (h * p->slope[n + 1] - v + u));
  *y *= p->scale;
  return OAK_OK;
}

oak_status_t oak_points_read(oak_points_t *p) {
  rows_t r = {.path = p->path, .dim = p->dim};
  p->scale = 1;
  FILE *f = fopen(p->path, "rb");
  OAK_CHECK(f, OAK_ERR_FILE, "cannot read %s: %s", p->path, strerror(errno));
  oak_status_t st = read_text(&r, f);
  fclose(f);
  if (st == OAK_OK) st = take_points(&r, p);
  if (st == OAK_OK) st = find_slopes(p);
  free(r.number);
  free(r.line);
  return st;
}

void oak_points_free(oak_points_t *p) {
  free(p->x[0]);
  free(p->x[1]);
  free(p->value);
  free(p->slope);
}
