/* SPDX-License-Identifier: GPL-2.0-or-later
 * Parameter sets: which keys are declared, and which values were given. params_check.c judges them,
 * params_file.c reads files, params_value.c reads values, params_help.c prints, params_table.c
 * lists keys. */
#include "oak/params.h"

#include <stdlib.h>
#include <string.h>

#include "params_private.h"
#include "str.h"
#include "failure.h"

/* A set has a few hundred keys at most, so a linear search is fast enough. */
enum { MOST_SETTINGS = 4096 };

/* ---- lists ---------------------------------------------------------------------------------- */

oak_param_t *oak_param_in(oak_param_t *list, int count, const char *key) {
  for (int i = 0; i < count; i++)
    if (strcmp(list[i].desc.key, key) == 0) return &list[i];
  return NULL;
}

oak_param_t *oak_params_find(const oak_params_t *params, const char *key) {
  return oak_param_in(params->known, params->nknown, key);
}

oak_param_entry_t *oak_params_given(const oak_params_t *params, const char *key) {
  for (int i = 0; i < params->ngiven; i++)
    if (strcmp(params->given[i].key, key) == 0) return &params->given[i];
  return NULL;
}

const char *oak_params_entry(const oak_params_t *params, int number, const char **value) {
  if (number >= params->ngiven) return NULL;
  *value = params->given[number].value;
  return params->given[number].key;
}

const char *oak_params_value(const oak_params_t *params, const char *key) {
  const oak_param_entry_t *entry = oak_params_given(params, key);
  return entry ? entry->value : NULL;
}

static void free_known(oak_param_t *known) {
  free((char *)known->desc.key);
  free((char *)known->desc.fallback);
  free((char *)known->desc.choices);
  free((char *)known->desc.unit);
  free((char *)known->desc.help);
  free(known->text);
}

static void free_entry(oak_param_entry_t *entry) {
  free(entry->key);
  free(entry->value);
  free(entry->origin);
}

void oak_params_destroy(oak_params_t **params) {
  oak_params_t *p = params ? *params : NULL;
  if (!p) return;
  for (int i = 0; i < p->nknown; i++) free_known(&p->known[i]);
  for (int i = 0; i < p->noutput; i++) free_known(&p->output[i]);
  for (int i = 0; i < p->ngiven; i++) free_entry(&p->given[i]);
  free(p->known);
  free(p->output);
  free(p->given);
  free(p->folder);
  free(p->watch);
  free(p);
  *params = NULL;
}

/* ---- given values --------------------------------------------------------------------------- */

int oak_param_needs_quotes(const char *value) {
  if (*value == '#' || *value == ';') return 1;
  for (const char *c = value; *c; c++)
    if ((*c == ' ' || *c == '\t') && (c[1] == '#' || c[1] == ';')) return 1;
  return 0;
}

/** Cut white space and one pair of quotes, in place. `"a b"` becomes a b, but `"a" or "b"` keeps
 * its quotes. */
static char *cut_quotes(char *value) {
  value = oak_str_trim(value);
  size_t length = strlen(value);
  if (length < 2 || value[0] != '"' || value[length - 1] != '"') return value;
  if (memchr(value + 1, '"', length - 2)) return value;
  value[length - 1] = '\0';
  return oak_str_trim(value + 1);
}

oak_status_t oak_params_store(oak_params_t *params, const char *key, const char *value,
                              const char *origin) {
  oak_param_entry_t *known = oak_params_given(params, key);
  OAK_CHECK(known || params->ngiven < MOST_SETTINGS, OAK_ERR_INPUT,
            "%s: more than %d keys: this is not a parameter file; check the path", origin,
            MOST_SETTINGS);
  char *raw = oak_str_copy(value);
  oak_param_entry_t entry = {oak_str_copy(key), raw ? oak_str_copy(cut_quotes(raw)) : NULL,
                             oak_str_copy(origin)};
  free(raw);
  const int complete = entry.key && entry.value && entry.origin;
  if (complete && !known && OAK_GROW(params->given, params->ngiven) == OAK_OK) {
    known = &params->given[params->ngiven++];
    *known = (oak_param_entry_t){NULL, NULL, NULL};
  }
  if (!complete || !known) {
    free_entry(&entry);
    return OAK_FAIL(OAK_ERR_MEMORY, "no memory for the value of %s", key);
  }
  free_entry(known);
  *known = entry;
  return OAK_OK;
}

oak_status_t oak_params_watch(oak_params_t *params, oak_params_watch_t *watch, void *user) {
  OAK_TRY(OAK_GROW(params->watch, params->nwatch));
  params->watch[params->nwatch].ask = watch;
  params->watch[params->nwatch++].user = user;
  return OAK_OK;
}

