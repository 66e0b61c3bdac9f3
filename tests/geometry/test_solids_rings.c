// SPDX-License-Identifier: GPL-2.0-or-later
// TEST np={1,3} timeout=120 flags=-O1
// TEST name=@test@_fake_lanes_np1 timeout=300 suite=all needs=lanes OAK_TEST_SHORT=1
// OAK_TEST_DEVICE=cuda OAK_FAKE_CUDA=lanes=1
/* Solids in (r, z), polar and spherical coordinates: their walls act like boundaries, with slip and
 * without, for a viscous gas that turns; gas around a sphere stays at rest, and nothing flows
 * through its surface. */
#include "solver_test.h"

#define GAS                                                                        \
  TEST_PROBLEM("ring_walls")                                                       \
  "physics.name=navier_stokes\nphysics.gamma=1.4\nmesh.coordinates=axisymmetric\n" \
  "mesh.block_size=8\nscheme.flux=hll\nscheme.limiter=vanleer\ndevice.flags=-O1\n" \
  "boundary.xhigh=reflect\nboundary.ylow=reflect\nboundary.yhigh=reflect\n"

enum { NR = 24, NZ = 32, VALUES = 4 };
static const char *const values[VALUES] = {"rho", "mx", "my", "mz"};

enum { RZ, POLAR, SPHERICAL };
static const char *const system_name[] = {"axisymmetric", "polar", "spherical"};

/* Density and momentum of the cells of 1/32 in 1/4 < r < 1, 0 < z < 1, or phi or theta - 1 for z.
 */
static void collect(const sim_t *s, int count, int system, double out[VALUES][NR * NZ]) {
  for (int v = 0; v < count; v++) {
    double *u = sim_read(s, v), x[3];
    assert_string_equal(oak_variable_name(s->sim, v), values[v]);
    memset(out[v], 0, NR * NZ * sizeof(double));
    for (int c = 0; c < oak_nblocks(s->sim) * s->cells; c++) {
      sim_center(s, c / s->cells, c % s->cells, x);
      x[1] -= system == SPHERICAL;
      if (x[0] > 0.25 && x[0] < 1 && x[1] > 0 && x[1] < 1)
        out[v][(int)(x[1] * NZ) * NR + (int)((x[0] - 0.25) * 32)] = u[c];
    }
    free(u);
    MPI_Allreduce(MPI_IN_PLACE, out[v], NR * NZ, MPI_DOUBLE, MPI_SUM, s->comm);
  }
}

static void compare_walls(const char *more, int no_slip, int system) {
  static double u[2][VALUES][NR * NZ];
  const int count = system == POLAR ? VALUES - 1 : VALUES;
  double most = 0, motion = 0;
  for (int i = 0; i < 2; i++) {
    const char *kind = no_slip ? "boundary.xlow=user\nboundary.xhigh=user\nboundary.ylow=user\n"
                                 "boundary.yhigh=user\n"
                               : "boundary.xlow=reflect\n";
    const char *around[] = {"mesh.trees=5 6\nmesh.xmin=0 -0.25\nmesh.xmax=1.25 1.25\n",
                            "mesh.trees=4 6\nmesh.xmin=0.25 -0.25\nmesh.xmax=1.25 1.25\n",
                            "mesh.trees=4 6\nmesh.xmin=0.25 0.75\nmesh.xmax=1.25 2.25\n"};
    const char *inside[] = {"mesh.xmin=0.25 0\nmesh.xmax=1 1\n",
                            "mesh.xmin=0.25 0\nmesh.xmax=1 1\n",
                            "mesh.xmin=0.25 1\nmesh.xmax=1 2\n"};
    sim_t s = sim_new(MPI_COMM_WORLD,
                      GAS "mesh.max_level=0\nmesh.trees=3 4\n%smesh.coordinates=%s\n%s%s%s%s", more,
                      system_name[system], i ? "problem.kind=walls\n" : "",
                      i ? around[system] : inside[system], !i || system != RZ ? kind : "",
                      i && no_slip ? "boundary.solid=no_slip\n" : "");
    MUST(oak_initialize(s.sim));
    for (int n = 0; n < 30; n++) MUST(oak_advance(s.sim, system == RZ ? 1e-3 : 2e-4));
    collect(&s, count, system, u[i]);
    sim_free(&s);
  }
  for (int v = 0; v < count; v++)
    for (int c = 0; c < NR * NZ; c++) {
      most = worse(most, fabs(u[0][v][c] - u[1][v][c]));
      motion = worse(motion, fabs(u[0][v][c]));
    }
  report("%s, %s: walls of solids and boundaries differ by %.1e of %.2f", system_name[system],
         no_slip ? "without slip" : "with slip", most, motion);
  assert_true(most < 1e-11 && motion > 0.4);
}

static void test_walls(void **state) {
  (void)state;
  for (int system = RZ; system <= SPHERICAL; system++) {
    if (!test_short()) compare_walls("physics.nu=0.05\nphysics.prandtl=0.7\n", 0, system);
    if (system < SPHERICAL) compare_walls("physics.nu=0.05\nphysics.prandtl=0.7\n", 1, system);
  }
}

/* The surface of the sphere has steps, and lies on the finest of three levels. */
static void test_sphere(void **state) {
  (void)state;
  double start[8], end[8], most = 0, most_rho = 0;
  int low, high;
  sim_t s = sim_new(MPI_COMM_WORLD, GAS
                    "problem.kind=sphere\nphysics.nu=0.05\nmesh.min_level=1\nmesh.max_level=3\n"
                    "refine.criterion=gradient\nrefine.variable=p\n");
  MUST(oak_initialize(s.sim));
  sim_levels(&s, &low, &high);
  assert_true(low < high);
  MUST(oak_totals(s.sim, start));
  for (int n = 0; n < 40; n++) MUST(oak_advance(s.sim, oak_time_step(s.sim)));
  MUST(oak_totals(s.sim, end));
  for (int v = 1; v < 4; v++) {
    double *u = sim_read(&s, v);
    for (int c = 0; c < oak_nblocks(s.sim) * s.cells; c++) most = worse(most, fabs(u[c]));
    free(u);
  }
  most = max_ranks(s.comm, most);
  most_rho = fabs(end[0] / start[0] - 1);
  report(
      "around a sphere, levels %d to %d: largest momentum %.1e, mass changes by %.1e; volume of "
      "the gas %.5f",
      low, high, most, most_rho, start[0]);
  assert_true(most < 1e-13 && most_rho < 1e-14);
  assert_true(fabs(start[0] / (M_PI - 4 * M_PI / 3 * 0.027) - 1) < 0.005);
  sim_free(&s);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_walls), cmocka_unit_test(test_sphere)};
  return TEST_MAIN(tests);
}
