/* SPDX-License-Identifier: GPL-2.0-or-later
 * oak bench --report: convergence and flux fixing, by the cases of oak_verify. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../verify/verify.h"
#include "bench_report.h"
#include "plot_svg.h"

extern const verify_case_t verify_case_convergence, verify_case_flux_fixing;

enum { MOST_ROWS = 128, MOST_FIELDS = 8 };

/* A table that a case has written: fields between semicolons, without the first line. */
typedef struct {
  char text[MOST_ROWS][256];
  char *field[MOST_ROWS][MOST_FIELDS];
  int n;
} table_t;

static oak_status_t read_table(const bench_report_t *r, const char *name, table_t *t) {
  char path[4096];
  t->n = 0;
  snprintf(path, sizeof path, "%s/%s", r->folder, name);
  FILE *f = fopen(path, "r");
  OAK_CHECK(f, OAK_ERR_FILE, "cannot read %s: %s", path, strerror(errno));
  for (int line = 0; t->n < MOST_ROWS && fgets(t->text[t->n], sizeof *t->text, f); line++) {
    if (line == 0) continue;
    char *next = t->text[t->n];
    next[strcspn(next, "\n")] = 0;
    for (int i = 0; i < MOST_FIELDS; i++) t->field[t->n][i] = next ? strsep(&next, ";") : "";
    t->n++;
  }
  fclose(f);
  return OAK_OK;
}

/* ---- convergence */

static void write_convergence(bench_report_t *r, const table_t *t) {
  static const char *const head[] = {
      "advection of a Gaussian", "cells along a side", "L1 error", "order", "L2 error", "order",
      "paper: order of L1, L2"};
  oak_report_section(r, "Convergence (figure 7 of the paper)");
  oak_report_text(r,
                  "Uniform meshes with blocks of 16^d. The paper gives orders for fine 2D meshes: "
                  "van Leer close to 2 in L1 and 1.7 to 1.8 in L2, WENO5 close to 5 in both.");
  oak_report_table(r, head, 7);
  for (int i = 0; i < t->n; i++) {
    char **f = (char **)t->field[i];
    const int weno = !strcmp(f[1], "weno5");
    oak_report_row(r);
    oak_report_cell(r, "%sD, %s", f[0], weno ? "WENO5" : "van Leer");
    oak_report_cell(r, "%s", f[2]);
    for (int c = 3; c < 7; c++) oak_report_cell(r, "%s", strcmp(f[c], "nan") ? f[c] : "–");
    oak_report_cell(r, "%s", weno ? "5.0, 5.0" : "2, 1.7 to 1.8");
    for (int norm = 1; norm <= 2; norm++)
      oak_report_figure(r,
                        &(oak_report_figure_t){"convergence", "order",
                                               weno        ? 5
                                               : norm == 1 ? 2
                                                           : 1.75,
                                               atof(f[2 + 2 * norm]), NAN, NAN},
                        "L%d, %sD, %s, %s cells, error %s", norm, f[0], f[1], f[2],
                        f[1 + 2 * norm]);
  }
  oak_report_table_end(r);
}

