/* SPDX-License-Identifier: GPL-2.0-or-later
 * Thousands of steps and adaptations: memory does not grow and totals do not drift. 1,000 steps
 * with 250 adaptations, 40 times as many with $OAK_TEST_LONG. A stage rounds each cell by 0.3
 * units in the last place (rms). 80,000 stages therefore change the mean of n cells by some 80 /
 * sqrt(n) units: 1.3 with the 4096 cells of this mesh. */
// TEST np=2 timeout=300 flags=-O1
// TEST name=long_@test@_np2 np=2 timeout=2400 suite=long OAK_TEST_LONG=1
#include "solver_test.h"

/** Resident memory of this process, in bytes. */
static double memory(void) {
  long pages = 0, resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%ld %ld", &pages, &resident) != 2) abort();
  fclose(file);
  return (double)resident * (double)sysconf(_SC_PAGESIZE);
}

static void test_held(void **state) {
  (void)state;
  const int steps = test_long() ? 40000 : 1000, warm = steps / 4;
  double start[TEST_MAX_NVAR], end[TEST_MAX_NVAR], early = 0, most = 0;
  long adaptations = 0, changes = 0;
  sim_t s = sim_new(MPI_COMM_WORLD, TEST_PROBLEM("waves") "physics.name=euler\n"
                                                          "refine.criterion=lohner\n"
                                                          "refine.variable=rho E\n"
                                                          "refine.c_refine=0.2\n"
                                                          "refine.c_derefine=0.1\nmesh.theta=1\n"
                                                          "mesh.block_size=16\nmesh.min_level=2\n"
                                                          "mesh.max_level=3\nrun.cfl=0.3\n");
  MUST(oak_initialize(s.sim));
  MUST(oak_totals(s.sim, start));
  for (int step = 1; step <= steps; step++) {
    MUST(oak_advance(s.sim, oak_time_step(s.sim)));
    if (step % 4 == 0) {
      /* Waves die away, so the test itself chooses blocks to refine, and then merges all
       * families. */
      const int n = oak_nblocks(s.sim);
      int *flag = calloc((size_t)n + 1, sizeof *flag), changed;
      if (!flag) abort();
      const int turn = step / 4;
      for (int b = 0; b < n; b++) flag[b] = turn % 2 ? (b * 7 + turn / 2) % 5 == 0 : -1;
      MUST(oak_adjust_refinement_flags(s.sim, oak_nblocks(s.sim), flag, &changed));
      free(flag);
      adaptations++;
      changes += changed;
    }
    if (step == warm) early = memory();
  }
  MUST(oak_totals(s.sim, end));
  const double late = memory(), per_1000 = (late / early - 1) / (steps - warm) * 1000;
  const double growth = max_ranks(s.comm, per_1000);
  for (int v = 0; v < s.nvar; v++) {
    /* momenta are about zero: against what moves */
    const double scale = v == 0 || v == s.nvar - 1 ? fabs(start[v]) : fabs(start[0]);
    most = worse(most, fabs(end[v] - start[v]) / (scale * 2.22e-16));
  }
  report(
      "%d steps, %ld adaptations, %ld of which changed the mesh: memory grows by %.4f %% per 1,000 "
      "steps, totals drift by %.2f ulp",
      steps, adaptations, changes, 100 * growth, most);
  assert_true(changes > adaptations / 2);
  assert_true(most <= 4);
  /* In short runs a page more, or buffers that MPI allocates once, are no growth. */
  if (test_long())
    assert_true(growth < 1e-3);
  else
    assert_true(growth < 0.05);
  sim_free(&s);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_held)};
  return TEST_MAIN(tests);
}
