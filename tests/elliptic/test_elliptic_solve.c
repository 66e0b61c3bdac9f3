// SPDX-License-Identifier: GPL-2.0-or-later
// TEST np={1,2} timeout=120 flags=-O1
// TEST name=long_@test@_fake_hip_np2 np=2 suite=long needs=fake OAK_TEST_DEVICE=hip OAK_FAKE_CUDA=count=8
// TEST name=long_@test@_fake_@way@_np2 np=2 suite=long needs=fake OAK_TEST_DEVICE=cuda way={direct,nccl,staged} OAK_FAKE_CUDA=count=8
/* oak_solve: the potential of isolated spheres, coefficients that vary or jump, and the message
 * if it does not converge. */
#include "solver_test.h"

typedef double (*function_t)(const double x[3]);

static sim_t sim_of(int dim, int level, int finer, int finest) {
  sim_t s = sim_new(MPI_COMM_WORLD,
                    "problem.name=advection\nphysics.name=advection\nscheme.limiter=upwind\n"
                    "boundary.xlow=outflow\nboundary.xhigh=outflow\nboundary.ylow=outflow\n"
                    "boundary.yhigh=outflow\nboundary.zlow=outflow\nboundary.zhigh=outflow\n"
                    "mesh.dim=%d\nmesh.block_size=8\nmesh.xmin=-1\n"
                    "scheme.ghost_layers=2\nmesh.min_level=%d\nmesh.max_level=%d\n",
                    dim, level, finest);
  MUST(oak_initialize(s.sim));
  for (int round = 0; round < finer; round++) {
    const int n = oak_nblocks(s.sim);
    int *flag = malloc((n + 1) * sizeof *flag);
    for (int b = 0; b < n; b++) {
      double origin[3], dx[3], most = 0;
      oak_block_geometry(s.sim, b, origin, dx);
      for (int d = 0; d < dim; d++) most = fmax(most, fabs(origin[d] + 4 * dx[d]));
      flag[b] = most < 0.6 / (1 << round);
    }
    MUST(oak_adjust_refinement_flags(s.sim, oak_nblocks(s.sim), flag, NULL));
    free(flag);
  }
  return s;
}

static void refine_all(sim_t *s) {
  const int n = oak_nblocks(s->sim);
  int *flag = malloc((n + 1) * sizeof *flag);
  for (int b = 0; b < n; b++) flag[b] = 1;
  MUST(oak_adjust_refinement_flags(s->sim, oak_nblocks(s->sim), flag, NULL));
  free(flag);
}

/* Means of a function over cells, from `points` points per axis. */
static double *means(const sim_t *s, function_t f, int points) {
  const int n = oak_nblocks(s->sim), zs = s->dim == 3 ? points : 1;
  double *out = malloc(((size_t)n * s->cells + 1) * sizeof *out);
  for (int b = 0; b < n; b++)
    for (int c = 0; c < s->cells; c++) {
      double origin[3], dx[3], sum = 0;
      const int at[3] = {c % s->n, c / s->n % s->n, c / (s->n * s->n)};
      oak_block_geometry(s->sim, b, origin, dx);
      for (int p = 0; p < points * points * zs; p++) {
        const int sub[3] = {p % points, p / points % points, p / (points * points)};
        double x[3] = {0, 0, 0};
        for (int d = 0; d < s->dim; d++)
          x[d] = origin[d] + (at[d] + (sub[d] + 0.5) / points) * dx[d];
        sum += f(x);
      }
      out[(size_t)b * s->cells + c] = sum / (points * points * zs);
    }
  return out;
}

static void give(const sim_t *s, oak_solver_t *solver, oak_solver_values_t what, function_t f,
                 int points) {
  double *values = means(s, f, points);
  MUST(oak_solver_write(solver, what, 0, oak_nblocks(s->sim), values));
  free(values);
}

/* The largest difference of the solution to a function in cell centres. */
static double error_of(const sim_t *s, oak_solver_t *solver, function_t f) {
  const int n = oak_nblocks(s->sim);
  double *exact = means(s, f, 1), *u = malloc(((size_t)n * s->cells + 1) * sizeof *u), most = 0;
  MUST(oak_solver_read(solver, OAK_SOLVER_SOLUTION, 0, n, u));
  for (size_t i = 0; i < (size_t)n * s->cells; i++) most = fmax(most, fabs(u[i] - exact[i]));
  free(exact);
  free(u);
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, s->comm);
  return most;
}

/* ---- gravity of spheres, with G = 1: div grad phi = 4 pi rho */

