// SPDX-License-Identifier: GPL-2.0-or-later
// TEST np={1,2} timeout=120 flags=-O1
/* Coefficients that jump: the number of cycles for several shapes, and the order of the solution
 * if levels meet at the jump. */
#include "elliptic/elliptic.h"
#include "solver/step/sim.h"
#include "solver_test.h"

/* ---- meshes */

/* Whether a block is refined in a round. */
typedef int (*chosen_t)(const double low[3], const double high[3], int dim);

static sim_t sim_of(MPI_Comm comm, int dim, int level, int rounds, int finest, chosen_t chosen) {
  sim_t s = sim_new(comm,
                    "problem.name=advection\nphysics.name=advection\nscheme.limiter=upwind\n"
                    "boundary.xlow=outflow\nboundary.xhigh=outflow\nboundary.ylow=outflow\n"
                    "boundary.yhigh=outflow\nboundary.zlow=outflow\nboundary.zhigh=outflow\n"
                    "mesh.dim=%d\nmesh.block_size=8\nscheme.ghost_layers=2\nmesh.min_level=%d\n"
                    "mesh.max_level=%d\n",
                    dim, level, finest);
  MUST(oak_initialize(s.sim));
  for (int round = 0; round < rounds; round++) {
    const int n = oak_nblocks(s.sim);
    int *flag = malloc((n + 1) * sizeof *flag);
    for (int b = 0; b < n; b++) {
      double low[3], dx[3], high[3];
      oak_block_geometry(s.sim, b, low, dx);
      for (int d = 0; d < dim; d++) high[d] = low[d] + 8 * dx[d];
      flag[b] = !chosen || chosen(low, high, dim);
    }
    MUST(oak_adjust_refinement_flags(s.sim, oak_nblocks(s.sim), flag, NULL));
    free(flag);
  }
  return s;
}

typedef double (*function_t)(const double x[3], int dim);

static double *values(const sim_t *s, function_t f) {
  const int n = oak_nblocks(s->sim);
  double *out = malloc(((size_t)n * s->cells + 1) * sizeof *out);
  for (int b = 0; b < n; b++)
    for (int c = 0; c < s->cells; c++) {
      double low[3], dx[3], x[3] = {0, 0, 0};
      const int at[3] = {c % 8, c / 8 % 8, c / 64};
      oak_block_geometry(s->sim, b, low, dx);
      for (int d = 0; d < s->dim; d++) x[d] = low[d] + (at[d] + 0.5) * dx[d];
      out[(size_t)b * s->cells + c] = f(x, s->dim);
    }
  return out;
}

static void give(const sim_t *s, oak_solver_t *solver, oak_solver_values_t what, function_t f) {
  double *v = values(s, f);
  MUST(oak_solver_write(solver, what, 0, oak_nblocks(s->sim), v));
  free(v);
}

static double nothing(const double x[3], int dim) { return 0 * (x[0] + dim); }

/* ---- cycles */

enum { BALL, CUBE, BOARD, SHAPES };
static const char *const shape_name[SHAPES] = {"ball", "cube", "checkerboard"};
static int shape;
static double jump;

static double coefficient(const double x[3], int dim) {
  double sum = 0, most = 0;
  int odd = 0;
  for (int d = 0; d < dim; d++) {
    sum += (x[d] - 0.5) * (x[d] - 0.5);
    most = fmax(most, fabs(x[d] - 0.5));
    odd += (int)(8 * x[d]);
  }
  return (shape == BALL ? sum < 0.09 : shape == CUBE ? most < 0.25 : odd & 1) ? jump : 1;
}

static double source(const double x[3], int dim) {
  return -1 - sin(2 * M_PI * x[0]) * cos(M_PI * x[1]) + 0 * dim;
}

