/* SPDX-License-Identifier: GPL-2.0-or-later
 * Tables as C for the kernels (kernels/language/hooks.h, oak_look_up): pieces of an axis, each with
 * the numbers of a polynomial. Between two points lies one piece. Functions that are no polynomials
 * there, logarithmic scales and formulas, are cut until lines are good, or cubics if that takes too
 * many lines. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "setup/table.h"

enum {
  CUT = OAK_TABLE_LOG_X | OAK_TABLE_LOG_VALUE,
  MOST_LINES = 1 << 11,
  MOST_CUBICS = 1 << 15,
  MOST_CELLS = 1 << 20
};
/* Errors of pieces that were cut, as parts of the local value: what is sought, and allowed. */
#define SOUGHT(p) ((p)->formula ? 1e-4 : 1.9e-5)
#define ALLOWED 1e-3

typedef struct {
  const oak_points_t *p;
  int real_size, order, plain; /* as oak_look_up knows them */
  double unit, error;
  int count; /* with one piece below the table, and one above */
  struct {
    double start; /* its first x */
    int point;    /* before it; -1: there is none */
  } * piece;
  int cells, steps, shift; /* as oak_piece knows them */
  int64_t base;
} pieces_t;

/* ---- numbers */

/* The first number from x on that kernels have. */
static double round_up(int real_size, double x) {
  const float f = (float)x;
  if (real_size == 8) return x;
  return (double)((double)f < x ? nextafterf(f, INFINITY) : f);
}

/* Behind the last piece. CUDA has no constant for infinity. */
static double largest(int real_size) { return real_size == 4 ? (double)FLT_MAX : DBL_MAX; }

static oak_status_t check_fit(int fit) {
  OAK_CHECK(fit, OAK_ERR_INPUT,
            "the numbers, their differences or their quotients are too large or too small");
  return OAK_OK;
}

/* CUDA has no constants of single precision that are too small for it. */
static oak_status_t print_number(const oak_table_printer_t *out, double x) {
  OAK_TRY(check_fit(fabs(x) <= largest(out->real_size)));
  fprintf(out->f, "%.17g,", out->real_size == 4 ? (double)(float)x : x);
  return OAK_OK;
}

static void print_array(FILE *f, const char *what, const char *name, int count) {
  fprintf(f, "OAK_TABLE_DATA(real, oak_%s_%s, %d) = {", what, name, count);
}

/* ---- pieces */

/* The polynomial of x - place that has the values of the table at points from a to b, the first of
 * which is exact. */
static oak_status_t fit(const pieces_t *c, int n, double a, double b, double place,
                        long double k[4]) {
  static const double node[] = {0, 0.25, 0.75, 1};
  long double u[4];
  for (int i = 0; i <= c->order; i++) {
    const long double x = a + node[i * 3 / c->order] * ((long double)b - a);
    u[i] = x - place;
    OAK_TRY(oak_points_value(c->p, n, x, &k[i]));
  }
  for (int i = 1; i <= c->order; i++) /* divided differences */
    for (int j = c->order; j >= i; j--) k[j] = (k[j] - k[j - 1]) / (u[j] - u[j - i]);
  for (int i = c->order - 1; i >= 0; i--)
    for (int j = i; j < c->order; j++) k[j] -= u[i] * k[j + 1];
  return OAK_OK;
}

static oak_status_t find_error(const pieces_t *c, int n, double a, double b, double *error) {
  enum { PLACES = 8 };
  long double k[4] = {0}, y;
  OAK_TRY(fit(c, n, a, b, a, k));
  *error = 0;
  for (int i = 0; i < PLACES; i++) {
    const long double u = (i + 0.5L) / PLACES * ((long double)b - a);
    OAK_TRY(oak_points_value(c->p, n, a + u, &y));
    const long double near = k[0] + u * (k[1] + u * (k[2] + u * k[3]));
    if (fabsl(y) > c->p->small) *error = fmax(*error, (double)fabsl(near / y - 1));
  }
  return OAK_OK;
}

/* A number between a and b with few bits, so that most pieces begin where cells do; a if there is
 * none. */
static double between(const pieces_t *c, double a, double b) {
  double part = ldexp(1, ilogb(fmax(fabs(a), fabs(b))) + 1), x = a;
  while (x <= a && b - part < b) x = part * (ceil(b / part) - 1), part /= 2;
  return x > a && x < b && round_up(c->real_size, x) == x ? x : a;
}

static oak_status_t add_piece(pieces_t *c, double start, int point) {
  OAK_TRY(OAK_GROW(c->piece, c->count));
  c->piece[c->count].start = start;
  c->piece[c->count++].point = point;
  return OAK_OK;
}

