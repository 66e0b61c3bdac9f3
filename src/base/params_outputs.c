/* SPDX-License-Identifier: GPL-2.0-or-later
 * The keys of the sections [output.NAME]. They are declared when such a section is given, for the
 * kind of output that it asks for. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "params_private.h"
#include "str.h"
#include "failure.h"

enum { LONGEST_NAME = 32 };

static int is_name(const char *name, size_t length) {
  if (length == 0 || length > LONGEST_NAME || isdigit((unsigned char)*name)) return 0;
  for (size_t i = 0; i < length; i++)
    if (!isalnum((unsigned char)name[i]) && name[i] != '_') return 0;
  return 1;
}

int oak_is_name(const char *name) { return is_name(name, strlen(name)); }

/** The part of a given key between "section." and the next dot; its length, 0 without one. */
static size_t subsection(const char *key, const char *section, const char **name) {
  const size_t length = strlen(section);
  const char *dot = strncmp(key, section, length) == 0 ? strchr(key + length, '.') : NULL;
  *name = key + length;
  return dot ? (size_t)(dot - *name) : 0;
}

int oak_params_subsection(const oak_params_t *params, const char *section, int number, char *name,
                          size_t size) {
  for (int i = 0; i < params->ngiven; i++) {
    const char *here, *earlier;
    const size_t length = subsection(params->given[i].key, section, &here);
    int seen = length == 0;
    for (int j = 0; j < i && !seen; j++)
      seen = subsection(params->given[j].key, section, &earlier) == length &&
             strncmp(here, earlier, length) == 0;
    if (seen || number-- > 0) continue;
    snprintf(name, size, "%.*s", (int)length, here);
    return 1;
  }
  return 0;
}

/** These are the names of the outputs that the keys in [output] describe. */
static const char reserved[] = "diagnostics invalid picture plt plotfiles parameters";

static const char *last_word(const char *key) { return strrchr(key, '.') + 1; }

const oak_param_desc_t *oak_output_word_key(const oak_output_word_t *word, const char *name) {
  for (const oak_param_desc_t *d = word->key; d && d->key; d++)
    if (!strcmp(last_word(d->key), name)) return d;
  return NULL;
}

static const oak_output_word_t *find_kind(const oak_params_t *params, const char *name) {
  for (const oak_output_word_t *const *w = params->words; *w; w++)
    if (!strcmp((*w)->name, name)) return *w;
  return NULL;
}

/* ---- the list of all keys */

/** The key that names the kind. */
static oak_status_t add_kind_key(oak_params_t *params) {
  char words[256] = "", help[2048] = "What is written; each section must give this key.";
  for (const oak_output_word_t *const *w = params->words; *w; w++) {
    oak_str_append(words, sizeof words, "%s%s", *words ? " " : "", (*w)->name);
    oak_str_append(help, sizeof help, " %s: %s%s", (*w)->name, (*w)->help, w[1] ? ";" : ".");
  }
  const oak_param_desc_t kind = {.key = "output.NAME.kind",
                                 .type = OAK_PARAM_CHOICE,
                                 .fallback = params->words[0]->name,
                                 .choices = words,
                                 .help = help};
  return oak_param_add(&params->output, &params->noutput, &kind);
}

/** A key that kinds have from \a first on. */
static oak_status_t add_own_key(oak_params_t *params, const oak_output_word_t *const *first,
                                const oak_param_desc_t *desc) {
  oak_param_desc_t own = *desc;
  char help[2048];
  snprintf(help, sizeof help, "%s Kinds:", desc->help);
  for (const oak_output_word_t *const *w = first; *w; w++)
    if (oak_output_word_key(*w, last_word(desc->key)))
      oak_str_append(help, sizeof help, " %s", (*w)->name);
  oak_str_append(help, sizeof help, ".");
  own.help = help;
  return oak_param_add(&params->output, &params->noutput, &own);
}

static oak_status_t list_outputs(oak_params_t *params) {
  OAK_TRY(add_kind_key(params));
  for (const oak_param_desc_t *d = oak_output_keys + 1; d->key; d++)
    OAK_TRY(oak_param_add(&params->output, &params->noutput, d));
  params->nshared = params->noutput;
  for (const oak_output_word_t *const *w = params->words; *w; w++)
    for (const oak_param_desc_t *d = (*w)->key; d && d->key; d++)
      if (!oak_param_in(params->output, params->noutput, d->key))
        OAK_TRY(add_own_key(params, w, d));
  return OAK_OK;
}

