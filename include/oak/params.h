/* SPDX-License-Identifier: GPL-2.0-or-later
 * Parameters of a run: one typed table of keys serves for reading, checking, help and printing. */
#pragma once

#include <stdio.h>

#include "oak/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct oak_params oak_params_t;

typedef enum {
  OAK_PARAM_INT,    /**< one integer */
  OAK_PARAM_REAL,   /**< one real number or a fraction such as 5/3 */
  OAK_PARAM_BOOL,   /**< yes/no, true/false, on/off, 1/0 */
  OAK_PARAM_TEXT,   /**< any text */
  OAK_PARAM_CHOICE, /**< one of the words in `choices` */
  OAK_PARAM_INTS,   /**< one to three integers, blank- or comma-separated; one stands for all */
  OAK_PARAM_REALS,  /**< one to three real numbers, likewise; more if `count` says so */
} oak_param_type_t;

/** One key. Strings must outlive the parameter set unless copied (oak_params_declare copies).
 * The field `multiple_of` and those after it may be left out (0). */
typedef struct {
  const char *key; /**< "section.name"; the name may contain dots */
  oak_param_type_t type;
  const char *fallback; /**< default, as it would be written in a file */
  double min, max;      /**< allowed range of numbers, inclusive (min == max: any) */
  const char *choices;  /**< for CHOICE: words separated by blanks; else NULL */
  const char *unit;     /**< unit for help, or NULL */
  const char *help;     /**< one line */
  int multiple_of;      /**< INT, INTS: every value is a multiple of it (2: even; 0: any) */
  int above_min;        /**< REAL, REALS: 1 excludes `min` itself */
  int count;            /**< INTS, REALS: the number of values (0: one to three) */
  int may_change;       /**< 1: it may also be set while a simulation uses the set */
} oak_param_desc_t;

/** A set that knows oak's own keys (sections run, mesh, refine, scheme, physics, problem, boundary,
 * poisson, device, checkpoint, output). Not collective. */
OAK_API oak_status_t oak_params_new(oak_params_t **out);
OAK_API void oak_params_destroy(oak_params_t **params);

/** Read an ini file ("[section]", "key = value", comments with # or ;), a regular file of 4096 keys
 * at most and without control characters. Collective: rank 0 reads, all ranks get the same entries.
 * Syntax errors are reported with file and line; oak_params_check() checks keys and values. A key
 * given twice in one file is an error. A value that holds " #" or " ;" stands in double quotes. A
 * file with mistakes leaves the set unchanged. */
OAK_API oak_status_t oak_params_read(oak_params_t *params, MPI_Comm comm, const char *path);

/** From now on, files may also set device.compiler and device.flags. This is refused otherwise,
 * because such a file can run any program. Not collective. */
OAK_API void oak_params_trust(oak_params_t *params);

/** Set one key from text such as "mesh.block_size=16"; \a origin names the source in messages
 * ("command line"). Later settings win over earlier ones. Not collective. */
OAK_API oak_status_t oak_params_assign(oak_params_t *params, const char *assignment,
                                       const char *origin);
/** oak_params_assign for \a count settings, such as the arguments of a program. One message reports
 * all arguments that are not settings, together with the mistakes that oak_params_check() finds. */
OAK_API oak_status_t oak_params_assign_all(oak_params_t *params, int count, char *const *assignment,
                                           const char *origin);
/** oak_params_assign with key and value apart, for programs. After oak_create only these keys may
 * be set: the parameters of physics and problem; the keys of [output]; those of [run] except
 * run.debug; refine.c_refine, c_derefine, eps and eps_abs; mesh.adapt_every and mesh.kappa_max.
 * They take effect in the next step, keys of outputs when oak_run_ext begins. Other keys are
 * refused. All ranks must set the same. Call oak_update_time_step() after a change on which wave
 * speeds or TIMESTEP depend. */
OAK_API oak_status_t oak_params_set(oak_params_t *params, const char *key, const char *value);

