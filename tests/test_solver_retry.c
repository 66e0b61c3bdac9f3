/* SPDX-License-Identifier: GPL-2.0-or-later
 * Steps that leave invalid cells and are done again with half their size: the solution is that of
 * the smaller step, bit for bit, and after ten times it is the one before. A blast wave with steps
 * of twice the size that is stable. */
// TEST np={1,2} timeout=300
#include "solver_test.h"

#define SEDOV                                                                                      \
  "problem.name=sedov\nproblem.width=0.01\nphysics.name=euler\nphysics.gamma=1.4\n"                \
  "refine.criterion=lohner\nrefine.variable=p\nrefine.c_refine=0.2\nrefine.c_derefine=0.05\n"      \
  "mesh.xmin=-0.5\nmesh.xmax=0.5\nmesh.block_size=8\nmesh.min_level=2\nmesh.max_level=4\n"         \
  "boundary.xlow=outflow\nboundary.xhigh=outflow\nboundary.ylow=outflow\nboundary.yhigh=outflow\n" \
  "run.cfl=2\n"

enum { STEPS = 24, ADAPT = 4 };

/** Cells of this rank that differ. */
static int64_t differences(const sim_t *s, const sim_t *t) {
  int64_t count = oak_nblocks(s->oak) != oak_nblocks(t->oak);
  for (int v = 0; v < s->nvar && !count; v++) {
    double *a = sim_read(s, v), *b = sim_read(t, v);
    for (int64_t i = 0; i < (int64_t)oak_nblocks(s->oak) * s->cells; i++)
      count += memcmp(&a[i], &b[i], sizeof a[i]) != 0;
    free(a);
    free(b);
  }
  return sum_ranks_int(s->comm, count);
}

static void adapt(const sim_t *s) {
  if (oak_step(s->oak) % ADAPT == 0) MUST(oak_adjust_refinement(s->oak, NULL));
}

/* `extra`: keys of both; a run that stops fails where the other one repeats a step. */
static void compare(const char *extra) {
  sim_t retry = sim_new(MPI_COMM_WORLD, SEDOV "%sscheme.on_invalid=retry\n", extra);
  sim_t small = sim_new(MPI_COMM_WORLD, SEDOV "%s", extra);
  sim_t stop = sim_new(MPI_COMM_WORLD, SEDOV "%s", extra);
  oak_status_t stopped = OAK_OK;
  int64_t steps = 0, wrong = 0;
  MUST(oak_initialize(retry.oak));
  MUST(oak_initialize(small.oak));
  MUST(oak_initialize(stop.oak));
  while (oak_step(retry.oak) < STEPS) {
    const int64_t before = oak_retries(retry.oak);
    const double dt = oak_time_step(retry.oak), from = oak_time(retry.oak);
    MUST(oak_advance(retry.oak, dt));
    const int64_t halvings = oak_retries(retry.oak) - before;
    steps += halvings > 0;
    MUST(oak_advance(small.oak, ldexp(dt, -(int)halvings)));
    wrong += oak_time(retry.oak) != from + ldexp(dt, -(int)halvings);
    wrong += oak_time_step(retry.oak) != oak_time_step(small.oak);
    wrong += differences(&retry, &small);
    if (stopped == OAK_OK) {
      stopped = oak_advance(stop.oak, dt);
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
  assert_int_equal(oak_floored_cells(retry.oak), oak_floored_cells(small.oak));
  assert_int_equal(oak_retries(stop.oak), 0);
  sim_free(&retry);
  sim_free(&small);
  sim_free(&stop);
}

static void test_retry(void **state) {
  (void)state;
  compare("");
}

/* A scheme that leaves the start of a step alone needs no further state. */
static void test_euler(void **state) {
  (void)state;
  sim_t plain = sim_new(MPI_COMM_WORLD, SEDOV "scheme.integrator=euler\n");
  sim_t retry = sim_new(MPI_COMM_WORLD, SEDOV "scheme.integrator=euler\nscheme.on_invalid=retry\n");
  assert_int_equal(oak_memory(plain.oak), oak_memory(retry.oak));
  sim_free(&plain);
  sim_free(&retry);
  compare("scheme.integrator=euler\n");
}

/* Steps that no halving saves. */
static void test_give_up(void **state) {
  (void)state;
  sim_t s = sim_new(MPI_COMM_WORLD, SEDOV "scheme.on_invalid=retry\n");
  sim_t same = sim_new(MPI_COMM_WORLD, SEDOV);
  MUST(oak_initialize(s.oak));
  MUST(oak_initialize(same.oak));
  const double dt = 0.1 * oak_time_step(s.oak), next = oak_time_step(s.oak);
  assert_int_equal(oak_advance(s.oak, 1e6), OAK_ERR_STATE);
  assert_non_null(strstr(oak_last_error(), "halved ten times"));
  assert_int_equal(oak_step(s.oak), 0);
  assert_true(oak_time(s.oak) == 0 && oak_time_step(s.oak) == next);
  assert_int_equal(oak_retries(s.oak), 10);
  assert_int_equal(differences(&s, &same), 0);
  MUST(oak_advance(s.oak, dt));
  MUST(oak_advance(same.oak, dt));
  assert_int_equal(differences(&s, &same), 0);
  sim_free(&s);
  sim_free(&same);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_retry), cmocka_unit_test(test_euler),
                                     cmocka_unit_test(test_give_up)};
  return TEST_MAIN(tests);
}
