/* SPDX-License-Identifier: GPL-2.0-or-later
 * Shallow water: a lake around an island stays at rest while the mesh changes, water is conserved,
 * dam breaks over a wet and a dry bed against their exact solutions, the energy of closed boxes,
 * the same bits on any number of ranks and after a restart; polar coordinates. Then the hooks for
 * faces whose sides differ, with another physics. */
// TEST np={1,2,3} timeout=120 flags=-O1
#include "solver_test.h"

enum { H, HU, HV, BED, U = 5, V, SURFACE };

static sim_t make(MPI_Comm comm, const char *format, ...) {
  char more[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(more, sizeof more, format, args);
  va_end(args);
  sim_t s = sim_new(comm,
                    TEST_PROBLEM("water") "physics.name=shallow_water\nphysics.gravity=1\n"
                                          "mesh.block_size=8\nscheme.limiter=minmod\n"
                                          "boundary.xlow=reflect\nboundary.xhigh=reflect\n"
                                          "boundary.ylow=reflect\nboundary.yhigh=reflect\n"
                                          "%s",
                    more);
  MUST(oak_initialize(s.sim));
  return s;
}

#define LAKE "mesh.min_level=2\nmesh.max_level=3\n"

/** So many steps with an adaptation after each; 1 if the mesh has changed. */
static int advance(sim_t *s, int steps) {
  int changed, any = 0;
  for (int n = 0; n < steps; n++) {
    MUST(oak_advance(s->sim, oak_time_step(s->sim)));
    MUST(oak_adjust_refinement(s->sim, &changed));
    any |= changed;
  }
  return any;
}

/** Largest speed of all cells, and largest deviation of the surface where there is water. */
static void find_motion(const sim_t *s, double out[2], int *dry) {
  double *h = sim_read(s, H), *u = sim_read(s, U), *v = sim_read(s, V),
         *surface = sim_read(s, SURFACE);
  out[0] = out[1] = 0;
  *dry = 0;
  for (int c = 0; c < oak_nblocks(s->sim) * s->cells; c++) {
    out[0] = worse(out[0], hypot(u[c], v[c]));
    *dry += h[c] == 0;
    if (h[c] > 0) out[1] = worse(out[1], fabs(surface[c] - 1));
  }
  for (int i = 0; i < 2; i++) out[i] = max_ranks(s->comm, out[i]);
  *dry = (int)sum_ranks_int(s->comm, *dry);
  free(h);
  free(u);
  free(v);
  free(surface);
}

static void test_lake_at_rest(void **state) {
  (void)state;
  double motion[2], before[4], after[4];
  int dry, low, high;
  sim_t s = make(MPI_COMM_WORLD, LAKE);
  MUST(oak_totals(s.sim, before));
  const int changed = advance(&s, 100);
  MUST(oak_totals(s.sim, after));
  sim_levels(&s, &low, &high);
  find_motion(&s, motion, &dry);
  report(
      "lake at rest, %ld steps to t = %.3f, %d dry cells: speed %.2e, surface off by %.2e, water "
      "%.2e",
      oak_step(s.sim), oak_time(s.sim), dry, motion[0], motion[1], after[H] / before[H] - 1);
  assert_true(changed && low < high && dry > 20);
  assert_true(motion[0] < 1e-13 && motion[1] < 1e-14);
  assert_true(fabs(after[H] / before[H] - 1) < 1e-14);
  sim_free(&s);
}

/** The shore, on the fine level, lies in the cells that fill ghost cells of coarse blocks. */
static void test_shore_beside_coarse_blocks(void **state) {
  (void)state;
  for (double island = 0.36; island < 0.385; island += 0.005) {
    double motion[2];
    int dry, low, high;
    sim_t s = make(MPI_COMM_WORLD, LAKE "problem.edge=0.5\nproblem.island=%g\n", island);
    advance(&s, 10);
    sim_levels(&s, &low, &high);
    find_motion(&s, motion, &dry);
    report("lake with an island at x = %g, fine cells up to 0.5: speed %.2e, surface off by %.2e",
           island, motion[0], motion[1]);
    assert_true(low < high && dry > 20);
    assert_true(motion[0] < 1e-13 && motion[1] < 1e-14);
    sim_free(&s);
  }
}

/** The wave runs over the shore, which is at a refinement boundary at times. */
static void test_conservation(void **state) {
  (void)state;
  double before[4], after[4];
  sim_t s = make(MPI_COMM_WORLD, LAKE "problem.push=0.5\n");
  MUST(oak_totals(s.sim, before));
  assert_true(advance(&s, 150));
  MUST(oak_totals(s.sim, after));
  report("water before %.17g, after %.17g", before[H], after[H]);
  assert_true(fabs(after[H] / before[H] - 1) < 1e-14);
  assert_true(fabs(after[BED] / before[BED] - 1) < 1e-14);
  sim_free(&s);
}

static void test_ranks_and_restart(void **state) {
  (void)state;
  const char *path = test_new_file();
  double all[4], alone[4], again[4];
  sim_t s = make(MPI_COMM_WORLD, LAKE "problem.push=0.5\n"),
        one = make(MPI_COMM_SELF, LAKE "problem.push=0.5\n");
  advance(&s, 10);
  MUST(oak_write_checkpoint(s.sim, path));
  advance(&s, 10);
  advance(&one, 20);
  MUST(oak_totals(s.sim, all));
  MUST(oak_totals(one.sim, alone));
  sim_free(&s);
  sim_free(&one);
  s = make(MPI_COMM_WORLD, LAKE "problem.push=0.5\n");
  MUST(oak_read_checkpoint(s.sim, path));
  advance(&s, 10);
  MUST(oak_totals(s.sim, again));
  sim_free(&s);
  for (int v = 0; v < 4; v++) {
    assert_true(max_ranks(MPI_COMM_WORLD, fabs(all[v] - alone[v])) == 0);
    assert_true(all[v] == again[v]);
  }
  report("momentum %.17g on all ranks, on one, and after a restart", all[HU]);
  test_remove(path);
}

/** Scalars in the water, while it runs over the shore and the mesh changes: one that is uniform
 * stays so, fractions add up to the water, and all are within bounds. */
static void carry_scalars(int fractions) {
  enum { COUNT = 3, FIRST = BED + 1 };
  double before[FIRST + COUNT], after[FIRST + COUNT], off = 0, beyond = 0;
  sim_t s = make(MPI_COMM_WORLD,
                 LAKE
                 "problem.push=0.5\nphysics.scalars=even west east\n"
                 "physics.scalar_values=%s\n",
                 fractions ? "fractions" : "bounded");
  MUST(oak_totals(s.sim, before));
  assert_true(advance(&s, 60));
  MUST(oak_totals(s.sim, after));
  double *h = sim_read(&s, H), *x[COUNT];
  for (int n = 0; n < COUNT; n++) x[n] = sim_read(&s, FIRST + n);
  for (int c = 0; c < oak_nblocks(s.sim) * s.cells; c++) {
    off = worse(off, fabs(fractions ? x[0][c] + x[1][c] + x[2][c] - h[c] : x[0][c] - 0.25 * h[c]));
    for (int n = 0; n < COUNT; n++) beyond = worse(beyond, fmax(-x[n][c], x[n][c] - h[c]));
  }
  free(h);
  for (int n = 0; n < COUNT; n++) free(x[n]);
  report("scalars, %s: off by %.1e, out of bounds by %.1e, total of one %.17g to %.17g",
         fractions ? "sum" : "uniform", off, beyond, before[FIRST + 1], after[FIRST + 1]);
  assert_true(off < 1e-13 && beyond < 1e-13);
  for (int n = 0; n < COUNT; n++)
    assert_true(fabs(after[FIRST + n] / before[FIRST + n] - 1) < 1e-13);
  sim_free(&s);
}

static void test_scalars(void **state) {
  (void)state;
  carry_scalars(0);
  carry_scalars(1);
}

/* ---- dam breaks */

/** Depth and speed between the waves, with g = 1 (J. J. Stoker, Water Waves, 1957). */
static void middle(double left, double right, double *h, double *u) {
  double low = right, high = left;
  for (int n = 0; n < 100; n++) {
    *h = 0.5 * (low + high);
    *u = 2 * (sqrt(left) - sqrt(*h));
    const double behind = (*h - right) * sqrt(0.5 * (*h + right) / (*h * right));
    if (*u > behind)
      low = *h;
    else
      high = *h;
  }
}

/** Depth at x from the dam; over a dry bed after A. Ritter, Z. VDI 36 (1892) 947. */
static double exact(double left, double right, double x, double t) {
  double h = 0, u = 0;
  const double c = sqrt(left), xi = x / t;
  if (right > 0) middle(left, right, &h, &u);
  const double shock = right > 0 ? h * u / (h - right) : 2 * c;
  if (xi < -c) return left;
  if (xi < u - sqrt(h) || (right == 0 && xi < shock)) return (2 * c - xi) * (2 * c - xi) / 9;
  return xi < shock ? h : right;
}

static double dam_error(double right, int trees, double *shore) {
  sim_t s = make(MPI_COMM_WORLD,
                 "problem.kind=dam\nproblem.right=%g\nmesh.min_level=0\nmesh.max_level=0\n"
                 "mesh.trees=%d 1\nmesh.xmax=1 %g\n",
                 right, trees, 1.0 / trees);
  sim_run(&s, 0.2, 0);
  double *h = sim_read(&s, H), error = 0;
  *shore = 0;
  for (int b = 0; b < oak_nblocks(s.sim); b++)
    for (int c = 0; c < s.cells; c++) {
      double x[3];
      sim_center(&s, b, c, x);
      const double want = exact(1, right, x[0] - 0.5, oak_time(s.sim));
      error += fabs(h[b * s.cells + c] - want) * sim_volume(&s, b) * trees;
      if (h[b * s.cells + c] > 1e-4) *shore = fmax(*shore, x[0] - 0.5);
    }
  free(h);
  error = sum_ranks(s.comm, error);
  *shore = max_ranks(s.comm, *shore);
  sim_free(&s);
  return error;
}

/** On one rank; verify_shallow_water does the same on two. */
static void test_dam_breaks(void **state) {
  (void)state;
  int ranks;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks > 1) return;
  const double right[] = {0.1, 0}, limit[] = {4.5e-3, 4.2e-3};
  for (int i = 0; i < 2; i++) {
    double error[2], shore;
    for (int r = 0; r < 2; r++) error[r] = dam_error(right[i], 8 << r, &shore);
    const double order = log2(error[0] / error[1]);
    report(
        "dam break, depth %g before it: L1 errors %.3e, %.3e with 64 and 128 cells, order %.2f, "
        "water to x = %.3f",
        right[i], error[0], error[1], order, shore);
    assert_true(error[1] < limit[i] && order > 0.8);
    if (right[i] == 0) assert_true(shore > 0.33 && shore < 0.4);
  }
}

