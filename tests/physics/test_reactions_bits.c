/* SPDX-License-Identifier: GPL-2.0-or-later
 * A discharge with reactions on a mesh that changes: the same bits on one rank, on three, and after
 * a checkpoint. */
// TEST np=3 timeout=120
#include "solver/step/sim.h"
#include "solver_test.h"

#define SEED                                                                                 \
  "physics.name=streamer\nproblem.name=streamer\nmesh.dim=2\n"                               \
  "mesh.coordinates=axisymmetric\nmesh.block_size=8\nmesh.xmax=1.25e-2 1.25e-2\n"            \
  "mesh.min_level=2\nmesh.max_level=4\nrefine.criterion=user\nrefine.buffer=4\n"             \
  "scheme.limiter=koren\nboundary.xhigh=outflow\nboundary.ylow=outflow\n"                    \
  "boundary.yhigh=outflow\npoisson.xhigh=no_slope\npoisson.ylow=zero\npoisson.yhigh=value\n" \
  "poisson.tolerance=1e-5\nproblem.seed_electrons=1e18\nreactions.gas=N2 0.8 O2 0.2\n"       \
  "reactions.file=@/problems/reactions.txt\n"

/* Six steps; with a path, the last three go on from a checkpoint there. */
static sim_t six_steps(MPI_Comm comm, const char *path) {
  sim_t s = sim_new(comm, SEED);
  MUST(oak_initialize(s.sim));
  for (int step = 0; step < 6; step++) {
    if (step == 3 && path) {
      MUST(oak_write_checkpoint(s.sim, path));
      sim_free(&s);
      s = sim_new(comm, SEED);
      MUST(oak_read_checkpoint(s.sim, path));
    }
    MUST(oak_advance(s.sim, oak_time_step(s.sim)));
    if (step % 2) MUST(oak_adjust_refinement(s.sim, NULL));
  }
  return s;
}

static void test_bits(void **state) {
  (void)state;
  char path[256];
  snprintf(path, sizeof path, "reactions_bits_%d", test_rank);
  sim_t s[2] = {six_steps(MPI_COMM_SELF, path), six_steps(MPI_COMM_WORLD, NULL)};
  const int first = (int)s[1].sim->data.mesh->first * s[1].cells, nvar = s[0].sim->setup.nvar;
  int different = 0;
  double density = 0;
  remove(path);
  for (int v = 0; v < nvar; v++) {
    double *one = sim_read(&s[0], v), *all = sim_read(&s[1], v);
    for (int i = 0; i < oak_nblocks(s[1].sim) * s[1].cells; i++) {
      different += memcmp(&one[first + i], &all[i], sizeof *one) != 0;
      if (v == nvar - 1) density = fmax(density, all[i]);
    }
    free(one);
    free(all);
  }
  assert_int_equal(oak_nblocks(s[0].sim), oak_nblocks_global(s[1].sim));
  assert_int_equal(sum_ranks_int(MPI_COMM_WORLD, different), 0);
  report("largest density of the last species: %.2e", max_ranks(MPI_COMM_WORLD, density));
  assert_true(max_ranks(MPI_COMM_WORLD, density) > 0);
  for (int i = 0; i < 2; i++) sim_free(&s[i]);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_bits)};
  return TEST_MAIN(tests);
}
