/* SPDX-License-Identifier: GPL-2.0-or-later
 * Functions whose values come from text files (TABLE). The kernels get samples at equal distances,
 * so that a look-up needs no search. The samples are part of their source. */
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "solver/setup/setup.h"

enum { INTERVALS = 2048, LARGEST_FILE = 16 << 20 };

/* How values between the lines of a file are found. The help text begins with the word. */
typedef enum { LINEAR, CUBIC, LOG } method_t;
static const char *const method_word[] = {
    [LINEAR] = "{linear}", [CUBIC] = "{cubic}", [LOG] = "{log}"};

typedef struct {
  const char *path;
  double *x, *y, *slope; /* slope: for CUBIC */
  int count;
} points_t;

/* ---- what files declare */

/* The method that the first word of a help text names, -1 if the word is unknown. \a help then
 * points behind the word. */
static int read_method(const char **help) {
  for (int m = LINEAR; m <= LOG; m++) {
    const size_t length = strlen(method_word[m]);
    if (strncmp(*help, method_word[m], length) != 0) continue;
    *help += length + strspn(*help + length, " ");
    return m;
  }
  return **help == '{' ? -1 : LINEAR;
}

/* Whether the help text begins with {time}. It then points behind the word. */
static int read_time(const char **help) {
  static const char word[] = "{time}";
  if (strncmp(*help, word, sizeof word - 1) != 0) return 0;
  *help += sizeof word - 1;
  *help += strspn(*help, " ");
  return 1;
}

oak_status_t oak_tables_describe(oak_setup_t *setup, oak_module_t *module) {
  static const char *const owner_name[] = {"physics", "problem"};
  const oak_declared_t *d = &setup->files.declared;
  for (int n = 0; n < d->ntable; n++) {
    const char *owner = owner_name[d->table[n].owner], *name = d->table[n].name;
    char constant[128], text[OAK_HELP_BYTES];
    const char *help = text;
    const int t = setup->tables.count;
    snprintf(constant, sizeof constant, "%s_table_%s", owner, name);
    if (!oak_setup_constant(setup, module, constant, setup->tables.table[t].file, OAK_TABLE_BYTES))
      continue; /* the preprocessor has left it out */
    snprintf(constant, sizeof constant, "%s_help_%s", owner, name);
    OAK_TRY(oak_device_constant(setup->dev, module, constant, text, sizeof text));
    setup->tables.count++;
    setup->tables.table[t].owner = d->table[n].owner;
    setup->tables.table[t].name = name;
    setup->tables.table[t].over_time = read_time(&help);
    setup->tables.table[t].method = read_method(&help);
    OAK_CHECK(
        setup->tables.table[t].method >= 0, OAK_ERR_INPUT,
        "TABLE(%s, ...): the help text may begin with {time}, and then with {linear}, {cubic} "
        "or {log}",
        name);
    snprintf(setup->tables.table[t].key, sizeof setup->tables.table[t].key, "%s.%s", owner, name);
    const oak_param_desc_t desc = {.key = setup->tables.table[t].key,
                                   .type = OAK_PARAM_TEXT,
                                   .fallback = setup->tables.table[t].file,
                                   .help = help};
    OAK_TRY(oak_params_declare(setup->params, &desc, 1));
  }
  return OAK_OK;
}

/* ---- files */

/* A file that the C file names lies beside it; one that a key names lies beside the parameter file,
 * or in the present folder, or, as a bare name, in oak's own folder of problems. */
