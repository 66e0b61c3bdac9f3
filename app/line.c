/* SPDX-License-Identifier: GPL-2.0-or-later
 * oak line and oak slice: values of a plotfile as tables. */
#include <stdlib.h>

#include "look.h"

/* ---- oak line ---- */

/* Options, in the order of the tables at the end of this file. */
enum { VAR, OUT, GAS, FROM, TO, AXIS = FROM, AT, LEVEL };

static oak_status_t write_table(oak_table_t *table, const char *out) {
  const oak_status_t st = oak_table_write(table, out);
  if (st == OAK_OK && out)
    printf("wrote %s: %lld rows of %d columns\n", out, (long long)table->nrow, table->ncol);
  oak_table_free(table);
  return st;
}

static oak_status_t line_ends(const oak_grid_view_t *view, const char *const *s, double from[3],
                              double to[3]) {
  OAK_CHECK(!s[FROM] == !s[TO], OAK_ERR_INPUT, "a line needs both --from and --to");
  for (int d = 0; d < view->dim; d++) {
    from[d] = d == 0 ? view->xmin[d] : 0.5 * (view->xmin[d] + view->xmax[d]);
    to[d] = d == 0 ? view->xmax[d] : from[d];
  }
  if (!s[FROM]) return OAK_OK;
  OAK_TRY(oak_look_numbers("--from", s[FROM], view->dim, from));
  return oak_look_numbers("--to", s[TO], view->dim, to);
}

static oak_status_t print_line(const oak_grid_view_t *view, const char *const *s, const int *var,
                               int nvar) {
  double from[3], to[3];
  oak_table_t table;
  OAK_TRY(line_ends(view, s, from, to));
  OAK_TRY(oak_sample_line(view, from, to, var, nvar, &table));
  return write_table(&table, s[OUT]);
}

/* ---- oak slice ---- */

static oak_status_t print_slice(const oak_grid_view_t *view, const char *const *s, const int *var,
                                int nvar) {
  int axis = 2, level = view->max_level;
  oak_table_t table;
  OAK_CHECK(view->dim == 3 || (!s[AXIS] && !s[AT]), OAK_ERR_INPUT,
            "--axis and --at are for 3D, and this plotfile has two dimensions: leave them out");
  if (s[AXIS]) OAK_TRY(oak_look_axis(view, s[AXIS], &axis));
  double at = 0.5 * (view->xmin[axis] + view->xmax[axis]);
  if (s[AT]) OAK_TRY(oak_look_numbers("--at", s[AT], 1, &at));
  if (s[LEVEL]) OAK_TRY(oak_look_integer("--level", s[LEVEL], 0, 30, &level));
  OAK_TRY(oak_sample_plane(view, axis, at, level, var, nvar, &table));
  return write_table(&table, s[OUT]);
}

/* ---- both ---- */

typedef oak_status_t (*print_t)(const oak_grid_view_t *view, const char *const *s, const int *var,
                                int nvar);

static oak_status_t open_and_print(const char *path, const char *const *s, print_t print) {
  oak_plotfile_t *p;
  int *var = NULL, nvar;
  look_list_t list;
  OAK_TRY(oak_look_list(path, LOOK_ONE_SERIES, &list));
  const oak_status_t opened = oak_plotfile_open(oak_look_last(&list), NULL, &p);
  oak_look_free(&list);
  OAK_TRY(opened);
  oak_grid_view_t view = *oak_plotfile_view(p);
  view.no_dielectrics = s[GAS] != NULL;
  oak_status_t st = oak_look_variables(&view, s[VAR], &var, &nvar);
  if (st == OAK_OK) st = print(&view, s, var, nvar);
  free(var);
  oak_plotfile_close(&p);
  return st;
}

static oak_status_t line(oak_arguments_t *a) {
  return open_and_print(a->word[0], a->option, print_line);
}

static oak_status_t slice(oak_arguments_t *a) {
  return open_and_print(a->word[0], a->option, print_slice);
}

#define COMMON_OPTIONS                                                                    \
  {"--var", "A,B", "print these variables (default: all)"},                               \
      {"-o", "FILE",                                                                      \
       "write to FILE: a NumPy array with named columns if FILE ends in .npy, else CSV"}, \
  {                                                                                       \
    "--no-dielectrics", NULL, "leave out dielectrics (nan), as other solids"              \
  }

static const oak_option_t line_options[] = {
    COMMON_OPTIONS,
    {"--from", "X,Y[,Z]",
     "start of the line (default, without --to: parallel to x, through the middle)"},
    {"--to", "X,Y[,Z]", "end of the line"},
    {NULL, NULL, NULL}};

static const oak_option_t slice_options[] = {
    COMMON_OPTIONS,
    {"--axis", "AXIS", "3D: axis normal to the plane, such as x or theta (default: z)"},
    {"--at", "X", "3D: coordinate of the plane on this axis (default: the middle)"},
    {"--level", "L",
     "use the grid of level L (default: the finest level); finer cells are averaged"},
    {NULL, NULL, NULL}};

const oak_command_t oak_command_line = {
    .name = "line",
    .summary = "print values of a plotfile along a line",
    .usage = "PATH [--from X,Y,Z --to X,Y,Z] [--var A,B] [-o FILE]",
    .help =
        "Prints the values along a line as CSV. There is one row for each cell that the line\n"
        "crosses, with the distance s from the start of the line, the middle of the line's part\n"
        "in this cell, the level of the cell, and the variables.\n" LOOK_PATH_HELP,
    .option = line_options,
    .after =
        "examples:\n"
        "  oak line output/sod --var rho,p\n"
        "  oak line output/sedov/plt002866 --from 0.5,0.5 --to 1,1 -o ray.npy\n"
        "  python3 -c 'import numpy as np; a = np.load(\"ray.npy\"); print(a[\"s\"], "
        "a[\"rho\"])'\n",
    .least = 1,
    .most = 1,
    .looks = 1,
    .run = line};

const oak_command_t oak_command_slice = {
    .name = "slice",
    .summary = "print values of a plotfile in a plane",
    .usage = "PATH [--axis z --at 0.5] [--level L] [--var A,B] [-o FILE]",
    .help =
        "Prints a plane of a 3D plotfile, or all of a 2D plotfile, on a uniform grid as CSV.\n"
        "There is one row for each point of the grid.\n" LOOK_PATH_HELP,
    .option = slice_options,
    .after =
        "examples:\n"
        "  oak slice output/rt3d --axis y --at 0.5 --var rho -o rho.npy\n"
        "  python3 -c 'import numpy as np; a = np.load(\"rho.npy\"); print(a[\"rho\"].shape)'\n",
    .least = 1,
    .most = 1,
    .looks = 1,
    .run = slice};
