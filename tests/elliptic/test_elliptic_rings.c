// SPDX-License-Identifier: GPL-2.0-or-later
// TEST np={1,3} timeout=120 flags=-O1
/* Elliptic equations in (r, z): order of solution and gradient with the axis in the domain and
 * beside it, with levels and with coefficients that vary; the factor of a cycle; only derivatives
 * given; the potential of isolated spheres; the same bits on any number of ranks. */
#include "solver_test.h"

#define RINGS                                                                              \
  TEST_PROBLEM("rings")                                                                    \
  "physics.name=euler\nmesh.coordinates=axisymmetric\nmesh.block_size=8\nmesh.trees=1 1\n" \
  "boundary.xhigh=outflow\nboundary.ylow=outflow\nboundary.yhigh=outflow\n"
#define AXIS "mesh.xmin=0 -0.5\nmesh.xmax=1 0.5\n"
#define BESIDE "boundary.xlow=outflow\nmesh.xmin=0.3 -0.5\nmesh.xmax=1.3 0.5\n"

typedef double (*function_t)(const double x[3]);

static void refine(sim_t *s, int (*wanted)(const double x[3], int round), int round) {
  const int n = oak_nblocks(s->sim);
  int *flag = malloc((n + 1) * sizeof *flag);
  for (int b = 0; b < n; b++) {
    double x[3], dx[3];
    oak_block_geometry(s->sim, b, x, dx);
    for (int d = 0; d < 2; d++) x[d] += 0.5 * s->n * dx[d];
    flag[b] = wanted(x, round);
  }
  MUST(oak_adjust_refinement_flags(s->sim, oak_nblocks(s->sim), flag, NULL));
  free(flag);
}

static int everywhere(const double x[3], int round) { return (void)x, (void)round, 1; }
/* A disk on the axis and a ring, or rings. */
static int parts(const double x[3], int round) {
  const double size = 0.3 / (1 << round);
  const int inner = x[0] < 0.1 + size && fabs(x[1] - 0.05) < size;
  return inner || (fabs(x[0] - 0.7) < size && fabs(x[1] + 0.2) < 0.7 * size);
}

/* The parts have cells of higher levels, `jumps` of them. With `finer`, all blocks are refined once
 * more. */
static sim_t sim_of(const char *domain, int level, int jumps, int finer) {
  sim_t s = sim_new(MPI_COMM_WORLD, RINGS "%smesh.min_level=%d\nmesh.max_level=%d\n", domain, level,
                    level + jumps + finer);
  MUST(oak_initialize(s.sim));
  for (int round = 0; round < jumps; round++) refine(&s, parts, round);
  if (finer) refine(&s, everywhere, 0);
  return s;
}

/* u = J0(3 r) cosh(1.5 z + 0.3), for which div grad u = (1.5^2 - 3^2) u. */
static double u_exact(const double x[3]) { return j0(3 * x[0]) * cosh(1.5 * x[1] + 0.3); }
static double u_r(const double x[3]) { return -3 * j1(3 * x[0]) * cosh(1.5 * x[1] + 0.3); }
static double u_z(const double x[3]) { return j0(3 * x[0]) * 1.5 * sinh(1.5 * x[1] + 0.3); }
static double f_plain(const double x[3]) { return (2.25 - 9) * u_exact(x); }

static double phase(const double x[3]) { return 2 * x[0] * x[0] + x[1]; }
static double a_varies(const double x[3]) { return 1.5 + sin(phase(x)); }
static double b_varies(const double x[3]) { return 1 + x[0] * x[0]; }
static double f_varies(const double x[3]) {
  return a_varies(x) * f_plain(x) + cos(phase(x)) * (4 * x[0] * u_r(x) + u_z(x)) -
         b_varies(x) * u_exact(x);
}

/* u is given on the faces of r, its outward derivative on those of z. */
static double outside(void *data, int face, const double x[3], double time) {
  (void)data, (void)time;
  return face < 2 ? u_exact(x) : face == 2 ? -u_z(x) : u_z(x);
}

static void give(const sim_t *s, oak_solver_t *solver, oak_solver_values_t what, function_t f) {
  const int n = oak_nblocks(s->sim);
  double *values = malloc(((size_t)n * s->cells + 1) * sizeof *values), x[3];
  for (int i = 0; i < n * s->cells; i++) {
    sim_center(s, i / s->cells, i % s->cells, x);
    values[i] = f(x);
  }
  MUST(oak_solver_write(solver, what, 0, n, values));
  free(values);
}

/* Largest and mean error of the solution (axis -1) or of its derivative. The mean is by volume, and
 * over the volume of r < 1. */