static oak_status_t find_file(oak_setup_t *setup, int t) {
  const char *key = setup->tables.table[t].key, *name = oak_params_text(setup->params, key);
  const char *origin = oak_params_origin(setup->params, key);
  const char *source =
      setup->tables.table[t].owner == OAK_OF_PHYSICS ? setup->files.physics : setup->files.problem;
  const int is_set = oak_params_is_set(setup->params, key);
  const char *folder = is_set ? oak_params_folder(setup->params) : source;
  const char *slash = strrchr(source, '/');
  const int length = is_set || !slash ? (int)strlen(folder) : (int)(slash - source);
  char beside[8200], own[8200];
  const char *root;
  struct stat info;
  setup->tables.table[t].path[0] = 0;
  if (!*name) return OAK_OK;
  snprintf(beside, sizeof beside, "%.*s/%s", length, folder, name);
  const char *found = *name != '/' && (!is_set || stat(beside, &info) == 0) ? beside : name;
  if (found == name && !strchr(name, '/') && stat(name, &info) != 0) {
    OAK_TRY(oak_source_root(&root));
    snprintf(own, sizeof own, "%s/problems/%s", root, name);
    if (stat(own, &info) == 0) found = own;
  }
  if (!is_set) origin = source;
  OAK_CHECK(stat(found, &info) == 0, OAK_ERR_INPUT, "%s: %s = %s: cannot read %s: %s", origin, key,
            name, found, strerror(errno));
  OAK_CHECK(S_ISREG(info.st_mode) && info.st_size <= LARGEST_FILE, OAK_ERR_INPUT,
            "%s: %s = %s: must be a text file of at most %d MiB", origin, key, name,
            LARGEST_FILE >> 20);
  OAK_FREED char *full = realpath(found, NULL);
  OAK_CHECK(full && strlen(full) < sizeof setup->tables.table[t].path, OAK_ERR_FILE,
            "cannot resolve the path %s", found);
  snprintf(setup->tables.table[t].path, sizeof setup->tables.table[t].path, "%s", full);
  return OAK_OK;
}

static oak_status_t add_point(points_t *p, int line, double x, double y, method_t method) {
  OAK_CHECK(isfinite(x) && isfinite(y), OAK_ERR_INPUT, "%s:%d: %g %g: both numbers must be finite",
            p->path, line, x, y);
  OAK_CHECK(method != LOG || (x > 0 && y > 0), OAK_ERR_INPUT,
            "%s:%d: %g %g: both numbers must be above 0, because this table is interpolated on "
            "logarithmic scales",
            p->path, line, x, y);
  OAK_CHECK(!p->count || x > p->x[p->count - 1], OAK_ERR_INPUT,
            "%s:%d: %g follows %g: the numbers of the first column must increase", p->path, line, x,
            p->x[p->count - 1]);
  OAK_TRY(OAK_GROW(p->x, p->count));
  OAK_TRY(OAK_GROW(p->y, p->count));
  p->x[p->count] = x;
  p->y[p->count++] = y;
  return OAK_OK;
}

/* A line "x y", with a comma between the numbers or without. */
static oak_status_t read_line(points_t *p, char *text, int line, method_t method) {
  char *end = text;
  double value[2];
  text[strcspn(text, "#\r\n")] = 0;
  if (!text[strspn(text, " \t")]) return OAK_OK;
  for (int n = 0; n < 2; n++) {
    char *begin = end + strspn(end, n ? " \t," : " \t");
    value[n] = strtod(begin, &end);
    OAK_CHECK(end > begin, OAK_ERR_INPUT, "%s:%d: '%.60s': must be two numbers, x and y", p->path,
              line, text);
  }
  OAK_CHECK(!end[strspn(end, " \t")], OAK_ERR_INPUT,
            "%s:%d: '%.60s': must be two numbers, x and y, and no more", p->path, line, text);
  return add_point(p, line, value[0], value[1], method);
}

static oak_status_t read_points(points_t *p, method_t method) {
  char *line = NULL;
  size_t room = 0;
  ssize_t length;
  FILE *f = fopen(p->path, "rb");
  OAK_CHECK(f, OAK_ERR_FILE, "cannot read %s: %s", p->path, strerror(errno));
  oak_status_t st = OAK_OK;
  for (int n = 1; st == OAK_OK && (length = getline(&line, &room, f)) >= 0; n++) {
    const int bom = n == 1 && !strncmp(line, "\xEF\xBB\xBF", 3) ? 3 : 0;
    if (strlen(line) < (size_t)length)
      st = OAK_FAIL(OAK_ERR_INPUT, "%s:%d: binary data: a table is a text file", p->path, n);
    else
      st = read_line(p, line + bom, n, method);
  }
  free(line);
  fclose(f);
  OAK_TRY(st);
  OAK_CHECK(p->count >= 2, OAK_ERR_INPUT, "%s has %d line%s with numbers: a table needs at least 2",
            p->path, p->count, p->count == 1 ? "" : "s");
  return OAK_OK;
}

/* ---- samples */

static double chord(const points_t *p, int n) {
  return (p->y[n + 1] - p->y[n]) / (p->x[n + 1] - p->x[n]);
}

/* The slope at an end, of the parabola through three points. It has the sign of the last chord, and
 * is three times as steep at most; the cubic is then monotone. */
