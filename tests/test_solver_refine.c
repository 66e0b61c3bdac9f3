/* SPDX-License-Identifier: GPL-2.0-or-later
 * Refinement criteria, against the same formulas on the host. */
// TEST np={1,2,3} timeout=300
#include "solver/sim.h"
#include "solver_test.h"

/** A number in [0, 1) that depends on a position, not on the rank that asks. */
static double noise(const double x[3], int salt) {
  uint64_t h = (uint64_t)salt * UINT64_C(0xD1B54A32D192ED03) + 1;
  for (int d = 0; d < 3; d++) {
    uint64_t bits;
    memcpy(&bits, &x[d], sizeof bits);
    h = (h ^ bits) * UINT64_C(0x9E3779B97F4A7C15);
    h ^= h >> 31;
  }
  return (double)(h >> 11) * 0x1p-53;
}

/** Blocks of three levels in no order. */
static void random_mesh(const sim_t *s) {
  for (int round = 0; round < 2; round++) {
    const int n = oak_nblocks(s->oak);
    int *flag = malloc((n + 1) * sizeof *flag);
    if (!flag) abort();
    for (int b = 0; b < n; b++) {
      double x[3];
      sim_center(s, b, 0, x);
      flag[b] = noise(x, round) < 0.3;
    }
    MUST(oak_adjust_refinement_flags(s->oak, flag, NULL));
    free(flag);
  }
}

/* ---- criteria */

typedef struct {
  int dim, n;
  int gradient;
  const char *criterion, *variables, *keys;
  int looked_at[3]; /* conserved, then primitive, -1 at the end */
} criterion_t;

/** Noise around a gas at rest, loud at one end of the domain and quiet at the other. */
static void write_noise(const sim_t *s) {
  const int n = oak_nblocks(s->oak);
  double *u = malloc(((size_t)n * s->cells + 1) * sizeof *u);
  if (!u) abort();
  for (int v = 0; v < s->nvar; v++) {
    const double mean = v == 0 ? 1 : v == s->nvar - 1 ? 3 : 0.2;
    for (int b = 0; b < n; b++)
      for (int c = 0; c < s->cells; c++) {
        double x[3];
        sim_center(s, b, c, x);
        u[b * s->cells + c] = mean * (1 + 0.4 * pow(10, -4 * x[0]) * (noise(x, 10 + v) - 0.5));
      }
    MUST(oak_write_cells(s->oak, v, 0, n, u));
  }
  free(u);
}

/** A conserved or primitive variable of one cell of a block with ghost cells. */
static double value(const sim_t *s, const double *u, size_t stride, size_t at, int variable) {
  const double gamma = 1.4, rho = u[at];
  const int v = variable % s->nvar;
  double kinetic = 0;
  if (variable < s->nvar || v == 0) return u[v * stride + at];
  if (v < s->nvar - 1) return u[v * stride + at] / rho;
  for (int d = 1; d <= s->dim; d++) kinetic += u[d * stride + at] * u[d * stride + at] / (2 * rho);
  return (gamma - 1) * (u[v * stride + at] - kinetic);
}

/** The largest indicator of a block. */
static double indicator(const sim_t *s, const criterion_t *c, const double *u) {
  const double eps = 0.02, eps_abs = 0.003;
  const int g = s->layers, width = s->n + 2 * g;
  const size_t step[3] = {1, (size_t)width, (size_t)width * width};
  const size_t stride = step[s->dim - 1] * width;
  double most = 0;
  for (const int *v = c->looked_at; *v >= 0; v++)
    for (int cell = 0; cell < s->cells; cell++) {
      const int i[3] = {cell % s->n + g, cell / s->n % s->n + g, cell / (s->n * s->n) + g};
      size_t at = i[0] + i[1] * step[1] + (s->dim == 3 ? i[2] * step[2] : 0);
      double sum = 0;
      for (int d = 0; d < s->dim; d++) {
        const double below = value(s, u, stride, at - step[d], *v);
        const double here = value(s, u, stride, at, *v);
        const double above = value(s, u, stride, at + step[d], *v);
        const double second = fabs(below - 2 * here + above);
        const double first = fabs(here - below) + fabs(above - here);
        const double size = fabs(below) + 2 * fabs(here) + fabs(above);
        const double e = c->gradient ? fabs(above - below) / 2 / (eps_abs + fabs(here))
                                     : second / (eps_abs + first + eps * size);
        sum += e * e;
      }
      most = worse(most, sqrt(sum));
    }
  return most;
}

