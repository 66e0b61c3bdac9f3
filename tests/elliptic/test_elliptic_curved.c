// SPDX-License-Identifier: GPL-2.0-or-later
// TEST np={1,3} timeout=180 flags=-O1
/* Elliptic equations in polar, cylindrical and spherical coordinates, and with unequal sides of
 * cells and edges of blocks: orders of solution and
 * gradient on one level and on two, with coefficients that vary, periodic phi, r = 0 and poles of
 * (r, theta); the factor of a cycle; only derivatives given; an isolated ball; the same bits on any
 * number of ranks. The exact solutions are functions of Cartesian coordinates. */
#include "elliptic/elliptic.h"
#include "solver/step/sim.h"
#include "solver_test.h"

#define COMMON TEST_PROBLEM("rings") "physics.name=euler\nmesh.block_size=8\ndevice.flags=-O1\n"
#define LOG "mesh.radius=logarithmic\n"
#define OPEN "boundary.xlow=outflow\nboundary.xhigh=outflow\n"
#define OPEN_Y "boundary.ylow=outflow\nboundary.yhigh=outflow\n"
#define OPEN_Z "boundary.zlow=outflow\nboundary.zhigh=outflow\n"

typedef enum { FLAT2, FLAT3, POLAR, CYLINDER, SPHERE2, SPHERE3 } kind_t;

/* Cartesian coordinates of a place, and the unit vectors along the axes of the mesh. In (r, theta),
 * phi is 0. */
static void cartesian(kind_t kind, const double x[3], double c[3], double unit[3][3]) {
  const int sphere = kind >= SPHERE2;
  const double phi = kind == SPHERE3 ? x[2] : kind == SPHERE2 ? 0 : x[1];
  const double theta = sphere ? x[1] : M_PI / 2;
  const double along_r[3] = {sin(theta) * cos(phi), sin(theta) * sin(phi), sphere ? cos(theta) : 0};
  const double along_theta[3] = {cos(theta) * cos(phi), cos(theta) * sin(phi), -sin(theta)};
  const double along_phi[3] = {-sin(phi), cos(phi), 0}, along_z[3] = {0, 0, 1};
  if (kind <= FLAT3) {
    for (int d = 0; d < 9; d++) unit[d / 3][d % 3] = d / 3 == d % 3;
    memcpy(c, x, 3 * sizeof *x);
    return;
  }
  for (int d = 0; d < 3; d++) {
    c[d] = x[0] * along_r[d] + (kind == CYLINDER && d == 2 ? x[2] : 0);
    unit[0][d] = along_r[d];
    unit[1][d] = sphere ? along_theta[d] : along_phi[d];
    unit[2][d] = sphere ? along_phi[d] : along_z[d];
  }
}

/* u and its gradient along x, y and z; the value is div grad u. (r, theta): J0(3 R) cosh(1.5 z +
 * 0.3) with the distance R from the axis. */
static double exact(kind_t kind, const double c[3], double *u, double grad[3]) {
  if (kind == SPHERE2) {
    const double up = cosh(1.5 * c[2] + 0.3);
    *u = j0(3 * c[0]) * up;
    grad[0] = -3 * j1(3 * c[0]) * up;
    grad[1] = 0;
    grad[2] = j0(3 * c[0]) * 1.5 * sinh(1.5 * c[2] + 0.3);
    return (2.25 - 9) * *u;
  }
  const int plane = kind == POLAR || kind == FLAT2;
  const double z = plane ? 0 : c[2];
  const double a = 2.5 * c[0] + 0.3, b = 1.7 * c[1], d = z + 0.2;
  *u = sin(a) * cosh(b) * cos(d);
  grad[0] = 2.5 * cos(a) * cosh(b) * cos(d);
  grad[1] = 1.7 * sin(a) * sinh(b) * cos(d);
  grad[2] = plane ? 0 : -sin(a) * cosh(b) * sin(d);
  return (1.7 * 1.7 - 2.5 * 2.5 - (plane ? 0 : 1)) * *u;
}

enum { U, DERIVATIVE, RHS, VARIES, A, B }; /* DERIVATIVE + axis is not used */
typedef struct {
  kind_t kind;
  const char *text;
  int level, jumps, fields, most_cycles;
  double least; /* factor of a cycle */
  double order;
} case_t;

