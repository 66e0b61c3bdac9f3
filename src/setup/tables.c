/* SPDX-License-Identifier: GPL-2.0-or-later
 * Functions whose values come from files (TABLE, TABLE_2D): what is declared, and where the files
 * are. Their numbers become part of the source of the kernels. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "setup/setup.h"

enum { LARGEST_FILE = 16 << 20 };

/* ---- what files declare */

/* The words in braces with which a help text begins, as bits; -1 if one is unknown. \a help then
 * points behind them. */
static int read_words(const char **help, int dim) {
  static const char *const word[] = {"cubic", "log_x", "log_y", "log_value", "extrapolate",
                                     "error", "time",  "log",   "linear",    "end"};
  enum { LOG = 7, KNOWN = 10 }; /* those before LOG have a bit, in this order */
  const int log = OAK_TABLE_CURVED | OAK_TABLE_LOG_Y,
            ends = OAK_TABLE_EXTRAPOLATE | OAK_TABLE_ERROR;
  int bits = 0;
  for (; **help == '{'; *help += 1 + strspn(*help + 1, " "))
    for (++*help; *(*help += strspn(*help, " ,")) != '}';) {
      const size_t length = strcspn(*help, " ,}");
      int n = 0;
      while (n < KNOWN && (strncmp(*help, word[n], length) || word[n][length])) n++;
      if (n == KNOWN) return -1;
      bits |= n < LOG ? 1 << n : n == LOG ? log : 0;
      *help += length;
    }
  if (dim == 1) bits &= ~OAK_TABLE_LOG_Y;
  const int alone = !(bits & OAK_TABLE_CUBIC) || (dim == 1 && !(bits & OAK_TABLE_CURVED));
  return alone && (bits & ends) != ends && !(dim == 2 && bits & OAK_TABLE_TIME) ? bits : -1;
}

static oak_status_t describe(oak_setup_t *setup, oak_module_t *module) {
  const oak_declared_t *d = &setup->files.declared;
  for (int n = 0; n < d->ntable; n++) {
    const char *owner = oak_owner_name[d->table[n].owner], *name = d->table[n].name;
    oak_user_table_t *t = &setup->tables.table[setup->tables.count];
    char constant[128], text[OAK_HELP_BYTES];
    const char *help = text;
    int dim = 0, found = 0;
    while (!found && dim++ < 2) {
      snprintf(constant, sizeof constant, "%s_table_%s%s", owner, dim == 2 ? "2d_" : "", name);
      found = oak_setup_constant(setup, module, constant, t->file, OAK_TABLE_BYTES);
    }
    if (!found) continue; /* the preprocessor has left it out */
    snprintf(constant, sizeof constant, "%s_help_%s", owner, name);
    OAK_TRY(oak_device_constant(setup->dev, module, constant, text, sizeof text));
    setup->tables.count++;
    t->owner = d->table[n].owner;
    t->name = name;
    t->points = (oak_points_t){.path = t->path, .dim = dim, .words = read_words(&help, dim)};
    OAK_CHECK(t->points.words >= 0, OAK_ERR_INPUT,
              "%s(%s, ...): the help text may begin with words in braces: {linear}, {cubic}, which "
              "stands alone and in one dimension, {log}, {log_x}, {log_y} or {log_value}, {end}, "
              "{extrapolate} or {error}, and in one dimension {time}",
              dim == 1 ? "TABLE" : "TABLE_2D", name);
    snprintf(t->key, sizeof t->key, "%s.%s", owner, name);
    const oak_param_desc_t desc = {
        .key = t->key, .type = OAK_PARAM_TEXT, .fallback = t->file, .help = help};
    OAK_TRY(oak_params_declare(setup->params, &desc, 1));
  }
  return OAK_OK;
}

/* ---- files */

/* A file that the C file names lies beside it; one that a key names lies beside the parameter file,
 * or in the present folder, or, as a bare name, in oak's own folder of problems. */
oak_status_t oak_tables_find(const oak_setup_t *setup, const char *key, const char *source,
                             char path[4096]) {
  const char *name = oak_params_text(setup->params, key), *slash = strrchr(source, '/');
  const int is_set = oak_params_is_set(setup->params, key);
  const char *origin = is_set ? oak_params_origin(setup->params, key) : source;
  const char *folder = is_set ? oak_params_folder(setup->params) : source, *found = name, *root;
  const int length = is_set || !slash ? (int)strlen(folder) : (int)(slash - source);
  char beside[8200], own[8200];
  struct stat info;
  *path = 0;
  if (!*name) return OAK_OK;
  OAK_TRY(oak_source_root(&root));
  snprintf(beside, sizeof beside, "%.*s/%s", length, folder, name);
  snprintf(own, sizeof own, "%s/problems/%s", root, name);
  if (*name != '/' && (!is_set || stat(beside, &info) == 0))
    found = beside;
  else if (!strchr(name, '/') && stat(name, &info) != 0 && stat(own, &info) == 0)
    found = own;
  OAK_CHECK(stat(found, &info) == 0, OAK_ERR_INPUT, "%s: %s = %s: cannot read %s: %s", origin, key,
            name, found, strerror(errno));
  OAK_CHECK(S_ISREG(info.st_mode) && info.st_size <= LARGEST_FILE, OAK_ERR_INPUT,
            "%s: %s = %s: must be a text file of at most %d MiB", origin, key, name,
            LARGEST_FILE >> 20);
  OAK_FREED char *full = realpath(found, NULL);
  OAK_CHECK(full && strlen(full) < 4096, OAK_ERR_FILE, "cannot resolve the path %s", found);
  snprintf(path, 4096, "%s", full);
  return OAK_OK;
}

