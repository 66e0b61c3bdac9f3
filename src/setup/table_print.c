/* SPDX-License-Identifier: GPL-2.0-or-later
 * Tables as C for the kernels (kernels/language/hooks.h, oak_look_up): an axis, which tells the
 * piece that holds x, and the numbers of the pieces. Each cell of the axis knows the piece at its
 * beginning; a fixed number of steps, mostly none or one, finds that of x. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "setup/table.h"

/* ---- the axis */

struct oak_axis {
  int count; /* of pieces */
  int cells, steps, shift, base;
  double offset;
  double *start; /* [count + 1] first x of each piece, and the last x */
  int *first;    /* [cells] piece of each cell */
  char name[96];
};

/* As in the kernels: oak_piece. */
static int cell_of(const struct oak_axis *a, int real_size, double x) {
  const double wide = x + a->offset;
  const float narrow = (float)x + (float)a->offset;
  uint64_t all;
  uint32_t part;
  memcpy(&all, &wide, sizeof all);
  memcpy(&part, &narrow, sizeof part);
  const int n = ((int)(real_size == 8 ? all >> 32 : part) >> a->shift) - a->base;
  return n > 0 ? n : 0;
}

/* Whether piece \a n begins inside a cell, and not with it. */
static int is_inside(const struct oak_axis *a, int real_size, int n) {
  const double x = a->start[n];
  const double before =
      real_size == 8 ? nextafter(x, -INFINITY) : (double)nextafterf((float)x, -INFINITY);
  return cell_of(a, real_size, before) == cell_of(a, real_size, x);
}

static void count_steps(struct oak_axis *a, int real_size) {
  int most = 0;
  a->cells = cell_of(a, real_size, a->start[a->count]) + 1;
  for (int n = 1, here = 0; n < a->count; n++) {
    if (cell_of(a, real_size, a->start[n]) != cell_of(a, real_size, a->start[n - 1])) here = 0;
    here += is_inside(a, real_size, n);
    if (here > most) most = here;
  }
  for (a->steps = 0; 1 << a->steps <= most;) a->steps++;
}

/* Choose the cells with which the search is shortest: one cell, or 2^n equal ones, or 2^n from each
 * power of two to the next. */
static void choose_cells(struct oak_axis *best, int real_size) {
  const double low = best->start[0], high = best->start[best->count];
  struct oak_axis a = *best;
  best->shift = 31;
  count_steps(best, real_size);
  for (int n = 0; n < 26; n++) {
    a.shift = (real_size == 8 ? 20 : 23) - n / 2;
    a.offset = n % 2 ? ldexp(1, ilogb(high - low) + 1) - low : 0;
    a.base = 0;
    if (low < 0 && !a.offset) continue;
    /* a cell below the first positive number */
    a.base = cell_of(&a, real_size, low + a.offset > 0 ? low : a.start[1]) - !(low + a.offset > 0);
    if (cell_of(&a, real_size, high) >= 4 * a.count + 64) continue;
    count_steps(&a, real_size);
    const int more = a.steps + 1 - best->steps - (best->shift < 31);
    if (more < 0 || (!more && a.cells < best->cells)) *best = a;
  }
}

static oak_status_t find_first(struct oak_axis *a, int real_size) {
  OAK_TRY(OAK_NEW(a->first, a->cells));
  for (int n = 1, c = 0; n <= a->count; n++) {
    const int next =
        n == a->count ? a->cells : cell_of(a, real_size, a->start[n]) + is_inside(a, real_size, n);
    for (; c < next; c++) a->first[c] = n - 1;
  }
  return OAK_OK;
}

static void print_array(FILE *f, const char *type, const char *what, const char *name, int count) {
  fprintf(f, "OAK_TABLE_DATA(%s, oak_%s_%s, %d) = {", type, what, name, count);
}

/* Behind the last piece. CUDA has no constant for infinity. */
#define LARGEST(real_size) ((real_size) == 4 ? (double)FLT_MAX : DBL_MAX)
static void print_start(FILE *f, int real_size, const char *name, const double *start, int count,
                        int steps) {
  print_array(f, "real", "start", name, count + (1 << steps));
  for (int n = 0; n < count; n++) fprintf(f, "%.17g,\n", start[n]);
  for (int n = 0; n < 1 << steps; n++) fprintf(f, "%.17g,", LARGEST(real_size));
  fprintf(f, "};\n");
}

/* Cells that have at most two pieces have their own copies of them, so that a kernel need not read
 * the number of the piece. */
static int has_copies(const struct oak_axis *a) { return a->steps <= 1 && a->cells <= 4096; }

