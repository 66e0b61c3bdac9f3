/* SPDX-License-Identifier: GPL-2.0-or-later
 * What physics and problem files declare: names of variables, hooks and parameters, read from a
 * small module in which each declaration leaves a constant (kernels/hooks.h). */
#define _GNU_SOURCE 1
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solver/step/sim.h"

/* Split words of `text` in place into names from position `first`. */
static int split_names(char *text, const char **name, int first, int most) {
  int n = first;
  for (char *word = strtok(text, " "); word && n < most; word = strtok(NULL, " ")) name[n++] = word;
  return n - first;
}

static const char REFINED[] = "; >0 if refined";

/* A help text "{a,b,c} ..." names the values of a parameter, "{>1} ..." or "{>=1} ..." is its lower
 * bound. In "{>=0; >0 if refined} ..." the second bound is for meshes with several levels; a value
 * that does not fulfil it gives a warning. */
static oak_status_t read_values(oak_description_t *d, int n) {
  const char *help = d->parameter[n].help, *end = *help == '{' ? strchr(help, '}') : NULL;
  char *choices = d->parameter[n].choices, *stop;
  if (!end) return OAK_OK;
  if (help[1] == '>') {
    const char *number = help + (help[2] == '=' ? 3 : 2);
    d->parameter[n].bounded = 1;
    d->parameter[n].above_min = help[2] != '=';
    d->parameter[n].min = strtod(number, &stop);
    d->parameter[n].positive_if_refined = !strncmp(stop, REFINED, strlen(REFINED));
    if (d->parameter[n].positive_if_refined) stop += strlen(REFINED);
    OAK_CHECK(stop > number && stop == end && isfinite(d->parameter[n].min), OAK_ERR_INPUT,
              "parameter %s.%s: its help text must begin with a bound such as {>0} or {>=0}",
              d->parameter[n].section, d->parameter[n].name);
    return OAK_OK;
  }
  OAK_CHECK(end - help < (long)sizeof d->parameter[n].choices, OAK_ERR_INPUT,
            "parameter %s.%s: the names of its values in {} have more than %zu characters",
            d->parameter[n].section, d->parameter[n].name, sizeof d->parameter[n].choices - 2);
  memcpy(choices, help + 1, end - help - 1);
  for (char *c = choices; *c; c++)
    if (*c == ',') *c = ' ';
  return OAK_OK;
}

/* ---- reading */

static void blank_control(char *text) {
  for (; *text; text++)
    if ((unsigned char)*text < ' ') *text = ' ';
}

/* A text that may be missing. */
static void read_text(oak_t *sim, oak_module_t *module, const char *name, char *text, size_t size) {
  if (!oak_sim_constant(sim, module, name, text, size)) *text = 0;
  text[size - 1] = 0;
  blank_control(text);
}

/* A parameter or global, unless the preprocessor has left it out. */
static oak_status_t read_parameter(oak_t *sim, oak_module_t *module, int slot) {
  oak_description_t *d = &sim->description;
  const int n = d->nparameter;
  const char *name = sim->files.declared.parameter[slot].name;
  const int of_problem = sim->files.declared.parameter[slot].owner == OAK_OF_PROBLEM;
  const char *section = of_problem ? "problem" : "physics";
  char constant[128];
  if (sim->files.declared.parameter[slot].kind != OAK_PARAMETER) {
    snprintf(constant, sizeof constant, "%s_global_%s", section, name);
    if (!oak_sim_has(sim, module, constant)) return OAK_OK;
    sim->description.has_integrals |=
        sim->files.declared.parameter[slot].kind == OAK_GLOBAL_INTEGRAL;
    sim->description.global_slot[sim->description.nglobal++] = slot;
    return OAK_OK;
  }
  snprintf(constant, sizeof constant, "%s_default_%s", section, name);
  if (!oak_sim_constant(sim, module, constant, &d->parameter[n].fallback, sizeof(double)))
    return OAK_OK;
  d->nparameter++;
  d->nproblem += of_problem;
  d->parameter[n].slot = slot;
  d->parameter[n].section = section;
  snprintf(d->parameter[n].name, sizeof d->parameter[n].name, "%s", name);
  snprintf(constant, sizeof constant, "%s_help_%s", section, name);
  OAK_TRY(oak_device_constant(sim->dev, module, constant, d->parameter[n].help, OAK_HELP_BYTES));
  blank_control(d->parameter[n].help);
  return read_values(d, n);
}