/* ---- the energy of a closed box */

/** Energy times the volume of a cell; the sum of the surface; the largest speed where the water is
 * at least 1 mm deep. */
static double box_energy(const sim_t *s, double gravity, double *area, double *fastest) {
  double *h = sim_read(s, H), *u = sim_read(s, U), *v = sim_read(s, V), *top = sim_read(s, SURFACE),
         sum = 0;
  *area = *fastest = 0;
  for (int c = 0; c < oak_nblocks(s->sim) * s->cells; c++) {
    const double speed2 = u[c] * u[c] + v[c] * v[c];
    sum += 0.5 * h[c] * speed2 + gravity * h[c] * (top[c] - 0.5 * h[c]);
    *area += top[c];
    if (h[c] >= 1e-3) *fastest = fmax(*fastest, sqrt(speed2));
    assert_true(h[c] >= 0);
  }
  free(h);
  free(u);
  free(v);
  free(top);
  return sum;
}

/** The energy never grows, but by rain, which brings at most g (surface) for each unit of water.
 * Largest speeds: on a cliff and in the rain, those of a fall from the highest surface to the
 * lowest bed. Fronts run sqrt(2) times as fast, and in the rough box, where the bed falls by
 * several depths from cell to cell, the last water of a puddle is 1.5 times as fast. */
