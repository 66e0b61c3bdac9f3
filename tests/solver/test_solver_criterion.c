/* SPDX-License-Identifier: GPL-2.0-or-later
 * Derived variables in refinement criteria, against the same formulas on gathered values, and
 * where levels meet. */
// TEST np={1,3} timeout=300
#include "solver/adapt/adapt.h"
#include "solver/data/variables.h"
#include "solver_test.h"

static void write_waves(const sim_t *s) {
  const int n = oak_nblocks(s->sim);
  double *u = malloc(((size_t)n * s->cells + 1) * sizeof *u);
  if (!u) abort();
  for (int v = 0; v < s->nvar; v++) {
    const double mean = v == 0 ? 1 : v == s->nvar - 1 ? 3 : 0.2;
    for (int c = 0; c < n * s->cells; c++) {
      double x[3];
      sim_center(s, c / s->cells, c % s->cells, x);
      u[c] = mean * (1 + 0.2 * pow(10, -3 * x[0]) * sin(137 * x[0] + 211 * x[1] + 59 * x[2] + v));
    }
    MUST(oak_write_cells(s->sim, v, 0, n, u));
  }
  free(u);
}

/** Blocks of three levels. */
static void uneven_mesh(const sim_t *s) {
  for (int round = 0; round < 2; round++) {
    const int n = oak_nblocks(s->sim);
    int *flag = malloc((n + 1) * sizeof *flag);
    if (!flag) abort();
    for (int b = 0; b < n; b++) flag[b] = (s->sim->data.mesh->first + b) % 4 == 2;
    MUST(oak_adjust_refinement_flags(s->sim, oak_nblocks(s->sim), flag, NULL));
    free(flag);
  }
}

static sim_t derived_sim(int dim, int level, const char *variable, const char *criterion) {
  return sim_new(MPI_COMM_WORLD,
                 TEST_PROBLEM("waves") "physics.name=euler\nphysics.gamma=1.4\nmesh.dim=%d\n"
                                       "mesh.block_size=4\nmesh.min_level=%d\nmesh.max_level=4\n"
                                       "refine.variable=%s\nrefine.criterion=%s\nrefine.eps=0.02\n"
                                       "refine.eps_abs=0.003\n",
                 dim, level, variable, criterion);
}

/** Index of a cell of a uniform periodic mesh with \a size cells per side. */
static size_t place(const sim_t *s, int size, int block, int cell, int axis, int offset) {
  double x[3];
  size_t at = 0;
  sim_center(s, block, cell, x);
  for (int d = s->dim - 1; d >= 0; d--) {
    const int i = (int)floor(x[d] * size) + (d == axis ? offset : 0);
    at = at * size + (i + size) % size;
  }
  return at;
}

/** The whole variable on all ranks, from what an output of it would be. */
static double *gather(const sim_t *s, const char *variable, int size) {
  const int n = oak_nblocks(s->sim), all = (int)pow(size, s->dim);
  double *own = malloc(((size_t)n * s->cells + 1) * sizeof *own), *u = calloc(all, sizeof *u);
  oak_selection_t one;
  if (!own || !u) abort();
  MUST(oak_variables_select(&s->sim->setup, variable, "test", "variables", OAK_SELECT_ALL, &one));
  MUST(oak_variables_prepare(&s->sim->data, &one));
  MUST(oak_variable_read(&s->sim->data, one.variable[0], 0, n, own));
  for (int c = 0; c < n * s->cells; c++)
    u[place(s, size, c / s->cells, c % s->cells, 0, 0)] = own[c];
  MPI_Allreduce(MPI_IN_PLACE, u, all, MPI_DOUBLE, MPI_SUM, s->comm);
  free(own);
  return u;
}

