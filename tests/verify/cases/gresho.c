/* SPDX-License-Identifier: GPL-2.0-or-later
 * Gresho's steady vortex at t = 3: errors of density and azimuthal velocity, and the kinetic energy
 * that is left, for several schemes on grids of 20^2 to 160^2; and at lower Mach numbers. */
#include "../verify.h"

typedef struct {
  const char *limiter, *flux, *integrator;
  double error, kinetic; /* measured with 40 cells: L1 of v_phi, kinetic energy left */
} scheme_t;

typedef struct {
  double density, velocity, kinetic; /* L1, L1, final over initial */
} result_t;

enum { BINS = 40 }; /* of the radius, up to 0.5 */

static double velocity(double r) { return r < 0.2 ? 5 * r : r < 0.4 ? 2 - 5 * r : 0; }

/* \param bin [2 BINS]: sums of v_phi and of volumes, over this rank's cells */
static result_t measure(const sim_t *s, double bin[]) {
  double sum[4] = {0}, *q[3];
  const char *const names[] = {"rho", "vx", "vy"};
  for (int n = 0; n < 3; n++) q[n] = verify_read(s, verify_variable(s, names[n]));
  memset(bin, 0, 2 * BINS * sizeof *bin);
  for (int b = 0; b < oak_nblocks(s->sim); b++)
    for (int c = 0; c < s->cells; c++) {
      double x[3];
      const size_t at = (size_t)b * s->cells + c;
      const double V = verify_cell(s, b, c, x), r = hypot(x[0], x[1]);
      const double rho = q[0][at], vx = q[1][at], vy = q[2][at];
      const double phi = (x[0] * vy - x[1] * vx) / r;
      const int i = (int)(r * 2 * BINS);
      sum[0] += fabs(rho - 1) * V;
      sum[1] += fabs(phi - velocity(r)) * V;
      sum[2] += 0.5 * rho * (vx * vx + vy * vy) * V;
      sum[3] += 0.5 * velocity(r) * velocity(r) * V;
      if (i < BINS) bin[i] += phi * V, bin[BINS + i] += V;
    }
  for (int n = 0; n < 3; n++) free(q[n]);
  for (int n = 0; n < 4; n++) sum[n] = verify_sum(sum[n]);
  return (result_t){sum[0], sum[1], sum[2] / sum[3]};
}

/* \param level 20 << level cells per side. \param profile rows radius; velocity; NULL: none */
static result_t turn(verify_t *v, const scheme_t *scheme, int level, double pressure,
                     FILE *profile) {
  double bin[2 * BINS];
  sim_t s = verify_new(v, "problems/gresho.ini",
                       "mesh.block_size=20\nmesh.min_level=%d\nmesh.max_level=%d\n"
                       "scheme.limiter=%s\nscheme.flux=%s\nscheme.integrator=%s\n"
                       "problem.pressure=%g\noutput.picture_width=480\n",
                       level, level, scheme->limiter, scheme->flux, scheme->integrator, pressure);
  verify_run(&s, 3);
  const result_t result = measure(&s, bin);
  if (level == 1 && pressure == 5)
    for (int i = 0; i < BINS; i++) {
      const double phi = verify_sum(bin[i]), volume = verify_sum(bin[BINS + i]);
      if (volume > 0)
        verify_row(profile, "%s;%s;%.4f;%.5f", scheme->limiter, scheme->flux,
                   (i + 0.5) / (2 * BINS), phi / volume);
    }
  if (level == 1 + v->full && pressure == 5 && scheme->limiter[0] == 'w')
    verify_picture(&s, "vx", "vx", -1, 1);
  verify_free(&s);
  return result;
}

static const scheme_t schemes[] = {{"vanleer", "hllc", "heun", 2.763e-2, 0.856},
                                   {"weno5", "hllc", "rk4", 1.656e-2, 0.973},
                                   {"vanleer", "hll", "heun", 8.866e-2, 0.624},
                                   {"koren", "hllc", "ssprk33", 1.647e-2, 0.927},
                                   {"minmod", "hllc", "heun", 7.973e-2, 0.62}};

