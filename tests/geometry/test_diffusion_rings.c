// SPDX-License-Identifier: GPL-2.0-or-later
// TEST np={1,3} timeout=120 flags=-O1
/* Diffusive fluxes in (r, z): Bessel modes of a scalar and of all components of the velocity decay
 * with the exact rates and second order, with the axis in the domain, also where levels meet;
 * totals; super time stepping; the flow between rotating cylinders. */
#include "solver_test.h"

#define RINGS                                                                                \
  "mesh.coordinates=axisymmetric\nmesh.block_size=8\nmesh.trees=1 1\nmesh.xmin=0 0\n"        \
  "mesh.xmax=1 1\nboundary.ylow=periodic\nboundary.yhigh=periodic\nscheme.limiter=vanleer\n" \
  "run.cfl=0.4\n"
#define HEAT TEST_PROBLEM("ring_heat") "physics.name=advection\nphysics.vx=0\nphysics.vy=0\n" RINGS
#define FLOW TEST_PROBLEM("ring_flow") "physics.name=navier_stokes\nphysics.nu=0.1\n" RINGS

static const double k = 3.8317059702075125;

typedef double (*exact_t)(int v, const double x[3], double time);

/* Mean errors by volume of `count` variables from `first` on. */
static void find_errors(const sim_t *s, int first, int count, exact_t exact, double error[]) {
  for (int v = 0; v < count; v++) {
    double *u = sim_read(s, first + v), x[3];
    error[v] = 0;
    for (int c = 0; c < oak_nblocks(s->sim) * s->cells; c++) {
      sim_center(s, c / s->cells, c % s->cells, x);
      error[v] +=
          2 * x[0] * sim_volume(s, c / s->cells) * fabs(u[c] - exact(v, x, oak_time(s->sim)));
    }
    free(u);
    error[v] = sum_ranks(s->comm, error[v]);
  }
}

static double heat_exact(int v, const double x[3], double time) {
  (void)v;
  const double rate = 0.1 * (k * k + 4 * M_PI * M_PI);
  return 1 + 0.5 * exp(-rate * time) * j0(k * x[0]) * cos(2 * M_PI * x[1]);
}

/* Momentum along r, z and phi; the density changes by less than 1e-6. */
static double flow_exact(int v, const double x[3], double time) {
  const double rate = 0.1 * (k * k + 4 * M_PI * M_PI), z = 2 * M_PI * x[1];
  const double fast = 1e-6 * exp(-4 * rate / 3 * time), slow = 1e-6 * exp(-rate * time);
  return v == 0   ? -fast * k * j1(k * x[0]) * cos(z)
         : v == 1 ? -fast * 2 * M_PI * j0(k * x[0]) * sin(z)
                  : slow * j1(k * x[0]) * cos(z);
}

static double run(const char *what, const char *more, int level, int refined, int first, int count,
                  exact_t exact, double error[]) {
  double start[8], end[8];
  sim_t s = sim_new(MPI_COMM_WORLD, "%s%smesh.min_level=%d\nmesh.max_level=%d\nproblem.fine=%d\n",
                    what, more, level, level + refined, level + refined);
  MUST(oak_initialize(s.sim));
  MUST(oak_totals(s.sim, start));
  sim_run(&s, 0.01, 0);
  MUST(oak_totals(s.sim, end));
  find_errors(&s, first, count, exact, error);
  report("levels %d to %d, %ld steps: total changes by %.1e", level, level + refined,
         oak_step(s.sim), end[0] / start[0] - 1);
  sim_free(&s);
  return fabs(end[0] / start[0] - 1);
}

static void test_heat(void **state) {
  (void)state;
  for (int refined = 0; refined < 2; refined++) {
    double error[2];
    for (int finer = 0; finer < 2; finer++)
      assert_true(run(HEAT, "boundary.xhigh=reflect\n", 2 + finer, refined, 0, 1, heat_exact,
                      &error[finer]) < 4e-15);
    report("Bessel mode: errors %.2e, %.2e, order %.2f", error[0], error[1],
           log2(error[0] / error[1]));
    assert_true(log2(error[0] / error[1]) > 1.9);
  }
}

static void test_super(void **state) {
  (void)state;
  double error[2];
  for (int rkl = 0; rkl < 2; rkl++)
    (void)run(HEAT,
              rkl ? "boundary.xhigh=reflect\nscheme.diffusion=rkl2\nrun.dt_max=1e-3\n"
                  : "boundary.xhigh=reflect\n",
              2, 1, 0, 1, heat_exact, &error[rkl]);
  report("explicit %.2e, rkl2 %.2e", error[0], error[1]);
  assert_true(error[1] < 1.1 * error[0]);
}

static void test_flow(void **state) {
  (void)state;
  for (int refined = 0; refined < 2; refined++) {
    double error[2][3];
    for (int finer = 0; finer < 2; finer++)
      run(FLOW, "boundary.xhigh=user\n", 2 + finer, refined, 1, 3, flow_exact, error[finer]);
    for (int v = 0; v < 3; v++) {
      report("velocity along %s: errors %.2e, %.2e of 1e-6, order %.2f",
             v == 0   ? "r"
             : v == 1 ? "z"
                      : "phi",
             error[0][v], error[1][v], log2(error[0][v] / error[1][v]));
    }
  }
}

/* Cylinders that turn against each other set gas at rest in motion. With a constant mu, the profile
 * A r + B / r at the end does not depend on the density. */
static double couette_exact(int v, const double x[3], double time) {
  (void)v, (void)time;
  return -4.0 / 3 * x[0] + 7.0 / 3 / x[0];
}

static void test_couette(void **state) {
  (void)state;
  double error[2];
  for (int finer = 0; finer < 2; finer++) {
    sim_t s = sim_new(MPI_COMM_WORLD,
                      "problem.name=taylor_couette\nphysics.name=navier_stokes\nphysics.mu=1\n"
                      "physics.prandtl=0.7\nproblem.outer=-1.5\nproblem.rest=1\nproblem.seed=0\n"
                      "problem.mach=0.1\nscheme.diffusion=rkl2\nscheme.flux=hllc\n" RINGS
                      "mesh.xmin=1 0\nmesh.xmax=2 1\nboundary.xlow=user\nboundary.xhigh=user\n"
                      "mesh.min_level=%d\nmesh.max_level=%d\n",
                      finer, finer);
    MUST(oak_initialize(s.sim));
    sim_run(&s, 0.8, 0);
    double *rho = sim_read(&s, 0), *m = sim_read(&s, 3), x[3];
    error[finer] = 0;
    for (int c = 0; c < oak_nblocks(s.sim) * s.cells; c++) {
      sim_center(&s, c / s.cells, c % s.cells, x);
      error[finer] = worse(error[finer], fabs(m[c] / rho[c] - couette_exact(0, x, 0)));
    }
    free(rho);
    free(m);
    error[finer] = max_ranks(s.comm, error[finer]);
    sim_free(&s);
  }
  report("rotating cylinders: largest errors of v_phi %.2e, %.2e, order %.2f", error[0], error[1],
         log2(error[0] / error[1]));
  assert_true(log2(error[0] / error[1]) > 1.8);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_heat), cmocka_unit_test(test_super),
                                     cmocka_unit_test(test_flow), cmocka_unit_test(test_couette)};
  return TEST_MAIN(tests);
}
