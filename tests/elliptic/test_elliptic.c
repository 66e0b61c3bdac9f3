// SPDX-License-Identifier: GPL-2.0-or-later
// TEST np={1,3} timeout=120 flags=-O1
// TEST name=@test@_fake_lanes_np1 timeout=300 needs=lanes OAK_TEST_SHORT=1 OAK_TEST_DEVICE=cuda OAK_FAKE_CUDA=lanes=1
// TEST name=@test@_fake_hip_lanes_np1 timeout=300 suite=all needs=lanes OAK_TEST_SHORT=1 OAK_TEST_DEVICE=hip OAK_FAKE_CUDA=lanes=1
// TEST name=long_@test@_fake_lanes_np2 np=2 suite=long needs=lanes OAK_TEST_DEVICE=cuda "OAK_FAKE_CUDA=count=8 lanes=1"
// TEST name=long_@test@_fake_hip_np2 np=2 suite=long needs=fake OAK_TEST_DEVICE=hip OAK_FAKE_CUDA=count=8
// TEST name=long_@test@_fake_@way@_np2 np=2 suite=long needs=fake OAK_TEST_DEVICE=cuda way={direct,nccl,staged} OAK_FAKE_CUDA=count=8
/* Multigrid: the factor by which a cycle reduces the residual; order of solution and gradient on
 * uniform and adaptive meshes; equal fluxes on both sides of a refinement boundary; the same bits
 * on any number of ranks; the same solution on $OAK_TEST_DEVICE as on the CPU. */
#include "elliptic/elliptic.h"
#include "solver/step/sim.h"
#include "solver_test.h"

typedef struct {
  sim_t s;
  oak_elliptic_t *e;
  int kind; /* of solution */
} case_t;

static int gather_cells; /* levels of at most so many cells are gathered; 0: the solver chooses */

enum { WAVES, GROWTH }; /* periodic with mean 0; not zero at the boundary */

static double exact(const case_t *c, const double x[3]) {
  const double z = c->s.dim == 3 ? cos(2 * M_PI * x[2] + 0.2) : 1;
  if (c->kind == WAVES) return sin(2 * M_PI * x[0] + 0.3) * cos(2 * M_PI * x[1] + 1) * z;
  return exp(0.6 * x[0] - 0.3 * x[1]) * cos(x[1] + 0.2 * x[2]) + x[0] * x[1];
}

static double derivative(const case_t *c, const double x[3], int dir) {
  const double h = 1e-5;
  double a[3] = {x[0], x[1], x[2]}, b[3] = {x[0], x[1], x[2]};
  a[dir] -= h;
  b[dir] += h;
  return (exact(c, b) - exact(c, a)) / (2 * h);
}

static double laplacian(const case_t *c, const double x[3]) {
  if (c->kind == WAVES) return -c->s.dim * 4 * M_PI * M_PI * exact(c, x);
  return exp(0.6 * x[0] - 0.3 * x[1]) *
         ((0.36 + 0.09 - 1 - (c->s.dim == 3 ? 0.04 : 0)) * cos(x[1] + 0.2 * x[2]) +
          0.6 * sin(x[1] + 0.2 * x[2]));
}

static void center(const case_t *c, int block, int cell, double x[3]) {
  double origin[3], dx[3];
  const int n = c->s.n, at[3] = {cell % n, cell / n % n, cell / (n * n)};
  oak_block_geometry(c->s.sim, block, origin, dx);
  for (int d = 0; d < 3; d++) x[d] = d < c->s.dim ? origin[d] + (at[d] + 0.5) * dx[d] : 0;
}

static double value_outside(void *data, int face, const double x[3]) {
  const case_t *c = data;
  const double sign = face & 1 ? 1 : -1;
  return c->e->setup.condition[face] == OAK_ELLIPTIC_DIRICHLET ? exact(c, x)
                                                               : sign * derivative(c, x, face / 2);
}

static void set_f(case_t *c) {
  const size_t n = (size_t)oak_nblocks(c->s.sim) * c->s.cells;
  double *f = malloc((n + 1) * sizeof *f);
  for (size_t i = 0; i < n; i++) {
    double x[3];
    center(c, (int)(i / c->s.cells), (int)(i % c->s.cells), x);
    f[i] = laplacian(c, x);
  }
  if (n) MUST(oak_device_upload(c->s.sim->setup.dev, c->e->f, f, n * sizeof *f));
  free(f);
}