typedef struct {
  double center[3], radius, density;
} sphere_t;

static const sphere_t spheres[2] = {{{-0.2, 0.1, 0.05}, 0.25, 1}, {{0.3, -0.15, 0.1}, 0.2, 2}};
static int nsphere;

static double distance(const sphere_t *s, const double x[3]) {
  double sum = 0;
  for (int d = 0; d < 3; d++) sum += (x[d] - s->center[d]) * (x[d] - s->center[d]);
  return sqrt(sum);
}

static double mass_source(const double x[3]) {
  double sum = 0;
  for (int i = 0; i < nsphere; i++)
    if (distance(&spheres[i], x) < spheres[i].radius) sum += 4 * M_PI * spheres[i].density;
  return sum;
}

static double potential(const double x[3]) {
  double sum = 0;
  for (int i = 0; i < nsphere; i++) {
    const double r = distance(&spheres[i], x), a = spheres[i].radius;
    const double mass = 4 * M_PI / 3 * a * a * a * spheres[i].density;
    sum -= r > a ? mass / r : mass * (3 * a * a - r * r) / (2 * a * a * a);
  }
  return sum;
}

static void spheres_on(int count, double bound) {
  oak_solver_t *solver;
  oak_solver_report_t r;
  oak_solver_options_t options = {.a = 1, .tolerance = 1e-9, .max_cycles = 20};
  double error[2];
  nsphere = count;
  for (int face = 0; face < 6; face++) options.face[face].condition = OAK_SOLVER_ISOLATED;
  for (int finer = 0; finer < 2; finer++) {
    sim_t s = sim_of(3, 1, 1, 3);
    if (finer) refine_all(&s);
    MUST(oak_solver_new(s.sim, &options, &solver));
    give(&s, solver, OAK_SOLVER_RHS, mass_source, 8);
    MUST(oak_solve(solver, &r));
    error[finer] = error_of(&s, solver, potential);
    oak_solver_destroy(&solver);
    sim_free(&s);
  }
  report("%d sphere%s, isolated: errors %.2e and %.2e of a potential of %.2f, order %.2f", count,
         count > 1 ? "s" : "", error[0], error[1], -potential(spheres[0].center),
         log2(error[0] / error[1]));
  assert_true(error[1] < bound);
}

static void test_spheres(void **state) {
  (void)state;
  spheres_on(1, 6e-3);
  spheres_on(2, 1e-2);
}

/* Two line masses in 2D: ln r. */
static double line_source(const double x[3]) {
  return 4 * (exp(-60 * ((x[0] - 0.2) * (x[0] - 0.2) + x[1] * x[1]))) * 60;
}

static double line_potential(const double x[3]) {
  /* Far from a Gaussian of integral 4 pi. */
  return 2 * log(sqrt((x[0] - 0.2) * (x[0] - 0.2) + x[1] * x[1]));
}

static void test_plane(void **state) {
  (void)state;
  oak_solver_t *solver;
  oak_solver_options_t options = {.a = 1, .tolerance = 1e-9, .max_cycles = 20};
  sim_t s = sim_of(2, 3, 0, 3);
  double most = 0;
  for (int face = 0; face < 6; face++) options.face[face].condition = OAK_SOLVER_ISOLATED;
  MUST(oak_solver_new(s.sim, &options, &solver));
  give(&s, solver, OAK_SOLVER_RHS, line_source, 4);
  MUST(oak_solve(solver, NULL));
  const int n = oak_nblocks(s.sim);
  double *u = malloc(((size_t)n * s.cells + 1) * sizeof *u);
  MUST(oak_solver_read(solver, OAK_SOLVER_SOLUTION, 0, n, u));
  double *exact = means(&s, line_potential, 1), *f = means(&s, line_source, 1);
  for (size_t i = 0; i < (size_t)n * s.cells; i++)
    if (f[i] < 1e-8) most = fmax(most, fabs(u[i] - exact[i]));
  free(u);
  free(exact);
  free(f);
  oak_solver_destroy(&solver);
  sim_free(&s);
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  report("isolated in 2D: error %.2e", most);
  assert_true(most < 3e-3);
}

/* ---- coefficients */