static void find_errors(const sim_t *s, oak_solver_t *solver, int axis, function_t f,
                        double error[2]) {
  const int n = oak_nblocks(s->sim);
  double *u = malloc(((size_t)n * s->cells + 1) * sizeof *u), x[3];
  if (axis < 0)
    MUST(oak_solver_read(solver, OAK_SOLVER_SOLUTION, 0, n, u));
  else
    MUST(oak_solver_gradient(solver, axis, oak_nblocks(s->sim), u));
  error[0] = error[1] = 0;
  for (int i = 0; i < n * s->cells; i++) {
    sim_center(s, i / s->cells, i % s->cells, x);
    const double e = fabs(u[i] - f(x));
    error[0] = worse(error[0], e);
    error[1] += 2 * x[0] * sim_volume(s, i / s->cells) * e;
  }
  free(u);
  error[0] = max_ranks(s->comm, error[0]);
  error[1] = sum_ranks(s->comm, error[1]);
}

/* The factor by which a cycle reduces the residual, in the mean of the cycles after the first. */
static double mean_factor(const oak_solver_report_t *r) {
  return pow(r->residual[1] / r->residual[r->cycles], 1.0 / (r->cycles - 1));
}

typedef struct {
  const char *domain;
  int level, jumps, fields;
} case_t;

/* Errors of u, u_r and u_z. */
static void solve(const case_t *c, int finer, double least, double error[3]) {
  oak_solver_t *solver;
  oak_solver_report_t r;
  oak_solver_options_t options = {
      .a = 1, .fields = c->fields, .value = outside, .tolerance = 1e-10, .max_cycles = 30};
  double e[2];
  for (int face = 2; face < 4; face++) options.face[face].condition = OAK_SOLVER_NEUMANN;
  sim_t s = sim_of(c->domain, c->level, c->jumps, finer);
  MUST(oak_solver_new(s.sim, &options, &solver));
  give(&s, solver, OAK_SOLVER_RHS, c->fields ? f_varies : f_plain);
  if (c->fields) give(&s, solver, OAK_SOLVER_A, a_varies);
  if (c->fields) give(&s, solver, OAK_SOLVER_B, b_varies);
  MUST(oak_solve(solver, &r));
  find_errors(&s, solver, -1, u_exact, e);
  error[0] = e[0];
  find_errors(&s, solver, 0, u_r, e);
  error[1] = e[1];
  find_errors(&s, solver, 1, u_z, e);
  error[2] = e[1];
  report("levels %d to %d%s: %d cycles, each by %.1f; errors %.2e, gradient %.2e %.2e",
         c->level + finer, c->level + c->jumps + finer, c->fields ? ", a and b vary" : "", r.cycles,
         mean_factor(&r), error[0], error[1], error[2]);
  oak_solver_destroy(&solver);
  sim_free(&s);
  assert_true(mean_factor(&r) >= least);
}

static void test_orders(void **state) {
  static const case_t cases[] = {{AXIS, 3, 0, 0},   {BESIDE, 3, 0, 0}, {AXIS, 3, 2, 0},
                                 {BESIDE, 3, 2, 0}, {AXIS, 3, 0, 1},   {AXIS, 3, 2, 1}};
  (void)state;
  for (int n = 0; n < (test_short() ? 1 : 6); n++) {
    double a[3], b[3];
    const double least = strstr(cases[n].domain, AXIS) ? 30 : 10; /* per cycle */
    solve(&cases[n], 0, least, a);
    solve(&cases[n], 1, least, b);
    const double order[] = {log2(a[0] / b[0]), log2(a[1] / b[1]), log2(a[2] / b[2])};
    report("orders %.2f, gradient %.2f %.2f", order[0], order[1], order[2]);
    assert_true(order[0] > 1.85 && order[1] > 1.85 && order[2] > 1.85);
  }
}

/* u = cos(pi r^2) cos(2 pi z), whose derivatives are 0 at r = 1 and z = +-1/2; its mean by volume
 * is 0, that of the cells' values is not. */
static double u_floats(const double x[3]) {
  return cos(M_PI * x[0] * x[0]) * cos(2 * M_PI * x[1]) + 0.5 * cos(2 * M_PI * x[1]);
}
static double f_floats(const double x[3]) {
  const double k = M_PI * x[0] * x[0], z = cos(2 * M_PI * x[1]);
  return z * (-4 * M_PI * sin(k) - 4 * M_PI * k * cos(k) - 4 * M_PI * M_PI * (cos(k) + 0.5));
}
static double one(const double x[3]) { return 1 + 0 * x[0]; }
static double none(const double x[3]) { return 0 * x[0]; }

static void test_floating(void **state) {
  (void)state;
  double error[2][2];
  for (int fields = 0; fields < 2; fields++) {
    for (int finer = 0; finer < 2; finer++) {
      oak_solver_t *solver;
      oak_solver_report_t r;
      oak_solver_options_t options = {
          .a = 1, .fields = fields, .tolerance = 1e-10, .max_cycles = 30};
      for (int face = 0; face < 4; face++) options.face[face].condition = OAK_SOLVER_NEUMANN;
      sim_t s = sim_of(AXIS, 3, 1, finer);
      MUST(oak_solver_new(s.sim, &options, &solver));
      give(&s, solver, OAK_SOLVER_RHS, f_floats);
      if (fields) give(&s, solver, OAK_SOLVER_A, one);
      if (fields) give(&s, solver, OAK_SOLVER_B, none);
      MUST(oak_solve(solver, &r));
      find_errors(&s, solver, -1, u_floats, error[finer]);
      report("only derivatives given: %d cycles, each by %.1f; error %.2e", r.cycles,
             mean_factor(&r), error[finer][0]);
      assert_true(mean_factor(&r) > 30);
      oak_solver_destroy(&solver);
      sim_free(&s);
    }
    assert_true(log2(error[0][0] / error[1][0]) > 1.85);
  }
}

