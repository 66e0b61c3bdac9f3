/* SPDX-License-Identifier: GPL-2.0-or-later
 * What physics and problem files declare: names of variables, hooks and parameters, read from a
 * small module in which each declaration leaves a constant (kernels/language/hook_table.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/geometry.h"
#include "setup/setup.h"

/* Split words of `text` in place into names from position `first`. */
static int split_names(char *text, const char **name, int first, int most) {
  int n = first;
  for (char *word = strtok(text, " "); word && n < most; word = strtok(NULL, " ")) name[n++] = word;
  return n - first;
}

static const char REFINED[] = "; >0 if refined", MOST[] = "; <=";

/* A help text "{a,b,c} ..." names the values of a parameter, "{>1} ..." or "{>=1} ..." is its lower
 * bound; "{>=0; <=1}" has an upper one too. In "{>=0; >0 if refined} ..." the second bound is for
 * meshes with several levels; a value that does not fulfil it gives a warning. */
static oak_status_t read_values(oak_description_t *d, int n) {
  const char *help = d->parameter[n].help, *end = *help == '{' ? strchr(help, '}') : NULL;
  char *choices = d->parameter[n].choices, *stop;
  if (!end) return OAK_OK;
  if (help[1] == '>') {
    const char *number = help + (help[2] == '=' ? 3 : 2);
    d->parameter[n].bounded = 1;
    d->parameter[n].above_min = help[2] != '=';
    d->parameter[n].min = strtod(number, &stop);
    d->parameter[n].max = INFINITY;
    if (!strncmp(stop, MOST, strlen(MOST)))
      d->parameter[n].max = strtod(stop + strlen(MOST), &stop);
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
static void read_text(oak_setup_t *setup, oak_module_t *module, const char *name, char *text,
                      size_t size) {
  if (!oak_setup_constant(setup, module, name, text, size)) *text = 0;
  text[size - 1] = 0;
  blank_control(text);
}

/* A parameter or global. */
static oak_status_t read_parameter(oak_setup_t *setup, oak_module_t *module, int slot) {
  oak_description_t *d = &setup->description;
  const int n = d->nparameter;
  const char *name = setup->files.declared.parameter[slot].name;
  const int of_problem = setup->files.declared.parameter[slot].owner == OAK_OF_PROBLEM;
  const char *section = of_problem ? "problem" : "physics";
  char constant[128];
  if (setup->files.declared.parameter[slot].kind >= OAK_GLOBAL_MAX) {
    setup->description.has_integrals |=
        setup->files.declared.parameter[slot].kind == OAK_GLOBAL_INTEGRAL;
    setup->description.global_slot[setup->description.nglobal++] = slot;
    return OAK_OK;
  }
  snprintf(constant, sizeof constant, "%s_default_%s", section, name);
  OAK_TRY(
      oak_device_constant(setup->dev, module, constant, &d->parameter[n].fallback, sizeof(double)));
  d->nparameter++;
  d->nproblem += of_problem;
  d->parameter[n].slot = slot;
  d->parameter[n].section = section;
  snprintf(d->parameter[n].name, sizeof d->parameter[n].name, "%s", name);
  snprintf(constant, sizeof constant, "%s_help_%s", section, name);
  OAK_TRY(oak_device_constant(setup->dev, module, constant, d->parameter[n].help, OAK_HELP_BYTES));
  blank_control(d->parameter[n].help);
  OAK_TRY(read_values(d, n));
  const int array = setup->files.declared.parameter[slot].kind == OAK_PARAMETER_ARRAY;
  OAK_CHECK(!array || (!*d->parameter[n].choices && !d->parameter[n].positive_if_refined),
            OAK_ERR_INPUT,
            "PARAMETER_ARRAY(%s, ...): its help text may begin with a bound such as {>0} or {>=0} "
            "alone",
            name);
  return OAK_OK;
}

static const char *const owner_name[] = {
    [OAK_OF_PHYSICS] = "physics", [OAK_OF_PROBLEM] = "problem"};

/* The file whose FIELD sets a field, NULL if none does. */
static const char *function_of(const oak_declared_t *d, int slot) {
  return d->field[slot].function[OAK_OF_PROBLEM]   ? owner_name[OAK_OF_PROBLEM]
         : d->field[slot].function[OAK_OF_PHYSICS] ? owner_name[OAK_OF_PHYSICS]
                                                   : NULL;
}

/* A field that is a variable of the state. */
static void read_fixed(oak_setup_t *setup, oak_module_t *module, int slot) {
  oak_field_list_t *list = &setup->fields;
  const oak_declared_t *d = &setup->files.declared;
  const int n = list->nfixed;
  char constant[128];
  list->fixed[n].name = d->fixed[slot].name;
  list->fixed[n].text = d->fixed[slot].variable;
  list->fixed[n].function = NULL;
  for (int i = 0; i < d->nfield; i++)
    if (!strcmp(d->field[i].name, list->fixed[n].name)) list->fixed[n].function = function_of(d, i);
  snprintf(constant, sizeof constant, "physics_flux_field_%s", list->fixed[n].name);
  if (oak_setup_constant(setup, module, constant, &list->fixed[n].variable, sizeof(int)))
    list->nfixed++;
}

/* Fields beside the state and on faces. */
static void read_fields(oak_setup_t *setup) {
  const oak_declared_t *d = &setup->files.declared;
  oak_field_list_t *list = &setup->fields;
  for (int n = 0; n < d->nfield; n++) {
    if (oak_declared_fixed(d, d->field[n].name)) continue;
    list->field[list->count].name = d->field[n].name;
    list->field[list->count++].function = function_of(d, n);
  }
  for (int n = 0; n < d->nface; n++) list->face[list->nface++] = d->face[n].name;
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

/* A problem without TITLE is called by its file. */
static void name_after_file(const char *path, char title[OAK_TITLE_BYTES]) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  const int ending = strlen(name) > 2 && !strcmp(name + strlen(name) - 2, ".c") ? 2 : 0;
  snprintf(title, OAK_TITLE_BYTES, "%.*s", (int)strlen(name) - ending, name);
}

/* What the components of a vector are: bits of variables. */
static void note_vector(oak_setup_t *setup, const int of[3]) {
  oak_description_t *d = &setup->description;
  const int polar =
      setup->domain.coordinates == OAK_POLAR || setup->domain.coordinates == OAK_CYLINDRICAL;
  const int phi = of[polar ? 1 : 2];
  for (int n = 0; n < 3; n++) {
    if (of[n] < 0) continue;
    d->vectors.component[n] |= 1u << of[n];
    d->vectors.listed += 1ull << 2 * of[n];
  }
  if (of[2] < 0) d->vectors.planar = 1;
  if (setup->domain.coordinates && of[0] == d->normal[0] && phi >= 0)
    d->vectors.angular |= 1u << phi;
}

/* The vectors among the variables. Without a declaration there may be a velocity. */
static oak_status_t read_vectors(oak_setup_t *setup, oak_module_t *module) {
  oak_description_t *d = &setup->description;
  int list[3 * OAK_MAX_VECTORS + 1], has[2];
  OAK_TRY(oak_device_constant(setup->dev, module, "oak_describe_has", has, sizeof has));
  OAK_TRY(oak_device_constant(setup->dev, module, "oak_describe_vector_list", list, sizeof list));
  d->vectors.declared = has[0];
  d->vectors.sides = has[1];
  while (d->vectors.count < OAK_MAX_VECTORS && list[3 * d->vectors.count] >= 0) {
    memcpy(d->vectors.of[d->vectors.count], list + 3 * d->vectors.count, 3 * sizeof *list);
    note_vector(setup, d->vectors.of[d->vectors.count++]);
  }
  if (d->vectors.declared || d->normal[0] < 0) return OAK_OK;
  memcpy(d->vectors.of[d->vectors.count], d->normal, sizeof d->normal);
  if (setup->dim == 2) d->vectors.of[d->vectors.count][2] = -1;
  d->vectors.count++;
  return OAK_OK;
}

/* The names of variables in outputs. */
static void name_outputs(oak_setup_t *setup) {
  oak_description_t *d = &setup->description;
  memcpy(d->shown, d->name, sizeof d->shown);
  for (int i = 0; i < 6 * d->vectors.count; i++) {
    const int component = d->vectors.of[i / 6][i % 3], v = component + (i / 3 % 2) * d->nvar;
    char name[256];
    if (component < 0 || component >= d->nvar) continue;
    oak_component_name(setup->domain.coordinates, d->name[v], i % 3, name, sizeof name);
    if (strlen(name) >= sizeof *d->curved) continue;
    memcpy(d->curved[v], name, strlen(name) + 1);
    d->shown[v] = d->curved[v];
  }
}

static oak_status_t read_description(oak_setup_t *setup, oak_module_t *module) {
  oak_description_t *d = &setup->description;
  int nvar;
  read_text(setup, module, "physics_title", d->physics_title, OAK_TITLE_BYTES);
  read_text(setup, module, "problem_title", d->problem_title, OAK_TITLE_BYTES);
  if (!*d->problem_title) name_after_file(setup->files.problem, d->problem_title);
  if (!*d->physics_title)
    snprintf(d->physics_title, OAK_TITLE_BYTES, "%s",
             oak_params_text(setup->params, "physics.name"));
  read_text(setup, module, "physics_variables", d->variables, OAK_NAMES_BYTES);
  read_text(setup, module, "physics_primitives", d->primitives, OAK_NAMES_BYTES);
  OAK_TRY(
      oak_device_constant(setup->dev, module, "oak_describe_normal", d->normal, sizeof d->normal));
  OAK_TRY(
      oak_device_constant(setup->dev, module, "oak_describe_mirror", d->mirror, sizeof d->mirror));
  OAK_TRY(oak_device_constant(setup->dev, module, "oak_describe_nvar", &nvar, sizeof nvar));
  OAK_TRY(read_names(d, setup->files.physics, nvar));
  OAK_TRY(oak_schemes_name(&setup->files.declared, setup->params));
  OAK_TRY(oak_scheme_check(setup, OAK_FLUXES, "scheme.flux"));
  OAK_TRY(read_vectors(setup, module));
  for (int n = 0; n < setup->files.declared.count; n++) OAK_TRY(read_parameter(setup, module, n));
  for (int n = 0; n < setup->files.declared.nfixed; n++) read_fixed(setup, module, n);
  read_fields(setup);
  return OAK_OK;
}

/* ---- keys */

/* The default of an array is a text. */
static oak_status_t read_array(oak_setup_t *setup, oak_module_t *module, int n,
                               oak_param_desc_t *desc, char text[OAK_VALUES_BYTES]) {
  const oak_description_t *d = &setup->description;
  char constant[128];
  desc->count = setup->files.declared.parameter[d->parameter[n].slot].length;
  desc->type = OAK_PARAM_REALS;
  desc->fallback = text;
  snprintf(constant, sizeof constant, "%s_values_%s", d->parameter[n].section,
           d->parameter[n].name);
  return oak_device_constant(setup->dev, module, constant, text, OAK_VALUES_BYTES);
}

/* A name such as rho may stand for a conserved and a primitive variable: the first one counts. */
static oak_status_t declare_parameters(oak_setup_t *setup, oak_module_t *module) {
  const oak_description_t *d = &setup->description;
  for (int n = 0; n < d->nparameter; n++) {
    char key[256], fallback[64], values[OAK_VALUES_BYTES];
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
      desc.max = d->parameter[n].max;
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
    if (setup->files.declared.parameter[d->parameter[n].slot].kind == OAK_PARAMETER_ARRAY)
      OAK_TRY(read_array(setup, module, n, &desc, values));
    OAK_TRY(oak_params_declare(setup->params, &desc, 1));
  }
  return OAK_OK;
}

static oak_status_t describe(oak_setup_t *setup, oak_module_t *module) {
  OAK_TRY(oak_setup_check_statics(setup, module));
  OAK_TRY(read_description(setup, module));
  OAK_TRY(declare_parameters(setup, module));
  OAK_TRY(oak_topics_describe(setup, module));
  OAK_CHECK(!*setup->description.unread, OAK_ERR_DEVICE, "%s", setup->description.unread);
  setup->nvar = setup->description.nvar;
  name_outputs(setup);
  return oak_boundary_declare(setup);
}

oak_status_t oak_setup_describe(oak_setup_t *setup) {
  oak_module_t *module = NULL;
  oak_status_t st = oak_setup_build_module(setup, "hooks/describe", &module);
  OAK_TRY(oak_explain_names(setup, st));
  st = describe(setup, module);
  oak_device_unload(setup->dev, &module);
  return oak_agree(setup->comm, st);
}