static double end_slope(const points_t *p, int last, int before) {
  const double a = chord(p, last);
  if (p->count == 2) return a;
  const double h = p->x[last + 1] - p->x[last], b = chord(p, before);
  const double slope = a + (a - b) * h / (h + p->x[before + 1] - p->x[before]);
  return slope * a <= 0 ? 0 : fabs(slope) > 3 * fabs(a) ? 3 * a : slope;
}

/* The slopes of a cubic that is monotone where the points are: F. N. Fritsch, J. Butland, SIAM J.
 * Sci. Stat. Comput. 5 (1984) 300. */
static oak_status_t find_slopes(points_t *p) {
  OAK_TRY(OAK_NEW(p->slope, p->count));
  p->slope[0] = end_slope(p, 0, 1);
  p->slope[p->count - 1] = end_slope(p, p->count - 2, p->count - 3);
  for (int n = 1; n < p->count - 1; n++) {
    const double a = chord(p, n - 1), b = chord(p, n);
    const double share = (1 + (p->x[n + 1] - p->x[n]) / (p->x[n + 1] - p->x[n - 1])) / 3;
    p->slope[n] = a * b > 0 ? a * b / (share * b + (1 - share) * a) : 0;
  }
  return OAK_OK;
}

/* The value at x, which lies between the points n and n + 1. */
static double value_at(const points_t *p, method_t method, int n, double x) {
  const double h = p->x[n + 1] - p->x[n], s = (x - p->x[n]) / h, r = 1 - s;
  const double a = p->y[n], b = p->y[n + 1];
  if (method == LOG) return a * pow(b / a, log(x / p->x[n]) / log(p->x[n + 1] / p->x[n]));
  if (method == LINEAR) return r * a + s * b;
  return r * r * ((1 + 2 * s) * a + s * h * p->slope[n]) +
         s * s * ((1 + 2 * r) * b - r * h * p->slope[n + 1]);
}

/* Whether kernels can compute with a number. */
static int fits(const oak_setup_t *setup, double value) {
  return fabs(value) <= (setup->flux_size == 4 ? FLT_MAX : DBL_MAX);
}

static oak_status_t print_points(const oak_setup_t *setup, int t, const points_t *p, FILE *f) {
  const method_t method = setup->tables.table[t].method;
  const double first = p->x[0], last = p->x[p->count - 1], per_x = INTERVALS / (last - first);
  int fit = fits(setup, first) && fits(setup, last) && fits(setup, per_x) && per_x > 0 &&
            (method != LOG || last / first <= DBL_MAX);
  fprintf(f, "#define OAK_TABLE_SIZE_%s %d\n", setup->tables.table[t].name, INTERVALS);
  fprintf(f, "OAK_TABLE_DATA(oak_table_%s, %d) = {%.17g, %.17g", setup->tables.table[t].name,
          INTERVALS + 3, first, per_x);
  for (int i = 0, n = 0; i <= INTERVALS && fit; i++) {
    const double x = fmin(first + (last - first) * i / INTERVALS, last);
    while (n + 2 < p->count && x >= p->x[n + 1]) n++;
    const double y = value_at(p, method, n, x);
    fit = fits(setup, y);
    fprintf(f, ",%s%.17g", i % 8 ? " " : "\n", y);
  }
  fprintf(f, "};\n");
  OAK_CHECK(fit, OAK_ERR_INPUT,
            "%s: the numbers, their differences or their quotients are too large or too small for "
            "scheme.precision = %s: choose other units",
            p->path, oak_params_text(setup->params, "scheme.precision"));
  return OAK_OK;
}

static oak_status_t print_samples(oak_setup_t *setup, int t, FILE *f) {
  points_t p = {.path = setup->tables.table[t].path};
  const method_t method = setup->tables.table[t].method;
  oak_status_t st = read_points(&p, method);
  if (st == OAK_OK && method == CUBIC) st = find_slopes(&p);
  if (st == OAK_OK) st = print_points(setup, t, &p, f);
  free(p.slope);
  if (setup->tables.table[t].over_time) {
    setup->tables.table[t].x = p.x;
    setup->tables.table[t].y = p.y;
    setup->tables.table[t].count = st == OAK_OK ? p.count : 0;
    return st;
  }
  free(p.x);
  free(p.y);
  return st;
}

/* ---- time steps */