/* An output variable, unless the preprocessor has left it out. */
static void read_output(oak_t *sim, oak_module_t *module, int slot) {
  char constant[128];
  snprintf(constant, sizeof constant, "%s_output_%s",
           sim->files.declared.output[slot].owner == OAK_OF_PROBLEM ? "problem" : "physics",
           sim->files.declared.output[slot].name);
  if (oak_sim_has(sim, module, constant))
    sim->description.output_slot[sim->description.noutput++] = slot;
}

static const char *const owner_name[] = {
    [OAK_OF_PHYSICS] = "physics", [OAK_OF_PROBLEM] = "problem"};

/* "physics_to_smooth" for the hook TO_SMOOTH. */
static void hook_name(const oak_hook_t *h, oak_owner_t owner, char name[64]) {
  const int length = snprintf(name, 64, "%s_%s", owner_name[owner], h->name);
  for (int n = 0; n < length; n++) name[n] = (char)tolower((unsigned char)name[n]);
}

static void read_hooks(oak_t *sim, oak_module_t *module) {
  const oak_hook_table_t *table = &sim->files.declared.hooks;
  char name[64];
  for (int n = 0; n < table->count; n++)
    for (int o = 0; o < 2; o++) {
      hook_name(&table->hook[n], o, name);
      sim->description.has[o][n] =
          table->hook[n].function && table->hook[n].owner[o] && oak_sim_has(sim, module, name);
    }
}

int oak_has_hook(const oak_t *sim, const char *name) {
  const oak_hook_table_t *table = &sim->files.declared.hooks;
  char known[64];
  for (int n = 0; n < table->count; n++)
    for (int o = 0; o < 2; o++) {
      hook_name(&table->hook[n], o, known);
      if (!strcmp(name, known)) return sim->description.has[o][n];
    }
  OAK_ASSERT(!"a hook of kernels/hooks.h");
  return 0;
}

void oak_print_hooks(const oak_t *sim, FILE *f) {
  const oak_hook_table_t *table = &sim->files.declared.hooks;
  char name[64];
  for (int n = 0; n < table->count; n++)
    for (int o = 0; o < 2; o++) {
      hook_name(&table->hook[n], o, name);
      if (sim->description.has[o][n]) fprintf(f, "#define OAK_HAS_%s 1\n", name);
    }
}

/* The file whose FIELD sets a field, NULL if none does. */
static const char *function_of(oak_t *sim, oak_module_t *module, int slot) {
  const char *found = NULL;
  for (int o = 0; o < 2; o++) {
    char constant[128];
    snprintf(constant, sizeof constant, "%s_field_%s", owner_name[o],
             sim->files.declared.field[slot].name);
    if (sim->files.declared.field[slot].function[o] && oak_sim_has(sim, module, constant))
      found = owner_name[o];
  }
  return found;
}

/* A field that is a variable of the state. */
static void read_fixed(oak_t *sim, oak_module_t *module, int slot) {
  oak_beside_list_t *list = &sim->fields;
  const oak_declared_t *d = &sim->files.declared;
  const int n = list->nfixed;
  char constant[128];
  list->fixed[n].name = d->fixed[slot].name;
  list->fixed[n].text = d->fixed[slot].variable;
  list->fixed[n].function = NULL;
  for (int i = 0; i < d->nfield; i++)
    if (!strcmp(d->field[i].name, list->fixed[n].name))
      list->fixed[n].function = function_of(sim, module, i);
  snprintf(constant, sizeof constant, "physics_flux_field_%s", list->fixed[n].name);
  if (oak_sim_constant(sim, module, constant, &list->fixed[n].variable, sizeof(int)))
    list->nfixed++;
}

