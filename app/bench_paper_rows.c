/* SPDX-License-Identifier: GPL-2.0-or-later
 * The rows of oak bench --paper and the paper's figures: those of an H100 with 94 GB, from the
 * tables "performance-uniform" and "performance-hardware". */
#include <math.h>

#include "bench_paper.h"

/* For blocks of 64, 32, 16, 8: GCUPS and percent outside flux and update, first of advection, then
 * of Rayleigh-Taylor. */
static const struct {
  const char *limiter;
  int dim, side;
  double figure[4][4];
} uniform[] = {
    {"vanleer",
     2,
     2048,
     {{11.31, 16.6, 2.90, 9.0},
      {13.33, 27.8, 3.07, 15.3},
      {9.83, 40.5, 2.90, 22.6},
      {4.26, 48.2, 1.47, 26.2}}},
    {"vanleer",
     2,
     8192,
     {{21.34, 9.8, 3.67, 6.1},
      {20.30, 23.0, 3.52, 11.7},
      {12.68, 37.9, 3.14, 19.8},
      {4.75, 48.0, 1.55, 23.9}}},
    {"vanleer",
     3,
     256,
     {{1.36, 3.0, 0.43, 5.4},
      {7.59, 10.1, 1.37, 8.8},
      {8.64, 20.4, 1.30, 14.3},
      {6.95, 33.3, 1.10, 24.0}}},
    {"vanleer",
     3,
     512,
     {{9.17, 4.6, 1.52, 3.9},
      {12.27, 12.4, 1.45, 6.8},
      {10.89, 20.7, 1.35, 11.8},
      {7.79, 31.1, 1.10, 25.4}}},
    {"weno5",
     2,
     2048,
     {{6.83, 11.7, 1.42, 5.6},
      {6.91, 16.8, 1.40, 9.0},
      {5.46, 26.7, 1.36, 16.1},
      {2.54, 30.6, 0.68, 16.9}}},
    {"weno5",
     2,
     8192,
     {{9.13, 6.2, 1.50, 3.6},
      {8.31, 11.8, 1.45, 6.9},
      {6.17, 23.2, 1.40, 14.3},
      {2.70, 29.5, 0.69, 16.2}}},
    {"weno5",
     3,
     256,
     {{1.13, 3.6, 0.17, 3.2},
      {3.72, 6.7, 0.53, 5.0},
      {4.23, 15.6, 0.48, 8.6},
      {3.19, 24.6, 0.40, 14.4}}},
    {"weno5",
     3,
     512,
     {{3.92, 2.8, 0.57, 2.3},
      {5.08, 7.8, 0.52, 4.0},
      {4.46, 14.6, 0.49, 7.8},
      {3.24, 22.3, 0.41, 14.2}}},
};

/* Rayleigh-Taylor 256^3, van Leer, blocks of 32, 16, 8. */
static const double hardware[2][3] = {{1.366, 1.302, 1.097}, {2.702, 2.599, 2.081}};

/* The paper has no figure of one GPU with an adaptive mesh. Its section "Strong scaling with AMR"
 * gives some 36 GCUPS on 64 GPUs, with a parallel efficiency slightly above 50 % relative to one
 * node. So each GPU of one node has less than 36 / 64 / 0.5 GCUPS. On one node, 29 % of the time is
 * outside flux and update. */
static const double amr_most = 1.125, amr_outside = 29, amr_cells = 62e6; /* at the beginning */

static bench_row_t *add(bench_paper_t *p, bench_table_t table, int dim, int side, int block) {
  bench_row_t *r = &p->row[p->nrow++];
  *r = (bench_row_t){.table = table,
                     .dim = dim,
                     .side = side,
                     .block = block,
                     .rt = 1,
                     .limiter = "vanleer",
                     .paper = NAN,
                     .paper_outside = NAN};
  return r;
}

void oak_bench_paper_rows(bench_paper_t *p) {
  p->nrow = 0;
  for (size_t t = 0; t < sizeof uniform / sizeof *uniform; t++)
    for (int row = 0; row < 8; row++) {
      const double *figure = &uniform[t].figure[row / 2][row % 2 * 2];
      bench_row_t *r = add(p, BENCH_UNIFORM, uniform[t].dim, uniform[t].side, 64 >> row / 2);
      r->limiter = uniform[t].limiter;
      r->rt = row % 2;
      r->paper = figure[0];
      r->paper_outside = figure[1];
    }
  for (int row = 0; row < 4; row++) add(p, BENCH_SMALL, 3, 64, 16 >> row / 2)->rt = row % 2;
  for (int row = 0; row < 6; row++) {
    bench_row_t *r = add(p, BENCH_HARDWARE, 3, 256, 32 >> row % 3);
    r->single = row / 3;
    r->paper = hardware[row / 3][row % 3];
  }
  bench_row_t *amr = add(p, BENCH_AMR, 3, 1024, 16);
  amr->paper = amr_most;
  amr->paper_outside = amr_outside;
  amr->cells = amr_cells;
}

const char *oak_bench_row_name(const bench_row_t *r, char name[BENCH_NAME]) {
  static const char *const table[] = {"uniform", "small", "hardware", "amr"};
  char domain[16] = "";
  if (r->table != BENCH_AMR) snprintf(domain, sizeof domain, "%d^%d ", r->side, r->dim);
  snprintf(name, BENCH_NAME, "%s %s %dd %s %sb%d %s", table[r->table], r->rt ? "rt" : "advection",
           r->dim, r->limiter, domain, r->block, r->single ? "single" : "double");
  return name;
}