/* Blocks at the surface of the ball. */
static int at_surface(const double low[3], const double high[3], int dim) {
  double near = 0, far = 0;
  for (int d = 0; d < dim; d++) {
    const double a = fabs(low[d] - 0.5), b = fabs(high[d] - 0.5);
    near += fmin(a, b) * fmin(a, b);
    far += fmax(a, b) * fmax(a, b);
  }
  return near < 0.09 && far > 0.09;
}

static oak_solver_t *solve(const sim_t *s, int most, oak_solver_report_t *r, oak_status_t *status) {
  oak_solver_t *solver;
  const oak_solver_options_t options = {.fields = 1, .tolerance = 1e-9, .max_cycles = most};
  MUST(oak_solver_new(s->sim, &options, &solver));
  give(s, solver, OAK_SOLVER_RHS, source);
  give(s, solver, OAK_SOLVER_A, coefficient);
  give(s, solver, OAK_SOLVER_B, nothing);
  *status = oak_solve(solver, r);
  return solver;
}

/* At most 12 cycles for balls and cubes. A checkerboard with large jumps needs more: at its
 * corners the solution varies over a single cell, on each level. */
static void cycles_on(int dim, int level, int finer, int board) {
  static const double jumps[] = {1e-3, 1e-2, 0.1, 4, 10, 20, 40, 80, 1e3};
  enum { JUMPS = sizeof jumps / sizeof *jumps, MOST = 40 };
  const int each = test_short() || dim == 3 ? 4 : 1;
  sim_t s = sim_of(MPI_COMM_WORLD, dim, level, finer, level + finer, at_surface);
  for (shape = 0; shape < SHAPES; shape++) {
    char list[256] = "";
    int most = 0;
    for (int i = 0; i < JUMPS; i += each) {
      oak_solver_report_t r = {0};
      oak_status_t status;
      jump = jumps[i];
      oak_solver_t *solver = solve(&s, MOST, &r, &status);
      oak_solver_destroy(&solver);
      const int n = status == OAK_OK ? r.cycles : MOST + 1;
      most = n > most ? n : most;
      snprintf(list + strlen(list), sizeof list - strlen(list), " %d", n);
    }
    report("%dD, levels %d to %d, %s: cycles for jumps of 1e-3 to 1e3:%s", dim, level,
           level + finer, shape_name[shape], list);
    assert_true(most <= (shape == BOARD ? board : 12));
  }
  sim_free(&s);
}

static void test_cycles(void **state) {
  (void)state;
  cycles_on(2, 3, 0, 14);
  cycles_on(2, 3, 1, 30);
  cycles_on(3, 1, 1, 24);
}

/* The solution has the same bits as on one rank. */
static void test_ranks(void **state) {
  (void)state;
  double *u[2];
  oak_solver_report_t r[2] = {{0}};
  sim_t s[2];
  if (test_size == 1) SKIP_CASE("needs several ranks");
  shape = BALL;
  jump = 40;
  for (int i = 0; i < 2; i++) {
    oak_status_t status;
    s[i] = sim_of(i ? MPI_COMM_WORLD : MPI_COMM_SELF, 2, 2, 2, 4, at_surface);
    oak_solver_t *solver = solve(&s[i], 40, &r[i], &status);
    const int n = oak_nblocks(s[i].sim);
    MUST(status);
    u[i] = malloc(((size_t)n * s[i].cells + 1) * sizeof *u[i]);
    MUST(oak_solver_read(solver, OAK_SOLVER_SOLUTION, 0, n, u[i]));
    oak_solver_destroy(&solver);
  }
  const size_t n = (size_t)oak_nblocks(s[1].sim) * s[1].cells;
  const size_t first = (size_t)s[1].sim->data.mesh->first * s[1].cells;
  int different = r[0].cycles != r[1].cycles;
  for (size_t i = 0; i < n; i++) different += memcmp(&u[0][first + i], &u[1][i], sizeof **u) != 0;
  for (int i = 0; i < 2; i++) {
    free(u[i]);
    sim_free(&s[i]);
  }
  different = sum_ranks_int(MPI_COMM_WORLD, different);
  report("a jumps by %g: %d cells differ from those of one rank", jump, different);
  assert_int_equal(different, 0);
}

