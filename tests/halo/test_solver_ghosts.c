/* SPDX-License-Identifier: GPL-2.0-or-later
 * Ghost cells, interpolation and restriction (paper, section "Testing ghost cell filling,
 * interpolation and restriction"): a linear function stays exact in all cells and ghost cells while
 * levels are added around a point and taken away again. */
// TEST np={1,2,3,4} timeout=300 flags=-O1 sanitize=2
// TEST name=@test@_staged_np3 np=3 OAK_TEST_TRANSPORT=staged
// TEST name=long_@test@_np@np@ np={5,7,8,16} suite=long
#include "solver_test.h"

enum { N = 8 };
static const double tolerance = 1e-14; /* values reach 6: some ten units in the last place */

/** On the unit square and cube every number is a short binary fraction, and all arithmetic exact;
 * on the other domain there are rounding errors. */
typedef struct {
  const char *name;
  double low[3], high[3];
} domain_t;
static const domain_t unit = {"unit", {0, 0, 0}, {1, 1, 1}};
static const domain_t uneven = {"uneven", {-0.3, 0.1, 0.2}, {0.9, 1.6, 1.3}};

/** A simulation at level 0 that holds the function. */
static sim_t linear_sim(int dim, const domain_t *domain, int layers, int levels) {
  static const char bc[] =
      "boundary.xlow=dirichlet user\nboundary.xhigh=dirichlet user\nboundary.ylow=dirichlet user\n"
      "boundary.yhigh=dirichlet user\nboundary.zlow=dirichlet user\nboundary.zhigh=dirichlet "
      "user\n";
  sim_t s = sim_new(MPI_COMM_WORLD,
                    TEST_PROBLEM("linear") "%smesh.xmin=%s\nmesh.xmax=%s\n"
                                           "physics.name=advection\nmesh.dim=%d\n"
                                           "mesh.block_size=%d\nscheme.limiter=upwind\n"
                                           "scheme.ghost_layers=%d\nmesh.max_level=%d\n",
                    bc, test_axes(dim, domain->low[0], domain->low[1], domain->low[2]).text,
                    test_axes(dim, domain->high[0], domain->high[1], domain->high[2]).text, dim, N, layers, levels);
  MUST(oak_initialize(s.sim));
  return s;
}

/** Largest error in the cells and ghost cells of one block. */
static double block_error(const sim_t *s, int block, const double *u, int64_t *checked) {
  const int g = s->layers, width = N + 2 * g, depth = s->dim == 3 ? width : 1;
  double origin[3], dx[3], most = 0;
  oak_block_geometry(s->sim, block, origin, dx);
  for (int k = 0; k < depth; k++)
    for (int j = 0; j < width; j++)
      for (int i = 0; i < width; i++) {
        const int c[3] = {i - g, j - g, s->dim == 3 ? k - g : 0};
        const double value = u[(k * width + j) * width + i];
        int outside = 0;
        double exact = 0;
        for (int d = 0; d < s->dim; d++) {
          outside += c[d] < 0 || c[d] >= N;
          exact += (d + 1) * (origin[d] + (c[d] + 0.5) * dx[d]);
        }
        if (outside > 1) { /* edges and corners have no value */
          if (!isnan(value)) most = INFINITY;
          continue;
        }
        most = worse(most, fabs(value - exact));
        (*checked)++;
      }
  return most;
}

/** Fill the ghost cells and look at everything. */
static double check(const sim_t *s, int64_t *checked) {
  const int n = oak_nblocks(s->sim), width = N + 2 * s->layers;
  const size_t size = (size_t)width * width * (s->dim == 3 ? width : 1);
  double *u = malloc((n * size + 1) * sizeof *u), most = 0;
  if (!u) abort();
  MUST(oak_update_ghostcells(s->sim));
  MUST(oak_read_ghosts(s->sim, 0, n, u));
  for (int b = 0; b < n; b++) most = worse(most, block_error(s, b, u + b * size, checked));
  free(u);
  return max_ranks(s->comm, most);
}

