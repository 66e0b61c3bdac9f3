/* SPDX-License-Identifier: GPL-2.0-or-later
 * Magnetohydrodynamics: totals, the same bits on any number of ranks, walls, and strong fields. The
 * case mhd of oak_verify measures more. */
// TEST np={1,2,3} timeout=120 flags=-O1
#include "mhd_test.h"

#define MHD "physics.name=mhd\nscheme.flux=hlld\nmesh.block_size=8\nrun.cfl=0.4\n"

/** The Orszag-Tang vortex on a mesh that follows its shocks. */
static sim_t vortex(MPI_Comm comm, double time) {
  sim_t s = sim_new(comm, MHD
                    "problem.name=orszag_tang\nmesh.min_level=2\nmesh.max_level=4\n"
                    "refine.criterion=lohner\nrefine.variable=rho\nrefine.c_refine=0.8\n"
                    "refine.c_derefine=0.4\n");
  MUST(oak_initialize(s.sim));
  sim_run(&s, time, 4);
  return s;
}

static void test_vortex(void **state) {
  (void)state;
  int lowest, highest;
  double before[TEST_MAX_NVAR], after[TEST_MAX_NVAR];
  sim_t s = vortex(MPI_COMM_WORLD, 0);
  MUST(oak_totals(s.sim, before));
  sim_free(&s);
  s = vortex(MPI_COMM_WORLD, 0.15);
  MUST(oak_totals(s.sim, after));
  sim_levels(&s, &lowest, &highest);
  report("vortex: %d steps, levels %d to %d", (int)oak_step(s.sim), lowest, highest);
  assert_true(lowest < highest);
  for (int v = 0; v + 1 < s.nvar; v++) /* all but psi, which decays */
    assert_true(fabs(after[v] - before[v]) < 1e-14);
  assert_int_not_equal(oak_params_set(s.params, "physics.nu", "0.1"), OAK_OK);
  assert_non_null(strstr(oak_last_error(), "physics.nu cannot change after oak_create, since no"));
  const uint64_t hash = hash_of(&s);
  sim_free(&s);
  if (test_rank == 0 && test_size > 1) {
    sim_t alone = vortex(MPI_COMM_SELF, 0.15);
    assert_true(hash_of(&alone) == hash);
    sim_free(&alone);
  }
}

static void test_walls(void **state) {
  (void)state;
  check_walls(MHD);
}

/** Blast waves in gas whose pressure is 1e-3 and 1e-4 of the field's (D. S. Balsara, D. S. Spicer,
 * J. Comput. Phys. 149 (1999) 270). No cell becomes invalid, which would stop the run, and the
 * energy, that of psi included, keeps its total. */
static void test_strong_field(void **state) {
  (void)state;
  enum { ENERGY = 4 };
  static const double pressure[] = {0.05, 0.005};
  for (int n = 0; n < 2; n++) {
    int lowest, highest;
    double before[TEST_MAX_NVAR], after[TEST_MAX_NVAR];
    sim_t s = sim_new(MPI_COMM_WORLD,
                      MHD
                      "problem.name=mhd_blast\nproblem.p_in=1000\nproblem.p_out=%g\n"
                      "problem.field=10\nproblem.angle=0\nphysics.gamma=1.4\nmesh.xmin=-0.5\n"
                      "mesh.xmax=0.5\nmesh.min_level=1\nmesh.max_level=3\nrefine.criterion="
                      "lohner\nrefine.variable=rho p\n"
                      "refine.c_refine=0.2\nrefine.c_derefine=0.05\n",
                      pressure[n]);
    MUST(oak_initialize(s.sim));
    MUST(oak_totals(s.sim, before));
    sim_run(&s, 0.004, 4);
    MUST(oak_totals(s.sim, after));
    sim_levels(&s, &lowest, &highest);
    const double change = fabs(after[ENERGY] / before[ENERGY] - 1);
    report("blast wave, pressure %g: %d steps, levels %d to %d, energy changes by %.1e",
           pressure[n], (int)oak_step(s.sim), lowest, highest, change);
    assert_true(lowest < highest);
    assert_true(change < 1e-14);
    sim_free(&s);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_vortex), cmocka_unit_test(test_walls),
                                     cmocka_unit_test(test_strong_field)};
  return TEST_MAIN(tests);
}
