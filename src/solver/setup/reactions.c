/* SPDX-License-Identifier: GPL-2.0-or-later
 * Reactions of a physics that has species (physics/reactions.h), from the file that the key
 * reactions.file names. The kernels get C that adds up the rates. Rate coefficients that depend on
 * E/N become samples at equal distances. */
#include "solver/setup/reactions.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "solver/setup/expression.h"
#include "solver/setup/setup.h"

enum { INTERVALS = 2048, LARGEST_FILE = 16 << 20 };
static const double last_field = 2000; /* of samples in Td, if there are no tables */

/* ---- keys */

/* A file that a key names lies beside the parameter file, or in the present folder. */
static oak_status_t find_file(const oak_setup_t *setup, const char *key, char path[4096]) {
  const char *name = oak_params_text(setup->params, key);
  struct stat info;
  *path = 0;
  if (!*name) return OAK_OK;
  if (*name != '/') snprintf(path, 4096, "%s/%s", oak_params_folder(setup->params), name);
  if (!*path || stat(path, &info) != 0) snprintf(path, 4096, "%s", name);
  OAK_CHECK(stat(path, &info) == 0, OAK_ERR_INPUT, "%s: %s = %s: cannot read %s: %s",
            oak_params_origin(setup->params, key), key, name, path, strerror(errno));
  OAK_CHECK(S_ISREG(info.st_mode) && info.st_size <= LARGEST_FILE, OAK_ERR_INPUT,
            "%s: %s = %s: must be a text file of at most %d MiB",
            oak_params_origin(setup->params, key), key, name, LARGEST_FILE >> 20);
  return OAK_OK;
}

/* "N2 0.8 O2 0.2". The species M is any molecule of the gas. */
static oak_status_t read_gas(const oak_setup_t *setup, oak_reaction_file_t *r) {
  const char *text = oak_params_text(setup->params, "reactions.gas");
  char name[OAK_SPECIES_BYTES];
  double fraction, sum = 0;
  int length;
  for (; sscanf(text, " %39s %lf%n", name, &fraction, &length) == 2; text += length) {
    const int n = oak_reactions_species(r, name);
    OAK_CHECK(
        n > 0 && fraction > 0 && !r->species[n].fixed && !r->species[n].charge, OAK_ERR_INPUT,
        "%s: reactions.gas: %s %g: must be a molecule without charge, once, and a number above 0",
        oak_params_origin(setup->params, "reactions.gas"), name, fraction);
    r->species[n].fixed = 1;
    r->species[n].fraction = fraction;
    sum += fraction;
  }
  OAK_CHECK(!text[strspn(text, " \t")], OAK_ERR_INPUT,
            "%s: reactions.gas: '%s': must be molecules, each with its fraction, such as N2 0.8 O2 "
            "0.2",
            oak_params_origin(setup->params, "reactions.gas"), text);
  OAK_CHECK(sum == 0 || fabs(sum - 1) < 1e-6, OAK_ERR_INPUT,
            "%s: reactions.gas: the sum of the fractions is %g, not 1",
            oak_params_origin(setup->params, "reactions.gas"), sum);
  const int any = oak_reactions_species(r, "M");
  r->species[any].fixed = 1;
  r->species[any].fraction = 1;
  return OAK_OK;
}

/* ---- rate coefficients */

static double look_up(const oak_columns_t *t, double x) {
  int n = 0;
  if (x <= t->x[0]) return t->y[0];
  if (x >= t->x[t->count - 1]) return t->y[t->count - 1];
  while (x > t->x[n + 1]) n++;
  return t->y[n] + (x - t->x[n]) / (t->x[n + 1] - t->x[n]) * (t->y[n + 1] - t->y[n]);
}

/** For the coefficients of a file. */
typedef struct {
  const oak_reaction_file_t *r;
  const char *path;
  const oak_columns_t *energy; /* mean energy in eV over E/N; NULL: there is none */
  double temperature, last;    /* of the gas in K; of the samples in Td */
} rates_t;

/* In SI units, at the field Td. */
static oak_status_t coefficient(const rates_t *s, const oak_reaction_t *a, double Td, double *out) {
  enum { NAMES = 15 };
  static const char *const constant[] = {"c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9"};
  const double boltzmann = 1.380649e-23, ev = 1.602176634e-19;
  oak_symbol_t symbol[NAMES + 1] = {{"Td", Td},
                                    {"Tg", s->temperature},
                                    {"kB", boltzmann},
                                    {"kb", boltzmann},
                                    {"kB_eV", boltzmann / ev}};
  int n = 5;
  if (s->energy)
    symbol[n++] = (oak_symbol_t){"Te", look_up(s->energy, Td) * 2 / 3 * ev / boltzmann};
  for (int i = 0; i < 9 && isfinite(a->c[i + 1]); i++)
    symbol[n++] = (oak_symbol_t){constant[i], a->c[i + 1]};
  const char *wrong = NULL;
  if (a->table)
    *out = look_up(a->table, Td);
  else
    wrong = oak_expression(a->formula, symbol, out);
  *out *= a->factor;
  OAK_CHECK(!wrong, OAK_ERR_INPUT, "%s:%d: '%s': %s", s->path, a->line, a->formula, wrong);
  OAK_CHECK(isfinite(*out) && *out >= 0, OAK_ERR_INPUT,
            "%s:%d: the rate coefficient is %g at %g Td: it must be finite and not negative",
            s->path, a->line, *out, Td);
  return OAK_OK;
}