static void check_box(const char *limiter, const char *more, const char *kind, double fall) {
  const double gravity = 9.81, rain = strcmp(kind, "rain") ? 0 : 1e-3;
  const double rounding = strstr(more, "single") ? 1e-5 : 1e-12;
  sim_t s = sim_new(MPI_COMM_SELF,
                    TEST_PROBLEM("puddles") "physics.name=shallow_water\nmesh.block_size=16\n"
                                            "mesh.xmax=16 16\nscheme.limiter=%s\n%s\n"
                                            "problem.kind=%s\nboundary.xlow=reflect\n"
                                            "boundary.xhigh=reflect\nboundary.ylow=reflect\n"
                                            "boundary.yhigh=reflect\n",
                    limiter, more, kind);
  MUST(oak_initialize(s.sim));
  double top, fastest, water[4], most = 0;
  double allowed = box_energy(&s, gravity, &top, &fastest);
  const double first = allowed;
  MUST(oak_totals(s.sim, water));
  while (oak_time(s.sim) < 20) {
    const double dt = fmin(oak_time_step(s.sim), 0.1), before = top;
    MUST(oak_advance(s.sim, dt));
    const double energy = box_energy(&s, gravity, &top, &fastest);
    allowed += gravity * rain * dt * fmax(top, before);
    most = fmax(most, fastest);
    if (energy > allowed * (1 + 0.1 * rounding)) {
      report("%s, %s, %s: energy %.6g of %.6g at t = %g", kind, limiter, more, energy, allowed,
             oak_time(s.sim));
      assert_true(!"energy grows");
    }
    allowed = fmin(allowed, energy);
  }
  const double brought = rain * 256 * oak_time(s.sim), want = water[H] + brought;
  MUST(oak_totals(s.sim, water));
  report("%s, %s, %s: energy %.4g of %.4g after %ld steps, largest speed %.3g of %.3g, water %.1e",
         kind, limiter, more, allowed, first, oak_step(s.sim), most, fall, water[H] / want - 1);
  assert_true(most < fall && fabs(water[H] / want - 1) < rounding);
  sim_free(&s);
}

