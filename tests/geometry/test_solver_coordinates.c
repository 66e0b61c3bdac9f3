/* SPDX-License-Identifier: GPL-2.0-or-later
 * Axisymmetric coordinates: a gas at rest stays at rest, totals are conserved while the mesh
 * adapts, exact solutions are reached with second order, on the axis too. */
// TEST np={1,3} timeout=300 flags=-O2
#include "solver_test.h"

#define RINGS                                                                            \
  TEST_PROBLEM("rings")                                                                  \
  "physics.name=euler\nmesh.coordinates=axisymmetric\nmesh.block_size=8\nmesh.theta=1\n" \
  "mesh.trees=1 1\nmesh.xmin=0 -0.5\nmesh.xmax=1 0.5\nboundary.xlow=reflect\n"           \
  "boundary.xhigh=reflect\nboundary.ylow=reflect\nboundary.yhigh=reflect\n"
#define OPEN "boundary.xhigh=user\nboundary.ylow=user\nboundary.yhigh=user\n"

/** 2 pi r of cell c of a block. */
static double ring(const sim_t *s, int block, int c) {
  double x[3];
  sim_center(s, block, c, x);
  return 2 * acos(-1) * x[0];
}

/** The largest of a variable's values, without sign. */
static double largest(const sim_t *s, int variable) {
  double *u = sim_read(s, variable), most = 0;
  for (int i = 0; i < oak_nblocks(s->sim) * s->cells; i++) most = worse(most, fabs(u[i]));
  free(u);
  return max_ranks(s->comm, most);
}

/* Pressure at faces that differ in area by a factor of up to infinity, on three levels. */
static void test_rest(void **state) {
  static const char *const domain[] = {"", "mesh.xmin=0.3 -0.5\nmesh.xmax=1.3 0.5\n",
                                       "scheme.on_invalid=first_order\nscheme.limiter=weno5\n"};
  (void)state;
  for (int n = 0; n < (test_short() ? 1 : 3); n++) {
    int low, high;
    sim_t s = sim_new(MPI_COMM_WORLD,
                      RINGS "problem.fine=1\nmesh.min_level=2\nmesh.max_level=4\n%s", domain[n]);
    MUST(oak_initialize(s.sim));
    sim_levels(&s, &low, &high);
    assert_int_equal(low, 2);
    assert_int_equal(high, 4);
    sim_run(&s, 0.5, 0);
    const double v = fmax(largest(&s, s.nvar + 1), largest(&s, s.nvar + 2));
    report("at rest, case %d: largest velocity %.1e after %ld steps", n, v, oak_step(s.sim));
    assert_true(v < 1e-14);
    sim_free(&s);
  }
}

/* The total of oak_totals is that of the rings, and stays the same; the axial momentum too. */
static void test_conservation(void **state) {
  double start[8], end[8], sum = 0;
  int64_t fewest = INT64_MAX, most = 0;
  (void)state;
  sim_t s = sim_new(MPI_COMM_WORLD, RINGS
                    "problem.flow=waves\nrefine.criterion=lohner\nrefine.variable=rho E\n"
                    "refine.c_refine=0.2\nrefine.c_derefine=0.1\nmesh.min_level=1\n"
                    "mesh.max_level=4\nboundary.ylow=periodic\nboundary.yhigh=periodic\n");
  MUST(oak_initialize(s.sim));
  MUST(oak_totals(s.sim, start));
  double *u = sim_read(&s, 0);
  for (int i = 0; i < oak_nblocks(s.sim) * s.cells; i++)
    sum += u[i] * ring(&s, i / s.cells, i % s.cells) * sim_volume(&s, i / s.cells);
  free(u);
  sum = sum_ranks(s.comm, sum);
  assert_true(fabs(sum / start[0] - 1) < 1e-14);
  for (int step = 0; step < 200; step++) {
    MUST(oak_advance(s.sim, oak_time_step(s.sim)));
    if (step % 4 == 3) MUST(oak_adjust_refinement(s.sim, NULL));
    const int64_t blocks = oak_nblocks_global(s.sim);
    fewest = blocks < fewest ? blocks : fewest;
    most = blocks > most ? blocks : most;
  }
  MUST(oak_totals(s.sim, end));
  report("conserved, %ld to %ld blocks: mass to %.1e, energy to %.1e, axial momentum to %.1e",
         (long)fewest, (long)most, end[0] / start[0] - 1, end[3] / start[3] - 1, end[2] - start[2]);
  assert_true(most > fewest);
  assert_true(fabs(end[0] / start[0] - 1) < 1e-14);
  assert_true(fabs(end[3] / start[3] - 1) < 1e-14);
  assert_true(fabs(end[2] - start[2]) < 1e-14);
  sim_free(&s);
}

