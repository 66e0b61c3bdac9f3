/* SPDX-License-Identifier: GPL-2.0-or-later
 * oak line and oak slice: values of a plotfile as tables. */
#define _GNU_SOURCE 1
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "look.h"

/* ---- oak line ---- */

static const char line_help[] =
    "Prints the values along a line as CSV. There is one row for each cell that the line crosses, "
    "with\n"
    "the distance s from the start of the line, the middle of the line's part in this cell, the "
    "level of\n"
    "the cell, and the variables.\n" LOOK_PATH_HELP
    "\n"
    "options:\n"
    "  --from X,Y[,Z]  start of the line (default, without --to: parallel to x, through the "
    "middle)\n"
    "  --to X,Y[,Z]    end of the line\n"
    "  --var A,B       print these variables (default: all)\n"
    "  -o FILE         write to FILE: a NumPy array with named columns if FILE ends in .npy, else "
    "CSV\n"
    "\n"
    "examples:\n"
    "  oak line output/sod --var rho,p\n"
    "  oak line output/sedov/plt002866 --from 0.5,0.5 --to 1,1 -o ray.npy\n"
    "  python3 -c 'import numpy as np; a = np.load(\"ray.npy\"); print(a[\"s\"], a[\"rho\"])'\n";

typedef struct {
  const char *from, *to, *var, *out, *axis, *at, *level;
} settings_t;

static oak_status_t line_ends(const oak_grid_view_t *view, const settings_t *s, double from[3],
                              double to[3]) {
  OAK_CHECK(!s->from == !s->to, OAK_ERR_INPUT, "a line needs both --from and --to");
  for (int d = 0; d < view->dim; d++) {
    from[d] = d == 0 ? view->xmin[d] : 0.5 * (view->xmin[d] + view->xmax[d]);
    to[d] = d == 0 ? view->xmax[d] : from[d];
  }
  if (!s->from) return OAK_OK;
  OAK_TRY(oak_look_numbers("--from", s->from, view->dim, from));
  return oak_look_numbers("--to", s->to, view->dim, to);
}

static oak_status_t print_line(const oak_grid_view_t *view, const settings_t *s, const int *var,
                               int nvar) {
  double from[3], to[3];
  oak_table_t table;
  OAK_TRY(line_ends(view, s, from, to));
  OAK_TRY(oak_sample_line(view, from, to, var, nvar, &table));
  const oak_status_t st = oak_table_write(&table, s->out);
  if (st == OAK_OK && s->out)
    printf("wrote %s: %lld rows of %d columns\n", s->out, (long long)table.nrow, table.ncol);
  oak_table_free(&table);
  return st;
}

/* ---- oak slice ---- */

static const char slice_help[] =
    "Prints a plane of a 3D plotfile, or all of a 2D plotfile, on a uniform grid as CSV. There is "
    "one\n"
    "row for each point of the grid.\n" LOOK_PATH_HELP
    "\n"
    "options:\n"
    "  --axis x|y|z  3D: axis normal to the plane (default: z)\n"
    "  --at X        3D: coordinate of the plane on this axis (default: the middle)\n"
    "  --level L     use the grid of level L (default: the finest level); finer cells are "
    "averaged\n"
    "  --var A,B     print these variables (default: all)\n"
    "  -o FILE       write to FILE: a NumPy array with named fields if FILE ends in .npy, else "
    "CSV\n"
    "\n"
    "examples:\n"
    "  oak slice output/rt3d --axis y --at 0.5 --var rho -o rho.npy\n"
    "  python3 -c 'import numpy as np; a = np.load(\"rho.npy\"); print(a[\"rho\"].shape)'\n";

static oak_status_t print_slice(const oak_grid_view_t *view, const settings_t *s, const int *var,
                                int nvar) {
  int axis = 2, level = view->max_level;
  oak_table_t table;
  OAK_CHECK(view->dim == 3 || (!s->axis && !s->at), OAK_ERR_INPUT,
            "--axis and --at are for 3D, and this plotfile has two dimensions: leave them out");
  if (s->axis) OAK_TRY(oak_look_axis(s->axis, &axis));
  double at = 0.5 * (view->xmin[axis] + view->xmax[axis]);
  if (s->at) OAK_TRY(oak_look_numbers("--at", s->at, 1, &at));
  if (s->level) OAK_TRY(oak_look_integer("--level", s->level, 0, 30, &level));
  OAK_TRY(oak_sample_plane(view, axis, at, level, var, nvar, &table));
  const oak_status_t st = oak_table_write(&table, s->out);
  if (st == OAK_OK && s->out)
    printf("wrote %s: %lld rows of %d columns\n", s->out, (long long)table.nrow, table.ncol);
  oak_table_free(&table);
  return st;
}

/* ---- both ---- */

typedef oak_status_t (*print_t)(const oak_grid_view_t *view, const settings_t *s, const int *var,
                                int nvar);

static oak_status_t open_and_print(const char *path, const settings_t *s, print_t print) {
  oak_plotfile_t *p;
  int *var = NULL, nvar;
  look_list_t list;
  OAK_TRY(oak_look_list(path, LOOK_ONE_SERIES, &list));
  const oak_status_t opened = oak_plotfile_open(oak_look_last(&list), 0, &p);
  oak_look_free(&list);
  OAK_TRY(opened);
  const oak_grid_view_t *view = oak_plotfile_view(p);
  oak_status_t st = oak_look_variables(view, s->var, &var, &nvar);
  if (st == OAK_OK) st = print(view, s, var, nvar);
  free(var);
  oak_plotfile_close(&p);
  return st;
}

static int run(const look_command_t *command, const settings_t *s, int argc, char **argv,
               print_t print) {
  const char *path;
  const int n = oak_look_arguments(command, argc, argv, &path);
  if (n < 0) return n == -1 ? 0 : 2;
  return open_and_print(path, s, print) == OAK_OK ? 0 : oak_report_failure(0);
}

static int line(int argc, char **argv) {
  settings_t s = {0};
  const look_option_t option[] = {{"--from", &s.from, NULL},
                                  {"--to", &s.to, NULL},
                                  {"--var", &s.var, NULL},
                                  {"-o", &s.out, NULL},
                                  {NULL, NULL, NULL}};
  const look_command_t command = {
      "line", "PATH [--from X,Y,Z --to X,Y,Z] [--var A,B] [-o FILE]", line_help, option, 1, 1};
  return run(&command, &s, argc, argv, print_line);
}

static int slice(int argc, char **argv) {
  settings_t s = {0};
  const look_option_t option[] = {{"--axis", &s.axis, NULL},   {"--at", &s.at, NULL},
                                  {"--level", &s.level, NULL}, {"--var", &s.var, NULL},
                                  {"-o", &s.out, NULL},        {NULL, NULL, NULL}};
  const look_command_t command = {
      "slice", "PATH [--axis z --at 0.5] [--level L] [--var A,B] [-o FILE]", slice_help, option, 1,
      1};
  return run(&command, &s, argc, argv, print_slice);
}

int oak_command_line(int argc, char **argv, int rank) {
  return oak_look_on_rank_0(line, argc, argv, rank);
}

int oak_command_slice(int argc, char **argv, int rank) {
  return oak_look_on_rank_0(slice, argc, argv, rank);
}
