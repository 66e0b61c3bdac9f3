/* SPDX-License-Identifier: GPL-2.0-or-later
 * Parameter sets: which keys are declared, which values were given, and whether the values are
 * allowed. params_file.c reads files, params_value.c reads values, params_help.c prints,
 * params_table.c lists oak's own keys. */
#include "oak/params.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "params_private.h"
#include "str.h"

/* A set has a few hundred keys at most, so a linear search is fast enough. */
enum { MOST_SETTINGS = 4096, MOST_SHOWN = 20 };

/* ---- lists ---------------------------------------------------------------------------------- */

oak_param_t *oak_params_find(const oak_params_t *params, const char *key) {
  for (int i = 0; i < params->nknown; i++)
    if (strcmp(params->known[i].desc.key, key) == 0) return &params->known[i];
  return NULL;
}

oak_param_entry_t *oak_params_given(const oak_params_t *params, const char *key) {
  for (int i = 0; i < params->ngiven; i++)
    if (strcmp(params->given[i].key, key) == 0) return &params->given[i];
  return NULL;
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

oak_status_t oak_params_new(oak_params_t **out) {
  *out = calloc(1, sizeof **out);
  OAK_CHECK(*out, OAK_ERR_MEMORY, "no memory for a parameter set");
  oak_status_t status = oak_params_declare(*out, oak_param_table, oak_param_table_count);
  if (status != OAK_OK) oak_params_destroy(out);
  return status;
}

void oak_params_destroy(oak_params_t **params) {
  oak_params_t *p = *params;
  if (!p) return;
  for (int i = 0; i < p->nknown; i++) free_known(&p->known[i]);
  for (int i = 0; i < p->ngiven; i++) free_entry(&p->given[i]);
  free(p->known);
  free(p->given);
  free(p->folder);
  free(p->watch);
  free(p);
  *params = NULL;
}

/* ---- mistakes ------------------------------------------------------------------------------- */

void oak_mistakes_add(oak_mistakes_t *mistakes, const char *format, ...) {
  size_t room = sizeof mistakes->text - mistakes->length;
  mistakes->count++;
  /* Messages that do not fit are counted, not cut: a file that is no parameter file may have a
   * mistake in each line. */
  if (room < 400 || mistakes->shown == MOST_SHOWN) return;
  va_list args;
  va_start(args, format);
  char *line = mistakes->text + mistakes->length;
  int separator = mistakes->shown > 0;
  if (separator) *line = '\n';
  int written = vsnprintf(line + separator, room - (size_t)separator, format, args);
  va_end(args);
  if (written < 0) return;
  if ((size_t)(written + separator) >= room) { /* one huge value: show how it begins */
    written = (int)room - separator - 1;
    memcpy(line + room - 4, "...", 4);
  }
  mistakes->length += (size_t)(written + separator);
  mistakes->shown++;
}

oak_status_t oak_mistakes_fail(const oak_mistakes_t *mistakes) {
  if (mistakes->count == 0) return OAK_OK;
  int hidden = mistakes->count - mistakes->shown;
  if (hidden > 0)
    return OAK_FAIL(OAK_ERR_INPUT, "%s\n... and %d more mistakes", mistakes->text, hidden);
  return OAK_FAIL(OAK_ERR_INPUT, "%s", mistakes->text);
}

/* ---- given values --------------------------------------------------------------------------- */

int oak_param_needs_quotes(const char *value) {
  if (*value == '#' || *value == ';') return 1;
  for (const char *c = value; *c; c++)
    if ((*c == ' ' || *c == '\t') && (c[1] == '#' || c[1] == ';')) return 1;
  return 0;
}

/** Cut white space and one pair of quotes, in place: `"a b"` is a b, but `"a" or "b"` stays. */
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
  int complete = entry.key && entry.value && entry.origin;
  if (complete && !known) {
    oak_param_entry_t *grown = realloc(params->given, (size_t)(params->ngiven + 1) * sizeof *grown);
    if (grown) {
      params->given = grown;
      known = &grown[params->ngiven++];
      *known = (oak_param_entry_t){NULL, NULL, NULL};
    }
  }
  if (!complete || !known) {
    free_entry(&entry);
    return OAK_FAIL(OAK_ERR_MEMORY, "no memory for the value of %s", key);
  }
  free_entry(known);
  *known = entry;
  return OAK_OK;
}