/* Refine the blocks near a point that is not the centre: levels - 1 nested regions. */
static void refine(sim_t *s, int levels) {
  for (int l = 0; l < levels; l++) {
    const int n = oak_nblocks(s->sim);
    int *flag = malloc((n + 1) * sizeof *flag);
    for (int b = 0; b < n; b++) {
      double origin[3], dx[3], most = 0;
      oak_block_geometry(s->sim, b, origin, dx);
      for (int d = 0; d < s->dim; d++)
        most = fmax(most, fabs(origin[d] + 0.5 * s->n * dx[d] - 0.55));
      flag[b] = most < 0.26 / (1 << l);
    }
    MUST(oak_adjust_refinement_flags(s->sim, oak_nblocks(s->sim), flag, NULL));
    free(flag);
  }
}

static void refine_all(sim_t *s) {
  const int n = oak_nblocks(s->sim);
  int *flag = malloc((n + 1) * sizeof *flag);
  for (int b = 0; b < n; b++) flag[b] = 1;
  MUST(oak_adjust_refinement_flags(s->sim, oak_nblocks(s->sim), flag, NULL));
  free(flag);
}

static const char *device = ""; /* a key, if not $OAK_TEST_DEVICE */

static case_t case_new(MPI_Comm comm, int dim, int n, int level, int jumps, int finer, int kind) {
  case_t c = {.kind = kind};
  const char *word = kind == WAVES ? "periodic" : "outflow";
  c.s = sim_new(comm,
                "problem.name=advection\nphysics.name=advection\nscheme.limiter=upwind\n"
                "boundary.xlow=%s\nboundary.xhigh=%s\nboundary.ylow=%s\nboundary.yhigh=%s\n"
                "boundary.zlow=%s\nboundary.zhigh=%s\nmesh.dim=%d\nmesh.block_size=%d\n"
                "scheme.ghost_layers=2\nmesh.min_level=%d\nmesh.max_level=%d\n%s",
                word, word, word, word, word, word, dim, n, level, level + jumps + finer, device);
  MUST(oak_initialize(c.s.sim));
  refine(&c.s, jumps);
  if (finer) refine_all(&c.s);
  oak_t *sim = c.s.sim;
  oak_elliptic_setup_t setup = {.mean_factor = 1,
                                .transport = &sim->data.transport,
                                .timers = &sim->data.timers,
                                .block_size = {n, n, dim == 3 ? n : 1},
                                .a = 1,
                                .gather_cells = gather_cells};
  memcpy(setup.xmin, sim->setup.domain.xmin, sizeof setup.xmin);
  memcpy(setup.dx0, sim->setup.domain.dx0, sizeof setup.dx0);
  setup.condition[2] = OAK_ELLIPTIC_NEUMANN;
  int changed;
  MUST(oak_elliptic_new(sim->setup.comm, &setup, sim->data.mesh, &c.e));
  MUST(oak_elliptic_fit(c.e, &changed));
  set_f(&c);
  MUST(oak_agree(sim->setup.comm, oak_elliptic_set_outer(c.e, value_outside, &c)));
  return c;
}

static void case_free(case_t *c) {
  oak_elliptic_destroy(&c->e);
  sim_free(&c->s);
}

typedef struct {
  double most, gradient; /* largest error of u; mean error of its gradient */
} errors_t;

static double *download(case_t *c, const void *from) {
  const size_t n = (size_t)oak_nblocks(c->s.sim) * c->s.cells;
  double *u = malloc((n + 1) * sizeof *u);
  if (n) MUST(oak_device_download(c->s.sim->setup.dev, u, from, n * sizeof *u));
  return u;
}

static errors_t find_errors(case_t *c) {
  errors_t out = {0};
  const size_t n = (size_t)oak_nblocks(c->s.sim) * c->s.cells;
  double *u = download(c, oak_elliptic_top(c->e)->u.memory.mine);
  for (size_t i = 0; i < n; i++) {
    double x[3];
    center(c, (int)(i / c->s.cells), (int)(i % c->s.cells), x);
    out.most = fmax(out.most, fabs(u[i] - exact(c, x)));
  }
  free(u);
  for (int d = 0; d < c->s.dim; d++) {
    MUST(oak_elliptic_gradient(c->e, d, oak_elliptic_top(c->e)->res));
    u = download(c, oak_elliptic_top(c->e)->res);
    for (size_t i = 0; i < n; i++) {
      double x[3];
      const double volume = ldexp(1, -c->s.dim * oak_block_level(c->s.sim, (int)(i / c->s.cells)));
      center(c, (int)(i / c->s.cells), (int)(i % c->s.cells), x);
      out.gradient += volume / c->s.cells * fabs(u[i] - derivative(c, x, d));
    }
    free(u);
  }
  MPI_Allreduce(MPI_IN_PLACE, &out.most, 1, MPI_DOUBLE, MPI_MAX, c->s.comm);
  MPI_Allreduce(MPI_IN_PLACE, &out.gradient, 1, MPI_DOUBLE, MPI_SUM, c->s.comm);
  return out;
}