static void print_samples(FILE *f, const char *name, double last, const double *y) {
  fprintf(f, "OAK_TABLE_DATA(oak_rate_%s, %d) = {0, %.17g", name, INTERVALS + 3, INTERVALS / last);
  for (int i = 0; i <= INTERVALS; i++) fprintf(f, ",%s%.17g", i % 8 ? " " : "\n", y[i]);
  fprintf(f, "};\n");
}

/* The coefficient of a reaction as C, to \a text: a number, or a look-up. */
static oak_status_t print_coefficient(FILE *f, const rates_t *s, int number, char text[64]) {
  double y[INTERVALS + 1];
  char name[16];
  int same = 1;
  for (int i = 0; i <= INTERVALS; i++) {
    OAK_TRY(coefficient(s, &s->r->reaction[number], s->last * i / INTERVALS, &y[i]));
    same &= y[i] == y[0];
  }
  snprintf(text, 64, same ? "(real)%.17g" : "OAK_RATE(%.0f)", same ? y[0] : number);
  snprintf(name, sizeof name, "%d", number);
  if (!same) print_samples(f, name, s->last, y);
  return OAK_OK;
}

/* ---- C for the kernels */

/* The densities of the species on the left, but one that is number `without`. */
static void print_product(FILE *f, const oak_reaction_file_t *r, const oak_reaction_t *a,
                          int without) {
  for (int n = 0; n < a->count[0]; n++) {
    const oak_species_t *s = &r->species[a->of[0][n]];
    if (n == without) continue;
    if (s->fixed)
      fprintf(f, " * (real)%.17g * N", s->fraction);
    else
      fprintf(f, " * n[%d]", s->number);
  }
}

/* How many of a species a reaction makes. */
static int made(const oak_reaction_t *a, int species) {
  int count = 0;
  for (int side = 0; side < 2; side++)
    for (int n = 0; n < a->count[side]; n++) count += (a->of[side][n] == species) * (side ? 1 : -1);
  return count;
}

static void print_rate(FILE *f, const oak_reaction_file_t *r, const oak_reaction_t *a,
                       const char *k) {
  fprintf(f, " { const real r = %s", k);
  print_product(f, r, a, -1);
  fprintf(f, "; (void)r;"); /* unused if nothing comes of the reaction */
  for (int s = 0; s < r->nspecies; s++)
    if (!r->species[s].fixed && made(a, s))
      fprintf(f, " rate[%d] += %d * r;", r->species[s].number, made(a, s));
  fprintf(f, " }");
}

/* By how much of itself each species falls in a time. */
static void print_loss(FILE *f, const oak_reaction_file_t *r, const oak_reaction_t *a,
                       const char *k) {
  for (int s = 0; s < r->nspecies; s++) {
    int place = 0;
    if (r->species[s].fixed || made(a, s) >= 0) continue;
    while (a->of[0][place] != s) place++;
    fprintf(f, " loss[%d] += %d * %s", r->species[s].number, -made(a, s), k);
    print_product(f, r, a, place);
    fprintf(f, ";");
  }
}

/* What an electron makes (sign 1) or loses in a time, in collisions with the gas. */
static void print_electrons(FILE *f, const oak_reaction_file_t *r, const oak_reaction_t *a,
                            const char *k, int sign) {
  int electron = -1, others = 0;
  for (int n = 0; n < a->count[0]; n++) {
    if (a->of[0][n] == 0) electron = n;
    others += a->of[0][n] != 0 && !r->species[a->of[0][n]].fixed;
  }
  if (electron < 0 || others || made(a, 0) * sign <= 0) return;
  fprintf(f, " f += %d * %s", made(a, 0) * sign, k);
  print_product(f, r, a, electron);
  fprintf(f, ";");
}

static void print_species(FILE *f, const oak_reaction_file_t *r) {
  int positive = 0;
  fprintf(f, "#define OAK_SPECIES %d\n#define OAK_SPECIES_NAMES \"", r->nvariable);
  for (int s = 0; s < r->nspecies; s++)
    if (!r->species[s].fixed) fprintf(f, "%s%s", s ? " " : "", r->species[s].variable);
  fprintf(f, "\"\n#define OAK_SPECIES_LIST(OAK_X)");
  for (int s = 0; s < r->nspecies; s++) {
    const oak_species_t *a = &r->species[s];
    if (a->fixed) continue;
    fprintf(f, " OAK_X(%d, %s, %d)", a->number, a->variable, a->charge);
    if (!positive && a->charge > 0) positive = a->number;
  }
  fprintf(f, "\n#define OAK_FIRST_POSITIVE %d\n", positive);
}

