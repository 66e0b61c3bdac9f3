/* SPDX-License-Identifier: GPL-2.0-or-later
 * Tables as C for the kernels (kernels/language/hooks.h, oak_look_up): pieces of an axis, each with
 * the numbers of a polynomial. Between two points lies one piece. Functions that are no polynomials
 * there, logarithmic scales and formulas, are cut until lines are good, or cubics if that takes too
 * many lines. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "setup/table.h"

enum { MOST_LINES = 1 << 11, MOST_CUBICS = 1 << 15, MOST_SHARED = 1 << 10 };
/* Errors of pieces that were cut, as parts of the local value: what is sought, and allowed. */
#define SOUGHT(p) ((p)->formula ? 1e-4 : 1.9e-5)
#define ALLOWED 1e-3

/* What tables with the same ends share, so that kernels look for a piece once. */
typedef struct {
  int real_size, count;
  double *start; /* of the pieces; the number behind them is the end */
  double error;
  int cells, steps, bits; /* 2^bits cells from each power of two to the next; -1: one cell */
  double first, place;    /* where kernels find the first cell, and where it begins */
} axis_t;

/* ---- numbers */

/* The first number from x on that kernels have. */
static double round_up(int real_size, double x) {
  const float f = (float)x;
  if (real_size == 8) return x;
  return (double)((double)f < x ? nextafterf(f, INFINITY) : f);
}

/* Behind the last piece. CUDA has no constant for infinity. */
static double largest(int real_size) { return real_size == 4 ? (double)FLT_MAX : DBL_MAX; }

static oak_status_t check_fit(const oak_printed_t *t, int real_size, int fit) {
  OAK_CHECK(fit, OAK_ERR_INPUT,
            "%s: the numbers, their differences or their quotients are too large or too small for "
            "%s precision: choose other units",
            t->p.path, real_size == 4 ? "single" : "double");
  return OAK_OK;
}

/* CUDA has no constants of single precision that are too small for it. */
static oak_status_t print_array(const oak_table_printer_t *out, const oak_printed_t *t,
                                const char *what, int count, const double *x) {
  fprintf(out->f, "OAK_TABLE_DATA(real, oak_%s_%s, %d) = {", what, t->name, count);
  for (int n = 0; n < count; n++) {
    OAK_TRY(check_fit(t, out->real_size, fabs(x[n]) <= largest(out->real_size)));
    fprintf(out->f, "%.17g,%s", out->real_size == 4 ? (double)(float)x[n] : x[n],
            n % 8 == 7 ? "\n" : "");
  }
  fprintf(out->f, "};\n");
  return OAK_OK;
}

/* ---- pieces */

/* The polynomial of x - place that has the values of the table at points from a to b, the first of
 * which is exact. */
static oak_status_t fit(const oak_printed_t *t, int n, double a, double b, double place,
                        long double k[4]) {
  static const double node[] = {0, 0.25, 0.75, 1};
  long double u[4];
  for (int i = 0; i <= t->order; i++) {
    const long double x = a + node[i * 3 / t->order] * ((long double)b - a);
    u[i] = x - place;
    OAK_TRY(oak_points_value(&t->p, n, x, &k[i]));
  }
  for (int i = 1; i <= t->order; i++) /* divided differences */
    for (int j = t->order; j >= i; j--) k[j] = (k[j] - k[j - 1]) / (u[j] - u[j - i]);
  for (int i = t->order - 1; i >= 0; i--)
    for (int j = i; j < t->order; j++) k[j] -= u[i] * k[j + 1];
  return OAK_OK;
}

static oak_status_t find_error(const oak_printed_t *t, int n, double a, double b, double *error) {
  enum { PLACES = 8 };
  long double k[4] = {0}, y;
  OAK_TRY(fit(t, n, a, b, a, k));
  for (int i = 0; i < PLACES; i++) {
    const long double u = (i + 0.5L) / PLACES * ((long double)b - a);
    OAK_TRY(oak_points_value(&t->p, n, a + u, &y));
    const long double near = k[0] + u * (k[1] + u * (k[2] + u * k[3]));
    if (fabsl(y) > t->small) *error = fmax(*error, (double)fabsl(near / y - 1));
  }
  return OAK_OK;
}

/* The point of a table before x; it is not before point n. */
static int point_before(const axis_t *c, const oak_printed_t *t, double x, int n) {
  while (n + 2 < t->p.count[0] && round_up(c->real_size, t->p.x[0][n + 1]) <= x) n++;
  return n;
}

