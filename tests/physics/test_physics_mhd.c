/* SPDX-License-Identifier: GPL-2.0-or-later
 * Magnetohydrodynamics: totals, the same bits on any number of ranks, walls, and strong fields. The
 * case mhd of oak_verify measures more. */
// TEST np={1,2,3} timeout=120 flags=-O1
#include "solver_test.h"

#define MHD "physics.name=mhd\nscheme.flux=hlld\nmesh.block_size=8\nrun.cfl=0.4\n"

/** Sum over all cells of the bits of a variable, weighted by position; does not depend on the
 * ranks. */
static uint64_t hash_of(const sim_t *s) {
  uint64_t sum = 0;
  for (int v = 0; v < s->nvar; v++) {
    double *u = sim_read(s, v), x[3];
    for (int b = 0; b < oak_nblocks(s->sim); b++)
      for (int c = 0; c < s->cells; c++) {
        uint64_t bits;
        sim_center(s, b, c, x);
        memcpy(&bits, &u[b * s->cells + c], sizeof bits);
        sum += bits * (uint64_t)(1 + 2 * llround(4096 * (x[0] + 8 * x[1] + 64 * v)));
      }
    free(u);
  }
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, s->comm);
  return sum;
}

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
  const uint64_t hash = hash_of(&s);
  sim_free(&s);
  if (test_rank == 0 && test_size > 1) {
    sim_t alone = vortex(MPI_COMM_SELF, 0.15);
    assert_true(hash_of(&alone) == hash);
    sim_free(&alone);
  }
}

/** A quarter of the periodic domain between four walls has the solution of the whole domain. */
static void test_walls(void **state) {
  (void)state;
  if (test_rank != 0) return;
  sim_t s[2];
  double *u[2], most = 0;
  for (int whole = 0; whole < 2; whole++) {
    s[whole] = sim_new(MPI_COMM_SELF, MHD TEST_PROBLEM("mhd_mirror")
                       "mesh.min_level=1\nmesh.max_level=1\nmesh.trees=%s\nmesh.xmax=%s\n"
                       "boundary.xlow=%s\nboundary.xhigh=%s\nboundary.ylow=%s\nboundary.yhigh=%s\n",
                       whole ? "2 2" : "1 1", whole ? "2 2" : "1 1", whole ? "periodic" : "reflect",
                       whole ? "periodic" : "reflect", whole ? "periodic" : "reflect",
                       whole ? "periodic" : "reflect");
    MUST(oak_initialize(s[whole].sim));
    sim_run(&s[whole], 0.3, 0);
  }
  assert_int_equal(oak_step(s[0].sim), oak_step(s[1].sim));
  for (int v = 0; v < s[0].nvar; v++) {
    for (int whole = 0; whole < 2; whole++) u[whole] = sim_read(&s[whole], v);
    /* The first tree of the whole domain comes first along the curve. */
    for (int c = 0; c < oak_nblocks(s[0].sim) * s[0].cells; c++)
      most = worse(most, fabs(u[0][c] - u[1][c]));
    free(u[0]);
    free(u[1]);
  }
  report("walls against mirror images: %.2e", most);
  assert_true(most < 1e-12);
  for (int whole = 0; whole < 2; whole++) sim_free(&s[whole]);
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
