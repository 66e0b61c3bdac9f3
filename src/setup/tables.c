/* SPDX-License-Identifier: GPL-2.0-or-later
 * Functions whose values come from files (TABLE, TABLE_2D): what is declared, and where the files
 * are. Their numbers become part of the source of the kernels. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "setup/setup.h"

enum { LARGEST_FILE = 16 << 20 };

/* ---- what files declare */

/* The words in braces with which a help text begins, as bits; -1 if one is unknown. \a help then
 * points behind them. */
static int read_words(const char **help, int dim) {
  static const struct {
    const char *word;
    int bits;
  } word[] = {{"linear", 0},
              {"cubic", OAK_TABLE_CUBIC},
              {"log", OAK_TABLE_LOG_X | OAK_TABLE_LOG_Y | OAK_TABLE_LOG_VALUE},
              {"log_x", OAK_TABLE_LOG_X},
              {"log_y", OAK_TABLE_LOG_Y},
              {"log_value", OAK_TABLE_LOG_VALUE},
              {"end", 0},
              {"extrapolate", OAK_TABLE_EXTRAPOLATE},
              {"error", OAK_TABLE_ERROR},
              {"time", OAK_TABLE_TIME}};
  const int known = sizeof word / sizeof *word, curved = OAK_TABLE_LOG_X | OAK_TABLE_LOG_VALUE;
  int bits = 0;
  while (**help == '{') {
    for (++*help; *(*help += strspn(*help, " ,")) != '}';) {
      const size_t length = strcspn(*help, " ,}");
      int n = 0;
      while (n < known && (strncmp(*help, word[n].word, length) || word[n].word[length])) n++;
      if (!length || n == known) return -1;
      bits |= word[n].bits;
      *help += length;
    }
    ++*help;
    *help += strspn(*help, " ");
  }
  if (dim == 1) bits &= ~OAK_TABLE_LOG_Y;
  const int alone = !(bits & OAK_TABLE_CUBIC) || (dim == 1 && !(bits & curved));
  const int ends = OAK_TABLE_EXTRAPOLATE | OAK_TABLE_ERROR;
  return alone && (bits & ends) != ends && !(dim == 2 && bits & OAK_TABLE_TIME) ? bits : -1;
}

static oak_status_t describe(oak_setup_t *setup, oak_module_t *module) {
  static const char *const owner_name[] = {"physics", "problem"};
  const oak_declared_t *d = &setup->files.declared;
  for (int n = 0; n < d->ntable; n++) {
    const char *owner = owner_name[d->table[n].owner], *name = d->table[n].name;
    char constant[128], text[OAK_HELP_BYTES];
    const char *help = text;
    const int t = setup->tables.count;
    int dim = 0;
    for (int d = 1; d <= 2 && !dim; d++) {
      snprintf(constant, sizeof constant, "%s_table_%s%s", owner, d == 2 ? "2d_" : "", name);
      if (oak_setup_constant(setup, module, constant, setup->tables.table[t].file, OAK_TABLE_BYTES))
        dim = d;
    }
    if (!dim) continue; /* the preprocessor has left it out */
    snprintf(constant, sizeof constant, "%s_help_%s", owner, name);
    OAK_TRY(oak_device_constant(setup->dev, module, constant, text, sizeof text));
    setup->tables.count++;
    setup->tables.table[t].owner = d->table[n].owner;
    setup->tables.table[t].name = name;
    setup->tables.table[t].dim = dim;
    setup->tables.table[t].words = read_words(&help, dim);
    OAK_CHECK(setup->tables.table[t].words >= 0, OAK_ERR_INPUT,
              "%s(%s, ...): the help text may begin with words in braces: {linear}, {cubic}, which "
              "stands alone and in one dimension, {log}, {log_x}, {log_y} or {log_value}, {end}, "
              "{extrapolate} or {error}, and in one dimension {time}",
              dim == 1 ? "TABLE" : "TABLE_2D", name);
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
            "%s: %s = %s: must be a text file or .npy of at most %d MiB", origin, key, name,
            LARGEST_FILE >> 20);
  OAK_FREED char *full = realpath(found, NULL);
  OAK_CHECK(full && strlen(full) < 4096, OAK_ERR_FILE, "cannot resolve the path %s", found);
  snprintf(path, 4096, "%s", full);
  return OAK_OK;
}

/* The numbers and the words, for the message of a restart with others. */
static void hash_points(const oak_points_t *p, char hex[33]) {
  oak_hash_t hash;
  oak_hash_start(&hash);
  oak_hash_bytes(&hash, &p->words, sizeof p->words);
  for (int d = 0; d < p->dim; d++)
    oak_hash_bytes(&hash, p->x[d], (size_t)p->count[d] * sizeof *p->x[d]);
  oak_hash_bytes(&hash, p->value, (size_t)p->count[0] * (size_t)p->count[1] * sizeof *p->value);
  oak_hash_hex(&hash, hex);
}

/* ---- time steps */

/* Values of a table over the time may change by this part of its range within a step, and differ by
 * BEND of it from a straight line. A step is not shortened more than by JUMP for it, since a table
 * may jump. */
#define SHARE (1.0 / 20)
#define BEND (1.0 / 200)
#define JUMP (1.0 / 1024)

static double chord(const oak_points_t *p, int n) {
  return (p->value[n + 1] - p->value[n]) / (p->x[0][n + 1] - p->x[0][n]);
}

