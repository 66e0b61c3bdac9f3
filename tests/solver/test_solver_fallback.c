/* SPDX-License-Identifier: GPL-2.0-or-later
 * Repair of states that would be invalid: interpolation of cold, fast gas; first-order fluxes
 * around cells that a stage leaves invalid; floors. test_solver_ranks compares bits. */
// TEST np={1,2,3} timeout=300
#include "verify/exact_riemann.h"
#include "solver_test.h"

static const double gm1 = 2.0 / 3;

/** Internal energy density of a conserved state; NaN or negative if it is invalid. */
static double internal(int dim, const double u[]) {
  double m2 = 0;
  for (int d = 0; d < dim; d++) m2 += u[1 + d] * u[1 + d];
  return u[0] > 0 ? u[dim + 1] - 0.5 * m2 / u[0] : -1;
}

/* ---- interpolation */

/** A number in [0, 1) that looks random, from a cell's position and a seed. */
static double noise(const int x[3], int seed) {
  uint64_t h = 0x9e3779b97f4a7c15u + (uint64_t)seed;
  for (int d = 0; d < 3; d++) {
    h = (h ^ (uint64_t)x[d]) * 0xbf58476d1ce4e5b9u;
    h ^= h >> 29;
  }
  return (double)(h >> 11) / 9007199254740992.0;
}

/** Cold gas that flies in all directions: cell x of a periodic grid of `cells` per axis. */
static void cold_gas(int dim, int cells, const int x[3], double u[]) {
  int at[3] = {0, 0, 0};
  for (int d = 0; d < dim; d++) at[d] = (x[d] + cells) % cells;
  double m2 = 0;
  u[0] = 0.5 + noise(at, 0);
  for (int d = 0; d < dim; d++) {
    u[1 + d] = u[0] * (0.6 + 0.8 * noise(at, 1 + d));
    m2 += u[1 + d] * u[1 + d];
  }
  u[dim + 1] = 0.02 / gm1 + 0.5 * m2 / u[0];
}

/** Generalized minmod with theta = 1. */
static double minmod(double a, double b) {
  return a * b > 0 ? copysign(fmin(fabs(a), fabs(b)), a) : 0;
}

/** The values that interpolation gives the 2^d fine cells of coarse cell x. Returns the least
 * internal energy. */
static double interpolate(int dim, int cells, const int x[3], double fine[8][5]) {
  double u[5], low[5], high[5], least = INFINITY;
  cold_gas(dim, cells, x, u);
  for (int e = 0; e < 1 << dim; e++) memcpy(fine[e], u, sizeof u);
  for (int d = 0; d < dim; d++) {
    int y[3] = {x[0], x[1], x[2]};
    y[d] = x[d] - 1;
    cold_gas(dim, cells, y, low);
    y[d] = x[d] + 1;
    cold_gas(dim, cells, y, high);
    for (int v = 0; v < dim + 2; v++)
      for (int e = 0; e < 1 << dim; e++)
        fine[e][v] += (e >> d & 1 ? 0.25 : -0.25) * minmod(u[v] - low[v], high[v] - u[v]);
  }
  for (int e = 0; e < 1 << dim; e++) least = fmin(least, internal(dim, fine[e]));
  return least;
}

static void set_cold_gas(sim_t *s, int cells) {
  const int n = oak_nblocks(s->sim);
  double *u = malloc(((size_t)n * s->cells + 1) * sizeof *u);
  if (!u) abort();
  for (int v = 0; v < s->nvar; v++) {
    for (int c = 0; c < n * s->cells; c++) {
      double x[3], state[5];
      sim_center(s, c / s->cells, c % s->cells, x);
      const int at[3] = {(int)(x[0] * cells), (int)(x[1] * cells), (int)(x[2] * cells)};
      cold_gas(s->dim, cells, at, state);
      u[c] = state[v];
    }
    MUST(oak_write_cells(s->sim, v, 0, n, u));
  }
  free(u);
}

