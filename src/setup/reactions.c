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
  const char *origin = oak_params_origin(setup->params, "reactions.gas");
  char name[OAK_SPECIES_BYTES];
  double fraction, sum = 0;
  int length;
  for (; sscanf(text, " %39s %lf%n", name, &fraction, &length) == 2; text += length) {
    const int n = oak_reactions_species(r, name);
    OAK_CHECK(
        n > 0 && fraction > 0 && !r->species[n].fixed && !r->species[n].charge, OAK_ERR_INPUT,
        "%s: reactions.gas: '%s' is no molecule, or %g no number above 0: a name begins with a "
        "letter, has no charge and stands once",
        origin, name, fraction);
    r->species[n].fixed = 1;
    r->species[n].fraction = fraction;
    sum += fraction;
  }
  OAK_CHECK(!text[strspn(text, " \t")], OAK_ERR_INPUT,
            "%s: reactions.gas: '%s': must be molecules, each with its fraction, such as N2 0.8 O2 "
            "0.2",
            origin, text);
  OAK_CHECK(sum == 0 || fabs(sum - 1) < 1e-6, OAK_ERR_INPUT,
            "%s: reactions.gas: the sum of the fractions is %g, not 1", origin, sum);
  const int any = oak_reactions_species(r, "M");
  r->species[any].fixed = 1;
  r->species[any].fraction = 1;
  return OAK_OK;
}

/* ---- rate coefficients */

/* The mean energy in eV. */
static double look_up(const oak_points_t *p, double x) {
  int n = 0, last = p->count[0] - 1;
  long double y;
  x = fmin(fmax(x, p->x[0][0]), p->x[0][last]);
  while (last - n > 1) *(p->x[0][(n + last) / 2] < x ? &n : &last) = (n + last) / 2;
  return oak_points_value(p, n, x, &y) == OAK_OK ? (double)y : NAN;
}

/** A rate that is a formula. */
typedef struct {
  const oak_reaction_t *a;
  const oak_columns_t *energy; /* mean energy in eV over E/N; NULL: there is none */
  double temperature;          /* of the gas in K */
} formula_t;

/* The coefficient in units of kernels, at the field Td; as oak_points_t needs it. */
static oak_status_t coefficient(const void *of, double Td, double *out) {
  enum { NAMES = 15 };
  static const char *const constant[] = {"c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9"};
  const double boltzmann = 1.380649e-23, ev = 1.602176634e-19;
  const formula_t *f = of;
  const oak_reaction_t *a = f->a;
  oak_symbol_t symbol[NAMES + 1] = {{"Td", Td},
                                    {"Tg", f->temperature},
                                    {"kB", boltzmann},
                                    {"kb", boltzmann},
                                    {"kB_eV", boltzmann / ev}};
  int n = 5;
  if (f->energy)
    symbol[n++] = (oak_symbol_t){"Te", look_up(&f->energy->points, Td) * 2 / 3 * ev / boltzmann};
  for (int i = 0; i < 9 && isfinite(a->c[i + 1]); i++)
    symbol[n++] = (oak_symbol_t){constant[i], a->c[i + 1]};
  const char *wrong = oak_expression(a->formula, symbol, out);
  OAK_CHECK(!wrong, OAK_ERR_INPUT, "%s:%d: '%s': %s", a->path, a->line, a->formula, wrong);
  OAK_CHECK(isfinite(*out) && *out >= 0, OAK_ERR_INPUT,
            "%s:%d: the rate coefficient is %g at %g Td: it must be finite and not negative",
            a->path, a->line, *out, Td);
  *out *= a->factor;
  return OAK_OK;
}

static int depends_on_field(const oak_reaction_t *a) {
  return strstr(a->formula, "Td") || strstr(a->formula, "Te");
}

/* mu N and D N of electrons, if there are tables, and the coefficients of all reactions:
 * OAK_RATE(n). Formulas have pieces between the numbers x. */