/* A field beside the state, unless the preprocessor has left it out. */
static void read_field(oak_t *sim, oak_module_t *module, int slot) {
  oak_beside_field_t *field = &sim->fields.field[sim->fields.count];
  char constant[128];
  int stored = 0;
  if (oak_declared_fixed(&sim->files.declared, sim->files.declared.field[slot].name)) return;
  *field = (oak_beside_field_t){.name = sim->files.declared.field[slot].name,
                                .function = function_of(sim, module, slot)};
  for (int o = 0; o < 2; o++) {
    snprintf(constant, sizeof constant, "%s_stored_%s", owner_name[o], field->name);
    if (sim->files.declared.field[slot].stored[o]) stored |= oak_sim_has(sim, module, constant);
  }
  if (stored || field->function) sim->fields.count++;
}

static oak_status_t read_names(oak_description_t *d, const char *physics, int nvar) {
  OAK_CHECK(*d->variables && *d->primitives, OAK_ERR_INPUT,
            "%s: VARIABLES(\"names\") or PRIMITIVES(\"names\") is missing", physics);
  d->nvar = split_names(d->variables, d->name, 0, OAK_MAX_NVAR);
  const int named = d->nvar;
  const int nprimitive = split_names(d->primitives, d->name, d->nvar, 2 * OAK_MAX_NVAR);
  OAK_CHECK(nvar > 0 && nvar <= OAK_MAX_NVAR, OAK_ERR_INPUT,
            "%s: PHYSICS_NVAR = %d: must be 1 to %d", physics, nvar, OAK_MAX_NVAR);
  OAK_CHECK(named == nvar && nprimitive == nvar, OAK_ERR_INPUT,
            "%s: PHYSICS_NVAR = %d, but VARIABLES has %d names and PRIMITIVES %d: each must name "
            "every variable",
            physics, nvar, named, nprimitive);
  d->name[2 * d->nvar] = "level";
  return OAK_OK;
}

/* The mask of solids is the last variable, conserved and primitive. */
static oak_status_t add_solid(oak_t *sim) {
  oak_description_t *d = &sim->description;
  const int n = d->nvar;
  OAK_CHECK(n < OAK_MAX_NVAR, OAK_ERR_INPUT,
            "%s has SOLID(at), which needs a variable, but there are %d already",
            sim->files.problem, n);
  for (int v = 0; v < 2 * n; v++)
    OAK_CHECK(strcmp(d->name[v], "solid"), OAK_ERR_INPUT,
              "%s has SOLID(at), which adds a variable named solid, but the physics has one of "
              "this name: rename that one",
              sim->files.problem);
  memmove(&d->name[n + 1], &d->name[n], (size_t)n * sizeof *d->name);
  d->name[n] = d->name[2 * n + 1] = "solid";
  d->nvar = n + 1;
  d->name[2 * d->nvar] = "level";
  return OAK_OK;
}