static oak_status_t print_axis(FILE *f, int real_size, const struct oak_axis *a) {
  const int copies = has_copies(a), count = copies ? a->cells : a->count;
  OAK_FREED double *start = calloc((size_t)count, sizeof *start);
  OAK_CHECK(start, OAK_ERR_MEMORY, "no memory for a table");
  for (int n = 0; n < count; n++) start[n] = a->start[copies ? a->first[n] + 1 : n];
  print_start(f, real_size, a->name, start, count, a->steps);
  if (!copies) print_array(f, "int", "first", a->name, a->cells);
  for (int n = 0; n < a->cells && !copies; n++)
    fprintf(f, "%d,%s", a->first[n], n % 16 ? "" : "\n");
  fprintf(f, "%s#define OAK_PIECE_%s(x) oak_piece(oak_start_%s, %s%s", copies ? "" : "};\n",
          a->name, a->name, copies ? "0" : "oak_first_", copies ? "" : a->name);
  fprintf(f, ", (real)%.17g, %d, %d, %d, %d, x)\n", a->offset, a->shift, a->base, a->cells,
          a->steps);
  return OAK_OK;
}

/* The axis with these pieces, a new one if no table has it. \a start becomes that of the axis. */
static oak_status_t find_axis(oak_table_printer_t *out, const char *name, double *start, int count,
                              const struct oak_axis **axis) {
  struct oak_axis a = {.count = count, .start = start};
  oak_status_t st = OAK_OK;
  int n = 0;
  while (n < out->naxis && (out->axis[n].count != count ||
                            memcmp(out->axis[n].start, start, (size_t)(count + 1) * sizeof *start)))
    n++;
  if (n == out->naxis) {
    snprintf(a.name, sizeof a.name, "%s", name);
    choose_cells(&a, out->real_size);
    st = OAK_GROW(out->axis, out->naxis);
    if (st == OAK_OK) st = find_first(&a, out->real_size);
    if (st == OAK_OK) st = print_axis(out->f, out->real_size, &a);
    if (st == OAK_OK) out->axis[out->naxis++] = a;
  }
  if (n == out->naxis || out->axis[n].start != start) free(start);
  *axis = &out->axis[n];
  return st;
}

/* ---- numbers */

/* The first number from x on that kernels have. */
static double round_up(int real_size, double x) {
  const float f = (float)x;
  if (real_size == 8) return x;
  return (double)((double)f < x ? nextafterf(f, INFINITY) : f);
}

static int fits(int real_size, double x) {
  return fabs(x) <= (real_size == 4 ? (double)FLT_MAX : DBL_MAX);
}

static oak_status_t check_fit(int fit) {
  OAK_CHECK(fit, OAK_ERR_INPUT,
            "the numbers, their differences or their quotients are too large or too small");
  return OAK_OK;
}

/* CUDA has no constants of single precision that are too small for it. */
static oak_status_t print_number(const oak_table_printer_t *out, double x) {
  OAK_TRY(check_fit(fits(out->real_size, x)));
  fprintf(out->f, "%.17g,", out->real_size == 4 ? (double)(float)x : x);
  return OAK_OK;
}

static double log2_ratio(double x, double a) {
  return fabs(x - a) < a / 2 ? log1p((x - a) / a) / log(2) : log2(x / a);
}

/* The numbers of the piece between the points n and n + 1: the place of an end, the value there,
 * and slopes. Where the value is smaller, they are as exact as those of the table, which does not
 * matter for logarithms of values. Beyond the ends of a cubic, its tangent. */
static oak_status_t print_piece(const oak_table_printer_t *out, const oak_points_t *p, int n,
                                double unit) {
  const double *x = p->x[0], *y = p->value, *m = p->slope;
  const int beyond = n < 0 || n > p->count[0] - 2, log_x = p->words & OAK_TABLE_LOG_X;
  const int log_value = p->words & OAK_TABLE_LOG_VALUE, plain = p->words & OAK_TABLE_AROUND_0;
  const int a = n < 0 ? 0 : n + (!beyond && !log_value && fabs(y[n + 1]) < fabs(y[n]));
  const int b = beyond ? a : 2 * n + 1 - a;
  const double place = plain ? 0 : out->real_size == 4 ? (double)(float)x[a] : x[a];
  const double u = log_x ? log2_ratio(place, x[a]) : place - x[a];
  const double h = log_x ? log2_ratio(x[b], x[a]) : x[b] - x[a];
  const double d = (log_value ? log2_ratio(y[b], y[a]) : y[b] - y[a]) / h;
  const double start = m ? m[a] : d, end = m ? m[b] : d;
  const double c2 = m && !beyond ? (3 * d - 2 * start - end) / h : 0;
  const double c3 = m && !beyond ? (start + end - 2 * d) / (h * h) : 0;
  /* 2 to the power of the logarithm of this quotient must be a number of kernels */
  OAK_TRY(check_fit(!log_value || fabs(d * h) < (out->real_size == 4 ? 120 : 1000)));
  if (!plain) OAK_TRY(print_number(out, place));
  OAK_TRY(
      print_number(out, log_value ? y[a] * exp2(d * u) : y[a] + u * (start + u * (c2 + u * c3))));
  OAK_TRY(print_number(out, start + u * (2 * c2 + 3 * c3 * u)));
  if (m) OAK_TRY(print_number(out, (c2 + 3 * c3 * u) * unit));
  if (m) OAK_TRY(print_number(out, c3 * unit * unit));
  fprintf(out->f, "\n");
  return OAK_OK;
}