static double wave(const double x[3]) { return sin(2 * x[0] + 0.3) * cos(1.5 * x[1] + 0.2); }
static double smooth_a(const double x[3]) { return 2 + sin(2 * x[0] + x[1]); }
static double smooth_b(const double x[3]) { return 1 + x[0] * x[0]; }
static double smooth_f(const double x[3]) {
  const double s = sin(2 * x[0] + 0.3), c = cos(2 * x[0] + 0.3);
  const double sy = sin(1.5 * x[1] + 0.2), cy = cos(1.5 * x[1] + 0.2);
  const double da = cos(2 * x[0] + x[1]);
  return smooth_a(x) * (-4 - 2.25) * s * cy + 2 * da * 2 * c * cy + da * s * -1.5 * sy -
         smooth_b(x) * s * cy;
}
static double wave_outside(void *data, int face, const double x[3], double time) {
  (void)data, (void)face, (void)time;
  return wave(x);
}

static void test_varying(void **state) {
  (void)state;
  double error[2];
  oak_solver_t *solver;
  oak_solver_report_t r;
  const oak_solver_options_t options = {
      .fields = 1, .value = wave_outside, .tolerance = 1e-9, .max_cycles = 30};
  for (int finer = 0; finer < 2; finer++) {
    sim_t s = sim_of(2, 2, 2, 5);
    if (finer) refine_all(&s);
    MUST(oak_solver_new(s.sim, &options, &solver));
    give(&s, solver, OAK_SOLVER_RHS, smooth_f, 1);
    give(&s, solver, OAK_SOLVER_A, smooth_a, 1);
    give(&s, solver, OAK_SOLVER_B, smooth_b, 1);
    MUST(oak_solve(solver, &r));
    error[finer] = error_of(&s, solver, wave);
    oak_solver_destroy(&solver);
    sim_free(&s);
  }
  report("coefficients that vary: errors %.2e and %.2e, order %.2f, %d cycles", error[0], error[1],
         log2(error[0] / error[1]), r.cycles);
  assert_true(log2(error[0] / error[1]) > 1.9);
}

static double jump; /* of a in a ball */
static double jumping(const double x[3]) {
  return x[0] * x[0] + x[1] * x[1] + x[2] * x[2] < 0.2 ? jump : 1;
}
static double one(const double x[3]) { return x[0] > 0 ? 1 : 0.5; }
static double nothing(const double x[3]) { return 0 * x[0]; }

static void test_jumps(void **state) {
  (void)state;
  static const double jumps[] = {1e-6, 1e-3, 1e3, 1e6};
  sim_t s = sim_of(3, 1, 1, 2);
  for (int i = 0; i < 4; i++) {
    oak_solver_t *solver;
    oak_solver_report_t r;
    const oak_solver_options_t options = {
        .fields = 1, .tolerance = 1e-8, .max_cycles = 60, .krylov = 1};
    jump = jumps[i];
    MUST(oak_solver_new(s.sim, &options, &solver));
    give(&s, solver, OAK_SOLVER_RHS, one, 1);
    give(&s, solver, OAK_SOLVER_A, jumping, 1);
    give(&s, solver, OAK_SOLVER_B, nothing, 1);
    MUST(oak_solve(solver, &r));
    report("a jumps by %g: %d cycles to %.1e", jump, r.cycles, r.residual[r.cycles] / r.scale);
    oak_solver_destroy(&solver);
  }
  sim_free(&s);
}

/* a is 5 below 0 and 1 above, along one axis: the derivative is 1/6 and 5/6 up to the jump. */
static int across;
static double two_layers(const double x[3]) { return x[across] < 0 ? 5 : 1; }
static double upper_value(void *data, int face, const double x[3], double time) {
  (void)data, (void)x, (void)time;
  return face & 1 && face / 2 == across;
}

static void test_layers(void **state) {
  (void)state;
  for (int dim = 2; dim <= 3; dim++)
    for (across = 0; across < dim; across++) {
      sim_t s = sim_of(dim, 1, 1, 2);
      oak_solver_t *solver;
      oak_solver_options_t options = {
          .fields = 1, .tolerance = 1e-11, .max_cycles = 60, .value = upper_value};
      for (int face = 0; face < 6; face++)
        if (face / 2 != across) options.face[face].condition = OAK_SOLVER_NEUMANN;
      const size_t n = (size_t)oak_nblocks(s.sim) * s.cells;
      double *slope = malloc((n + 1) * sizeof *slope), *a = means(&s, two_layers, 1), worst = 0;
      MUST(oak_solver_new(s.sim, &options, &solver));
      give(&s, solver, OAK_SOLVER_RHS, nothing, 1);
      give(&s, solver, OAK_SOLVER_A, two_layers, 1);
      give(&s, solver, OAK_SOLVER_B, nothing, 1);
      MUST(oak_solve(solver, NULL));
      MUST(oak_solver_gradient(solver, across, oak_nblocks(s.sim), slope));
      for (size_t i = 0; i < n; i++) worst = fmax(worst, fabs(slope[i] - 5 / (6 * a[i])));
      MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, s.comm);
      report("layers across %c in %dD: derivative within %.1e", "xyz"[across], dim, worst);
      assert_true(worst < 1e-6);
      free(slope);
      free(a);
      oak_solver_destroy(&solver);
      sim_free(&s);
    }
}