static int contains(const sim_t *s, int block, const double point[3]) {
  double origin[3], dx[3];
  oak_block_geometry(s->sim, block, origin, dx);
  for (int d = 0; d < s->dim; d++)
    if (point[d] < origin[d] || point[d] >= origin[d] + N * dx[d]) return 0;
  return 1;
}

/** Refine the block at the point, or let the blocks of the highest level go. */
static void change_mesh(const sim_t *s, const double point[3], int add) {
  const int n = oak_nblocks(s->sim);
  int *flag = calloc(n + 1, sizeof *flag), lowest, highest, changed;
  if (!flag) abort();
  sim_levels(s, &lowest, &highest);
  for (int b = 0; b < n; b++)
    flag[b] = add ? contains(s, b, point) : -(oak_block_level(s->sim, b) == highest);
  MUST(oak_adjust_refinement_flags(s->sim, oak_nblocks(s->sim), flag, &changed));
  free(flag);
  int now;
  sim_levels(s, &lowest, &now);
  assert_true(changed);
  assert_int_equal(now, highest + (add ? 1 : -1));
}

static void linear_function(int dim, const domain_t *domain, int layers, int levels) {
  sim_t s = linear_sim(dim, domain, layers, levels);
  int64_t checked = 0, blocks = 0;
  double most = check(&s, &checked);
  for (int p = 0; p < (dim == 3 ? 27 : 9); p++) {
    const int corner[3] = {p % 3 - 1, p / 3 % 3 - 1, p / 9 - 1};
    double point[3];
    for (int d = 0; d < 3; d++)
      point[d] = domain->low[d] + (0.5 + 0.49 * corner[d]) * (domain->high[d] - domain->low[d]);
    MUST(oak_set_initial(s.sim)); /* no rounding errors of the last point */
    for (int step = 0; step < 2 * levels; step++) {
      change_mesh(&s, point, step < levels);
      most = worse(most, check(&s, &checked));
      if (oak_nblocks_global(s.sim) > blocks) blocks = oak_nblocks_global(s.sim);
    }
    assert_int_equal(oak_nblocks_global(s.sim), 1);
  }
  checked = sum_ranks_int(s.comm, checked);
  report("%dD, %s domain, %d layer%s, %d levels, up to %d blocks, %.3g values: largest error %.2g",
         dim, domain->name, layers, layers > 1 ? "s" : "", levels, (int)blocks, (double)checked,
         most);
  sim_free(&s);
  assert_true(most < tolerance);
}

static void test_quadtree(void **state) {
  (void)state;
  const int levels = test_short() ? 5 : 7;
  for (int layers = 1; layers <= 4; layers++)
    if (layers % 3 == 1 || !test_short()) linear_function(2, &unit, layers, levels);
  linear_function(2, &uneven, 3, levels);
}

static void test_octree(void **state) {
  (void)state;
  const int levels = test_short() ? 3 : 5;
  for (int layers = 1; layers <= 4; layers++)
    if (layers == 2 || !test_short()) linear_function(3, &unit, layers, levels);
  linear_function(3, &uneven, 3, levels);
}

/** More layers than the limiter reads are fine, fewer are refused. */
static void test_too_few(void **state) {
  (void)state;
  oak_params_t *params;
  oak_t *sim = NULL;
  MUST(oak_params_new(&params));
  MUST(oak_params_assign(params, "scheme.limiter=vanleer", "test"));
  MUST(oak_params_assign(params, "scheme.ghost_layers=1", "test"));
  MUST(oak_params_assign(params, "problem.name=shock_tube", "test"));
  assert_int_equal(oak_create(MPI_COMM_WORLD, params, &sim), OAK_ERR_INPUT);
  assert_non_null(strstr(oak_last_error(), "scheme.ghost_layers = 1"));
  assert_null(sim);
  oak_params_destroy(&params);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_quadtree), cmocka_unit_test(test_octree),
                                     cmocka_unit_test(test_too_few)};
  return TEST_MAIN(tests);
}