static void test_energy(void **state) {
  (void)state;
  static const char *const limiter[] = {"minmod", "vanleer", "mc", "koren", "weno5"};
  static const struct {
    const char *name;
    double fall;
  } box[] = {{"puddles", 10}, {"hills", 32}, {"rain", 22.6}, {"islands", 6}, {"cliff", 1.13}};
  if (test_size > 1) return;
  for (int n = 0; n < (test_short() ? 2 : 5); n++)
    for (int k = 0; k < 5; k++) check_box(limiter[n], "scheme.flux=hll", box[k].name, box[k].fall);
  if (!test_short()) {
    check_box("vanleer", "scheme.flux=rusanov", "puddles", 10);
    check_box("vanleer", "scheme.precision=single", "hills", 32);
  }
}

/** A dam breaks onto a dry bed: at the toe the depth falls to 1e-44, and speeds to 1e-310. Of runs
 * with any time step and depth, the front is where A. Ritter has it. */
static void test_toe(void **state) {
  (void)state;
  if (test_size > 1) return;
  for (int single = 0; single < 2; single++)
    for (int n = 1; n <= 9; n++) {
      sim_t s = sim_new(MPI_COMM_SELF,
                        TEST_PROBLEM("puddles") "physics.name=shallow_water\nmesh.block_size=16\n"
                                                "mesh.trees=16 1\nmesh.xmax=128 8\n"
                                                "problem.kind=dam\nboundary.xlow=reflect\n"
                                                "boundary.xhigh=outflow\nrun.cfl=%g\n"
                                                "scheme.precision=%s\n",
                        0.1 * n, single ? "single" : "double");
      MUST(oak_initialize(s.sim));
      sim_run(&s, 5, 0);
      double *h = sim_read(&s, H), front = 0, x[3];
      for (int c = 0; c < oak_nblocks(s.sim) * s.cells; c++) {
        sim_center(&s, c / s.cells, c % s.cells, x);
        if (h[c] > 1e-6) front = fmax(front, x[0]);
      }
      free(h);
      report("toe, cfl %.1f, precision %d: front %.2f", 0.1 * n, single, front);
      assert_true(front > 66 && front < 40 + 2 * sqrt(9.81) * 5);
      sim_free(&s);
    }
}

