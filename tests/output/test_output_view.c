/* SPDX-License-Identifier: GPL-2.0-or-later
 * What outputs read from a simulation: derived variables, and blocks with ghost cells beyond
 * faces, edges and corners, on an adaptive mesh. Linear fields must be reproduced, across levels
 * too. */
// TEST np={1,3} timeout=240
#include "solver_test.h"

#include "output/view.h"

/* A linear field: a constant and slopes. */
typedef struct {
  double at0, slope[3];
} linear_t;

static double value_at(const linear_t *f, const double x[3]) {
  return f->at0 + f->slope[0] * x[0] + f->slope[1] * x[1] + f->slope[2] * x[2];
}

/* Blocks of three levels around a point, on open or periodic boundaries. */
static sim_t new_mesh(int dim, int periodic) {
  static const char open[] =
      "boundary.xlow=outflow\nboundary.xhigh=outflow\nboundary.ylow=outflow\n"
      "boundary.yhigh=outflow\nboundary.zlow=outflow\nboundary.zhigh=outflow\n";
  sim_t s = sim_new(MPI_COMM_WORLD,
                    TEST_PROBLEM("waves") "mesh.dim=%d\nmesh.block_size=%d\nmesh.trees=3\n"
                                          "mesh.max_level=2\nphysics.gamma=1.4\n%s",
                    dim, dim == 2 ? 8 : 6, periodic ? "" : open);
  MUST(oak_set_initial(s.sim));
  for (int pass = 0; pass < 2; pass++) {
    const int n = oak_nblocks(s.sim);
    int *flag = calloc((size_t)n + 1, sizeof *flag), changed;
    if (!flag) abort();
    for (int b = 0; b < n; b++) {
      double origin[3], dx[3], far = 0;
      oak_block_geometry(s.sim, b, origin, dx);
      for (int d = 0; d < dim; d++) far = fmax(far, fabs(origin[d] + s.n / 2 * dx[d] - 0.43));
      flag[b] = far < 0.1;
    }
    MUST(oak_adjust_refinement_flags(s.sim, oak_nblocks(s.sim), flag, &changed));
    free(flag);
  }
  int lowest, highest;
  sim_levels(&s, &lowest, &highest);
  assert_true(lowest == 0 && highest == 2);
  return s;
}

static void set(sim_t *s, int variable, const linear_t *f) {
  const int n = oak_nblocks(s->sim);
  double *u = malloc(((size_t)n * s->cells + 1) * sizeof *u);
  if (!u) abort();
  for (int i = 0; i < n * s->cells; i++) {
    double x[3];
    sim_center(s, i / s->cells, i % s->cells, x);
    u[i] = value_at(f, x);
  }
  MUST(oak_write_cells(s->sim, variable, 0, n, u));
  free(u);
}

/* Does the value depend on ghost cells outside the domain, which are not linear? Interpolation
 * uses slopes of cells of level 0. */
static int at_boundary(const sim_t *s, int block, int c) {
  const double dx0 = 1.0 / 3 / s->n;
  double x[3];
  int edge = 0;
  sim_center(s, block, c, x);
  for (int d = 0; d < s->dim; d++) edge |= x[d] < dx0 || x[d] > 1 - dx0;
  return edge;
}

/* Largest difference of a variable from a number or, if that is NaN, from `field` of the place. */
static double worst(sim_t *s, const char *name, double expected,
                    double (*field)(const sim_t *s, const double x[3])) {
  oak_selection_t one;
  const int n = oak_nblocks(s->sim);
  double most = 0, *u = malloc(((size_t)n * s->cells + 1) * sizeof *u);
  if (!u) abort();
  MUST(oak_variables_select(&s->sim->setup, name, "test", "variables", OAK_SELECT_ALL, &one));
  assert_int_equal(one.count, 1);
  MUST(oak_variables_prepare(&s->sim->data, &one));
  MUST(oak_variable_read(&s->sim->data, one.variable[0], 0, n, u));
  for (int i = 0; i < n * s->cells; i++) {
    double x[3];
    if (at_boundary(s, i / s->cells, i % s->cells)) continue;
    sim_center(s, i / s->cells, i % s->cells, x);
    most = worse(most, fabs(u[i] - (field ? field(s, x) : expected)));
  }
  free(u);
  MPI_Barrier(MPI_COMM_WORLD);
  return max_ranks(MPI_COMM_WORLD, most);
}