/* Charges that change the field between two plates by a tenth are seen with the tolerance 1e-3,
 * although their f is small beside u / dx^2 at the plate. */
static double small_wave(const double x[3]) { return 0.05 / M_PI * sin(M_PI * x[0]); }
static double small_charge(const double x[3]) { return -M_PI * M_PI * small_wave(x); }
static double with_wave(const double x[3]) { return 0.5 * (1 + x[0]) + small_wave(x); }

static void test_plates(void **state) {
  (void)state;
  oak_solver_t *solver;
  oak_solver_report_t r;
  oak_solver_options_t options = {
      .a = 1, .tolerance = 1e-3, .max_cycles = 20, .warm = 1, .value = upper_value};
  sim_t s = sim_of(2, 3, 0, 3);
  across = 0;
  for (int face = 2; face < 4; face++) options.face[face].condition = OAK_SOLVER_NEUMANN;
  MUST(oak_solver_new(s.sim, &options, &solver));
  give(&s, solver, OAK_SOLVER_RHS, nothing, 1);
  MUST(oak_solve(solver, NULL));
  give(&s, solver, OAK_SOLVER_RHS, small_charge, 1);
  MUST(oak_solve(solver, &r));
  const double error = error_of(&s, solver, with_wave), most = 0.05 / M_PI;
  report("charges between plates: %d cycles, error %.1e of %.1e", r.cycles, error, most);
  assert_true(error < 0.1 * most);
  oak_solver_destroy(&solver);
  sim_free(&s);
}

/* A solution that does not start from the last one is 0 without charges, also after others. */
static void test_start(void **state) {
  (void)state;
  oak_solver_t *solver;
  const oak_solver_options_t options = {.a = 1, .tolerance = 1e-6, .max_cycles = 20};
  sim_t s = sim_of(2, 1, 0, 1);
  MUST(oak_solver_new(s.sim, &options, &solver));
  give(&s, solver, OAK_SOLVER_RHS, small_charge, 1);
  MUST(oak_solve(solver, NULL));
  assert_true(error_of(&s, solver, nothing) > 0.005);
  give(&s, solver, OAK_SOLVER_RHS, nothing, 1);
  MUST(oak_solve(solver, NULL));
  assert_true(error_of(&s, solver, nothing) == 0);
  oak_solver_destroy(&solver);
  sim_free(&s);
}

/* Given slopes on all faces count as slope / L: with f = 1, which they balance, the scale is 1. */
static double whole(const double x[3]) { return 1 + 0 * x[0]; }
static double parabola(const double x[3]) { return 0.5 * x[0] * x[0] - 1.0 / 6; }

static void test_slopes(void **state) {
  (void)state;
  oak_solver_t *solver;
  oak_solver_report_t r;
  oak_solver_options_t options = {.a = 1, .tolerance = 1e-6, .max_cycles = 20};
  sim_t s = sim_of(2, 3, 0, 3);
  for (int face = 0; face < 4; face++) {
    options.face[face].condition = OAK_SOLVER_NEUMANN;
    options.face[face].value = face < 2;
  }
  MUST(oak_solver_new(s.sim, &options, &solver));
  give(&s, solver, OAK_SOLVER_RHS, whole, 1);
  MUST(oak_solve(solver, &r));
  const double error = error_of(&s, solver, parabola);
  report("slopes on all faces: scale %g, error %.1e", r.scale, error);
  assert_true(r.scale == 1 && error < 1e-3);
  oak_solver_destroy(&solver);
  sim_free(&s);
}

/* ---- domains of any shape */

static double uneven(const double x[3]) {
  return sin(3 * x[0] + 1) + cos(0.7 * x[1]) * (1 + x[2]) + cos(0.05 * x[1] + 0.3 * x[2]);
}

/* Cycles to 1e-9 on cubic trees. u is given at the lower face along `along`, or that axis is
 * periodic. \a kind: 0 constants, 1 fields, 2 fields with BiCGSTAB. */
