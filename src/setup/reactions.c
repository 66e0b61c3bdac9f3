/* SPDX-License-Identifier: GPL-2.0-or-later
 * Reactions of a physics that has species (physics/reactions.h), from the file that the key
 * reactions.file names. The kernels get C that adds up the rates, with the tables of the file on
 * their own points. Formulas that depend on E/N become straight lines of pieces of this axis. */
#include "setup/reactions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/params_entries.h"
#include "setup/expression.h"
#include "setup/setup.h"
#include "setup/table.h"

static const double last_field = 2000; /* of formulas in Td, if there are no tables */

/* ---- keys */

static const oak_param_desc_t keys[] = {
    {.help = "Reactions of a physics that has species (docs/discharges.md)"},
    TEXT("reactions.file", "",
         "Text file of reactions, for a physics that has species (docs/discharges.md)."),
    TEXT("reactions.gas", "",
         "Molecules whose densities reactions do not change, each with its fraction of the gas, "
         "such as N2 0.8 O2 0.2."),
    TEXT("reactions.tables", "",
         "Text file of further tables over E/N, for rates and for the motion of electrons."),
    REAL("reactions.temperature", "300", 0, INFINITY, "K",
         "Temperature Tg of the gas in formulas of rates.", .above_min = 1),
    {.key = NULL},
};

/* "N2 0.8 O2 0.2". The species M is any molecule of the gas. */
static oak_status_t read_gas(const oak_setup_t *setup, oak_reaction_file_t *r) {
  const char *text = oak_params_text(setup->params, "reactions.gas");
  char name[OAK_SPECIES_BYTES];
  double fraction, sum = 0;
  int length;
  for (; sscanf(text, " %39s %lf%n", name, &fraction, &length) == 2; text += length) {
    const int n = oak_reactions_is_name(name) ? oak_reactions_species(r, name) : -1;
    OAK_CHECK(oak_reactions_is_name(name), OAK_ERR_INPUT,
              "%s: reactions.gas: '%s' is no molecule: its name must begin with a letter",
              oak_params_origin(setup->params, "reactions.gas"), name);
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
  int n = 0, last = t->count - 1;
  if (x <= t->x[0]) return t->y[0];
  if (x >= t->x[last]) return t->y[last];
  while (last - n > 1) *(t->x[(n + last) / 2] < x ? &n : &last) = (n + last) / 2;
  return t->y[n] + (x - t->x[n]) / (t->x[n + 1] - t->x[n]) * (t->y[n + 1] - t->y[n]);
}

/** For the coefficients of a file. */
typedef struct {
  const oak_reaction_file_t *r;
  const oak_columns_t *energy; /* mean energy in eV over E/N; NULL: there is none */
  double temperature, last;    /* of the gas in K; of formulas in Td */
} rates_t;

typedef struct {
  const rates_t *s;
  const oak_reaction_t *a;
} formula_t;

/* In units of kernels, at the field Td. */
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
  OAK_CHECK(!wrong, OAK_ERR_INPUT, "%s:%d: '%s': %s", a->path, a->line, a->formula, wrong);
  OAK_CHECK(isfinite(*out) && *out >= 0, OAK_ERR_INPUT,
            "%s:%d: the rate coefficient is %g at %g Td: it must be finite and not negative",
            a->path, a->line, *out, Td);
  *out *= a->factor;
  return OAK_OK;
}

/* Whether a coefficient is the same everywhere, and the largest one that samples find. */
static oak_status_t look_at(const rates_t *s, const oak_reaction_t *a, int *same, double *largest) {
  enum { SAMPLES = 1024 };
  double first, y;
  OAK_TRY(coefficient(s, a, 0, &first));
  *largest = first;
  *same = 1;
  for (int i = 0; i < (a->table ? a->table->count : 2 * SAMPLES); i++) {
    const double along = (i / 2 + 1.0) / SAMPLES; /* at equal distances, and at equal ratios */
    const double x = a->table ? a->table->x[i]
                     : i % 2  ? s->last * along
                              : s->last * pow(1e-12, 1 - along);
    OAK_TRY(coefficient(s, a, x, &y));
    *same &= y == first;
    *largest = fmax(*largest, y);
  }
  return OAK_OK;
}