static void plot_convergence(bench_report_t *r, const table_t *t) {
  enum { MOST = 16 };
  double x[8][MOST], y[8][MOST], ideal_x[2], ideal_y[2][2];
  char name[8][48];
  oak_plot_series_t series[10];
  int n = 0;
  for (int g = 0; g < 8; g++) { /* 2D, 3D; van Leer, WENO5; L1, L2 */
    oak_plot_series_t s = {.color = g, .x = x[n], .y = y[n], .name = name[n]};
    for (int i = 0; i < t->n && s.n < MOST; i++) {
      if (atoi(t->field[i][0]) != 2 + g / 4 || (strcmp(t->field[i][1], "weno5") == 0) != g / 2 % 2)
        continue;
      x[n][s.n] = 1 / atof(t->field[i][2]);
      y[n][s.n++] = atof(t->field[i][3 + 2 * (g % 2)]);
    }
    if (!s.n) continue;
    snprintf(name[n], sizeof *name, "L%d, %dD, %s", 1 + g % 2, 2 + g / 4,
             g / 2 % 2 ? "WENO5" : "van Leer");
    s.color = n;
    series[n++] = s;
  }
  if (!n) return;
  ideal_x[0] = x[0][0];
  ideal_x[1] = x[0][series[0].n - 1];
  for (int order = 0; order < 2; order++) {
    for (int e = 0; e < 2; e++)
      ideal_y[order][e] = 0.3 * y[0][0] * pow(ideal_x[e] / ideal_x[0], order ? 5 : 2);
    series[n] = (oak_plot_series_t){.name = order ? "order 5" : "order 2",
                                    .style = OAK_PLOT_DASHED,
                                    .n = 2,
                                    .x = ideal_x,
                                    .y = ideal_y[order]};
    n++;
  }
  oak_plot_lines(r->html,
                 &(oak_plot_t){"cell width", "error", OAK_AXIS_LOG10, OAK_AXIS_LOG10, series, n});
}

/* ---- flux fixing */

static void write_conservation(bench_report_t *r, const table_t *t, const table_t *checks) {
  static const char *const head[] = {"flux fixing", "oak", "paper"};
  double time[2][MOST_ROWS], error[2][MOST_ROWS];
  int n[2] = {0, 0};
  oak_report_section(r, "Flux fixing (figure 6 of the paper)");
  oak_report_text(r,
                  "A blob crosses refined regions of a static mesh once; relative error of its "
                  "total, which must stay at rounding.");
  oak_report_table(r, head, 3);
  for (int i = 0; i < checks->n; i++) {
    oak_report_row(r);
    oak_report_cell(r, "%s", checks->field[i][0]);
    oak_report_cell(r, "%s", checks->field[i][1]);
    oak_report_cell(r, "%s", strstr(checks->field[i][0], "largest") ? "machine precision" : "–");
    oak_report_figure(
        r, &(oak_report_figure_t){"flux fixing", "-", NAN, atof(checks->field[i][1]), NAN, NAN},
        "%s", checks->field[i][0]);
  }
  oak_report_table_end(r);
  for (int i = 0; i < t->n; i++) {
    const int three = atoi(t->field[i][0]) == 3;
    time[three][n[three]] = atof(t->field[i][1]);
    error[three][n[three]++] = 1e16 * atof(t->field[i][4]);
  }
  const oak_plot_series_t series[] = {
      {.name = "2D", .color = 0, .n = n[0], .x = time[0], .y = error[0]},
      {.name = "3D", .color = 1, .n = n[1], .x = time[1], .y = error[1]}};
  oak_plot_lines(r->html, &(oak_plot_t){"time", "relative error of the total, in 1e-16",
                                        OAK_AXIS_LINEAR, OAK_AXIS_LINEAR, series, 2});
}

static oak_status_t write_all(bench_report_t *r) {
  static table_t table, checks;
  if (!r->html) return OAK_OK;
  OAK_TRY(read_table(r, "convergence/errors.csv", &table));
  write_convergence(r, &table);
  plot_convergence(r, &table);
  OAK_TRY(read_table(r, "flux_fixing/conservation.csv", &table));
  OAK_TRY(read_table(r, "flux_fixing/checks.csv", &checks));
  write_conservation(r, &table, &checks);
  return OAK_OK;
}

oak_status_t oak_report_accuracy(bench_report_t *r) {
  verify_t v = {.full = r->gpu && !r->quick,
                .folder = r->folder,
                .rank = r->rank,
                .size = r->ranks,
                .key = r->key,
                .nkey = r->nkey};
  verify_run_case(&v, &verify_case_convergence);
  verify_run_case(&v, &verify_case_flux_fixing);
  return oak_agree(MPI_COMM_WORLD, write_all(r));
}
