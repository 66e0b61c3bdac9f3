/* SPDX-License-Identifier: GPL-2.0-or-later
 * Limiters and fluxes against exact solutions: the shock tube of Sod, five Riemann problems of
 * Toro, smooth advection; the same in single precision. Errors are L1 norms over the length of the
 * domain.
 *
 * Limiters and fluxes are independent, so not all pairs are compiled: each limiter has one flux,
 * those of the usual schemes have all. $OAK_TEST_LONG: all pairs. */
// TEST timeout=240
// TEST name=openacc_@test@_np1 np=1 suite=all needs=openacc OAK_TEST_SHORT=1 OAK_TEST_DEVICE=openacc flags="-O1 -foffload=disable"
// TEST name=long_@test@ suite=long OAK_TEST_LONG=1
#include <float.h>

#include "verify/exact_riemann.h"
#include "solver_test.h"

typedef struct {
  const char *name;
  gas_t left, right;
  double position, end;
} tube_t;

static const tube_t sod = {"Sod", {1, 0, 1}, {0.125, 0, 0.1}, 0.5, 0.2};

static sim_t tube_new(const tube_t *t, int trees, const char *keys) {
  return sim_new(MPI_COMM_WORLD,
                 "problem.name=shock_tube\nphysics.gamma=1.4\nmesh.block_size=4\nmesh.trees=%d 1\n"
                 "mesh.xmax=1 %.17g\nboundary.xlow=outflow\nboundary.xhigh=outflow\n"
                 "problem.position=%g\nproblem.rho_left=%.17g\nproblem.u_left=%.17g\n"
                 "problem.p_left=%.17g\nproblem.rho_right=%.17g\nproblem.u_right=%.17g\n"
                 "problem.p_right=%.17g\nrun.cfl=0.4\nscheme.integrator=ssprk33\n"
                 "%s",
                 trees, 1.0 / trees, t->position, t->left.rho, t->left.u, t->left.p, t->right.rho,
                 t->right.u, t->right.p, keys);
}

enum { TREES = 24 }; /* 96 cells */

/** Error of the density, relative to the largest exact density; infinite if the run fails. */
static double tube_error(const tube_t *t, int trees, const char *keys) {
  const riemann_t exact = riemann_solve(1.4, t->left, t->right);
  double error = 0, largest = 0, count = 0;
  sim_t s = tube_new(t, trees, keys);
  MUST(oak_initialize(s.sim));
  while (t->end - oak_time(s.sim) > 1e-14) {
    const double dt = fmin(oak_time_step(s.sim), t->end - oak_time(s.sim));
    if (oak_advance(s.sim, dt) == OAK_OK) continue;
    report("%s: %s", t->name, oak_last_error());
    sim_free(&s);
    return INFINITY;
  }
  double *rho = sim_read(&s, 0);
  for (int b = 0; b < oak_nblocks(s.sim); b++)
    for (int c = 0; c < s.cells; c++) {
      double x[3];
      sim_center(&s, b, c, x);
      const double want = riemann_sample(&exact, (x[0] - t->position) / t->end).rho;
      error += fabs(rho[b * s.cells + c] - want);
      largest = fmax(largest, want);
      count++;
    }
  free(rho);
  error = sum_ranks(s.comm, error) / sum_ranks(s.comm, count) / max_ranks(s.comm, largest);
  sim_free(&s);
  return error;
}

/* ---- Sod's tube */

/* Kernels of many runs are worth the time to compile them. */
#define USUAL "device.flags=-O1\n"

enum { FLUXES = 4, LIMITERS = 8, VANLEER = 4, WENO5 = 7 };
static const char *const fluxes[FLUXES] = {"rusanov", "hll", "hllc", "roe"};
typedef struct {
  const char *name;
  double bound[FLUXES]; /* some 5 % above what was measured */
} limiter_t;
static const limiter_t limiters[LIMITERS] = {
    {"upwind", {0.0283, 0.0232, 0.0223, 0.0218}},
    {"minmod", {0.0102, 0.0084, 0.0081, 0.0079}},
    {"mc", {0.0071, 0.0054, 0.0051, 0.0046}},
    {"gminmod_theta", {0.0073, 0.0057, 0.0054, 0.0050}},
    {"vanleer", {0.0075, 0.0059, 0.0056, 0.0052}},
    {"koren", {0.0068, 0.0054, 0.0052, 0.0048}},
    {"weno3", {0.0092, 0.0077, 0.0075, 0.0072}},
    {"weno5", {0.0062, 0.0051, 0.0049, 0.0049}},
};