static oak_status_t ask_watches(const oak_params_t *params, const char *key, const double *number) {
  for (int i = 0; i < params->nwatch; i++)
    OAK_TRY(params->watch[i].ask(params->watch[i].user, key, number));
  return OAK_OK;
}

/** Keep a value that simulations use already. Keys that nobody has declared yet are those of
 * outputs. */
static oak_status_t change_value(oak_params_t *params, const char *key, const char *value,
                                 const char *origin) {
  oak_param_t *known = oak_params_find(params, key);
  oak_param_value_t parsed = {.count = 0};
  char words[1024];
  if (known && !oak_param_parse(&known->desc, value, &parsed)) {
    oak_param_allowed(&known->desc, 1, words, sizeof words);
    return OAK_FAIL(OAK_ERR_INPUT, "%s: %s = %s: must be %s", origin, key, value, words);
  }
  OAK_TRY(ask_watches(params, key, parsed.x));
  OAK_TRY(oak_params_store(params, key, value, origin));
  OAK_TRY(oak_params_check(params, 0));
  return ask_watches(params, key, NULL);
}

oak_status_t oak_params_watch(oak_params_t *params, oak_params_watch_t *watch, void *user) {
  void *grown = realloc(params->watch, (size_t)(params->nwatch + 1) * sizeof *params->watch);
  OAK_CHECK(grown, OAK_ERR_MEMORY, "no memory for a simulation");
  params->watch = grown;
  params->watch[params->nwatch].ask = watch;
  params->watch[params->nwatch++].user = user;
  return OAK_OK;
}

void oak_params_unwatch(oak_params_t *params, const void *user) {
  for (int i = 0; i < params->nwatch; i++)
    if (params->watch[i].user == user) params->watch[i--] = params->watch[--params->nwatch];
}

/** Keep a value that did not come from a file. It must fit on one line of a file, because the echo
 * writes it there. */
static oak_status_t set_value(oak_params_t *params, const char *key, const char *value,
                              const char *origin) {
  OAK_CHECK(!strpbrk(value, "\r\n"), OAK_ERR_INPUT,
            "%s: the value of %s has several lines: give it on one", origin, key);
  for (const char *c = value; *c; c++)
    OAK_CHECK(!oak_str_is_control(c), OAK_ERR_INPUT,
              "%s: %s = %s: has a control character (byte %d): leave it out", origin, key, value,
              (unsigned char)*c);
  OAK_CHECK(
      !oak_param_needs_quotes(value) || !strchr(value, '"'), OAK_ERR_INPUT,
      "%s: %s = %s: has quotes and a comment sign, # or ; after a blank: leave one of them out",
      origin, key, value);
  return params->nwatch ? change_value(params, key, value, origin)
                        : oak_params_store(params, key, value, origin);
}

oak_status_t oak_params_assign(oak_params_t *params, const char *assignment, const char *origin) {
  const char *equal = strchr(assignment, '=');
  OAK_CHECK(equal && equal > assignment, OAK_ERR_INPUT,
            "%s: '%s' is not a setting%s: write section.key=value, such as mesh.block_size=16",
            origin, assignment, *assignment == '-' ? " or a known option" : "");
  char *text = oak_str_copy(assignment);
  OAK_CHECK(text, OAK_ERR_MEMORY, "no memory for the setting %s", assignment);
  text[equal - assignment] = '\0';
  oak_status_t status = set_value(params, oak_str_trim(text), equal + 1, origin);
  free(text);
  return status;
}

