/* SPDX-License-Identifier: GPL-2.0-or-later
 * oak diff: how plotfiles differ. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/view/compare.h"
#include "look.h"
#include "str.h"

typedef struct {
  const char *tolerance, *absolute, *var;
  int quiet;
  double relative_allowed, absolute_allowed;
} settings_t;

enum { SAME, DIFFERENT, TROUBLE }; /* exit codes */

static int is_exact(const settings_t *s) { return !s->tolerance && !s->absolute; }

static double largest_value(const oak_plotfile_t *const p[2], const int var[2]) {
  double largest = 0;
  for (int w = 0; w < 2; w++) {
    double range[2];
    oak_plotfile_range(p[w], var[w], range);
    largest = fmax(largest, fmax(fabs(range[0]), fabs(range[1])));
  }
  return largest;
}

static void print_difference(const settings_t *s, const oak_grid_view_t *view, int width,
                             const char *name, const oak_difference_t *found, double largest) {
  char cells[16], place[96] = "";
  if (s->quiet) return;
  if (found->differ == 0 && found->largest == 0) {
    printf("  %-*s %12s\n", width, name, "0");
    return;
  }
  for (int d = 0; d < view->dim; d++)
    oak_str_append(place, sizeof place, "%s%.6g", d ? "," : "", found->x[d]);
  oak_str_count(cells, sizeof cells, (double)found->differ);
  printf("  %-*s %12.4g %12.4g %9s  %-24s %24.17g %24.17g\n", width, name, found->largest,
         largest > 0 ? found->largest / largest : found->largest, cells, place, found->value[0],
         found->value[1]);
}

/** The variables to compare, by their numbers in both files. \a only: number of variables that only
 * one file has. */
static oak_status_t match_variables(const settings_t *s, const oak_grid_view_t *const view[2],
                                    int (**pair)[2], int *npair, int *only) {
  int *var = NULL, nvar = 0;
  *pair = NULL;
  *npair = *only = 0;
  oak_status_t st = oak_look_variables(view[0], s->var, &var, &nvar);
  if (st == OAK_OK) st = OAK_NEW(*pair, nvar);
  for (int v = 0; v < nvar && st == OAK_OK; v++) {
    int other = oak_view_find(view[1], view[0]->name[var[v]]);
    if (other < 0 && s->var) st = oak_look_variable(view[1], view[0]->name[var[v]], &other);
    if (other < 0) continue;
    (*pair)[*npair][0] = var[v];
    (*pair)[(*npair)++][1] = other;
  }
  if (st == OAK_OK && !s->var) *only = view[0]->nvar + view[1]->nvar - 2 * *npair;
  free(var);
  return st;
}

static oak_status_t compare_variables(const settings_t *s, const oak_plotfile_t *const p[2],
                                      const oak_comparison_t *comparison, int *result) {
  const oak_grid_view_t *const *view = comparison->view;
  int(*pair)[2], npair, only, width = 8;
  oak_status_t st = match_variables(s, view, &pair, &npair, &only);
  for (int i = 0; i < npair; i++)
    if ((int)strlen(view[0]->name[pair[i][0]]) > width)
      width = (int)strlen(view[0]->name[pair[i][0]]);
  if (only > 0) *result = DIFFERENT;
  if (st == OAK_OK && only > 0 && !s->quiet)
    printf("  %d variable%s in one of them alone\n", only, only == 1 ? " is" : "s are");
  if (st == OAK_OK && npair > 0 && !s->quiet)
    printf("  %-*s %12s %12s %9s  %-24s %24s %24s\n", width, "variable", "difference", "relative",
           "cells", "largest at", "first", "second");
  for (int i = 0; i < npair && st == OAK_OK; i++) {
    const double largest = largest_value(p, pair[i]);
    oak_difference_t found;
    st =
        oak_compare(comparison, pair[i],
                    is_exact(s) ? -1 : s->absolute_allowed + s->relative_allowed * largest, &found);
    if (st != OAK_OK) break;
    if (found.differ > 0) *result = DIFFERENT;
    print_difference(s, view[0], width, view[0]->name[pair[i][0]], &found, largest);
  }
  free(pair);
  return st;
}

