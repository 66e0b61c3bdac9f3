/* SPDX-License-Identifier: GPL-2.0-or-later
 * Whether the values of parameters are allowed, and the messages if they are not. If a simulation
 * already uses a set, it can refuse a change of a value. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "failure.h"
#include "params_private.h"
#include "str.h"

/* ---- check ---------------------------------------------------------------------------------- */

size_t oak_param_section_length(const char *key) {
  const char *dot = strchr(key, '.'), *next = dot ? strchr(dot + 1, '.') : NULL;
  if (!dot) return 0;
  const int nested = strncmp(key, "output.", 7) == 0 || strncmp(key, "poisson.", 8) == 0 ||
                     strncmp(key, "body.", 5) == 0;
  return (size_t)((next && nested ? next : dot) - key);
}

int oak_param_same_section(const char *a, const char *b) {
  const size_t length = oak_param_section_length(a);
  return length == oak_param_section_length(b) && strncmp(a, b, length) == 0;
}

int oak_params_opens_section(const oak_params_t *params, int i) {
  const char *key = oak_params_key(params, i)->key;
  for (int j = i - 1; j >= 0; j--) /* the keys of a section mostly follow one another */
    if (oak_param_same_section(oak_params_key(params, j)->key, key)) return 0;
  return 1;
}

int oak_params_section_known(const oak_params_t *params, const char *key) {
  for (int i = 0; i < params->nknown; i++)
    if (strchr(key, '.') && oak_param_same_section(key, params->known[i].desc.key)) return 1;
  return 0;
}

/** The declared key nearest to \a key, NULL if none is near. The right name in the wrong section
 * counts as one wrong letter. */