static int cycles_on(int dim, const char *trees, int along, int periodic, int kind) {
  static const char axis[] = "xyz";
  char ends[128] = "";
  oak_solver_t *solver;
  oak_solver_report_t r;
  oak_solver_options_t options = {
      .a = 1, .tolerance = 1e-9, .max_cycles = 40, .fields = kind > 0, .krylov = kind == 2};
  if (periodic)
    snprintf(ends, sizeof ends, "boundary.%clow=periodic\nboundary.%chigh=periodic\n", axis[along],
             axis[along]);
  sim_t s = sim_new(MPI_COMM_WORLD,
                    "problem.name=advection\nphysics.name=advection\nscheme.limiter=upwind\n"
                    "boundary.xlow=outflow\nboundary.xhigh=outflow\nboundary.ylow=outflow\n"
                    "boundary.yhigh=outflow\nboundary.zlow=outflow\nboundary.zhigh=outflow\n"
                    "mesh.dim=%d\nmesh.block_size=8\nmesh.trees=%s\nmesh.xmin=0\n"
                    "mesh.xmax=%s\nscheme.ghost_layers=2\nmesh.min_level=0\n"
                    "mesh.max_level=0\n%s",
                    dim, trees, trees, ends);
  MUST(oak_initialize(s.sim));
  for (int face = 0; face < 6; face++)
    if (face != 2 * along) options.face[face].condition = OAK_SOLVER_NEUMANN;
  MUST(oak_solver_new(s.sim, &options, &solver));
  give(&s, solver, OAK_SOLVER_RHS, uneven, 1);
  if (kind) give(&s, solver, OAK_SOLVER_A, smooth_a, 1);
  if (kind) give(&s, solver, OAK_SOLVER_B, nothing, 1);
  MUST(oak_solve(solver, &r));
  oak_solver_destroy(&solver);
  sim_free(&s);
  return r.cycles;
}

static void test_shapes(void **state) {
  (void)state;
  static const struct {
    int dim, along, periodic, kind;
    const char *small, *big;
  } shape[] = {{2, 1, 0, 0, "1 4", "1 64"},     {2, 0, 0, 0, "8 3", "100 3"},
               {2, 1, 1, 0, "1 4", "1 57"},     {2, 1, 0, 1, "3 4", "3 50"},
               {2, 1, 1, 2, "1 8", "1 64"},     {3, 2, 0, 0, "1 1 4", "1 1 33"},
               {3, 0, 1, 0, "4 3 1", "30 3 1"}, {3, 1, 0, 1, "1 4 1", "1 24 1"}};
  for (size_t i = 0; i < sizeof shape / sizeof *shape; i++) {
    int cycles[2];
    for (int big = 0; big < 2; big++)
      cycles[big] = cycles_on(shape[i].dim, big ? shape[i].big : shape[i].small, shape[i].along,
                              shape[i].periodic, shape[i].kind);
    report("trees %s: %d cycles, %s: %d cycles", shape[i].small, cycles[0], shape[i].big,
           cycles[1]);
    assert_true(cycles[1] <= cycles[0] + 1 && cycles[0] < 15);
  }
}

static void test_mistakes(void **state) {
  (void)state;
  oak_solver_t *solver;
  sim_t s = sim_of(2, 2, 0, 2);
  oak_solver_options_t options = {.a = 1, .tolerance = 1e-13, .max_cycles = 2};
  options.face[0].value = 1;
  MUST(oak_solver_new(s.sim, &options, &solver));
  assert_int_equal(oak_solve(solver, NULL), OAK_ERR_STATE);
  assert_non_null(strstr(oak_last_error(), "after 2 cycles"));
  refine_all(&s); /* not above max_level: the mesh stays */
  assert_int_equal(oak_solver_gradient(solver, 2, 0, NULL), OAK_ERR_ARGUMENT);
  assert_int_equal(oak_solver_write(solver, OAK_SOLVER_A, 0, 0, NULL), OAK_ERR_ARGUMENT);
  oak_solver_destroy(&solver);
  options.a = -1;
  assert_int_equal(oak_solver_new(s.sim, &options, &solver), OAK_ERR_ARGUMENT);
  options.a = 1;
  options.face[3].condition = OAK_SOLVER_ISOLATED;
  assert_int_equal(oak_solver_new(s.sim, &options, &solver), OAK_ERR_ARGUMENT);
  sim_free(&s);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_spheres),  cmocka_unit_test(test_plane),
      cmocka_unit_test(test_varying),  cmocka_unit_test(test_jumps),
      cmocka_unit_test(test_layers),   cmocka_unit_test(test_shapes),
      cmocka_unit_test(test_mistakes), cmocka_unit_test(test_plates),
      cmocka_unit_test(test_start),    cmocka_unit_test(test_slopes)};
  return TEST_MAIN(tests);
}