/** Flags with thresholds just below and just above what each block has: wrong ones. */
static int wrong_flags(const sim_t *s, const criterion_t *c, double *least, double *most) {
  const double tolerance = 1e-10;
  const int n = oak_nblocks(s->oak), width = s->n + 2 * s->layers;
  const size_t size = (size_t)width * width * (s->dim == 3 ? width : 1) * s->nvar;
  double *u = malloc((n * size + 1) * sizeof *u);
  int *flag = malloc((n + 1) * sizeof *flag), wrong = 0;
  if (!u || !flag) abort();
  MUST(oak_update_ghostcells(s->oak));
  MUST(oak_read_ghosts(s->oak, 0, n, u));
  for (int b = 0; b < n; b++) {
    const double e = indicator(s, c, u + b * size);
    *least = fmin(*least, e);
    *most = worse(*most, e);
    s->oak->c_refine = e * (1 + tolerance);
    s->oak->c_derefine = e * (1 - tolerance);
    MUST(oak_compute_flags(s->oak, flag));
    wrong += flag[b] != 0;
    s->oak->c_refine = s->oak->c_derefine;
    MUST(oak_compute_flags(s->oak, flag));
    wrong += flag[b] != 1;
    s->oak->c_refine = s->oak->c_derefine = e * (1 + tolerance);
    MUST(oak_compute_flags(s->oak, flag));
    wrong += flag[b] != -1;
  }
  free(u);
  free(flag);
  return wrong;
}

static const criterion_t criteria[] = {
    {2, 8, 0, "lohner", "rho E", "", {0, 3, -1}},
    {2, 6, 0, "lohner", "E, vx", "scheme.ghost_layers=3\n", {3, 5, -1}},
    {2, 8, 1, "gradient", "my", "", {2, -1}},
    {2, 8, 1, "gradient", "p vy", "boundary.xlow=reflect\nboundary.xhigh=outflow\n", {7, 6, -1}},
    {3, 6, 0, "lohner", "p", "", {9, -1}},
    {3, 4, 0, "lohner", "mz rho", "", {3, 0, -1}},
    {3, 4, 1, "gradient", "rho vz", "boundary.zlow=outflow\nboundary.zhigh=reflect\n", {0, 8, -1}},
};

static void test_criteria(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof criteria / sizeof *criteria; i++) {
    const criterion_t *c = &criteria[i];
    double least = INFINITY, most = 0;
    sim_t s = sim_new(MPI_COMM_WORLD,
                      TEST_PROBLEM("waves") "physics.name=euler\nphysics.gamma=1.4\n%s"
                                            "mesh.dim=%d\nmesh.block_size=%d\nmesh.min_level=%d\n"
                                            "mesh.max_level=4\nrefine.criterion=%s\n"
                                            "refine.variable=%s\nrefine.eps=0.02\n"
                                            "refine.eps_abs=0.003\ndevice.flags=-O1\n",
                      c->keys, c->dim, c->n, c->dim == 3 ? 1 : 2, c->criterion, c->variables);
    MUST(oak_set_initial(s.oak));
    random_mesh(&s);
    write_noise(&s);
    int64_t wrong = wrong_flags(&s, c, &least, &most);
    wrong = sum_ranks_int(s.comm, wrong);
    least = -max_ranks(s.comm, -least);
    most = max_ranks(s.comm, most);
    report("%dD, %s of %s: %d blocks with indicators from %.2g to %.2g, %d wrong flags", c->dim,
           c->criterion, c->variables, (int)oak_nblocks_global(s.oak), least, most, (int)wrong);
    assert_true(oak_nblocks_global(s.oak) > 20 && most > 10 * least);
    assert_int_equal(wrong, 0);
    sim_free(&s);
  }
}

/* ---- refusals */

static void refused(const char *key, const char *words) {
  oak_params_t *params;
  oak_t *oak = NULL;
  MUST(oak_params_new(&params));
  MUST(oak_params_assign(params, "problem.name=shock_tube", "test"));
  MUST(oak_params_assign(params, key, "test"));
  assert_int_equal(oak_create(MPI_COMM_WORLD, params, &oak), OAK_ERR_INPUT);
  if (!strstr(oak_last_error(), words)) print_error("%s: %s\n", key, oak_last_error());
  assert_non_null(strstr(oak_last_error(), words));
  oak_params_destroy(&params);
}

static void test_refusals(void **state) {
  (void)state;
  refused("refine.variable=rho pressure", "no variable pressure; it has rho mx my E rho vx vy p");
  refused("refine.variable=level", "no variable level");
  refused("refine.criterion=slope", "lohner");
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_criteria),
                                     cmocka_unit_test(test_refusals)};
  return TEST_MAIN(tests);
}
