/* SPDX-License-Identifier: GPL-2.0-or-later
 * oak bench --paper: the tables on the terminal, in the layout of the paper. */
#include "bench_paper.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "bench.h"

enum { RULE = 112 };
static const double wanted_ratio = 3;

__attribute__((format(printf, 2, 3))) static void print(const bench_paper_t *p, const char *format,
                                                        ...) {
  va_list list;
  if (p->rank != 0) return;
  va_start(list, format);
  vprintf(format, list);
  va_end(list);
  fflush(stdout);
}

/* A number, or a dash where there is none. */
static void print_number(const bench_paper_t *p, int width, int digits, double x) {
  if (isnan(x))
    print(p, " %*s", width, "-");
  else
    print(p, " %*.*f", width, digits, x);
}

/* GCUPS of the paper and of oak, their ratio, and the shares of time outside flux and update, of
 * the paper and of oak. */
static void print_figures(const bench_paper_t *p, const bench_row_t *r) {
  static const char *const state[] = {"", "", "skipped", "failed"};
  print(p, " |");
  if (!r->wanted) {
    print(p, " %36s", "");
    return;
  }
  print_number(p, 6, 2, r->paper);
  if (r->state != BENCH_MEASURED) {
    print(p, " %-29s", state[r->state]);
    return;
  }
  const double ratio = r->gcups / r->paper;
  print_number(p, 7, 3, r->gcups);
  print_number(p, 6, 2, ratio);
  print(p, "%c", ratio < wanted_ratio ? '<' : ' ');
  print_number(p, 6, 1, r->paper_outside);
  print_number(p, 6, 1, r->outside);
}

static void print_reason(const bench_paper_t *p, const bench_row_t *r) {
  char name[BENCH_NAME];
  if (r->wanted && *r->reason)
    print(p, "  %s: %s: %s\n", oak_bench_row_name(r, name),
          r->state == BENCH_SKIPPED ? "skipped" : "failed", r->reason);
}

static const char *limiter_title(const bench_row_t *r) {
  return strcmp(r->limiter, "vanleer") ? "WENO5" : "van Leer";
}

/* Two rows beside each other: advection and Rayleigh-Taylor. */
static oak_status_t run_pair(bench_paper_t *p, bench_row_t *pair) {
  const bench_row_t *known = pair[0].wanted ? &pair[0] : &pair[1];
  char domain[16], block[16];
  for (int i = 0; i < 2; i++) {
    OAK_TRY(oak_bench_run_row(p, &pair[i]));
    if (pair[i].state == BENCH_MEASURED) known = &pair[i];
  }
  const int blocks = known->side / known->block; /* along a side */
  snprintf(domain, sizeof domain, "%d^%d", known->side, known->dim);
  snprintf(block, sizeof block, "%d^%d", known->block, known->dim);
  print(
      p, "%-8s %dD %7s %5s %8lld", limiter_title(known), known->dim, domain, block,
      known->state == BENCH_MEASURED ? (long long)known->blocks : llrint(pow(blocks, known->dim)));
  for (int i = 0; i < 2; i++) print_figures(p, &pair[i]);
  print(p, "\n");
  for (int i = 0; i < 2; i++) print_reason(p, &pair[i]);
  return OAK_OK;
}

static int same_group(const bench_row_t *a, const bench_row_t *b) {
  return a->table == b->table && a->dim == b->dim && !strcmp(a->limiter, b->limiter);
}

static void print_rule(const bench_paper_t *p) {
  char rule[RULE + 1];
  memset(rule, '-', RULE);
  rule[RULE] = 0;
  print(p, "%s\n", rule);
}

static void print_head(const bench_paper_t *p) {
  print(p, "\n%-34s | %24s%12s | %25s\n", "", "scalar advection", "", "Rayleigh-Taylor");
  print(p, "%-11s %7s %5s %8s", "limiter", "domain", "block", "blocks");
  for (int half = 0; half < 2; half++)
    print(p, " | %6s %7s %6s  %6s %6s", "paper", "oak", "ratio", "foap4%", "oak%");
  print(p, "\n");
}

static oak_status_t run_pairs(bench_paper_t *p) {
  const bench_row_t *last = NULL;
  for (int i = 0; i < p->nrow; i += 2) {
    bench_row_t *pair = &p->row[i];
    if (pair->table != BENCH_UNIFORM && pair->table != BENCH_SMALL) break;
    if (!pair[0].wanted && !pair[1].wanted) continue;
    if (!last) print_head(p);
    if (!last || !same_group(last, pair)) print_rule(p);
    OAK_TRY(run_pair(p, pair));
    last = pair;
  }
  return OAK_OK;
}

/* The rows of a table, NULL if none of them is to be run; *n: how many there are. */
static bench_row_t *find_table(bench_paper_t *p, bench_table_t table, int *n) {
  bench_row_t *first = NULL;
  int wanted = 0;
  *n = 0;
  for (int i = 0; i < p->nrow; i++) {
    if (p->row[i].table != table) continue;
    if (!first) first = &p->row[i];
    *n += 1;
    wanted |= p->row[i].wanted;
  }
  return wanted ? first : NULL;
}

