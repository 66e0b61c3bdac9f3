/* SPDX-License-Identifier: GPL-2.0-or-later
 * A value that no state may have, written into any variable of any cell, is caught in the same
 * step: on all ranks, with the position of that cell or of one that it has reached within the step.
 * NaN, infinity, a negative density, an energy without pressure; on one level and beside a jump of
 * level, in 2D and 3D. */
// TEST np={1,2} timeout=300
#include "solver_test.h"

typedef struct {
  const char *name;
  int variable; /* -1: any, -2: the last (energy) */
  double value;
} fault_t;

static const fault_t faults[] = {
    {"NaN", -1, NAN},
    {"infinity", -1, INFINITY},
    {"-infinity", -1, -INFINITY},
    {"a density of 0", 0, 0},
    {"a negative density", 0, -1},
    {"no energy", -2, 0},
    {"a negative energy", -2, -1},
};
enum { FAULTS = sizeof faults / sizeof *faults };

/** The same good state for each fault. */
typedef struct {
  sim_t s;
  double **good; /* [nvar] values of the blocks of this rank */
} base_t;

static base_t base_new(int dim) {
  base_t b = {.s = sim_new(MPI_COMM_WORLD,
                           TEST_PROBLEM("waves") "mesh.dim=%d\nmesh.block_size=%d\nmesh.trees=2\n"
                                                 "mesh.max_level=1\nscheme.integrator=heun\n",
                           dim, dim == 3 ? 4 : 8)};
  MUST(oak_initialize(b.s.sim));
  int *flag = calloc((size_t)oak_nblocks(b.s.sim) + 1, sizeof *flag);
  if (!flag) abort();
  if (test_rank == 0 && oak_nblocks(b.s.sim) > 0) flag[0] = 1;
  MUST(oak_adjust_refinement_flags(b.s.sim, oak_nblocks(b.s.sim), flag, NULL));
  free(flag);
  b.good = calloc((size_t)b.s.nvar, sizeof *b.good);
  if (!b.good) abort();
  for (int v = 0; v < b.s.nvar; v++) b.good[v] = sim_read(&b.s, v);
  return b;
}

static void base_free(base_t *b) {
  for (int v = 0; v < b->s.nvar; v++) free(b->good[v]);
  free(b->good);
  sim_free(&b->s);
}

/** Write the good state with `value` in one cell of one rank, and take the first step. \return 1 if
 * it is caught. */
static int caught(base_t *b, int rank, int block, int cell, int variable, double value) {
  const int n = oak_nblocks(b->s.sim);
  double dt;
  for (int v = 0; v < b->s.nvar; v++) MUST(oak_write_cells(b->s.sim, v, 0, n, b->good[v]));
  MUST(oak_update_time_step(b->s.sim));
  dt = oak_time_step(b->s.sim);
  if (rank == test_rank) {
    double *u = b->good[variable], *at = &u[(size_t)block * (size_t)b->s.cells + (size_t)cell];
    const double before = *at;
    *at = value;
    MUST(oak_write_cells(b->s.sim, variable, 0, n, u));
    *at = before;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const oak_status_t st = oak_advance(b->s.sim, dt);
  if (st != OAK_OK && st != OAK_ERR_STATE) return 0;
  return st == OAK_ERR_STATE && strstr(oak_last_error(), "level ") != NULL;
}

/** Every fault in cells of all kinds: corners, edges and the inside of every block. */
static void inject(int dim) {
  base_t b = base_new(dim);
  int tried = 0, missed = 0;
  for (int rank = 0; rank < test_size; rank++) {
    int blocks = oak_nblocks(b.s.sim);
    MPI_Bcast(&blocks, 1, MPI_INT, rank, MPI_COMM_WORLD);
    for (int block = 0; block < blocks; block++)
      for (int f = 0; f < FAULTS; f++)
        for (int v = 0; v < b.s.nvar; v++) {
          const int wanted = faults[f].variable == -2 ? b.s.nvar - 1 : faults[f].variable;
          if (wanted >= 0 && v != wanted) continue;
          /* another cell each time, so some blocks together cover all cells */
          const int cell = (tried * 37 + block) % b.s.cells;
          tried++;
          if (caught(&b, rank, block, cell, v, faults[f].value)) continue;
          missed++;
          if (missed < 10)
            report("missed: %s in variable %d of cell %d of block %d on rank %d: %s",
                   faults[f].name, v, cell, block, rank, oak_last_error());
        }
  }
  report("%dD: %d faults of %d kinds, %d missed", dim, tried, FAULTS, missed);
  assert_int_equal(missed, 0);
  assert_true(tried > 100);
  base_free(&b);
}

/** Each single cell of one block in turn. */
static void test_every_cell(void **state) {
  (void)state;
  base_t b = base_new(2);
  for (int cell = 0; cell < b.s.cells; cell++)
    if (!caught(&b, test_size - 1, 0, cell, cell % b.s.nvar, NAN)) fail_msg("missed cell %d", cell);
  base_free(&b);
}

static void test_plane(void **state) {
  (void)state;
  inject(2);
}

static void test_space(void **state) {
  (void)state;
  inject(3);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_cell),
                                     cmocka_unit_test(test_plane), cmocka_unit_test(test_space)};
  return TEST_MAIN(tests);
}
