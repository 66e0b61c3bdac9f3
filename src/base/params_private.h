/* SPDX-License-Identifier: GPL-2.0-or-later
 * How a parameter set is stored, for the files src/base/params*.c alone. */
#pragma once

#include "base/failure.h"
#include "base/params_library.h"
#include "oak/params.h"

typedef struct {
  int n[3];    /**< INT, INTS, BOOL, CHOICE (index of the word) */
  double x[3]; /**< REAL, REALS */
  int count;   /**< values given */
} oak_param_value_t;

/** A declared key with its effective value. */
typedef struct {
  oak_param_desc_t desc; /**< the strings belong to the set */
  oak_param_value_t value;
  char *text; /**< effective text of the value */
} oak_param_t;

/** A setting of a key, declared or not, by a file, the command line or the program. */
typedef struct {
  char *key, *value, *origin;
} oak_param_entry_t;

struct oak_params {
  oak_param_t *known;
  int nknown;           /**< keys in known */
  oak_param_t *output;  /**< keys of [output.NAME], the help of those of some kinds says which */
  int noutput, nshared; /**< all kinds have the first nshared */
  oak_param_entry_t *given;
  int ngiven;
  const oak_output_word_t *const *words; /**< all kinds of output; ends with NULL */
  const oak_param_desc_t *const *tables; /**< oak's own keys; ends with NULL */
  char *folder;
  int trusted; /**< parameter files may name the compiler and its flags */
  struct {
    oak_params_watch_t *ask;
    void *user;
  } * watch; /**< simulations that use the set */
  int nwatch;
};

/** Lines of mistakes, collected into one message. */
typedef struct {
  char text[8192];
  size_t length;
  int count, shown;
} oak_mistakes_t;

/** The keys of the sections [output.NAME] that all kinds have beside `kind`, with NAME for the
 * name. */
extern const oak_param_desc_t oak_output_keys[];

/** Declare the keys of all sections [output.NAME] that were given, those that fit their kind. Adds
 * to \a mistakes where a name is wrong or the kind is missing. */
oak_status_t oak_params_declare_outputs(oak_params_t *params, oak_mistakes_t *mistakes);

/** Length of the section in "section.name", in "output.NAME.name" that of "output.NAME", likewise
 * of "poisson.NAME"; 0 without one. */
size_t oak_param_section_length(const char *key);
int oak_param_same_section(const char *a, const char *b);
/** Whether a declared key is in the section of \a key. */
int oak_params_section_known(const oak_params_t *params, const char *key);
/** 1 if no key before number \a i (oak_params_key) is of the same section. Sections appear in the
 * order of their first keys; a problem may add keys to a section later on. */
int oak_params_opens_section(const oak_params_t *params, int i);

/** Add a key to a list. Its default must be a value that it allows. */
oak_status_t oak_param_add(oak_param_t **list, int *count, const oak_param_desc_t *desc);
oak_param_t *oak_param_in(oak_param_t *list, int count, const char *key);
oak_param_t *oak_params_find(const oak_params_t *params, const char *key);
oak_param_entry_t *oak_params_given(const oak_params_t *params, const char *key);
/** Keep a value, replacing an earlier one. White space and one pair of quotes around it are cut. */
oak_status_t oak_params_store(oak_params_t *params, const char *key, const char *value,
                              const char *origin);
/** 1 if a line of a file needs quotes around \a value to give it back. */
int oak_param_needs_quotes(const char *value);

/** Read \a text as a value of \a desc. \return 1 if it is one within the allowed range. */
int oak_param_parse(const oak_param_desc_t *desc, const char *text, oak_param_value_t *out);
/** "even integer from 4 to 128", \a article: "an even integer from 4 to 128". */
void oak_param_allowed(const oak_param_desc_t *desc, int article, char *out, size_t size);

void oak_mistakes_add(oak_mistakes_t *mistakes, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/** 1 if a further message is only counted. */
int oak_mistakes_full(const oak_mistakes_t *mistakes);
/** One failure for all lines, OAK_OK if there are none. */
oak_status_t oak_mistakes_fail(const oak_mistakes_t *mistakes);
