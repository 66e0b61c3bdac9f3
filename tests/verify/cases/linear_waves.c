/* SPDX-License-Identifier: GPL-2.0-or-later
 * Linear waves oblique to the grid, in 2D (tan of the angle 2) and 3D (domain 3 x 1.5 x 1.5), over
 * one period. The error is the root of the sum over the conserved variables of squared L1
 * differences to the initial state, as in Athena, here in units of the amplitude. The amplitude is
 * 1e-6, but 1e-7 for sound: at 1e-6, sound would steepen by more than the errors of WENO5. With
 * 1e-7, rounding changes the smallest errors by 7 %.
 *
 * For linear waves the scheme with one flux per face keeps the full order of its reconstruction in
 * several dimensions. Theory gives the error itself where WENO5 has its linear weights, which it
 * has in a stream, since the epsilon of the weights is relative to the values. The leading error of
 * upwind reconstruction of fifth order is
 *
 *   sum over d of |A_d| dx^5 / 60 d^6/dx_d^6,  A_d: the Jacobian along axis d,
 *
 * so that a wave (vector r of energy 1, wave vector k) loses sum r|A_d|r k_d^6 dx^5 / 60 of its
 * amplitude per time. The amplitude of other waves that it excites is zero again after a period.
 * The sound wave is in gas at rest: for its velocities the weights are nonlinear, which costs a
 * factor of 3.7. */
#include "../verify.h"

enum { SOUND, ENTROPY, SHEAR };
static const char *const waves[] = {"sound", "entropy", "shear"};
static const double amplitudes[] = {1e-7, 1e-6, 1e-6}, pi = 3.14159265358979323846;

typedef struct {
  const char *limiter, *integrator;
  int weno; /* shrink the CFL number, so that errors in time shrink like those in space */
} scheme_t;

static const scheme_t vanleer = {"vanleer", "heun", 0}, koren = {"koren", "ssprk33", 0},
                      weno = {"weno5", "rk4", 1};

/* Leading error of WENO5, see above; n: unit vector along k, of length 2 pi; sound speed, stream
 * and period 1. Sound: r = (u n, p). Shear: r = (u t); sound carries its part along d and the
 * stream the rest, with |v_d + 1|/2 + |v_d - 1|/2 = 1. */
static double weno_theory(int dim, int wave, double dx) {
  const double n[3] = {dim == 2 ? 1 / sqrt(5) : 1.0 / 3, dim == 2 ? 2 / sqrt(5) : 2.0 / 3,
                       dim == 2 ? 0 : 2.0 / 3};
  const double across = sqrt(n[0] * n[0] + n[1] * n[1]);
  const double t[3] = {-n[1] / across, n[0] / across, 0};
  /* The norm of the wave in conserved variables: density, momentum, energy. */
  const double norm = wave == ENTROPY ? sqrt(1 + 1 + 0.25) : 1;
  double loss = 0;
  if (wave == SOUND) return NAN;
  for (int d = 0; d < dim; d++) {
    const double speed = wave == ENTROPY ? n[d] : t[d] * t[d] + (1 - t[d] * t[d]) * n[d];
    loss += speed * pow(2 * pi * n[d], 6) * pow(dx, 5) / 60;
  }
  return loss * norm * 2 / pi; /* the mean of |cos| */
}

/* \param level gives 32 << level cells along x */
static double error_of(verify_t *v, int dim, int wave, const scheme_t *scheme, int level) {
  const double amplitude = amplitudes[wave];
  sim_t s = verify_new(v, "problems/linear_wave.ini",
                       "%sproblem.wave=%s\nproblem.amplitude=%g\nmesh.min_level=%d\n"
                       "mesh.max_level=%d\noutput.picture_width=480\nscheme.limiter=%s\nscheme."
                       "integrator=%s\nrun.cfl=%.17g\n",
                       dim == 2 ? ""
                                : "mesh.dim=3\nmesh.trees=2 1 1\nmesh.xmax=3 1.5 1.5\n"
                                  "problem.length_x=3\nproblem.length_y=1.5\n"
                                  "problem.length_z=1.5\n",
                       waves[wave], amplitude, level, level, scheme->limiter, scheme->integrator,
                       0.5 * (scheme->weno ? pow(0.5, 0.25 * level) : 1));
  MUST(oak_initialize(s.sim));
  const double error = verify_change(&s, s.nvar, 1) / amplitude;
  if (dim == 2 && wave == SOUND && !scheme->weno && level == 2)
    verify_picture(&s, "sound_wave", "rho", 1 - amplitude, 1 + amplitude);
  verify_free(&s);
  return error;
}

