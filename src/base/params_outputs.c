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
static int is_reserved(const char *name) {
  return oak_str_has_word("diagnostics invalid picture plt plotfiles parameters", name,
                          strlen(name));
}

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

static void append(char *text, size_t size, const char *format, const char *a, const char *b) {
  const size_t used = strlen(text);
  snprintf(text + used, size - used, format, a, b);
}

/** The key that names the kind. */
static void make_kind_key(const oak_output_word_t *const *words, oak_output_key_t *key) {
  snprintf(key->help, sizeof key->help, "What is written; each section must give this key.");
  for (const oak_output_word_t *const *w = words; *w; w++) {
    append(key->words, sizeof key->words, "%s%s", *key->words ? " " : "", (*w)->name);
    append(key->help, sizeof key->help, " %s: %s", (*w)->name, (*w)->help);
    append(key->help, sizeof key->help, "%s%s", w[1] ? ";" : ".", "");
  }
  key->desc = (oak_param_desc_t){.key = "output.NAME.kind",
                                 .type = OAK_PARAM_CHOICE,
                                 .fallback = words[0]->name,
                                 .choices = key->words,
                                 .help = key->help};
}

/** A key that kinds have from \a first on: its help says which. */
static void make_own_key(const oak_output_word_t *const *first, const oak_param_desc_t *desc,
                         oak_output_key_t *key) {
  key->desc = *desc;
  snprintf(key->help, sizeof key->help, "%s Kinds:", desc->help);
  for (const oak_output_word_t *const *w = first; *w; w++)
    if (oak_output_word_key(*w, last_word(desc->key)))
      append(key->help, sizeof key->help, " %s%s", (*w)->name, "");
  append(key->help, sizeof key->help, ".%s%s", "", "");
  key->desc.help = key->help;
}

/** No kind from \a words up to \a kind has the key. */
static int is_new(const oak_output_word_t *const *words, const oak_output_word_t *const *kind,
                  const char *name) {
  for (const oak_output_word_t *const *w = words; w < kind; w++)
    if (oak_output_word_key(*w, name)) return 0;
  return 1;
}

int oak_output_key(const oak_params_t *params, int number, oak_output_key_t *key) {
  *key = (oak_output_key_t){.all = 1};
  if (number-- == 0) {
    make_kind_key(params->words, key);
    return 1;
  }
  for (const oak_param_desc_t *d = oak_output_keys + 1; d->key; d++) {
    key->desc = *d;
    if (number-- == 0) return 1;
  }
  key->all = 0;
  for (const oak_output_word_t *const *w = params->words; *w; w++)
    for (const oak_param_desc_t *d = (*w)->key; d->key; d++) {
      if (!is_new(params->words, w, last_word(d->key)) || number-- > 0) continue;
      make_own_key(w, d, key);
      return 1;
    }
  return 0;
}

const oak_param_desc_t *oak_params_key(const oak_params_t *params, int number,
                                       oak_output_key_t *output) {
  if (number < params->nknown) return &params->known[number].desc;
  return oak_output_key(params, number - params->nknown, output) ? &output->desc : NULL;
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
  oak_output_key_t key;
  for (int i = 0; oak_output_key(params, i, &key); i++)
    if (!known || key.all) OAK_TRY(declare_key(params, name, &key.desc));
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
  if (is_reserved(word)) {
    oak_mistakes_add(mistakes, "%s: [output.%s]: oak uses this name itself: choose another one",
                     entry->origin, word);
    return OAK_OK;
  }
  snprintf(key, sizeof key, "output.%s.kind", word);
  if (oak_params_find(params, key)) return OAK_OK;
  const oak_param_entry_t *kind = oak_params_given(params, key);
  if (!kind) {
    oak_output_key_t first;
    oak_output_key(params, 0, &first);
    oak_mistakes_add(mistakes, "%s: [output.%s] has no kind: add kind = WORD, one of %s",
                     entry->origin, word, first.words);
  }
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