/** Compare all refined cells with `interpolate`; if it makes an invalid cell, all fine cells
 * have the coarse state. Returns the largest difference, and counts coarse cells of both kinds. */
static double refined_error(const sim_t *s, int cells, int64_t count[2]) {
  double *u[5], most = 0;
  for (int v = 0; v < s->nvar; v++) u[v] = sim_read(s, v);
  for (int c = 0; c < oak_nblocks(s->sim) * s->cells; c++) {
    double x[3], fine[8][5], state[5];
    int at[3], e = 0;
    if (oak_block_level(s->sim, c / s->cells) == 0) continue;
    sim_center(s, c / s->cells, c % s->cells, x);
    for (int d = 0; d < 3; d++) {
      at[d] = (int)(x[d] * cells);
      e |= (d < s->dim && x[d] * cells - at[d] > 0.5) << d;
    }
    const double least = interpolate(s->dim, cells, at, fine);
    if (fabs(least) < 1e-12) continue;
    cold_gas(s->dim, cells, at, state);
    count[least < 0] += e == 0;
    for (int v = 0; v < s->nvar; v++)
      most = worse(most, fabs(u[v][c] - (least < 0 ? state[v] : fine[e][v])));
  }
  for (int v = 0; v < s->nvar; v++) free(u[v]);
  for (int k = 0; k < 2; k++) count[k] = sum_ranks_int(s->comm, count[k]);
  return max_ranks(s->comm, most);
}

/** Least internal energy of cells and ghost cells, edges and corners left out. */
static double least_internal(const sim_t *s) {
  const int width = s->n + 2 * s->layers;
  const int size = width * width * (s->dim == 3 ? width : 1);
  double *u = malloc((size_t)s->nvar * size * sizeof *u), least = INFINITY;
  if (!u) abort();
  for (int b = 0; b < oak_nblocks(s->sim); b++) {
    MUST(oak_read_ghosts(s->sim, b, 1, u));
    for (int c = 0; c < size; c++) {
      double state[5];
      for (int v = 0; v < s->nvar; v++) state[v] = u[v * size + c];
      if (!isnan(state[0])) least = fmin(least, internal(s->dim, state));
    }
  }
  free(u);
  return -max_ranks(s->comm, -least);
}

/** Blocks of level 0 with refined ones among them. */
static void interpolation(int dim, int trees, const char *limiter) {
  enum { N = 8 };
  const int cells = trees * N;
  int flag[256];
  int64_t count[2] = {0, 0};
  sim_t s = sim_new(MPI_COMM_WORLD,
                    TEST_PROBLEM("waves") "mesh.dim=%d\nmesh.block_size=%d\nmesh.trees=%d\n"
                                          "mesh.max_level=1\nscheme.limiter=%s\n",
                    dim, N, trees, limiter);
  set_cold_gas(&s, cells);
  assert_true(oak_nblocks(s.sim) <= 256);
  for (int b = 0; b < oak_nblocks(s.sim); b++) {
    double x[3];
    sim_center(&s, b, 0, x);
    const int at[3] = {(int)(x[0] * trees), (int)(x[1] * trees), (int)(x[2] * trees)};
    flag[b] = noise(at, 7) < 0.3;
  }
  MUST(oak_adjust_refinement_flags(s.sim, oak_nblocks(s.sim), flag, NULL));
  const double error = refined_error(&s, cells, count);
  MUST(oak_update_ghostcells(s.sim));
  const double least = least_internal(&s);
  report(
      "%dD, %s: %d of %d refined cells of cold gas copied, largest difference %.1e; least internal "
      "energy with ghost cells %.3g",
      dim, limiter, (int)count[1], (int)(count[0] + count[1]), error, least);
  assert_true(count[0] > 100 && count[1] > 10);
  assert_true(error < 1e-14);
  assert_true(least > 0);
  sim_free(&s);
}

