/* SPDX-License-Identifier: GPL-2.0-or-later
 * The commands of the oak program. One table describes a command. From this table come the reading
 * of its arguments, its help and what shells complete. */
#pragma once

#include <limits.h>
#include <oak.h>

#include "buffer.h"
#include "str.h"

enum { OAK_MOST_OPTIONS = 24, OAK_ANY_NUMBER = INT_MAX };

typedef struct {
  const char *name;  /**< with its dashes */
  const char *value; /**< what its value is called; NULL: it has none. "[...]": it may have one */
  const char *help;
} oak_option_t;

typedef struct oak_command oak_command_t;

/** What the user gave. */
typedef struct {
  const oak_command_t *command;
  /** In the order of the table: the value, "" for an option without one, NULL if not given. */
  const char *option[OAK_MOST_OPTIONS];
  char **word; /**< the other arguments, [nword]; there is room for one more */
  int nword;
  int rank, argc;
  char **argv;   /**< all arguments, [argc] */
  int code;      /**< exit code that the command sets: of success, and if not 0 of a failure */
  int simulates; /**< the command sets it to 1 if it can do without what it prints */
} oak_arguments_t;

struct oak_command {
  const char *name;
  const char *summary;        /**< for `oak --help` */
  const char *usage;          /**< its arguments */
  const char *help, *after;   /**< texts before and after the options; after: or NULL */
  const oak_option_t *option; /**< ends with a name that is NULL; NULL: none */
  int least, most;            /**< number of words */
  int looks;                  /**< it only looks at files: rank 0 works alone */
  int passes;                 /**< another program reads the arguments, which are all words */
  /** Commands that the first option can choose. The name of each ends in this option; NULL ends the
   * list. */
  const oak_command_t *const *part;
  /** Collective, unless the command only looks at files; the status is the same on every rank. A
   * failure is printed, and its exit code is 1 unless the command has set another one. */
  oak_status_t (*run)(oak_arguments_t *a);
};

extern const oak_command_t oak_command_run, oak_command_check, oak_command_ls, oak_command_line,
    oak_command_slice, oak_command_diff, oak_command_plot, oak_command_bench, oak_command_info,
    oak_command_params;

/** Read the arguments of a command and run it. \return its exit code; 2 for wrong arguments. */
int oak_command_start(const oak_command_t *c, int argc, char **argv, int rank);
void oak_command_help(const oak_command_t *c);
/** Print the options of a command that begin with \a begin, one on a line. */
void oak_command_complete(const oak_command_t *c, const char *begin);

/** Print the names of the pages of the documentation, with a blank before each. Rank 0 alone. */
void oak_print_pages(FILE *stream);
/** Print what the parameters and the pages say about a topic. Rank 0 alone. \a command: the topic
 * is also a command, whose help has been printed. \return 0 if there is neither. */
int oak_print_topic(const char *topic, const oak_params_t *params, int command);
/** Topics that oak_print_topic knows, apart from commands. Rank 0 alone. */
oak_words_t oak_list_topics(const oak_params_t *params);
/** The parameters of a file, the first word, with the keys that its physics and problem declare.
 * The other words are settings. Collective on MPI_COMM_WORLD. \a *out is to be destroyed also after
 * a failure. */
oak_status_t oak_read_declared(char **word, int count, int rank, oak_params_t **out);
/** Sorted names of the files in a folder of the installation that end in \a ending, without this
 * ending. */
oak_words_t oak_list_names(const char *folder, const char *ending);
void oak_print_version(void);
/** The parameter file that \a name means: the file of that name, or else one that comes with oak.
 * Collective on MPI_COMM_WORLD; \a name agrees on all ranks.
 * \param [out] path  the same on all ranks.
 * \return OAK_ERR_FILE if there is neither, OAK_ERR_INPUT if the name is too long. */
oak_status_t oak_find_parameters(const char *name, char path[PATH_MAX], int rank);
