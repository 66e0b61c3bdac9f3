// SPDX-License-Identifier: GPL-2.0-or-later
// TEST np={1,2} timeout=180 flags=-O1
// TEST name=long_@test@_np3 np=3 suite=long
/* POISSON_COEFFICIENTS and POISSON_BOUNDARY: a made-up solution with all conditions at once, a
 * dielectric in a field, the same bits for any number of ranks and after a restart, what is
 * refused. */
#include "solver/step/sim.h"
#include "solver_test.h"

#define OPEN(face) "boundary." face "=outflow\n"
#define AT_REST "physics.name=advection\nphysics.vx=0\nphysics.vy=0\nphysics.vz=0\n"
#define POTENTIAL           \
  TEST_PROBLEM("potential") \
  AT_REST "mesh.dim=2\nmesh.block_size=8\nrun.cfl=1\n" OPEN("xlow") OPEN("xhigh") OPEN("ylow")    \
      OPEN("yhigh") "poisson.xlow=value\npoisson.xhigh=slope\npoisson.ylow=no_slope\n"            \
                    "poisson.boundary=zero\nrefine.criterion=none\npoisson.tolerance=1e-10\n"
#define ELECTROSTATIC                                                                              \
  "problem.name=electrostatic\n" AT_REST                                                           \
  "mesh.dim=2\nmesh.block_size=8\nrun.cfl=1\nmesh.xmin=-1\nmesh.xmax=1\npoisson.boundary=value\n"  \
  "refine.criterion=user\nrefine.c_refine=0.5\nrefine.c_derefine=0.1\n" OPEN("xlow") OPEN("xhigh") \
      OPEN("ylow") OPEN("yhigh")

typedef double (*exact_t)(const double x[3], double t);

/* The largest and the mean difference of a field from a function at the present time. */
static void errors(const sim_t *s, const char *field, exact_t exact, double out[2]) {
  const int n = oak_nblocks(s->sim);
  double *v = malloc(((size_t)n * s->cells + 1) * sizeof *v), sum[2] = {0, 0}, most = 0;
  MUST(oak_field_get(s->sim, field, oak_nblocks(s->sim), v));
  for (int i = 0; i < n * s->cells; i++) {
    double x[3];
    sim_center(s, i / s->cells, i % s->cells, x);
    const double error = fabs(v[i] - exact(x, oak_time(s->sim)));
    most = fmax(most, error);
    sum[0] += sim_volume(s, i / s->cells) * error;
    sum[1] += sim_volume(s, i / s->cells);
  }
  free(v);
  MPI_Allreduce(&most, out, 1, MPI_DOUBLE, MPI_MAX, s->comm);
  MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPI_DOUBLE, MPI_SUM, s->comm);
  out[1] = sum[0] / sum[1];
}

static double potential(const double x[3], double t) {
  return cos(t) * sin(x[0] + 0.3) * cos(M_PI / 2 * x[1]);
}
static double potential_x(const double x[3], double t) {
  return cos(t) * cos(x[0] + 0.3) * cos(M_PI / 2 * x[1]);
}
static double potential_y(const double x[3], double t) {
  return -M_PI / 2 * cos(t) * sin(x[0] + 0.3) * sin(M_PI / 2 * x[1]);
}

/* Refine the blocks in one of two squares. */
static void refine_there(sim_t *s, int which) {
  const int n = oak_nblocks(s->sim);
  int *flag = calloc(n + 1, sizeof *flag);
  for (int b = 0; b < n; b++) {
    double origin[3], dx[3];
    oak_block_geometry(s->sim, b, origin, dx);
    flag[b] = fabs(origin[0] + s->n / 2 * dx[0] - (which ? 0.75 : 0.5)) < 0.25 &&
              fabs(origin[1] + s->n / 2 * dx[1] - (which ? 0.5 : 0.75)) < 0.25;
  }
  MUST(oak_adjust_refinement_flags(s->sim, oak_nblocks(s->sim), flag, NULL));
  MUST(oak_update_time_step(s->sim));
  free(flag);
}

/* Errors of phi (largest) and of its gradient (mean) after two steps, each on another mesh.
 */