static oak_status_t add_rates(oak_table_printer_t *out, const oak_reaction_file_t *r,
                              formula_t *formula, double *x, int count) {
  static const char *const transport[] = {"rate_mobility", "rate_diffusion"};
  double same[2];
  for (int n = 0; n < 2; n++)
    if (r->transport[n]) OAK_TRY(oak_table_add(out, transport[n], &r->transport[n]->points));
  for (int n = 0; n < r->nreaction; n++) {
    const oak_reaction_t *a = formula[n].a = &r->reaction[n];
    oak_points_t p = {.path = a->path, .dim = 1, .count = {count, 1}, .x = {x}, .scale = 1};
    char name[32];
    formula[n].energy = r->transport[2];
    formula[n].temperature = formula->temperature;
    if (a->table) {
      p = a->table->points;
      p.scale = a->factor;
    } else if (depends_on_field(a)) {
      p.formula = coefficient;
      p.of = &formula[n];
    } else {
      OAK_TRY(coefficient(&formula[n], 0, same));
      same[1] = same[0];
      p.value = same;
      p.count[0] = 2;
    }
    snprintf(name, sizeof name, "rate_%d", n);
    OAK_TRY(oak_table_add(out, name, &p));
  }
  return OAK_OK;
}

/* Te has kinks where its table has points. */
static oak_status_t print_rates(oak_table_printer_t *out, const oak_reaction_file_t *r,
                                double temperature) {
  const oak_points_t none = {.count = {0}},
                     *kinks = r->transport[2] ? &r->transport[2]->points : &none;
  OAK_FREED double *x = NULL;
  OAK_FREED formula_t *formula = NULL;
  double last = 0;
  int count = 1;
  OAK_TRY(OAK_NEW(x, 2 + kinks->count[0]));
  OAK_TRY(OAK_NEW(formula, r->nreaction));
  for (const oak_columns_t *t = r->table; t < r->table + r->ntable; t++)
    last = fmax(last, t->points.x[0][t->points.count[0] - 1]);
  if (!r->ntable) last = last_field;
  for (int i = 0; i < kinks->count[0]; i++)
    if (kinks->x[0][i] > 0 && kinks->x[0][i] < last) x[count++] = kinks->x[0][i];
  x[count++] = last;
  formula->temperature = temperature;
  return oak_table_print(out, add_rates(out, r, formula, x, count));
}

/* ---- C for the kernels */

/* How many of a species a reaction makes. */
static int made(const oak_reaction_t *a, int species) {
  int count = 0;
  for (int side = 0; side < 2; side++)
    for (int n = 0; n < a->count[side]; n++) count += (a->of[side][n] == species) * (side ? 1 : -1);
  return count;
}

/* What a reaction adds to a sum for each species: its rate of change (kind 0); by how much of
 * itself it falls in a time (1); what an electron makes (2) or loses (3) in a time in collisions
 * with the gas. */
