/* SPDX-License-Identifier: GPL-2.0-or-later
 * Fields beside the state: values from a function and stored ones, ghost cells, what happens to
 * them when the mesh changes and at a restart, how hooks and outputs read them. The solution that
 * depends on them has the same bits on any number of ranks. */
// TEST np={1,2,3} timeout=120
#include <limits.h>

#include "solver/data/variables.h"
#include "solver/step/sim.h"
#include "solver_test.h"

static sim_t make(MPI_Comm comm, const char *more) {
  return sim_new(comm,
                 TEST_PROBLEM("fields") "physics.name=advection\nmesh.block_size=4\n"
                                        "mesh.min_level=2\nmesh.max_level=3\n"
                                        "scheme.limiter=upwind\nscheme.flux=rusanov\n"
                                        "boundary.xlow=outflow\nboundary.xhigh=outflow\n"
                                        "boundary.ylow=outflow\nboundary.yhigh=outflow\n"
                                        "%s",
                 more);
}

/** Both fields are linear, with short binary fractions as values: nothing is rounded. */
static double value_of(const char *name, const double x[3]) {
  return strcmp(name, "hill") ? 4 * x[0] + x[1] : x[0] + 2 * x[1];
}

static void set_memory(const sim_t *s) {
  const int n = oak_nblocks(s->sim);
  double *in = malloc(((size_t)n * s->cells + 1) * sizeof *in);
  if (!in) abort();
  for (int b = 0; b < n; b++)
    for (int c = 0; c < s->cells; c++) {
      double x[3];
      sim_center(s, b, c, x);
      in[b * s->cells + c] = value_of("memory", x);
    }
  MUST(oak_field_set(s->sim, "memory", oak_nblocks(s->sim), in));
  free(in);
}

static double *read_field(const sim_t *s, const char *name) {
  double *out = malloc(((size_t)oak_nblocks(s->sim) * s->cells + 1) * sizeof *out);
  if (!out) abort();
  MUST(oak_field_get(s->sim, name, oak_nblocks(s->sim), out));
  return out;
}

/** Largest deviation at cells that lie further inside than `margin`. */
static double deviation(const sim_t *s, const char *name, double margin) {
  double *q = read_field(s, name), most = 0;
  for (int b = 0; b < oak_nblocks(s->sim); b++)
    for (int c = 0; c < s->cells; c++) {
      double x[3];
      sim_center(s, b, c, x);
      if (fmin(fmin(x[0], 1 - x[0]), fmin(x[1], 1 - x[1])) < margin) continue;
      most = worse(most, fabs(q[b * s->cells + c] - value_of(name, x)));
    }
  free(q);
  return max_ranks(s->comm, most);
}

static double integral(const sim_t *s, const char *name) {
  double *q = read_field(s, name), sum = 0;
  for (int b = 0; b < oak_nblocks(s->sim); b++)
    for (int c = 0; c < s->cells; c++) sum += q[b * s->cells + c] * sim_volume(s, b);
  free(q);
  return sum_ranks(s->comm, sum);
}

/** The mesh has cells of both levels and has changed. */
static void advance(sim_t *s, int steps) {
  int changed, any = 0, low, high;
  for (int n = 0; n < steps; n++) {
    MUST(oak_advance(s->sim, 1.0 / 512));
    MUST(oak_adjust_refinement(s->sim, &changed));
    any |= changed;
  }
  sim_levels(s, &low, &high);
  assert_true(any && low < high);
}

static void test_mesh_changes(void **state) {
  (void)state;
  sim_t s = make(MPI_COMM_WORLD, "");
  MUST(oak_initialize(s.sim));
  set_memory(&s);
  const double before = integral(&s, "memory");
  assert_true(deviation(&s, "hill", 0) == 0 && deviation(&s, "memory", 0) == 0);
  advance(&s, 24);
  const double error = deviation(&s, "memory", 1.0 / 8), after = integral(&s, "memory");
  report("hill differs by %g, memory by %g, its integral by %g", deviation(&s, "hill", 0), error,
         after - before);
  /* The slope across the boundary of the domain is limited to zero there. */
  assert_true(deviation(&s, "hill", 0) == 0 && error == 0 && after == before);
  assert_true(deviation(&s, "memory", 0) > 0);
  sim_free(&s);
}

