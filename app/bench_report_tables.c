/* SPDX-License-Identifier: GPL-2.0-or-later
 * oak bench --report: the paper's tables "performance-uniform" and "performance-hardware", and what
 * an adaptive mesh costs. */
#include <math.h>
#include <string.h>

#include "bench_report.h"
#include "plot_svg.h"

/* ---- which rows, on which meshes */

static int is_wanted(const bench_report_t *r, const bench_row_t *row) {
  const int smaller = row->side == (row->dim == 2 ? 2048 : 256);
  if (row->table == BENCH_SMALL) return 0; /* not of the paper */
  if (row->table == BENCH_AMR) return 1;
  if (row->table == BENCH_HARDWARE) return !r->quick || !row->single || row->block == 16;
  if (!r->gpu && !smaller) return 0; /* both domains would have the same size here */
  return !r->quick || (row->block == 16 && smaller);
}

/* On CPUs a smaller domain has the same speed per core. */
static int run_side(const bench_report_t *r, const bench_row_t *row) {
  if (r->gpu) return 0;
  if (row->table == BENCH_AMR) return r->quick ? 128 : 256;
  if (row->dim == 2) return r->quick ? 512 : 1024;
  return r->quick ? 64 : 128;
}

static oak_status_t run_rows(bench_report_t *r) {
  bench_paper_t *p = &r->paper;
  char name[BENCH_NAME];
  oak_bench_paper_rows(p);
  for (int i = 0; i < p->nrow; i++) {
    bench_row_t *row = &p->row[i];
    row->wanted = is_wanted(r, row);
    row->run_side = run_side(r, row);
    OAK_TRY(oak_bench_run_row(p, row));
    if (!row->wanted || r->rank) continue;
    if (row->state == BENCH_MEASURED)
      printf("%-46s %8.3f GCUPS\n", oak_bench_row_name(row, name), row->gcups);
    else
      printf("%-46s %s\n", oak_bench_row_name(row, name), row->reason);
    fflush(stdout);
  }
  return OAK_OK;
}

/* ---- the tables */

static double measured(const bench_row_t *row, double x) {
  return row->state == BENCH_MEASURED ? x : NAN;
}

static void write_row(bench_report_t *r, const bench_row_t *row) {
  char name[BENCH_NAME];
  oak_report_row(r);
  oak_report_cell(r, "%s, %s", row->rt ? "Rayleigh-Taylor" : "advection",
                  strcmp(row->limiter, "vanleer") ? "WENO5" : "van Leer");
  oak_report_cell(r, "%d^%d", row->side, row->dim);
  oak_report_cell(r, "%d^%d", row->block, row->dim);
  oak_report_number(r, 2, row->paper);
  oak_report_number(r, 3, measured(row, row->gcups));
  oak_report_number(r, 3, measured(row, row->least));
  oak_report_number(r, 3, measured(row, row->most));
  oak_report_number(r, 0, measured(row, row->pieces));
  oak_report_number(r, 3, measured(row, row->gcups / row->paper));
  oak_report_number(r, 1, row->paper_outside);
  oak_report_number(r, 1, measured(row, row->outside));
  oak_report_number(r, 2, measured(row, 1e-6 * row->cells));
  if (row->wanted)
    oak_report_figure(
        r,
        &(oak_report_figure_t){"uniform", "GCUPS", row->paper, measured(row, row->gcups),
                               measured(row, row->least), measured(row, row->most)},
        "%s", oak_bench_row_name(row, name));
}

static int is_group(const bench_row_t *row, int dim, int rt, const char *limiter) {
  return row->table == BENCH_UNIFORM && row->dim == dim && row->rt == rt &&
         !strcmp(row->limiter, limiter) && row->side == (dim == 2 ? 2048 : 256);
}

/* GCUPS against the size of blocks: the smaller domain, where oak was measured everywhere. */
static void plot_group(bench_report_t *r, int dim) {
  enum { MOST = 8 };
  static const char *const limiter[] = {"vanleer", "weno5"}, *const title[] = {"van Leer", "WENO5"};
  double block[4][MOST], value[4][2][MOST];
  char name[8][64];
  oak_plot_series_t series[8];
  int nseries = 0;
  for (int g = 0; g < 4; g++) {
    int n = 0;
    for (int i = 0; i < r->paper.nrow; i++) {
      const bench_row_t *row = &r->paper.row[i];
      if (!is_group(row, dim, g / 2, limiter[g % 2])) continue;
      block[g][n] = row->block;
      value[g][0][n] = row->paper;
      value[g][1][n++] = measured(row, row->gcups);
    }
    for (int ours = 0; ours < 2; ours++) {
      snprintf(name[nseries], sizeof *name, "%s: %s, %s", ours ? "oak" : "paper",
               g / 2 ? "Rayleigh-Taylor" : "advection", title[g % 2]);
      series[nseries] = (oak_plot_series_t){.name = name[nseries],
                                            .style = ours ? OAK_PLOT_LINE : OAK_PLOT_OUTLINED,
                                            .color = g,
                                            .n = n,
                                            .x = block[g],
                                            .y = value[g][ours]};
      nseries++;
    }
  }
  oak_report_text(r, "%dD, domain of the paper: %d^%d.", dim, dim == 2 ? 2048 : 256, dim);
  oak_plot_lines(r->html, &(oak_plot_t){"cells along a side of a block", "GCUPS", OAK_AXIS_LOG2,
                                        OAK_AXIS_LOG10, series, nseries});
}