/** Add keys, such as the parameters of a problem or a physics. Copies the descriptions. */
OAK_API oak_status_t oak_params_declare(oak_params_t *params, const oak_param_desc_t *desc,
                                        int count);

/** Give the help of a key with a text the \a words (blank-separated) that may begin its value. */
OAK_API oak_status_t oak_params_name(oak_params_t *params, const char *key, const char *words);
/** The words of oak_params_name, or of a choice; "" if there are none. */
OAK_API const char *oak_params_words(const oak_params_t *params, const char *key);

/** Check all values against the declared keys: type, range, choice. With \a complete, keys that are
 * not declared are errors too, and the message suggests the nearest known key. Without it, such
 * keys are reported only together with other mistakes, and keys of physics, problem and boundary
 * never. One message reports all mistakes, each on a line with its file and line number. Not
 * collective (the same on all ranks). */
OAK_API oak_status_t oak_params_check(oak_params_t *params, int complete);

/** The value of a key: after oak_params_check() the effective value, before that the default. The
 * key must be declared with the type of the function; oak_params_int also gives the first number of
 * a key with one for each axis, such as mesh.block_size. A text stays valid until another value of
 * its key is checked. */
OAK_API int oak_params_int(const oak_params_t *params, const char *key);
OAK_API double oak_params_real(const oak_params_t *params, const char *key);
OAK_API int oak_params_bool(const oak_params_t *params, const char *key);
/** The value of a key with a text, or the word chosen for a CHOICE. */
OAK_API const char *oak_params_text(const oak_params_t *params, const char *key);
/** Index of the chosen word in `choices`. */
OAK_API int oak_params_choice(const oak_params_t *params, const char *key);
/** Fill \a out[3] (a single value is repeated). \return how many values were given (1 to 3). */
OAK_API int oak_params_ints(const oak_params_t *params, const char *key, int out[3]);
OAK_API int oak_params_reals(const oak_params_t *params, const char *key, double out[3]);
/** All numbers of a REALS key that has more than three: at most \a most of them to \a out. \return
 * how many there are. */
OAK_API int oak_params_array(const oak_params_t *params, const char *key, int most, double *out);
/** The key "output.NAME.kind" of section number \a number of the sections [output.NAME], from 0 in
 * the order in which they were given; NULL if there are fewer. After oak_params_check(). */
OAK_API const char *oak_params_output(const oak_params_t *params, int number);
/** Read a list of real numbers or fractions, separated by blanks or commas, from the text of a
 * value. \param [out] out the first \a most of them. \return their number, -1 if a word is not a
 * number. */
OAK_API int oak_params_numbers(const char *text, int most, double *out);
/** 1 if a file, the command line or the program gave the key a value. */
OAK_API int oak_params_is_set(const oak_params_t *params, const char *key);
/** The effective text of a value, NULL if it is the default. After oak_params_check(). */
OAK_API const char *oak_params_changed(const oak_params_t *params, const char *key);
/** The source of the value of \a key: "file.ini:12", "command line", or "default". */
OAK_API const char *oak_params_origin(const oak_params_t *params, const char *key);
/** Folder of the file read last ("." if none): relative paths of user files start there. */
OAK_API const char *oak_params_folder(const oak_params_t *params);

/** Print the effective parameters as an ini file that reproduces the run. */
OAK_API void oak_params_print(const oak_params_t *params, FILE *stream);
/** Print the reference of all declared keys: name, default, range, unit, help. */
OAK_API void oak_params_help(const oak_params_t *params, FILE *stream);
/** The reference of one section ("mesh", "output.NAME"), of one key ("mesh.dim",
 * "output.NAME.kind"), or of all keys of a name ("dim"). \return 0 if \a topic is none of these. */
OAK_API int oak_params_help_topic(const oak_params_t *params, const char *topic, FILE *stream);

#ifdef __cplusplus
}
#endif