static double value(kind_t kind, int what, int axis, const double x[3]) {
  double c[3], unit[3][3], u, grad[3], along = 0;
  cartesian(kind, x, c, unit);
  const double laplace = exact(kind, c, &u, grad);
  const double phase = c[0] + 0.5 * c[2], a = 1.5 + sin(phase), b = 1 + c[0] * c[0];
  for (int d = 0; d < 3; d++) along += unit[axis][d] * grad[d];
  return what == U            ? u
         : what == DERIVATIVE ? along
         : what == RHS        ? laplace
         : what == A          ? a
         : what == B          ? b
                              : a * laplace + cos(phase) * (grad[0] + 0.5 * grad[2]) - b * u;
}

/* u on the lower face of each axis and the upper one of r, its derivative on the others. */
static double outside(void *data, int face, const double x[3], double time) {
  const case_t *c = data;
  (void)time;
  return value(c->kind, face == 3 || face == 5 ? DERIVATIVE : U, face / 2, x);
}

/* A part of the domain, by its size. */
static void refine(const sim_t *s, int part) {
  const int n = oak_nblocks(s->sim);
  int *flag = calloc(n + 1, sizeof *flag);
  for (int b = 0; b < n; b++) {
    double x[3], dx[3];
    oak_block_geometry(s->sim, b, x, dx);
    const double h = 0.5 * s->n;
    flag[b] = part == 2 ? x[0] + h * dx[0] > 0.5 && x[1] + h * dx[1] < 3
              : part    ? fmod(x[0] + h * dx[0], 0.5) < 0.25 && fmod(x[1] + h * dx[1], 1.6) < 0.8
                        : 1;
  }
  MUST(oak_adjust_refinement_flags(s->sim, oak_nblocks(s->sim), flag, NULL));
  free(flag);
}

/* Blocks at r = 0 and at poles keep the level of the start where phi goes around. */
static sim_t sim_of(const case_t *c, MPI_Comm comm, int finer) {
  const int around = strstr(c->text, "2pi") != NULL;
  const int first = c->level + (around ? finer : 0), last = c->level + c->jumps + finer;
  sim_t s = sim_new(comm, COMMON "%smesh.min_level=%d\nmesh.max_level=%d\n", c->text, first, last);
  MUST(oak_initialize(s.sim));
  if (c->jumps) refine(&s, 1 + around);
  if (finer && !around) refine(&s, 0);
  return s;
}

static double *values_of(const sim_t *s, kind_t kind, int what, int axis) {
  const int n = oak_nblocks(s->sim) * s->cells;
  double *values = malloc((n + 1) * sizeof *values), x[3];
  for (int i = 0; i < n; i++) {
    sim_center(s, i / s->cells, i % s->cells, x);
    values[i] = value(kind, what, axis, x);
  }
  return values;
}

static void give(const sim_t *s, oak_solver_t *solver, kind_t kind, int to, int what) {
  double *values = values_of(s, kind, what, 0);
  MUST(oak_solver_write(solver, (oak_solver_values_t)to, 0, oak_nblocks(s->sim), values));
  free(values);
}

/* Largest and mean error of the solution (axis -1) or of its derivative. */
static void find_errors(const sim_t *s, oak_solver_t *solver, kind_t kind, int axis,
                        double error[2]) {
  const int n = oak_nblocks(s->sim);
  double *u = malloc(((size_t)n * s->cells + 1) * sizeof *u), sum[2] = {0};
  double *exact_u = values_of(s, kind, axis < 0 ? U : DERIVATIVE, axis < 0 ? 0 : axis);
  if (axis < 0)
    MUST(oak_solver_read(solver, OAK_SOLVER_SOLUTION, 0, n, u));
  else
    MUST(oak_solver_gradient(solver, axis, oak_nblocks(s->sim), u));
  error[0] = 0;
  for (int i = 0; i < n * s->cells; i++) {
    const double e = fabs(u[i] - exact_u[i]), v = sim_volume(s, i / s->cells);
    error[0] = worse(error[0], e);
    sum[0] += v * e;
    sum[1] += v;
  }
  free(u), free(exact_u);
  error[0] = max_ranks(s->comm, error[0]);
  error[1] = sum_ranks(s->comm, sum[0]) / sum_ranks(s->comm, sum[1]);
}

