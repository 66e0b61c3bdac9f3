/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the commands that look at plotfiles share: ls, line, slice, diff, plot. Private to app.
 * These commands work on rank 0 alone; all ranks return the same exit code. */
#ifndef OAK_LOOK_H
#define OAK_LOOK_H

#include <limits.h>
#include <oak.h>

#include "io/plotfile/plotfile_read.h"
#include "io/view/sample.h"

/** An option of a command: "--name VALUE" or "--name=VALUE", or a flag without a value. */
typedef struct {
  const char *name;   /**< with its dashes */
  const char **value; /**< where its value goes; NULL for a flag */
  int *flag;          /**< set to 1 */
} look_option_t;

/** How a command is called. */
typedef struct {
  const char *name, *usage, *help; /**< usage: one line behind "oak NAME"; help: the rest */
  const look_option_t *option;     /**< ends with a name that is NULL */
  int least, most;                 /**< number of paths */
} look_command_t;

/** Sort the arguments. \param [out] path  [command->most]. \return the number of paths; -1: help
 * was asked for and printed; -2: wrong arguments, said on stderr. */
int oak_look_arguments(const look_command_t *command, int argc, char **argv, const char **path);

/** Run \a work on rank 0 and give its exit code to all ranks. */
int oak_look_on_rank_0(int (*work)(int argc, char **argv), int argc, char **argv, int rank);

/** Numbers separated by commas or blanks: exactly \a n of them. \a what is for the message. */
oak_status_t oak_look_numbers(const char *what, const char *text, int n, double *out);
oak_status_t oak_look_integer(const char *what, const char *text, int low, int high, int *out);

/** Plotfiles in the folder \a path, sorted as numbers are; or \a path itself if it is one.
 * \return OAK_ERR_FILE if it is neither. The caller frees the list. */
oak_status_t oak_look_list(const char *path, char ***list, int *count);
void oak_look_free(char **list, int count);

/** Open the plotfile \a path, or the last one in that folder. \param [out] name  if not NULL: which
 * one; the caller frees it. */
oak_status_t oak_look_open(const char *path, oak_plotfile_t **out, char **name);

/** The variable called \a name. */
oak_status_t oak_look_variable(const oak_grid_view_t *view, const char *name, int *out);
/** Variables named in \a list, separated by commas or blanks; NULL: all. The caller frees \a var.
 */
oak_status_t oak_look_variables(const oak_grid_view_t *view, const char *list, int **var,
                                int *nvar);

/** Axis called \a name (x, y, z). */
oak_status_t oak_look_axis(const char *name, int *out);

#endif
