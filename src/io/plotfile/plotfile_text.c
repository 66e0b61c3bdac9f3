/* SPDX-License-Identifier: GPL-2.0-or-later
 * The text files of an AMReX plotfile: Header and, per level, Cell_H. */
#include "plotfile_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/files/file_tools.h"
#include "io/files/rank_text.h"

/** What a section of lines says of each box. */
typedef enum { TEXT_PLACE, TEXT_BOX, TEXT_FILE, TEXT_LOW, TEXT_HIGH } section_t;

enum { BOX_TEXT = 160 };

static const char *print_box(int dim, const int64_t low[3], const int64_t high[3],
                             char text[BOX_TEXT]) {
  const long long l[3] = {low[0], low[1], low[2]}, h[3] = {high[0], high[1], high[2]};
  if (dim == 2)
    snprintf(text, BOX_TEXT, "((%lld,%lld) (%lld,%lld) (0,0))", l[0], l[1], h[0], h[1]);
  else
    snprintf(text, BOX_TEXT, "((%lld,%lld,%lld) (%lld,%lld,%lld) (0,0,0))", l[0], l[1], l[2], h[0],
             h[1], h[2]);
  return text;
}

size_t oak_plot_fab_header(int dim, int nvar, int bytes, int swapped, const int64_t low[3],
                           const int64_t high[3], char text[OAK_PLOT_FAB]) {
  static const char *const format[2] = {"64 11 52 0 1 12 0 1023", "32 8 23 0 1 9 0 127"};
  static const char *const order[2][2] = {{"8 7 6 5 4 3 2 1", "1 2 3 4 5 6 7 8"},
                                          {"4 3 2 1", "1 2 3 4"}};
  const int single = bytes == 4, big = (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) != swapped;
  char box[BOX_TEXT];
  return (size_t)snprintf(text, OAK_PLOT_FAB, "FAB ((8, (%s)),(%d, (%s)))%s %d\n", format[single],
                          bytes, order[single][big], print_box(dim, low, high, box), nvar);
}

/** The boxes of a level on this rank. */
typedef struct {
  const oak_grid_view_t *view;
  int level;
  const oak_plot_level_t *part;
  section_t section;
} lines_t;

static void print_entry(const lines_t *lines, int b, FILE *out) {
  const oak_grid_view_t *view = lines->view;
  const oak_plot_level_t *part = lines->part;
  int64_t low[3], high[3];
  char text[BOX_TEXT];
  oak_box_range(view, &part->box[b], low, high);
  switch (lines->section) {
    case TEXT_PLACE:
      for (int d = 0; d < view->dim; d++) {
        const double h = oak_view_cell_size(view, lines->level, d);
        fprintf(out, "%.17g %.17g\n", oak_view_end(view, d, 0) + (double)low[d] * h,
                oak_view_end(view, d, 0) + (double)(high[d] + 1) * h);
      }
      break;
    case TEXT_BOX:
      fprintf(out, "%s\n", print_box(view->dim, low, high, text));
      break;
    case TEXT_FILE:
      fprintf(out, "FabOnDisk: " OAK_PLOT_DATA " %lld\n", part->file,
              (long long)part->place[b].header);
      break;
    case TEXT_LOW:
    case TEXT_HIGH:
      for (int v = 0; v < view->nvar; v++)
        fprintf(out, "%.17g,",
                part->range[((size_t)b * view->nvar + v) * 2 + (lines->section == TEXT_HIGH)]);
      fputc('\n', out);
      break;
  }
}

static void print_lines(const void *context, FILE *out) {
  const lines_t *lines = context;
  for (int b = 0; b < lines->part->nbox; b++) print_entry(lines, b, out);
}

/** The first part of Header: variables, domain and levels. */
static void print_head(FILE *out, const oak_grid_view_t *view) {
  const int finest = view->max_level, dim = view->dim;
  char name[OAK_VIEW_NAME];
  fprintf(out, "HyperCLaw-V1.1\n%d\n", view->nvar);
  for (int v = 0; v < view->nvar; v++)
    fprintf(out, "%s\n", oak_view_file_name(view->name[v], name));
  fprintf(out, "%d\n%.17g\n%d\n", dim, view->time, finest);
  for (int end = 0; end < 2; end++)
    for (int d = 0; d < dim; d++) {
      fprintf(out, "%.17g%c", oak_view_end(view, d, end), d + 1 < dim ? ' ' : '\n');
    }
  for (int l = 0; l < finest; l++) fprintf(out, "2 ");
  fputc('\n', out);
  for (int l = 0; l <= finest; l++) {
    int64_t low[3] = {0, 0, 0}, high[3];
    char text[BOX_TEXT];
    for (int d = 0; d < 3; d++) high[d] = ((int64_t)view->trees[d] * view->block_size[d] << l) - 1;
    fprintf(out, "%s ", print_box(dim, low, high, text));
  }
  fputc('\n', out);
  for (int l = 0; l <= finest; l++) fprintf(out, "%ld ", view->step);
  fputc('\n', out);
  for (int l = 0; l <= finest; l++)
    for (int d = 0; d < dim; d++)
      fprintf(out, "%.17g%c", oak_view_cell_size(view, l, d), d + 1 < dim ? ' ' : '\n');
  fprintf(out, "%d\n0\n", view->coordinates == OAK_VIEW_AXISYMMETRIC); /* coordinates; no boundary
                                                                        * cells */
}

