/* SPDX-License-Identifier: GPL-2.0-or-later
 * oak bench --report: strong and weak scaling, uniform and adaptive, and where the time goes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench_report.h"
#include "plot_svg.h"

/* What the text of the paper says of its figures: GCUPS on so many GPUs (4 to a node) or cores
 * (192 to a node). */
typedef struct {
  int gpu, adaptive, weak, block;
  int n;
  double count[2], gcups[2];
  const char *text;
} paper_t;

static const paper_t paper[] = {
    {1, 0, 0, 8, 2, {4, 64}, {4.2, 50}, "about 80 % efficiency on 32 GPUs, 65 to 75 % on 64"},
    {1, 0, 0, 16, 2, {4, 64}, {5.1, 50}, "about 80 % efficiency on 32 GPUs, 65 to 75 % on 64"},
    {1, 0, 0, 32, 1, {4}, {5.3}, "slower from 32 GPUs on: too few blocks"},
    {0, 0, 0, 8, 1, {192}, {0.30}, "25 to 40 % efficiency on 6144 cores"},
    {0, 0, 0, 16, 1, {192}, {0.31}, "25 to 40 % efficiency on 6144 cores"},
    {0, 0, 0, 32, 1, {192}, {0.36}, "slower from 1536 cores on: too few blocks for a rank"},
    {1, 0, 1, 16, 0, {0}, {0}, "about 90 % efficiency on 16 to 128 GPUs, of 4 GPUs"},
    {1,
     1,
     0,
     16,
     1,
     {64},
     {36},
     "slightly above 50 % efficiency on 64 GPUs; 29 to 56 % of the "
     "time outside flux and update"},
    {0,
     1,
     0,
     16,
     1,
     {3072},
     {2.5},
     "slightly below 50 % efficiency on 3072 cores; about 17 % of "
     "the time outside flux and update"}};
enum { NPAPER = sizeof paper / sizeof *paper };

typedef struct {
  const char *title, *name;
  int adaptive, weak;
} section_t;
static const section_t sections[] = {
    {"Strong scaling on a uniform mesh (figures 8 and 9 of the paper)", "strong", 0, 0},
    {"Weak scaling (figure 10)", "weak", 0, 1},
    {"Strong scaling with adaptive refinement (figures 12 and 14)", "adaptive", 1, 0}};
enum { NSECTIONS = sizeof sections / sizeof *sections };

static int fits(const paper_t *p, const section_t *s) {
  return p->adaptive == s->adaptive && p->weak == s->weak;
}

static void choose(const bench_report_t *r, const section_t *s, bench_scaling_t *out) {
  static const int blocks[] = {16, 8, 32};
  *out = (bench_scaling_t){.weak = s->weak,
                           .adaptive = s->adaptive,
                           .fewest = 1,
                           .seconds = r->quick ? 0.15 : 0.5,
                           .key = r->key,
                           .nkey = r->nkey,
                           .rank = r->rank,
                           .size = r->ranks};
  out->nblock = r->quick || s->adaptive ? 1 : 3;
  memcpy(out->block, blocks, sizeof blocks);
  if (r->quick && !r->gpu) out->side = 64 << s->adaptive;
}

/* ---- tables */

static void write_paper(bench_report_t *r, const section_t *s) {
  static const char *const head[] = {"paper", "block", "GCUPS", "what else it says"};
  oak_report_table(r, head, 4);
  for (int i = 0; i < NPAPER; i++) {
    const paper_t *p = &paper[i];
    if (!fits(p, s)) continue;
    oak_report_row(r);
    oak_report_cell(r, p->gpu ? "H100, four to a node" : "2 x Genoa 9654, 192 cores to a node");
    oak_report_cell(r, s->weak ? "8^3 to 32^3" : "%d^3", p->block);
    char text[128] = "";
    for (int n = 0; n < p->n; n++)
      snprintf(text + strlen(text), sizeof text - strlen(text), "%s%g on %g", n ? "; " : "",
               p->gcups[n], p->count[n]);
    oak_report_cell(r, "%s", p->n ? text : "–");
    oak_report_cell(r, "%s", p->text);
  }
  oak_report_table_end(r);
}

static void write_lines(bench_report_t *r, const section_t *s, const bench_scaling_t *m) {
  static const char *const head[] = {"oak, ranks", "block", "Mcells",     "GCUPS",
                                     "least",      "most",  "efficiency", "outside %"};
  oak_report_table(r, head, 8);
  for (int i = 0; i < m->nline; i++) {
    const bench_scaling_line_t *l = &m->line[i];
    oak_report_row(r);
    oak_report_cell(r, "%d", l->ranks);
    oak_report_cell(r, "%d^3", l->block);
    oak_report_number(r, 2, 1e-6 * l->cells);
    oak_report_number(r, 3, 1e-3 * l->mcups);
    oak_report_number(r, 3, 1e-3 * l->least);
    oak_report_number(r, 3, 1e-3 * l->most);
    oak_report_cell(r, "%.0f %%", 100 * l->efficiency);
    oak_report_number(r, 1, 100 * (1 - l->share[0]));
    oak_report_figure(r,
                      &(oak_report_figure_t){s->name, "GCUPS", NAN, 1e-3 * l->mcups,
                                             1e-3 * l->least, 1e-3 * l->most},
                      "%d ranks, blocks of %d^3, %.0f cells", l->ranks, l->block, l->cells);
  }
  oak_report_table_end(r);
}

/* ---- plots */

enum { MOST_SERIES = 16, MOST_POINTS = 16 };

typedef struct {
  oak_plot_series_t series[MOST_SERIES];
  double x[MOST_SERIES][MOST_POINTS], y[MOST_SERIES][MOST_POINTS];
  char name[MOST_SERIES][64];
  int n;
} curves_t;

