/* SPDX-License-Identifier: GPL-2.0-or-later
 * Sod's shock tube along every axis against the exact solution of the Riemann problem, and a flow
 * that is the same at every z against its two-dimensional run. */
// TEST np={1,2} timeout=300 flags=-O2
#include "verify/exact_riemann.h"
#include "solver_test.h"

static const gas_t left = {1, 0, 1}, right = {0.125, 0, 0.1};

/** The star values that Toro prints for this problem (table 4.2, test 1). */
static void test_exact(void **state) {
  (void)state;
  const riemann_t r = riemann_solve(1.4, left, right);
  assert_true(fabs(r.p - 0.30313) < 5e-6 && fabs(r.u - 0.92745) < 5e-6);
  assert_true(fabs(riemann_sample(&r, r.u - 1e-9).rho - 0.42632) < 5e-6);
  assert_true(fabs(riemann_sample(&r, r.u + 1e-9).rho - 0.26557) < 5e-6);
}

/* ---- tubes */

typedef struct {
  double error[3]; /* L1 of density, velocity along the tube, pressure */
  double across;   /* largest velocity across it */
} result_t;

/** Run to t = 0.2 with 128 cells, or up to 128 with refinement. */
static result_t tube(int dim, int axis, int amr) {
  static const char *const side[3] = {"x", "y", "z"};
  int trees[3] = {1, 1, 1};
  double size[3], length = 0;
  result_t r = {{0, 0, 0}, 0};
  const riemann_t exact = riemann_solve(1.4, left, right);
  trees[axis] = amr ? 4 : 16;
  for (int d = 0; d < 3; d++) size[d] = d == axis ? 1 : 1.0 / trees[axis];
  sim_t s =
      sim_new(MPI_COMM_WORLD,
              "problem.name=shock_tube\nphysics.gamma=1.4\nmesh.dim=%d\nmesh.block_size=8\n"
              "problem.axis=%s\nmesh.trees=%s\nmesh.xmax=%s\n"
              "boundary.%slow=outflow\nboundary.%shigh=outflow\nmesh.max_level=%d\n"
              "refine.criterion=lohner\n",
              dim, side[axis], test_axes(dim, trees[0], trees[1], trees[2]).text,
              test_axes(dim, size[0], size[1], size[2]).text, side[axis], side[axis], amr ? 2 : 0);
  MUST(oak_initialize(s.sim));
  sim_run(&s, 0.2, amr ? 4 : 0);
  if (amr) {
    int lowest, highest;
    sim_levels(&s, &lowest, &highest);
    assert_true(lowest < highest && highest == 2);
  }
  for (int v = 0; v < s.nvar; v++) {
    const int component = v == 0 ? 0 : v == dim + 1 ? 2 : v - 1 == axis ? 1 : -1;
    double *u = sim_read(&s, s.nvar + v);
    for (int b = 0; b < oak_nblocks(s.sim); b++)
      for (int c = 0; c < s.cells; c++) {
        double x[3];
        const double value = u[b * s.cells + c];
        sim_center(&s, b, c, x);
        const gas_t w = riemann_sample(&exact, (x[axis] - 0.5) / 0.2);
        const double want[3] = {w.rho, w.u, w.p};
        if (component >= 0)
          r.error[component] += fabs(value - want[component]) * sim_volume(&s, b);
        else
          r.across = worse(r.across, fabs(value));
        if (v == 0) length += sim_volume(&s, b);
      }
    free(u);
  }
  length = sum_ranks(s.comm, length);
  for (int i = 0; i < 3; i++) r.error[i] = sum_ranks(s.comm, r.error[i]) / length;
  r.across = max_ranks(s.comm, r.across);
  sim_free(&s);
  return r;
}

/** The same along each axis; bounds are some 10 % above what this scheme reaches. */
static void tubes(int dim, int amr) {
  static const double bound[3] = {0.0048, 0.0087, 0.0034};
  result_t first = {{0, 0, 0}, 0};
  double spread = 0;
  for (int axis = 0; axis < dim; axis++) {
    const result_t r = tube(dim, axis, amr);
    if (axis == 0) first = r;
    report(
        "%dD tube along %c, %s128 cells: L1 errors of density %.6f, velocity %.6f, pressure %.6f",
        dim, "xyz"[axis], amr ? "AMR up to " : "", r.error[0], r.error[1], r.error[2]);
    for (int i = 0; i < 3; i++) {
      assert_true(r.error[i] < bound[i]);
      spread = worse(spread, fabs(r.error[i] / first.error[i] - 1));
    }
    assert_true(r.across < 1e-14);
  }
  report("%dD tubes%s: relative difference between the axes %.2g", dim, amr ? " with AMR" : "",
         spread);
  assert_true(spread < 1e-12);
}

static void test_tubes(void **state) {
  (void)state;
  if (test_short()) SKIP_CASE("OAK_TEST_SHORT");
  tubes(2, 0);
  tubes(3, 0);
}

static void test_tubes_amr(void **state) {
  (void)state;
  tubes(2, 1);
  if (!test_short()) tubes(3, 1);
}