static oak_status_t read_description(oak_t *sim, oak_module_t *module) {
  oak_description_t *d = &sim->description;
  int nvar, mass;
  read_text(sim, module, "physics_title", d->physics_title, OAK_TITLE_BYTES);
  read_text(sim, module, "problem_title", d->problem_title, OAK_TITLE_BYTES);
  if (!*d->physics_title)
    snprintf(d->physics_title, OAK_TITLE_BYTES, "%s", oak_params_text(sim->params, "physics.name"));
  read_text(sim, module, "physics_variables", d->variables, OAK_NAMES_BYTES);
  read_text(sim, module, "physics_primitives", d->primitives, OAK_NAMES_BYTES);
  OAK_TRY(
      oak_device_constant(sim->dev, module, "oak_describe_normal", d->normal, sizeof d->normal));
  OAK_TRY(
      oak_device_constant(sim->dev, module, "oak_describe_mirror", d->mirror, sizeof d->mirror));
  OAK_TRY(oak_device_constant(sim->dev, module, "oak_describe_nvar", &nvar, sizeof nvar));
  OAK_TRY(oak_device_constant(sim->dev, module, "oak_describe_mass", &mass, sizeof mass));
  OAK_TRY(read_names(d, sim->files.physics, nvar));
  OAK_TRY(oak_scalars_describe(sim, mass));
  OAK_TRY(oak_sim_find_riemann(sim, module));
  read_hooks(sim, module);
  if (oak_has_hook(sim, "problem_solid")) OAK_TRY(add_solid(sim));
  for (int n = 0; n < sim->files.declared.count; n++) OAK_TRY(read_parameter(sim, module, n));
  for (int n = 0; n < sim->files.declared.noutput; n++) read_output(sim, module, n);
  for (int n = 0; n < sim->files.declared.nfixed; n++) read_fixed(sim, module, n);
  for (int n = 0; n < sim->files.declared.nfield; n++) read_field(sim, module, n);
  OAK_CHECK(!*d->unread, OAK_ERR_DEVICE, "%s", d->unread);
  return OAK_OK;
}

/* ---- keys */

/* A name such as rho may stand for a conserved and a primitive variable: the first one counts. */
static oak_status_t declare_parameters(oak_t *sim) {
  const oak_description_t *d = &sim->description;
  for (int n = 0; n < d->nparameter; n++) {
    char key[256], fallback[64];
    oak_param_desc_t desc = {.key = key,
                             .type = OAK_PARAM_REAL,
                             .fallback = fallback,
                             .help = d->parameter[n].help,
                             .may_change = 1};
    /* What stands in braces is said with the allowed values. */
    const char *help = d->parameter[n].help, *end = *help == '{' ? strchr(help, '}') : NULL;
    if (end) desc.help = end + 1 + strspn(end + 1, " ");
    snprintf(key, sizeof key, "%s.%s", d->parameter[n].section, d->parameter[n].name);
    snprintf(fallback, sizeof fallback, "%.17g", d->parameter[n].fallback);
    for (int digits = 1; digits < 17; digits++) { /* the shortest text that reads back the same */
      char text[64];
      snprintf(text, sizeof text, "%.*g", digits, d->parameter[n].fallback);
      if (strtod(text, NULL) != d->parameter[n].fallback) continue;
      memcpy(fallback, text, sizeof text);
      break;
    }
    if (d->parameter[n].bounded) {
      desc.min = d->parameter[n].min;
      desc.max = INFINITY;
      desc.above_min = d->parameter[n].above_min;
    }
    if (*d->parameter[n].choices) {
      double word = d->parameter[n].fallback; /* may be no integer, nor fit one */
      char words[128];
      snprintf(words, sizeof words, "%s", d->parameter[n].choices);
      for (char *w = strtok(words, " "); w; w = strtok(NULL, " "))
        if (word-- == 0) snprintf(fallback, sizeof fallback, "%s", w);
      desc.type = OAK_PARAM_CHOICE;
      desc.choices = d->parameter[n].choices;
    }
    OAK_TRY(oak_params_declare(sim->params, &desc, 1));
  }
  return OAK_OK;
}

oak_status_t oak_sim_describe(oak_t *sim) {
  oak_module_t *module = NULL;
  /* A file may be there for one rank and not for another. */
  OAK_TRY(oak_agree(sim->comm, oak_sim_find_files(sim)));
  oak_status_t st = oak_sim_build_module(sim, "describe", &module);
  OAK_TRY(oak_explain_names(sim, st));
  st = read_description(sim, module);
  oak_device_unload(sim->dev, &module);
  if (st == OAK_OK) st = declare_parameters(sim);
  return oak_agree(sim->comm, st);
}