static void test_sod(void **state) {
  (void)state;
  for (int l = 0; l < LIMITERS; l++) {
    double error[FLUXES] = {0};
    const int usual = l == VANLEER || l == WENO5;
    for (int f = 0; f < FLUXES; f++) {
      char keys[100];
      if (f != l % FLUXES && !test_long() && (test_short() || !usual)) continue;
      snprintf(keys, sizeof keys, "scheme.limiter=%s\nscheme.flux=%s\n%s", limiters[l].name,
               fluxes[f], usual ? USUAL : "");
      error[f] = tube_error(&sod, TREES, keys);
    }
    report("Sod, 96 cells, %s: rusanov %.6f, hll %.6f, hllc %.6f, roe %.6f (0: left out)",
           limiters[l].name, error[0], error[1], error[2], error[3]);
    for (int f = 0; f < FLUXES; f++) assert_true(error[f] < limiters[l].bound[f]);
  }
}

/** The Roe-averaged speeds alone make a narrower fan, which is as good here. */
static void test_wave_speeds(void **state) {
  (void)state;
  for (int f = 1; f < 3; f++) {
    char keys[100];
    snprintf(keys, sizeof keys, "scheme.wave_speeds=roe\nscheme.flux=%s\n", fluxes[f]);
    const double error = tube_error(&sod, TREES, keys);
    report("Sod, 96 cells, vanleer, %s with Roe's wave speeds: %.6f", fluxes[f], error);
    assert_true(error < limiters[VANLEER].bound[f]);
  }
}

/* ---- Rusanov's flux */

/** Beside a contact at rest the flux of mass is c/2 times the jump of the density, with the larger
 * sound speed of both sides, whatever the speeds of the other solvers are. One step of first order
 * shows it. */
static void test_rusanov(void **state) {
  (void)state;
  static const tube_t contact = {"contact", {1, 0, 1}, {4, 0, 1}, 0.5, 1};
  for (int roe = 0; roe < 2; roe++) {
    char keys[160];
    snprintf(keys, sizeof keys,
             "scheme.limiter=upwind\nscheme.flux=rusanov\nscheme.integrator=euler\n"
             "scheme.wave_speeds=%s\n" USUAL,
             roe ? "roe" : "einfeldt");
    sim_t s = tube_new(&contact, 1, keys);
    const double dt = 0.01, dx = 0.25;
    MUST(oak_initialize(s.sim));
    MUST(oak_advance(s.sim, dt));
    double *rho = sim_read(&s, 0), mass = 0;
    for (int c = 0; c < s.cells; c++) {
      double x[3];
      sim_center(&s, 0, c, x);
      if (x[0] < 0.5) mass += (rho[c] - 1) / 4; /* four rows */
    }
    free(rho);
    const double want = dt / dx * 0.5 * sqrt(1.4) * 3;
    report("Rusanov's flux, a contact at rest, error of its mass %.2g", mass / want - 1);
    assert_true(fabs(mass / want - 1) < 1e-13);
    sim_free(&s);
  }
}

/** Means over the cube that AGILE 1.0 prints in its regression test hd/KH3D. Its first ten steps
 * are shorter. */