/* The factor by which a cycle reduces the residual, in the mean of the cycles after the first. */
static double mean_factor(const oak_solver_report_t *r) {
  return pow(r->residual[1] / r->residual[r->cycles], 1.0 / (r->cycles - 1));
}

/* Errors of u and of its gradient. */
static void solve(const case_t *c, int finer, double error[4]) {
  oak_solver_t *solver;
  oak_solver_report_t r;
  oak_solver_options_t options = {.a = 1,
                                  .fields = c->fields,
                                  .value = outside,
                                  .data = (void *)(uintptr_t)c,
                                  .tolerance = 1e-8,
                                  .max_cycles = c->most_cycles};
  double e[2];
  for (int face = 3; face < 6; face += 2) options.face[face].condition = OAK_SOLVER_NEUMANN;
  sim_t s = sim_of(c, MPI_COMM_WORLD, finer);
  MUST(oak_solver_new(s.sim, &options, &solver));
  give(&s, solver, c->kind, OAK_SOLVER_RHS, c->fields ? VARIES : RHS);
  if (c->fields) give(&s, solver, c->kind, OAK_SOLVER_A, A);
  if (c->fields) give(&s, solver, c->kind, OAK_SOLVER_B, B);
  MUST(oak_solve(solver, &r));
  for (int axis = -1; axis < s.dim; axis++) {
    find_errors(&s, solver, c->kind, axis, e);
    error[1 + axis] = axis < 0 ? e[0] : e[1];
  }
  report("kind %d%s, levels %d to %d%s: %d cycles, each by %.1f; errors %.2e, gradient %.2e %.2e",
         c->kind, strstr(c->text, LOG) ? ", ln r" : "", c->level + finer,
         c->level + c->jumps + finer, c->fields ? ", a and b vary" : "", r.cycles, mean_factor(&r),
         error[0], error[1], error[2]);
  oak_solver_destroy(&solver);
  sim_free(&s);
  assert_true(mean_factor(&r) >= c->least);
}

#define RING                                                                          \
  "mesh.coordinates=polar\nmesh.trees=1 6\nmesh.xmin=0.4 0\nmesh.xmax=1.4 2pi\n" OPEN \
  "boundary.ylow=periodic\nboundary.yhigh=periodic\n"
#define AROUND(axis) "boundary." axis "low=periodic\nboundary." axis "high=periodic\n"
#define DISK(from) \
  "mesh.coordinates=polar\nmesh.trees=1 2\nmesh.xmax=1 2pi\nmesh.xmin=" from " 0\n" AROUND("y")
#define ROD                                                                                   \
  "mesh.dim=3\nmesh.coordinates=cylindrical\nmesh.trees=1 2 1\nmesh.xmin=0 0 0\nmesh.xmax=1 " \
  "2pi 1\nboundary.xhigh=outflow\n" AROUND("y") OPEN_Z
#define POLES                                                                                   \
  "mesh.dim=3\nmesh.coordinates=spherical\nmesh.trees=1 1 2\nmesh.xmin=0.5 0 0\nmesh.xmax=1.5 " \
  "pi 2pi\n" OPEN AROUND("z")
#define WHOLE                                                                               \
  "mesh.dim=3\nmesh.coordinates=spherical\nmesh.trees=1 1 2\nmesh.xmin=0 0 0\nmesh.xmax=1 " \
  "pi 2pi\nboundary.xhigh=outflow\n" AROUND("z")
#define WEDGE \
  "mesh.coordinates=polar\nmesh.trees=1 1\nmesh.xmin=0.5 0.2\nmesh.xmax=1.5 1.2\n" OPEN OPEN_Y
#define PIPE                                                                       \
  "mesh.dim=3\nmesh.coordinates=cylindrical\nmesh.trees=1 1 1\nmesh.xmin=0.5 0.2 " \
  "0\nmesh.xmax=1.5 "                                                              \
  "1.2 1\n" OPEN OPEN_Y OPEN_Z
#define BALL                                                                                   \
  "mesh.coordinates=spherical\nmesh.trees=1 2\nmesh.xmin=0 0\nmesh.xmax=1 pi\nboundary.xhigh=" \
  "outflow\n"
