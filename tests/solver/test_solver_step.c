/* SPDX-License-Identifier: GPL-2.0-or-later
 * The time step and the search for invalid cells look at each cell of each block: one special cell
 * is put at each place in turn. The solution does not depend on the size of the blocks. */
// TEST np={1,2} timeout=300 flags=-O1
// TEST name=openacc_@test@_np2 np=2 suite=all needs=openacc OAK_TEST_SHORT=1 OAK_TEST_DEVICE=openacc flags="-O1 -foffload=disable"
// TEST name=long_@test@_np@np@ np={5,7,8,16} suite=long
#include "solver_test.h"

/** All cells of this rank at rest with density 1 and pressure 1, but for one with other values. */
static void put(sim_t *s, int block, int cell, double rho, double energy) {
  const int n = oak_nblocks(s->sim);
  double *u = malloc(((size_t)n * s->cells + 1) * sizeof *u);
  if (!u) abort();
  for (int v = 0; v < s->nvar; v++) {
    const double usual = v == 0 ? 1 : v == s->nvar - 1 ? 1.5 : 0;
    const double odd = v == 0 ? rho : v == s->nvar - 1 ? energy : 0;
    for (int c = 0; c < n * s->cells; c++) u[c] = usual;
    if (block < n && cell >= 0) u[block * s->cells + cell] = odd;
    MUST(oak_write_cells(s->sim, v, 0, n, u));
  }
  free(u);
}

/* Four (2D) or eight (3D) blocks in a periodic box; every place is like any other. */
static sim_t gas_box(int dim, int n) {
  return sim_new(
      MPI_COMM_WORLD,
      TEST_PROBLEM("waves") "mesh.dim=%d\nmesh.block_size=%d\nmesh.trees=2\nrun.cfl=0.4\n", dim, n);
}

static void every_cell(int dim, int n) {
  const double c = sqrt(5.0 / 3.0);
  double dt[2] = {0, 0};
  sim_t s = gas_box(dim, n);
  put(&s, 0, -1, 1, 1.5);
  MUST(oak_update_time_step(s.sim));
  const double quiet = 0.4 / (2 * n * dim * c); /* cfl / sum of c / dx */
  assert_true(fabs(oak_time_step(s.sim) / quiet - 1) < 1e-14);
  for (int cell = 0; cell < s.cells; cell++) {
    put(&s, 0, test_rank == test_size - 1 ? cell : -1, 1, 150);
    MUST(oak_update_time_step(s.sim));
    if (cell == 0) dt[0] = dt[1] = oak_time_step(s.sim);
    dt[0] = fmin(dt[0], oak_time_step(s.sim));
    dt[1] = fmax(dt[1], oak_time_step(s.sim));
  }
  report(
      "%dD, blocks of %d: time step %.6f at rest, %.6f with one hot cell, spread over its places "
      "%.1g",
      dim, n, quiet, dt[0], dt[1] / dt[0] - 1);
  assert_true(dt[1] / dt[0] - 1 < 1e-13);
  assert_true(dt[0] < 0.4 * quiet);
  for (int cell = 0; cell < s.cells; cell += dim == 2 ? 1 : 3) {
    const double bad[2][2] = {{1, -1}, {-1, 1.5}}; /* pressure, density */
    put(&s, 0, test_rank == test_size - 1 ? cell : -1, bad[cell % 2][0], bad[cell % 2][1]);
    assert_int_equal(oak_update_time_step(s.sim), OAK_ERR_STATE);
    assert_non_null(strstr(oak_last_error(), "invalid state"));
  }
  put(&s, 0, -1, 1, 1.5); /* the error is not kept */
  MUST(oak_update_time_step(s.sim));
  MUST(oak_advance(s.sim, oak_time_step(s.sim)));
  assert_true(fabs(oak_time_step(s.sim) / quiet - 1) < 1e-13);
  sim_free(&s);
}

static void test_every_cell(void **state) {
  (void)state;
  every_cell(2, 8);
  every_cell(2, 6);
  every_cell(3, 4);
  every_cell(3, 6);
}

