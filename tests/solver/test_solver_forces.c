// SPDX-License-Identifier: GPL-2.0-or-later
// TEST np={1,3} timeout=120
/* The force on solids is what the gas loses: in a periodic box a step of forward Euler changes the
 * momentum by the force times the step, with viscosity, refinement and rings, too. Forces on the
 * bodies of two parts of the domain add up to the force on all. */
#include "solver/step/sim.h"
#include "solver_test.h"

#define BODIES                                                                             \
  TEST_PROBLEM("bodies")                                                                   \
  "mesh.block_size=8\nmesh.min_level=2\nmesh.max_level=2\nscheme.limiter=vanleer\nscheme." \
  "integrator=euler\nboundary.ylow=periodic\nboundary.yhigh=periodic\nrefine."             \
  "variable=rho\n"
#define PERIODIC "boundary.xlow=periodic\nboundary.xhigh=periodic\n"

/* The force on bodies on one side of x = 1/2; side 2: on all. */
static void force_on(sim_t *s, int side, double force[2][3]) {
  int(*box)[6] = malloc((size_t)oak_nblocks(s->sim) * sizeof *box + 1);
  if (!box) abort();
  for (int b = 0; b < oak_nblocks(s->sim); b++) {
    double origin[3], dx[3];
    oak_block_geometry(s->sim, b, origin, dx);
    const int end = (origin[0] >= 0.5) == side ? s->n : 0;
    memcpy(box[b], (int[6]){0, 0, 0, end, end, s->dim == 3 ? end : 1}, sizeof *box);
  }
  MUST(oak_forces_measure(s->sim, side < 2 ? (const int(*)[6])box : NULL, force));
  free(box);
}

static void check_balance(const char *name, const char *keys, int first, int count, int viscous) {
  double before[16], after[16], force[3][2][3], worst = 0, sides = 0, most = 0;
  const double dt = 1e-4;
  sim_t s = sim_new(MPI_COMM_WORLD, BODIES "%s", keys);
  MUST(oak_initialize(s.sim));
  MUST(oak_advance(s.sim, dt)); /* the stream has met the walls */
  MUST(oak_totals(s.sim, before));
  for (int side = 0; side < 3; side++) force_on(&s, side, force[side]);
  MUST(oak_advance(s.sim, dt));
  MUST(oak_totals(s.sim, after));
  for (int d = first; d < first + count; d++) {
    double all[3] = {0};
    for (int side = 0; side < 3; side++) all[side] = force[side][0][d] + force[side][1][d];
    worst = worse(worst, fabs((before[1 + d] - after[1 + d]) / dt - all[2]));
    sides = worse(sides, fabs(all[0] + all[1] - all[2]));
    most = worse(most, fabs(all[2]));
  }
  report("%s: force %.3f, of it viscous %.3f; differs from the loss of momentum by %.1e", name,
         most, force[2][1][first], worst);
  assert_true(worst < 1e-10 && sides < 1e-12 && most > 0.01);
  assert_true((fabs(force[2][1][first]) > 0.01) == viscous);
  for (int d = 0; d < 3; d++)
    assert_int_equal(oak_forces_has(&s.sim->setup, d), d >= first && d < first + count);
  sim_free(&s);
}

static void test_balance(void **state) {
  (void)state;
  check_balance("viscous, three levels",
                PERIODIC
                "physics.name=navier_stokes\nphysics.mu=0.01\nboundary.solid=no_slip\n"
                "mesh.min_level=1\nmesh.max_level=3\nrefine.criterion=gradient\n",
                0, 2, 1);
  check_balance("rings",
                "physics.name=navier_stokes\nphysics.mu=0.01\nboundary.solid=no_slip\n"
                "mesh.coordinates=axisymmetric\nboundary.xhigh=reflect\n",
                1, 1, 1);
  if (test_short()) return;
  check_balance("3D",
                PERIODIC
                "physics.name=euler\nmesh.dim=3\nboundary.zlow=periodic\n"
                "boundary.zhigh=periodic\n",
                0, 3, 0);
  check_balance("field", PERIODIC "physics.name=mhd\nphysics.cleaning=0\n", 0, 2, 0);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_balance)};
  return TEST_MAIN(tests);
}