/** Differences across faces of all kinds, by outputs of the problem. */
static void test_ghost_cells(void **state) {
  (void)state;
  oak_selection_t what;
  sim_t s = make(MPI_COMM_WORLD, "");
  MUST(oak_initialize(s.sim));
  set_memory(&s);
  MUST(oak_variables_select(&s.sim->setup, "slope_x slope_y hill", "test", "test", OAK_SELECT_ALL,
                            &what));
  MUST(oak_variables_prepare(&s.sim->data, &what));
  double q[3][16], dx[3], origin[3], error = 0;
  assert_true(s.cells <= 16);
  for (int b = 0; b < oak_nblocks(s.sim); b++) {
    for (int v = 0; v < 3; v++) MUST(oak_variable_read(&s.sim->data, what.variable[v], b, 1, q[v]));
    oak_block_geometry(s.sim, b, origin, dx);
    for (int c = 0; c < s.cells; c++) {
      double x[3];
      sim_center(&s, b, c, x);
      error = worse(error, fabs(q[2][c] - value_of("hill", x)));
      if (fmin(fmin(x[0], 1 - x[0]), fmin(x[1], 1 - x[1])) < 1.0 / 8) continue;
      error = worse(error, fabs(q[0][c] - 8 * dx[0]));
      error = worse(error, fabs(q[1][c] - 4 * dx[1]));
    }
  }
  error = max_ranks(s.comm, error);
  report("differences across faces differ by %g", error);
  assert_true(error == 0);
  sim_free(&s);
}

static void test_ranks_and_restart(void **state) {
  (void)state;
  const char *path = test_new_file();
  double all[2], alone[2], again[2];
  sim_t s = make(MPI_COMM_WORLD, ""), one = make(MPI_COMM_SELF, "");
  MUST(oak_initialize(s.sim));
  MUST(oak_initialize(one.sim));
  set_memory(&s);
  set_memory(&one);
  advance(&s, 12);
  MUST(oak_write_checkpoint(s.sim, path));
  advance(&s, 12);
  advance(&one, 24);
  MUST(oak_totals(s.sim, all));
  MUST(oak_totals(one.sim, alone));
  all[1] = integral(&s, "memory");
  sim_free(&s);
  sim_free(&one);
  s = make(MPI_COMM_WORLD, "");
  MUST(oak_read_checkpoint(s.sim, path));
  advance(&s, 12);
  MUST(oak_totals(s.sim, again));
  again[1] = integral(&s, "memory");
  sim_free(&s);
  report("total %.17g on all ranks, %.17g on one, %.17g after a restart", all[0], alone[0],
         again[0]);
  assert_true(max_ranks(MPI_COMM_WORLD, fabs(all[0] - alone[0])) == 0);
  assert_true(all[0] == again[0] && all[1] == again[1]);
  test_remove(path);
}

static void test_criterion(void **state) {
  (void)state;
  sim_t s = make(MPI_COMM_WORLD,
                 "refine.criterion=gradient\nrefine.variable=hill\nrefine.c_refine=0.2\n"
                 "refine.c_derefine=0.01\nproblem.region=0\n");
  int low, high, wrong = 0;
  MUST(oak_initialize(s.sim));
  sim_levels(&s, &low, &high);
  /* |grad hill| dx = sqrt(5) / 16 above 0.2 hill near the origin alone. */
  for (int b = 0; b < oak_nblocks(s.sim); b++) {
    double x[3];
    sim_center(&s, b, 0, x);
    wrong += oak_block_level(s.sim, b) == high && x[0] > 0.5 && x[1] > 0.5;
  }
  assert_true(low == 2 && high == 3 && sum_ranks_int(s.comm, wrong) == 0);
  sim_free(&s);
}

static void test_mistakes(void **state) {
  (void)state;
  double value = 0;
  sim_t s = make(MPI_COMM_WORLD, "");
  assert_int_equal(oak_field_set(s.sim, "hil", oak_nblocks(s.sim), &value), OAK_ERR_ARGUMENT);
  assert_non_null(strstr(oak_last_error(), "there is no field hil"));
  assert_non_null(strstr(oak_last_error(), "declare memory hill"));
  assert_int_equal(oak_field_set(s.sim, "hill", oak_nblocks(s.sim), &value), OAK_ERR_ARGUMENT);
  assert_non_null(strstr(oak_last_error(), "FIELD(hill, at) of the problem"));
  sim_free(&s);
}

