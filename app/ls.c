/* SPDX-License-Identifier: GPL-2.0-or-later
 * oak ls: what is in plotfiles. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/shape.h"
#include "io/files/file_tools.h"
#include "look.h"
#include "str.h"

enum { LEVELS = 64 };

static void count_levels(const oak_grid_view_t *view, int64_t count[LEVELS]) {
  memset(count, 0, LEVELS * sizeof *count);
  for (int b = 0; b < view->nblock; b++) count[view->level[b]]++;
}

static double count_cells(const oak_grid_view_t *view) {
  return (double)view->nglobal * (double)oak_view_block_cells(view);
}

static void print_size(char *out, size_t size, double bytes) {
  static const char unit[] = "kMGTP";
  int u = 0;
  for (bytes /= 1000; bytes >= 1000 && unit[u + 1]; bytes /= 1000) u++;
  snprintf(out, size, "%.*f %cB", bytes < 10 ? 1 : 0, bytes, unit[u]);
}

/** "L2:8 L3:12" */
static void print_levels(char *out, size_t size, const oak_grid_view_t *view) {
  int64_t count[LEVELS];
  out[0] = '\0';
  count_levels(view, count);
  for (int l = view->min_level; l <= view->max_level; l++)
    oak_str_append(out, size, "%sL%d:%lld", *out ? " " : "", l, (long long)count[l]);
}

static int name_width(const oak_grid_view_t *view) {
  size_t width = 8;
  for (int v = 0; v < view->nvar; v++)
    if (strlen(view->name[v]) > width) width = strlen(view->name[v]);
  return (int)width;
}

static void print_domain(const oak_grid_view_t *view) {
  for (int d = 0; d < view->dim; d++)
    printf("%s[%g, %g]", d ? " x " : "", view->xmin[d], view->xmax[d]);
}

static void print_one(const char *path, const oak_plotfile_t *p) {
  const oak_grid_view_t *view = oak_plotfile_view(p);
  const int width = name_width(view);
  char cells[16], levels[1024], size[32], shape[32];
  oak_str_count(cells, sizeof cells, count_cells(view));
  print_levels(levels, sizeof levels, view);
  print_size(size, sizeof size, (double)oak_plotfile_bytes(p));
  printf("%s\n  time     %.10g\n  step     %ld\n  domain   ", path, view->time, view->step);
  print_domain(view);
  printf("\n  blocks   %lld of %s cells, %s\n  cells    %s, as fine as ", (long long)view->nglobal,
         oak_shape_text(view->dim, view->block_size, shape), levels, cells);
  for (int d = 0; d < view->dim; d++)
    printf("%s%lld", d ? " x " : "",
           (long long)view->trees[d] * view->block_size[d] << view->max_level);
  printf("\n  data     %s in %s precision\n\n  %-*s %16s %16s\n", size,
         view->value_bytes == 4 ? "single" : "double", width, "variable", "lowest", "highest");
  for (int v = 0; v < view->nvar; v++) {
    double range[2];
    oak_plotfile_range(p, v, range);
    printf("  %-*s %16.9g %16.9g\n", width, view->name[v], range[0], range[1]);
  }
}

/** What is said about several plotfiles together. */
typedef struct {
  int nvar, width;
  int damaged; /**< plotfiles that cannot be read */
  char **name;
  double (*range)[2];
} ranges_t;

/** Extend the ranges of variables that earlier plotfiles have, and add new variables. */
static oak_status_t add_ranges(ranges_t *all, const oak_plotfile_t *p) {
  const oak_grid_view_t *view = oak_plotfile_view(p);
  if (name_width(view) > all->width) all->width = name_width(view);
  for (int v = 0; v < view->nvar; v++) {
    double range[2];
    int a = 0;
    oak_plotfile_range(p, v, range);
    while (a < all->nvar && strcmp(all->name[a], view->name[v]) != 0) a++;
    if (a == all->nvar) {
      OAK_TRY(OAK_GROW(all->name, a));
      OAK_TRY(OAK_GROW(all->range, a));
      all->name[a] = strdup(view->name[v]);
      OAK_CHECK(all->name[a], OAK_ERR_MEMORY, "no memory to list variables");
      all->nvar++;
      memcpy(all->range[a], range, sizeof range);
    }
    all->range[a][0] = fmin(all->range[a][0], range[0]);
    all->range[a][1] = fmax(all->range[a][1], range[1]);
  }
  return OAK_OK;
}

