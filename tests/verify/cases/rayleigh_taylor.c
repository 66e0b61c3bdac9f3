/* SPDX-License-Identifier: GPL-2.0-or-later
 * Rayleigh-Taylor instability. First the growth rate of a small disturbance of a smooth interface
 * against the eigenvalue of the linearised Euler equations for that very profile, walls,
 * stratification and compressibility included; then the set-up of the foap4 paper at an early time,
 * adaptive against uniform. */
#include "../verify.h"

static const double pi = 3.14159265358979324;

/* ---- linear theory */

/* Two layers between walls at z = 0 and 1, as problems/rayleigh_taylor.c makes them. */
typedef struct {
  double h0, width, rho_high, rho_low, gravity, p_top, gamma, k;
} layers_t;

static double lncosh(double x) { return fabs(x) + log1p(exp(-2 * fabs(x))); }

/* d/dz of y = {w, P}, the disturbances of vertical velocity and pressure ~ exp(i k x + sigma t),
 * from rho sigma u = -i k P,  rho sigma w = -P' - g r,  sigma r + w rho' + rho D = 0, sigma P - w
 * rho g + gamma p D = 0,  D = i k u + w' where r is the disturbance of the density. */
static void slopes(const layers_t *l, double sigma, double z, const double y[2], double dy[2]) {
  const double mean = 0.5 * (l->rho_high + l->rho_low), half = 0.5 * (l->rho_high - l->rho_low);
  const double s = (z - l->h0) / l->width, g = l->gravity, cosh_s = cosh(s);
  const double rho = mean + half * tanh(s), drho = half / (l->width * cosh_s * cosh_s);
  const double p = l->p_top + g * (mean * (1 - z) +
                                   half * l->width * (lncosh((1 - l->h0) / l->width) - lncosh(s)));
  const double D = (y[0] * rho * g - sigma * y[1]) / (l->gamma * p);
  dy[0] = D - l->k * l->k * y[1] / (rho * sigma);
  dy[1] = -rho * sigma * y[0] + g / sigma * (y[0] * drho + rho * D);
}

/* w at the upper wall if it is 0 at the lower one; 0 for an eigenvalue. */
static double upper_wall(const layers_t *l, double sigma) {
  static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1 / 6., 1 / 3., 1 / 3., 1 / 6.};
  const int steps = 4000;
  const double dz = 1. / steps;
  double y[2] = {0, 1};
  for (int i = 0; i < steps; i++) {
    double k[2] = {0}, sum[2] = {0};
    for (int stage = 0; stage < 4; stage++) {
      const double now[2] = {y[0] + at[stage] * dz * k[0], y[1] + at[stage] * dz * k[1]};
      slopes(l, sigma, (i + at[stage]) * dz, now, k);
      for (int j = 0; j < 2; j++) sum[j] += weight[stage] * k[j];
    }
    for (int j = 0; j < 2; j++) y[j] += dz * sum[j];
  }
  return y[0];
}

/* The largest eigenvalue: nothing grows faster than sqrt(g k). */
static double growth_rate(const layers_t *l) {
  double high = sqrt(l->gravity * l->k), low = high;
  const double sign = upper_wall(l, high);
  do low *= 0.99;
  while (low > 0.01 && upper_wall(l, low) * sign > 0);
  high = low / 0.99;
  for (int i = 0; i < 50; i++) {
    const double middle = 0.5 * (low + high);
    if (upper_wall(l, middle) * sign > 0)
      high = middle;
    else
      low = middle;
  }
  return high;
}

/* Of a sharp interface between two incompressible layers (S. Chandrasekhar, Hydrodynamic and
 * Hydromagnetic Stability, 1961, section 92, with walls). */
static double incompressible_rate(const layers_t *l) {
  const double upper = l->rho_high / tanh(l->k * (1 - l->h0)),
               lower = l->rho_low / tanh(l->k * l->h0);
  return sqrt(l->gravity * l->k * (l->rho_high - l->rho_low) / (upper + lower));
}

/* ---- growth in the simulation */

enum { SAMPLES = 31 }; /* t = 0, 0.1, ..., 3 */

/* |integral of the density times exp(i k x)|: the displacement of the interface. Sound waves, which
 * the initial state also makes, hardly show in it. */
static double mode_amplitude(const sim_t *s, double k) {
  double *rho = verify_read(s, 0), sine = 0, cosine = 0;
  for (int b = 0; b < oak_nblocks(s->sim); b++)
    for (int c = 0; c < s->cells; c++) {
      double x[3];
      const double m = rho[(size_t)b * s->cells + c] * verify_cell(s, b, c, x);
      sine += m * sin(k * x[0]);
      cosine += m * cos(k * x[0]);
    }
  free(rho);
  return hypot(verify_sum(sine), verify_sum(cosine));
}

static void follow(verify_t *v, const layers_t *l, int level, double A[SAMPLES]) {
  sim_t s = verify_new(v, "problems/rayleigh_taylor.ini",
                       "mesh.min_level=%d\nmesh.max_level=%d\nproblem.width=%.17g\n"
                       "problem.delta=2e-5\nscheme.flux=hllc\nrun.cfl=0.8\n",
                       level, level, l->width);
  MUST(oak_initialize(s.sim));
  A[0] = mode_amplitude(&s, l->k);
  for (int i = 1; i < SAMPLES; i++) {
    verify_continue(&s, 0.1 * i);
    A[i] = mode_amplitude(&s, l->k);
  }
  verify_free(&s);
}

