/* SPDX-License-Identifier: GPL-2.0-or-later
 * Kelvin-Helmholtz instability of McNally, Lyra and Passy: the amplitude of the unstable mode,
 *
 *   M = 2 |sum_i v_i V_i e_i exp(4 pi i x_i)| / sum_i V_i e_i,
 *
 * over all cells, with v the velocity along y, V the volume and e = exp(-4 pi |y - 1/4|) below the
 * middle, its mirror image above (their equations 14 to 17). They published M(t) up to t = 1.5 from
 * the Pencil Code on 4096^2 points, with an uncertainty of 1e-7. The Euler equations have no
 * converged solution at late times, but here they have. */
#include "../verify.h"

static const char paper[] =
    "McNally, Lyra, Passy, Astrophys. J. Suppl. 201 (2012) 18, table "
    "khmode_rev0.txt";

enum { SAMPLES = 16 };
/* M at t = 0, 0.1, ..., 1.5: every fifth line of their table. */
static const double published[SAMPLES] = {1.0000000e-2, 8.9939583e-3, 8.1746004e-3, 8.3042275e-3,
                                          8.3386407e-3, 1.0501328e-2, 1.4934324e-2, 1.9359845e-2,
                                          2.6907432e-2, 3.6390082e-2, 4.7485222e-2, 6.1456445e-2,
                                          7.9778598e-2, 1.0009830e-1, 1.2362083e-1, 1.4794632e-1};

static double mode_amplitude(const sim_t *s) {
  double *vy = verify_read(s, verify_variable(s, "vy")), sine = 0, cosine = 0, weight = 0;
  for (int b = 0; b < oak_nblocks(s->sim); b++)
    for (int c = 0; c < s->cells; c++) {
      double x[3];
      const double V = verify_cell(s, b, c, x), y = x[1] < 0.5 ? x[1] : 1 - x[1];
      const double e = V * exp(-12.566370614359172 * fabs(y - 0.25));
      const double v = vy[(size_t)b * s->cells + c];
      sine += v * e * sin(12.566370614359172 * x[0]);
      cosine += v * e * cos(12.566370614359172 * x[0]);
      weight += e;
    }
  free(vy);
  return 2 * hypot(verify_sum(sine), verify_sum(cosine)) / verify_sum(weight);
}

/* A run to t = 1.5. \param [out] M at the times of the table */
static sim_t follow(verify_t *v, int blocks, int level, int adaptive, double M[SAMPLES]) {
  sim_t s = verify_new(v, "problems/kelvin_helmholtz.ini",
                       "mesh.block_size=%d\nmesh.min_level=%d\nmesh.max_level=%d\n", blocks,
                       adaptive ? level - 2 : level, level);
  MUST(oak_initialize(s.sim));
  M[0] = mode_amplitude(&s);
  for (int i = 1; i < SAMPLES; i++) {
    verify_continue(&s, 0.1 * i);
    M[i] = mode_amplitude(&s);
  }
  return s;
}

/* Mean over the times of the relative error. */
static double curve_error(const double M[SAMPLES]) {
  double sum = 0;
  for (int i = 1; i < SAMPLES; i++) sum += fabs(M[i] / published[i] - 1);
  return sum / (SAMPLES - 1);
}

typedef struct {
  double end, curve; /* relative error at t = 1.5; mean over the curve */
  double amplitude;
  verify_amr_t amr;
} bounds_t;

static void run(verify_t *v) {
  static const char same[] = "the uniform mesh of the finest level";
  const int blocks = v->full ? 16 : 8, last = v->full ? 5 : 4, first = last - 2;
  const bounds_t full = {0.0015, 3.5e-4, 0.0055, {8.5e-4, 0.22}};
  const bounds_t small = {0.056, 0.031, 0.002, {4.5e-4, 0.66}};
  const bounds_t *bound = v->full ? &full : &small;
  double M[4][SAMPLES], end[3];
  sim_t s = {0};
  for (int l = 0; l < 3; l++) {
    s = follow(v, blocks, first + l, 0, M[l]);
    end[l] = fabs(M[l][SAMPLES - 1] / published[SAMPLES - 1] - 1);
    if (l < 2) verify_free(&s);
  }
  sim_t amr = follow(v, blocks, last, 1, M[3]);
  char columns[128];
  snprintf(columns, sizeof columns, "t;%d^2;%d^2;%d^2;%d^2 adaptive;published", blocks << first,
           blocks << (first + 1), blocks << last, blocks << last);
  FILE *table = verify_table(v, "amplitude", columns);
  for (int i = 0; i < SAMPLES; i++)
    verify_row(table, "%.1f;%.7f;%.7f;%.7f;%.7f;%.7f", 0.1 * i, M[0][i], M[1][i], M[2][i], M[3][i],
               published[i]);
  verify_close(table);
  const double at_end = published[SAMPLES - 1];
  verify_check(v, M[2][SAMPLES - 1], at_end, at_end * (1 - bound->end), at_end * (1 + bound->end),
               paper, "%d^2 cells: mode amplitude at t = 1.5", blocks << last);
  verify_check(v, curve_error(M[2]), 0, 0, bound->curve, paper,
               "mean relative error of the amplitude, t = 0.1 to 1.5");
  verify_check(v, verify_order(end[1], end[2], 2), 2, 2, 3.2, "the scheme's, smooth flow",
               "order of the error at t = 1.5, last two meshes");
  verify_check(v, M[3][SAMPLES - 1] / M[2][SAMPLES - 1], 1, 1 - bound->amplitude,
               1 + bound->amplitude, same,
               "adaptive: mode amplitude at t = 1.5 over the uniform mesh's");
  verify_amr(v, "adaptive", &s, &amr, 0, last, bound->amr);
  verify_picture(&amr, "density", "rho", 0.9, 2.1);
  verify_free(&s);
  verify_free(&amr);
}

const verify_case_t verify_case_kelvin_helmholtz = {
    .name = "kelvin_helmholtz",
    .title = "Kelvin-Helmholtz instability",
    .source = "C. P. McNally, W. Lyra, J.-C. Passy, Astrophys. J. Suppl. 201 (2012) 18",
    .run = run};