/* ---- values on both sides of faces, for any physics */

/** The largest difference of two results on all ranks, and the largest value of the second; frees
 * both. */
static double compare(double *first, double *second, int count, double *largest) {
  double most = 0;
  *largest = 0;
  for (int c = 0; c < count; c++) {
    most = worse(most, fabs(first[c] - second[c]));
    *largest = worse(*largest, fabs(second[c]));
  }
  *largest = max_ranks(MPI_COMM_WORLD, *largest);
  free(first);
  free(second);
  return max_ranks(MPI_COMM_WORLD, most);
}

/** rho of all cells after some steps, in the order of the mesh. */
static double *carry(const char *physics, int dim, const char *limiter, int *count) {
  sim_t s = sim_new(MPI_COMM_WORLD,
                    "problem.name=advection\nphysics.name=%s\nmesh.dim=%d\nmesh.block_size=4\n"
                    "mesh.min_level=2\nmesh.max_level=2\nscheme.limiter=%s\n"
                    "scheme.flux=hll\nphysics.vx=0.7\nphysics.vy=-0.4\n",
                    physics, dim, limiter);
  MUST(oak_initialize(s.sim));
  for (int n = 0; n < 10; n++) MUST(oak_advance(s.sim, 1e-2));
  double *q = sim_read(&s, 0);
  *count = oak_nblocks(s.sim) * s.cells;
  sim_free(&s);
  return q;
}

static void test_both_sides(void **state) {
  (void)state;
  for (int dim = 2; dim <= 3; dim++) {
    int count;
    char path[4096];
    snprintf(path, sizeof path, "%s/problems/two_sided.c", test_folder());
    double *fluxes = carry("advection", dim, "minmod", &count),
           *sides = carry(path, dim, "minmod", &count);
    double change;
    const double most = compare(sides, fluxes, count, &change);
    report("%dD: terms of both sides and fluxes differ by %.2e of %.3f", dim, most, change);
    assert_true(most < 1e-14 && change > 0.1);
  }
}

/** The hook FLAT for all cells is the scheme of first order. */
static void test_flat(void **state) {
  (void)state;
  for (int dim = 2; dim <= 3; dim++) {
    int count;
    char path[4096];
    snprintf(path, sizeof path, "%s/problems/flat.c", test_folder());
    double *upwind = carry("advection", dim, "upwind", &count);
    double *flat = carry(path, dim, "vanleer", &count), change;
    const double most = compare(upwind, flat, count, &change);
    report("%dD: FLAT differs from first order by %.2e of %.3f", dim, most, change);
    assert_true(most == 0 && change > 0.1);
  }
}

/* ---- polar coordinates */

static sim_t pool_new(const char *domain, const char *kind, int low, int high, double fine) {
  sim_t s = sim_new(MPI_COMM_WORLD,
                    TEST_PROBLEM("pool") "physics.name=shallow_water\nphysics.gravity=1\n"
                                         "mesh.coordinates=polar\nmesh.block_size=8\n"
                                         "%sproblem.kind=%s\nmesh.min_level=%d\n"
                                         "mesh.max_level=%d\nproblem.fine=%g\n",
                    domain, kind, low, high, fine);
  MUST(oak_initialize(s.sim));
  return s;
}

