/* SPDX-License-Identifier: GPL-2.0-or-later
 * Steps that leave invalid cells are repeated with half their size. The solution has the bits of
 * the smaller step; after ten failures it is that before the step. A blast wave with steps of
 * twice the stable size. */
// TEST np={1,2} timeout=300
// TEST name=long_@test@ suite=long OAK_TEST_LONG=1
#include "solver_test.h"

#define SEDOV                                                                                      \
  "problem.name=sedov\nproblem.width=0.01\nphysics.name=euler\nphysics.gamma=1.4\n"                \
  "refine.criterion=lohner\nrefine.variable=p\nrefine.c_refine=0.2\nrefine.c_derefine=0.05\n"      \
  "mesh.xmin=-0.5\nmesh.xmax=0.5\nmesh.block_size=8\nmesh.min_level=2\nmesh.max_level=4\n"         \
  "boundary.xlow=outflow\nboundary.xhigh=outflow\nboundary.ylow=outflow\nboundary.yhigh=outflow\n" \
  "run.cfl=2\n"

enum { STEPS = 24, ADAPT = 4 };

/** The number of values that differ, summed over the ranks. */
static int64_t differences(const sim_t *s, const sim_t *t) {
  int64_t count = oak_nblocks(s->sim) != oak_nblocks(t->sim);
  for (int v = 0; v < s->nvar && !count; v++) {
    double *a = sim_read(s, v), *b = sim_read(t, v);
    for (int64_t i = 0; i < (int64_t)oak_nblocks(s->sim) * s->cells; i++)
      count += memcmp(&a[i], &b[i], sizeof a[i]) != 0;
    free(a);
    free(b);
  }
  return sum_ranks_int(s->comm, count);
}

static void adapt(const sim_t *s) {
  if (oak_step(s->sim) % ADAPT == 0) MUST(oak_adjust_refinement(s->sim, NULL));
}

/* `extra`: keys of both runs. `factor`: factor of the time step. The run that stops fails at the
 * step that the other run repeats. */
static void compare(const char *extra, double factor) {
  sim_t retry = sim_new(MPI_COMM_WORLD, SEDOV "%sscheme.on_invalid=retry\n", extra);
  sim_t small = sim_new(MPI_COMM_WORLD, SEDOV "%s", extra);
  sim_t stop = sim_new(MPI_COMM_WORLD, SEDOV "%s", extra);
  oak_status_t stopped = OAK_OK;
  int64_t steps = 0, wrong = 0;
  MUST(oak_initialize(retry.sim));
  MUST(oak_initialize(small.sim));
  MUST(oak_initialize(stop.sim));
  while (oak_step(retry.sim) < STEPS) {
    const int64_t before = oak_retries(retry.sim);
    const double dt = factor * oak_time_step(retry.sim), from = oak_time(retry.sim);
    MUST(oak_advance(retry.sim, dt));
    const int64_t halvings = oak_retries(retry.sim) - before;
    steps += halvings > 0;
    MUST(oak_advance(small.sim, ldexp(dt, -(int)halvings)));
    wrong += oak_time(retry.sim) != from + ldexp(dt, -(int)halvings);
    wrong += oak_time_step(retry.sim) != oak_time_step(small.sim);
    wrong += differences(&retry, &small);
    if (stopped == OAK_OK) {
      stopped = oak_advance(stop.sim, dt);
      wrong += (stopped == OAK_OK) != (halvings == 0);
      if (stopped == OAK_OK) adapt(&stop);
    }
    adapt(&retry);
    adapt(&small);
  }
  report("%ssteps repeated: %lld of %d", extra, (long long)steps, STEPS);
  assert_int_equal(wrong, 0);
  assert_true(steps > 0);
  assert_int_equal(stopped, OAK_ERR_STATE);
  assert_int_equal(oak_floored_cells(retry.sim), oak_floored_cells(small.sim));
  assert_int_equal(oak_retries(stop.sim), 0);
  sim_free(&retry);
  sim_free(&small);
  sim_free(&stop);
}

/** Cells that were repaired in a failed first step do not count, as its updates do not. */
static void test_failed_step(void **state) {
  (void)state;
  sim_t s = sim_new(MPI_COMM_WORLD, SEDOV "scheme.on_invalid=first_order\n");
  MUST(oak_initialize(s.sim));
  assert_int_equal(oak_advance(s.sim, 50 * oak_time_step(s.sim)), OAK_ERR_STATE);
  report("a failed step leaves %lld updates, %lld repaired cells",
         (long long)oak_cell_updates(s.sim), (long long)oak_first_order_cells(s.sim));
  assert_int_equal(oak_cell_updates(s.sim), 0);
  assert_int_equal(oak_first_order_cells(s.sim), 0);
  sim_free(&s);
}

static void test_retry(void **state) {
  (void)state;
  compare("", 1);
}

/* The other integrators, where the start of a step is in another of their states. */
static void test_integrators(void **state) {
  static const char *const name[] = {"rk4", "midpoint", "ssprk22", "ssprk33", "ssprk43"};
  (void)state;
  for (int i = 0; i < 5 && test_long(); i++) {
    char extra[64];
    snprintf(extra, sizeof extra, "scheme.integrator=%s\n", name[i]);
    compare(extra, 2); /* some are stable at steps that break others */
  }
}

/* A scheme that leaves the start of a step alone needs no further state. */
static void test_euler(void **state) {
  (void)state;
  sim_t plain = sim_new(MPI_COMM_WORLD, SEDOV "scheme.integrator=euler\n");
  sim_t retry = sim_new(MPI_COMM_WORLD, SEDOV "scheme.integrator=euler\nscheme.on_invalid=retry\n");
  assert_int_equal(oak_memory(plain.sim), oak_memory(retry.sim));
  sim_free(&plain);
  sim_free(&retry);
  compare("scheme.integrator=euler\n", 1);
}

/* Steps that no halving saves. */
static void test_give_up(void **state) {
  (void)state;
  sim_t s = sim_new(MPI_COMM_WORLD, SEDOV "scheme.on_invalid=retry\n");
  sim_t same = sim_new(MPI_COMM_WORLD, SEDOV);
  MUST(oak_initialize(s.sim));
  MUST(oak_initialize(same.sim));
  const double dt = 0.1 * oak_time_step(s.sim), next = oak_time_step(s.sim);
  assert_int_equal(oak_advance(s.sim, 1e6), OAK_ERR_STATE);
  assert_non_null(strstr(oak_last_error(), "halved ten times"));
  assert_int_equal(oak_step(s.sim), 0);
  assert_true(oak_time(s.sim) == 0 && oak_time_step(s.sim) == next);
  assert_int_equal(oak_retries(s.sim), 10);
  assert_int_equal(differences(&s, &same), 0);
  MUST(oak_advance(s.sim, dt));
  MUST(oak_advance(same.sim, dt));
  assert_int_equal(differences(&s, &same), 0);
  sim_free(&s);
  sim_free(&same);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_failed_step),
                                     cmocka_unit_test(test_retry), cmocka_unit_test(test_euler),
                                     cmocka_unit_test(test_give_up),
                                     cmocka_unit_test(test_integrators)};
  return TEST_MAIN(tests);
}
