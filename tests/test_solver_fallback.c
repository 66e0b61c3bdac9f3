/* SPDX-License-Identifier: GPL-2.0-or-later
 * States that would be invalid: interpolation of cold, fast gas. */
// TEST np={1,2,3} timeout=300
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

/** What interpolation gives the 2^d fine cells of coarse cell x, variable by variable; returns the
 * least internal energy. */
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
  const int n = oak_nblocks(s->oak);
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
    MUST(oak_write_cells(s->oak, v, 0, n, u));
  }
  free(u);
}

/** All refined cells against `interpolate`: where that leaves an invalid cell, all have the coarse
 * state. Returns the largest difference; counts coarse cells of both kinds. */
static double refined_error(const sim_t *s, int cells, int64_t count[2]) {
  double *u[5], most = 0;
  for (int v = 0; v < s->nvar; v++) u[v] = sim_read(s, v);
  for (int c = 0; c < oak_nblocks(s->oak) * s->cells; c++) {
    double x[3], fine[8][5], state[5];
    int at[3], e = 0;
    if (oak_block_level(s->oak, c / s->cells) == 0) continue;
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
  for (int b = 0; b < oak_nblocks(s->oak); b++) {
    MUST(oak_read_ghosts(s->oak, b, 1, u));
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
                                          "mesh.max_level=1\nscheme.limiter=%s\n"
                                          "device.flags=-O1\n",
                    dim, N, trees, limiter);
  set_cold_gas(&s, cells);
  assert_true(oak_nblocks(s.oak) <= 256);
  for (int b = 0; b < oak_nblocks(s.oak); b++) {
    double x[3];
    sim_center(&s, b, 0, x);
    const int at[3] = {(int)(x[0] * trees), (int)(x[1] * trees), (int)(x[2] * trees)};
    flag[b] = noise(at, 7) < 0.3;
  }
  MUST(oak_adjust_refinement_flags(s.oak, flag, NULL));
  const double error = refined_error(&s, cells, count);
  MUST(oak_update_ghostcells(s.oak));
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
  interpolation(2, 6, "weno5"); /* 3 layers: of the third, half of each coarse cell */
  interpolation(3, 3, "vanleer");
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_interpolation)};
  return TEST_MAIN(tests);
}
