/* SPDX-License-Identifier: GPL-2.0-or-later
 * The implosion in a box stays symmetric about the diagonal, and its walls let nothing through. */
// TEST np={1,2} timeout=300 flags=-O1
#include "solver_test.h"

enum { CELLS = 64 };

static sim_t box(int amr) {
  return sim_new(MPI_COMM_WORLD,
                 "problem.name=implosion\nphysics.gamma=1.4\nmesh.block_size=8\nmesh.xmax=0.3\n"
                 "mesh.min_level=%d\nmesh.max_level=3\nrefine.criterion=lohner\n"
                 "refine.c_refine=0.4\nrefine.c_derefine=0.2\n"
                 "boundary.xlow=reflect\nboundary.xhigh=reflect\nboundary.ylow=reflect\n"
                 "boundary.yhigh=reflect\n",
                 amr ? 1 : 3);
}

/** A variable on the finest grid, on every rank; coarser cells stand for all that they cover. */
static void gather(const sim_t *s, int variable, double *out) {
  double *u = sim_read(s, variable);
  memset(out, 0, CELLS * CELLS * sizeof *out);
  for (int b = 0; b < oak_nblocks(s->sim); b++) {
    const int cover = CELLS / (s->n << oak_block_level(s->sim, b));
    for (int c = 0; c < s->cells; c++) {
      double x[3];
      sim_center(s, b, c, x);
      const int i = (int)(x[0] / 0.3 * CELLS - 0.5 * (cover - 1));
      const int j = (int)(x[1] / 0.3 * CELLS - 0.5 * (cover - 1));
      for (int e = 0; e < cover * cover; e++)
        out[(j + e / cover) * CELLS + i + e % cover] = u[b * s->cells + c];
    }
  }
  free(u);
  MPI_Allreduce(MPI_IN_PLACE, out, CELLS * CELLS, MPI_DOUBLE, MPI_SUM, s->comm);
}

/** Largest difference between one variable and the mirror image of another. */
static double asymmetry(const sim_t *s, int a, int b) {
  static double u[CELLS * CELLS], v[CELLS * CELLS];
  double most = 0;
  gather(s, a, u);
  gather(s, b, v);
  for (int j = 0; j < CELLS; j++)
    for (int i = 0; i < CELLS; i++) most = worse(most, fabs(u[j * CELLS + i] - v[i * CELLS + j]));
  return most;
}

static double spread(const sim_t *s, int variable) {
  static double u[CELLS * CELLS];
  double low = INFINITY, high = -INFINITY;
  gather(s, variable, u);
  for (int c = 0; c < CELLS * CELLS; c++) low = fmin(low, u[c]), high = fmax(high, u[c]);
  return high - low;
}

static void implode(int amr, double end) {
  double start[TEST_MAX_NVAR], total[TEST_MAX_NVAR], most = 0;
  int lowest, highest;
  sim_t s = box(amr);
  MUST(oak_initialize(s.sim));
  MUST(oak_totals(s.sim, start));
  sim_run(&s, end, amr ? 2 : 0);
  MUST(oak_totals(s.sim, total));
  sim_levels(&s, &lowest, &highest);
  assert_true(!amr || lowest < highest);
  most = worse(most, asymmetry(&s, 0, 0)); /* rho */
  most = worse(most, asymmetry(&s, 1, 2)); /* mx, my */
  most = worse(most, asymmetry(&s, 3, 3)); /* E */
  const double mass = fabs(total[0] / start[0] - 1), energy = fabs(total[3] / start[3] - 1);
  report(
      "implosion%s to t = %g, %ld steps: asymmetry %.2g, relative error of mass %.2g, energy %.2g",
      amr ? " with AMR" : "", end, oak_step(s.sim), most, mass, energy);
  assert_true(spread(&s, 0) > 0.3); /* something to be symmetric */
  assert_true(asymmetry(&s, 0, 3) > 0.1);
  sim_free(&s);
  assert_true(most < 1e-11);
  assert_true(mass < 4e-15 && energy < 4e-15);
}

static void test_uniform(void **state) {
  (void)state;
  implode(0, 0.5);
}

static void test_adaptive(void **state) {
  (void)state;
  implode(1, 0.5);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_uniform),
                                     cmocka_unit_test(test_adaptive)};
  return TEST_MAIN(tests);
}