static void print_terms(FILE *f, const oak_reaction_file_t *r, int number, int kind) {
  const oak_reaction_t *a = &r->reaction[number];
  int with_gas = 1; /* all but electrons are of the gas */
  for (int n = 0; n < a->count[0]; n++)
    with_gas &= a->of[0][n] == 0 || r->species[a->of[0][n]].fixed;
  for (int s = 0; s < (kind < 2 ? r->nspecies : with_gas); s++) {
    const int count = kind % 2 ? -made(a, s) : made(a, s);
    int place = 0;
    while (place < a->count[0] && a->of[0][place] != s) place++;
    if (r->species[s].fixed || count == 0 || (kind && (count < 0 || place == a->count[0])))
      continue;
    fprintf(f, " sum[%d] += (OAK_RATE(%d)", r->species[s].number, number);
    for (int n = 0; n < a->count[0]; n++) {
      const oak_species_t *with = &r->species[a->of[0][n]];
      if (kind && n == place) continue;
      if (with->fixed)
        fprintf(f, " * (real)%.17g * N", with->fraction / OAK_GAS_UNIT);
      else
        fprintf(f, " * n[%d]", with->number);
    }
    fprintf(f, ") * %d;", count);
  }
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

static oak_status_t make_text(oak_setup_t *setup, const oak_reaction_file_t *r) {
  static const char *const macro[] = {"OAK_REACTION_RATES", "OAK_REACTION_LOSSES",
                                      "OAK_IONIZATION_FREQUENCY", "OAK_ATTACHMENT_FREQUENCY"};
  size_t size;
  FILE *f = open_memstream(&setup->reactions.text, &size);
  OAK_CHECK(f, OAK_ERR_MEMORY, "no memory for the reactions");
  oak_table_printer_t out = {.f = f, .real_size = setup->bytes.real};
  print_species(f, r);
  const double temperature = oak_params_real(setup->params, "reactions.temperature");
  const oak_status_t st = print_rates(&out, r, temperature);
  setup->tables.error = out.error;
  for (int kind = 0; kind < 4; kind++) {
    fprintf(f, "#define %s(sum, n, N)", macro[kind]);
    for (int n = 0; n < r->nreaction; n++) print_terms(f, r, n, kind);
    fprintf(f, "\n");
  }
  return oak_close_text(f, st);
}

/* ---- all of it */

/* For the log: what a run has, and what a mistake in a name leaves without effect. */
static oak_status_t make_note(oak_setup_t *setup, const oak_reaction_file_t *r) {
  static const char *const transport[] = {"mobility", "diffusion"};
  enum { MOST = 100 };
  size_t size;
  int unused = 0;
  FILE *f = open_memstream(&setup->reactions.note, &size);
  OAK_CHECK(f, OAK_ERR_MEMORY, "no memory for the reactions");
  fprintf(f, "  reactions: %d of %d species:", r->nreaction, r->nvariable);
  for (const oak_species_t *s = r->species; s < r->species + r->nspecies; s++)
    if (!s->fixed) fprintf(f, " %s", s->variable);
  fprintf(f, "; gas %s\n", oak_params_text(setup->params, "reactions.gas"));
  for (const oak_reaction_t *a = r->reaction; a < r->reaction + r->nreaction; a++) {
    fprintf(f, "%s line %d ", a == r->reaction ? "    coefficients:" : ",", a->line);
    if (a->table)
      fprintf(f, "table '%s'", a->table->title);
    else
      fprintf(f, depends_on_field(a) ? "formula of E/N" : "constant");
  }
  fprintf(f, "\n");
  for (const oak_species_t *s = r->species + 1; s < r->species + r->nspecies; s++) {
    if (s->fraction > 0 && !s->on[0] && strcmp(s->name, "M") != 0)
      fprintf(f, "    warning: no reaction needs the molecule %s of reactions.gas\n", s->name);
    if (!s->fixed && s->on[0] && !s->on[1] && s->charge <= 0)
      fprintf(f,
              "    warning: nothing makes %s, so reactions that need it do nothing; if it is of "
              "the gas, add it to reactions.gas\n",
              s->name);
  }
  for (const oak_columns_t *t = r->table; t < r->table + r->ntable; t++)
    if (!t->used && unused++ < MOST)
      fprintf(f, "%s'%s'", unused > 1 ? ", " : "    tables that nothing uses: ", t->title);
  if (unused > MOST) fprintf(f, " and %d more", unused - MOST);
  if (unused) fprintf(f, "\n");
  for (int n = 0; n < 2; n++)
    fprintf(f, "    %s: %s%s%s, unless physics.%s is set\n", transport[n],
            r->transport[n] ? "table '" : "a formula of the physics",
            r->transport[n] ? r->transport[n]->title : "", r->transport[n] ? "'" : "",
            transport[n]);
  return oak_close_text(f, OAK_OK);
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
  const int any = oak_reactions_species(r, "M");
  OAK_CHECK(any > 1 || r->species[any].on[0], OAK_ERR_INPUT,
            "%s: reactions.gas is not set: name the molecules of the gas, each with its fraction, "
            "such as N2 0.8 O2 0.2",
            oak_params_origin(setup->params, "reactions.file"));
  OAK_CHECK(r->nvariable <= OAK_MAX_NVAR, OAK_ERR_INPUT,
            "%s has %d species besides those of reactions.gas: at most %d are possible; the "
            "section ignored_species may list some that do not matter",
            path, r->nvariable, OAK_MAX_NVAR);
  OAK_TRY(make_note(setup, r));
  return make_text(setup, r);
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