static int is_curved(const oak_points_t *p) { return p->words & OAK_TABLE_CURVED || p->formula; }

/* Where a table is no polynomial, pieces end at numbers with few bits, so that cells do: 2^bits
 * from each power of two to the next. */
static double next_end(const axis_t *from, double a, int bits) {
  const double low = from->start[0], range = from->start[from->count] - low;
  const double width = ldexp(1, ilogb(fmax(fabs(a), low > 0 ? low : range / 1024)) - bits);
  return width * (floor(a / width) + 1);
}

/* The pieces of `from`, cut where a table has points, and where it is no polynomial. */
static oak_status_t refine(const axis_t *from, const oak_printed_t *t, int bits, axis_t *c) {
  OAK_TRY(OAK_GROW(c->start, 0));
  for (int i = 0, n = 0; i < from->count; i++)
    for (double a = from->start[i], end = from->start[i + 1], b; a < end; a = b) {
      n = point_before(c, t, a, n);
      b = n + 2 < t->p.count[0] ? fmin(end, round_up(c->real_size, t->p.x[0][n + 1])) : end;
      if (is_curved(&t->p)) {
        b = fmin(b, next_end(from, a, bits));
        OAK_TRY(find_error(t, n, a, b, &c->error));
      }
      c->start[c->count++] = a;
      OAK_TRY(OAK_GROW(c->start, c->count));
      c->start[c->count] = b;
    }
  return OAK_OK;
}

/* ---- cells of the axis */

/* The numbers of a table for x from a to b, in the cell that begins at `cell`. If the polynomial
 * has a place, that is the end where the value is smaller, which is thus as exact as in the table.
 * \a plain becomes 0 if pieces need places, because terms around the start of the cell would cancel
 * too much. */
static oak_status_t find_row(const axis_t *c, oak_printed_t *t, int n, const double edge[2],
                             double cell, double *row) {
  const long double most = c->real_size == 4 ? 4 : 256;
  long double y[2], k[4];
  for (int e = 0; e < 2; e++) OAK_TRY(oak_points_value(&t->p, n, edge[e], &y[e]));
  const int from = fabsl(y[1]) < fabsl(y[0]);
  const double place = t->placed ? edge[from] : cell;
  OAK_TRY(fit(t, n, edge[from], edge[!from], place, k));
  for (int e = 0; e < 2; e++) {
    long double size = 0;
    for (int i = t->order; i >= 0; i--) size = fabsl(k[i]) + fabsl(edge[e] - place) * size;
    t->cancels |= size > most * fabsl(y[e]);
  }
  for (int i = 0; i <= t->order; i++, row += c->cells << c->steps)
    *row = (double)k[i] * pow(t->unit, i);
  if (t->placed) *row = place;
  return OAK_OK;
}

/* Go through the cells: count them and their steps, or, with `start`, find where the pieces of each
 * cell begin, or, with `t`, the numbers of a table. */
static oak_status_t walk(axis_t *c, double *start, oak_printed_t *t, double *row) {
  const double high = c->start[c->count];
  double at = c->place, end;
  int most = 1, cells = 0, point = 0;
  for (int n = 0, last = 0; at <= high && cells <= 8 * c->count + 128; cells++, at = end) {
    end = c->bits < 0 ? INFINITY : at + ldexp(1, ilogb(at) - c->bits);
    while (cells && n + 1 < c->count && c->start[n + 1] <= at) n++;
    while (last + 1 < c->count && c->start[last + 1] < end) last++;
    most = last - n >= most ? last - n + 1 : most;
    if (t) point = point_before(c, t, c->start[n], point);
    for (int s = 0; s < 1 << c->steps && (start || t); s++) {
      const int here = n + s <= last ? n + s : n;
      double edge[2] = {c->start[here], fmin(c->start[here + 1], end)};
      if (cells && edge[0] < at && at < high) edge[0] = at;
      if (start) *start++ = here == n + s ? edge[0] : largest(c->real_size);
      if (!t) continue;
      OAK_TRY(find_row(c, t, point_before(c, t, edge[0], point), edge, at, row++));
    }
  }
  if (start || t) return OAK_OK;
  c->cells = cells;
  for (c->steps = 0; 1 << c->steps < most;) c->steps++;
  return OAK_OK;
}

