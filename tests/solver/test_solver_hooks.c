/* SPDX-License-Identifier: GPL-2.0-or-later
 * Hooks beside the fluxes: limits of the time step, values over all cells, which have the same bits
 * on any number of ranks, and UPDATE with its order in time. */
// TEST np={1,3} timeout=120
// TEST name=openacc_@test@_np1 np=1 timeout=240 suite=all needs=openacc OAK_TEST_SHORT=1 OAK_TEST_DEVICE=openacc flags="-O1 -foffload=disable"
#include "solver_test.h"

static sim_t make(MPI_Comm comm, const char *more) {
  sim_t s = sim_new(comm,
                    TEST_PROBLEM("hooks") "physics.name=advection\nmesh.block_size=4\n"
                                          "mesh.min_level=1\nmesh.max_level=2\nmesh.trees=2\n" "scheme.limiter=upwind\n"
                                          "scheme.flux=rusanov\n%s",
                    more);
  MUST(oak_initialize(s.sim));
  return s;
}

/** The step is the least of what the cells ask for, in the first step and in later ones. */
static void test_timestep(void **state) {
  (void)state;
  double least = INFINITY;
  sim_t s = make(MPI_COMM_WORLD, "problem.limit=1e-3");
  for (int b = 0; b < oak_nblocks(s.sim); b++) {
    double x[3];
    sim_center(&s, b, 0, x);
    least = fmin(least, 1e-3 * (1 + x[0]));
  }
  least = -max_ranks(s.comm, -least);
  assert_true(fabs(oak_time_step(s.sim) / least - 1) < 1e-14);
  MUST(oak_advance(s.sim, oak_time_step(s.sim)));
  assert_true(fabs(oak_time_step(s.sim) / least - 1) < 1e-14);
  sim_free(&s);
  s = make(MPI_COMM_WORLD, "problem.limit=1e3"); /* fluxes limit it */
  assert_true(oak_time_step(s.sim) < 0.1);
  report("limit of the time step %.17g", least);
  sim_free(&s);
}

/** What the hooks of a step read, as all ranks of comm see it. */
static double shown(MPI_Comm comm, const char *name) {
  char more[64];
  snprintf(more, sizeof more, "problem.show=%s", name);
  sim_t s = make(comm, more);
  MUST(oak_advance(s.sim, 1e-3));
  double *q = sim_read(&s, 0), most = -INFINITY, least = INFINITY;
  for (int c = 0; c < oak_nblocks(s.sim) * s.cells; c++) {
    most = fmax(most, q[c]);
    least = fmin(least, q[c]);
  }
  free(q);
  most = max_ranks(comm, most);
  assert_true(most == -max_ranks(comm, -least));
  sim_free(&s);
  return most;
}

static void test_globals(void **state) {
  (void)state;
  double most = -INFINITY, least = INFINITY, square = 0;
  sim_t s = make(MPI_COMM_WORLD, "");
  int low, high;
  sim_levels(&s, &low, &high);
  assert_true(low < high);
  double *q = sim_read(&s, 0);
  for (int b = 0; b < oak_nblocks(s.sim); b++)
    for (int c = 0; c < s.cells; c++) {
      double x[3];
      sim_center(&s, b, c, x);
      most = fmax(most, q[b * s.cells + c] + x[1]);
      least = fmin(least, q[b * s.cells + c] + x[1]);
      square += q[b * s.cells + c] * q[b * s.cells + c] * sim_volume(&s, b);
    }
  free(q);
  most = max_ranks(s.comm, most);
  least = -max_ranks(s.comm, -least);
  square = sum_ranks(s.comm, square);
  sim_free(&s);
  static const char *const name[] = {"most", "least", "square"};
  const double want[] = {most, least, square};
  for (int g = 0; g < 3; g++) {
    const double here = shown(MPI_COMM_SELF, name[g]), all = shown(MPI_COMM_WORLD, name[g]);
    report("%s: %.17g, expected %.17g", name[g], all, want[g]);
    assert_true(max_ranks(MPI_COMM_WORLD, fabs(here - all)) == 0);
    assert_true(fabs(all - want[g]) < 1e-14 * fabs(want[g]));
  }
}

/** The solution after so many steps to t = 0.2, of cells in the order of the mesh. */
static double *react(const char *splitting, int steps, int *count) {
  char more[128];
  snprintf(more, sizeof more,
           "problem.rate=3\nscheme.splitting=%s\nmesh.max_level=1\nscheme.integrator=rk4",
           splitting);
  sim_t s = make(MPI_COMM_WORLD, more);
  for (int n = 0; n < steps; n++) MUST(oak_advance(s.sim, 0.2 / steps));
  double *q = sim_read(&s, 0);
  *count = oak_nblocks(s.sim) * s.cells;
  sim_free(&s);
  return q;
}

/** Reaction and transport do not commute. Fluxes of first order are linear, so that the error in
 * time is all that differs from a run with many steps. */
static void test_order(void **state) {
  (void)state;
  static const char *const splitting[] = {"lie", "strang"};
  int count;
  double *exact = react("strang", 640, &count);
  for (int order = 1; order <= 2; order++) {
    double error[2] = {0, 0};
    for (int r = 0; r < 2; r++) {
      double *q = react(splitting[order - 1], 20 << r, &count);
      for (int c = 0; c < count; c++) error[r] = worse(error[r], fabs(q[c] - exact[c]));
      error[r] = max_ranks(MPI_COMM_WORLD, error[r]);
      free(q);
    }
    report("%s: errors %.3e, %.3e with 20 and 40 steps, order %.3f", splitting[order - 1], error[0],
           error[1], log2(error[0] / error[1]));
    assert_true(fabs(log2(error[0] / error[1]) - order) < 0.1);
  }
  free(exact);
}