/* ---- time steps */

/* Values of a table over the time may change by this part of its range within a step, and differ by
 * BEND of it from a straight line. A step is not shortened more than by JUMP for it, since a table
 * may jump. */
#define SHARE (1.0 / 20)
#define BEND (1.0 / 200)
#define JUMP (1.0 / 1024)

/* Linear between the points, and constant beyond them. */
static double value_at(const oak_points_t *p, double time) {
  const double *x = p->x[0], *y = p->value;
  int n = 0, last = p->count[0] - 1;
  if (time <= x[0] || time >= x[last]) return y[time > x[0] ? last : 0];
  while (time > x[n + 1]) n++;
  return y[n] + (y[n + 1] - y[n]) / (x[n + 1] - x[n]) * (time - x[n]);
}

/* The step from `time` of dt at most for a table: up to the point where it bends, or until it has
 * changed so much. */
static double step_for(const oak_points_t *p, double range, double time, double dt) {
  const double first = value_at(p, time), most = SHARE * range;
  double x = time, y = first, slope = 0;
  for (int n = 0; n <= p->count[0] && x < time + dt; n++) {
    const double end = n < p->count[0] ? fmin(p->x[0][n], time + dt) : time + dt;
    const double next = value_at(p, end), change = next - first;
    if (end <= time) continue;
    if (x == time) slope = change / (end - time);
    if (fabs(change - slope * (end - time)) > BEND * range) return x - time;
    if (fabs(change) > most)
      return x + (end - x) * (first + copysign(most, change) - y) / (next - y) - time;
    x = end;
    y = next;
  }
  return dt;
}

double oak_tables_step(const oak_setup_t *setup, double time, double dt) {
  const double least = JUMP * dt;
  for (int t = 0; t < setup->tables.count; t++) {
    const oak_points_t *p = &setup->tables.table[t].points;
    if (!p->value || !(p->words & OAK_TABLE_TIME)) continue;
    double low = INFINITY, high = -INFINITY;
    for (int n = 0; n < p->count[0]; n++)
      low = fmin(low, p->value[n]), high = fmax(high, p->value[n]);
    if (high > low) dt = step_for(p, high - low, time, dt);
  }
  return isfinite(least) ? fmax(dt, least) : dt;
}

/* ---- for the kernels */

static oak_status_t make_text(oak_setup_t *setup, oak_owner_t owner) {
  size_t size;
  FILE *f = open_memstream(&setup->tables.text[owner], &size);
  oak_table_printer_t out = {.f = f, .real_size = setup->bytes.real};
  OAK_CHECK(f, OAK_ERR_MEMORY, "no memory for the tables of %s", setup->files.problem);
  const char *source = owner == OAK_OF_PHYSICS ? setup->files.physics : setup->files.problem;
  oak_status_t st = OAK_OK;
  for (int n = 0; n < setup->tables.count && st == OAK_OK; n++) {
    oak_user_table_t *t = &setup->tables.table[n];
    if (t->owner != owner) continue;
    st = oak_tables_find(setup, t->key, source, t->path);
    if (st == OAK_OK && *t->path) st = oak_points_read(&t->points);
    if (st == OAK_OK && *t->path) st = oak_table_add(&out, t->name, &t->points);
    if (!*t->path) oak_table_none(f, t->name);
  }
  st = oak_table_print(&out, st);
  setup->tables.error = fmax(setup->tables.error, out.error);
  return oak_close_text(f, st);
}

static oak_status_t read_files(oak_setup_t *setup) {
  int any = setup->reactions.text != NULL;
  OAK_TRY(make_text(setup, OAK_OF_PHYSICS));
  OAK_TRY(make_text(setup, OAK_OF_PROBLEM));
  for (int t = 0; t < setup->tables.count; t++) any |= *setup->tables.table[t].path != 0;
  OAK_CHECK(
      !any || setup->bytes.flux == setup->bytes.real, OAK_ERR_INPUT,
      "%s: scheme.precision = single_fluxes does not know tables and reactions, whose numbers "
      "have one precision: use double, mixed or single",
      oak_params_origin(setup->params, "scheme.precision"));
  return OAK_OK;
}

static void print(const oak_setup_t *setup, int purpose, FILE *f) {
  const oak_declared_t *d = &setup->files.declared;
  for (int n = 0; n < d->ntable && purpose == OAK_TO_DESCRIBE; n++)
    oak_table_none(f, d->table[n].name);
  for (int o = 0; o < 2 && purpose == OAK_FOR_KERNELS; o++)
    if (setup->tables.text[o]) fputs(setup->tables.text[o], f);
}

static void report(const oak_setup_t *setup, FILE *f) {
  int count = 0;
  for (const oak_user_table_t *t = setup->tables.table;
       t < setup->tables.table + setup->tables.count; t++)
    if (*t->path)
      fprintf(f, "%s%s of %d numbers", count++ ? ", " : "  tables: ", t->key,
              t->points.count[0] * t->points.count[1]);
  if (count) fprintf(f, "\n");
  if (setup->reactions.note) fputs(setup->reactions.note, f);
  if (setup->tables.error > 0)
    fprintf(f, "    formulas and logarithmic scales became lines or cubics: largest error %.1e\n",
            setup->tables.error);
}

static void clear(oak_setup_t *setup) {
  for (int o = 0; o < 2; o++) free(setup->tables.text[o]);
  for (int t = 0; t < setup->tables.count; t++) oak_points_free(&setup->tables.table[t].points);
}

const oak_topic_t oak_topic_tables = {
    .describe = describe, .read = read_files, .print = print, .report = report, .clear = clear};