/** Refinement halves the step, coarsening doubles it, run.dt_max caps it. */
static void test_levels(void **state) {
  (void)state;
  sim_t s = sim_new(MPI_COMM_WORLD,
                    "problem.name=advection\nphysics.name=advection\nphysics.vx=3\nphysics.vy=-1\n"
                    "mesh.block_size=8\nmesh.trees=2\nmesh.max_level=2\nrun.dt_max=0.006\n");
  MUST(oak_initialize(s.sim));
  static const double want[5] = {0.006, 0.00390625, 0.001953125, 0.00390625, 0.006};
  static const int step[5] = {0, 1, 1, -1, -1};
  for (int i = 0; i < 5; i++) {
    int flag[64], changed;
    for (int b = 0; b < 64; b++) flag[b] = step[i];
    assert_true(oak_nblocks(s.sim) <= 64);
    if (step[i]) MUST(oak_adjust_refinement_flags(s.sim, oak_nblocks(s.sim), flag, &changed));
    assert_true(fabs(oak_time_step(s.sim) / want[i] - 1) < 1e-14);
    MUST(oak_advance(s.sim, 1e-4));
    assert_true(fabs(oak_time_step(s.sim) / want[i] - 1) < 1e-14);
  }
  sim_free(&s);
}

/* ---- blocks */

/** A variable on the whole uniform grid of `cells` per axis, on every rank. */
static double *gather(const sim_t *s, int variable, int cells) {
  const size_t size = (size_t)cells * cells * (s->dim == 3 ? cells : 1);
  double *u = sim_read(s, variable), *out = calloc(size, sizeof *out);
  if (!out) abort();
  for (int b = 0; b < oak_nblocks(s->sim); b++)
    for (int c = 0; c < s->cells; c++) {
      double x[3];
      sim_center(s, b, c, x);
      const int i = (int)(x[0] * cells), j = (int)(x[1] * cells), k = (int)(x[2] * cells);
      out[((size_t)k * cells + j) * cells + i] = u[b * s->cells + c];
    }
  free(u);
  MPI_Allreduce(MPI_IN_PLACE, out, (int)size, MPI_DOUBLE, MPI_SUM, s->comm);
  return out;
}

/** The same steps of the same grid with blocks of `n`, compared with u[nvar]; filled if it is
 * empty. */
static double with_blocks(int dim, int cells, int n, int layers, int steps, double dt,
                          double *u[]) {
  const size_t size = (size_t)cells * cells * (dim == 3 ? cells : 1);
  double most = 0;
  sim_t s = sim_new(MPI_COMM_WORLD,
                    TEST_PROBLEM("waves") "mesh.dim=%d\nmesh.block_size=%d\nmesh.trees=%d\n"
                                          "scheme.ghost_layers=%d\n",
                    dim, n, cells / n, layers);
  MUST(oak_initialize(s.sim));
  for (int i = 0; i < steps; i++) MUST(oak_advance(s.sim, dt));
  for (int v = 0; v < s.nvar; v++) {
    double *mine = gather(&s, v, cells);
    for (size_t c = 0; c < size && u[v]; c++) most = worse(most, fabs(mine[c] - u[v][c]));
    if (u[v])
      free(mine);
    else
      u[v] = mine;
  }
  sim_free(&s);
  return most;
}

static void blocks(int dim, int cells, const int (*shape)[2], int count, int steps, double dt) {
  double *u[5] = {NULL}, most = 0;
  for (int i = 0; i < count; i++) {
    const double differs = with_blocks(dim, cells, shape[i][0], shape[i][1], steps, dt, u);
    most = worse(most, differs);
    if (i)
      report(
          "%dD, %d cells along each axis, %d steps: blocks of %d (%d layers) and of %d: largest "
          "difference %.1g",
          dim, cells, steps, shape[i][0], shape[i][1], shape[0][0], differs);
  }
  for (int v = 0; v < 5; v++) free(u[v]);
  assert_true(most < 1e-12);
}

static void test_blocks(void **state) {
  (void)state;
  static const int flat[][2] = {{16, 2}, {4, 2}, {6, 2}, {96, 2}, {16, 4}, {12, 3}};
  static const int deep[][2] = {{8, 2}, {6, 2}, {48, 2}, {12, 3}};
  blocks(2, 96, flat, 6, 30, 8e-4);
  blocks(3, 48, deep, 4, 6, 1e-3);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_cell),
                                     cmocka_unit_test(test_levels), cmocka_unit_test(test_blocks)};
  return TEST_MAIN(tests);
}