/* Columns as the table NAME; the values times a factor. */
static oak_status_t print_columns(oak_table_printer_t *out, const char *name,
                                  const oak_columns_t *t, double factor) {
  OAK_FREED double *y = calloc((size_t)t->count, sizeof *y);
  OAK_CHECK(y, OAK_ERR_MEMORY, "no memory for the table '%s'", t->title);
  for (int i = 0; i < t->count; i++) y[i] = factor * t->y[i];
  oak_points_t p = {
      .path = t->path, .dim = 1, .count = {t->count, 1}, .x = {t->x, NULL}, .value = y};
  return oak_table_print(out, name, &p);
}

/* The same as oak_points_t needs it. */
static oak_status_t formula(const void *of, double x, double *y) {
  const formula_t *f = of;
  return coefficient(f->s, f->a, x, y);
}

/* Te has kinks where its table has points. */
static oak_status_t print_formula(oak_table_printer_t *out, const char *name, const rates_t *s,
                                  const oak_reaction_t *a, double most) {
  const oak_columns_t *kinks = s->energy;
  OAK_FREED double *x = NULL;
  int count = 0;
  OAK_TRY(OAK_NEW(x, 2 + (kinks ? kinks->count : 0)));
  x[count++] = 0;
  for (int i = 0; kinks && i < kinks->count; i++)
    if (kinks->x[i] > 0 && kinks->x[i] < s->last) x[count++] = kinks->x[i];
  x[count++] = s->last;
  const formula_t f = {s, a};
  const oak_points_t p = {.path = a->path,
                          .dim = 1,
                          .count = {count, 1},
                          .x = {x, NULL},
                          .formula = formula,
                          .of = &f,
                          .small = 1e-9 * most};
  return oak_table_print(out, name, &p);
}

