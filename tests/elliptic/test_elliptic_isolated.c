// SPDX-License-Identifier: GPL-2.0-or-later
// TEST np={1,3} timeout=120
/* Boundary values of isolated right-hand sides beside the direct sum over all cells: the whole sum,
 * and the sum of its multipoles. The same bits on any number of ranks. */
#include "elliptic/elliptic.h"
#include "solver/step/sim.h"
#include "solver_test.h"

typedef struct {
  sim_t s;
  oak_elliptic_t *e;
  double *f, *given; /* on the host */
} case_t;

static const double middle[3] = {0.45, 0.56, 0.48};

static double source(int dim, const double x[3]) {
  double r2 = 0;
  for (int d = 0; d < dim; d++) r2 += (x[d] - middle[d]) * (x[d] - middle[d]);
  return r2 < 0.15 * 0.15 ? 1 + 0.7 * sin(40 * x[0]) * cos(33 * x[1] + x[2]) + 3 * x[0] : 0;
}

static double block_center(const case_t *c, int block, int cell, double x[3]) {
  double origin[3], dx[3], volume = 1;
  const int n = c->s.n, at[3] = {cell % n, cell / n % n, cell / (n * n)};
  oak_block_geometry(c->s.sim, block, origin, dx);
  for (int d = 0; d < 3; d++) {
    x[d] = d < c->s.dim ? origin[d] + (at[d] + 0.5) * dx[d] : 0;
    if (d < c->s.dim) volume *= dx[d];
  }
  return volume;
}

static case_t case_new(MPI_Comm comm, int dim, int n) {
  case_t c = {0};
  int changed;
  c.s = sim_new(comm,
                "problem.name=advection\nphysics.name=advection\nscheme.limiter=upwind\n"
                "boundary.xlow=outflow\nboundary.xhigh=outflow\nboundary.ylow=outflow\n"
                "boundary.yhigh=outflow\nboundary.zlow=outflow\nboundary.zhigh=outflow\n"
                "mesh.dim=%d\nmesh.block_size=%d\nscheme.ghost_layers=2\nmesh.min_level=1\n"
                "mesh.max_level=2\n",
                dim, n);
  oak_t *sim = c.s.sim;
  MUST(oak_initialize(sim));
  int *flag = calloc(oak_nblocks(sim) + 1, sizeof *flag);
  for (int b = 0; b < oak_nblocks(sim); b++) {
    double x[3];
    block_center(&c, b, 0, x);
    flag[b] = x[0] < 0.5 && x[1] > 0.5;
  }
  MUST(oak_adjust_refinement_flags(sim, oak_nblocks(sim), flag, NULL));
  free(flag);
  oak_elliptic_setup_t setup = {
      .transport = &sim->data.transport, .timers = &sim->data.timers, .a = 2};
  memcpy(setup.block_size, sim->setup.block.size, sizeof setup.block_size);
  memcpy(setup.xmin, sim->setup.domain.xmin, sizeof setup.xmin);
  memcpy(setup.dx0, sim->setup.domain.dx0, sizeof setup.dx0);
  MUST(oak_elliptic_new(sim->setup.comm, &setup, sim->data.mesh, &c.e));
  MUST(oak_elliptic_fit(c.e, &changed));
  const size_t values = (size_t)oak_nblocks(sim) * c.s.cells, faces = c.e->nouter * c.s.cells / n;
  c.f = malloc((values + 1) * sizeof *c.f);
  c.given = malloc((faces + 1) * sizeof *c.given);
  for (size_t i = 0; i < values; i++) {
    double x[3];
    block_center(&c, (int)(i / c.s.cells), (int)(i % c.s.cells), x);
    c.f[i] = source(dim, x);
  }
  if (values) MUST(oak_device_upload(sim->setup.dev, c.e->f, c.f, values * sizeof *c.f));
  MUST(oak_elliptic_isolate(c.e));
  if (faces)
    MUST(oak_device_download(sim->setup.dev, c.given, c.e->given, faces * sizeof *c.given));
  return c;
}

static void case_free(case_t *c) {
  free(c->f);
  free(c->given);
  oak_elliptic_destroy(&c->e);
  sim_free(&c->s);
}

/* The potential of a unit of f, and its multipoles about `center`, by the recurrences of Legendre
 * and Chebyshev polynomials. */
