/* SPDX-License-Identifier: GPL-2.0-or-later
 * Printing parameters: the echo of a run as an ini file, and the reference of all keys for the
 * terminal. */
#include <stdio.h>
#include <string.h>

#include "params_library.h"
#include "params_private.h"
#include "failure.h"
#include "str.h"

enum { VALUES_AT = 34, HELP_AT = 6 };

static const char *name_in(const char *key) { return key + oak_param_section_length(key) + 1; }

/* ---- echo ----------------------------------------------------------------------------------- */

static void print_line(FILE *stream, const char *key, const char *value, const char *remark) {
  const char *quote = oak_param_needs_quotes(value) ? "\"" : "";
  fprintf(stream, "%s =%s%s%s%s%s\n", name_in(key), *value ? " " : "", quote, value, quote, remark);
}

/** Keys that were given but not declared, such as those of a problem that is not loaded. \a like
 * picks those of its section; NULL: those of sections without any declared key. */
static void print_unknown(const oak_params_t *params, FILE *stream, const char *like) {
  for (int i = 0; i < params->ngiven; i++) {
    const oak_param_entry_t *entry = &params->given[i];
    /* The section is compared first, because this is fast and decides most cases. */
    if (like && !oak_param_same_section(entry->key, like)) continue;
    if (!strchr(entry->key, '.') || !*entry->value || oak_params_find(params, entry->key)) continue;
    if (like) {
      print_line(stream, entry->key, entry->value, "");
      continue;
    }
    if (oak_params_section_known(params, entry->key)) continue;
    fprintf(stream, "\n[%.*s]\n", (int)oak_param_section_length(entry->key), entry->key);
    print_line(stream, entry->key, entry->value, "");
  }
}

/** A declared key. One whose value is empty by default is left out. */
static void echo_key(const oak_params_t *params, const oak_param_desc_t *desc,
                     const oak_echo_value_t *other, int count, FILE *stream) {
  const oak_param_entry_t *entry = oak_params_given(params, desc->key);
  const char *value = entry ? entry->value : desc->fallback;
  for (int i = 0; i < count; i++)
    if (!strcmp(other[i].key, desc->key)) value = other[i].value;
  if (*value || *desc->fallback) print_line(stream, desc->key, value, entry ? "" : " # default");
}

void oak_params_print(const oak_params_t *params, FILE *stream) {
  OAK_HANDLE(params, );
  oak_params_echo(params, "", NULL, 0, stream);
}

void oak_params_echo(const oak_params_t *params, const char *comments,
                     const oak_echo_value_t *other, int count, FILE *stream) {
  fprintf(stream, "# All parameters of an oak run.\n%s", comments);
  for (int s = 0; s < params->nknown; s++) {
    const char *first = params->known[s].desc.key;
    if (!oak_params_opens_section(params, s)) continue;
    fprintf(stream, "\n[%.*s]\n", (int)oak_param_section_length(first), first);
    for (int i = s; i < params->nknown; i++) {
      const oak_param_desc_t *desc = &params->known[i].desc;
      if (!oak_param_same_section(desc->key, first)) continue;
      echo_key(params, desc, other, count, stream);
    }
    print_unknown(params, stream, first);
  }
  print_unknown(params, stream, NULL);
}

/* ---- reference ------------------------------------------------------------------------------ */

static const char *section_summary(const oak_params_t *params, const char *key) {
  for (const oak_param_desc_t *const *table = params->tables; *table; table++)
    for (const oak_param_desc_t *d = *table; d->help; d++)
      if (!d->key && oak_param_same_section(key, d[1].key)) return d->help;
  return oak_param_same_section(key, oak_output_keys[1].key) ? oak_output_keys->help : "";
}

static void help_key(const oak_param_desc_t *desc, FILE *stream) {
  char values[640];
  oak_param_allowed(desc, 0, values, sizeof values - 128);
  if (desc->unit) oak_str_append(values, sizeof values, " [%s]", desc->unit);
  int column = fprintf(stream, "  %s = %s", name_in(desc->key), desc->fallback);
  if (column >= VALUES_AT) column += fprintf(stream, "  ");
  int indent = column > VALUES_AT ? column : VALUES_AT;
  oak_str_wrap(stream, values, indent, column);
  oak_str_wrap(stream, desc->help, HELP_AT, 0);
}

static void help_head(const oak_params_t *params, const char *key, FILE *stream) {
  const char *summary = section_summary(params, key);
  const int column =
      fprintf(stream, "[%.*s]%s", (int)oak_param_section_length(key), key, *summary ? "  " : "");
  oak_str_wrap(stream, summary, column, column);
}

void oak_params_help(const oak_params_t *params, FILE *stream) {
  int s = 0;
  OAK_HANDLE(params, );
  for (const oak_param_desc_t *desc, *first; (first = oak_params_key(params, s)); s++) {
    if (!oak_params_opens_section(params, s)) continue;
    if (s > 0) fprintf(stream, "\n");
    help_head(params, first->key, stream);
    for (int i = s; (desc = oak_params_key(params, i)); i++)
      if (oak_param_same_section(desc->key, first->key)) help_key(desc, stream);
  }
}

/** A topic is a key or a section. */
static int is_topic(const char *key, const char *topic) {
  const size_t length = oak_param_section_length(key);
  return !strcmp(key, topic) || (strlen(topic) == length && !strncmp(key, topic, length));
}

/** If no declared key is the topic, it may be the name of keys in any section, or a value of keys.
 * Among the keys of [output.NAME] it may always be. */
int oak_params_help_topic(const oak_params_t *params, const char *topic, FILE *stream) {
  OAK_HANDLE(params, 0);
  const oak_param_desc_t *desc;
  const char *before = NULL;
  int found = 0;
  for (int i = 0; i < params->nknown; i++) found |= is_topic(params->known[i].desc.key, topic);
  for (int i = 0; (desc = oak_params_key(params, i)); i++) {
    const int bare = i >= params->nknown || !found;
    if (!is_topic(desc->key, topic) &&
        !(bare && (!strcmp(topic, strrchr(desc->key, '.') + 1) ||
                   oak_str_has_word(desc->choices ? desc->choices : "", topic, strlen(topic)))))
      continue;
    if (!before || !oak_param_same_section(before, desc->key)) help_head(params, desc->key, stream);
    help_key(desc, stream);
    before = desc->key;
  }
  return before != NULL;
}