static void solve_potential(int level, int finer, double out[2]) {
  double e[2], x[2], y[2];
  sim_t s = sim_new(MPI_COMM_WORLD, POTENTIAL "mesh.min_level=%d\nmesh.max_level=%d\n", level,
                    level + finer);
  MUST(oak_initialize(s.sim));
  for (int step = 0; step < 2; step++) {
    if (finer) refine_there(&s, step);
    MUST(oak_advance(s.sim, 0.125));
  }
  errors(&s, "phi", potential, e);
  errors(&s, "phi_x", potential_x, x);
  errors(&s, "phi_y", potential_y, y);
  out[0] = e[0];
  out[1] = x[1] + y[1];
  report("made-up potential, level %d%s: error %.2e, of the gradient %.2e, %d cycles", level,
         finer ? " to 1 more" : "", out[0], out[1], s.sim->poisson[0].cycles);
  assert_true(s.sim->poisson[0].residual <= 1e-10);
  sim_free(&s);
}

static void test_orders(void **state) {
  (void)state;
  for (int finer = 0; finer <= 1; finer++) {
    double coarse[2], fine[2];
    solve_potential(2, finer, coarse);
    solve_potential(3, finer, fine);
    report("orders %.2f, %.2f", log2(coarse[0] / fine[0]), log2(coarse[1] / fine[1]));
    assert_true(log2(coarse[0] / fine[0]) > 1.9);
    assert_true(log2(coarse[1] / fine[1]) > 1.9);
  }
}

/* ---- the dielectric */

static double charge; /* problem.charge; the other parameters have their defaults */
static double dielectric(const double x[3], double t) {
  const double R = 0.25, r = hypot(x[0], x[1]), field = (1 - charge / 3) * cos(2 * M_PI * t);
  if (r < R) return -field * x[0] / 3 + charge * (R * R - r * r) / 20;
  return -field * x[0] * (1 - R * R * 2 / 3 / (r * r)) - charge * R * R / 2 * log(r / R);
}

static double solve_dielectric(int min, int max, int64_t *blocks) {
  double e[2];
  sim_t s = sim_new(MPI_COMM_WORLD,
                    ELECTROSTATIC
                    "problem.charge=%g\nproblem.field=%g\nmesh.min_level=%d\n"
                    "mesh.max_level=%d\n",
                    charge, 1 - charge / 3, min, max);
  MUST(oak_initialize(s.sim));
  MUST(oak_advance(s.sim, oak_time_step(s.sim)));
  errors(&s, "phi", dielectric, e);
  *blocks = oak_nblocks_global(s.sim);
  report("dielectric, charge %g, levels %d to %d, %lld blocks: error %.2e, mean %.2e", charge, min,
         max, (long long)*blocks, e[0], e[1]);
  sim_free(&s);
  return e[0];
}

/* The surface of the dielectric cuts cells, so the order is 1 there. An adaptive mesh has the
 * error of a mesh that is fine everywhere. */
static void test_dielectric(void **state) {
  (void)state;
  int64_t all, some;
  for (charge = 0; charge <= 3; charge += 3) {
    const double coarse = solve_dielectric(3, 3, &all), fine = solve_dielectric(5, 5, &all);
    const double adaptive = solve_dielectric(3, 5, &some);
    assert_true(fine < 0.4 * coarse && fine < 0.0025);
    assert_true(adaptive < 1.1 * fine && some < all / 4);
  }
}

/* ---- bits */