static void write_uniform(bench_report_t *r) {
  static const char *const head[] = {"uniform mesh", "domain",  "block", "paper",
                                     "oak",          "least",   "most",  "pieces",
                                     "ratio",        "foap4 %", "oak %", "Mcells here"};
  oak_report_section(r, "Uniform meshes (table 1 of the paper)");
  oak_report_text(r,
                  "GCUPS of one H100 in the paper and here; foap4 %% and oak %% are the share of "
                  "time outside flux and update. %s",
                  r->gpu ? ""
                         : "On CPUs the domain is smaller than in the paper: the last column says "
                           "what was measured.");
  oak_report_table(r, head, sizeof head / sizeof *head);
  for (int i = 0; i < r->paper.nrow; i++)
    if (r->paper.row[i].table == BENCH_UNIFORM) write_row(r, &r->paper.row[i]);
  oak_report_table_end(r);
  for (int dim = 2; dim <= 3; dim++) plot_group(r, dim);
}

/* The paper's other machines, GCUPS with blocks of 32, 16 and 8, fp64 then fp32. */
static const struct {
  const char *name;
  double gcups[6];
} hardware[] = {{"H100, 94 GB", {1.366, 1.302, 1.097, 2.702, 2.599, 2.081}},
                {"A100, 40 GB", {0.755, 0.838, 0.685, 1.280, 1.690, 1.369}},
                {"GTX 1080 Ti", {0.088, 0.090, 0.081, 0.269, 0.243, 0.213}},
                {"GTX 1060", {0.031, 0.031, NAN, 0.150, 0.116, 0.096}},
                {"Intel i7-10700K, 8 tasks", {0.028, 0.025, 0.020, 0.033, 0.030, 0.026}},
                {"AMD 2700X, 8 tasks", {0.022, 0.020, 0.017, 0.026, 0.024, 0.022}}};

static void write_hardware(bench_report_t *r) {
  static const char *const head[] = {"GCUPS",      "fp64: 32^3", "16^3", "8^3",
                                     "fp32: 32^3", "16^3",       "8^3"};
  const bench_row_t *row = NULL;
  char name[BENCH_NAME];
  oak_report_section(r, "Other hardware (table 2 of the paper)");
  oak_report_text(r, "3D Rayleigh-Taylor, van Leer, uniform mesh of 256^3 cells%s.",
                  r->gpu ? "" : "; oak on the smaller mesh of this report");
  oak_report_table(r, head, 7);
  for (size_t n = 0; n < sizeof hardware / sizeof *hardware; n++) {
    oak_report_row(r);
    oak_report_cell(r, "paper: %s", hardware[n].name);
    for (int b = 0; b < 6; b++)
      oak_report_cell(r, isnan(hardware[n].gcups[b]) ? "–" : "%.3f", hardware[n].gcups[b]);
  }
  oak_report_row(r);
  oak_report_cell(r, "oak here");
  for (int i = 0; i < r->paper.nrow; i++) {
    row = &r->paper.row[i];
    if (row->table != BENCH_HARDWARE) continue;
    oak_report_number(r, 3, measured(row, row->gcups));
    if (row->wanted)
      oak_report_figure(
          r,
          &(oak_report_figure_t){"hardware", "GCUPS", row->paper, measured(row, row->gcups),
                                 measured(row, row->least), measured(row, row->most)},
          "%s; the paper on an H100", oak_bench_row_name(row, name));
  }
  oak_report_table_end(r);
}

/* ---- adaptive */

static void write_cost(bench_report_t *r) {
  const bench_row_t *uniform = NULL, *adaptive = NULL;
  for (int i = 0; i < r->paper.nrow; i++) {
    const bench_row_t *row = &r->paper.row[i];
    if (row->table == BENCH_HARDWARE && row->block == 16 && !row->single) uniform = row;
    if (row->table == BENCH_AMR) adaptive = row;
  }
  if (!uniform || !adaptive) return;
  oak_report_section(r, "What an adaptive mesh costs");
  if (uniform->state != BENCH_MEASURED || adaptive->state != BENCH_MEASURED) {
    oak_report_text(r, "Not measured: %s", *adaptive->reason ? adaptive->reason : uniform->reason);
    return;
  }
  const double ratio = uniform->gcups / adaptive->gcups;
  oak_report_text(
      r,
      "Time per cell update of the adaptive run over that of the uniform run with the same blocks "
      "of "
      "16^3: %.2f (%.3f and %.3f GCUPS; %.3g and %.3g million cells). On the adaptive mesh %.1f %% "
      "of "
      "the time is outside flux and update; the paper has 29 %% on 4 GPUs and 17 %% on CPUs.",
      ratio, adaptive->gcups, uniform->gcups, 1e-6 * adaptive->cells, 1e-6 * uniform->cells,
      adaptive->outside);
  oak_report_figure(r, &(oak_report_figure_t){"adaptive", "ratio", NAN, ratio, NAN, NAN},
                    "time per cell update, adaptive over uniform");
  if (r->rank == 0)
    printf("Cost of AMR: a cell update takes %.2f times as long as on the uniform mesh\n", ratio);
}

oak_status_t oak_report_tables(bench_report_t *r) {
  OAK_TRY(run_rows(r));
  if (!r->html) return OAK_OK;
  write_uniform(r);
  write_hardware(r);
  write_cost(r);
  return OAK_OK;
}