/* Least factor of the cycles after the first one. */
static double least_factor(const oak_elliptic_report_t *r) {
  double least = INFINITY;
  for (int c = 1; c < r->cycles; c++) least = fmin(least, r->residual[c] / r->residual[c + 1]);
  return least;
}

static errors_t try(int dim, int n, int level, int jumps, int finer, int kind, double least) {
  const oak_elliptic_options_t options = {.tolerance = 1e-10, .most_cycles = 30, .full = 1};
  oak_elliptic_report_t r;
  case_t c = case_new(MPI_COMM_WORLD, dim, n, level, jumps, finer, kind);
  MUST(oak_elliptic_solve(c.e, &options, &r));
  const double factor = pow(r.residual[1] / r.residual[r.cycles], 1.0 / (r.cycles - 1));
  const errors_t errors = find_errors(&c);
  report(
      "%dD, blocks of %d, levels %d to %d, %s: %d cycles, each reduces the residual by %.1f, the "
      "worst by %.1f; errors %.3e, gradient %.3e",
      dim, n, level + finer, level + jumps + finer, kind == WAVES ? "periodic" : "boundary values",
      r.cycles, factor, least_factor(&r), errors.most, errors.gradient);
  case_free(&c);
  assert_true(factor >= least);
  return errors;
}

static void orders(int dim, int n, int level, int jumps, int kind, double least) {
  const errors_t a = try(dim, n, level, jumps, 0, kind, least);
  const errors_t b = try(dim, n, level, jumps, 1, kind, least);
  const double order[] = {log2(a.most / b.most), log2(a.gradient / b.gradient)};
  report("orders %.2f, gradient %.2f", order[0], order[1]);
  assert_true(order[0] > 1.9 && order[1] > 1.9);
}

static void test_uniform(void **state) {
  (void)state;
  orders(2, 8, 2, 0, WAVES, 16);
  orders(2, 8, 2, 0, GROWTH, 16);
  orders(3, 8, 1, 0, WAVES, 16);
  orders(3, 8, 2, 0, GROWTH, 16);
}

static void test_adaptive(void **state) {
  (void)state;
  orders(2, 8, 2, 3, WAVES, 8);
  orders(2, 8, 2, 3, GROWTH, 8);
  orders(3, 8, 1, 1, WAVES, 8);
  orders(3, 8, 1, 3, GROWTH, 8);
}

/* Cells whose bits differ from those of a run of this rank alone. */
static void ranks(int dim, int level, int jumps, int kind) {
  const oak_elliptic_options_t options = {.tolerance = 1e-9, .most_cycles = 30, .full = 1};
  oak_elliptic_report_t r[2];
  case_t c[2];
  int different = 0;
  for (int i = 0; i < 2; i++) {
    c[i] = case_new(i ? MPI_COMM_WORLD : MPI_COMM_SELF, dim, 8, level, jumps, 0, kind);
    MUST(oak_elliptic_solve(c[i].e, &options, &r[i]));
  }
  double *one = download(&c[0], oak_elliptic_top(c[0].e)->u.memory.mine);
  double *all = download(&c[1], oak_elliptic_top(c[1].e)->u.memory.mine);
  const size_t n = (size_t)oak_nblocks(c[1].s.sim) * c[1].s.cells;
  const size_t first = (size_t)c[1].s.sim->data.mesh->first * c[1].s.cells;
  for (size_t i = 0; i < n; i++) different += memcmp(&one[first + i], &all[i], sizeof *one) != 0;
  different += r[0].cycles != r[1].cycles || r[0].residual[1] != r[1].residual[1];
  free(one);
  free(all);
  for (int i = 0; i < 2; i++) case_free(&c[i]);
  different = sum_ranks_int(MPI_COMM_WORLD, different);
  report("%dD, levels %d to %d: %d cells differ from those of one rank", dim, level, level + jumps,
         different);
  assert_int_equal(different, 0);
}

