/* SPDX-License-Identifier: GPL-2.0-or-later
 * Conservation across refinement boundaries (paper, section "Testing flux fixing"), on a static
 * and an adaptive mesh; without flux fixing the total changes. */
// TEST np={1,3} timeout=300 flags=-O1
// TEST name=long_@test@_np@np@ np={5,7,8,16} suite=long
#include "solver_test.h"

/* Rounding errors of a step are random: totals of thousands of steps stay within a few units in the
 * last place. */
static const double tolerance = 4e-15;

static const char sphere[] =
    "problem.name=advection\nphysics.name=advection\nrefine.criterion=lohner\n"
    "refine.eps=0.1\nrefine.eps_abs=1e-3\n";

/** Sum of variable 0 over the outermost cells of all blocks next to a change of level. */
static double near_boundaries(const sim_t *s) {
  const int n = oak_nblocks(s->sim), size = s->n;
  const int64_t all = oak_nblocks_global(s->sim);
  double(*mine)[4] = calloc(n + 1, sizeof *mine), (*box)[4] = malloc(all * sizeof *box);
  int counts[64], starts[64], length = 4 * n;
  double *u = sim_read(s, 0), sum = 0;
  for (int b = 0; b < n; b++) {
    double dx[3];
    oak_block_geometry(s->sim, b, mine[b], dx);
    mine[b][3] = size * dx[0];
  }
  MPI_Allgather(&length, 1, MPI_INT, counts, 1, MPI_INT, s->comm);
  for (int r = 0, at = 0; r < test_size; at += counts[r++]) starts[r] = at;
  MPI_Allgatherv(mine, length, MPI_DOUBLE, box, counts, starts, MPI_DOUBLE, s->comm);
  for (int b = 0; b < n; b++) {
    int touches = 0;
    for (int64_t o = 0; o < all && !touches; o++) {
      if (box[o][3] == mine[b][3]) continue;
      touches = 1;
      for (int d = 0; d < s->dim; d++)
        touches &= mine[b][d] <= box[o][d] + box[o][3] && box[o][d] <= mine[b][d] + mine[b][3];
    }
    for (int c = 0; c < s->cells && touches; c++) {
      const int i = c % size, j = c / size % size;
      if (i == 0 || i == size - 1 || j == 0 || j == size - 1) sum += u[b * s->cells + c];
    }
  }
  free(mine);
  free(box);
  free(u);
  return sum_ranks(s->comm, sum);
}

/** Once across the periodic domain on the mesh refined for the start; relative error of the total.
 */
static void cross(int dim, int max_level, int adapt_every) {
  double start, end, most = 0;
  int crossed = 0, moved = 0, lowest, highest;
  sim_t s = sim_new(MPI_COMM_WORLD,
                    "%smesh.dim=%d\nmesh.block_size=8\nmesh.min_level=1\nmesh.max_level=%d\n",
                    sphere, dim, max_level);
  MUST(oak_initialize(s.sim));
  MUST(oak_totals(s.sim, &start));
  sim_levels(&s, &lowest, &highest);
  assert_true(start > 0 && lowest < highest);
  int64_t blocks = oak_nblocks_global(s.sim);
  for (int part = 1; part <= 10; part++) {
    sim_run(&s, part / 10.0, adapt_every);
    MUST(oak_totals(s.sim, &end));
    most = worse(most, fabs(end - start) / start);
    crossed += near_boundaries(&s) > (dim == 3 ? 10 : 3);
    moved += oak_nblocks_global(s.sim) != blocks;
    blocks = oak_nblocks_global(s.sim);
  }
  report(
      "%dD, advection to t = 1, %s, levels %d to %d, %ld steps: relative error of the total %.2g",
      dim, adapt_every ? "AMR" : "static mesh", lowest, highest, oak_step(s.sim), most);
  sim_free(&s);
  assert_true(most < tolerance);
  assert_true(adapt_every ? moved > 2 : crossed > 2);
}

static void test_static(void **state) {
  (void)state;
  cross(2, 4, 0);
  cross(3, 3, 0);
}

static void test_adaptive(void **state) {
  (void)state;
  cross(2, 4, 4);
  cross(3, 3, 4);
}