/* The pieces from a to b, which lie between the points n and n + 1. */
static oak_status_t cut(pieces_t *c, int n, double a, double b) {
  const int most = c->order == 1 ? MOST_LINES : MOST_CUBICS;
  const double middle = between(c, a, b), least = c->p->formula ? 1e-12 * c->p->x[0][n + 1] : 0;
  double error = 0;
  if ((c->p->words & CUT || c->p->formula) && middle > a) OAK_TRY(find_error(c, n, a, b, &error));
  if (error > SOUGHT(c->p) && b - a > least && c->count < most) {
    OAK_TRY(cut(c, n, a, middle));
    return cut(c, n, middle, b);
  }
  c->error = fmax(c->error, error);
  return add_piece(c, a, n);
}

static oak_status_t find_pieces(pieces_t *c, int order) {
  const double *x = c->p->x[0], low = round_up(c->real_size, x[0]);
  const int last = c->p->count[0] - 1;
  double a = low, b = a;
  c->order = order;
  c->count = 0;
  c->error = 0;
  OAK_TRY(add_piece(c, -largest(c->real_size), -1));
  for (int n = 0; n < last; n++, a = b) {
    b = round_up(c->real_size, x[n + 1]);
    OAK_TRY(check_fit(b - low <= largest(c->real_size)));
    if (b > a) OAK_TRY(cut(c, n, a, b));
  }
  OAK_TRY(check_fit(b > low));
  c->unit = c->real_size == 4 ? ldexp(1, ilogb((b - low) / c->count)) : 1;
  return add_piece(c, b, last);
}

/* Beyond an end: the slope there along the scales of the table. */
static double slope_at(const oak_points_t *p, int end) {
  const int n = end ? p->count[0] - 2 : 0;
  const double *x = p->x[0] + n, *y = p->value + n;
  if (p->slope) return p->slope[n + end];
  return (p->words & OAK_TABLE_LOG_VALUE ? log(y[1] / y[0]) : y[1] - y[0]) /
         (p->words & OAK_TABLE_LOG_X ? log(x[1] / x[0]) : x[1] - x[0]);
}

/* The numbers of a piece. Its place is the end where the value is smaller, which is thus as exact
 * as in the table. \a plain becomes 0 if terms around x = 0 would cancel too much. */
static oak_status_t find_row(const pieces_t *c, int n, double *place, long double k[4],
                             int *plain) {
  const int point = c->piece[n].point, end = n > 0, outside = !n || n == c->count - 1;
  const double edge[2] = {c->piece[n].start, c->piece[outside ? n : n + 1].start};
  const long double most = c->real_size == 4 ? 4 : 256;
  long double y[2], scale = 1;
  if (outside) {
    const int straight = (c->p->words & (CUT | OAK_TABLE_EXTRAPOLATE)) == OAK_TABLE_EXTRAPOLATE;
    *place = end ? edge[0] : c->piece[1].start;
    OAK_TRY(oak_points_value(c->p, end ? point - 1 : 0, *place, k));
    k[1] = straight ? slope_at(c->p, end) : 0;
    k[2] = k[3] = 0;
    if (c->plain) k[0] -= k[1] * *place;
  } else {
    for (int e = 0; e < 2; e++) OAK_TRY(oak_points_value(c->p, point, edge[e], &y[e]));
    const int from = fabsl(y[1]) < fabsl(y[0]);
    *place = edge[from];
    OAK_TRY(fit(c, point, edge[from], edge[!from], c->plain ? 0 : *place, k));
    for (int e = 0; e < 2; e++) {
      long double size = 0;
      for (int i = c->order; i >= 0; i--) size = fabsl(k[i]) + fabsl(edge[e]) * size;
      *plain &= size <= most * fabsl(y[e]);
    }
  }
  for (int i = 0; i <= c->order; i++, scale *= c->unit) k[i] *= scale;
  return OAK_OK;
}

/* ---- cells of the axis */

/* As in the kernels: oak_piece. */
static int64_t bits_of(const pieces_t *c, double x) {
  const float narrow = (float)x;
  int64_t all;
  int32_t part;
  memcpy(&all, &x, sizeof all);
  memcpy(&part, &narrow, sizeof part);
  return c->real_size == 8 ? all >> c->shift : part >> c->shift;
}

static int cell_of(const pieces_t *c, double x) {
  const int64_t n = bits_of(c, x) - c->base;
  return n > 0 ? (int)(n < MOST_CELLS ? n : MOST_CELLS) : 0;
}