static void check_scheme(verify_t *v, const scheme_t *s, const result_t *r) {
  verify_regression(v, r->velocity, s->error, "%s, %s, 40 cells: L1 of v_phi", s->limiter, s->flux);
  const double lost = 1 - s->kinetic;
  verify_check(v, r->kinetic, 1, 1 - 1.05 * lost, 1 - 0.95 * lost, "the vortex is steady",
               "%s, %s, 40 cells: kinetic energy left", s->limiter, s->flux);
}

/* \param r results with 20, 40, ... cells */
static void check_weno(verify_t *v, const result_t *r, int last) {
  static const char *const cholla = "E. Schneider, Gresho test (2016): Cholla, PPM and CTU";
  verify_check(v, r[0].density, 1.4e-3, 1.2e-3, 2.7e-3, cholla, "weno5, hllc, 20 cells: L1 of rho");
  verify_check(v, r[1].density, 4e-4, 3e-4, 8.5e-4, cholla, "weno5, hllc, 40 cells: L1 of rho");
  verify_check(v, verify_order(r[0].velocity, r[last].velocity, 1 << last), 1.4, 1.35, 1.47,
               "Springel 2010 (Arepo): the error falls as N^-1.4, as the profile has kinks",
               "weno5, hllc, 20 to %d cells: mean order of L1 of v_phi", 20 << last);
}

static void measure_schemes(verify_t *v) {
  FILE *table = verify_table(v, "errors",
                             "limiter;flux;cells;L1 of rho;L1 of v_phi;order;kinetic energy left");
  FILE *profile = verify_table(v, "profile", "limiter;flux;r;v_phi");
  const int last = v->full ? 3 : 1;
  for (int n = 0; n < (v->full ? 5 : 3); n++) {
    result_t r[4];
    for (int level = 0; level <= last; level++) {
      r[level] = turn(v, &schemes[n], level, 5, profile);
      verify_row(table, "%s;%s;%d;%.4e;%.4e;%.3f;%.4f", schemes[n].limiter, schemes[n].flux,
                 20 << level, r[level].density, r[level].velocity,
                 level ? verify_order(r[level - 1].velocity, r[level].velocity, 2) : NAN,
                 r[level].kinetic);
    }
    check_scheme(v, &schemes[n], &r[1]);
    if (n == 1) check_weno(v, r, last);
  }
  verify_close(profile);
  verify_close(table);
}

/* The dissipation in slow flow of schemes whose upwinding scales with the speed of sound. */
static void measure_mach(verify_t *v) {
  const double left[2][3] = {{0.856, 0.509, 0.4177}, {0.624, 0.1016, 0}};
  FILE *table = verify_table(v, "mach", "flux;pressure;Mach number;kinetic energy left");
  for (int n = 0; n < 2; n++) {
    double pressure = 5;
    for (int p = 0; p < 3; p++, pressure *= 100) {
      const scheme_t *s = &schemes[2 * n];
      const double mach = 1 / sqrt(1.4 * (pressure + 0.5)),
                   kinetic = turn(v, s, 1, pressure, NULL).kinetic;
      verify_row(table, "%s;%g;%.4f;%.4f", s->flux, pressure, mach, kinetic);
      verify_check(v, kinetic, 1, 0.95 * left[n][p], 1.05 * left[n][p] + 1e-3,
                   "1 for schemes made for low Mach numbers (Miczek et al. 2015)",
                   "vanleer, %s, Mach %.4f: kinetic energy left", s->flux, mach);
    }
  }
  verify_close(table);
}

static void run(verify_t *v) {
  measure_schemes(v);
  if (v->full) measure_mach(v);
}

const verify_case_t verify_case_gresho = {
    .name = "gresho",
    .title = "Gresho's steady vortex",
    .source = "Gresho, Chan 1990; Liska, Wendroff 2003, section 4.6; t = 3",
    .run = run};