/* Programs have numbers for Cartesian coordinates and (r, z). They read all others as x, y and z:
 * number 2 is the radius alone in AMReX, and yt finds a part of the cells or none of larger
 * dimensions. These lines are for oak. */
static void print_coordinates(FILE *out, const oak_grid_view_t *view) {
  static const char *const name[] = {[OAK_VIEW_POLAR] = "polar",
                                     [OAK_VIEW_CYLINDRICAL] = "cylindrical",
                                     [OAK_VIEW_SPHERICAL] = "spherical"};
  if (!oak_view_is_bent(view)) return;
  fprintf(out, "coordinates %s\n", name[view->coordinates]);
  if (view->logarithmic)
    fprintf(out, "logarithmic radius %.17g %.17g\n", view->xmin[0], view->xmax[0]);
}

/* Lines "name of FILE_NAME NAME" of components along z of vectors. */
static void print_names(FILE *out, const oak_grid_view_t *view) {
  char name[OAK_VIEW_NAME];
  for (int v = 0; v < view->nvar && view->coordinates; v++)
    if (strcmp(oak_view_file_name(view->name[v], name), view->name[v]))
      fprintf(out, "name of %s %s\n", name, view->name[v]);
}

/* Lines "unit of NAME UNIT", which AMReX does not know. They have at least four words: yt takes
 * lines of three words for levels. */
static void print_units(FILE *out, const oak_grid_view_t *view) {
  char name[OAK_VIEW_NAME];
  if (view->length_unit && *view->length_unit)
    fprintf(out, "unit of length %s\n", view->length_unit);
  if (view->time_unit && *view->time_unit) fprintf(out, "unit of time %s\n", view->time_unit);
  for (int v = 0; v < view->nvar; v++)
    if (*oak_view_unit(view, v))
      fprintf(out, "unit of %s %s\n", oak_view_file_name(view->name[v], name),
              oak_view_unit(view, v));
}

static void write_header(const oak_grid_view_t *view, const oak_plot_level_t *level,
                         const char *part, oak_rank_text_t *to) {
  char path[PATH_MAX];
  oak_keep_failure(&to->status, oak_path_print(path, "%s/Header", part));
  oak_rank_text_begin(to, path);
  if (to->out) print_head(to->out, view);
  for (int l = 0; l <= view->max_level; l++) {
    oak_rank_text_print(to, "%d %lld %.17g\n%ld\n", l, (long long)level[l].total, view->time,
                        view->step);
    oak_rank_text_gather(to, print_lines, &(lines_t){view, l, &level[l], TEXT_PLACE});
    oak_rank_text_print(to, "Level_%d/Cell\n", l);
  }
  if (to->out) print_coordinates(to->out, view);
  if (to->out) print_units(to->out, view);
  if (to->out) print_names(to->out, view);
  oak_rank_text_finish(to);
}

static void write_level(const oak_grid_view_t *view, int l, const oak_plot_level_t *level,
                        const char *part, oak_rank_text_t *to) {
  const long long total = (long long)level->total;
  lines_t lines = {view, l, level, TEXT_BOX};
  char path[PATH_MAX];
  oak_keep_failure(&to->status, oak_path_print(path, "%s/Level_%d/Cell_H", part, l));
  oak_rank_text_begin(to, path);
  /* Format version, one file per processor, variables, ghost cells. */
  oak_rank_text_print(to, "1\n1\n%d\n0\n(%lld 0\n", view->nvar, total);
  oak_rank_text_gather(to, print_lines, &lines);
  oak_rank_text_print(to, ")\n%lld\n", total);
  for (lines.section = TEXT_FILE; lines.section <= TEXT_HIGH; lines.section++) {
    if (lines.section > TEXT_FILE) oak_rank_text_print(to, "\n%lld,%d\n", total, view->nvar);
    oak_rank_text_gather(to, print_lines, &lines);
  }
  oak_rank_text_print(to, "\n");
  oak_rank_text_finish(to);
}

oak_status_t oak_plot_write_text(const oak_grid_view_t *view, const oak_plot_level_t *level,
                                 const char *part) {
  oak_rank_text_t text_file;
  OAK_TRY(oak_rank_text_open(&text_file, view->comm, view->disk));
  write_header(view, level, part, &text_file);
  for (int l = 0; l <= view->max_level; l++) write_level(view, l, &level[l], part, &text_file);
  return oak_rank_text_close(&text_file);
}
