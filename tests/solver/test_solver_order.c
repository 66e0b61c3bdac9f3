/* SPDX-License-Identifier: GPL-2.0-or-later
 * Orders of convergence for smooth advection on uniform grids (paper, section "Convergence
 * testing"): a Gaussian crosses the periodic square; near second order with van Leer and Heun,
 * first order with upwind and Euler. */
// TEST np={1,2} timeout=300 flags=default
#include "solver_test.h"

/** exp(-d^2/R^2) around the moved centre; d to the nearest periodic image. */
static double exact(const sim_t *s, const double x[3], double t) {
  const double R = 0.1;
  double d2 = 0;
  for (int d = 0; d < s->dim; d++) {
    double from = x[d] - 0.5 - t;
    from -= round(from);
    d2 += from * from;
  }
  return exp(-d2 / (R * R));
}

/** L1 and L2 errors at time `end` with 16 * 2^level cells along each axis. */
static void errors(int dim, int level, double end, const char *keys, double *l1, double *l2) {
  sim_t s = sim_new(MPI_COMM_WORLD,
                    "physics.name=advection\nproblem.name=advection\nproblem.shape=gaussian\n"
                    "mesh.dim=%d\nmesh.block_size=16\nmesh.min_level=%d\nmesh.max_level=%d\n"
                    "run.cfl=0.5\n%s",
                    dim, level, level, keys);
  MUST(oak_initialize(s.sim));
  sim_run(&s, end, 0);
  double *u = sim_read(&s, 0), sum1 = 0, sum2 = 0;
  for (int b = 0; b < oak_nblocks(s.sim); b++)
    for (int c = 0; c < s.cells; c++) {
      double x[3];
      sim_center(&s, b, c, x);
      const double error = fabs(u[b * s.cells + c] - exact(&s, x, oak_time(s.sim)));
      sum1 += error * sim_volume(&s, b);
      sum2 += error * error * sim_volume(&s, b);
    }
  *l1 = sum_ranks(s.comm, sum1);
  *l2 = sqrt(sum_ranks(s.comm, sum2));
  free(u);
  sim_free(&s);
}

/** Orders between the finest two of three grids must lie in the given ranges. */
static void order(int dim, int finest, double end, const char *name, const char *keys,
                  const double range1[2], const double range2[2]) {
  double l1[3], l2[3], p1 = 0, p2 = 0;
  for (int i = 0; i < 3; i++) {
    errors(dim, finest - 2 + i, end, keys, &l1[i], &l2[i]);
    if (i == 0) continue;
    p1 = log2(l1[i - 1] / l1[i]);
    p2 = log2(l2[i - 1] / l2[i]);
    report("%dD, %s, %d to %d cells, t = %g: L1 %.3e order %.2f, L2 %.3e order %.2f", dim, name,
           16 << (finest - 3 + i), 16 << (finest - 2 + i), end, l1[i], p1, l2[i], p2);
  }
  assert_true(p1 > range1[0] && p1 < range1[1]);
  assert_true(p2 > range2[0] && p2 < range2[1]);
}

static void test_second(void **state) {
  (void)state;
  const double range1[2] = {1.8, 2.2}, range2[2] = {1.6, 2.0};
  order(2, 4, 1, "van Leer, Heun", "", range1, range2);
}

static void test_first(void **state) {
  (void)state;
  const double range[2] = {0.85, 1.1};
  if (test_short()) SKIP_CASE("OAK_TEST_SHORT");
  order(2, 5, 0.1, "upwind, Euler", "scheme.limiter=upwind\nscheme.integrator=euler\n", range,
        range);
}

static void test_octree(void **state) {
  (void)state;
  const double range1[2] = {1.7, 2.2}, range2[2] = {1.6, 2.0}; /* coarser grids */
  order(3, 3, 0.1, "van Leer, Heun", "", range1, range2);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_second), cmocka_unit_test(test_first),
                                     cmocka_unit_test(test_octree)};
  return TEST_MAIN(tests);
}