/* A run on all ranks, and one on this rank alone that continues from a checkpoint half-way. */
static void test_bits(void **state) {
  (void)state;
  sim_t s[2];
  char path[256];
  int different = 0;
  snprintf(path, sizeof path, "poisson_hooks_test_%d.%d", test_size, test_rank);
  for (int i = 0; i < 2; i++) {
    const char *const lines = POTENTIAL "mesh.min_level=1\nmesh.max_level=3\n";
    s[i] = sim_new(i ? MPI_COMM_WORLD : MPI_COMM_SELF, "%s", lines);
    MUST(oak_initialize(s[i].sim));
    for (int step = 0; step < 4; step++) {
      if (step < 2) refine_there(&s[i], step);
      if (step == 3 && i == 0) {
        MUST(oak_write_checkpoint(s[i].sim, path));
        sim_free(&s[i]);
        s[i] = sim_new(MPI_COMM_SELF, "%s", lines);
        MUST(oak_read_checkpoint(s[i].sim, path));
        remove(path);
      }
      MUST(oak_advance(s[i].sim, oak_time_step(s[i].sim)));
    }
  }
  const int n = oak_nblocks(s[1].sim), first = (int)s[1].sim->data.mesh->first;
  const size_t cells = (size_t)s[1].cells;
  for (int v = 0; v < 2; v++) {
    const char *const name = v ? "phi_y" : "phi";
    double *one = malloc(oak_nblocks(s[0].sim) * cells * sizeof *one);
    double *all = malloc((n * cells + 1) * sizeof *all);
    MUST(oak_field_get(s[0].sim, name, oak_nblocks(s[0].sim), one));
    MUST(oak_field_get(s[1].sim, name, oak_nblocks(s[1].sim), all));
    for (size_t i = 0; i < n * cells; i++)
      different += memcmp(&one[first * cells + i], &all[i], sizeof *one) != 0;
    free(one);
    free(all);
  }
  for (int i = 0; i < 2; i++) sim_free(&s[i]);
  different = sum_ranks_int(MPI_COMM_WORLD, different);
  report("%d values differ from those of one rank and a restart", different);
  assert_int_equal(different, 0);
}

/* ---- mistakes */

static void refused(const char *lines, const char *part) {
  sim_t s;
  char all[4096];
  va_list none;
  memset(&none, 0, sizeof none);
  snprintf(all, sizeof all, "%s", lines);
  assert_int_equal(try_new(&s, MPI_COMM_WORLD, all, none), OAK_ERR_INPUT);
  if (!strstr(oak_last_error(), part)) fail_msg("'%s' is not in: %s", part, oak_last_error());
  sim_free(&s);
}

static void test_mistakes(void **state) {
  (void)state;
  refused(POTENTIAL "poisson.boundary=isolated\n", "holds on 1 of 4 faces");
  refused(POTENTIAL "poisson.xlow=zero\npoisson.xhigh=zero\n", "no face of the domain uses");
  refused("problem.name=jeans\nphysics.name=euler\nmesh.dim=2\npoisson.boundary=value\n" OPEN(
              "xlow") OPEN("xhigh"),
          "the file has no POISSON_BOUNDARY(at, face)");
  refused(
      "problem.name=jeans\nphysics.name=euler\nmesh.dim=2\npoisson.boundary=zero\n"
      "poisson.xhigh=value\n" OPEN("xlow") OPEN("xhigh"),
      "poisson.xhigh = value or slope: the file has no POISSON_BOUNDARY(at, face)");
  refused("problem.name=jeans\nphysics.name=euler\nmesh.dim=2\npoisson.boundary=value\n",
          "poisson.boundary = value has no effect, because the domain is periodic");
  refused("problem.name=jeans\nphysics.name=euler\nmesh.dim=2\npoisson.ylow=zero\n",
          "poisson.ylow = zero has no effect, because the domain is periodic along this axis");
  refused("problem.name=jeans\nphysics.name=euler\nmesh.dim=2\npoisson.zlow=zero\n",
          "poisson.zlow = zero has no effect, because the domain is two-dimensional");
  refused("problem.name=vortex\nphysics.name=euler\nmesh.dim=2\npoisson.tolerance=1e-10\n",
          "poisson.tolerance = 1e-10 has no effect");
  sim_t s = sim_new(MPI_COMM_WORLD,
                    "problem.name=vortex\nphysics.name=euler\nmesh.dim=2\nmesh.min_level=1\n"
                    "mesh.max_level=1\npoisson.tolerance=1.0e-8\npoisson.gather_cells=64\n");
  sim_free(&s);
  s = sim_new(MPI_COMM_WORLD, POTENTIAL
              "problem.mistake=0.25\nmesh.min_level=1\n"
              "mesh.max_level=1\n");
  MUST(oak_initialize(s.sim));
  MUST(oak_advance(s.sim, 0.1));
  assert_int_equal(oak_advance(s.sim, 0.2), OAK_ERR_STATE);
  assert_non_null(strstr(oak_last_error(), "a must be positive"));
  assert_true(s.sim->poisson[0].time == 0.1); /* phi is still that of the first stage */
  sim_free(&s);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_orders),
                                     cmocka_unit_test(test_dielectric), cmocka_unit_test(test_bits),
                                     cmocka_unit_test(test_mistakes)};
  return TEST_MAIN(tests);
}