static oak_plot_series_t *add_curve(curves_t *c, oak_plot_style_t style, int color) {
  oak_plot_series_t *s = &c->series[c->n];
  *s = (oak_plot_series_t){
      .name = c->name[c->n], .style = style, .color = color, .x = c->x[c->n], .y = c->y[c->n]};
  c->n++;
  return s;
}

static void add_point(curves_t *c, double x, double y) {
  oak_plot_series_t *s = &c->series[c->n - 1];
  if (s->n == MOST_POINTS) return;
  c->x[c->n - 1][s->n] = x;
  c->y[c->n - 1][s->n++] = y;
}

static void plot_speed(bench_report_t *r, const section_t *s, const bench_scaling_t *m) {
  curves_t *c = calloc(1, sizeof *c);
  double last = 1;
  if (!c) return;
  for (int i = 0; i < m->nline; i++) {
    const bench_scaling_line_t *l = &m->line[i];
    if (i == 0 || l->block != m->line[i - 1].block) {
      add_curve(c, OAK_PLOT_LINE, l->block == 16 ? 0 : l->block == 8 ? 1 : 2);
      snprintf(c->name[c->n - 1], sizeof *c->name, "oak, blocks of %d^3", l->block);
    }
    add_point(c, l->ranks, 1e-3 * l->mcups);
    last = fmax(last, l->ranks);
  }
  for (int i = 0; i < NPAPER; i++) {
    const paper_t *p = &paper[i];
    if (!fits(p, s) || !p->n) continue;
    add_curve(c, OAK_PLOT_OUTLINED, p->block == 16 ? 0 : p->block == 8 ? 1 : 2);
    snprintf(c->name[c->n - 1], sizeof *c->name, "paper, %s, blocks of %d^3",
             p->gpu ? "H100" : "cores", p->block);
    for (int n = 0; n < p->n; n++) add_point(c, p->count[n], p->gcups[n]);
    if (p->gpu == r->gpu) last = fmax(last, p->count[p->n - 1]);
  }
  add_curve(c, OAK_PLOT_DASHED, 0);
  snprintf(c->name[c->n - 1], sizeof *c->name, "oak, if scaling were perfect");
  add_point(c, m->line[0].ranks, 1e-3 * m->line[0].mcups);
  add_point(c, last, 1e-3 * m->line[0].mcups * last / m->line[0].ranks);
  oak_plot_lines(r->html, &(oak_plot_t){"GPUs, or cores of CPUs", "GCUPS", OAK_AXIS_LOG2,
                                        OAK_AXIS_LOG10, c->series, c->n});
  free(c);
}

/* Bars of the lines with blocks of 16^3. */
static void plot_time(bench_report_t *r, const char *mesh, const bench_scaling_t *m) {
  const char *bar[BENCH_MOST_LINES], *part[BENCH_PHASES];
  char name[BENCH_MOST_LINES][32];
  double share[BENCH_MOST_LINES * BENCH_PHASES];
  int n = 0;
  for (int p = 0; p < BENCH_PHASES; p++) part[p] = oak_bench_phases[p].name;
  for (int i = 0; i < m->nline; i++) {
    if (m->line[i].block != 16) continue;
    snprintf(name[n], sizeof *name, "%d rank%s", m->line[i].ranks,
             m->line[i].ranks == 1 ? "" : "s");
    bar[n] = name[n];
    memcpy(&share[n * BENCH_PHASES], m->line[i].share, sizeof m->line[i].share);
    for (int p = 0; p < BENCH_PHASES; p++)
      oak_report_figure(
          r, &(oak_report_figure_t){"time", "percent", NAN, 100 * m->line[i].share[p], NAN, NAN},
          "%s mesh, %s: %s", mesh, name[n], part[p]);
    n++;
  }
  oak_report_text(r, "%s mesh, blocks of 16^3, oak:", mesh);
  oak_plot_shares(r->html, bar, n, part, BENCH_PHASES, share);
}

static void write_time(bench_report_t *r, const bench_scaling_t *uniform,
                       const bench_scaling_t *adaptive) {
  oak_report_section(r, "Where the time goes (figure 13, and the same for the uniform mesh)");
  oak_report_text(r,
                  "Shares of the time, mean of the ranks. The paper's run on H100 spends 29 %% "
                  "outside flux and update on 4 GPUs and 56 %% on 64; on CPUs about 17 %%.");
  plot_time(r, "Uniform", uniform);
  plot_time(r, "Adaptive", adaptive);
}

oak_status_t oak_report_scaling(bench_report_t *r) {
  bench_scaling_t *m = calloc(NSECTIONS, sizeof *m);
  oak_status_t st = m ? OAK_OK : OAK_FAIL(OAK_ERR_MEMORY, "out of memory for the report");
  st = oak_agree(MPI_COMM_WORLD, st);
  for (int i = 0; i < NSECTIONS && st == OAK_OK; i++) {
    choose(r, &sections[i], &m[i]);
    st = oak_bench_scaling_run(&m[i]);
    if (st != OAK_OK || !r->html) continue;
    oak_report_section(r, sections[i].title);
    oak_report_text(
        r, "3D Rayleigh-Taylor, van Leer, fp64. Efficiency is relative to the fewest ranks%s.",
        r->ranks == 1 ? "; this report was made on one rank: start it with mpirun for more" : "");
    write_paper(r, &sections[i]);
    write_lines(r, &sections[i], &m[i]);
    plot_speed(r, &sections[i], &m[i]);
  }
  if (st == OAK_OK && r->html) write_time(r, &m[0], &m[2]);
  free(m);
  return st;
}