/* Slope of ln A from t = 2 on, by least squares: from then on the growing mode dominates. */
static double measured_rate(const double A[SAMPLES]) {
  double sum = 0, weight = 0;
  for (int i = 20; i < SAMPLES; i++) {
    sum += 0.1 * (i - 25) * log(A[i]);
    weight += 0.01 * (i - 25) * (i - 25);
  }
  return sum / weight;
}

static void linear(verify_t *v) {
  static const char eigenvalue[] = "eigenvalue of the linearised equations";
  const layers_t l = {.h0 = 0.8,
                      .width = 0.04,
                      .rho_high = 1,
                      .rho_low = 0.1,
                      .gravity = 1,
                      .p_top = 1,
                      .gamma = 5. / 3,
                      .k = 2 * pi};
  layers_t thin = l;
  thin.width = 1e-3;
  thin.gamma = 1e6;
  const int first = v->full ? 2 : 1;
  double A[3][SAMPLES], rate[3];
  char columns[64];
  const double sigma = growth_rate(&l), sharp = incompressible_rate(&l);
  verify_check(v, growth_rate(&thin), sharp, 0.99 * sharp, 1.01 * sharp,
               "sharp interface between walls, Chandrasekhar (1961)",
               "the eigenvalue for a thin interface, incompressible");
  FILE *table = verify_table(v, "rates", "cells;growth rate;eigenvalue;sharp, incompressible");
  for (int i = 0; i < 3; i++) {
    follow(v, &l, first + i, A[i]);
    rate[i] = measured_rate(A[i]);
    verify_row(table, "%d;%.5f;%.5f;%.5f", 16 << (first + i), rate[i], sigma, sharp);
  }
  verify_close(table);
  snprintf(columns, sizeof columns, "t;%d^2;%d^2;%d^2;rate", 16 << first, 32 << first, 64 << first);
  table = verify_table(v, "amplitude", columns);
  for (int i = 0; i < SAMPLES; i++)
    verify_row(table, "%.1f;%.5e;%.5e;%.5e;%.5f", 0.1 * i, A[0][i], A[1][i], A[2][i], sigma);
  verify_close(table);
  const double off = (v->full ? 0.00065 : 0.0018) * sigma;
  verify_check(v, rate[2], sigma, sigma - off, sigma + off, eigenvalue, "%d^2 cells: growth rate",
               64 << first);
}

/* ---- the set-up of the paper */

static sim_t run_paper(verify_t *v, int dim, int blocks, int low, int high, double end) {
  sim_t s =
      verify_new(v, dim == 3 ? "problems/rayleigh_taylor_3d.ini" : "problems/rayleigh_taylor.ini",
                 "mesh.block_size=%d\nmesh.min_level=%d\nmesh.max_level=%d\n", blocks, low, high);
  verify_run(&s, end);
  return s;
}

/* L1 mean of the difference of the density from its mirror image in x = 1/4. */
static double asymmetry(const sim_t *s, int level) {
  int size[3];
  double *rho = verify_uniform(s, 0, level, size), sum = 0;
  const int n = size[0];
  const size_t rows = (size_t)size[1] * size[2];
  for (size_t r = 0; r < rows; r++)
    for (int i = 0; i < n; i++) sum += fabs(rho[r * n + i] - rho[r * n + (n + n / 2 - 1 - i) % n]);
  free(rho);
  return sum / (n * (double)rows);
}

static double mass(const sim_t *s) {
  double total[32];
  MUST(oak_totals(s->sim, total));
  return total[0];
}

/* Adaptive against uniform while the interface moves little. Later any difference grows with the
 * instability. */
static void paper(verify_t *v, int dim, int blocks, int low, int high, verify_amr_t most) {
  const double early = 0.3;
  sim_t s = run_paper(v, dim, blocks, high, high, early);
  sim_t amr = run_paper(v, dim, blocks, low, high, 0);
  const double before = mass(&amr);
  verify_continue(&amr, early);
  verify_amr(v, dim == 3 ? "3D adaptive" : "2D adaptive", &s, &amr, 0, high, most);
  verify_check(v, asymmetry(&amr, high), 0, 0, 1e-13, "symmetry of the problem",
               "%dD adaptive: density minus its mirror image, L1", dim);
  verify_free(&s);
  if (v->full) verify_continue(&amr, 1);
  verify_check(v, mass(&amr) / before - 1, 0, -1e-14, 1e-14, "conservation",
               "%dD adaptive: relative change of the mass", dim);
  verify_picture(&amr, dim == 3 ? "density_3d" : "density_2d", "rho", 0, 1.2);
  verify_free(&amr);
}

static void run(verify_t *v) {
  linear(v);
  if (v->full) {
    paper(v, 2, 16, 2, 5, (verify_amr_t){7e-5, 0.23});
    paper(v, 3, 8, 1, 3, (verify_amr_t){2.9e-5, 0.75});
  } else {
    paper(v, 2, 8, 2, 4, (verify_amr_t){1.2e-4, 0.43});
    paper(v, 3, 8, 1, 2, (verify_amr_t){1.6e-5, 1});
  }
}

const verify_case_t verify_case_rayleigh_taylor = {
    .name = "rayleigh_taylor",
    .title = "Rayleigh-Taylor instability",
    .source = "linear theory; foap4 paper, section \"Rayleigh-Taylor test\"",
    .run = run};