/* With r = 0 in the domain, and with a logarithmic radius, while the mesh changes. */
static void test_polar_lake(void **state) {
  static const char *const domain[] = {
      "mesh.xmin=0 0\nmesh.xmax=1 2pi\nmesh.trees=4 4\nboundary.xhigh=reflect\n",
      "mesh.xmin=0.2 0\nmesh.xmax=1 2pi\nmesh.trees=2 8\nmesh.radius=logarithmic\n"
      "boundary.xlow=reflect\nboundary.xhigh=reflect\n"};
  (void)state;
  for (int n = 0; n < 2; n++) {
    sim_t s = pool_new(domain[n], "lake", n, 1 + n, 0);
    double motion[2], before[4], after[4];
    int dry;
    MUST(oak_totals(s.sim, before));
    const int changed = advance(&s, 40);
    MUST(oak_totals(s.sim, after));
    find_motion(&s, motion, &dry);
    report("polar lake %d, %d dry cells: speed %.1e, surface off by %.1e, water %.1e", n, dry,
           motion[0], motion[1], after[H] / before[H] - 1);
    assert_true(changed && dry > 0);
    assert_true(motion[0] < 1e-13 && motion[1] < 1e-14);
    assert_true(fabs(after[H] / before[H] - 1) < 1e-14);
    sim_free(&s);
  }
}

/** Mean errors of depth and of both velocities. */
static void pool_errors(sim_t *s, double error[3]) {
  static const int variable[3] = {H, U, V};
  const int n = oak_nblocks(s->sim) * s->cells;
  double *u[3], x[3];
  for (int v = 0; v < 3; v++) u[v] = sim_read(s, variable[v]);
  MUST(oak_set_initial(s->sim));
  for (int v = 0; v < 3; v++) {
    double *is = sim_read(s, variable[v]), sum = 0;
    for (int c = 0; c < n; c++) {
      sim_center(s, c / s->cells, c % s->cells, x);
      sum += x[0] * sim_volume(s, c / s->cells) * fabs(u[v][c] - is[c]);
    }
    error[v] = sum_ranks(s->comm, sum);
    free(is);
    free(u[v]);
  }
}

static void test_polar_order(void **state) {
  static const char *const kind[] = {"rotation", "flow"};
  (void)state;
  for (int n = 0; n < 4; n++) {
    double error[2][3], order[3];
    for (int i = 0; i < 2; i++) {
      sim_t s = pool_new(
          "mesh.xmin=0.5 0.2\nmesh.xmax=1.5 1.2\nboundary.xlow=user\n"
          "boundary.xhigh=user\nboundary.ylow=user\nboundary.yhigh=user\n",
          kind[n / 2], 2 + i, 2 + i + n % 2, n % 2 * 1.01);
      sim_run(&s, 0.1, 0);
      pool_errors(&s, error[i]);
      sim_free(&s);
    }
    for (int v = 0; v < 3; v++) order[v] = log2(error[0][v] / error[1][v]);
    report("polar %s, %d levels: errors %.1e %.1e %.1e, orders %.2f %.2f %.2f", kind[n / 2],
           1 + n % 2, error[1][0], error[1][1], error[1][2], order[0], order[1], order[2]);
    for (int v = 0; v < 3; v++) assert_true(order[v] > 1.9);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lake_at_rest), cmocka_unit_test(test_shore_beside_coarse_blocks),
      cmocka_unit_test(test_conservation), cmocka_unit_test(test_ranks_and_restart),
      cmocka_unit_test(test_scalars),      cmocka_unit_test(test_dam_breaks),
      cmocka_unit_test(test_energy),       cmocka_unit_test(test_toe),
      cmocka_unit_test(test_both_sides),   cmocka_unit_test(test_flat),
      cmocka_unit_test(test_polar_lake),   cmocka_unit_test(test_polar_order)};
  return TEST_MAIN(tests);
}