static void test_interpolation(void **state) {
  (void)state;
  interpolation(2, 6, "vanleer");
  interpolation(3, 3, "vanleer");
  if (test_short()) return;
  interpolation(2, 6, "weno5"); /* 3 layers: of the third, half of each coarse cell */
}

/* ---- first-order fluxes against an independent update */

#define BOUNDED                                                 \
  "problem.name=advection\nphysics.name=@/problems/bounded.c\n" \
  "scheme.flux=rusanov\nscheme.on_invalid=first_order\n"
static const double low = 0.1, high = 0.9, slack = 1e-14; /* of problems/bounded.c */

/** Slope of the monotonized central limiter. */
static double mc_slope(double a, double b) {
  const double least = fmin(2 * fmin(fabs(a), fabs(b)), 0.5 * fabs(a + b));
  return a * b > 0 ? copysign(least, a) : 0;
}

/** One explicit Euler step with upwind fluxes to the right and limiter mc on a periodic row, c =
 * dt/dx. Cells that leave the bounds get first-order fluxes. Returns their number; `passes` counts
 * the searches that found some. */
static int bounded_step(int n, double c, const double u[], double out[], int *passes) {
  int *marked = calloc(n, sizeof *marked), count = 0, found = 1;
  if (!marked) abort();
  for (*passes = 0; found; ++*passes) {
    found = 0;
    for (int i = 0; i < n; i++) {
      double flux[2]; /* lower and upper face */
      for (int f = 0; f < 2; f++) {
        const int l = (i - 1 + f + n) % n, r = (l + 1) % n;
        const double slope = mc_slope(u[l] - u[(l + n - 1) % n], u[r] - u[l]);
        flux[f] = u[l] + (marked[l] || marked[r] ? 0 : 0.5 * slope);
      }
      out[i] = u[i] + c * (flux[0] - flux[1]);
    }
    for (int i = 0; i < n; i++) {
      if (out[i] > low - slack && out[i] < high + slack) continue;
      found = marked[i] = 1;
    }
  }
  for (int i = 0; i < n; i++) count += marked[i];
  --*passes;
  free(marked);
  return count;
}

/** A number within the bounds, often one of them. */
static double bounded(const int x[3], int seed) {
  return low + (high - low) * fmin(fmax(1.6 * noise(x, seed) - 0.3, 0), 1);
}

/** Such numbers that depend on the position along `axis` alone; all blocks. */
static void set_rows(const sim_t *s, int axis, int cells, int seed) {
  const int n = oak_nblocks(s->sim);
  double *u = malloc(((size_t)n * s->cells + 1) * sizeof *u);
  if (!u) abort();
  for (int c = 0; c < n * s->cells; c++) {
    double x[3];
    sim_center(s, c / s->cells, c % s->cells, x);
    const int at[3] = {(int)(x[axis] * cells), 0, 0};
    u[c] = bounded(at, seed);
  }
  MUST(oak_write_cells(s->sim, 0, 0, n, u));
  free(u);
}

