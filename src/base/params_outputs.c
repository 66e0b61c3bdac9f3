/* SPDX-License-Identifier: GPL-2.0-or-later
 * The keys of the sections [output.NAME]. They are declared when such a section is given, for the
 * kind of output that it asks for. The table of these keys is in params_table.c. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "params_private.h"
#include "str.h"

enum { LONGEST_NAME = 32 };

static int has_word(const char *words, const char *word) {
  return oak_str_has_word(words, word, strlen(word));
}

static int is_name(const char *name, size_t length) {
  if (length == 0 || length > LONGEST_NAME || isdigit((unsigned char)*name)) return 0;
  for (size_t i = 0; i < length; i++)
    if (!isalnum((unsigned char)name[i]) && name[i] != '_') return 0;
  return 1;
}

/** These are the names of the outputs that the keys in [output] describe. */
static int is_reserved(const char *name) {
  return has_word("diagnostics invalid picture plt plotfiles parameters", name);
}

/** Declare those keys of output \a name that belong to \a kind; all keys if there is no such kind.
 */
static oak_status_t declare_section(oak_params_t *params, const char *name, const char *kind) {
  const int known = has_word(oak_output_keys[0].desc.choices, kind);
  for (int i = 0; i < oak_output_keys_count; i++) {
    oak_param_desc_t desc = oak_output_keys[i].desc;
    char key[128];
    if (known && oak_output_keys[i].kinds && !has_word(oak_output_keys[i].kinds, kind)) continue;
    snprintf(key, sizeof key, "output.%s%s", name, strrchr(desc.key, '.'));
    desc.key = key;
    OAK_TRY(oak_params_declare(params, &desc, 1));
  }
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
  if (!kind)
    oak_mistakes_add(mistakes, "%s: [output.%s] has no kind: add kind = WORD, one of %s",
                     entry->origin, word, oak_output_keys[0].desc.choices);
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
  for (int i = 0; i < params->nknown; i++) {
    const char *key = params->known[i].desc.key, *dot = strrchr(key, '.');
    if (strncmp(key, "output.", 7) == 0 && dot > key + 7 && strcmp(dot, ".kind") == 0 &&
        number-- == 0)
      return key;
  }
  return NULL;
}