typedef struct {
  double order, low, high; /* of the two finest grids */
  double error[3];         /* of the three waves on the finest grid, from oak; 0: by theory */
  double second[3];        /* by a second program, with 128 cells in 2D and 64 in 3D; 0: none */
} expected_t;

static void check_wave(verify_t *v, const char *name, double order, double error, double theory,
                       double measured, const expected_t *want) {
  verify_check(v, order, want->order, want->low, want->high,
               want->order == 5 ? "linear waves: order of the reconstruction"
                                : "second order, of which the limiter costs some at extrema",
               "%s: order", name);
  if (!isnan(theory))
    verify_check(v, error, theory, 0.98 * theory, 1.02 * theory,
                 "leading error term of fifth-order upwinding (derived in the case)",
                 "%s: error / amplitude", name);
  else if (measured > 0)
    verify_regression(v, error, measured, "%s: error / amplitude", name);
}

/* All waves on grids of 32 to 32 << last cells along x. */
static void converge(verify_t *v, FILE *table, int dim, const scheme_t *scheme, int last,
                     const expected_t *want) {
  char name[96];
  for (int wave = 0; wave < 3; wave++) {
    const double second = want->second[wave];
    const double off = scheme == &koren ? 0.02 : 0.002; /* rounding decides between its branches */
    double before = NAN, error = NAN, theory = NAN;
    for (int level = 0; level <= last; level++) {
      before = error;
      error = error_of(v, dim, wave, scheme, level);
      if (scheme->weno) theory = weno_theory(dim, wave, (dim == 2 ? sqrt(5) : 3) / (32 << level));
      if (second > 0 && level == (dim == 2 ? 2 : 1))
        verify_check(v, error, second, (1 - off) * second, (1 + off) * second,
                     "a second program: tests/verify/linear_wave_reference.py",
                     "%s wave, %dD, %s, %d cells: error / amplitude", waves[wave], dim,
                     scheme->limiter, 32 << level);
      verify_row(table, "%d;%s;%s;%d;%.6e;%.3f;%.6e", dim, waves[wave], scheme->limiter,
                 32 << level, error, verify_order(before, error, 2), theory);
    }
    snprintf(name, sizeof name, "%s wave, %dD, %s, %d cells", waves[wave], dim, scheme->limiter,
             32 << last);
    check_wave(v, name, verify_order(before, error, 2), error, theory, want->error[wave], want);
  }
}

/* What tests/verify/linear_wave_reference.py prints. */
#define SECOND_2D 1.6820e-2, 1.1585e-2, 7.8001e-3
#define SECOND_KOREN 4.7850e-3, 3.5464e-3, 2.3203e-3
#define SECOND_3D 6.4797e-2, 4.4799e-2, 3.0430e-2

static void run(verify_t *v) {
  FILE *table = verify_table(v, "errors", "dim;wave;limiter;cells;error;order;theory");
  if (v->full) {
    converge(v, table, 2, &vanleer, 4,
             &(expected_t){2, 1.95, 2.1, {1.057e-3, 7.18e-4, 4.84e-4}, {SECOND_2D}});
    converge(v, table, 2, &koren, 4,
             &(expected_t){2, 2.3, 2.5, {1.767e-4, 1.395e-4, 9.12e-5}, {SECOND_KOREN}});
    converge(v, table, 2, &weno, 2, &(expected_t){5, 4.85, 5.15, {3.72e-6}, {0}});
    converge(v, table, 3, &vanleer, 2,
             &(expected_t){2, 1.8, 1.9, {1.803e-2, 1.234e-2, 8.43e-3}, {SECOND_3D}});
    converge(v, table, 3, &weno, 1, &(expected_t){5, 4.9, 5.1, {1.107e-4}, {0}});
  } else {
    converge(v, table, 2, &vanleer, 2, &(expected_t){2, 1.8, 1.9, {0}, {SECOND_2D}});
    converge(v, table, 2, &weno, 1, &(expected_t){5, 4.9, 5.1, {1.193e-4}, {0}});
    converge(v, table, 3, &vanleer, 1, &(expected_t){2, 1.33, 1.43, {0}, {SECOND_3D}});
  }
  verify_close(table);
}

const verify_case_t verify_case_linear_waves = {
    .name = "linear_waves",
    .title = "Linear waves oblique to the grid",
    .source = "Gardiner, Stone 2005, 2008; Stone et al. 2008 (Athena); one period",
    .run = run};