static void update(int dim, int axis) {
  enum { N = 4, CELLS = 12 * N };
  static const char *const velocity[3] = {"physics.vx=1\nphysics.vy=0\nphysics.vz=0\n",
                                          "physics.vx=0\nphysics.vy=1\nphysics.vz=0\n",
                                          "physics.vx=0\nphysics.vy=0\nphysics.vz=1\n"};
  const double c = 0.8, dx = 1.0 / CELLS;
  double u[CELLS], want[CELLS], most = 0;
  int64_t expected = 0;
  int trees[3] = {1, 1, 1}, deepest = 0;
  trees[axis] = 12;
  sim_t s = sim_new(MPI_COMM_WORLD,
                    BOUNDED
                    "%smesh.dim=%d\nmesh.block_size=%d\nmesh.trees=%s\n"
                    "mesh.xmax=%s\nscheme.limiter=mc\n"
                    "scheme.integrator=euler\n",
                    velocity[axis], dim, N, test_axes(dim, trees[0], trees[1], trees[2]).text,
                    test_axes(dim, trees[0] / 12.0, trees[1] / 12.0, trees[2] / 12.0).text);
  for (int seed = 0; seed < 20; seed++) {
    int passes;
    for (int i = 0; i < CELLS; i++) {
      const int at[3] = {i, 0, 0};
      u[i] = bounded(at, seed);
    }
    expected += bounded_step(CELLS, c, u, want, &passes) * (dim == 3 ? N * N : N);
    deepest = passes > deepest ? passes : deepest;
    set_rows(&s, axis, CELLS, seed);
    MUST(oak_advance(s.sim, c * dx));
    double *got = sim_read(&s, 0);
    for (int k = 0; k < oak_nblocks(s.sim) * s.cells; k++) {
      double x[3];
      sim_center(&s, k / s.cells, k % s.cells, x);
      most = worse(most, fabs(got[k] - want[(int)(x[axis] * CELLS)]));
    }
    free(got);
  }
  most = max_ranks(MPI_COMM_WORLD, most);
  report(
      "%dD along %c: %lld cells of 20 steps with first-order fluxes (%lld expected), up to %d "
      "passes, largest difference %.1e",
      dim, "xyz"[axis], (long long)oak_first_order_cells(s.sim), (long long)expected, deepest,
      most);
  assert_true(expected > 0 && deepest > 1);
  assert_true(oak_first_order_cells(s.sim) == expected);
  assert_true(most < 1e-14);
  sim_free(&s);
}

static void test_update(void **state) {
  (void)state;
  for (int axis = 0; axis < 2; axis++) update(2, axis);
  for (int axis = test_short() ? 2 : 0; axis < 3; axis++) update(3, axis);
}

/* ---- conservation */

/** Random values, across refinement boundaries: bounds hold and totals stay. */
static void bounded_mesh(int dim, const char *keys) {
  enum { N = 8, TREES = 3 };
  int flag[32];
  double start, end, least = INFINITY, most = -INFINITY;
  sim_t s = sim_new(MPI_COMM_WORLD,
                    BOUNDED
                    "mesh.dim=%d\nmesh.block_size=%d\nmesh.trees=%d\nmesh.max_level=1\n"
                    "physics.vx=0.7\nphysics.vy=-1\nphysics.vz=0.4\nrun.cfl=0.8\n%s",
                    dim, N, TREES, keys);
  for (int b = 0; b < oak_nblocks(s.sim); b++) {
    double x[3];
    sim_center(&s, b, 0, x);
    const int at[3] = {(int)(x[0] * TREES), (int)(x[1] * TREES), (int)(x[2] * TREES)};
    flag[b] = noise(at, 11) < 0.4;
  }
  set_rows(&s, 0, 7, 0);
  MUST(oak_update_time_step(s.sim));
  MUST(oak_adjust_refinement_flags(s.sim, oak_nblocks(s.sim), flag, NULL));
  const int n = oak_nblocks(s.sim);
  double *u = malloc(((size_t)n * s.cells + 1) * sizeof *u);
  if (!u) abort();
  for (int c = 0; c < n * s.cells; c++) {
    double x[3];
    sim_center(&s, c / s.cells, c % s.cells, x);
    const int at[3] = {(int)(x[0] * 64 * TREES), (int)(x[1] * 64 * TREES),
                       (int)(x[2] * 64 * TREES)};
    u[c] = bounded(at, 3);
  }
  MUST(oak_write_cells(s.sim, 0, 0, n, u));
  MUST(oak_update_time_step(s.sim));
  MUST(oak_totals(s.sim, &start));
  for (int step = 0; step < 6; step++) MUST(oak_advance(s.sim, oak_time_step(s.sim)));
  MUST(oak_totals(s.sim, &end));
  MUST(oak_read_cells(s.sim, 0, 0, n, u));
  for (int c = 0; c < n * s.cells; c++) least = fmin(least, u[c]), most = fmax(most, u[c]);
  free(u);
  least = -max_ranks(s.comm, -least);
  most = max_ranks(s.comm, most);
  report(
      "%dD, two levels, %.*s: %lld of %lld updates of first order, values %.3f to %.3f, total "
      "changed by %.1e",
      dim, (int)strcspn(keys, "\n"), keys, (long long)oak_first_order_cells(s.sim),
      (long long)oak_cell_updates(s.sim), least, most, end / start - 1);
  assert_true(oak_first_order_cells(s.sim) > 20);
  assert_true(least > low - slack && most < high + slack);
  assert_true(fabs(end / start - 1) < 1e-14);
  sim_free(&s);
}