/* The value at x, linear between the points and constant beyond them. Point *n is before x. */
static double value_near(const oak_points_t *p, double x, int *n) {
  const int last = p->count[0] - 1;
  for (*n = 0; *n + 1 < last && x >= p->x[0][*n + 1];) (*n)++;
  if (x <= p->x[0][0]) return p->value[0];
  return x >= p->x[0][last] ? p->value[last] : p->value[*n] + chord(p, *n) * (x - p->x[0][*n]);
}

/* The step from `time` of dt at most for a table: up to the point where it bends, or until it has
 * changed so much. */
static double step_for(const oak_points_t *p, double range, double time, double dt) {
  int n;
  const int last = p->count[0] - 1;
  const double y = value_near(p, time, &n), most = SHARE * range;
  const double slope = time < p->x[0][0] || time >= p->x[0][last] ? 0 : chord(p, n);
  double x = fmax(time, p->x[0][0]), before = y;
  for (; n < last && x < time + dt; n++) {
    const double end = fmin(p->x[0][n + 1], time + dt);
    const double next = p->value[n] + chord(p, n) * (end - p->x[0][n]), change = next - y;
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
    const oak_points_t *p = &setup->tables.table[t].kept;
    double low = INFINITY, high = -INFINITY;
    for (int n = 0; n < p->count[0]; n++)
      low = fmin(low, p->value[n]), high = fmax(high, p->value[n]);
    if (high > low) dt = step_for(p, high - low, time, dt);
  }
  return isfinite(least) ? fmax(dt, least) : dt;
}

/* ---- for the kernels */

static oak_status_t print_table(oak_setup_t *setup, int t, oak_table_printer_t *out) {
  oak_points_t p = {.path = setup->tables.table[t].path,
                    .dim = setup->tables.table[t].dim,
                    .words = setup->tables.table[t].words};
  oak_status_t st = oak_points_read(&p);
  if (st == OAK_OK) hash_points(&p, setup->tables.table[t].hash);
  if (st == OAK_OK) st = oak_table_print(out, setup->tables.table[t].name, &p);
  setup->tables.table[t].points = p.count[0] * p.count[1];
  if (st == OAK_OK && setup->tables.table[t].words & OAK_TABLE_TIME)
    setup->tables.table[t].kept = p;
  else
    oak_points_free(&p);
  return st;
}

static oak_status_t make_text(oak_setup_t *setup, oak_owner_t owner) {
  size_t size;
  FILE *f = open_memstream(&setup->tables.text[owner], &size);
  oak_table_printer_t out = {.f = f, .real_size = setup->bytes.real};
  OAK_CHECK(f, OAK_ERR_MEMORY, "no memory for the tables of %s", setup->files.problem);
  oak_status_t st = OAK_OK;
  for (int t = 0; t < setup->tables.count && st == OAK_OK; t++) {
    if (setup->tables.table[t].owner != owner) continue;
    st = oak_tables_find(setup, setup->tables.table[t].key,
                         owner == OAK_OF_PHYSICS ? setup->files.physics : setup->files.problem,
                         setup->tables.table[t].path);
    if (st == OAK_OK && *setup->tables.table[t].path) st = print_table(setup, t, &out);
    if (st == OAK_OK && !*setup->tables.table[t].path)
      oak_table_print_none(f, setup->tables.table[t].name);
  }
  setup->tables.error = fmax(setup->tables.error, out.error);
  const int failed = ferror(f);
  if ((fclose(f) != 0 || failed) && st == OAK_OK)
    st = OAK_FAIL(OAK_ERR_MEMORY, "no memory for the tables of %s", setup->files.problem);
  return st;
}

static oak_status_t read_files(oak_setup_t *setup) {
  int any = setup->reactions.text != NULL;
  if (setup->tables.count) {
    OAK_TRY(make_text(setup, OAK_OF_PHYSICS));
    OAK_TRY(make_text(setup, OAK_OF_PROBLEM));
  }
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
    oak_table_print_none(f, d->table[n].name);
  for (int o = 0; o < 2 && purpose == OAK_FOR_KERNELS; o++)
    if (setup->tables.text[o]) fputs(setup->tables.text[o], f);
}

static void report(const oak_setup_t *setup, FILE *f) {
  static const char *const transport[] = {"mobility", "diffusion"};
  int count = 0;
  for (int t = 0; t < setup->tables.count; t++)
    if (*setup->tables.table[t].path)
      fprintf(f, "%s%s of %d numbers", count++ ? ", " : "  tables: ", setup->tables.table[t].key,
              setup->tables.table[t].points);
  if (count) fprintf(f, "\n");
  if (setup->reactions.note) fputs(setup->reactions.note, f);
  for (int n = 0; n < 2 && setup->reactions.note; n++) {
    const char *from = setup->reactions.transport[n];
    int own = 0;
    for (int t = 0; t < setup->tables.count && !own; t++)
      own = !strcmp(setup->tables.table[t].name, transport[n]) && *setup->tables.table[t].path;
    fprintf(f, "    %s: %s%s\n", transport[n],
            own     ? "the key of [physics]"
            : *from ? from
                    : "",
            own || *from ? "" : "a formula of the physics, because no table gives it");
  }
  if (setup->tables.error > 0)
    fprintf(f, "    formulas and logarithmic scales became lines or cubics: largest error %.1e\n",
            setup->tables.error);
}

static void clear(oak_setup_t *setup) {
  for (int o = 0; o < 2; o++) free(setup->tables.text[o]);
  for (int t = 0; t < setup->tables.count; t++) oak_points_free(&setup->tables.table[t].kept);
}

const oak_topic_t oak_topic_tables = {
    .describe = describe, .read = read_files, .print = print, .report = report, .clear = clear};
