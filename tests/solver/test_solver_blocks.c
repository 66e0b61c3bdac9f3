/* SPDX-License-Identifier: GPL-2.0-or-later
 * Blocks with unequal edges. On a uniform mesh the solution does not depend on how the cells are
 * divided into blocks; on an adaptive mesh totals are conserved. */
// TEST np={1,3} timeout=300
#include "solver_test.h"

enum { SIDE_2D = 32, SIDE_3D = 16 };

/** Steps with a constant length; the state of all cells by their place in the domain. */
static double *run(const char *keys, const char *blocks, int *count) {
  sim_t s = sim_new(MPI_COMM_WORLD, "%s%s", keys, blocks);
  const int side = s.dim == 3 ? SIDE_3D : SIDE_2D;
  const int cells = side * side * (s.dim == 3 ? side : 1);
  *count = s.nvar * cells;
  double *all = calloc((size_t)*count, sizeof *all);
  MUST(oak_initialize(s.sim));
  for (int n = 0; n < 3; n++) MUST(oak_advance(s.sim, 0.002));
  for (int v = 0; v < s.nvar; v++) {
    double *u = sim_read(&s, v), x[3];
    for (int i = 0; i < oak_nblocks(s.sim) * s.cells; i++) {
      sim_center(&s, i / s.cells, i % s.cells, x);
      const int at[3] = {(int)(x[0] * side), (int)(x[1] * side), (int)(x[2] * side)};
      all[v * cells + (at[2] * side + at[1]) * side + at[0]] = u[i];
    }
    free(u);
  }
  MPI_Allreduce(MPI_IN_PLACE, all, *count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  sim_free(&s);
  return all;
}

static void same(const char *keys, const char *equal, const char *unequal) {
  int n, m;
  double *a = run(keys, equal, &n), *b = run(keys, unequal, &m), most = 0;
  assert_int_equal(n, m);
  for (int i = 0; i < n; i++) most = worse(most, fabs(a[i]));
  assert_true(most > 0.1 && isfinite(most));
  assert_memory_equal(a, b, (size_t)n * sizeof *a);
  free(a);
  free(b);
}

static void test_same_bits(void **state) {
  (void)state;
  same("problem.name=mhd_rotor\nphysics.name=mhd\nscheme.flux=hlld\n",
       "mesh.block_size=8\nmesh.min_level=2\nmesh.max_level=2\n",
       "mesh.block_size=16 4\nmesh.trees=1 4\nmesh.min_level=1\nmesh.max_level=1\n");
  same(TEST_PROBLEM("solid") "physics.name=euler\nproblem.kind=ball\n",
       "mesh.block_size=8\nmesh.min_level=2\nmesh.max_level=2\n",
       "mesh.block_size=16 4\nmesh.trees=1 4\nmesh.min_level=1\nmesh.max_level=1\n");
  /* Viscous fluxes need ghost cells beyond edges. */
  same("problem.name=kelvin_helmholtz\nphysics.name=navier_stokes\nphysics.nu=0.01\n",
       "mesh.block_size=8\nmesh.min_level=2\nmesh.max_level=2\n",
       "mesh.block_size=16 4\nmesh.trees=1 4\nmesh.min_level=1\nmesh.max_level=1\n");
  same("problem.name=kelvin_helmholtz\nphysics.name=navier_stokes\nphysics.nu=0.01\nmesh.dim=3\n",
       "mesh.block_size=8\nmesh.min_level=1\nmesh.max_level=1\n",
       "mesh.block_size=4 8 16\nmesh.trees=4 2 1\n");
}

/** Totals on a mesh that follows the solution. */
static void conserve(const char *keys) {
  double start[16], end[16];
  int lowest, highest;
  sim_t s = sim_new(MPI_COMM_WORLD,
                    "problem.name=advection\nphysics.name=advection\n"
                    "refine.criterion=lohner\nrefine.eps=0.1\nrefine.eps_abs=1e-3\n"
                    "refine.buffer=2\nmesh.min_level=1\n%s",
                    keys);
  MUST(oak_initialize(s.sim));
  sim_levels(&s, &lowest, &highest);
  assert_true(lowest < highest);
  MUST(oak_totals(s.sim, start));
  for (int n = 1; n <= 12; n++) {
    MUST(oak_advance(s.sim, oak_time_step(s.sim)));
    if (n % 3 == 0) MUST(oak_adjust_refinement(s.sim, NULL));
  }
  MUST(oak_totals(s.sim, end));
  for (int v = 0; v < s.nvar; v++) {
    const double scale = fmax(fabs(start[v]), 1);
    if (!(fabs(end[v] - start[v]) <= 4e-15 * scale))
      fail_msg("variable %d: total changes by %g", v, end[v] - start[v]);
  }
  sim_free(&s);
}

static void test_conservation(void **state) {
  (void)state;
  conserve("mesh.block_size=16 8\nmesh.trees=1 2\nmesh.max_level=4\n");
  conserve("mesh.dim=3\nmesh.block_size=4 8 6\nmesh.max_level=3\n");
}

static void test_refused(void **state) {
  (void)state;
  static const char *const wrong[][2] = {
      {"mesh.block_size=8 8 8\n", "mesh.block_size has 3 numbers: in 2D it has 1 or 2"},
      {"mesh.dim=3\nmesh.block_size=8 8\n", "mesh.block_size has 2 numbers: in 3D it has 1 or 3"},
      {"mesh.block_size=16 4\nscheme.limiter=weno5\nmesh.max_level=1\n",
       "mesh.block_size = 4 is too small"}};
  for (int i = 0; i < 3; i++) {
    oak_params_t *params;
    oak_t *sim = NULL;
    char text[256], *next = text;
    MUST(oak_params_new(&params));
    snprintf(text, sizeof text, "%s", wrong[i][0]);
    for (char *line; (line = strsep(&next, "\n")) && *line;)
      MUST(oak_params_assign(params, line, "test"));
    MUST(oak_params_assign(params, "problem.name=shock_tube", "test"));
    assert_int_equal(oak_create(MPI_COMM_WORLD, params, &sim), OAK_ERR_INPUT);
    if (test_rank == 0) assert_non_null(strstr(oak_last_error(), wrong[i][1]));
    oak_destroy(&sim);
    oak_params_destroy(&params);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_bits),
                                     cmocka_unit_test(test_conservation),
                                     cmocka_unit_test(test_refused)};
  return TEST_MAIN(tests);
}