/* ---- isolated: balls on the axis, G = 1 */

static const double ball[2][3] = {{0.1, 0.2, 1}, {-0.15, 0.15, 3}}; /* z, radius, density */

static double distance(const double x[3], int i) { return hypot(x[0], x[1] - ball[i][0]); }

/* The mean over a cell of 1/64: by 16^2 points. */
static double mass_source(const double x[3]) {
  const double h = 1.0 / 64;
  double sum = 0, volume = 0;
  for (int p = 0; p < 256; p++) {
    const double y[3] = {x[0] + ((p % 16 + 0.5) / 16 - 0.5) * h,
                         x[1] + ((p / 16 + 0.5) / 16 - 0.5) * h, 0};
    volume += y[0];
    for (int i = 0; i < 2; i++)
      if (distance(y, i) < ball[i][1]) sum += 4 * M_PI * ball[i][2] * y[0];
  }
  return sum / volume;
}

static double potential(const double x[3]) {
  double sum = 0;
  for (int i = 0; i < 2; i++) {
    const double r = distance(x, i), a = ball[i][1], mass = 4 * M_PI / 3 * a * a * a * ball[i][2];
    sum -= r > a ? mass / r : mass * (3 * a * a - r * r) / (2 * a * a * a);
  }
  return sum;
}

/* The right-hand side is near the boundary, so that poles of high degree count. */
static void test_isolated(void **state) {
  (void)state;
  oak_solver_t *solver;
  oak_solver_options_t options = {.a = 1, .tolerance = 1e-9, .max_cycles = 20};
  double error[2];
  for (int face = 0; face < 4; face++) options.face[face].condition = OAK_SOLVER_ISOLATED;
  sim_t s = sim_new(MPI_COMM_WORLD, RINGS
                    "mesh.xmin=0 -0.5\nmesh.xmax=0.5 0.5\nmesh.trees=1 2\n"
                    "mesh.min_level=2\nmesh.max_level=2\n");
  MUST(oak_initialize(s.sim));
  MUST(oak_solver_new(s.sim, &options, &solver));
  give(&s, solver, OAK_SOLVER_RHS, mass_source);
  MUST(oak_solve(solver, NULL));
  find_errors(&s, solver, -1, potential, error);
  report("balls, isolated: largest error %.1e of a potential of %.2f", error[0],
         -potential((double[3]){0, -0.15, 0}));
  assert_true(error[0] < 4e-4);
  oak_solver_destroy(&solver);
  sim_free(&s);
}

/* Cells whose bits differ from those of a run of this rank alone. */
static void test_ranks(void **state) {
  (void)state;
  double *u[2];
  size_t first = 0, count = 0;
  int different = 0;
  for (int i = 0; i < 2; i++) {
    oak_solver_t *solver;
    oak_solver_options_t options = {.a = 1, .tolerance = 1e-9, .max_cycles = 20};
    for (int face = 0; face < 4; face++) options.face[face].condition = OAK_SOLVER_ISOLATED;
    sim_t s = sim_new(i ? MPI_COMM_WORLD : MPI_COMM_SELF,
                      RINGS AXIS "mesh.min_level=2\nmesh.max_level=4\npoisson.gather_cells=1\n");
    MUST(oak_initialize(s.sim));
    for (int round = 0; round < 2; round++) refine(&s, parts, round);
    MUST(oak_solver_new(s.sim, &options, &solver));
    give(&s, solver, OAK_SOLVER_RHS, mass_source);
    MUST(oak_solve(solver, NULL));
    count = (size_t)oak_nblocks(s.sim) * s.cells;
    u[i] = malloc((count + 1) * sizeof *u[i]);
    MUST(oak_solver_read(solver, OAK_SOLVER_SOLUTION, 0, oak_nblocks(s.sim), u[i]));
    long long before = 0, mine = (long long)count;
    MPI_Exscan(&mine, &before, 1, MPI_LONG_LONG, MPI_SUM, s.comm);
    first = (size_t)before;
    oak_solver_destroy(&solver);
    sim_free(&s);
  }
  for (size_t c = 0; c < count; c++) different += memcmp(&u[0][first + c], &u[1][c], 8) != 0;
  for (int i = 0; i < 2; i++) free(u[i]);
  assert_int_equal(sum_ranks_int(MPI_COMM_WORLD, different), 0);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_orders), cmocka_unit_test(test_floating),
                                     cmocka_unit_test(test_isolated), cmocka_unit_test(test_ranks)};
  return TEST_MAIN(tests);
}