/* The coefficients as C, to \a text: numbers, or look-ups. */
static oak_status_t print_coefficients(oak_table_printer_t *out, const rates_t *s,
                                       char (*text)[64]) {
  const oak_reaction_file_t *r = s->r;
  double most;
  for (int n = 0; n < r->nreaction; n++) {
    const oak_reaction_t *a = &r->reaction[n];
    char name[32];
    int same;
    OAK_TRY(look_at(s, a, &same, &most));
    snprintf(name, sizeof name, "rate_%d", n);
    if (same)
      snprintf(text[n], sizeof *text, "(real)%.17g", most);
    else
      snprintf(text[n], sizeof *text, "OAK_RATE(%d)", n);
    if (same) continue;
    OAK_TRY(a->table ? print_columns(out, name, a->table, a->factor)
                     : print_formula(out, name, s, a, most));
  }
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
      fprintf(f, " * (real)%.17g * N", s->fraction / OAK_GAS_UNIT);
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
static oak_status_t print_transport(oak_table_printer_t *out, const oak_reaction_file_t *r) {
  for (int n = 0; n < 2; n++) {
    const oak_columns_t *t = r->transport[n];
    const char *name = n ? "rate_diffusion" : "rate_mobility";
    if (!t) continue;
    OAK_TRY(print_columns(out, name, t, 1));
    fprintf(out->f, "#define OAK_HAS_%s 1\n", name);
  }
  return OAK_OK;
}

static oak_status_t print_all(oak_table_printer_t *out, const rates_t *s) {
  static const char *const macro[] = {"OAK_REACTION_RATES", "OAK_REACTION_LOSSES",
                                      "OAK_IONIZATION_FREQUENCY", "OAK_ATTACHMENT_FREQUENCY"};
  const oak_reaction_file_t *r = s->r;
  FILE *f = out->f;
  OAK_FREED char(*k)[64] = malloc((size_t)r->nreaction * sizeof *k);
  OAK_CHECK(k, OAK_ERR_MEMORY, "no memory for %d reactions", r->nreaction);
  print_species(f, r);
  OAK_TRY(print_transport(out, r));
  OAK_TRY(print_coefficients(out, s, k));
  for (int m = 0; m < 4; m++) {
    fprintf(f, "#define %s(n, N)", macro[m]);
    for (int n = 0; n < r->nreaction; n++) {
      const oak_reaction_t *a = &r->reaction[n];
      if (m == 0) print_rate(f, r, a, k[n]);
      if (m == 1) print_loss(f, r, a, k[n]);
      if (m > 1) print_electrons(f, r, a, k[n], m == 2 ? 1 : -1);
    }
    fprintf(f, "\n");
  }
  return OAK_OK;
}

static oak_status_t make_text(oak_setup_t *setup, const oak_reaction_file_t *r, const char *path) {
  size_t size;
  rates_t s = {.r = r, .energy = r->transport[2]};
  s.temperature = oak_params_real(setup->params, "reactions.temperature");
  for (int t = 0; t < r->ntable; t++) s.last = fmax(s.last, r->table[t].x[r->table[t].count - 1]);
  if (!(s.last > 0)) s.last = last_field;
  FILE *f = open_memstream(&setup->reactions.text, &size);
  OAK_CHECK(f, OAK_ERR_MEMORY, "no memory for the reactions of %s", path);
  oak_table_printer_t out = {.f = f, .real_size = setup->bytes.real};
  oak_status_t st = print_all(&out, &s);
  setup->tables.error = out.error;
  const int failed = ferror(f);
  if ((fclose(f) != 0 || failed) && st == OAK_OK)
    st = OAK_FAIL(OAK_ERR_MEMORY, "no memory for the reactions of %s", path);
  return st;
}

/* ---- all of it */

/* The lines with coefficients of a kind: constants, formulas of E/N, tables. */
static void note_lines(FILE *f, const oak_reaction_file_t *r, int kind, const char *word) {
  int count = 0;
  for (int n = 0; n < r->nreaction; n++) {
    const oak_reaction_t *a = &r->reaction[n];
    const int is = a->table ? 2 : strstr(a->formula, "Td") || strstr(a->formula, "Te") ? 1 : 0;
    if (is != kind) continue;
    if (!count++) fprintf(f, "    %s: line", word);
    fprintf(f, "%s %d", count > 1 ? "," : "", a->line);
    if (a->table) fprintf(f, " '%s'", a->table->title);
  }
  if (count) fprintf(f, "\n");
}

/* What a mistake in a name leaves without effect. */
static void note_unused(FILE *f, const oak_reaction_file_t *r) {
  enum { MOST = 100 };
  int tables = 0;
  for (int n = 0; n < r->nspecies; n++) {
    const oak_species_t *s = &r->species[n];
    if (s->fraction > 0 && !s->on[0] && strcmp(s->name, "M") != 0)
      fprintf(f, "    warning: no reaction needs the molecule %s of reactions.gas\n", s->name);
    if (!s->fixed && s->on[0] && !s->on[1] && s->charge <= 0 && n > 0)
      fprintf(
          f,
          "    warning: nothing makes %s, so reactions that need it do nothing; if it is of the "
          "gas, add it to reactions.gas\n",
          s->name);
  }
  for (int t = 0; t < r->ntable; t++)
    if (!r->table[t].used && tables++ < MOST)
      fprintf(f, "%s'%s'", tables > 1 ? ", " : "    tables that nothing uses: ", r->table[t].title);
  if (tables > MOST) fprintf(f, " and %d more", tables - MOST);
  if (tables) fprintf(f, "\n");
}

/* For the log. */
static oak_status_t make_note(oak_setup_t *setup, const oak_reaction_file_t *r) {
  size_t size;
  FILE *f = open_memstream(&setup->reactions.note, &size);
  OAK_CHECK(f, OAK_ERR_MEMORY, "no memory for the reactions");
  fprintf(f, "  reactions: %d of %d species:", r->nreaction, r->nvariable);
  for (int n = 0; n < r->nspecies; n++)
    if (!r->species[n].fixed) fprintf(f, " %s", r->species[n].variable);
  fprintf(f, "; gas %s\n", oak_params_text(setup->params, "reactions.gas"));
  note_lines(f, r, 0, "constants");
  note_lines(f, r, 1, "formulas of E/N");
  note_lines(f, r, 2, "tables");
  note_unused(f, r);
  for (int n = 0; n < 2; n++)
    if (r->transport[n])
      snprintf(setup->reactions.transport[n], sizeof setup->reactions.transport[n],
               "table '%.200s'", r->transport[n]->title);
  const int failed = ferror(f);
  OAK_CHECK(fclose(f) == 0 && !failed, OAK_ERR_MEMORY, "no memory for the reactions");
  return OAK_OK;
}

/* Without a gas, only reactions with M can happen. */
static oak_status_t check_gas(const oak_setup_t *setup, const oak_reaction_file_t *r) {
  int any = 0, gas = 0;
  for (int n = 0; n < r->nspecies; n++) {
    const int is_any = !strcmp(r->species[n].name, "M");
    any |= is_any && r->species[n].on[0];
    gas |= !is_any && r->species[n].fraction > 0;
  }
  OAK_CHECK(gas || any, OAK_ERR_INPUT,
            "%s: reactions.gas is not set: name the molecules of the gas, each with its fraction, "
            "such as N2 0.8 O2 0.2",
            oak_params_origin(setup->params, "reactions.file"));
  return OAK_OK;
}

static oak_status_t read_all(oak_setup_t *setup, oak_reaction_file_t *r) {
  char path[4096], tables[4096];
  OAK_TRY(oak_tables_find(setup, "reactions.file", setup->files.problem, path));
  OAK_TRY(oak_tables_find(setup, "reactions.tables", setup->files.problem, tables));
  oak_reactions_species(r, "e"); /* has number 0 */
  OAK_TRY(read_gas(setup, r));
  OAK_TRY(oak_reactions_parse(r, path, 0));
  if (*tables) OAK_TRY(oak_reactions_parse(r, tables, 1));
  OAK_TRY(oak_reactions_finish(r, path));
  OAK_TRY(check_gas(setup, r));
  OAK_CHECK(r->nvariable <= OAK_MAX_NVAR, OAK_ERR_INPUT,
            "%s has %d species besides those of reactions.gas: at most %d are possible; the "
            "section ignored_species may list some that do not matter",
            path, r->nvariable, OAK_MAX_NVAR);
  OAK_TRY(make_note(setup, r));
  return make_text(setup, r, path);
}

static oak_status_t begin(oak_setup_t *setup) {
  if (!*oak_params_text(setup->params, "reactions.file")) {
    for (const oak_param_desc_t *d = keys + 2; d->key; d++) /* all others */
      OAK_CHECK(!oak_params_changed(setup->params, d->key), OAK_ERR_INPUT,
                "%s: %s has no effect without reactions.file",
                oak_params_origin(setup->params, d->key), d->key);
    return OAK_OK;
  }
  oak_reaction_file_t *r = calloc(1, sizeof *r);
  OAK_CHECK(r, OAK_ERR_MEMORY, "no memory for reactions");
  const oak_status_t st = read_all(setup, r);
  oak_reactions_clear(r);
  free(r);
  return st;
}

static void print(const oak_setup_t *setup, int purpose, FILE *f) {
  (void)purpose;
  if (setup->reactions.text) fputs(setup->reactions.text, f);
}

static void clear(oak_setup_t *setup) {
  free(setup->reactions.text);
  free(setup->reactions.note);
}

const oak_topic_t oak_topic_reactions = {
    .keys = keys, .begin = begin, .print = print, .clear = clear};