/* ---- order: a jumps at a plane across one axis, and the mesh is finer for x < 0.5 */

static int across; /* axis */

static double plane(const double x[3], int dim) {
  (void)dim;
  return x[across] < 0.5 ? jump : 1;
}

/* u and a times its derivative are continuous, the second derivative is not. */
static double profile(double t) { return t < 0 ? t / jump - 0.3 * t * t : t + 0.7 * t * t; }

static double along(const double x[3], int dim) {
  double out = 1;
  for (int d = 0; d < dim; d++)
    if (d != across) out *= sin(x[d] + 0.3);
  return out;
}

static double exact(const double x[3], int dim) {
  return (1 + profile(x[across] - 0.5)) * along(x, dim);
}

static double div_a_grad(const double x[3], int dim) {
  const double t = x[across] - 0.5;
  return plane(x, dim) * along(x, dim) * ((t < 0 ? -0.6 : 1.4) - (dim - 1) * (1 + profile(t)));
}

static double outside(void *data, int face, const double x[3], double time) {
  (void)face, (void)time;
  return exact(x, *(const int *)data);
}

static int left_half(const double low[3], const double high[3], int dim) {
  (void)low, (void)dim;
  return high[0] < 0.5 + 1e-9;
}

/* The largest error. */
static double error_on(int dim, int level, int uniform) {
  oak_solver_t *solver;
  const oak_solver_options_t options = {
      .fields = 1, .value = outside, .data = &dim, .tolerance = 1e-10, .max_cycles = 100};
  sim_t s = sim_of(MPI_COMM_WORLD, dim, level, uniform ? 0 : 1, level + 1, left_half);
  double most = 0;
  MUST(oak_solver_new(s.sim, &options, &solver));
  give(&s, solver, OAK_SOLVER_RHS, div_a_grad);
  give(&s, solver, OAK_SOLVER_A, plane);
  give(&s, solver, OAK_SOLVER_B, nothing);
  MUST(oak_solve(solver, NULL));
  const size_t n = (size_t)oak_nblocks(s.sim) * s.cells;
  double *e = values(&s, exact), *u = malloc((n + 1) * sizeof *u);
  MUST(oak_solver_read(solver, OAK_SOLVER_SOLUTION, 0, oak_nblocks(s.sim), u));
  for (size_t i = 0; i < n; i++) most = fmax(most, fabs(u[i] - e[i]));
  free(e);
  free(u);
  oak_solver_destroy(&solver);
  sim_free(&s);
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return most;
}

static void order_on(int dim, int level, int axis, double a, double least) {
  across = axis;
  jump = a;
  const double e[2] = {error_on(dim, level, 0), error_on(dim, level + 1, 0)};
  const double uniform = error_on(dim, level + 1, 1), order = log2(e[0] / e[1]);
  report(
      "%dD, fine for x < 0.5, a = %g for %c < 0.5: errors %.2e and %.2e, order %.2f; %.2e if all "
      "of the mesh is coarse",
      dim, jump, "xyz"[axis], e[0], e[1], order, uniform);
  assert_true(order > least && e[1] < 1.5 * uniform);
}

static void test_order(void **state) {
  (void)state;
  for (int axis = 0; axis < 2; axis++) {
    order_on(2, 4, axis, 80, 1.9);
    order_on(2, 4, axis, 1.0 / 80, 1.9);
  }
  order_on(2, 3, 0, 4, 1.85);
  order_on(3, 1, 0, 80, 1.85);
  order_on(3, 1, 1, 80, 1.85);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_cycles), cmocka_unit_test(test_ranks),
                                     cmocka_unit_test(test_order)};
  return TEST_MAIN(tests);
}