static const char *nearest_key(const oak_params_t *params, const char *key) {
  const char *nearest = NULL, *dot = strchr(key, '.'), *name = dot ? dot + 1 : key;
  const int inside =
      strncmp(key, "output.", 7) == 0 && oak_params_section_known(params, key) && strchr(name, '.');
  const int length = (int)strlen(key);
  int best = 1 + (int)strlen(name) / 3;
  if (best > 4) best = 4;
  for (int i = 0; i < params->nknown; i++) {
    const char *other = params->known[i].desc.key;
    /* Only keys of the same output are near. */
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
  out[0] = '\0';
  for (int i = 0; i < params->nknown; i++) {
    const char *key = params->known[i].desc.key;
    if (oak_params_opens_section(params, i))
      oak_str_append(out, size, "%s%.*s", *out ? ", " : "", (int)oak_param_section_length(key),
                     key);
  }
}

enum { MOST_KEYS = 24 /**< most keys of a section in a message */ };

/** The names of the keys in the section of \a key; if there are many, only the first ones. */
static void list_keys(const oak_params_t *params, const char *key, char *out, size_t size) {
  const size_t skip = oak_param_section_length(key) + 1;
  int count = 0;
  out[0] = '\0';
  for (int i = 0; i < params->nknown; i++) {
    const char *other = params->known[i].desc.key;
    if (!oak_param_same_section(key, other) || count++ >= MOST_KEYS) continue;
    oak_str_append(out, size, "%s%s", *out ? ", " : "", other + skip);
  }
  if (count > MOST_KEYS)
    oak_str_append(out, size, " and %d more, which `oak params FILE.ini` lists", count - MOST_KEYS);
}

/** 1 for keys that the files of physics and problem declare, as those of [poisson.NAME]; these
 * files may not have been read yet. */
static int comes_later(const char *key) {
  static const char *const section[] = {"physics.", "problem.", "boundary.", "body."};
  const int named = strchr(key, '.') != strrchr(key, '.') && strncmp(key, "output.", 7) != 0;
  for (int i = 0; i < 4; i++)
    if (strncmp(key, section[i], strlen(section[i])) == 0) return 1;
  return named;
}

/** What to say about a key that nobody declared. */
static void describe_unknown(const oak_params_t *params, const char *key, char *out, size_t size) {
  char sections[512], meant[160] = "";
  const char *nearest = nearest_key(params, key);
  const int length = (int)oak_param_section_length(key);
  if (nearest) snprintf(meant, sizeof meant, "did you mean %s?", nearest);
  if (oak_params_section_known(params, key)) {
    char keys[768];
    list_keys(params, key, keys, sizeof keys);
    /* The manual lists the keys of other sections, but not those that a file declares. */
    if (nearest && !comes_later(key))
      snprintf(out, size, "unknown key; %s", meant);
    else
      snprintf(out, size, "unknown key; %s%s keys of [%.*s] are %s", meant,
               nearest ? " The" : "the", length, key, keys);
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
  char words[1024] = "";
  if (oak_params_find(params, entry->key)) return;
  /* An output whose name is refused is among the mistakes already. */
  if (!strncmp(entry->key, "output.", 7) && strchr(entry->key + 7, '.') &&
      !oak_params_section_known(params, entry->key))
    return;
  /* The nearest key is looked for only if the message is shown. */
  if (!oak_mistakes_full(mistakes)) describe_unknown(params, entry->key, words, sizeof words);
  oak_mistakes_add(mistakes, "%s: %s = %s: %s", entry->origin, entry->key, entry->value, words);
}

/** The advice if a list of numbers is given where one number is allowed: the user probably wants
 * one run for each number. */
static const char *scan_hint(const oak_param_desc_t *desc, const char *text) {
  const int one = desc->type == OAK_PARAM_INT || desc->type == OAK_PARAM_REAL;
  const int list = text[strspn(text, "0123456789.,:eE+- ")] == 0 && strpbrk(text, ",: ");
  return one && list ? "; several values are several runs: oak.scan of python/README.md runs them"
                     : "";
}

static oak_status_t judge_value(oak_params_t *params, const oak_param_entry_t *entry,
                                oak_mistakes_t *mistakes) {
  oak_param_t *known = oak_params_find(params, entry->key);
  char words[1024], meant[96] = "";
  if (!known) return OAK_OK;
  oak_param_value_t value;
  if (!oak_param_parse(&known->desc, entry->value, &value)) {
    oak_param_allowed(&known->desc, 1, words, sizeof words);
    if (known->desc.choices) oak_str_meant(known->desc.choices, entry->value, meant);
    oak_mistakes_add(mistakes, "%s: %s = %s: must be %s%s%s", entry->origin, entry->key,
                     entry->value, words, meant, scan_hint(&known->desc, entry->value));
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

/** Add unknown keys to \a mistakes. Without \a complete they are added only if there are other
 * mistakes, so that the user sees all mistakes at once. */
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
  OAK_NEED(params);
  oak_mistakes_t mistakes = {.count = 0};
  OAK_TRY(find_mistakes(params, complete, &mistakes));
  return oak_mistakes_fail(&mistakes);
}

/* ---- setting values from a program or a command line ---------------------------------------- */

static oak_status_t ask_watches(const oak_params_t *params, const char *key, const double *number) {
  for (int i = 0; i < params->nwatch; i++)
    OAK_TRY(params->watch[i].ask(params->watch[i].user, key, number));
  return OAK_OK;
}

/** Refuse a change of a key while simulations use the set. A key that is not declared yet can only
 * be one of an output. */
static oak_status_t allow_change(const oak_params_t *params, const char *key) {
  const oak_param_t *known = oak_params_find(params, key);
  char keys[512] = "";
  if ((known && known->desc.may_change) || !strncmp(key, "output.", 7)) return OAK_OK;
  for (const oak_param_desc_t *d = oak_first_keys; d->help; d++)
    if (d->may_change) oak_str_append(keys, sizeof keys, ", %s", d->key);
  return OAK_FAIL(OAK_ERR_INPUT,
                  "%s cannot change after oak_create: only parameters of physics and problem can, "
                  "keys of [output]%s",
                  key, keys);
}

/** Change a value in a set that simulations use. */
static oak_status_t change_value(oak_params_t *params, const char *key, const char *value,
                                 const char *origin) {
  oak_param_t *known = oak_params_find(params, key);
  oak_param_value_t parsed = {.count = 0};
  char words[1024];
  if (known && !oak_param_parse(&known->desc, value, &parsed)) {
    oak_param_allowed(&known->desc, 1, words, sizeof words);
    return OAK_FAIL(OAK_ERR_INPUT, "%s: %s = %s: must be %s", origin, key, value, words);
  }
  OAK_TRY(allow_change(params, key));
  OAK_TRY(ask_watches(params, key, parsed.x));
  OAK_TRY(oak_params_store(params, key, value, origin));
  OAK_TRY(oak_params_check(params, 0));
  return ask_watches(params, key, NULL);
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
  OAK_BEGIN(params);
  const char *equal = strchr(assignment, '=');
  OAK_CHECK(equal && equal > assignment, OAK_ERR_INPUT,
            "%s: '%s' is not a setting%s: write section.key=value, such as mesh.block_size=16",
            origin, assignment, *assignment == '-' ? " or a known option" : "");
  OAK_FREED char *text = oak_str_copy(assignment);
  OAK_CHECK(text, OAK_ERR_MEMORY, "no memory for the setting %s", assignment);
  text[equal - assignment] = '\0';
  return set_value(params, oak_str_trim(text), equal + 1, origin);
}

oak_status_t oak_params_set(oak_params_t *params, const char *key, const char *value) {
  OAK_BEGIN(params);
  return set_value(params, key, value, "program");
}

oak_status_t oak_params_assign_all(oak_params_t *params, int count, char *const *assignment,
                                   const char *origin) {
  oak_mistakes_t mistakes = {.count = 0};
  OAK_BEGIN(params);
  for (int i = 0; i < count; i++) {
    const oak_status_t status = oak_params_assign(params, assignment[i], origin);
    if (status != OAK_OK && status != OAK_ERR_INPUT) return status;
    if (status != OAK_OK) oak_mistakes_add(&mistakes, "%s", oak_last_error());
  }
  if (mistakes.count > 0) OAK_TRY(find_mistakes(params, 0, &mistakes));
  return oak_mistakes_fail(&mistakes);
}