static void test_bounded_mesh(void **state) {
  (void)state;
  bounded_mesh(2, "scheme.limiter=weno5\nscheme.integrator=ssprk33\n");
  bounded_mesh(3, "scheme.limiter=weno5\nscheme.integrator=euler\n");
  if (!test_short()) bounded_mesh(2, "scheme.limiter=koren\nscheme.integrator=euler\n");
}

/** Gas near vacuum and in shocks on an adaptive mesh: with one policy the run stops, with the
 * other it continues and conserves the totals. */
static void streams(int dim, int max_level, int steps, const char *keys) {
  static const char common[] =
      TEST_PROBLEM("streams") "refine.criterion=lohner\nrefine.variable=rho E\n"
                              "refine.c_refine=0.2\nrefine.c_derefine=0.1\nmesh.block_size=8\n"
                              "mesh.min_level=1\nscheme.limiter=weno5\n";
  double start[TEST_MAX_NVAR], end[TEST_MAX_NVAR], most = 0;
  sim_t s[2];
  int done = 0, lowest, highest;
  for (int p = 0; p < 2; p++) {
    s[p] = sim_new(MPI_COMM_WORLD, "%smesh.dim=%d\nmesh.max_level=%d\nscheme.on_invalid=%s\n%s",
                   common, dim, max_level, p ? "first_order" : "stop", keys);
    MUST(oak_initialize(s[p].sim));
  }
  oak_status_t stopped = OAK_OK;
  while (done < steps && (stopped = oak_advance(s[0].sim, oak_time_step(s[0].sim))) == OAK_OK)
    done++;
  assert_int_equal(stopped, OAK_ERR_STATE);
  assert_true(oak_first_order_cells(s[0].sim) == 0);
  MUST(oak_totals(s[1].sim, start));
  for (int n = 0; n < steps; n++) {
    MUST(oak_advance(s[1].sim, oak_time_step(s[1].sim)));
    if (n % 2) MUST(oak_adjust_refinement(s[1].sim, NULL));
  }
  MUST(oak_totals(s[1].sim, end));
  for (int v = 0; v < s[1].nvar; v++) /* momenta, zero, against those of one direction */
    most = worse(most, fabs(end[v] - start[v]) / (v == 0 ? 1 : v == dim + 1 ? start[v] : 2));
  sim_levels(&s[1], &lowest, &highest);
  report(
      "%dD streams, %.*s: stopped at step %d; %d steps with %lld of %lld updates of first "
      "order, totals changed by %.1e",
      dim, (int)strcspn(keys, "\n"), keys, done, steps, (long long)oak_first_order_cells(s[1].sim),
      (long long)oak_cell_updates(s[1].sim), most);
  assert_true(oak_first_order_cells(s[1].sim) > 0);
  assert_true(highest > 1);
  assert_true(most < 2e-15 * steps);
  sim_free(&s[0]);
  sim_free(&s[1]);
}

static void test_streams(void **state) {
  (void)state;
  streams(2, 4, 30, "scheme.flux=hll\n");
  if (!test_short()) streams(2, 4, 30, "scheme.flux=roe\nproblem.speed=4\n");
  streams(3, 2, 6, "scheme.flux=roe\n");
}