void oak_params_unwatch(oak_params_t *params, const void *user) {
  for (int i = 0; i < params->nwatch; i++)
    if (params->watch[i].user == user) params->watch[i--] = params->watch[--params->nwatch];
}

/* ---- declared keys -------------------------------------------------------------------------- */

static int same_text(const char *a, const char *b) { return a && b ? strcmp(a, b) == 0 : a == b; }

static int same_desc(const oak_param_desc_t *a, const oak_param_desc_t *b) {
  return a->type == b->type && same_text(a->fallback, b->fallback) && a->min == b->min &&
         a->max == b->max && same_text(a->choices, b->choices) &&
         a->multiple_of == b->multiple_of && a->above_min == b->above_min && a->count == b->count &&
         a->may_change == b->may_change;
}

static oak_status_t copy_desc(const oak_param_desc_t *desc, oak_param_t *out) {
  memset(out, 0, sizeof *out);
  out->desc = *desc;
  out->desc.key = oak_str_copy(desc->key);
  out->desc.fallback = oak_str_copy(desc->fallback);
  out->desc.choices = oak_str_copy(desc->choices);
  out->desc.unit = oak_str_copy(desc->unit);
  out->desc.help = oak_str_copy(desc->help ? desc->help : "");
  out->text = oak_str_copy(desc->fallback);
  int complete = out->desc.key && out->desc.fallback && out->desc.help && out->text &&
                 !out->desc.choices == !desc->choices && !out->desc.unit == !desc->unit;
  if (complete) return OAK_OK;
  free_known(out);
  return OAK_FAIL(OAK_ERR_MEMORY, "no memory for the description of %s", desc->key);
}

oak_status_t oak_param_add(oak_param_t **list, int *count, const oak_param_desc_t *desc) {
  oak_param_value_t value;
  if (!oak_param_parse(desc, desc->fallback, &value)) {
    char allowed[512];
    oak_param_allowed(desc, 1, allowed, sizeof allowed);
    return OAK_FAIL(OAK_ERR_ARGUMENT, "parameter %s: default '%s' must be %s", desc->key,
                    desc->fallback, allowed);
  }
  OAK_TRY(OAK_GROW(*list, *count));
  OAK_TRY(copy_desc(desc, &(*list)[*count]));
  (*list)[(*count)++].value = value;
  return OAK_OK;
}

static oak_status_t declare_one(oak_params_t *params, const oak_param_desc_t *desc) {
  OAK_CHECK(desc->key && strchr(desc->key, '.') && desc->key[0] != '.', OAK_ERR_ARGUMENT,
            "parameter '%s': must be named section.name", desc->key ? desc->key : "");
  OAK_CHECK(desc->fallback, OAK_ERR_ARGUMENT, "parameter %s: give it a default", desc->key);
  OAK_CHECK(desc->type != OAK_PARAM_CHOICE || desc->choices, OAK_ERR_ARGUMENT,
            "parameter %s: name its choices", desc->key);
  const oak_param_t *known = oak_params_find(params, desc->key);
  if (!known) return oak_param_add(&params->known, &params->nknown, desc);
  OAK_CHECK(same_desc(&known->desc, desc), OAK_ERR_ARGUMENT,
            "parameter %s: declared twice with different meanings: rename one of them", desc->key);
  return OAK_OK;
}

oak_status_t oak_params_name(oak_params_t *params, const char *key, const char *words) {
  OAK_NEED(params);
  oak_param_t *known = (oak_param_t *)oak_params_find(params, key);
  OAK_CHECK(known && known->desc.type == OAK_PARAM_TEXT, OAK_ERR_ARGUMENT,
            "parameter %s: is no key with a text", key);
  char *copy = oak_str_copy(words);
  OAK_CHECK(copy, OAK_ERR_MEMORY, "no memory for the words of %s", key);
  free((char *)known->desc.choices);
  known->desc.choices = copy;
  return OAK_OK;
}

const char *oak_params_words(const oak_params_t *params, const char *key) {
  OAK_HANDLE(params, "");
  const oak_param_t *known = oak_params_find(params, key);
  return known && known->desc.choices ? known->desc.choices : "";
}

oak_status_t oak_params_declare(oak_params_t *params, const oak_param_desc_t *desc, int count) {
  OAK_NEED(params);
  int before = params->nknown;
  for (int i = 0; i < count; i++) {
    oak_status_t status = declare_one(params, &desc[i]);
    if (status == OAK_OK) continue;
    while (params->nknown > before) free_known(&params->known[--params->nknown]);
    return status;
  }
  return OAK_OK;
}