/* mu N and D N of electrons, if there are tables. */
static oak_status_t print_transport(FILE *f, const rates_t *s) {
  static const char *const table[][2] = {{"Mobility", "mobility"}, {"Diffusion coef", "diffusion"}};
  double y[INTERVALS + 1];
  for (int n = 0; n < 2; n++) {
    const oak_columns_t *t = oak_reactions_table(s->r, table[n][0]);
    if (!t) continue;
    for (int i = 0; i < t->count; i++)
      OAK_CHECK(t->y[i] >= 0, OAK_ERR_INPUT,
                "%s: the table '%s' has %g at %g Td: it must not be negative", s->path, t->title,
                t->y[i], t->x[i]);
    for (int i = 0; i <= INTERVALS; i++) y[i] = look_up(t, s->last * i / INTERVALS);
    print_samples(f, table[n][1], s->last, y);
    fprintf(f, "#define OAK_HAS_rate_%s 1\n", table[n][1]);
  }
  return OAK_OK;
}

static oak_status_t print_all(FILE *f, const rates_t *s) {
  static const char *const macro[] = {"OAK_REACTION_RATES", "OAK_REACTION_LOSSES",
                                      "OAK_IONIZATION_FREQUENCY", "OAK_ATTACHMENT_FREQUENCY"};
  const oak_reaction_file_t *r = s->r;
  char(*k)[64] = malloc((size_t)r->nreaction * sizeof *k);
  OAK_CHECK(k, OAK_ERR_MEMORY, "no memory for %d reactions", r->nreaction);
  print_species(f, r);
  oak_status_t st = print_transport(f, s);
  for (int n = 0; n < r->nreaction && st == OAK_OK; n++) st = print_coefficient(f, s, n, k[n]);
  for (int m = 0; m < 4 && st == OAK_OK; m++) {
    fprintf(f, "#define %s(n, N)", macro[m]);
    for (int n = 0; n < r->nreaction; n++) {
      const oak_reaction_t *a = &r->reaction[n];
      if (m == 0) print_rate(f, r, a, k[n]);
      if (m == 1) print_loss(f, r, a, k[n]);
      if (m > 1) print_electrons(f, r, a, k[n], m == 2 ? 1 : -1);
    }
    fprintf(f, "\n");
  }
  free(k);
  return st;
}

static oak_status_t make_text(oak_setup_t *setup, const oak_reaction_file_t *r, const char *path) {
  size_t size;
  rates_t s = {.r = r, .path = path, .energy = oak_reactions_table(r, "Mean energy")};
  s.temperature = oak_params_real(setup->params, "reactions.temperature");
  for (int t = 0; t < r->ntable; t++) s.last = fmax(s.last, r->table[t].x[r->table[t].count - 1]);
  if (!(s.last > 0)) s.last = last_field;
  FILE *f = open_memstream(&setup->reactions, &size);
  OAK_CHECK(f, OAK_ERR_MEMORY, "no memory for the reactions of %s", path);
  oak_status_t st = print_all(f, &s);
  const int failed = ferror(f);
  if ((fclose(f) != 0 || failed) && st == OAK_OK)
    st = OAK_FAIL(OAK_ERR_MEMORY, "no memory for the reactions of %s", path);
  return st;
}

/* ---- all of it */

static oak_status_t read_all(oak_setup_t *setup, oak_reaction_file_t *r) {
  char path[4096], tables[4096];
  OAK_TRY(find_file(setup, "reactions.file", path));
  OAK_TRY(find_file(setup, "reactions.tables", tables));
  oak_reactions_species(r, "e"); /* has number 0 */
  OAK_TRY(read_gas(setup, r));
  OAK_TRY(oak_reactions_parse(r, path));
  if (*tables) OAK_TRY(oak_reactions_parse(r, tables));
  OAK_TRY(oak_reactions_finish(r, path));
  OAK_CHECK(r->nvariable <= OAK_MAX_NVAR, OAK_ERR_INPUT,
            "%s has %d species besides those of reactions.gas: at most %d are possible; the "
            "section ignored_species may list some that do not matter",
            path, r->nvariable, OAK_MAX_NVAR);
  return make_text(setup, r, path);
}

oak_status_t oak_reactions_read(oak_setup_t *setup) {
  static const char *const needs[] = {"reactions.gas", "reactions.tables", "reactions.temperature"};
  if (!*oak_params_text(setup->params, "reactions.file")) {
    for (int n = 0; n < 3; n++)
      OAK_CHECK(!oak_params_changed(setup->params, needs[n]), OAK_ERR_INPUT,
                "%s: %s has no effect without reactions.file",
                oak_params_origin(setup->params, needs[n]), needs[n]);
    return OAK_OK;
  }
  oak_reaction_file_t *r = calloc(1, sizeof *r);
  OAK_CHECK(r, OAK_ERR_MEMORY, "no memory for reactions");
  const oak_status_t st = read_all(setup, r);
  oak_reactions_clear(r);
  free(r);
  return st;
}