static void test_shear(void **state) {
  (void)state;
  sim_t s = sim_new(MPI_COMM_WORLD,
                    TEST_PROBLEM("shear") "physics.gamma=5/3\nmesh.dim=3\nmesh.block_size=16\n"
                                          "mesh.trees=2\nrun.cfl=0.7\nscheme.flux=rusanov\n"
                                          "scheme.limiter=vanleer\nscheme.integrator=ssprk33\n");
  MUST(oak_initialize(s.sim));
  sim_run(&s, 0.1, 0);
  double mean[2] = {0};
  for (int n = 0; n < 2; n++) {
    double *u = sim_read(&s, n ? 0 : 3); /* mz, rho */
    for (int c = 0; c < oak_nblocks(s.sim) * s.cells; c++) mean[n] += u[c] * u[c] / 32768;
    free(u);
  }
  report("shear layers: mean of mz^2 %.9e, of rho^2 %.9e", mean[0], mean[1]);
  assert_true(fabs(mean[0] / 3.05164970e-4 - 1) < 3e-4);
  assert_true(fabs(mean[1] / 47.6561859 - 1) < 2e-5);
  sim_free(&s);
}

/* ---- Toro's problems: table 4.1 of his book, positions and times of section 6.4 */

static const tube_t toro[] = {
    {"Toro 1", {1, 0.75, 1}, {0.125, 0, 0.1}, 0.3, 0.2},
    {"Toro 2", {1, -2, 0.4}, {1, 2, 0.4}, 0.5, 0.15},
    {"Toro 3", {1, 0, 1000}, {1, 0, 0.01}, 0.5, 0.012},
    {"Toro 4", {5.99924, 19.5975, 460.894}, {5.99242, -6.19633, 46.0950}, 0.4, 0.035},
    {"Toro 5", {1, -19.59745, 1000}, {1, -19.59745, 0.01}, 0.8, 0.012},
};

/** Star values that Toro prints in table 4.2. */
static void test_exact(void **state) {
  (void)state;
  static const double p[5] = {0, 0.00189, 460.894, 1691.64, 460.894};
  static const double u[5] = {0, 0, 19.5975, 8.68975, 0};
  for (int n = 1; n < 5; n++) {
    const riemann_t r = riemann_solve(1.4, toro[n].left, toro[n].right);
    assert_true(fabs(r.p - p[n]) < 6e-6 * fmax(1, p[n]));
    assert_true(fabs(r.u - u[n]) < 1e-4);
  }
}

static void test_toro(void **state) {
  (void)state;
  static const char *const limiter[2] = {"vanleer", "weno5"};
  static const double bound[2][5] = {{0.0075, 0.0074, 0.0249, 0.0156, 0.0223},
                                     {0.0067, 0.0070, 0.0197, 0.0145, 0.0192}};
  for (int l = 0; l < 2; l++)
    for (int n = 0; n < 5; n++) {
      double error[2];
      for (int f = 0; f < 2; f++) {
        char keys[100];
        snprintf(keys, sizeof keys, "scheme.limiter=%s\nscheme.flux=%s\n" USUAL, limiter[l],
                 fluxes[f + 1]);
        error[f] = tube_error(&toro[n], TREES, keys);
      }
      report("%s, 96 cells, %s: hll %.5f, hllc %.5f", toro[n].name, limiter[l], error[0], error[1]);
      assert_true(error[0] < bound[l][n] && error[1] < bound[l][n]);
    }
}

/* ---- smooth advection */

/** Average of 1 + sin(2 pi x)/2 over a cell of width dx. */
static double wave_average(double x, double dx) {
  const double k = 6.283185307179586;
  return 1 + 0.5 * sin(k * x) * sin(0.5 * k * dx) / (0.5 * k * dx);
}

/** L1 error after the wave has gone through the periodic domain once, with averages compared to
 * averages. So many steps need -O1. The step shrinks like dx^(5/4), so that the fourth order of rk4
 * in time is the fifth in dx. */