/** The other plotfiles are listed also if one is damaged, for example because the disk was full. */
static oak_status_t print_line(const char *path, int width, ranges_t *all) {
  oak_plotfile_t *p;
  char cells[16], levels[1024], size[32];
  if (oak_plotfile_open(path, NULL, &p) != OAK_OK) {
    printf("  %-*s cannot be read: %s\n", width, basename(path), oak_last_error());
    all->damaged++;
    return OAK_OK;
  }
  const oak_grid_view_t *view = oak_plotfile_view(p);
  oak_str_count(cells, sizeof cells, count_cells(view));
  print_size(size, sizeof size, (double)oak_plotfile_bytes(p));
  print_levels(levels, sizeof levels, view);
  printf("  %-*s %8ld %12.6g %8lld %7s %9s  %s\n", width, basename(path), view->step, view->time,
         (long long)view->nglobal, cells, size, levels);
  const oak_status_t st = add_ranges(all, p);
  oak_plotfile_close(&p);
  return st;
}

/** A series of plotfiles. */
static oak_status_t print_series(const char *title, char **list, int count) {
  ranges_t all = {0};
  oak_status_t st = OAK_OK;
  int width = 8;
  for (int i = 0; i < count; i++) {
    const int n = (int)strlen(basename(list[i]));
    if (n > width) width = n;
  }
  printf("%s: %d plotfile%s\n\n  %-*s %8s %12s %8s %7s %9s  %s\n", title, count,
         count == 1 ? "" : "s", width, "name", "step", "time", "blocks", "cells", "data",
         "blocks on levels");
  for (int i = 0; i < count && st == OAK_OK; i++) st = print_line(list[i], width, &all);
  if (st == OAK_OK && all.nvar > 0)
    printf("\n  %-*s %16s %16s\n", all.width, "variable", "lowest of all", "highest of all");
  for (int v = 0; v < all.nvar; v++) {
    if (st == OAK_OK)
      printf("  %-*s %16.9g %16.9g\n", all.width, all.name[v], all.range[v][0], all.range[v][1]);
    free(all.name[v]);
  }
  free(all.name);
  free(all.range);
  if (st == OAK_OK && all.damaged > 0)
    st = OAK_FAIL(OAK_ERR_FILE, "%d of %d plotfiles in %s cannot be read", all.damaged, count,
                  title);
  return st;
}

/** All series of a run, one after the other, with the path that stands for each. */
static oak_status_t print_run(const char *path, const look_list_t *list) {
  oak_status_t st = OAK_OK;
  for (int i = 0, end; i < list->count; i = end) {
    end = oak_look_next_series(list, i);
    const int whole = i == 0 && end == list->count;
    char *title = whole ? oak_text_new("%s", path) : oak_look_series_path(path, list->path[i]);
    OAK_CHECK(title, OAK_ERR_MEMORY, "no memory to list plotfiles");
    if (i > 0) printf("\n");
    const oak_status_t one = print_series(title, list->path + i, end - i);
    if (st == OAK_OK) st = one;
    free(title);
  }
  return st;
}

static oak_status_t list(oak_arguments_t *a) {
  look_list_t found;
  oak_status_t st = oak_look_list(a->word[0], LOOK_ALL_SERIES, &found);
  if (st == OAK_OK && found.is_run) {
    st = print_run(a->word[0], &found);
  } else if (st == OAK_OK) {
    oak_plotfile_t *p;
    st = oak_plotfile_open(found.path[0], NULL, &p);
    if (st == OAK_OK) print_one(found.path[0], p);
    oak_plotfile_close(&p);
  }
  oak_look_free(&found);
  return st;
}

const oak_command_t oak_command_ls = {
    .name = "ls",
    .summary = "show time, blocks, levels and ranges of variables of plotfiles",
    .usage = "PATH",
    .help =
        "Shows time, step, blocks, cells and levels of a plotfile, and the lowest and highest\n"
        "value of each variable. PATH is a plotfile, or the folder of a run; oak then shows all\n"
        "plotfiles of this run. A run may have several series of them: those of [output], and\n"
        "PATH:NAME of each section [output.NAME]. The command reads only the text files of a\n"
        "plotfile, so it is fast.\n",
    .after =
        "examples:\n"
        "  oak ls output/sedov\n"
        "  oak ls output/sedov/plt002866\n",
    .least = 1,
    .most = 1,
    .looks = 1,
    .run = list};