/* Blocks of 32, 16, 8 in double, then in single precision. */
static oak_status_t run_hardware(bench_paper_t *p) {
  int n;
  bench_row_t *row = find_table(p, BENCH_HARDWARE, &n);
  if (!row) return OAK_OK;
  for (int i = 0; i < n; i++) OAK_TRY(oak_bench_run_row(p, &row[i]));
  print(p, "\n%-34s | %20s | %20s\n%-34s", "Rayleigh-Taylor 256^3, van Leer", "fp64       ",
        "fp32       ", "GCUPS");
  for (int i = 0; i < n; i++) print(p, "%s %4d^3", i % 3 ? "" : " |", row[i].block);
  for (int line = 0; line < 3; line++) {
    static const char *const title[] = {"paper, H100", "oak", "ratio"};
    print(p, "\n%-34s", title[line]);
    for (int i = 0; i < n; i++) {
      const double ours = row[i].state == BENCH_MEASURED ? row[i].gcups : NAN;
      if (i % 3 == 0) print(p, " |");
      print_number(p, 6, line == 2 ? 2 : 3,
                   line == 0   ? row[i].paper
                   : line == 1 ? ours
                               : ours / row[i].paper);
    }
  }
  print(p, "\n");
  for (int i = 0; i < n; i++) print_reason(p, &row[i]);
  return OAK_OK;
}

static oak_status_t run_amr(bench_paper_t *p) {
  int n;
  bench_row_t *row = find_table(p, BENCH_AMR, &n);
  if (!row) return OAK_OK;
  OAK_TRY(oak_bench_run_row(p, row));
  print(p, "\n%-34s | %6s %7s %6s  %6s %6s\n", "adaptive mesh", "paper*", "oak", "ratio", "foap4*",
        "oak%");
  print(p, "%-34s", "Rayleigh-Taylor 3D, 16^3 blocks");
  print_figures(p, row);
  print(p, "\n");
  print_reason(p, row);
  if (row->state == BENCH_MEASURED)
    print(p, "  %lld blocks, %.3g million cells after the %ld steps measured\n",
          (long long)row->blocks, 1e-6 * row->cells, row->pieces * row->steps);
  print(
      p,
      "  * of a run to t = 1.5. GCUPS: an upper bound per GPU, from 36 on 64 GPUs at an efficiency "
      "slightly\n    above 50 %%; foap4*: on 4 GPUs\n");
  return OAK_OK;
}

oak_status_t oak_bench_paper_tables(bench_paper_t *p) {
  print(p, "%s, %d rank%s\n", p->device_text, p->ranks, p->ranks > 1 ? "s" : "");
  print(p,
        "GCUPS in the paper (one H100) and here, their ratio (< : below %g), and the share of time "
        "outside\nflux and update in the paper (foap4%%) and here\n",
        wanted_ratio);
  if (p->nuser) print(p, "every row with");
  for (int i = 0; i < p->nuser; i++) print(p, " %s", p->user[i]);
  if (p->nuser) print(p, "\n");
  if (p->left_out) print(p, "left out: %d rows of more than %g cells\n", p->left_out, p->cells);
  OAK_TRY(run_pairs(p));
  OAK_TRY(run_hardware(p));
  return run_amr(p);
}

/* ---- the end */

void oak_bench_paper_summary(bench_paper_t *p) {
  double ratio[BENCH_PAPER_ROWS];
  char name[BENCH_NAME];
  int n = 0, below = 0, run = 0;
  for (int i = 0; i < p->nrow; i++) {
    const bench_row_t *r = &p->row[i];
    run += r->wanted;
    if (r->state != BENCH_MEASURED || isnan(r->paper)) continue;
    ratio[n++] = r->gcups / r->paper;
    below += ratio[n - 1] < wanted_ratio;
  }
  print(p, "\n%d row%s in %.0f s", run, run == 1 ? "" : "s", MPI_Wtime() - p->begin);
  if (n) {
    const double middle = oak_bench_median(ratio, n);
    print(p, "; ratio to the paper's figures: least %.2f, median %.2f, most %.2f\n", ratio[0],
          middle, ratio[n - 1]);
    print(p,
          below ? "Below %g times the paper's figure: %d of %d rows\n"
                : "None is below %g times the paper's figure (%d of %d rows)\n",
          wanted_ratio, below, n);
  } else {
    print(p, "\n");
  }
  for (int i = 0; i < p->nrow; i++) {
    const bench_row_t *r = &p->row[i];
    if (r->state == BENCH_MEASURED && r->gcups / r->paper < wanted_ratio)
      print(p, "  %5.2f  %s\n", r->gcups / r->paper, oak_bench_row_name(r, name));
  }
  if (p->folder) print(p, "All figures: %s/paper.csv\n", p->folder);
}