/* ---- accuracy */

/** Toro's second problem, two rarefactions: error of the density. The solver and the wave speeds
 * of Roe give invalid states. Even with valid states they remove too much gas from the middle, so
 * the error is larger than that of HLL (0.007). */
static void rarefactions(const char *keys, double bound) {
  const gas_t left = {1, -2, 0.4}, right = {1, 2, 0.4};
  const riemann_t exact = riemann_solve(1.4, left, right);
  const double end = 0.15;
  double error = 0, count = 0;
  for (int p = 0; p < 2; p++) {
    sim_t s =
        sim_new(MPI_COMM_WORLD,
                "problem.name=shock_tube\nphysics.gamma=1.4\nmesh.block_size=8\nmesh.trees=12 1\n"
                "mesh.xmax=1 1/12\nboundary.xlow=outflow\nboundary.xhigh=outflow\n"
                "problem.rho_left=1\nproblem.u_left=-2\nproblem.p_left=0.4\n"
                "problem.rho_right=1\nproblem.u_right=2\nproblem.p_right=0.4\nrun.cfl=0.4\n"
                "scheme.integrator=ssprk33\nscheme.limiter=weno5\nscheme.on_invalid=%s\n%s",
                p ? "first_order" : "stop", keys);
    oak_status_t st = oak_initialize(s.sim);
    while (st == OAK_OK && end - oak_time(s.sim) > 1e-14)
      st = oak_advance(s.sim, fmin(oak_time_step(s.sim), end - oak_time(s.sim)));
    assert_int_equal(st, p ? OAK_OK : OAK_ERR_STATE);
    if (p == 0) assert_non_null(strstr(oak_last_error(), "level 0: rho"));
    double *rho = sim_read(&s, 0);
    for (int c = 0; c < oak_nblocks(s.sim) * s.cells && p; c++) {
      double x[3];
      sim_center(&s, c / s.cells, c % s.cells, x);
      error += fabs(rho[c] - riemann_sample(&exact, (x[0] - 0.5) / end).rho);
      count++;
    }
    free(rho);
    if (p)
      report("two rarefactions, %.*s: error %.5f, %lld updates of first order",
             (int)strcspn(keys, "\n"), keys, sum_ranks(s.comm, error) / sum_ranks(s.comm, count),
             (long long)oak_first_order_cells(s.sim));
    if (p) assert_true(sum_ranks(s.comm, error) / sum_ranks(s.comm, count) < bound);
    if (p) assert_true(oak_first_order_cells(s.sim) > 0);
    sim_free(&s);
  }
}

static void test_rarefactions(void **state) {
  (void)state;
  rarefactions("scheme.flux=roe\n", 0.0222);
  if (!test_short()) rarefactions("scheme.wave_speeds=roe\n", 0.0222);
}

/** Fluxes of the initial condition that are not finite: no step is needed to stop or to repair. */
static void test_first_fluxes(void **state) {
  (void)state;
  for (int p = 0; p < 2; p++) {
    sim_t s = sim_new(MPI_COMM_WORLD,
                      "problem.name=sedov\nproblem.width=0.003\nmesh.dim=2\nmesh.block_size=8\n"
                      "mesh.min_level=4\nmesh.max_level=4\nmesh.xmin=-0.5\nmesh.xmax=0.5\n"
                      "scheme.limiter=weno5\nscheme.flux=roe\n"
                      "scheme.on_invalid=%s\n",
                      p ? "first_order" : "stop");
    assert_int_equal(oak_initialize(s.sim), p ? OAK_OK : OAK_ERR_STATE);
    if (p == 0) assert_non_null(strstr(oak_last_error(), "from the fluxes of the given solution"));
    if (p == 0) assert_non_null(strstr(oak_last_error(), "set scheme.on_invalid = first_order"));
    if (p == 1) {
      assert_true(oak_first_order_cells(s.sim) == 0);
      for (int n = 0; n < 5; n++) MUST(oak_advance(s.sim, oak_time_step(s.sim)));
      assert_true(oak_first_order_cells(s.sim) > 0);
    }
    sim_free(&s);
  }
}