static oak_status_t print_line(oak_table_printer_t *out, const char *name, const oak_points_t *p) {
  const int last = p->count[0] - 1, words = p->words,
            outside = OAK_TABLE_CUBIC | OAK_TABLE_EXTRAPOLATE;
  const int tangent = (words & outside) == outside, pieces = last + 2 * tangent;
  const int size = words & OAK_TABLE_CUBIC ? 5 : words & OAK_TABLE_AROUND_0 ? 2 : 3;
  const double *x = p->x[0], width = x[last] - x[0];
  const double unit = out->real_size == 4 ? width / last : 1;
  const struct oak_axis *a;
  int constant = !words;
  double *start;
  OAK_TRY(check_fit(fits(out->real_size, width)));
  for (int n = 1; n <= last; n++) constant &= p->value[n] == p->value[0];
  OAK_TRY(OAK_NEW(start, (size_t)pieces + 1));
  for (int n = 0; n <= last; n++) start[n + tangent] = round_up(out->real_size, x[n]);
  if (tangent) start[0] = 2 * start[1] - start[2];
  if (tangent) start[pieces] = 2 * start[pieces - 1] - start[pieces - 2];
  const double low = start[0], high = start[pieces];
  OAK_TRY(find_axis(out, name, start, pieces, &a));
  const int copies = has_copies(a), count = copies ? a->cells << a->steps : pieces;
  print_array(out->f, "real", "table", name, count * size);
  for (int n = 0; n < count; n++) {
    const int piece = copies ? a->first[n >> a->steps] + (n & a->steps) : n;
    OAK_TRY(print_piece(out, p, (piece < pieces ? piece : pieces - 1) - tangent, unit));
  }
  fprintf(out->f, "};\n#define OAK_TABLE_SIZE_%s %d\n#define OAK_LOOK_UP_%s(x) ", name, count,
          name);
  if (constant)
    fprintf(out->f, "((void)(x), (real)%.17g)\n", p->value[0]);
  else
    fprintf(out->f,
            "oak_look_up(oak_table_%s, %d, (real)%.17g, (real)%.17g, (real)%.17g, "
            "OAK_PIECE_%s(oak_inside(x, (real)%.17g, (real)%.17g)), x)\n",
            name, words, 1 / unit, low, high, a->name, low, high);
  return OAK_OK;
}

/* Two dimensions: the numbers at the points of a grid, and those of its axes for a search. */
static oak_status_t print_grid(oak_table_printer_t *out, const char *name, const oak_points_t *p) {
  const int count = p->count[0] * p->count[1];
  char axis[2][96], look_up[1024];
  int length = 0;
  for (int d = 0; d < 2; d++) {
    double *x = p->x[d];
    int last = p->count[d] - 1, steps = 0;
    while (1 << steps <= last) steps++;
    OAK_TRY(check_fit(fits(out->real_size, x[last] - x[0])));
    for (int n = 0; n <= last; n++) x[n] = round_up(out->real_size, x[n]);
    for (int n = 0; n < last; n++) OAK_TRY(check_fit(x[n + 1] > x[n]));
    snprintf(axis[d], sizeof *axis, "%s_%c", name, 'x' + d);
    print_start(out->f, out->real_size, axis[d], x, last + 1, steps);
    length += snprintf(look_up + length, sizeof look_up - (size_t)length,
                       ", oak_start_%s, %d, %d, %c", axis[d], last, steps, 'x' + d);
  }
  print_array(out->f, "real", "table", name, count);
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
  if (st != OAK_ERR_INPUT) return st;
  snprintf(message, sizeof message, "%s", oak_last_error());
  return OAK_FAIL(OAK_ERR_INPUT, "%s: %s for %s precision: choose other units", p->path, message,
                  out->real_size == 4 ? "single" : "double");
}

void oak_table_print_none(FILE *f, const char *name) {
  fprintf(f, "#define OAK_TABLE_SIZE_%s 0\n#define OAK_LOOK_UP_%s(...) 0\n", name, name);
}

void oak_table_print_end(oak_table_printer_t *out) {
  for (int n = 0; n < out->naxis; n++) {
    free(out->axis[n].start);
    free(out->axis[n].first);
  }
  free(out->axis);
}
