/* SPDX-License-Identifier: GPL-2.0-or-later
 * oak ls --json: plotfiles and the history of a run, for programs. */
#include <stdlib.h>
#include <string.h>

#include "base/shape.h"
#include "io/files/file_tools.h"
#include "json.h"
#include "look.h"
#include "ls.h"

static void print_name(const char *name) {
  oak_json_text(stdout, name);
  printf(": ");
}

static void print_view(const oak_plotfile_t *p) {
  const oak_grid_view_t *view = oak_plotfile_view(p);
  int64_t count[OAK_LS_LEVELS] = {0};
  printf(", \"time\": ");
  oak_json_real(stdout, view->time);
  printf(", \"step\": %ld, \"lower\": ", view->step);
  oak_json_reals(stdout, view->dim, view->xmin);
  printf(", \"upper\": ");
  oak_json_reals(stdout, view->dim, view->xmax);
  const int *n = view->block_size;
  printf(", \"block_size\": ");
  if (oak_shape_equal(view->dim, n))
    printf("%d", n[0]);
  else
    for (int d = 0; d < view->dim; d++) printf("%s%d", d ? ", " : "[", n[d]);
  printf("%s, \"blocks\": %lld, \"cells\": %.0f, \"levels\": {",
         oak_shape_equal(view->dim, n) ? "" : "]", (long long)view->nglobal,
         (double)view->nglobal * (double)oak_view_block_cells(view));
  for (int b = 0; b < view->nblock; b++) count[view->level[b]]++;
  for (int l = view->min_level; l <= view->max_level; l++)
    printf("%s\"%d\": %lld", l > view->min_level ? ", " : "", l, (long long)count[l]);
  printf("}, \"bytes\": %lld, \"precision\": \"%s\", \"variables\": {",
         (long long)oak_plotfile_bytes(p), view->value_bytes == 4 ? "single" : "double");
  for (int v = 0; v < view->nvar; v++) {
    double range[2];
    oak_plotfile_range(p, v, range);
    if (v) printf(", ");
    print_name(view->name[v]);
    oak_json_reals(stdout, 2, range);
  }
  printf("}");
}

int oak_ls_json_plotfile(const char *path) {
  oak_plotfile_t *p;
  const oak_status_t st = oak_plotfile_open(path, NULL, &p);
  printf("{\"path\": ");
  oak_json_text(stdout, path);
  if (st == OAK_OK) {
    print_view(p);
    oak_plotfile_close(&p);
  } else {
    printf(", \"error\": ");
    oak_json_text(stdout, oak_last_error());
  }
  printf("}");
  return st == OAK_OK;
}

/* A row of a table: its names, or its numbers. */
static void print_row(char *line, int names) {
  const char *comma = "";
  printf("[");
  for (char *word; (word = strsep(&line, ","));) {
    printf("%s", comma);
    if (names)
      oak_json_text(stdout, word);
    else
      oak_json_real(stdout, strtod(word, NULL));
    comma = ", ";
  }
  printf("]");
}

/* The table diagnostics.csv of the run, if it has one. */
static void print_history(const char *folder) {
  char *path = oak_text_new("%s/diagnostics.csv", folder), *line = NULL;
  FILE *file = path ? fopen(path, "r") : NULL;
  size_t size = 0;
  int rows = 0;
  free(path);
  if (!file) return;
  while (getline(&line, &size, file) > 0) {
    line[strcspn(line, "\r\n")] = 0;
    if (!*line || *line == '#') continue;
    printf("%s", rows == 0 ? ",\n \"history\": {\"columns\": " : rows == 1 ? "\n  " : ",\n  ");
    print_row(line, rows == 0);
    if (rows++ == 0) printf(", \"rows\": [");
  }
  if (rows) printf("]}");
  free(line);
  fclose(file);
}

int oak_ls_json_run(const char *path, const look_list_t *list) {
  int damaged = 0;
  printf("{\"path\": ");
  oak_json_text(stdout, path);
  printf(",\n \"plotfiles\": [");
  for (int i = 0; i < list->count; i++) {
    printf("%s\n  ", i ? "," : "");
    damaged += !oak_ls_json_plotfile(list->path[i]);
  }
  printf("]");
  print_history(path);
  printf("}\n");
  return damaged;
}
