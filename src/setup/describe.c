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

/* What a help text in braces says of the values of a parameter: "{a,b,c} ..." are their names,
 * "{>1} ..." or "{>=1} ..." is their lower bound; "{>=0; <=1}" has an upper one too. In "{>=0; >0
 * if refined} ..." the second bound is for meshes with several levels; a value that does not fulfil
 * it gives a warning. With "{>=0; diffusive} ..." the physics diffuses only if such a key is above
 * 0, with "{>=0; resistive} ..." it has ELECTRIC_FIELD, too. */
static oak_status_t read_values(oak_param_desc_t *desc, char words[128], int *refined,
                                int *diffusive) {
  static const char *const kind[] = {"; diffusive", "; resistive"};
  static const char REFINED[] = "; >0 if refined", MOST[] = "; <=";
  const char *help = desc->help, *end = *help == '{' ? strchr(help, '}') : NULL;
  char *stop;
  if (!end) return OAK_OK;
  desc->help = end + 1 + strspn(end + 1, " "); /* the rest is said with the allowed values */
  if (help[1] == '>') {
    const char *number = help + (help[2] == '=' ? 3 : 2);
    desc->above_min = help[2] != '=';
    desc->min = strtod(number, &stop);
    desc->max = INFINITY;
    if (!strncmp(stop, MOST, strlen(MOST))) desc->max = strtod(stop + strlen(MOST), &stop);
    *refined = !strncmp(stop, REFINED, strlen(REFINED));
    if (*refined) stop += strlen(REFINED);
    for (int n = 0; n < 2; n++)
      if (!strncmp(stop, kind[n], strlen(kind[n]))) *diffusive = n + 1, stop += strlen(kind[n]);
    OAK_CHECK(stop > number && stop == end && isfinite(desc->min), OAK_ERR_INPUT,
              "parameter %s: its help text must begin with a bound such as {>0} or {>=0}",
              desc->key);
    return OAK_OK;
  }
  OAK_CHECK(end - help < 128, OAK_ERR_INPUT,
            "parameter %s: the names of its values in {} have more than 126 characters", desc->key);
  snprintf(words, 128, "%.*s", (int)(end - help - 1), help + 1);
  for (char *c = words; *c; c++)
    if (*c == ',') *c = ' ';
  desc->type = OAK_PARAM_CHOICE;
  desc->choices = words;
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

/* The default as a text: the word that it numbers, or the shortest that reads back the same. */
static void print_default(const oak_param_desc_t *desc, double value, char *text) {
  char words[128];
  for (int digits = 1; digits <= 17; digits++) {
    snprintf(text, 64, "%.*g", digits, value);
    if (strtod(text, NULL) == value) break;
  }
  snprintf(words, sizeof words, "%s", desc->choices ? desc->choices : "");
  for (char *w = strtok(words, " "); w; w = strtok(NULL, " "))
    if (value-- == 0) snprintf(text, sizeof words, "%s", w); /* it may be no integer */
}

/* The key of a parameter. */
static oak_status_t declare_parameter(oak_setup_t *setup, oak_module_t *module, int slot) {
  oak_description_t *d = &setup->description;
  const oak_declared_t *declared = &setup->files.declared;
  const char *name = declared->parameter[slot].name;
  const char *section = oak_owner_name[declared->parameter[slot].owner];
  const int array = declared->parameter[slot].kind == OAK_PARAMETER_ARRAY, n = d->nparameter++;
  char constant[128], help[OAK_HELP_BYTES], words[128] = "", text[OAK_VALUES_BYTES];
  double value;
  oak_param_desc_t desc = {.key = d->parameter[n].key,
                           .type = OAK_PARAM_REAL,
                           .fallback = text,
                           .help = help,
                           .may_change = 1};
  d->nproblem += declared->parameter[slot].owner == OAK_OF_PROBLEM;
  d->parameter[n].slot = slot;
  snprintf(d->parameter[n].key, sizeof d->parameter[n].key, "%s.%s", section, name);
  snprintf(constant, sizeof constant, "%s_default_%s", section, name);
  OAK_TRY(oak_device_constant(setup->dev, module, constant, &value, sizeof value));
  snprintf(constant, sizeof constant, "%s_help_%s", section, name);
  OAK_TRY(oak_device_constant(setup->dev, module, constant, help, sizeof help));
  blank_control(help);
  OAK_TRY(
      read_values(&desc, words, &d->parameter[n].positive_if_refined, &d->parameter[n].diffusive));
  d->parameter[n].choice = desc.type == OAK_PARAM_CHOICE;
  snprintf(d->parameter[n].help, sizeof help, "%s", desc.help);
  OAK_CHECK(!array || !(*words || d->parameter[n].positive_if_refined || d->parameter[n].diffusive),
            OAK_ERR_INPUT,
            "PARAMETER_ARRAY(%s, ...): its help text may begin with a bound such as {>0} or {>=0} "
            "alone",
            name);
  print_default(&desc, value, text);
  if (array) { /* the default is a text */
    desc.count = declared->parameter[slot].length;
    desc.type = OAK_PARAM_REALS;
    snprintf(constant, sizeof constant, "%s_values_%s", section, name);
    OAK_TRY(oak_device_constant(setup->dev, module, constant, text, sizeof text));
  }
  return oak_params_declare(setup->params, &desc, 1);
}

/* Parameters become keys; globals only have a place. */
static oak_status_t read_parameters(oak_setup_t *setup, oak_module_t *module) {
  oak_description_t *d = &setup->description;
  for (int slot = 0; slot < setup->files.declared.count; slot++) {
    const oak_kind_t kind = setup->files.declared.parameter[slot].kind;
    d->has_integrals |= kind == OAK_GLOBAL_INTEGRAL;
    d->of_cells |= kind >= OAK_GLOBAL_MAX && kind <= OAK_GLOBAL_INTEGRAL;
    if (kind >= OAK_GLOBAL_MAX)
      d->global_slot[d->nglobal++] = slot;
    else
      OAK_TRY(declare_parameter(setup, module, slot));
  }
  return OAK_OK;
}

/* The file whose FIELD sets a field, NULL if none does. */
static const char *function_of(const oak_declared_t *d, int slot) {
  return d->field[slot].function[OAK_OF_PROBLEM]   ? oak_owner_name[OAK_OF_PROBLEM]
         : d->field[slot].function[OAK_OF_PHYSICS] ? oak_owner_name[OAK_OF_PHYSICS]
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

/* A vector on faces. */
static void read_vector(oak_setup_t *setup, oak_module_t *module) {
  char constant[128];
  snprintf(constant, sizeof constant, "physics_face_vector_%s",
           setup->files.declared.vector[0].name);
  setup->fields.nvector =
      oak_setup_constant(setup, module, constant, &setup->fields.vector, sizeof(int));
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
  list->nface = d->nface;
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
  for (int n = 0; n < setup->files.declared.nfixed; n++) read_fixed(setup, module, n);
  read_fields(setup);
  if (setup->files.declared.nvector) read_vector(setup, module);
  return OAK_OK;
}

static oak_status_t describe(oak_setup_t *setup, oak_module_t *module) {
  OAK_TRY(oak_setup_check_statics(setup, module));
  OAK_TRY(read_description(setup, module));
  OAK_TRY(read_parameters(setup, module));
  OAK_FOR_TOPICS(t, describe) OAK_TRY(t->describe(setup, module));
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