static const linear_t momentum[3] = {
    {0.3, {0.5, -2, 0.7}}, {0.1, {1.5, 0.25, -0.4}}, {-0.2, {0.6, 0.9, 1.1}}};

static double speed(const sim_t *s, const double x[3]) {
  double sum = 0;
  for (int d = 0; d < s->dim; d++) sum += pow(value_at(&momentum[d], x), 2);
  return sqrt(sum);
}

static double mach(const sim_t *s, const double x[3]) {
  const double v = speed(s, x), p = 0.4 * (20 - 0.5 * v * v);
  return v / sqrt(1.4 * p);
}

static double twice_mass(const sim_t *s, const double x[3]) {
  return 2 * (2 + 0.6 * x[0] - 0.3 * x[1] + (s->dim == 3 ? 0.2 * x[2] : 0)) + x[0];
}

static void test_derived(void **state) {
  (void)state;
  for (int dim = 2; dim <= 3; dim++) {
    const linear_t one = {1, {0, 0, 0}}, energy = {20, {0, 0, 0}}, rho = {2, {0.6, -0.3, 0.2}};
    sim_t s = new_mesh(dim, 0);
    set(&s, 0, &one);
    for (int d = 0; d < dim; d++) set(&s, 1 + d, &momentum[d]);
    set(&s, dim + 1, &energy);
    const double curl[3] = {0.9 + 0.4, 0.7 - 0.6, 1.5 + 2};
    const double most[] = {
        worst(&s, "speed", NAN, speed), worst(&s, "mach", NAN, mach),
        worst(&s, "divergence", 0.5 + 0.25 + (dim == 3 ? 1.1 : 0), NULL),
        worst(&s, "vorticity",
              dim == 2 ? curl[2] : sqrt(curl[0] * curl[0] + curl[1] * curl[1] + curl[2] * curl[2]),
              NULL),
        worst(&s, "schlieren", 0, NULL)};
    set(&s, 0, &rho);
    const double slope = worst(&s, "schlieren", sqrt(0.36 + 0.09 + (dim == 3 ? 0.04 : 0)), NULL);
    report("%dD: speed %.1g, mach %.1g, divergence %.1g, vorticity %.1g, schlieren %.1g %.1g", dim,
           most[0], most[1], most[2], most[3], most[4], slope);
    for (int i = 0; i < 5; i++) assert_true(most[i] < 1e-12);
    assert_true(slope < 1e-12);
    /* Hooks of the problem (waves.c): of a cell, and of its neighbours. */
    const double mass = worst(&s, "twice_mass", NAN, twice_mass);
    const double change = worst(&s, "mass_slope", 0.6, NULL);
    report("%dD: OUTPUT of a cell %.1g, of neighbours %.1g", dim, mass, change);
    assert_true(mass < 1e-12 && change < 1e-12);
    sim_free(&s);
  }
}

/* ---- ghost cells */

/* Positions of ghost cells along an axis, brought back into the domain: the nearest cell. */
static double into_domain(double x, double dx) { return fmin(fmax(x, 0.5 * dx), 1 - 0.5 * dx); }