/* The number of kernels before piece n. */
static double before(const pieces_t *c, int n) {
  const double x = c->piece[n].start;
  return c->real_size == 8 ? nextafter(x, -INFINITY) : (double)nextafterf((float)x, -INFINITY);
}

/* The first cell that begins with piece n or within it. */
static int first_cell(const pieces_t *c, int n) { return cell_of(c, before(c, n)) + 1; }

static void count_steps(pieces_t *c) {
  int most = 1;
  c->cells = cell_of(c, c->piece[c->count - 1].start) + 1;
  for (int n = 1, here = 1; n < c->count; n++) { /* here: pieces in the cell so far */
    const int cell = cell_of(c, c->piece[n].start);
    if (cell != cell_of(c, c->piece[n - 1].start)) here = 1;
    here += cell < first_cell(c, n);
    if (here > most) most = here;
  }
  for (c->steps = 0; 1 << c->steps < most;) c->steps++;
}

/* Choose the cells with which the search is shortest: one cell, or 2^n from each power of two to
 * the next, and one below the first number above 0. */
static void choose_cells(pieces_t *best) {
  pieces_t c = *best;
  best->shift = 8 * c.real_size - 1;
  count_steps(best);
  for (int n = 0; n < 13 && c.piece[1].start >= 0; n++) {
    c.shift = (c.real_size == 8 ? 52 : 23) - n;
    c.base = bits_of(&c, before(&c, c.piece[1].start > 0 ? 1 : 2));
    count_steps(&c);
    if (c.cells << c.steps <= 8 * c.count + 128 && c.steps < best->steps) *best = c;
  }
}

/* The piece of each row, or -1. */
static oak_status_t list_rows(const pieces_t *c, int **row) {
  OAK_TRY(OAK_NEW(*row, c->cells << c->steps));
  for (int cell = 0, n = 0; cell < c->cells; cell++) {
    while (n + 1 < c->count && first_cell(c, n + 1) <= cell) n++;
    for (int s = 0; s < 1 << c->steps; s++)
      (*row)[(cell << c->steps) + s] =
          !s || (n + s < c->count && cell_of(c, c->piece[n + s].start) == cell) ? n + s : -1;
  }
  return OAK_OK;
}

/* ---- text */

/* Where the rows begin, once for all tables with the same pieces. */
static oak_status_t print_start(oak_table_printer_t *out, const pieces_t *c, const int *row,
                                int count, char name[33]) {
  oak_hash_t hash;
  oak_hash_start(&hash);
  oak_hash_bytes(&hash, row, (size_t)count * sizeof *row);
  for (int n = 0; n < c->count; n++)
    oak_hash_bytes(&hash, &c->piece[n].start, sizeof c->piece[n].start);
  oak_hash_hex(&hash, name);
  fprintf(out->f, "#ifndef oak_start_%s\n#define oak_start_%s oak_start_%s\n", name, name, name);
  print_array(out->f, "start", name, count);
  for (int n = 0; n < count; n++)
    OAK_TRY(print_number(out, row[n] < 0 ? largest(out->real_size) : c->piece[row[n]].start));
  fprintf(out->f, "};\n#endif\n");
  return OAK_OK;
}

static void print_look_up(FILE *f, const char *name, const pieces_t *c, const char *start) {
  const oak_points_t *p = c->p;
  const double low = c->piece[1].start, high = c->piece[c->count - 1].start;
  const int beyond = p->words & OAK_TABLE_EXTRAPOLATE && p->words & CUT;
  fprintf(f, "#define OAK_LOOK_UP_%s(x) (%soak_look_up(oak_table_%s, %d, %d, (real)%.17g, ", name,
          beyond ? "oak_beyond(" : "", name, c->order, c->plain, 1 / c->unit);
  fprintf(f, "oak_piece(%s%s, %d, %lld, %d, %d, x), x)", *start ? "oak_start_" : "(const real *)0",
          start, c->shift, (long long)c->base, c->cells, c->steps);
  if (beyond)
    fprintf(f, ", %d, (real)%.17g, (real)%.17g, %.17g, %.17g, x)", p->words, low, high,
            slope_at(p, 0), slope_at(p, 1));
  if (p->words & OAK_TABLE_ERROR)
    fprintf(f, " + 0 / (real)((x) >= (real)%.17g && (x) <= (real)%.17g)", low, high);
  fprintf(f, ")\n");
}