/* Choose the cells with which the search is shortest. */
static oak_status_t choose_cells(axis_t *best) {
  axis_t c = *best;
  const double low = c.start[0], high = c.start[c.count];
  best->bits = -1;
  best->first = best->place = high;
  OAK_TRY(walk(best, NULL, NULL, NULL));
  c.first = low > 0 ? low : c.start[1];
  for (c.bits = 0; c.bits < 13 && low >= 0; c.bits++) {
    const double width = ldexp(1, ilogb(c.first) - c.bits);
    c.place = width * floor(c.first / width);
    OAK_TRY(walk(&c, NULL, NULL, NULL));
    if (c.cells << c.steps <= 8 * c.count + 128 && c.steps < best->steps) *best = c;
  }
  return OAK_OK;
}

/* Let a table share the axis of the first one, if that makes no search longer, and pieces not too
 * many. It gets lines, or cubics if these are fewer than lines may be. */
static oak_status_t join(axis_t *c, oak_printed_t *t, const oak_printed_t *first) {
  oak_status_t st = OAK_OK;
  const int alone = t == first;
  axis_t d = {.count = 0};
  for (int order = t->p.slope ? 3 : 1; order <= 3 && !t->axis && st == OAK_OK; order += 2) {
    const int most = !alone ? MOST_SHARED : order == 1 ? MOST_LINES : MOST_CUBICS;
    int bits = 0;
    t->order = order;
    do {
      free(d.start);
      d = (axis_t){.real_size = c->real_size};
      st = refine(c, t, bits++, &d);
    } while (st == OAK_OK && d.error > SOUGHT(&t->p) && d.count < most && bits < 20);
    if (st == OAK_OK) st = choose_cells(&d);
    const int close = d.error <= (alone && order == 3 ? ALLOWED : SOUGHT(&t->p));
    if (close && (alone || (d.count < most && d.steps <= c->steps))) t->axis = first;
  }
  if (st == OAK_OK && alone && !t->axis)
    st = OAK_FAIL(OAK_ERR_INPUT, "%s: the values vary too steeply: cubics err by %g", t->p.path,
                  d.error);
  d.error = fmax(d.error, c->error);
  free(t->axis ? c->start : d.start);
  if (t->axis) *c = d;
  return st;
}

/* ---- text */

/* Beyond an end: the slope there along the scales of the table. */
static double slope_at(const oak_points_t *p, int end) {
  if (p->formula) return 0;
  const int n = end ? p->count[0] - 2 : 0;
  const double *x = p->x[0] + n, *y = p->value + n;
  if (p->slope) return p->slope[n + end];
  return (p->words & OAK_TABLE_LOG_VALUE ? log(y[1] / y[0]) : y[1] - y[0]) /
         (p->words & OAK_TABLE_LOG_X ? log(x[1] / x[0]) : x[1] - x[0]);
}

static oak_status_t print_line(oak_table_printer_t *out, axis_t *c, oak_printed_t *t) {
  const int count = c->cells << c->steps, mantissa = c->real_size == 8 ? 52 : 23;
  const double low = c->start[0], high = c->start[c->count];
  OAK_FREED double *row = NULL;
  OAK_TRY(OAK_NEW(row, count * (t->order + 2)));
  t->unit = c->real_size == 4 ? ldexp(1, ilogb((high - low) / c->count)) : 1;
  t->placed = c->bits < 0;
  OAK_TRY(walk(c, NULL, t, row));
  t->placed |= t->cancels;
  OAK_TRY(walk(c, NULL, t, row));
  OAK_TRY(print_array(out, t, "table", count * (t->order + 1 + t->placed), row));
  fprintf(out->f,
          "#define OAK_LOOK_UP_%s(x) oak_look_up(oak_table_%s, %d, %d, %d, (real)%.17g, "
          "oak_start_%s, %d, %d, (real)%.17g, (real)%.17g, (real)%.17g, %d, %.17g, %.17g, x)\n",
          t->name, t->name, count, t->order, !t->placed, 1 / t->unit, t->axis->name, c->steps,
          c->bits < 0 ? 0 : mantissa - c->bits, c->first, low, high, t->p.words, slope_at(&t->p, 0),
          slope_at(&t->p, 1));
  return OAK_OK;
}

