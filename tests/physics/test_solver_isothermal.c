/* SPDX-License-Identifier: GPL-2.0-or-later
 * Isothermal gas: shock tubes against the exact solution of the Riemann problem, and a sound wave
 * oblique to the grid, whose error falls with the order of the reconstruction. */
// TEST np=2 timeout=120 flags=-O1
#include "solver_test.h"

/* ---- the exact solution: R. J. LeVeque, Finite Volume Methods for Hyperbolic Problems, section
 * 13.8: the velocity that a wave from state (rho0, u0) has at density rho, speed of sound 1 */
static double wave(double rho, double rho0) {
  return rho > rho0 ? (rho - rho0) / sqrt(rho * rho0) : log(rho / rho0);
}

typedef struct {
  double rho[2], u[2]; /* left, right */
} tube_t;

/** Density at speed x/t. */
static double exact(const tube_t *w, double s) {
  double low = 1e-6, high = 1e6;
  for (int i = 0; i < 200;
       i++) { /* both waves together accelerate less, the denser the middle is */
    const double mid = sqrt(low * high);
    if (w->u[0] - wave(mid, w->rho[0]) > w->u[1] + wave(mid, w->rho[1]))
      low = mid;
    else
      high = mid;
  }
  const double rho = low, u = w->u[0] - wave(rho, w->rho[0]);
  const int right = s > u;
  const double sign = right ? -1 : 1, u0 = sign * w->u[right], rho0 = w->rho[right];
  s *= sign; /* the right wave is a mirror image of a left one */
  if (rho > rho0) return s < u0 - sqrt(rho / rho0) ? rho0 : rho;
  if (s < u0 - 1) return rho0;
  return s > sign * u - 1 ? rho : rho0 * exp(u0 - 1 - s);
}

/** L1 error of the density over its largest value, with `blocks` blocks along the tube. */
static double tube_error(const tube_t *w, const char *flux, int blocks) {
  double sum = 0;
  sim_t s = sim_new(MPI_COMM_WORLD,
                    "physics.name=isothermal\nproblem.name=shock_tube\nmesh.block_size=8\n"
                    "mesh.trees=%d 1\nmesh.xmax=1 1\nmesh.max_level=0\nboundary.xlow=outflow\n"
                    "boundary.xhigh=outflow\nscheme.flux=%s\nproblem.rho_left=%g\n"
                    "problem.rho_right=%g\nproblem.u_left=%g\nproblem.u_right=%g\nrun.cfl=0.4\n",
                    blocks, flux, w->rho[0], w->rho[1], w->u[0], w->u[1]);
  MUST(oak_initialize(s.sim));
  sim_run(&s, 0.2, 0);
  double *rho = sim_read(&s, 0);
  for (int b = 0; b < oak_nblocks(s.sim); b++)
    for (int c = 0; c < s.cells; c++) {
      double x[3];
      sim_center(&s, b, c, x);
      sum += fabs(rho[b * s.cells + c] - exact(w, (x[0] - 0.5) / 0.2)) * sim_volume(&s, b);
    }
  free(rho);
  sim_free(&s);
  return sum_ranks(MPI_COMM_WORLD, sum) / fmax(w->rho[0], w->rho[1]);
}

static void test_tubes(void **state) {
  (void)state;
  static const tube_t tubes[] = {{{1, 0.125}, {0, 0}},  /* rarefaction and shock */
                                 {{1, 0.5}, {1, -1.5}}, /* two shocks */
                                 {{1, 0.3}, {-1, 1}}};  /* two rarefactions */
  static const char *const name[] = {"rarefaction and shock", "two shocks", "two rarefactions"};
  static const double bound[] = {0.0034, 0.0124, 0.0037};
  for (int n = 0; n < 3; n++) {
    const double coarse = tube_error(&tubes[n], "hllc", 16),
                 fine = tube_error(&tubes[n], "hllc", 64);
    report("%s: L1 error %.5f with 128 cells, %.5f with 512, order %.2f", name[n], coarse, fine,
           log2(coarse / fine) / 2);
    assert_true(coarse < bound[n]);
    assert_true(log2(coarse / fine) / 2 > 0.7);
  }
}

/** Error of a sound wave after one period, in its amplitude, with 32 << level cells along x. */
static double wave_error(int level) {
  const double amplitude = 1e-7, n[2] = {1 / sqrt(5), 2 / sqrt(5)};
  double sum = 0;
  sim_t s =
      sim_new(MPI_COMM_WORLD,
              "physics.name=isothermal\nproblem.name=linear_wave\nmesh.block_size=8\n"
              "mesh.trees=2 1\nmesh.xmax=2.2360679774997896 1.1180339887498948\n"
              "problem.amplitude=%g\nmesh.min_level=%d\nmesh.max_level=%d\n"
              "scheme.flux=hllc\nscheme.limiter=weno5\nscheme.integrator=rk4\nrun.cfl=%.17g\n",
              amplitude, level + 1, level + 1, 0.4 * pow(0.5, 0.25 * level));
  MUST(oak_initialize(s.sim));
  double *before = sim_read(&s, 0);
  sim_run(&s, 1, 0);
  double *after = sim_read(&s, 0), *mx = sim_read(&s, 1), *my = sim_read(&s, 2);
  for (int c = 0; c < oak_nblocks(s.sim) * s.cells; c++) {
    sum += fabs(after[c] - before[c]);
    /* A sound wave has rho' = rho u'. */
    sum += fabs(mx[c] * n[0] + my[c] * n[1] - (before[c] - 1));
  }
  sum = sum_ranks(MPI_COMM_WORLD, sum) / (double)(oak_nblocks_global(s.sim) * s.cells);
  free(before);
  free(after);
  free(mx);
  free(my);
  sim_free(&s);
  return sum / amplitude;
}

static void test_wave(void **state) {
  (void)state;
  const double coarse = wave_error(0), fine = wave_error(1), order = log2(coarse / fine);
  report("sound wave, weno5: errors %.3e and %.3e of the amplitude, order %.2f", coarse, fine,
         order);
  assert_true(order > 4.7 && order < 5.3);
  assert_true(fine < 2e-3);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_tubes), cmocka_unit_test(test_wave)};
  return TEST_MAIN(tests);
}