static void refused(sim_t *s, const char *key, const char *value, const char *words) {
  const int wrong =
      oak_params_set(s->params, key, value) == OAK_OK || !strstr(oak_last_error(), words);
  assert_int_equal(sum_ranks_int(MPI_COMM_WORLD, wrong), 0);
}

/** A program changes parameters between steps: they count in the next one, or are refused. */
static void test_changes(void **state) {
  (void)state;
  sim_t s = make(MPI_COMM_WORLD, "problem.limit=1e-3"),
        other = make(MPI_COMM_WORLD, "problem.limit=1e-3");
  const double before = oak_time_step(s.sim);
  MUST(oak_params_set(s.params, "problem.limit", "5e-4"));
  MUST(oak_update_time_step(s.sim));
  assert_true(fabs(oak_time_step(s.sim) / before - 0.5) < 1e-14);
  MUST(oak_params_set(s.params, "problem.show", "most"));
  MUST(oak_advance(s.sim, 1e-6));
  double *q = sim_read(&s, 0), different = 0;
  for (int c = 1; c < oak_nblocks(s.sim) * s.cells; c++)
    different = fmax(different, fabs(q[c] - q[0]));
  free(q);
  assert_true(max_ranks(s.comm, different) == 0);
  MUST(oak_params_set(s.params, "run.dt_max", "1e-5"));
  assert_true(oak_time_step(s.sim) == 1e-5);
  MUST(oak_params_set(s.params, "run.dt_max", "1"));
  MUST(oak_params_set(s.params, "problem.limit", "0")); /* none: that of the fluxes */
  MUST(oak_update_time_step(s.sim));
  const double fluxes = oak_time_step(s.sim), cfl = oak_params_real(s.params, "run.cfl");
  char half[64];
  snprintf(half, sizeof half, "%.17g", cfl / 2);
  MUST(oak_params_set(s.params, "run.cfl", half));
  MUST(oak_params_set(s.params, "physics.vx", "0"));
  MUST(oak_params_set(s.params, "physics.vy", "4"));
  MUST(oak_update_time_step(s.sim));
  report("steps %.6g, then %.6g with half the CFL number and other velocities", fluxes,
         oak_time_step(s.sim)); /* |v| of both axes: 1 + 1, then 0 + 4 */
  assert_true(fabs(oak_time_step(s.sim) / (fluxes / 4) - 1) < 1e-12);
  refused(&s, "mesh.block_size", "8", "mesh.block_size cannot change after oak_create: only");
  refused(&s, "scheme.limiter", "mc", "scheme.limiter cannot change after oak_create");
  refused(&s, "physics.name", "euler", "physics.name cannot change after oak_create");
  refused(&s, "problem.limit", "-1", "problem.limit = -1: must be a number of at least 0");
  refused(&s, "refine.c_refine", "1e-9", "refine.c_derefine would be above refine.c_refine");
  refused(&s, "problem.limt", "1", "problem.limt cannot change");
  assert_int_equal(oak_params_int(s.params, "mesh.block_size"), 4);
  MUST(oak_advance(s.sim, oak_time_step(s.sim)));
  assert_true(oak_time_step(other.sim) == before);
  sim_free(&s);
  sim_free(&other);
}

/* REGION of the first mesh finds the front that GLOBAL_MAX measures, and INITIAL reads 0 for it. */
static void test_front(void **state) {
  (void)state;
  double most = 0, finest[2] = {1, 0};
  sim_t s = sim_new(MPI_COMM_WORLD, "device.flags=-O1\n" TEST_PROBLEM("ahead")
                    "physics.name=advection\nmesh.block_size=8\nmesh.min_level=1\nmesh.max_level=4\n");
  MUST(oak_initialize(s.sim));
  double *rho = sim_read(&s, 0);
  for (int c = 0; c < oak_nblocks(s.sim) * s.cells; c++) most = fmax(most, rho[c]);
  free(rho);
  for (int b = 0; b < oak_nblocks(s.sim); b++) {
    double origin[3], dx[3];
    oak_block_geometry(s.sim, b, origin, dx);
    if (dx[0] > 1.001 / (8 << 4)) continue;
    finest[0] = fmin(finest[0], origin[0]);
    finest[1] = fmax(finest[1], origin[0] + 8 * dx[0]);
  }
  most = max_ranks(MPI_COMM_WORLD, most);
  const double low = -max_ranks(MPI_COMM_WORLD, -finest[0]);
  const double high = max_ranks(MPI_COMM_WORLD, finest[1]);
  report("front at 0.37: finest blocks from %g to %g, largest density %g", low, high, most);
  assert_true(low > 0.2 && low < 0.37 && high > 0.36 && high < 0.51 && most == 2);
  sim_free(&s);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_front), cmocka_unit_test(test_timestep),
                                     cmocka_unit_test(test_globals), cmocka_unit_test(test_order),
                                     cmocka_unit_test(test_changes)};
  return TEST_MAIN(tests);
}