/** Time, step and mesh. */
static int compare_facts(const settings_t *s, const oak_comparison_t *c) {
  const oak_grid_view_t *a = c->view[0], *b = c->view[1];
  int result = SAME;
  const double allowed = s->relative_allowed * fmax(fabs(a->time), fabs(b->time));
  if (!(fabs(a->time - b->time) <= allowed + s->absolute_allowed)) {
    result = DIFFERENT;
    if (!s->quiet) printf("  times differ: %.17g and %.17g\n", a->time, b->time);
  }
  if (a->step != b->step && !s->quiet)
    printf("  steps differ: %ld and %ld (does not count)\n", a->step, b->step);
  if (c->common != a->nglobal || c->common != b->nglobal) {
    if (is_exact(s)) result = DIFFERENT;
    if (!s->quiet)
      printf("  meshes differ: %lld and %lld blocks, %lld of them the same%s\n",
             (long long)a->nglobal, (long long)b->nglobal, (long long)c->common,
             is_exact(s) ? "" : " (does not count)");
  }
  return result;
}

/** Open both with blocks of the same size. */
static oak_status_t open_both(const char *const path[2], oak_plotfile_t *p[2]) {
  for (int w = 0; w < 2; w++) OAK_TRY(oak_plotfile_open(path[w], NULL, &p[w]));
  int size[2][3], divisor[3];
  for (int w = 0; w < 2; w++) memcpy(size[w], oak_plotfile_view(p[w])->block_size, sizeof size[w]);
  for (int d = 0; d < 3; d++)
    for (divisor[d] = size[0][d]; size[0][d] % divisor[d] || size[1][d] % divisor[d];) divisor[d]--;
  for (int w = 0; w < 2; w++) {
    if (!memcmp(size[w], divisor, sizeof divisor)) continue;
    oak_plotfile_close(&p[w]);
    OAK_TRY(oak_plotfile_open(path[w], divisor, &p[w]));
  }
  return OAK_OK;
}

static oak_status_t compare_plotfiles(const settings_t *s, const char *const path[2], int *result) {
  oak_plotfile_t *p[2] = {NULL, NULL};
  oak_comparison_t comparison = {.locator = NULL};
  if (!s->quiet) printf("%s and %s\n", path[0], path[1]);
  oak_status_t st = open_both(path, p);
  if (st == OAK_OK)
    st = oak_compare_new(oak_plotfile_view(p[0]), oak_plotfile_view(p[1]), &comparison);
  if (st == OAK_ERR_UNSUPPORTED)
    OAK_FAIL(st, "%s and %s cannot be compared: %s", path[0], path[1], oak_last_error());
  if (st == OAK_OK) {
    *result = compare_facts(s, &comparison);
    st = compare_variables(s, (const oak_plotfile_t *const *)p, &comparison, result);
  }
  if (st == OAK_OK && *result == SAME && !s->quiet)
    printf("  no difference%s\n", is_exact(s) ? ": the same bits" : " beyond the tolerance");
  oak_compare_free(&comparison);
  for (int w = 0; w < 2; w++) oak_plotfile_close(&p[w]);
  return st;
}

/** Compare the plotfiles of two runs that have the same name. Both lists are sorted. */
static oak_status_t compare_runs(const settings_t *s, const look_list_t list[2], int *result) {
  int at[2] = {0, 0};
  while (at[0] < list[0].count || at[1] < list[1].count) {
    int order = at[0] == list[0].count ? 1 : at[1] == list[1].count ? -1 : 0;
    if (order == 0) order = oak_look_compare(list[0].path[at[0]], list[1].path[at[1]]);
    if (order == 0) {
      const char *const path[2] = {list[0].path[at[0]++], list[1].path[at[1]++]};
      int one = SAME;
      OAK_TRY(compare_plotfiles(s, path, &one));
      if (one > *result) *result = one;
    } else {
      const int w = order < 0 ? 0 : 1;
      if (!s->quiet) printf("%s is in one run alone\n", list[w].path[at[w]]);
      at[w]++;
      *result = DIFFERENT;
    }
  }
  return OAK_OK;
}