/** Where nothing is invalid both policies give the same bits. */
static void test_unused(void **state) {
  (void)state;
  sim_t s[2];
  int different = 0;
  for (int p = 0; p < 2; p++) {
    s[p] = sim_new(MPI_COMM_WORLD,
                   TEST_PROBLEM("waves") "refine.criterion=lohner\nmesh.block_size=8\n"
                                         "mesh.min_level=1\nmesh.max_level=3\n"
                                         "scheme.on_invalid=%s\n",
                   p ? "first_order" : "stop");
    MUST(oak_initialize(s[p].sim));
    for (int n = 0; n < 12; n++) {
      MUST(oak_advance(s[p].sim, oak_time_step(s[p].sim)));
      if (n % 3 == 2) MUST(oak_adjust_refinement(s[p].sim, NULL));
    }
  }
  different |= oak_time(s[0].sim) != oak_time(s[1].sim);
  different |= oak_nblocks(s[0].sim) != oak_nblocks(s[1].sim);
  for (int v = 0; v < s[0].nvar && !different; v++) {
    double *a = sim_read(&s[0], v), *b = sim_read(&s[1], v);
    different |= memcmp(a, b, (size_t)oak_nblocks(s[0].sim) * s[0].cells * sizeof *a) != 0;
    free(a);
    free(b);
  }
  assert_true(sum_ranks(MPI_COMM_WORLD, different) == 0);
  assert_true(oak_first_order_cells(s[1].sim) == 0);
  sim_free(&s[0]);
  sim_free(&s[1]);
}

/** A step far beyond the CFL condition: first order does not help, and all ranks say so. */
static void test_hopeless(void **state) {
  (void)state;
  sim_t s = sim_new(MPI_COMM_WORLD, TEST_PROBLEM("streams") "mesh.block_size=8\nmesh.min_level=2\n"
                                                            "mesh.max_level=2\n"
                                                            "scheme.on_invalid=first_order\n");
  MUST(oak_initialize(s.sim));
  assert_int_equal(oak_advance(s.sim, 10 * oak_time_step(s.sim)), OAK_ERR_STATE);
  assert_non_null(strstr(oak_last_error(), "in spite of first-order fluxes"));
  assert_non_null(strstr(oak_last_error(), "level 2: rho"));
  sim_free(&s);
}

/* ---- floors */

/** Floors change nothing else in a uniform gas: cells with this density, momentum along x and
 * pressure get `rho` and `p`. */
static void floors(const char *keys, double rho0, double p0, double rho, double p, int changed) {
  const double m = 0.3, want[4] = {rho, m, 0, p / gm1 + 0.5 * m * m / rho};
  const double from[4] = {rho0, m, 0, p0 / gm1 + 0.5 * m * m / rho0};
  double most = 0;
  sim_t s = sim_new(MPI_COMM_WORLD,
                    TEST_PROBLEM("waves") "mesh.block_size=8\nmesh.trees=2\n"
                                          "scheme.integrator=euler\n%s",
                    keys);
  const int n = oak_nblocks(s.sim) * s.cells;
  double *u = malloc((n + 1) * sizeof *u);
  if (!u) abort();
  for (int v = 0; v < 4; v++) {
    for (int c = 0; c < n; c++) u[c] = from[v];
    MUST(oak_write_cells(s.sim, v, 0, oak_nblocks(s.sim), u));
  }
  for (int step = 0; step < 2; step++) MUST(oak_advance(s.sim, 1e-3));
  for (int v = 0; v < 4; v++) {
    MUST(oak_read_cells(s.sim, v, 0, oak_nblocks(s.sim), u));
    for (int c = 0; c < n; c++) most = worse(most, fabs(u[c] - want[v]));
  }
  free(u);
  most = max_ranks(s.comm, most);
  report("floors, %.*s: density %g to %g, pressure %g to %g, difference %.1e, %lld cells",
         (int)strcspn(keys, "\n"), keys, rho0, rho, p0, p, most,
         (long long)oak_floored_cells(s.sim));
  assert_true(most < 1e-14);
  assert_true(oak_floored_cells(s.sim) == changed);
  sim_free(&s);
}

