/* SPDX-License-Identifier: GPL-2.0-or-later
 * Waves of magnetohydrodynamics oblique to the grid over one period: fast, slow, Alfven and entropy
 * waves of amplitude 1e-6, and the circularly polarised Alfven wave of amplitude 0.1, which is an
 * exact solution. The error is the root of the sum over the conserved variables (psi is none) of
 * squared L1 differences to the initial state, in units of the amplitude, as in the case
 * linear_waves. */
#include "../verify.h"

enum { FAST, SLOW, ALFVEN, ENTROPY, CIRCULAR, NWAVES };
static const struct {
  const char *name;
  double period, amplitude;
} waves[NWAVES] = {{"fast", 0.5, 1e-6},
                   {"slow", 2, 1e-6},
                   {"alfven", 1, 1e-6},
                   {"entropy", 1, 1e-6},
                   {"circular", 1, 0.1}};

typedef struct {
  const char *limiter, *integrator;
} scheme_t;
static const scheme_t vanleer = {"vanleer", "heun"}, weno = {"weno5", "rk4"};

/* \param level gives 32 << level cells along x */
static double error_of(verify_t *v, int dim, int wave, const scheme_t *scheme, int level) {
  sim_t s = verify_new(v, "problems/mhd_wave.ini",
                       "%sproblem.wave=%s\nproblem.amplitude=%g\nmesh.min_level=%d\n"
                       "mesh.max_level=%d\nscheme.limiter=%s\nscheme.integrator=%s\n%s",
                       dim == 2 ? ""
                                : "mesh.dim=3\nmesh.trees=2 1 1\nmesh.xmax=3 1.5 1.5\n"
                                  "problem.length_x=3\nproblem.length_y=1.5\n"
                                  "problem.length_z=1.5\n",
                       waves[wave].name, waves[wave].amplitude, level, level, scheme->limiter,
                       scheme->integrator, v->full ? "" : "device.flags=-O1\n");
  MUST(oak_initialize(s.sim));
  const double error = verify_change(&s, 8, waves[wave].period) / waves[wave].amplitude;
  if (dim == 2 && wave == CIRCULAR && scheme == &vanleer && level == 2)
    verify_picture(&s, "circular_wave", "bz", -0.1, 0.1);
  verify_free(&s);
  return error;
}

/* Order of the two finest grids and error on the finest. */
typedef struct {
  double order, error;
} measured_t;

/* One wave on grids of 32 to 32 << last cells along x, and what was measured. */
static void converge(verify_t *v, FILE *table, int dim, int wave, const scheme_t *scheme, int last,
                     const measured_t *want) {
  double before = NAN, error = NAN;
  for (int level = 0; level <= last; level++) {
    before = error;
    error = error_of(v, dim, wave, scheme, level);
    verify_row(table, "%d;%s;%s;%d;%.6e;%.3f", dim, waves[wave].name, scheme->limiter, 32 << level,
               error, verify_order(before, error, 2));
  }
  verify_check(v, verify_order(before, error, 2), scheme == &weno ? 5 : 2, want->order - 0.05,
               want->order + 0.05,
               "order of the reconstruction, of which the limiter costs some at extrema",
               "%s, %dD, %s, %d cells: order", waves[wave].name, dim, scheme->limiter, 32 << last);
  verify_regression(v, error, want->error, "%s, %dD, %s, %d cells: error / amplitude",
                    waves[wave].name, dim, scheme->limiter, 32 << last);
}

/* The limiter reduces the order at extrema. The effect is smaller on finer grids. */
static const measured_t flat[NWAVES] = {
    {1.86, 4.33e-2}, {1.82, 2.196e-2}, {1.82, 1.595e-2}, {1.87, 1.134e-2}, {2.01, 3.97e-3}};
static const measured_t spatial[NWAVES] = {
    {1.46, 0.1708}, {1.54, 7.70e-2}, {1.68, 6.57e-2}, {1.37, 4.41e-2}, {1.81, 4.68e-2}};

static void run(verify_t *v) {
  FILE *table = verify_table(v, "errors", "dim;wave;limiter;cells;error;order");
  if (v->full) {
    for (int wave = 0; wave < CIRCULAR; wave++)
      converge(v, table, 2, wave, &vanleer, 2, &flat[wave]);
    converge(v, table, 2, CIRCULAR, &vanleer, 3, &flat[CIRCULAR]);
    converge(v, table, 2, CIRCULAR, &weno, 2, &(measured_t){4.55, 1.018e-5});
    for (int wave = 0; wave < NWAVES; wave++)
      converge(v, table, 3, wave, &vanleer, 1, &spatial[wave]);
  } else {
    converge(v, table, 2, FAST, &vanleer, 1, &(measured_t){1.39, 0.157});
    converge(v, table, 2, CIRCULAR, &vanleer, 1, &(measured_t){1.40, 0.0576});
  }
  verify_close(table);
}

const verify_case_t verify_case_mhd_waves = {
    .name = "mhd_waves",
    .title = "Waves of magnetohydrodynamics oblique to the grid",
    .source = "Stone et al. 2008 (Athena), section 8; Toth 2000, section 6.3.1; one period",
    .run = run};