#define SHELL "mesh.coordinates=spherical\nmesh.trees=1 3\nmesh.xmin=0.5 0\nmesh.xmax=1.5 pi\n" OPEN
#define SECTOR                                                                 \
  "mesh.dim=3\nmesh.coordinates=spherical\nmesh.trees=1 1 1\nmesh.xmin=0.5 1 " \
  "0.2\nmesh.xmax=1.5 2 1.2\n" OPEN OPEN_Y OPEN_Z

/* The extents along y and z are the aspect ratios of the cells, unless the blocks are unequal. */
#define FLAT(y) "mesh.xmin=0 0\nmesh.trees=1 1\nmesh.xmax=1 " y "\n" OPEN OPEN_Y
#define BOX(y, z) \
  "mesh.dim=3\nmesh.xmin=0 0 0\nmesh.trees=1 1 1\nmesh.xmax=1 " y " " z "\n" OPEN OPEN_Y OPEN_Z

static void test_orders(void **state) {
  static const case_t cases[] = {
      {POLAR, RING, 2, 0, 0, 15, 7, 1.8},
      {POLAR, RING, 2, 1, 1, 15, 7, 1.8},
      {POLAR, LOG RING, 2, 0, 0, 15, 7, 1.8},
      {POLAR, LOG RING "mesh.xmin=1 0\n", 2, 1, 1, 15, 7, 1.8},
      {SPHERE2, LOG SHELL, 2, 1, 0, 15, 7, 1.7},
      {POLAR, WEDGE, 3, 1, 0, 15, 7, 1.8},
      {CYLINDER, PIPE, 1, 1, 1, 15, 7, 1.7},
      {SPHERE2, BALL, 2, 1, 1, 9, 15, 1.9},
      {POLAR, DISK("0") "boundary.xhigh=outflow\n", 2, 1, 1, 9, 15, 1.9},
      {POLAR, DISK("0.02") OPEN, 2, 0, 0, 9, 15, 1.9},
      {CYLINDER, ROD, 1, 0, 1, 9, 15, 1.9},
      {SPHERE3, POLES, 1, 0, 1, 15, 5, 1.8},
      {SPHERE3, WHOLE, 1, 0, 0, 40, 2, 1.8},
      {SPHERE2, SHELL, 2, 1, 0, 15, 7, 1.8},
      {SPHERE3, SECTOR, 1, 1, 1, 15, 7, 1.7},
      {FLAT2, FLAT("4"), 3, 0, 0, 9, 15, 1.9},
      {FLAT2, FLAT("16"), 3, 0, 0, 12, 5, 1.8}, /* BiCGSTAB takes over */
      {FLAT2, FLAT("1") "mesh.block_size=16 4\n", 2, 1, 1, 9, 15, 1.8},
      {FLAT3, BOX("1", "4"), 1, 1, 0, 9, 15, 1.6},
      {FLAT3, BOX("0.5", "1") "mesh.block_size=8 4 16\n", 1, 1, 1, 9, 15, 1.7}};
  (void)state;
  for (int n = 0; n < (test_short() ? 1 : (int)(sizeof cases / sizeof *cases)); n++) {
    double a[4], b[4], order[4] = {0};
    const int dim = strstr(cases[n].text, "dim=3") ? 3 : 2;
    if (test_size > 1 && !strstr(cases[n].text, "2pi")) continue; /* lines around whole rings */
    solve(&cases[n], 0, a);
    solve(&cases[n], 1, b);
    for (int i = 0; i <= dim; i++) order[i] = log2(a[i] / b[i]);
    report("orders %.2f, gradient %.2f %.2f %.2f", order[0], order[1], order[2], order[3]);
    for (int i = 0; i <= dim; i++) assert_true(order[i] > cases[n].order);
  }
}

/* ---- isolated: a ball of gas on the axis of (r, theta), beside r = 0 */

static const double at_z = 0.25, width = 0.1;
static double ball_source(const double x[3]) {
  const double d2 = x[0] * x[0] + at_z * at_z - 2 * at_z * x[0] * cos(x[1]);
  return exp(-0.5 * d2 / (width * width)) / pow(2 * M_PI * width * width, 1.5);
}
static double ball_potential(const double x[3]) {
  const double d = sqrt(x[0] * x[0] + at_z * at_z - 2 * at_z * x[0] * cos(x[1]));
  return -erf(d / (sqrt(2) * width)) / (4 * M_PI * d);
}