static oak_status_t print_pieces(oak_table_printer_t *out, const char *name, pieces_t *c,
                                 const int *row) {
  const int count = c->cells << c->steps;
  char start[33] = "";
  int plain = c->plain = 1;
  double place;
  long double k[4];
  if (c->steps) OAK_TRY(print_start(out, c, row, count, start));
  for (int n = 0; n < c->count; n++) OAK_TRY(find_row(c, n, &place, k, &plain));
  c->plain = plain;
  print_array(out->f, "table", name, count * (c->order + 2 - plain));
  for (int n = 0; n < count; n++) {
    OAK_TRY(find_row(c, row[n] < 0 ? 0 : row[n], &place, k, &plain));
    if (!c->plain) OAK_TRY(print_number(out, place));
    for (int i = 0; i <= c->order; i++) OAK_TRY(print_number(out, (double)k[i]));
    fprintf(out->f, "\n");
  }
  fprintf(out->f, "};\n#define OAK_TABLE_SIZE_%s %d\n", name, count);
  print_look_up(out->f, name, c, start);
  return OAK_OK;
}

static oak_status_t print_line(oak_table_printer_t *out, const char *name, const oak_points_t *p) {
  OAK_FREED int *row = NULL;
  pieces_t c = {.p = p, .real_size = out->real_size};
  int n = 1;
  while (p->value && !(p->words & OAK_TABLE_ERROR) && p->value[n] == p->value[0])
    if (++n == p->count[0]) {
      fprintf(out->f, "#define OAK_TABLE_SIZE_%s 1\n", name);
      fprintf(out->f, "#define OAK_LOOK_UP_%s(x) ((void)(x), (real)%.17g)\n", name, p->value[0]);
      return OAK_OK;
    }
  oak_status_t st = find_pieces(&c, p->slope ? 3 : 1);
  if (st == OAK_OK && c.error > SOUGHT(p)) st = find_pieces(&c, 3);
  if (st == OAK_OK && c.error > ALLOWED)
    st = OAK_FAIL(OAK_ERR_INPUT, "the values vary too steeply: cubics err by %g", c.error);
  if (st == OAK_OK) choose_cells(&c);
  if (st == OAK_OK) st = list_rows(&c, &row);
  if (st == OAK_OK) st = print_pieces(out, name, &c, row);
  out->error = fmax(out->error, c.error);
  free(c.piece);
  return st;
}

/* Two dimensions: the numbers at the points of a grid, and those of its axes for a search. */
static oak_status_t print_grid(oak_table_printer_t *out, const char *name, const oak_points_t *p) {
  const int count = p->count[0] * p->count[1];
  char axis[96], look_up[1024];
  int length = 0;
  for (int d = 0; d < 2; d++) {
    const double *x = p->x[d];
    int last = p->count[d] - 1, steps = 0;
    while (1 << steps <= last) steps++;
    OAK_TRY(check_fit(x[last] - x[0] <= largest(out->real_size)));
    snprintf(axis, sizeof axis, "%s_%c", name, 'x' + d);
    print_array(out->f, "start", axis, last + 1 + (1 << steps));
    for (int n = 0; n <= last; n++) {
      OAK_TRY(check_fit(n == last ||
                        round_up(out->real_size, x[n + 1]) > round_up(out->real_size, x[n])));
      OAK_TRY(print_number(out, round_up(out->real_size, x[n])));
    }
    for (int n = 0; n < 1 << steps; n++) OAK_TRY(print_number(out, largest(out->real_size)));
    fprintf(out->f, "};\n");
    length += snprintf(look_up + length, sizeof look_up - (size_t)length,
                       ", oak_start_%s, %d, %d, %c", axis, last, steps, 'x' + d);
  }
  print_array(out->f, "table", name, count);
  for (int n = 0; n < count; n++) OAK_TRY(print_number(out, p->value[n]));
  fprintf(out->f,
          "};\n#define OAK_TABLE_SIZE_%s %d\n"
          "#define OAK_LOOK_UP_%s(x, y) oak_look_up_2d(oak_table_%s, %d%s)\n",
          name, count, name, name, p->words, look_up);
  return OAK_OK;
}

oak_status_t oak_table_print(oak_table_printer_t *out, const char *name, const oak_points_t *p) {
  const oak_status_t st = (p->dim == 2 ? print_grid : print_line)(out, name, p);
  char message[512];
  if (st != OAK_ERR_INPUT || p->formula) return st;
  snprintf(message, sizeof message, "%s", oak_last_error());
  return OAK_FAIL(OAK_ERR_INPUT, "%s: %s for %s precision: choose other units", p->path, message,
                  out->real_size == 4 ? "single" : "double");
}

void oak_table_print_none(FILE *f, const char *name) {
  fprintf(f, "#define OAK_TABLE_SIZE_%s 0\n#define OAK_LOOK_UP_%s(...) 0\n", name, name);
}