static void test_ranks(void **state) {
  (void)state;
  ranks(2, 2, 3, WAVES);
  ranks(3, 1, 2, GROWTH);
  ranks(3, 0, 0, GROWTH);
}

/* Kernels for GPUs and CPUs add in another order, so the last digits differ. A GPU may do a few
 * more cycles, since the host does not wait for each one. */
static void compare(int dim, int n, int level, int jumps, int kind) {
  const oak_elliptic_options_t options = {.tolerance = 1e-9, .most_cycles = 30, .full = 1};
  oak_elliptic_report_t r[2];
  double *u[2], most = 0, scale = 0, apart = 0;
  size_t cells = 0;
  for (int i = 0; i < 2; i++) {
    device = i ? "" : "device.name=cpu\n";
    case_t c = case_new(MPI_COMM_WORLD, dim, n, level, jumps, 0, kind);
    MUST(oak_elliptic_solve(c.e, &options, &r[i]));
    u[i] = download(&c, oak_elliptic_top(c.e)->u.memory.mine);
    cells = (size_t)oak_nblocks(c.s.sim) * c.s.cells;
    case_free(&c);
  }
  for (size_t i = 0; i < cells; i++) {
    most = worse(most, fabs(u[0][i] - u[1][i]));
    scale = fmax(scale, fabs(u[0][i]));
  }
  for (int i = 0; i < 2; i++) free(u[i]);
  const int cycles = r[0].cycles < r[1].cycles ? r[0].cycles : r[1].cycles;
  for (int k = 0; k <= cycles; k++)
    apart = worse(apart, fabs(r[0].residual[k] - r[1].residual[k]) / r[0].residual[0]);
  report(
      "%dD, blocks of %d: %d and %d cycles, residuals differ by %.1e of the first one, solutions "
      "by %.1e of %.1f",
      dim, n, r[0].cycles, r[1].cycles, apart, most, scale);
  assert_true(cycles >= 3 && apart <= 1e-11 && most <= 1e-8 * scale);
}

/* In 3D, a thread has several cells of a tile of 16^3; a block of 20^3 is more than a tile. */
static void test_devices(void **state) {
  (void)state;
  const char *name = getenv("OAK_TEST_DEVICE");
  if (!name || !name[0] || !strcmp(name, "cpu")) SKIP_CASE("OAK_TEST_DEVICE names no device");
  compare(3, 16, 1, 1, GROWTH);
  if (!test_short()) compare(2, 8, 2, 2, GROWTH);
  if (!test_short()) compare(3, 20, 1, 0, GROWTH);
}

/* Coarse levels that one rank has alone need fewer messages, and give the same bits. */
static void test_gathered(void **state) {
  (void)state;
  const int cells[] = {1, 64, 1024, 1 << 20}, level[] = {-1, 0, 2, 3};
  uint64_t meetings[4];
  if (test_size == 1) SKIP_CASE("needs several ranks");
  for (int i = 0; i < 4; i++) {
    gather_cells = cells[i];
    ranks(2, 2, 3, GROWTH);
    ranks(3, 1, 1, WAVES);
    case_t c = case_new(MPI_COMM_WORLD, 2, 8, 4, 0, 0, WAVES);
    MUST(oak_elliptic_cycle(c.e, 4, 0));
    const uint64_t before = c.s.sim->data.transport.peers.sequence;
    MUST(oak_elliptic_cycle(c.e, 4, 0));
    meetings[i] = c.s.sim->data.transport.peers.sequence - before;
    report(
        "2D, 128^2 cells, levels of at most %d cells on each of %d ranks: from level %d on, %d "
        "meetings of a V-cycle, %.1f KB of the device",
        cells[i], test_size, c.e->gather.level, (int)meetings[i],
        1e-3 * (double)oak_elliptic_bytes(c.e));
    assert_int_equal(c.e->gather.level, level[i]);
    case_free(&c);
    if (i > 0) assert_true(meetings[i] <= meetings[i - 1]);
    if (i == 3 && meetings[0]) assert_true(meetings[3] * 3 < meetings[0]);
  }
  gather_cells = 0;
}

int main(int argc, char **argv) {
  const struct CMUnitTest devices[] = {cmocka_unit_test(test_devices)};
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_uniform), cmocka_unit_test(test_adaptive), cmocka_unit_test(test_ranks),
      cmocka_unit_test(test_gathered), cmocka_unit_test(test_devices)};
  return test_short() ? TEST_MAIN(devices) : TEST_MAIN(tests);
}