/** On a uniform periodic mesh: the formula on the gathered variable, cell by cell. */
static void derived_uniform(int dim, const char *variable, int gradient) {
  const int size = 4 << 2;
  sim_t s = derived_sim(dim, 2, variable, gradient ? "gradient" : "lohner");
  int *flag = malloc((oak_nblocks(s.sim) + 1) * sizeof *flag), wrong = 0;
  double largest = 0, smallest = INFINITY;
  if (!flag) abort();
  write_waves(&s);
  double *u = gather(&s, variable, size);
  MUST(oak_update_ghostcells(s.sim));
  MUST(oak_criterion_set(s.sim));
  for (int b = 0; b < oak_nblocks(s.sim); b++) {
    double most = 0;
    for (int c = 0; c < s.cells; c++) {
      double sum = 0;
      for (int d = 0; d < dim; d++) {
        const double below = u[place(&s, size, b, c, d, -1)], here = u[place(&s, size, b, c, d, 0)];
        const double above = u[place(&s, size, b, c, d, 1)];
        const double first = fabs(here - below) + fabs(above - here);
        const double mean = fabs(below) + 2 * fabs(here) + fabs(above);
        const double e = gradient ? fabs(above - below) / 2 / (0.003 + fabs(here))
                                  : fabs(below - 2 * here + above) / (0.003 + first + 0.02 * mean);
        sum += e * e;
      }
      most = worse(most, sqrt(sum));
    }
    largest = fmax(largest, most);
    smallest = fmin(smallest, most);
    for (int side = -1; side <= 1; side += 2) {
      s.sim->setup.refine.c_refine = s.sim->setup.refine.c_derefine = most * (1 + 1e-10 * side);
      MUST(oak_compute_flags(s.sim, flag));
      wrong += flag[b] != -side;
    }
  }
  report("%dD, %s of %s: indicators from %.2g to %.2g, %d wrong flags", dim,
         gradient ? "gradient" : "lohner", variable, smallest, largest, wrong);
  assert_int_equal(sum_ranks_int(s.comm, wrong), 0);
  free(u);
  free(flag);
  sim_free(&s);
}

/** Where levels meet: the vorticity of a linear flow is constant, so nothing is to be refined. */
static void derived_levels(int dim) {
  sim_t s = derived_sim(dim, dim == 3 ? 1 : 2, "vorticity", "gradient");
  MUST(oak_set_initial(s.sim));
  uneven_mesh(&s);
  const int blocks = oak_nblocks(s.sim);
  double *u = malloc(((size_t)blocks * s.cells + 1) * sizeof *u);
  int *flag = malloc((blocks + 1) * sizeof *flag), wrong = 0, inside = 0;
  if (!u || !flag) abort();
  for (int v = 0; v < s.nvar; v++) {
    for (int c = 0; c < blocks * s.cells; c++) {
      double x[3];
      sim_center(&s, c / s.cells, c % s.cells, x);
      u[c] = v == 0 ? 1 : v == s.nvar - 1 ? 9 : 0.3 * v + (v == 1 ? -1.5 * x[1] : (0.7 + v) * x[0]);
    }
    MUST(oak_write_cells(s.sim, v, 0, blocks, u));
  }
  MUST(oak_update_ghostcells(s.sim));
  MUST(oak_criterion_set(s.sim));
  s.sim->setup.refine.c_refine = s.sim->setup.refine.c_derefine = 1e-9;
  MUST(oak_compute_flags(s.sim, flag));
  for (int b = 0; b < blocks; b++) {
    double origin[3], dx[3];
    int edge = 0;
    oak_block_geometry(s.sim, b, origin, dx);
    for (int d = 0; d < dim; d++)
      edge |= origin[d] < 0.5 * dx[d] || origin[d] + (s.n + 0.5) * dx[d] > 1;
    inside += !edge;
    wrong += !edge && flag[b] != -1;
  }
  wrong = sum_ranks_int(s.comm, wrong);
  inside = sum_ranks_int(s.comm, inside);
  report("%dD: %d blocks of a linear flow, %d of them flagged for its vorticity", dim, inside,
         wrong);
  assert_true(inside > 20 && wrong == 0);
  free(u);
  free(flag);
  sim_free(&s);
}

static void test_derived(void **state) {
  (void)state;
  derived_uniform(2, "vorticity", 0);
  derived_uniform(2, "twice_mass", 1); /* a hook OUTPUT of waves.c */
  derived_uniform(3, "mach", 1);
  if (!test_short()) derived_uniform(3, "schlieren", 0);
  derived_levels(2);
  if (!test_short()) derived_levels(3);
}

/** The squares of these values are beyond single precision. */
static void test_large_values(void **state) {
  (void)state;
  sim_t s = sim_new(MPI_COMM_WORLD,
                    TEST_PROBLEM("ones") "physics.name=advection\nmesh.block_size=4\n"
                                         "mesh.min_level=1\nmesh.max_level=2\n"
                                         "scheme.precision=single\nrefine.criterion=gradient\n"
                                         "refine.c_refine=0.2\n");
  for (int b = 0; b < oak_nblocks(s.sim); b++) {
    double u[64], x[3];
    for (int c = 0; c < s.cells; c++) {
      sim_center(&s, b, c, x);
      u[c] = x[0] < 0.5 ? 1e25 : 2e25;
    }
    MUST(oak_write_cells(s.sim, 0, b, 1, u));
  }
  MUST(oak_adjust_refinement(s.sim, NULL));
  assert_int_equal(oak_nblocks_global(s.sim), 16);
  sim_free(&s);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_derived),
                                     cmocka_unit_test(test_large_values)};
  return TEST_MAIN(tests);
}