static double wave_error(const char *limiter, int trees) {
  sim_t s = sim_new(MPI_COMM_WORLD,
                    "problem.name=advection\nphysics.name=advection\nphysics.vy=0\n"
                    "mesh.block_size=4\nmesh.trees=%d 1\nmesh.xmax=1 %.17g\n"
                    "scheme.integrator=rk4\nscheme.limiter=%s\ndevice.flags=-O1\n",
                    trees, 1.0 / trees, limiter);
  const double dx = 0.25 / trees;
  const int steps = (int)ceil(1 / (0.5 * dx * pow(16 * dx, 0.25)));
  double error = 0;
  MUST(oak_initialize(s.sim));
  double *u = sim_read(&s, 0);
  for (int turn = 0; turn < 2; turn++) {
    if (turn == 1) MUST(oak_read_cells(s.sim, 0, 0, oak_nblocks(s.sim), u));
    for (int b = 0; b < oak_nblocks(s.sim); b++)
      for (int c = 0; c < s.cells; c++) {
        double x[3];
        sim_center(&s, b, c, x);
        if (turn == 0) u[b * s.cells + c] = wave_average(x[0], dx);
        error += turn * fabs(u[b * s.cells + c] - wave_average(x[0], dx)) * sim_volume(&s, b);
      }
    if (turn == 1) break;
    MUST(oak_write_cells(s.sim, 0, 0, oak_nblocks(s.sim), u));
    for (int n = 0; n < steps; n++) MUST(oak_advance(s.sim, 1.0 / steps));
  }
  free(u);
  error = sum_ranks(s.comm, error) * trees; /* over the height 1/trees */
  sim_free(&s);
  return error;
}

static void test_smooth(void **state) {
  (void)state;
  static const struct {
    const char *limiter;
    int trees;
    double low, high;
  } cases[] = {{"weno5", 4, 4.7, 5.3}, {"weno3", 16, 2.5, 3.2}, {"koren", 16, 2.1, 3}};
  for (int n = 0; n < (test_short() ? 1 : 3); n++) {
    double error[3];
    for (int i = 0; i < 3; i++) error[i] = wave_error(cases[n].limiter, cases[n].trees << i);
    const double first = log2(error[0] / error[1]), order = log2(error[1] / error[2]);
    report("%s, rk4, %d to %d cells: L1 errors %.3e, %.3e, %.3e, orders %.2f, %.2f",
           cases[n].limiter, 4 * cases[n].trees, 16 * cases[n].trees, error[0], error[1], error[2],
           first, order);
    assert_true(order > cases[n].low && order < cases[n].high);
  }
}

/* ---- single precision */

/** Largest difference of Sod's tube from double precision, in units of the rounding error. */
static void test_single(void **state) {
  (void)state;
  for (int l = 0; l < LIMITERS; l++) {
    double *u[2], most = 0;
    if (test_short() && l != WENO5) continue;
    sim_t s[2];
    for (int p = 0; p < 2; p++) {
      char keys[100];
      snprintf(keys, sizeof keys, "scheme.limiter=%s\nscheme.flux=%s\nscheme.precision=%s\n",
               limiters[l].name, fluxes[l % 4], p ? "single" : "double");
      s[p] = tube_new(&sod, TREES, keys);
      MUST(oak_initialize(s[p].sim));
    }
    while (oak_time(s[0].sim) < 0.2) {
      const double dt = oak_time_step(s[0].sim);
      for (int p = 0; p < 2; p++) MUST(oak_advance(s[p].sim, dt));
    }
    for (int v = 0; v < s[0].nvar; v++) {
      for (int p = 0; p < 2; p++) u[p] = sim_read(&s[p], s[p].nvar + v);
      for (int c = 0; c < oak_nblocks(s[0].sim) * s[0].cells; c++)
        most = worse(most, fabs(u[1][c] - u[0][c]) / FLT_EPSILON);
      for (int p = 0; p < 2; p++) free(u[p]);
    }
    most = max_ranks(MPI_COMM_WORLD, most);
    report("Sod in single precision, %s, %s: largest difference from double %.1f epsilon",
           limiters[l].name, fluxes[l % 4], most);
    assert_true(most < 50);
    for (int p = 0; p < 2; p++) sim_free(&s[p]);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_exact),   cmocka_unit_test(test_sod),
      cmocka_unit_test(test_smooth),  cmocka_unit_test(test_single),
      cmocka_unit_test(test_rusanov), cmocka_unit_test(test_shear),
      cmocka_unit_test(test_toro),    cmocka_unit_test(test_wave_speeds)};
  const size_t left_out = test_short() ? 2 : 0;
  return test_main(argc, argv, tests, sizeof tests / sizeof *tests - left_out);
}
