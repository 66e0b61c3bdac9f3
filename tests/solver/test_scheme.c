/* SPDX-License-Identifier: GPL-2.0-or-later
 * Each form of the flux kernel gives the same bits as kernels/scheme/reference.h: tiles whose rows
 * are computed one after the other (blocks of 16 cells) or together, single cells, and walks along
 * columns. Compilers may change the sign of zero. $OAK_TEST_LONG: all physics, dimensions,
 * coordinates and forms, with and without solids; otherwise a sample in which each of them occurs.
 */
// TEST np={1} timeout=600
#include "kernels/reference.h"
#include "solver_test.h"

typedef struct {
  const char *name, *keys;
  int dims; /* bits: 1 exists in 2D, 2 in 3D, 4 in 2D with numbers on the sides of faces */
} choice_t;

static const choice_t physics[] = {
    {"euler", "physics.name=euler\nscheme.flux=hllc\n", 3},
    {"mhd", "physics.name=mhd\nphysics.damping=0\nscheme.limiter=weno5\nscheme.ghost_layers=3\n",
     3},
    {"isothermal with scalars",
     "physics.name=isothermal\nphysics.scalars=a b\nphysics.scalar_values=bounded\n", 3},
    {"shallow water", "physics.name=shallow_water\n", 4}};
static const choice_t coordinates[] = {{"cartesian", "", 7},
                                       {"axisymmetric", "mesh.coordinates=axisymmetric\n", 1},
                                       {"polar", "mesh.coordinates=polar\n", 5},
                                       {"cylindrical", "mesh.coordinates=cylindrical\n", 2},
                                       {"spherical", "mesh.coordinates=spherical\n", 3}};
static const choice_t forms[] = {
    {"rows", "mesh.block_size=16\ndevice.flags=-O1 -ffp-contract=off\n", 3},
    {"tiles", "mesh.block_size=8\ndevice.flags=-O1 -ffp-contract=off\n", 3},
    {"cells", "mesh.block_size=8\ndevice.flags=-O1 -ffp-contract=off -DOAK_CELL_LOOPS=1\n", 3},
    {"walks",
     "mesh.block_size=8\ndevice.flags=-O1 -ffp-contract=off -DOAK_CELL_LOOPS=1 "
     "-DOAK_WALK_CELLS=3\n",
     3}};
enum {
  NPHYSICS = sizeof physics / sizeof *physics,
  NCOORDINATES = sizeof coordinates / sizeof *coordinates,
  NFORMS = sizeof forms / sizeof *forms
};

/* The sample: numbers of physics, coordinates, form; dimensions, solids. */
static const int sample[][5] = {{0, 4, 0, 3, 0}, {1, 2, 1, 2, 1}, {2, 3, 2, 3, 1},
                                {3, 0, 3, 2, 0}, {0, 1, 3, 2, 1}, {3, 0, 0, 2, 1}};

static void compare(const choice_t *p, const choice_t *c, const choice_t *form, int dim,
                    int solid) {
  char path[512];
  int64_t differ = 0, solids = 0;
  oak_kernel_t *kernel;
  if (!(p->dims & c->dims & (dim == 2 ? 5 : 2))) return;
  sim_t s = sim_new(MPI_COMM_WORLD,
                    "problem.name=@/problems/any%s.c\n%s%s%smesh.dim=%d\nmesh.min_level=0\n"
                    "mesh.max_level=0\nmesh.xmin=%s\nmesh.xmax=%s\nscheme.integrator=euler\n"
                    "boundary.xlow=outflow\nboundary.xhigh=outflow\nboundary.ylow=outflow\n"
                    "boundary.yhigh=outflow\n%s",
                    solid ? "_solid" : "", p->keys, c->keys, form->keys, dim,
                    test_axes(dim, 0.5, 0.4, 0.2).text, test_axes(dim, 1.5, 1.4, 1.2).text,
                    dim == 3 ? "boundary.zlow=outflow\nboundary.zhigh=outflow\n" : "");
  const size_t size = (size_t)oak_nblocks(s.sim) * s.cells;
  double *out = calloc(size * s.nvar, sizeof *out), rate[1], bad[1];
  if (!out) abort();
  assert_int_equal(oak_nblocks(s.sim), 1);
  MUST(oak_initialize(s.sim));
  MUST(oak_update_ghostcells(s.sim));
  reference_args_t args = {
      .dt = oak_time_step(s.sim), .cfl = 0.5, .out = out, .rate = rate, .bad = bad};
  snprintf(path, sizeof path, "%s/kernels/reference.c", test_folder());
  MUST(oak_kernel_build(s.sim, path, "reference", &kernel));
  MUST(oak_kernel_run(s.sim, kernel, &args, sizeof args));
  MUST(oak_advance(s.sim, args.dt));
  for (int v = 0; v < s.nvar; v++) {
    double *u = sim_read(&s, v);
    for (size_t i = 0; i < size; i++) differ += !(u[i] == out[v * size + i]);
    free(u);
  }
  for (size_t i = 0; solid && i < size; i++) solids += out[(s.nvar - 1) * size + i] > 0.5;
  report("%s, %dD %s%s, %s: %d of %d numbers differ, time step %.17g, of the reference %.17g",
         p->name, dim, c->name, solid ? " with a solid" : "", form->name, (int)differ,
         (int)size * s.nvar, oak_time_step(s.sim), args.cfl / rate[0]);
  assert_int_equal(differ, 0);
  assert_true(bad[0] == 0);
  assert_true(!solid || (solids > 0 && solids < (int64_t)size));
  assert_true(oak_time_step(s.sim) == fmin(args.cfl / rate[0], 2 * args.dt));
  free(out);
  sim_free(&s);
}

static void test_sample(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof sample / sizeof *sample && !test_long(); i++)
    compare(&physics[sample[i][0]], &coordinates[sample[i][1]], &forms[sample[i][2]], sample[i][3],
            sample[i][4]);
}

static void test_all(void **state) {
  (void)state;
  const int count = test_long() ? NPHYSICS * NCOORDINATES * NFORMS * 4 : 0;
  for (int i = 0; i < count; i++)
    compare(&physics[i / 4 / NFORMS / NCOORDINATES], &coordinates[i / 4 / NFORMS % NCOORDINATES],
            &forms[i / 4 % NFORMS], 2 + i / 2 % 2, i % 2);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_sample), cmocka_unit_test(test_all)};
  return TEST_MAIN(tests);
}