/* Print a table, and those behind it that share its axis. */
static oak_status_t print_axis(oak_table_printer_t *out, oak_printed_t *first, axis_t *c) {
  oak_printed_t *end = out->table + out->count;
  OAK_FREED double *start = NULL;
  OAK_TRY(
      check_fit(first, c->real_size,
                first->high > first->low && first->high - first->low <= largest(out->real_size)));
  OAK_TRY(OAK_NEW(c->start, 2));
  c->start[0] = first->low;
  c->start[c->count = 1] = first->high;
  for (oak_printed_t *t = first; t < end; t++)
    if (!t->axis && t->low == first->low && t->high == first->high) OAK_TRY(join(c, t, first));
  OAK_TRY(OAK_NEW(start, c->cells << c->steps));
  OAK_TRY(walk(c, start, NULL, NULL));
  OAK_TRY(print_array(out, first, "start", c->cells << c->steps, start));
  for (oak_printed_t *t = first; t < end; t++)
    if (t->axis == first) OAK_TRY(print_line(out, c, t));
  out->error = fmax(out->error, c->error);
  return OAK_OK;
}

/* Two dimensions: the numbers at the points of a grid, and those of its axes for a search. */
static oak_status_t print_grid(const oak_table_printer_t *out, const oak_printed_t *t) {
  const oak_points_t *p = &t->p;
  OAK_TRY(print_array(out, t, "table", p->count[0] * p->count[1], p->value));
  fprintf(out->f, "#define OAK_LOOK_UP_%s(x, y) oak_look_up_2d(oak_table_%s, %d", t->name, t->name,
          p->words);
  for (int d = 0; d < 2; d++) {
    int steps = 0;
    while (1 << steps < p->count[d]) steps++;
    fprintf(out->f, ", oak_%c_%s, %d, %d, %c", 'x' + d, t->name, p->count[d] - 1, steps, 'x' + d);
  }
  fprintf(out->f, ")\n");
  for (int d = 0; d < 2; d++) {
    const char what[2] = {(char)('x' + d), 0};
    const int count = p->count[d];
    OAK_FREED double *start = NULL;
    OAK_TRY(OAK_NEW(start, 3 * count));
    for (int n = 0; n < 3 * count; n++)
      start[n] = n < count ? round_up(out->real_size, p->x[d][n]) : largest(out->real_size);
    OAK_TRY(check_fit(t, out->real_size, start[count - 1] - start[0] <= largest(out->real_size)));
    for (int n = 0; n + 1 < count; n++)
      OAK_TRY(check_fit(t, out->real_size, start[n + 1] > start[n]));
    OAK_TRY(print_array(out, t, what, 3 * count, start));
  }
  return OAK_OK;
}

/* ---- all of it */

void oak_table_none(FILE *f, const char *name) {
  fprintf(f, "#define OAK_TABLE_SIZE_%s 0\n#define OAK_LOOK_UP_%s(...) 0\n", name, name);
}

oak_status_t oak_table_add(oak_table_printer_t *out, const char *name, const oak_points_t *p) {
  oak_printed_t t = {.p = *p};
  long double y;
  int same = 1;
  snprintf(t.name, sizeof t.name, "%s", name);
  fprintf(out->f, "#define OAK_TABLE_SIZE_%s 1\n", name);
  if (p->dim == 2) return print_grid(out, &t);
  t.low = round_up(out->real_size, p->x[0][0]);
  t.high = round_up(out->real_size, p->x[0][p->count[0] - 1]);
  for (int n = 1; n < p->count[0]; n++) {
    same &= !p->formula && !(p->words & OAK_TABLE_ERROR) && p->value[n] == *p->value;
    if (p->formula) OAK_TRY(oak_points_value(p, n - 1, p->x[0][n], &y));
    if (p->formula) t.small = fmax(t.small, 1e-9 * fabs((double)y));
  }
  if (same) {
    fprintf(out->f, "#define OAK_LOOK_UP_%s(x) ((void)(x), (real)%.17g)\n", name,
            p->scale * *p->value);
    return OAK_OK;
  }
  OAK_TRY(OAK_GROW(out->table, out->count));
  out->table[out->count++] = t;
  return OAK_OK;
}

oak_status_t oak_table_print(oak_table_printer_t *out, oak_status_t st) {
  for (oak_printed_t *t = out->table; t < out->table + out->count && st == OAK_OK; t++) {
    axis_t c = {.real_size = out->real_size};
    if (!t->axis) st = print_axis(out, t, &c);
    free(c.start);
  }
  free(out->table);
  return st;
}