/** If the test undoes the correction of each step, the total drifts. If it then applies the
 * correction again, the total does not drift. */
static void without_fixing(int dim) {
  double start, end[2];
  for (int fixed = 0; fixed < 2; fixed++) {
    sim_t s = sim_new(MPI_COMM_WORLD,
                      "%smesh.dim=%d\nmesh.block_size=8\nmesh.max_level=3\nmesh.min_level=1\n"
                      "scheme.integrator=euler\nscheme.limiter=upwind\n",
                      sphere, dim);
    MUST(oak_initialize(s.sim));
    MUST(oak_totals(s.sim, &start));
    while (oak_time(s.sim) < 0.3) {
      const double dt = oak_time_step(s.sim);
      MUST(oak_advance(s.sim, dt));
      MUST(oak_fix_c2f_flux(s.sim, -dt));
      if (fixed) MUST(oak_fix_c2f_flux(s.sim, dt));
    }
    MUST(oak_totals(s.sim, &end[fixed]));
    end[fixed] = fabs(end[fixed] - start) / start;
    sim_free(&s);
  }
  report("%dD, advection to t = 0.3: relative error without flux fixing %.2g, with it %.2g", dim,
         end[0], end[1]);
  assert_true(end[0] > 1e-5);
  assert_true(end[1] < tolerance);
}

static void test_control(void **state) {
  (void)state;
  without_fixing(2);
  without_fixing(3);
}

/** Mass, momentum and energy of a gas in a periodic box, relative to the integral of the absolute
 * values. */
static void gas(int dim, int max_level, double end_time, const char *keys) {
  double start[TEST_MAX_NVAR], end[TEST_MAX_NVAR], scale[TEST_MAX_NVAR] = {0}, most = 0;
  int lowest, highest;
  sim_t s = sim_new(MPI_COMM_WORLD,
                    TEST_PROBLEM("waves") "mesh.dim=%d\nmesh.block_size=8\nmesh.min_level=1\n"
                                          "mesh.max_level=%d\nrefine.criterion=lohner\n"
                                          "refine.variable=rho E\nrefine.c_refine=0.3\n"
                                          "refine.c_derefine=0.15\n%s",
                    dim, max_level, keys);
  MUST(oak_initialize(s.sim));
  MUST(oak_totals(s.sim, start));
  for (int v = 0; v < s.nvar; v++) {
    double *u = sim_read(&s, v);
    for (int b = 0; b < oak_nblocks(s.sim); b++)
      for (int c = 0; c < s.cells; c++) scale[v] += fabs(u[b * s.cells + c]) * sim_volume(&s, b);
    free(u);
    scale[v] = sum_ranks(s.comm, scale[v]);
  }
  const int64_t blocks = oak_nblocks_global(s.sim);
  sim_levels(&s, &lowest, &highest);
  assert_true(lowest < highest);
  sim_run(&s, end_time, 2);
  assert_true(oak_nblocks_global(s.sim) != blocks); /* the mesh follows */
  MUST(oak_totals(s.sim, end));
  char text[256] = "";
  for (int v = 0; v < s.nvar; v++) {
    const double error = fabs(end[v] - start[v]) / scale[v];
    const size_t used = strlen(text);
    snprintf(text + used, sizeof text - used, " %s %.2g", oak_variable_name(s.sim, v), error);
    most = worse(most, error);
  }
  report("%dD, gas to t = %g, %.*s, %ld steps, %d to %d blocks: relative errors%s", dim, end_time,
         (int)strcspn(keys, "\n"), keys, oak_step(s.sim), (int)blocks,
         (int)oak_nblocks_global(s.sim), text);
  sim_free(&s);
  assert_true(most < tolerance);
}

static void test_gas(void **state) {
  (void)state;
  gas(2, 4, 0.1, "mesh.theta=1\n");
  gas(2, 4, 0.1, "mesh.theta=2\n");
  gas(3, 3, 0.02, "problem.amplitude=0.02\n");
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_static), cmocka_unit_test(test_adaptive),
                                     cmocka_unit_test(test_control), cmocka_unit_test(test_gas)};
  return TEST_MAIN(tests);
}