static void potential_of(int dim, const double center[3], const double x[3], const double y[3],
                         double *whole, double *poles) {
  double distance = 0, dot = 0, r2 = 0, s2 = 0;
  for (int d = 0; d < dim; d++) {
    distance += (x[d] - y[d]) * (x[d] - y[d]);
    dot += (x[d] - center[d]) * (y[d] - center[d]);
    r2 += (x[d] - center[d]) * (x[d] - center[d]);
    s2 += (y[d] - center[d]) * (y[d] - center[d]);
  }
  const double t = dot / r2, q = s2 / r2; /* cosine times the ratio of radii; its square */
  double before = 1, now = t;
  if (dim == 3) {
    double sum = before + now;
    for (int l = 2; l <= OAK_ELLIPTIC_POLES(3); l++) {
      const double next = ((2 * l - 1) * t * now - (l - 1) * q * before) / l;
      sum += next;
      before = now;
      now = next;
    }
    *poles = -sum / (4 * M_PI * sqrt(r2));
    *whole = -1 / (4 * M_PI * sqrt(distance));
  } else {
    double sum = 0.5 * log(r2) - now;
    for (int l = 2; l <= OAK_ELLIPTIC_POLES(2); l++) {
      const double next = 2 * t * now - q * before;
      sum -= next / l;
      before = now;
      now = next;
    }
    *poles = sum / (2 * M_PI);
    *whole = 0.5 * log(distance) / (2 * M_PI);
  }
}

static void face_center(const case_t *c, int block, int face, int cell, double x[3]) {
  const int n = c->s.n, dir = face / 2, a = cell % n, b = cell / n, end = face & 1 ? n - 1 : 0;
  const int at[3] = {dir == 0 ? end : a, dir == 0 ? a : dir == 1 ? end : b, dir == 2 ? end : b};
  double origin[3], dx[3];
  block_center(c, block, (c->s.dim == 3 ? at[2] * n * n : 0) + at[1] * n + at[0], x);
  oak_block_geometry(c->s.sim, block, origin, dx);
  x[dir] += (face & 1 ? 0.5 : -0.5) * dx[dir];
}

/* Largest differences to the direct sum, relative to the largest potential. */
static void compare(const case_t *c, double error[2]) {
  const size_t values = (size_t)oak_nblocks(c->s.sim) * c->s.cells;
  const int faces = 2 * c->s.dim, area = c->s.cells / c->s.n;
  double *y = malloc(4 * values * sizeof *y), mass = 0, center[3] = {0}, most = 0;
  size_t count = 0;
  for (size_t i = 0; i < values; i++) {
    double *p = y + 4 * count;
    p[3] = c->f[i] * block_center(c, (int)(i / c->s.cells), (int)(i % c->s.cells), p);
    for (int d = 0; d < 3; d++) center[d] += p[3] * p[d];
    mass += p[3];
    count += p[3] != 0;
  }
  for (int d = 0; d < 3; d++) center[d] /= mass;
  error[0] = error[1] = 0;
  for (int i = 0; i < oak_nblocks(c->s.sim) * faces; i++)
    for (int cell = 0; cell < area && c->e->outer_host[i] >= 0; cell += 3) {
      double x[3], sum[2] = {0}, one[2];
      face_center(c, i / faces, i % faces, cell, x);
      for (size_t k = 0; k < count; k++) {
        potential_of(c->s.dim, center, x, y + 4 * k, &one[0], &one[1]);
        for (int t = 0; t < 2; t++) sum[t] += y[4 * k + 3] * one[t] / c->e->setup.a;
      }
      for (int t = 0; t < 2; t++)
        error[t] = fmax(error[t], fabs(c->given[c->e->outer_host[i] * area + cell] - sum[t]));
      most = fmax(most, fabs(sum[0]));
    }
  for (int t = 0; t < 2; t++) error[t] /= most;
  free(y);
}

/* Whether each block of c has the bits of the same block of all. */
static void same_bits(const case_t *c, const case_t *all) {
  const int faces = 2 * c->s.dim, area = c->s.cells / c->s.n;
  const int first = (int)c->s.sim->data.mesh->first;
  for (int i = 0; i < oak_nblocks(c->s.sim) * faces; i++) {
    const int here = c->e->outer_host[i], there = all->e->outer_host[first * faces + i];
    assert_int_equal(here < 0, there < 0);
    if (here >= 0)
      assert_memory_equal(c->given + (size_t)here * area, all->given + (size_t)there * area,
                          area * sizeof *c->given);
  }
}

static void test_direct_sum(void **state) {
  (void)state;
  static const int size[] = {8, 10, 16, 40};
  for (int i = 0; i < 7; i++) {
    const int dim = 2 + i % 2, n = size[i / 2];
    double error[2];
    case_t all = case_new(MPI_COMM_SELF, dim, n), c = case_new(MPI_COMM_WORLD, dim, n);
    compare(&all, error);
    report(
        "%dD, blocks of %d: boundary values differ by %.1e from the sum over cells, by %.1e from "
        "the sum of its multipoles",
        dim, n, error[0], error[1]);
    assert_true(error[0] < (dim == 3 ? 1e-5 : 1e-8));
    assert_true(error[1] < 1e-13);
    same_bits(&c, &all);
    case_free(&c);
    case_free(&all);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_direct_sum)};
  return TEST_MAIN(tests);
}