static oak_status_t list_both(const char *const path[2], look_series_t which, look_list_t list[2]) {
  for (int w = 0; w < 2; w++) {
    oak_look_free(&list[w]);
    OAK_TRY(oak_look_list(path[w], which, &list[w]));
  }
  return OAK_OK;
}

static oak_status_t compare_paths(const settings_t *s, const char *const path[2], int *result) {
  look_list_t list[2] = {{0}, {0}};
  const char *last[2];
  oak_status_t st = list_both(path, LOOK_ALL_SERIES, list);
  if (st == OAK_OK && list[0].is_run && list[1].is_run) {
    st = compare_runs(s, list, result);
  } else if (st == OAK_OK) { /* a plotfile with the last one of a run, or with another one */
    st = list_both(path, LOOK_ONE_SERIES, list);
    for (int w = 0; w < 2 && st == OAK_OK; w++) last[w] = list[w].path[list[w].count - 1];
    if (st == OAK_OK) st = compare_plotfiles(s, last, result);
  }
  for (int w = 0; w < 2; w++) oak_look_free(&list[w]);
  return st;
}

static oak_status_t read_allowed(settings_t *s) {
  if (s->tolerance) OAK_TRY(oak_look_numbers("--tolerance", s->tolerance, 1, &s->relative_allowed));
  if (s->absolute) OAK_TRY(oak_look_numbers("--absolute", s->absolute, 1, &s->absolute_allowed));
  OAK_CHECK(s->relative_allowed >= 0 && s->absolute_allowed >= 0, OAK_ERR_INPUT,
            "a tolerance must not be negative");
  return OAK_OK;
}

static oak_status_t diff(oak_arguments_t *a) {
  settings_t s = {.tolerance = a->option[0],
                  .absolute = a->option[1],
                  .var = a->option[2],
                  .quiet = a->option[3] != NULL};
  const char *const path[2] = {a->word[0], a->word[1]};
  int result = SAME;
  a->code = TROUBLE;
  OAK_TRY(read_allowed(&s));
  OAK_TRY(compare_paths(&s, path, &result));
  a->code = result;
  return OAK_OK;
}

static const oak_option_t options[] = {
    {"--tolerance", "T",
     "allow differences up to T times the largest absolute value of the variable"},
    {"--absolute", "T",
     "allow differences up to T; with --tolerance, up to the sum of both limits"},
    {"--var", "A,B", "compare these variables (default: all)"},
    {"--quiet", NULL, "print errors only"},
    {NULL, NULL, NULL}};

const oak_command_t oak_command_diff = {
    .name = "diff",
    .summary = "compare plotfiles: the largest difference of each variable",
    .usage = "A B [--tolerance T] [--absolute T] [--var A,B] [--quiet]",
    .help =
        "Compares two plotfiles, or all plotfiles of two runs that have the same name in both;\n"
        "RUN:NAME are those that the section [output.NAME] wrote. It prints the largest\n"
        "difference of each variable, and where it is. Without a tolerance, two values differ if\n"
        "their bits differ, and different meshes are a difference. Where one mesh is finer than\n"
        "the other, oak compares on the finer cells; all fine cells inside a coarse cell are\n"
        "compared with the value of this coarse cell.\n",
    .option = options,
    .after =
        "exit status: 0: no difference, 1: there are differences, 2: the plotfiles cannot be "
        "compared\n"
        "\n"
        "examples:\n"
        "  oak diff output/one output/again\n"
        "  oak diff a/plt000100 b/plt000100 --tolerance 1e-12 --var rho,p\n",
    .least = 2,
    .most = 2,
    .looks = 1,
    .run = diff};