oak_status_t oak_params_set(oak_params_t *params, const char *key, const char *value) {
  return set_value(params, key, value, "program");
}

/* ---- declared keys -------------------------------------------------------------------------- */

static int same_text(const char *a, const char *b) { return a && b ? strcmp(a, b) == 0 : a == b; }

static int same_desc(const oak_param_desc_t *a, const oak_param_desc_t *b) {
  return a->type == b->type && same_text(a->fallback, b->fallback) && a->min == b->min &&
         a->max == b->max && same_text(a->choices, b->choices) &&
         a->multiple_of == b->multiple_of && a->above_min == b->above_min && a->count == b->count;
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

static oak_status_t declare_one(oak_params_t *params, const oak_param_desc_t *desc) {
  OAK_CHECK(desc->key && strchr(desc->key, '.') && desc->key[0] != '.', OAK_ERR_ARGUMENT,
            "parameter '%s': must be named section.name", desc->key ? desc->key : "");
  OAK_CHECK(desc->fallback, OAK_ERR_ARGUMENT, "parameter %s: give it a default", desc->key);
  OAK_CHECK(desc->type != OAK_PARAM_CHOICE || desc->choices, OAK_ERR_ARGUMENT,
            "parameter %s: name its choices", desc->key);
  const oak_param_t *known = oak_params_find(params, desc->key);
  if (known) {
    OAK_CHECK(same_desc(&known->desc, desc), OAK_ERR_ARGUMENT,
              "parameter %s: declared twice with different meanings: rename one of them",
              desc->key);
    return OAK_OK;
  }

  oak_param_value_t value;
  if (!oak_param_parse(desc, desc->fallback, &value)) {
    char allowed[512];
    oak_param_allowed(desc, 1, allowed, sizeof allowed);
    return OAK_FAIL(OAK_ERR_ARGUMENT, "parameter %s: default '%s' must be %s", desc->key,
                    desc->fallback, allowed);
  }
  oak_param_t *grown = realloc(params->known, (size_t)(params->nknown + 1) * sizeof *grown);
  OAK_CHECK(grown, OAK_ERR_MEMORY, "no memory for the description of %s", desc->key);
  params->known = grown;
  OAK_TRY(copy_desc(desc, &grown[params->nknown]));
  grown[params->nknown++].value = value;
  return OAK_OK;
}

oak_status_t oak_params_declare(oak_params_t *params, const oak_param_desc_t *desc, int count) {
  int before = params->nknown;
  for (int i = 0; i < count; i++) {
    oak_status_t status = declare_one(params, &desc[i]);
    if (status == OAK_OK) continue;
    while (params->nknown > before) free_known(&params->known[--params->nknown]);
    return status;
  }
  return OAK_OK;
}

/* ---- check ---------------------------------------------------------------------------------- */

size_t oak_param_section_length(const char *key) {
  const char *dot = strchr(key, '.'), *next = dot ? strchr(dot + 1, '.') : NULL;
  if (!dot) return 0;
  return (size_t)((next && strncmp(key, "output.", 7) == 0 ? next : dot) - key);
}

int oak_param_same_section(const char *a, const char *b) {
  const size_t length = oak_param_section_length(a);
  return length == oak_param_section_length(b) && strncmp(a, b, length) == 0;
}

static int section_known(const oak_params_t *params, const char *key) {
  for (int i = 0; i < params->nknown; i++)
    if (strchr(key, '.') && oak_param_same_section(key, params->known[i].desc.key)) return 1;
  return 0;
}

/** The declared key nearest to \a key, NULL if none is near. The right name in the wrong section
 * counts as one wrong letter. */
static const char *nearest_key(const oak_params_t *params, const char *key) {
  const char *nearest = NULL, *dot = strchr(key, '.'), *name = dot ? dot + 1 : key;
  const int inside =
      strncmp(key, "output.", 7) == 0 && section_known(params, key) && strchr(name, '.');
  const int length = (int)strlen(key);
  int best = 1 + (int)strlen(name) / 3;
  if (best > 4) best = 4;
  for (int i = 0; i < params->nknown; i++) {
    const char *other = params->known[i].desc.key;
    /* Another output has other keys. */
    if (inside && !oak_param_same_section(key, other)) continue;
    const int same_name = strcmp(name, strchr(other, '.') + 1) == 0;
    /* Texts are at least as far apart as their lengths: most keys need no closer look. */
    if (!same_name && abs((int)strlen(other) - length) > best) continue;
    int distance = oak_str_distance(key, other);
    if (distance > 1 && same_name) distance = 1;
    if (distance < best || (distance == best && !nearest)) {
      best = distance;
      nearest = other;
    }
  }
  return nearest;
}

static void list_sections(const oak_params_t *params, char *out, size_t size) {
  size_t at = 0;
  out[0] = '\0';
  for (int i = 0; i < params->nknown && at < size; i++) {
    const char *key = params->known[i].desc.key;
    int seen = 0;
    for (int j = 0; j < i && !seen; j++)
      seen = oak_param_same_section(params->known[j].desc.key, key);
    if (!seen)
      at += (size_t)snprintf(out + at, size - at, "%s%.*s", at ? ", " : "",
                             (int)oak_param_section_length(key), key);
  }
}

/** The names of the keys in the section of \a key. */
static void list_keys(const oak_params_t *params, const char *key, char *out, size_t size) {
  const size_t skip = oak_param_section_length(key) + 1;
  size_t at = 0;
  out[0] = '\0';
  for (int i = 0; i < params->nknown && at < size; i++) {
    const char *other = params->known[i].desc.key;
    if (oak_param_same_section(key, other))
      at += (size_t)snprintf(out + at, size - at, "%s%s", at ? ", " : "", other + skip);
  }
}

void oak_params_unknown(const oak_params_t *params, const char *key, char *out, size_t size) {
  char sections[512], meant[160] = "";
  const char *nearest = nearest_key(params, key);
  const int length = (int)oak_param_section_length(key);
  if (nearest) snprintf(meant, sizeof meant, "did you mean %s?", nearest);
  if (section_known(params, key)) {
    char keys[512];
    list_keys(params, key, keys, sizeof keys);
    if (nearest)
      snprintf(out, size, "unknown key; %s", meant);
    else
      snprintf(out, size, "unknown key; the keys of [%.*s] are %s", length, key, keys);
    return;
  }
  list_sections(params, sections, sizeof sections);
  if (length == 0)
    snprintf(out, size, "key without a section; %s", nearest ? meant : "write section.key");
  else
    snprintf(out, size, "unknown section [%.*s]; %s%ssections are %s", length, key, meant,
             nearest ? " The " : "the ", sections);
}

static void judge_unknown(const oak_params_t *params, const oak_param_entry_t *entry,
                          oak_mistakes_t *mistakes) {
  char words[1024];
  if (oak_params_find(params, entry->key)) return;
  oak_params_unknown(params, entry->key, words, sizeof words);
  oak_mistakes_add(mistakes, "%s: %s = %s: %s", entry->origin, entry->key, entry->value, words);
}

static oak_status_t judge_value(oak_params_t *params, const oak_param_entry_t *entry,
                                oak_mistakes_t *mistakes) {
  oak_param_t *known = oak_params_find(params, entry->key);
  char words[1024];
  if (!known) return OAK_OK;
  oak_param_value_t value;
  if (!oak_param_parse(&known->desc, entry->value, &value)) {
    oak_param_allowed(&known->desc, 1, words, sizeof words);
    oak_mistakes_add(mistakes, "%s: %s = %s: must be %s", entry->origin, entry->key, entry->value,
                     words);
    return OAK_OK;
  }
  /* Callers keep pointers from oak_params_text(), so the text moves only when it changes. */
  if (strcmp(known->text, entry->value) != 0) {
    char *text = oak_str_copy(entry->value);
    OAK_CHECK(text, OAK_ERR_MEMORY, "no memory for the value of %s", entry->key);
    free(known->text);
    known->text = text;
  }
  known->value = value;
  return OAK_OK;
}

/** 1 for keys that the files of physics and problem declare; these files may not have been read
 * yet. */
static int comes_later(const char *key) {
  static const char *const section[] = {"physics.", "problem.", "boundary."};
  for (int i = 0; i < 3; i++)
    if (strncmp(key, section[i], strlen(section[i])) == 0) return 1;
  return 0;
}

/** Add unknown keys to \a mistakes. Without \a complete they are mistakes only if there are others
 * too, so that the user sees all at once. */
static oak_status_t find_mistakes(oak_params_t *params, int complete, oak_mistakes_t *mistakes) {
  OAK_TRY(oak_params_declare_outputs(params, mistakes));
  for (int i = 0; i < params->ngiven; i++) {
    OAK_TRY(judge_value(params, &params->given[i], mistakes));
    if (complete) judge_unknown(params, &params->given[i], mistakes);
  }
  for (int i = 0; i < params->ngiven && !complete && mistakes->count > 0; i++)
    if (!comes_later(params->given[i].key)) judge_unknown(params, &params->given[i], mistakes);
  return OAK_OK;
}

oak_status_t oak_params_check(oak_params_t *params, int complete) {
  oak_mistakes_t mistakes = {.count = 0};
  OAK_TRY(find_mistakes(params, complete, &mistakes));
  return oak_mistakes_fail(&mistakes);
}

oak_status_t oak_params_assign_all(oak_params_t *params, int count, char *const *assignment,
                                   const char *origin) {
  oak_mistakes_t mistakes = {.count = 0};
  for (int i = 0; i < count; i++) {
    const oak_status_t status = oak_params_assign(params, assignment[i], origin);
    if (status != OAK_OK && status != OAK_ERR_INPUT) return status;
    if (status != OAK_OK) oak_mistakes_add(&mistakes, "%s", oak_last_error());
  }
  if (mistakes.count > 0) OAK_TRY(find_mistakes(params, 0, &mistakes));
  return oak_mistakes_fail(&mistakes);
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
  return value_of(params, key, OAK_PARAM_INT)->value.n[0];
}

double oak_params_real(const oak_params_t *params, const char *key) {
  return value_of(params, key, OAK_PARAM_REAL)->value.x[0];
}

int oak_params_bool(const oak_params_t *params, const char *key) {
  return value_of(params, key, OAK_PARAM_BOOL)->value.n[0];
}

const char *oak_params_text(const oak_params_t *params, const char *key) {
  const oak_param_t *known = oak_params_find(params, key);
  if (known && known->desc.type == OAK_PARAM_CHOICE) return known->text;
  return value_of(params, key, OAK_PARAM_TEXT)->text;
}

int oak_params_choice(const oak_params_t *params, const char *key) {
  return value_of(params, key, OAK_PARAM_CHOICE)->value.n[0];
}

int oak_params_ints(const oak_params_t *params, const char *key, int out[3]) {
  const oak_param_t *known = value_of(params, key, OAK_PARAM_INTS);
  memcpy(out, known->value.n, sizeof known->value.n);
  return known->value.count;
}

int oak_params_reals(const oak_params_t *params, const char *key, double out[3]) {
  const oak_param_t *known = value_of(params, key, OAK_PARAM_REALS);
  memcpy(out, known->value.x, sizeof known->value.x);
  return known->value.count;
}

int oak_params_is_set(const oak_params_t *params, const char *key) {
  return oak_params_given(params, key) != NULL;
}

const char *oak_params_origin(const oak_params_t *params, const char *key) {
  const oak_param_entry_t *entry = oak_params_given(params, key);
  return entry ? entry->origin : "default";
}

const char *oak_params_folder(const oak_params_t *params) {
  return params->folder ? params->folder : ".";
}