/** Arrays of another mesh. The last rank alone has one, and all ranks must fail. */
static void test_arrays(void **state) {
  (void)state;
  sim_t s = make(MPI_COMM_WORLD, "");
  MUST(oak_initialize(s.sim));
  const char *name = oak_variable_name(s.sim, 0);
  const int n = oak_nblocks(s.sim), wrong = n - (test_rank == test_size - 1);
  const long mesh = oak_mesh_revision(s.sim), solution = oak_solution_revision(s.sim);
  double *array = sim_read(&s, 0), geometry[2][3];
  int *flag = calloc(n + 1, sizeof *flag);
  const oak_status_t refused[] = {oak_read_variable(s.sim, name, wrong, array),
                                  oak_write_variables(s.sim, 1, &(int){0}, wrong, array),
                                  oak_field_set(s.sim, "memory", wrong, array),
                                  oak_adjust_refinement_flags(s.sim, wrong, flag, NULL)};
  for (int i = 0; i < 4; i++) assert_int_equal(refused[i], OAK_ERR_ARGUMENT);
  assert_non_null(strstr(oak_last_error(), "the mesh has changed, or the array is another one"));
  assert_int_equal(oak_field_get(s.sim, "memory", n + 1, array), OAK_ERR_ARGUMENT);
  assert_int_equal(oak_read_cells(s.sim, 0, 1, INT_MAX, array), OAK_ERR_ARGUMENT);
  assert_int_equal(oak_block_level(s.sim, n), -1);
  oak_block_geometry(s.sim, n, geometry[0], geometry[1]);
  assert_true(isnan(geometry[0][0]) && isnan(geometry[1][0]));
  assert_int_equal(oak_mesh_revision(s.sim), mesh);
  for (int b = 0; b < n; b++) flag[b] = 1;
  MUST(oak_adjust_refinement_flags(s.sim, n, flag, NULL));
  assert_true(oak_mesh_revision(s.sim) != mesh && oak_solution_revision(s.sim) != solution);
  free(array);
  free(flag);
  sim_free(&s);
}

/** What a program looks at stays in memory, through growing meshes and the end of the simulation.
 */
static void test_view(void **state) {
  (void)state;
  enum { LOOKS = 4 };
  oak_view_t view[LOOKS];
  oak_hold_t *hold[LOOKS];
  double sum = 0;
  int wrong = 0, count[LOOKS];
  sim_t s = make(MPI_COMM_WORLD, "mesh.max_level=5");
  MUST(oak_initialize(s.sim));
  for (int i = 0; i < LOOKS; i++) {
    int *flag = calloc(oak_nblocks(s.sim) + 1, sizeof *flag);
    for (int b = 0; b < oak_nblocks(s.sim); b++) flag[b] = 1;
    const oak_status_t status = oak_view_cells(s.sim, 0, &view[i], &hold[i]);
    if (status == OAK_ERR_UNSUPPORTED) skip(); /* openacc */
    MUST(status);
    if (view[i].memory != 1) skip(); /* a GPU */
    count[i] = oak_nblocks(s.sim) * s.cells;
    double *copy = sim_read(&s, 0);
    for (int c = 0; c < s.cells && count[i]; c++) /* of the first block and variable */
      wrong += copy[c] != ((const double *)view[i].cells)[c];
    free(copy);
    MUST(oak_adjust_refinement_flags(s.sim, oak_nblocks(s.sim), flag, NULL));
    free(flag);
  }
  sim_free(&s);
  for (int i = 0; i < LOOKS; i++) {
    for (int c = 0; c < count[i]; c++) sum += ((const double *)view[i].cells)[c];
    oak_hold_free(&hold[i]);
    assert_null(hold[i]);
  }
  report("%d looks, all values together %g", LOOKS, sum);
  assert_int_equal(wrong, 0);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_mesh_changes),
                                     cmocka_unit_test(test_ghost_cells),
                                     cmocka_unit_test(test_ranks_and_restart),
                                     cmocka_unit_test(test_criterion),
                                     cmocka_unit_test(test_mistakes),
                                     cmocka_unit_test(test_arrays),
                                     cmocka_unit_test(test_view)};
  return TEST_MAIN(tests);
}