/* Values of a table over the time may change by this part of its range within a step, and differ by
 * BEND of it from a straight line. A step is not shortened more than by JUMP for it, since a table
 * may jump. */
#define SHARE (1.0 / 20)
#define BEND (1.0 / 200)
#define JUMP (1.0 / 1024)

/* The value at x, linear between the points and constant beyond them. Point *n is before x. */
static double value_near(const points_t *p, double x, int *n) {
  for (*n = 0; *n + 2 < p->count && x >= p->x[*n + 1];) (*n)++;
  return x <= p->x[0]              ? p->y[0]
         : x >= p->x[p->count - 1] ? p->y[p->count - 1]
                                   : value_at(p, LINEAR, *n, x);
}

/* The step from `time` of dt at most for a table: up to the point where it bends, or until it has
 * changed so much. */
static double step_for(const points_t *p, double range, double time, double dt) {
  int n;
  const double y = value_near(p, time, &n), most = SHARE * range;
  const double slope = time < p->x[0] || time >= p->x[p->count - 1] ? 0 : chord(p, n);
  double x = fmax(time, p->x[0]), before = y;
  for (; n + 1 < p->count && x < time + dt; n++) {
    const double end = fmin(p->x[n + 1], time + dt), next = value_at(p, LINEAR, n, end);
    const double change = next - y;
    if (x > time && fabs(change - slope * (end - time)) > BEND * range) return x - time;
    if (fabs(change) > most)
      return x + (end - x) * (y + copysign(most, change) - before) / (next - before) - time;
    x = end;
    before = next;
  }
  return dt;
}

double oak_tables_step(const oak_setup_t *setup, double time, double dt) {
  const double least = JUMP * dt;
  for (int t = 0; t < setup->tables.count; t++) {
    const points_t p = {.x = setup->tables.table[t].x,
                        .y = setup->tables.table[t].y,
                        .count = setup->tables.table[t].count};
    double low = INFINITY, high = -INFINITY;
    for (int n = 0; n < p.count; n++) low = fmin(low, p.y[n]), high = fmax(high, p.y[n]);
    if (high > low) dt = step_for(&p, high - low, time, dt);
  }
  return isfinite(least) ? fmax(dt, least) : dt;
}

/* ---- for the kernels */

static void print_none(const char *name, FILE *f) {
  fprintf(f, "#define OAK_TABLE_SIZE_%s 0\nOAK_TABLE_DATA(oak_table_%s, 4) = {0};\n", name, name);
}

static oak_status_t make_text(oak_setup_t *setup, oak_owner_t owner) {
  size_t size;
  FILE *f = open_memstream(&setup->tables.text[owner], &size);
  OAK_CHECK(f, OAK_ERR_MEMORY, "no memory for the tables of %s", setup->files.problem);
  oak_status_t st = OAK_OK;
  for (int t = 0; t < setup->tables.count && st == OAK_OK; t++) {
    if (setup->tables.table[t].owner != owner) continue;
    st = find_file(setup, t);
    if (st == OAK_OK && *setup->tables.table[t].path) st = print_samples(setup, t, f);
    if (st == OAK_OK && !*setup->tables.table[t].path) print_none(setup->tables.table[t].name, f);
  }
  const int failed = ferror(f);
  if ((fclose(f) != 0 || failed) && st == OAK_OK)
    st = OAK_FAIL(OAK_ERR_MEMORY, "no memory for the tables of %s", setup->files.problem);
  return st;
}

oak_status_t oak_tables_read(oak_setup_t *setup) {
  if (!setup->tables.count) return OAK_OK;
  OAK_TRY(make_text(setup, OAK_OF_PHYSICS));
  return make_text(setup, OAK_OF_PROBLEM);
}

void oak_tables_print(const oak_setup_t *setup, int describe, FILE *f) {
  const oak_declared_t *d = &setup->files.declared;
  for (int n = 0; n < d->ntable && describe; n++) print_none(d->table[n].name, f);
  for (int o = 0; o < 2 && !describe; o++)
    if (setup->tables.text[o]) fputs(setup->tables.text[o], f);
}

void oak_tables_free(oak_setup_t *setup) {
  for (int o = 0; o < 2; o++) free(setup->tables.text[o]);
  for (int t = 0; t < setup->tables.count; t++) {
    free(setup->tables.table[t].x);
    free(setup->tables.table[t].y);
  }
}