oak_status_t oak_params_declare_named(oak_params_t *params, const oak_param_desc_t *table,
                                      const char *name) {
  for (const oak_param_desc_t *like = table + 1; like->key; like++) {
    const oak_param_entry_t *given = oak_params_given(params, like->key);
    const char *dot = strchr(like->key, '.');
    oak_param_desc_t desc = *like;
    oak_param_value_t value;
    char key[128];
    snprintf(key, sizeof key, "%.*s.%s%s", (int)(dot - like->key), like->key, name, dot);
    desc.key = key;
    /* If the value is not allowed, the check of the given values reports it. */
    if (given && oak_param_parse(&desc, given->value, &value)) desc.fallback = given->value;
    OAK_TRY(declare_one(params, &desc));
  }
  return OAK_OK;
}

/* ---- values --------------------------------------------------------------------------------- */

/** The declared key. It must be of that type; anything else is a bug of the caller. */
static const oak_param_t *value_of(const oak_params_t *params, const char *key,
                                   oak_param_type_t type) {
  static const oak_param_t none = {.text = ""};
  const oak_param_t *known = oak_params_find(params, key);
  int usable = known && known->desc.type == type;
  OAK_ASSERT(usable && "the parameter is declared with this type");
  return usable ? known : &none;
}

int oak_params_int(const oak_params_t *params, const char *key) {
  OAK_HANDLE(params, 0);
  const oak_param_t *known = oak_params_find(params, key);
  if (known && known->desc.type == OAK_PARAM_INTS) return known->value.n[0];
  return value_of(params, key, OAK_PARAM_INT)->value.n[0];
}

double oak_params_real(const oak_params_t *params, const char *key) {
  OAK_HANDLE(params, 0);
  return value_of(params, key, OAK_PARAM_REAL)->value.x[0];
}

int oak_params_bool(const oak_params_t *params, const char *key) {
  OAK_HANDLE(params, 0);
  return value_of(params, key, OAK_PARAM_BOOL)->value.n[0];
}

const char *oak_params_text(const oak_params_t *params, const char *key) {
  OAK_HANDLE(params, "");
  const oak_param_t *known = oak_params_find(params, key);
  if (known && known->desc.type == OAK_PARAM_CHOICE) return known->text;
  return value_of(params, key, OAK_PARAM_TEXT)->text;
}

int oak_params_choice(const oak_params_t *params, const char *key) {
  OAK_HANDLE(params, 0);
  return value_of(params, key, OAK_PARAM_CHOICE)->value.n[0];
}

int oak_params_ints(const oak_params_t *params, const char *key, int out[3]) {
  OAK_HANDLE(params, 0);
  const oak_param_t *known = value_of(params, key, OAK_PARAM_INTS);
  memcpy(out, known->value.n, sizeof known->value.n);
  return known->value.count;
}

int oak_params_reals(const oak_params_t *params, const char *key, double out[3]) {
  OAK_HANDLE(params, 0);
  const oak_param_t *known = value_of(params, key, OAK_PARAM_REALS);
  memcpy(out, known->value.x, sizeof known->value.x);
  return known->value.count;
}

int oak_params_array(const oak_params_t *params, const char *key, int most, double *out) {
  OAK_HANDLE(params, 0);
  return oak_params_numbers(value_of(params, key, OAK_PARAM_REALS)->text, most, out);
}

int oak_params_is_set(const oak_params_t *params, const char *key) {
  OAK_HANDLE(params, 0);
  return oak_params_given(params, key) != NULL;
}

static int same_values(const oak_param_value_t *a, const oak_param_value_t *b) {
  int same = a->count == b->count;
  for (int i = 0; i < 3; i++) same &= a->n[i] == b->n[i] && a->x[i] == b->x[i];
  return same;
}

const char *oak_params_changed(const oak_params_t *params, const char *key) {
  OAK_HANDLE(params, "");
  const oak_param_t *p = oak_params_find(params, key);
  oak_param_value_t fallback;
  if (!p || !oak_params_given(params, key)) return NULL;
  const int same = p->desc.type == OAK_PARAM_TEXT || p->desc.count > 3
                       ? !strcmp(p->text, p->desc.fallback)
                       : oak_param_parse(&p->desc, p->desc.fallback, &fallback) &&
                             same_values(&p->value, &fallback);
  return same ? NULL : p->text;
}

const char *oak_params_origin(const oak_params_t *params, const char *key) {
  OAK_HANDLE(params, "");
  const oak_param_entry_t *entry = oak_params_given(params, key);
  return entry ? entry->origin : "default";
}

const char *oak_params_folder(const oak_params_t *params) {
  OAK_HANDLE(params, "");
  return params->folder ? params->folder : ".";
}