static void test_ghosts(void **state) {
  (void)state;
  const linear_t field = {2, {0.6, -0.3, 0.2}};
  for (int dim = 2; dim <= 3; dim++) {
    sim_t s = new_mesh(dim, 0);
    oak_selection_t all;
    oak_grid_view_t view;
    double most = 0;
    set(&s, 0, &field);
    MUST(oak_variables_select(&s.sim->setup, "E rho", "test", "variables", OAK_SELECT_ALL, &all));
    oak_view_source_t source = {.sim = s.sim, .variables = &all, .value_bytes = 8};
    MUST(oak_view_make(&source, &view));
    for (int layers = 1; layers <= s.n / 2; layers += s.n / 2 - 1) {
      const int w = s.n + 2 * layers, cells = w * w * (dim == 3 ? w : 1), n = view.nblock;
      double *u = malloc(((size_t)n * cells + 1) * sizeof *u);
      if (!u) abort();
      MUST(view.read_ghosts(&view, 0, 0, n, layers, u)); /* another variable before */
      MUST(view.read_ghosts(&view, 1, 0, n / 2, layers, u));
      MUST(view.read_ghosts(&view, 1, n / 2, n - n / 2, layers, u + (size_t)(n / 2) * cells));
      for (int i = 0; i < n * cells; i++) {
        double origin[3], dx[3], x[3] = {0, 0, 0};
        const int c = i % cells, at[3] = {c % w, c / w % w, c / w / w};
        oak_block_geometry(s.sim, i / cells, origin, dx);
        for (int d = 0; d < dim; d++)
          x[d] = into_domain(origin[d] + (at[d] - layers + 0.5) * dx[d], dx[d]);
        most = worse(most, fabs(u[i] - value_at(&field, x)));
      }
      free(u);
    }
    oak_view_clear(&source);
    most = max_ranks(MPI_COMM_WORLD, most);
    report("%dD: ghost cells differ by %.1g", dim, most);
    assert_true(most < 1e-13);
    sim_free(&s);
  }
}

static double wave(const double x[3]) {
  return sin(6.283185307179586 * x[0]) + 0.3 * cos(12.566370614359172 * x[1]);
}

/* In a periodic box, cells beyond one side are those inside the other. Compared where ghost
 * cells have the level of their block. */
static void test_periodic(void **state) {
  (void)state;
  sim_t s = new_mesh(2, 1);
  oak_selection_t two;
  oak_grid_view_t view;
  const int n = oak_nblocks(s.sim), cells = 12 * 12;
  double *u = malloc(((size_t)n + 1) * cells * sizeof *u), most = 0;
  double *level = malloc(((size_t)n + 1) * cells * sizeof *level);
  if (!u || !level) abort();
  for (int i = 0; i < n * s.cells; i++) {
    double x[3];
    sim_center(&s, i / s.cells, i % s.cells, x);
    u[i] = wave(x);
  }
  MUST(oak_write_cells(s.sim, 0, 0, n, u));
  MUST(oak_variables_select(&s.sim->setup, "level rho", "test", "variables", OAK_SELECT_ALL, &two));
  oak_view_source_t source = {.sim = s.sim, .variables = &two, .value_bytes = 8};
  MUST(oak_view_make(&source, &view));
  MUST(view.read_ghosts(&view, 0, 0, n, 2, level));
  MUST(view.read_ghosts(&view, 1, 0, n, 2, u));
  int64_t wrapped = 0;
  for (int i = 0; i < n * cells; i++) {
    double origin[3], dx[3];
    const int b = i / cells, c = i % cells;
    oak_block_geometry(s.sim, b, origin, dx);
    const double x[3] = {origin[0] + (c % 12 - 1.5) * dx[0], origin[1] + (c / 12 - 1.5) * dx[1], 0};
    most = worse(most, fabs(level[i] - oak_block_level(s.sim, b)) > 1);
    if (level[i] != oak_block_level(s.sim, b)) continue;
    most = worse(most, fabs(u[i] - wave(x)));
    wrapped += x[0] < 0 || x[1] < 0 || x[0] > 1 || x[1] > 1;
  }
  free(u);
  free(level);
  assert_true(max_ranks(MPI_COMM_WORLD, most) < 1e-13);
  assert_true(sum_ranks_int(MPI_COMM_WORLD, wrapped) > 50);
  oak_view_clear(&source);
  sim_free(&s);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_derived), cmocka_unit_test(test_ghosts),
                                     cmocka_unit_test(test_periodic)};
  return TEST_MAIN(tests);
}