static double isolated_error(int level) {
  const case_t c = {SPHERE2, BALL, level, 0, 0, 0, 0, 0};
  oak_solver_t *solver;
  oak_solver_options_t options = {.a = 1, .tolerance = 1e-7, .max_cycles = 9};
  options.face[1].condition = OAK_SOLVER_ISOLATED;
  sim_t s = sim_of(&c, MPI_COMM_WORLD, 0);
  const int n = oak_nblocks(s.sim);
  double *u = malloc((n * s.cells + 1) * sizeof *u), x[3], error = 0;
  MUST(oak_solver_new(s.sim, &options, &solver));
  for (int i = 0; i < n * s.cells; i++) {
    sim_center(&s, i / s.cells, i % s.cells, x);
    u[i] = ball_source(x);
  }
  MUST(oak_solver_write(solver, OAK_SOLVER_RHS, 0, n, u));
  MUST(oak_solve(solver, NULL));
  MUST(oak_solver_read(solver, OAK_SOLVER_SOLUTION, 0, n, u));
  for (int i = 0; i < n * s.cells; i++) {
    sim_center(&s, i / s.cells, i % s.cells, x);
    error = worse(error, fabs(u[i] - ball_potential(x)));
  }
  free(u);
  oak_solver_destroy(&solver);
  error = max_ranks(s.comm, error);
  sim_free(&s);
  return error;
}

static void test_isolated(void **state) {
  (void)state;
  const double a = isolated_error(2), b = isolated_error(3);
  report("isolated ball: largest errors %.2e, %.2e of 0.63, order %.2f", a, b, log2(a / b));
  assert_true(b < 0.02 && log2(a / b) > 1.8);
  const case_t c = {POLAR, RING, 0, 0, 0, 0, 0, 0};
  oak_solver_t *solver;
  oak_solver_options_t options = {.a = 1, .tolerance = 1e-7, .max_cycles = 9};
  for (int face = 0; face < 2; face++) options.face[face].condition = OAK_SOLVER_ISOLATED;
  sim_t s = sim_of(&c, MPI_COMM_WORLD, 0);
  assert_int_equal(oak_solver_new(s.sim, &options, &solver), OAK_ERR_ARGUMENT);
  assert_non_null(strstr(oak_last_error(), "mesh.coordinates = polar"));
  sim_free(&s);
}

/* ---- derivatives across faces, which FACE_FIELD reads */

/* The largest error on the faces at r = 0 and at poles, if u is exact in all cells. */
static double error_at_axis(const case_t *c, int finer) {
  sim_t s = sim_of(c, MPI_COMM_WORLD, finer);
  const oak_setup_t *setup = &s.sim->setup;
  const int n = oak_nblocks(s.sim), face_cells = s.cells / s.n, dim = s.dim;
  const int numbers = dim * (s.cells + face_cells);
  double *u = values_of(&s, c->kind, U, 0), *slope = malloc(((size_t)n * numbers + 1) * sizeof *u);
  oak_elliptic_setup_t e_setup = {.transport = &s.sim->data.transport,
                                  .timers = &s.sim->data.timers,
                                  .block_size = {s.size[0], s.size[1], s.size[2]},
                                  .coordinates = setup->domain.coordinates,
                                  .axis_faces = oak_axis_faces(setup),
                                  .mean_factor = 1,
                                  .a = 1};
  oak_elliptic_t *e;
  void *out;
  int changed;
  double error = 0;
  memcpy(e_setup.xmin, setup->domain.low, sizeof e_setup.xmin);
  memcpy(e_setup.dx0, setup->domain.dx0, sizeof e_setup.dx0);
  MUST(oak_elliptic_new(s.comm, &e_setup, s.sim->data.mesh, &e));
  MUST(oak_elliptic_fit(e, &changed));
  MUST(oak_device_alloc(setup->dev, (size_t)(n + 1) * numbers * sizeof *slope, &out));
  if (n)
    MUST(oak_device_upload(setup->dev, oak_elliptic_top(e)->u.memory.mine, u,
                           (size_t)n * s.cells * sizeof *u));
  MUST(oak_elliptic_slopes(e, out));
  if (n) MUST(oak_device_download(setup->dev, slope, out, (size_t)n * numbers * sizeof *slope));
  for (int i = 0; i < n * s.cells; i++)
    for (int dir = 0; dir < dim; dir++) {
      const int at[3] = {i % s.n, i / s.n % s.n, i % s.cells / (s.n * s.n)};
      const int ni = s.n + (dir == 0), nj = s.n + (dir == 1);
      double x[3], origin[3], dx[3];
      sim_center(&s, i / s.cells, i % s.cells, x);
      oak_block_geometry(s.sim, i / s.cells, origin, dx);
      x[dir] -= 0.5 * dx[dir];
      if (!(oak_axis_faces(setup) >> 2 * dir & 1) || x[dir] > 1e-9) continue;
      const double found = slope[(size_t)(i / s.cells) * numbers + dir * (s.cells + face_cells) +
                                 (at[2] * nj + at[1]) * ni + at[0]];
      error = worse(error, fabs(found - value(c->kind, DERIVATIVE, dir, x)));
    }
  oak_device_free(setup->dev, out);
  oak_elliptic_destroy(&e);
  free(u), free(slope);
  error = max_ranks(s.comm, error);
  sim_free(&s);
  return error;
}