/** The density of tests/problems/rings.c. */
static double density(const double x[3], double t) {
  const double r = x[0] / (1 + t), z = x[1] / (1 + t), a = z - 0.1, b = r - 0.5, c = z - 0.3;
  return (1 + 0.5 * exp(-(r * r + a * a) / 0.05) + 0.5 * exp(-(b * b + c * c) / 0.03)) /
         pow(1 + t, 3);
}

typedef struct {
  double mean, axis; /* over the volume; the largest beside the axis */
} error_t;

/** Errors of a variable, the density or the velocity along r, in the expanding gas. */
static error_t error_of(const sim_t *s, int variable) {
  double *u = sim_read(s, variable), sum = 0, volume = 0, most = 0;
  for (int i = 0; i < oak_nblocks(s->sim) * s->cells; i++) {
    double x[3];
    sim_center(s, i / s->cells, i % s->cells, x);
    const double is = variable ? x[0] / (1 + oak_time(s->sim)) : density(x, oak_time(s->sim));
    const double error = fabs(u[i] - is);
    const double v = ring(s, i / s->cells, i % s->cells) * sim_volume(s, i / s->cells);
    sum += error * v;
    volume += v;
    if (x[0] < 0.05) most = worse(most, error);
  }
  free(u);
  return (error_t){sum_ranks(s->comm, sum) / sum_ranks(s->comm, volume), max_ranks(s->comm, most)};
}

static void test_order(void **state) {
  static const char *const name[] = {"density", "velocity along r"};
  (void)state;
  for (int fine = 0; fine < 2; fine++) {
    error_t error[2][2];
    for (int i = 0; i < 2; i++) {
      sim_t s =
          sim_new(MPI_COMM_WORLD,
                  RINGS OPEN
                  "problem.flow=expansion\nmesh.min_level=%d\nmesh.max_level=%d\nproblem.fine=%d\n",
                  3 + i, 3 + i + fine, fine);
      MUST(oak_initialize(s.sim));
      sim_run(&s, 0.25, 0);
      error[0][i] = error_of(&s, 0);
      error[1][i] = error_of(&s, s.nvar + 1);
      sim_free(&s);
    }
    for (int v = 0; v < 2; v++) {
      const double order = log2(error[v][0].mean / error[v][1].mean);
      report(
          "%s, %d levels, 64 to 128 cells: mean error %.2e, order %.2f; largest beside the axis "
          "%.2e, order %.2f",
          name[v], 1 + fine, error[v][1].mean, order, error[v][1].axis,
          log2(error[v][0].axis / error[v][1].axis));
      assert_true(order > 1.89);
    }
  }
}

/* A spherical blast: its radius by the similarity solution (R^5 = E t^2 / (0.851 rho), gamma = 1.4)
 * in six directions between z and r; the shock is where the density is half of its jump to 6. */
static void test_blast(void **state) {
  enum { DIRECTIONS = 6 };
  const double exact = pow(0.05 * 0.05 / 0.851, 0.2), cell = 1.0 / 512;
  double radius[DIRECTIONS] = {0}, least = INFINITY, most = 0;
  (void)state;
  if (test_short()) SKIP_CASE("OAK_TEST_SHORT");
  sim_t s = sim_new(MPI_COMM_WORLD,
                    "physics.name=euler\nproblem.name=sedov\nmesh.coordinates=axisymmetric\n"
                    "mesh.trees=1 2\nmesh.xmin=0 -0.5\nmesh.xmax=0.5 0.5\nphysics.gamma=1.4\n"
                    "refine.criterion=lohner\nrefine.variable=p\nrefine.c_refine=0.2\n"
                    "refine.c_derefine=0.05\nmesh.min_level=1\nmesh.max_level=4\n"
                    "boundary.xhigh=outflow\nboundary.ylow=outflow\nboundary.yhigh=outflow\n"
                    "problem.width=0.015\n");
  MUST(oak_initialize(s.sim));
  sim_run(&s, 0.05, 4);
  double *rho = sim_read(&s, 0);
  for (int i = 0; i < oak_nblocks(s.sim) * s.cells; i++) {
    double x[3];
    sim_center(&s, i / s.cells, i % s.cells, x);
    const int n = (int)(DIRECTIONS * atan2(x[0], fabs(x[1])) / acos(0));
    if (rho[i] > 3.5) radius[n] = fmax(radius[n], hypot(x[0], x[1]));
  }
  free(rho);
  for (int n = 0; n < DIRECTIONS; n++) {
    radius[n] = max_ranks(s.comm, radius[n]);
    least = fmin(least, radius[n]);
    most = fmax(most, radius[n]);
  }
  report("blast: radius %.4f to %.4f, exact %.4f, cells of %.4f", least, most, exact, cell);
  assert_true(fabs(least - exact) < 1.2 * cell && fabs(most - exact) < 1.2 * cell);
  assert_true(most - least < 0.005 * exact);
  sim_free(&s);
}