/* ---- the same at every z */

/** All blocks of a run in 2D, on every rank. */
typedef struct {
  int count;
  double (*place)[3]; /* origin, level */
  double *u;          /* [count][4][n^2] */
} plane_t;

static plane_t gather_plane(const sim_t *s) {
  const int n = oak_nblocks(s->sim), size = 4 * s->cells;
  plane_t p = {.count = (int)oak_nblocks_global(s->sim)};
  int64_t first = 0, mine = n;
  MPI_Exscan(&mine, &first, 1, MPI_INT64_T, MPI_SUM, s->comm);
  if (test_rank == 0) first = 0;
  p.place = calloc(p.count, sizeof *p.place);
  p.u = calloc((size_t)p.count * size, sizeof *p.u);
  for (int v = 0; v < 4; v++) {
    double *u = sim_read(s, v);
    for (int b = 0; b < n; b++)
      memcpy(p.u + (first + b) * size + v * s->cells, u + b * s->cells, s->cells * sizeof *u);
    free(u);
  }
  for (int b = 0; b < n; b++) {
    double dx[3], origin[3];
    oak_block_geometry(s->sim, b, origin, dx);
    memcpy(p.place[first + b], origin, 2 * sizeof *origin);
    p.place[first + b][2] = oak_block_level(s->sim, b);
  }
  MPI_Allreduce(MPI_IN_PLACE, p.place, 3 * p.count, MPI_DOUBLE, MPI_SUM, s->comm);
  MPI_Allreduce(MPI_IN_PLACE, p.u, p.count * size, MPI_DOUBLE, MPI_SUM, s->comm);
  return p;
}

static sim_t oblique(int dim, int amr) {
  return sim_new(MPI_COMM_WORLD,
                 TEST_PROBLEM("diagonal") "mesh.dim=%d\nmesh.block_size=8\n"
                                          "mesh.trees=%s\nmesh.xmax=%s\n"
                                          "boundary.xlow=outflow\nboundary.xhigh=reflect\n"
                                          "boundary.ylow=outflow\nboundary.yhigh=reflect\n"
                                          "refine.criterion=lohner\nrefine.c_refine=0.3\n"
                                          "refine.c_derefine=0.1\nmesh.max_level=%d\n",
                 dim, test_axes(dim, amr ? 2 : 4, amr ? 2 : 4, 1).text,
                 test_axes(dim, 1, 1, amr ? 0.5 : 0.25).text, amr ? 2 : 0);
}

/** Largest difference of the block of the 3D run from the block of the plane where it stands. */
static double difference(const sim_t *s, int block, const plane_t *p, double *const u[5]) {
  double origin[3], dx[3], most = 0;
  const int area = s->n * s->n;
  oak_block_geometry(s->sim, block, origin, dx);
  int b = 0;
  while (b < p->count && (p->place[b][0] != origin[0] || p->place[b][1] != origin[1] ||
                          p->place[b][2] != oak_block_level(s->sim, block)))
    b++;
  if (b == p->count) return INFINITY;
  for (int v = 0; v < 5; v++)
    for (int c = 0; c < s->cells; c++) {
      const double flat = v == 3 ? 0 : p->u[((size_t)b * 4 + (v == 4 ? 3 : v)) * area + c % area];
      most = worse(most, fabs(u[v][block * s->cells + c] - flat));
    }
  return most;
}

static void column(int amr, double end) {
  double *u[5], most = 0;
  sim_t flat = oblique(2, amr), s = oblique(3, amr);
  MUST(oak_initialize(flat.sim));
  MUST(oak_initialize(s.sim));
  while (oak_time(s.sim) < end) { /* the 3D step is the smaller one */
    const double dt = fmin(oak_time_step(s.sim), oak_time_step(flat.sim));
    MUST(oak_advance(flat.sim, dt));
    MUST(oak_advance(s.sim, dt));
    if (!amr || oak_step(s.sim) % 2) continue;
    MUST(oak_adjust_refinement(flat.sim, NULL));
    MUST(oak_adjust_refinement(s.sim, NULL));
  }
  plane_t p = gather_plane(&flat);
  for (int v = 0; v < 5; v++) u[v] = sim_read(&s, v);
  for (int b = 0; b < oak_nblocks(s.sim); b++) most = worse(most, difference(&s, b, &p, u));
  for (int v = 0; v < 5; v++) free(u[v]);
  most = max_ranks(s.comm, most);
  report("2D in 3D%s, %ld steps, %d and %d blocks: largest difference %.2g", amr ? " with AMR" : "",
         oak_step(s.sim), p.count, (int)oak_nblocks_global(s.sim), most);
  free(p.place);
  free(p.u);
  sim_free(&flat);
  sim_free(&s);
  assert_true(most < 1e-13);
}

static void test_column(void **state) {
  (void)state;
  if (!test_short()) column(0, 0.2);
  column(1, test_short() ? 0.02 : 0.1);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_exact), cmocka_unit_test(test_tubes),
                                     cmocka_unit_test(test_tubes_amr),
                                     cmocka_unit_test(test_column)};
  return TEST_MAIN(tests);
}
