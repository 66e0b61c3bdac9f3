/* SPDX-License-Identifier: GPL-2.0-or-later
 * What physics and problem files declare: names of variables, hooks and parameters, read from a
 * small module that holds kernels/describe.c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solver/sim.h"

enum { LONGEST_NAME = 48 /* of a key in parameter files */ };

/* "key text" to a buffer. \return 0 if it is too long for it. */
static int set_field(char *out, size_t size, const char *item, const char *key) {
  const size_t n = strlen(key);
  if (strncmp(item, key, n) || item[n] != ' ') return 1;
  return snprintf(out, size, "%s", item + n + 1) < (int)size;
}

/* Split words of `text` in place into names from position `first`. */
static int split_names(char *text, const char **name, int first, int most) {
  int n = first;
  for (char *word = strtok(text, " "); word && n < most; word = strtok(NULL, " ")) name[n++] = word;
  return n - first;
}

/* A help text "{a,b,c} ..." names the values of a parameter, "{>1} ..." or "{>=1} ..." is its lower
 * bound. */
static oak_status_t read_values(oak_description_t *d, int n) {
  const char *help = d->parameter[n].help, *end = *help == '{' ? strchr(help, '}') : NULL;
  char *choices = d->parameter[n].choices, *stop;
  if (!end) return OAK_OK;
  if (help[1] == '>') {
    const char *number = help + (help[2] == '=' ? 3 : 2);
    d->parameter[n].bounded = 1;
    d->parameter[n].above_min = help[2] != '=';
    d->parameter[n].min = strtod(number, &stop);
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

/* An item OAK_NEXT "name|help". */
static oak_status_t read_parameter(oak_description_t *d, const char *section, char *item) {
  char *bar = strchr(item, '|');
  OAK_CHECK(bar && d->nparameter < OAK_MAX_PARAMETERS, OAK_ERR_INPUT,
            "the help text of a parameter in [%s] has control characters: leave them out", section);
  *bar = 0;
  const int n = d->nparameter++;
  d->parameter[n].section = section;
  d->parameter[n].name = item + 1;
  d->parameter[n].help = bar + 1;
  OAK_CHECK(strlen(item + 1) <= LONGEST_NAME, OAK_ERR_INPUT,
            "parameter %s.%s: the name may have %d characters at most", section, item + 1,
            LONGEST_NAME);
  return read_values(d, n);
}

static void blank_control(char *text) {
  for (; *text; text++)
    if ((unsigned char)*text < ' ') *text = ' ';
}

/* The items of kernels/describe.c. */
static oak_status_t read_items(oak_description_t *d, const char *physics, char *hooks,
                               size_t hooks_size) {
  const char *section = "";
  char *next = d->text;
  int whole = 1;
  for (char *item = next; item && *item; item = next) {
    next = strchr(item, '\036');
    if (next) *next++ = 0;
    blank_control(item + 1);
    set_field(d->physics_title, sizeof d->physics_title, item, "physics");
    set_field(d->problem_title, sizeof d->problem_title, item, "problem");
    whole &= set_field(d->variables, sizeof d->variables, item, "variables");
    whole &= set_field(d->primitives, sizeof d->primitives, item, "primitives");
    set_field(hooks, hooks_size, item, "hooks");
    if (!strcmp(item, "physics_parameters")) section = "physics";
    if (!strcmp(item, "problem_parameters")) section = "problem";
    if (*item == '\037') OAK_TRY(read_parameter(d, section, item));
  }
  OAK_CHECK(whole, OAK_ERR_INPUT,
            "%s: PHYSICS_VARIABLES and PHYSICS_PRIMITIVES may have %zu characters at most", physics,
            sizeof d->variables - 1);
  return OAK_OK;
}

static oak_status_t read_description(oak_description_t *d, const char *physics, int nvar,
                                     const int count[2], const double *fallback) {
  char hooks[128] = "";
  OAK_TRY(read_items(d, physics, hooks, sizeof hooks));
  OAK_CHECK(d->nparameter == count[0] + count[1], OAK_ERR_INPUT,
            "physics and problem declare %d parameters, of which %d can be read: leave control "
            "characters out of their help texts",
            count[0] + count[1], d->nparameter);
  d->nproblem = count[1];
  for (int n = 0; n < d->nparameter; n++) d->parameter[n].fallback = fallback[n];
  d->has_initial = strstr(hooks, "initial") != NULL;
  d->has_boundary = strstr(hooks, "boundary") != NULL;
  d->has_source = strstr(hooks, "source") != NULL;
  d->has_refine = strstr(hooks, "refine") != NULL;
  d->has_region = strstr(hooks, "region") != NULL;
  d->has_floor = strstr(hooks, "floor") != NULL;
  d->nvar = split_names(d->variables, d->name, 0, OAK_MAX_NVAR);
  const int named = d->nvar;
  const int nprimitive = split_names(d->primitives, d->name, d->nvar, 2 * OAK_MAX_NVAR);
  OAK_CHECK(nvar > 0 && nvar <= OAK_MAX_NVAR, OAK_ERR_INPUT,
            "%s: PHYSICS_NVAR = %d: must be 1 to %d", physics, nvar, OAK_MAX_NVAR);
  OAK_CHECK(named == nvar && nprimitive == nvar, OAK_ERR_INPUT,
            "%s: PHYSICS_NVAR = %d, but PHYSICS_VARIABLES has %d names and PHYSICS_PRIMITIVES %d: "
            "each must name "
            "every variable",
            physics, nvar, named, nprimitive);
  d->name[2 * d->nvar] = "level";
  return OAK_OK;
}

/* A name such as rho may stand for a conserved and a primitive variable: the first one counts. */
static oak_status_t declare_parameters(oak_t *sim) {
  const oak_description_t *d = &sim->description;
  for (int n = 0; n < d->nparameter; n++) {
    char key[256], fallback[64];
    oak_param_desc_t desc = {
        .key = key, .type = OAK_PARAM_REAL, .fallback = fallback, .help = d->parameter[n].help};
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
  static const char *const part[] = {"kernels/describe.c"};
  oak_description_t *d = &sim->description;
  double fallback[OAK_MAX_PARAMETERS + 1];
  int nvar = 0, count[2];
  oak_module_t *module = NULL;
  /* A file may be there for one rank and not for another. */
  OAK_TRY(oak_agree(sim->comm, oak_sim_find_files(sim)));
  OAK_TRY(oak_sim_build_module(sim, "describe", part, 1, NULL, &module));
  oak_status_t st =
      oak_device_constant(sim->dev, module, "oak_describe_text", d->text, sizeof d->text);
  if (st == OAK_OK)
    st = oak_device_constant(sim->dev, module, "oak_describe_default", fallback, sizeof fallback);
  if (st == OAK_OK)
    st = oak_device_constant(sim->dev, module, "oak_describe_normal", d->normal, sizeof d->normal);
  if (st == OAK_OK)
    st = oak_device_constant(sim->dev, module, "oak_describe_nvar", &nvar, sizeof nvar);
  if (st == OAK_OK)
    st = oak_device_constant(sim->dev, module, "oak_describe_count", count, sizeof count);
  oak_device_unload(sim->dev, &module);
  if (st == OAK_OK) st = read_description(d, sim->physics_path, nvar, count, fallback);
  if (st == OAK_OK) st = declare_parameters(sim);
  return oak_agree(sim->comm, st);
}