/* Noh's implosion: density 64 behind the shock at radius t / 3, but for the heating at the origin.
 */
static void test_noh(void **state) {
  double sum = 0, volume = 0, radius = 0, least = INFINITY, most = 0;
  (void)state;
  if (test_short()) SKIP_CASE("OAK_TEST_SHORT");
  sim_t s = sim_new(MPI_COMM_WORLD,
                    "physics.name=euler\nproblem.name=noh\nmesh.coordinates=axisymmetric\n"
                    "mesh.xmax=1 1\nrefine.criterion=lohner\nrefine.variable=p\n"
                    "refine.c_refine=0.2\nrefine.c_derefine=0.05\nrefine.eps_abs=0.1\n"
                    "mesh.block_size=8\nmesh.min_level=2\nmesh.max_level=4\n"
                    "scheme.limiter=minmod\nrun.cfl=0.3\nboundary.xhigh=user\n"
                    "boundary.ylow=reflect\nboundary.yhigh=user\n");
  MUST(oak_initialize(s.sim));
  sim_run(&s, 2, 4);
  double *rho = sim_read(&s, 0);
  for (int i = 0; i < oak_nblocks(s.sim) * s.cells; i++) {
    double x[3];
    sim_center(&s, i / s.cells, i % s.cells, x);
    const double r = hypot(x[0], x[1]),
                 v = ring(&s, i / s.cells, i % s.cells) * sim_volume(&s, i / s.cells);
    if (rho[i] > 40) radius = fmax(radius, r);
    if (r < 0.15 || r > 0.6) continue;
    sum += v * rho[i];
    volume += v;
    least = fmin(least, rho[i]);
    most = fmax(most, rho[i]);
  }
  free(rho);
  radius = max_ranks(s.comm, radius);
  most = max_ranks(s.comm, most);
  least = -max_ranks(s.comm, -least);
  const double mean = sum_ranks(s.comm, sum) / sum_ranks(s.comm, volume);
  report("Noh: densities %.1f to %.1f, mean %.1f, behind the shock at %.3f", least, most, mean,
         radius);
  assert_true(least > 0.95 * 64 && most < 1.05 * 64 && fabs(mean - 64) < 0.02 * 64);
  assert_true(fabs(radius - 2.0 / 3) < 1.0 / 128);
  sim_free(&s);
}

/* Magnetohydrodynamics: components along phi. */
static void test_pinch(void **state) {
  double error[2][3];
  (void)state;
  for (int i = 0; i < 2; i++) {
    static const int variable[3] = {10, 15, 16}; /* primitive vx, by, bz */
    sim_t s = sim_new(MPI_COMM_WORLD, TEST_PROBLEM("pinch")
                      "physics.name=mhd\nmesh.coordinates=axisymmetric\nmesh.block_size=8\n"
                      "mesh.xmin=0\nmesh.xmax=1\nmesh.min_level=%d\nmesh.max_level=%d\n" OPEN,
                      1 + i, 2 + i);
    MUST(oak_initialize(s.sim));
    sim_run(&s, 0.2, 0);
    for (int v = 0; v < 3; v++) {
      double *u = sim_read(&s, variable[v]), sum = 0;
      for (int c = 0; c < oak_nblocks(s.sim) * s.cells; c++) {
        double x[3];
        sim_center(&s, c / s.cells, c % s.cells, x);
        const double exact = v == 0 ? 0 : v == 1 ? 0.5 + 0.3 * x[0] * x[0] : x[0];
        sum += fabs(u[c] - exact) * x[0] * sim_volume(&s, c / s.cells);
      }
      error[i][v] = sum_ranks(s.comm, sum);
      free(u);
    }
    sim_free(&s);
  }
  report("pinch: mean errors of v_r %.2e -> %.2e, B_z %.1e -> %.1e, B_phi %.1e -> %.1e",
         error[0][0], error[1][0], error[0][1], error[1][1], error[0][2], error[1][2]);
  assert_true(log2(error[0][0] / error[1][0]) > 1.7);
  assert_true(error[1][1] < 1e-4 && error[1][2] < 1e-4);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rest),  cmocka_unit_test(test_conservation),
      cmocka_unit_test(test_order), cmocka_unit_test(test_blast),
      cmocka_unit_test(test_noh),   cmocka_unit_test(test_pinch)};
  return TEST_MAIN(tests);
}