static void test_floors(void **state) {
  (void)state;
  floors("", 0.1, 0.02, 0.1, 0.02, 0);
  floors("physics.density_floor=0.05\nphysics.pressure_floor=0.01\n", 0.1, 0.02, 0.1, 0.02, 0);
  floors("physics.pressure_floor=0.5\n", 0.1, 0.02, 0.1, 0.5, 256);
  /* momentum and energy stay: kinetic energy becomes internal energy */
  floors("physics.density_floor=0.2\n", 0.1, 0.02, 0.2,
         0.02 + gm1 * 0.5 * 0.09 * (1 / 0.1 - 1 / 0.2), 256);
  /* a floor that rounding of the kinetic energy, 0.45, would remove */
  const char *single = "scheme.precision=single_fluxes\nphysics.pressure_floor=1e-20\n";
  if (test_takes(single)) floors(single, 0.1, 2e-7, 0.1, gm1 * 0.45e-6, 256);
}

/** Floors carry a run through what would stop it, and take over where first order gives up. */
static void test_floored_run(void **state) {
  (void)state;
  static const char *const policy[2] = {"stop", "first_order"};
  for (int p = 0; p < 2; p++) {
    sim_t s = sim_new(MPI_COMM_WORLD,
                      TEST_PROBLEM("streams") "mesh.block_size=8\nmesh.min_level=2\n"
                                              "mesh.max_level=2\nscheme.limiter=weno5\n"
                                              "physics.density_floor=0.01\n"
                                              "physics.pressure_floor=0.001\n"
                                              "scheme.on_invalid=%s\n",
                      policy[p]);
    MUST(oak_initialize(s.sim));
    for (int n = 0; n < 20; n++) MUST(oak_advance(s.sim, oak_time_step(s.sim)));
    report("floors with %s: %lld cells raised, %lld with first-order fluxes", policy[p],
           (long long)oak_floored_cells(s.sim), (long long)oak_first_order_cells(s.sim));
    assert_true(p == 0 ? oak_floored_cells(s.sim) > 0 : oak_first_order_cells(s.sim) > 0);
    sim_free(&s);
  }
}

static oak_status_t refuse(const char *format, ...) {
  sim_t s;
  va_list args;
  va_start(args, format);
  const oak_status_t st = try_new(&s, MPI_COMM_WORLD, format, args);
  va_end(args);
  sim_free(&s);
  return st;
}

static void test_refused(void **state) {
  (void)state;
  assert_int_equal(refuse("problem.name=shock_tube\nphysics.density_floor=-1\n"), OAK_ERR_INPUT);
  assert_non_null(strstr(oak_last_error(), "density_floor = -1: must be a number of at least 0"));
  assert_int_equal(refuse("problem.name=shock_tube\nphysics.pressure_floor=-2\n"), OAK_ERR_INPUT);
  assert_non_null(strstr(oak_last_error(), "pressure_floor = -2: must be a number of at least 0"));
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_interpolation), cmocka_unit_test(test_update),
      cmocka_unit_test(test_bounded_mesh),  cmocka_unit_test(test_streams),
      cmocka_unit_test(test_rarefactions),  cmocka_unit_test(test_first_fluxes),
      cmocka_unit_test(test_unused),        cmocka_unit_test(test_hopeless),
      cmocka_unit_test(test_floors),        cmocka_unit_test(test_floored_run),
      cmocka_unit_test(test_refused)};
  return TEST_MAIN(tests);
}
