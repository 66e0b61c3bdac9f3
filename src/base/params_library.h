/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the rest of the library needs of parameters beside oak/params.h. Private to the library. */
#pragma once

#include "oak/params.h"

/** A kind of output, for `kind` in a section [output.NAME]. */
typedef struct {
  const char *name;            /**< the word */
  const char *help;            /**< the content in a few words */
  const oak_param_desc_t *key; /**< the kind's keys, such as output.NAME.region; ends with a NULL
                                    key; or NULL */
} oak_output_word_t;

/** Tables of keys. An entry that has only a help begins each section; the last entry is empty. */
extern const oak_param_desc_t oak_first_keys[], oak_last_keys[];
/** A set of parameters, for oak_params_new. \a words: all kinds of output, at least one. Both lists
 * end with NULL, and stay as long as the set. */
oak_status_t oak_params_create(const oak_output_word_t *const *words,
                               const oak_param_desc_t *const *tables, oak_params_t **out);
/** The entries of a printed set (oak_params_print), without any declared key. \a name: for
 * messages. Not collective. */
oak_status_t oak_params_parse(const char *name, const char *text, oak_params_t **out);
/** Key number \a number of those that were given, and its value. \return NULL after the last one.
 */
const char *oak_params_entry(const oak_params_t *params, int number, const char **value);
/** The given value of a key; NULL if there is none. */
const char *oak_params_value(const oak_params_t *params, const char *key);

/** Declare the keys at the begin of a table, up to the next entry without a key, for [section.NAME]
 * too. Their defaults are the present values of [section]. */
oak_status_t oak_params_declare_named(oak_params_t *params, const oak_param_desc_t *table,
                                      const char *name);

/** The key of a kind that ends in ".\a name", NULL if it has none. */
const oak_param_desc_t *oak_output_word_key(const oak_output_word_t *word, const char *name);

/** Key number \a number of all: the declared keys, then those of [output.NAME]: `kind`, those of
 * all kinds, and those of each kind that no earlier kind has. \return NULL after the last one. */
const oak_param_desc_t *oak_params_key(const oak_params_t *params, int number);

/** The name of subsection number \a number among the given keys of a section: with "body." it is
 * NAME of body.NAME.shape, cut to \a size. \return 0 after the last one. */
int oak_params_subsection(const oak_params_t *params, const char *section, int number, char *name,
                          size_t size);
/** Whether a text is a word of letters, digits and _ that begins with a letter, of at most 32. */
int oak_is_name(const char *name);

/* ---- the echo of a run's parameters, with additions that the set does not contain */

typedef struct {
  const char *key, *value;
} oak_echo_value_t;

/** oak_params_print with two additions: \a comments, lines that begin with #, are printed below the
 * first line, and \a count keys get other values. */
void oak_params_echo(const oak_params_t *params, const char *comments,
                     const oak_echo_value_t *other, int count, FILE *stream);

/* ---- a simulation that uses a set and wants to know what changes */

/** Called twice for each change of a key. The first call may refuse the change; \a number points to
 * the new value (0 for texts). The second call, after the change, has \a number NULL. Rank-local.
 */
typedef oak_status_t oak_params_watch_t(void *user, const char *key, const double *number);

/** Call \a watch for each change from now on. A value that the key does not allow is refused before
 * that. */
oak_status_t oak_params_watch(oak_params_t *params, oak_params_watch_t *watch, void *user);
void oak_params_unwatch(oak_params_t *params, const void *user);