oak_status_t oak_params_create(const oak_output_word_t *const *words,
                               const oak_param_desc_t *const *tables, oak_params_t **out) {
  OAK_TRY(OAK_NEW(*out, 1));
  (*out)->words = words;
  (*out)->tables = tables;
  oak_status_t status = list_outputs(*out);
  for (; *tables && status == OAK_OK; tables++)
    for (const oak_param_desc_t *d = *tables; d->help && status == OAK_OK; d++)
      if (d->key) status = oak_params_declare(*out, d, 1);
  if (status != OAK_OK) oak_params_destroy(out);
  return status;
}

const oak_param_desc_t *oak_params_key(const oak_params_t *params, int number) {
  if (number < params->nknown) return &params->known[number].desc;
  number -= params->nknown;
  return number < params->noutput ? &params->output[number].desc : NULL;
}

/* ---- sections that are given */

static oak_status_t declare_key(oak_params_t *params, const char *name,
                                const oak_param_desc_t *desc) {
  oak_param_desc_t own = *desc;
  char key[128];
  snprintf(key, sizeof key, "output.%s.%s", name, last_word(desc->key));
  own.key = key;
  return oak_params_declare(params, &own, 1);
}

/** Declare those keys of output \a name that belong to \a kind; all keys if there is no such kind.
 */
static oak_status_t declare_section(oak_params_t *params, const char *name, const char *kind) {
  const oak_output_word_t *known = find_kind(params, kind);
  for (int i = 0; i < (known ? params->nshared : params->noutput); i++)
    OAK_TRY(declare_key(params, name, &params->output[i].desc));
  for (const oak_param_desc_t *d = known ? known->key : NULL; d && d->key; d++)
    OAK_TRY(declare_key(params, name, d));
  return OAK_OK;
}

/** A key that begins with "output." and has a further dot. */
static oak_status_t declare_for(oak_params_t *params, const oak_param_entry_t *entry,
                                oak_mistakes_t *mistakes) {
  const char *name = entry->key + strlen("output.");
  const size_t length = strcspn(name, ".");
  char word[LONGEST_NAME + 1], key[128];
  if (!is_name(name, length)) {
    oak_mistakes_add(mistakes,
                     "%s: [output.%.*s]: the name of an output must be a word of letters, digits "
                     "and _ that begins with a letter, of at most %d",
                     entry->origin, (int)length, name, LONGEST_NAME);
    return OAK_OK;
  }
  snprintf(word, sizeof word, "%.*s", (int)length, name);
  if (oak_str_has_word(reserved, word, length)) {
    oak_mistakes_add(mistakes, "%s: [output.%s]: oak uses this name itself: choose another one",
                     entry->origin, word);
    return OAK_OK;
  }
  snprintf(key, sizeof key, "output.%s.kind", word);
  if (oak_params_find(params, key)) return OAK_OK;
  const oak_param_entry_t *kind = oak_params_given(params, key);
  if (!kind)
    oak_mistakes_add(mistakes, "%s: [output.%s] has no kind: add kind = WORD, one of %s",
                     entry->origin, word, params->output->desc.choices);
  return declare_section(params, word, kind ? kind->value : "");
}

oak_status_t oak_params_declare_outputs(oak_params_t *params, oak_mistakes_t *mistakes) {
  for (int i = 0; i < params->ngiven; i++) {
    const char *key = params->given[i].key;
    if (strncmp(key, "output.", 7) == 0 && strchr(key + 7, '.'))
      OAK_TRY(declare_for(params, &params->given[i], mistakes));
  }
  return OAK_OK;
}

const char *oak_params_output(const oak_params_t *params, int number) {
  OAK_HANDLE(params, "");
  for (int i = 0; i < params->nknown; i++) {
    const char *key = params->known[i].desc.key, *dot = strrchr(key, '.');
    if (strncmp(key, "output.", 7) == 0 && dot > key + 7 && strcmp(dot, ".kind") == 0 &&
        number-- == 0)
      return key;
  }
  return NULL;
}