static void test_axis(void **state) {
  static const case_t cases[] = {{SPHERE2, BALL, 2, 0, 0, 0, 0, 0},
                                 {POLAR, DISK("0") "boundary.xhigh=outflow\n", 2, 0, 0, 0, 0, 0},
                                 {CYLINDER, ROD, 1, 0, 0, 0, 0, 0},
                                 {SPHERE3, WHOLE, 1, 0, 0, 0, 0, 0}};
  (void)state;
  for (int n = 0; n < (test_short() ? 1 : (int)(sizeof cases / sizeof *cases)); n++) {
    const double a = error_at_axis(&cases[n], 0), b = error_at_axis(&cases[n], 1);
    report("kind %d: derivatives at r = 0 and poles, largest errors %.2e, %.2e", cases[n].kind, a,
           b);
    assert_true(log2(a / b) > 1.8);
  }
}

/* Cells whose bits differ from those of a run of this rank alone. Only derivatives are given, so
 * means by volume are removed. */
static void same_on_ranks(case_t c) {
  double *u[2];
  size_t first = 0, count = 0;
  int different = 0;
  for (int i = 0; i < 2; i++) {
    oak_solver_t *solver;
    oak_solver_report_t r;
    oak_solver_options_t options = {.a = 1, .tolerance = 1e-9, .max_cycles = 20};
    for (int face = 0; face < 4; face++) options.face[face].condition = OAK_SOLVER_NEUMANN;
    sim_t s = sim_of(&c, i ? MPI_COMM_WORLD : MPI_COMM_SELF, 0);
    MUST(oak_solver_new(s.sim, &options, &solver));
    give(&s, solver, c.kind, OAK_SOLVER_RHS, RHS);
    MUST(oak_solve(solver, &r));
    count = (size_t)oak_nblocks(s.sim) * s.cells;
    u[i] = malloc((count + 1) * sizeof *u[i]);
    MUST(oak_solver_read(solver, OAK_SOLVER_SOLUTION, 0, oak_nblocks(s.sim), u[i]));
    long long before = 0, mine = (long long)count;
    MPI_Exscan(&mine, &before, 1, MPI_LONG_LONG, MPI_SUM, s.comm);
    first = (size_t)before;
    report("only derivatives given: %d cycles, each by %.1f", r.cycles, mean_factor(&r));
    assert_true(mean_factor(&r) > 10);
    oak_solver_destroy(&solver);
    sim_free(&s);
  }
  for (size_t c0 = 0; c0 < count; c0++) different += memcmp(&u[0][first + c0], &u[1][c0], 8) != 0;
  for (int i = 0; i < 2; i++) free(u[i]);
  assert_int_equal(sum_ranks_int(MPI_COMM_WORLD, different), 0);
}

static void test_ranks(void **state) {
  (void)state;
  same_on_ranks((case_t){POLAR, RING "poisson.gather_cells=1\n", 1, 1, 0, 0, 0, 0});
  same_on_ranks((case_t){POLAR, DISK("0") "boundary.xhigh=outflow\n", 1, 1, 0, 0, 0, 0});
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_orders), cmocka_unit_test(test_isolated),
                                     cmocka_unit_test(test_axis), cmocka_unit_test(test_ranks)};
  return TEST_MAIN(tests);
}
