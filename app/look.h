/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the commands that look at plotfiles share: ls, line, slice, diff, plot. Private to app.
 * These commands work on rank 0 alone. */
#pragma once

#include <oak.h>

#include "commands.h"
#include "io/plotfile/plotfile.h"
#include "io/view/sample.h"

/** Numbers separated by commas or blanks: exactly \a n of them. \a what is for the message. */
oak_status_t oak_look_numbers(const char *what, const char *text, int n, double *out);
oak_status_t oak_look_integer(const char *what, const char *text, int low, int high, int *out);

/** What the help of commands that need one plotfile says of PATH. */
#define LOOK_PATH_HELP                                                                            \
  "PATH is a plotfile, or the folder of a run; oak then takes the last plotfile of this run and " \
  "says\n"                                                                                        \
  "which one it is. PATH:NAME stands for the plotfiles that the section [output.NAME] wrote.\n"

/** Plotfiles of a run, which may be of several series: plt000000, ... of [output], and
 * NAME_000000, ... of each [output.NAME]. The series of NAME_000000 is NAME. */
typedef struct {
  char **path; /**< [count] sorted by series, then as numbers are */
  int count;
  int is_run; /**< they were found in a folder */
} look_list_t;

typedef enum { LOOK_ONE_SERIES, LOOK_ALL_SERIES } look_series_t;

/** Find plotfiles. \a path is a plotfile, or a folder that holds some, or FOLDER:SERIES.
 * \param [in] which  what a folder alone means: all series or one. The one is plt, or the only one
 * there.
 * \return OAK_ERR_FILE if there are none, or if which series is not clear; the list is empty then.
 */
oak_status_t oak_look_list(const char *path, look_series_t which, look_list_t *out);
void oak_look_free(look_list_t *list);
/** Order of two plotfiles in a list; folders do not count. */
int oak_look_compare(const char *a, const char *b);
/** Index of the first plotfile after those of the series that plotfile \a first belongs to. */
int oak_look_next_series(const look_list_t *list, int first);
/** The name by which commands find the series of a plotfile of \a run. The caller frees it; NULL if
 * there is no memory. */
char *oak_look_series_path(const char *run, const char *plotfile);
/** The last plotfile. It is named on stderr if oak chose it among those of a run. */
const char *oak_look_last(const look_list_t *list);

/** The variable called \a name. */
oak_status_t oak_look_variable(const oak_grid_view_t *view, const char *name, int *out);
/** Variables named in \a list, separated by commas or blanks; NULL: all. The caller frees \a var.
 */
oak_status_t oak_look_variables(const oak_grid_view_t *view, const char *list, int **var,
                                int *nvar);

/** The axis that is called \a name: x, y or z, or as the coordinates have it. */
oak_status_t oak_look_axis(const oak_grid_view_t *view, const char *name, int *out);
