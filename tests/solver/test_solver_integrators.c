/* SPDX-License-Identifier: GPL-2.0-or-later
 * Time integration: the order of each scheme on an equation without derivatives
 * in space, and the conservation of mass, momentum and energy over many steps,
 * in double and single precision. */
// TEST timeout=120 flags=-O1
#include <float.h>

#include "solver_test.h"

typedef struct {
  const char *name;
  int order;
  double drift; /* bound of the change of totals, in units of the rounding error */
} integrator_t;

static const integrator_t integrators[] = {
    {"heun", 2, 2},     {"euler", 1, 2},    {"midpoint", 2, 2}, {"ssprk22", 2, 2},
    {"ssprk33", 3, 16}, {"ssprk43", 3, 16}, {"rk4", 4, 16},
};
enum { COUNT = sizeof integrators / sizeof *integrators };

/** Largest error at t = 2 after so many equal steps. */
static double relax(const char *name, int steps) {
  double most = 0;
  sim_t s = sim_new(
      MPI_COMM_WORLD,
      TEST_PROBLEM("relaxation") "physics.name=advection\nphysics.vx=0\n"
                                 "physics.vy=0\nmesh.block_size=4\n"
                                 "scheme.limiter=upwind\nscheme.integrator=%s\n",
      name);
  MUST(oak_initialize(s.sim));
  for (int n = 0; n < steps; n++) MUST(oak_advance(s.sim, 2.0 / steps));
  double *u = sim_read(&s, 0);
  for (int c = 0; c < oak_nblocks(s.sim) * s.cells; c++)
    most = worse(most, fabs(u[c] - 1 / (2 + sin(2))));
  free(u);
  sim_free(&s);
  return max_ranks(MPI_COMM_WORLD, most);
}

static void test_order(void **state) {
  (void)state;
  for (int n = 0; n < COUNT; n++) {
    const integrator_t *i = &integrators[n];
    const double coarse = relax(i->name, 40), fine = relax(i->name, 80);
    const double order = log2(coarse / fine);
    report("%s: errors %.3e, %.3e with 40 and 80 steps, order %.3f", i->name, coarse, fine, order);
    assert_true(fabs(order - i->order) < 0.15);
  }
}

/** The order of a source that reads a global, which is computed in each step or in each stage. */
static double order_of_globals(const char *when) {
  double error[2];
  for (int finer = 0; finer < 2; finer++) {
    sim_t s = sim_new(MPI_COMM_WORLD,
                      TEST_PROBLEM("mean") "physics.name=advection\nphysics.vx=0\nphysics.vy=0\n"
                                           "mesh.block_size=4\nscheme.limiter=upwind\n"
                                           "scheme.globals=%s\n",
                      when);
    MUST(oak_initialize(s.sim));
    for (int n = 0; n < 20 << finer; n++) MUST(oak_advance(s.sim, 1.0 / (20 << finer)));
    double *u = sim_read(&s, 0);
    error[finer] = fabs(u[0] - 0.5);
    free(u);
    sim_free(&s);
  }
  report("globals of each %s: errors %.2e, %.2e", when, error[0], error[1]);
  return log2(error[0] / error[1]);
}

static void test_globals(void **state) {
  (void)state;
  assert_true(fabs(order_of_globals("step") - 1) < 0.1);
  assert_true(fabs(order_of_globals("stage") - 2) < 0.1);
}

/** Largest change of a total over so many steps, in units of the rounding
 * error: relative to the integral of the absolute value. The mesh is refined
 * around the blob and stays: fluxes are fixed. */
static double drift(const char *name, const char *precision, double epsilon, int steps) {
  double start[TEST_MAX_NVAR], end[TEST_MAX_NVAR], most = 0;
  int lowest, highest;
  sim_t s = sim_new(
      MPI_COMM_WORLD,
      TEST_PROBLEM(
          "waves") "mesh.block_size=8\nmesh.min_level=1\nmesh.max_level=4\n"
                   "refine.criterion=lohner\nrefine.c_refine=0.3\n"
                   "refine.c_derefine=0.1\nrefine.variable=rho E\n"
                   "run.cfl=0.3\nscheme.limiter=minmod\n"
                   "scheme.integrator=%s\nscheme.precision=%s\n",
      name, precision);
  MUST(oak_initialize(s.sim));
  sim_levels(&s, &lowest, &highest);
  assert_true(lowest < highest);
  MUST(oak_totals(s.sim, start));
  for (int n = 0; n < steps; n++) MUST(oak_advance(s.sim, oak_time_step(s.sim)));
  MUST(oak_totals(s.sim, end));
  for (int v = 0; v < s.nvar; v++) {
    double *u = sim_read(&s, v), scale = 0;
    for (int b = 0; b < oak_nblocks(s.sim); b++)
      for (int c = 0; c < s.cells; c++) scale += fabs(u[b * s.cells + c]) * sim_volume(&s, b);
    free(u);
    most = worse(most, fabs(end[v] - start[v]) / sum_ranks(s.comm, scale) / epsilon);
  }
  sim_free(&s);
  return most;
}

/** Weights that add up to one leave random rounding errors. Products with 1/3
 * and 2/3 are rounded in one direction a little more often, which adds some
 * 0.01 to 0.035 epsilon a step; weights of which the sum is one only before
 * rounding would add 0.25. */
static void test_conservation(void **state) {
  (void)state;
  for (int n = 0; n < COUNT; n++) {
    const double twice = drift(integrators[n].name, "double", DBL_EPSILON, 300);
    const double once = test_short() ? 0 : drift(integrators[n].name, "single", FLT_EPSILON, 300);
    report(
        "%s, 300 steps: totals change by %.2f epsilon in double, %.2f in "
        "single precision",
        integrators[n].name, twice, once);
    assert_true(twice < integrators[n].drift);
    assert_true(once < integrators[n].drift);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_order), cmocka_unit_test(test_globals),
                                     cmocka_unit_test(test_conservation)};
  return TEST_MAIN(tests);
}
