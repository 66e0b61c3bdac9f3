/* SPDX-License-Identifier: GPL-2.0-or-later
 * The solution has the same bits on any number of ranks and threads, while the mesh adapts and
 * blocks move between ranks. A fingerprint of all blocks, independent of their order and rank, is
 * compared with that of a run on rank 0 alone. */
// TEST np={1,2,3,4} timeout=300 flags=default
// TEST name=openacc_@test@_np2 np=2 suite=all needs=openacc OAK_TEST_SHORT=1 OAK_TEST_DEVICE=openacc flags="-O1 -foffload=disable"
// TEST name=@test@_staged_np@np@ np={2,3,4} OAK_TEST_TRANSPORT=staged
// TEST name=@test@_hosts_np4 np=4 OAK_TEST_RANKS_PER_HOST=2
// TEST name=@test@_fake_direct_np2 np=2 needs=fake OAK_TEST_SHORT=1 OAK_TEST_DEVICE=cuda OAK_TEST_TRANSPORT=direct OAK_FAKE_CUDA=count=8
// TEST name=@test@_fake_@way@_np2 np=2 suite=all needs=fake OAK_TEST_SHORT=1 OAK_TEST_DEVICE=cuda way={nccl,staged} OAK_FAKE_CUDA=count=8
// TEST name=@test@_fake_hip_@way@_np2 np=2 suite=all needs=fake OAK_TEST_SHORT=1 OAK_TEST_DEVICE=hip way={direct,nccl} OAK_FAKE_CUDA=count=8
// TEST name=long_@test@_fake_@way@_np2 np=2 suite=long needs=fake OAK_TEST_DEVICE=cuda way={direct,nccl,staged} OAK_FAKE_CUDA=count=8
// TEST name=long_@test@_np@np@ np={5,7,8,16} suite=long
// WRAP oak_device_launch: slows a rank down
#include <time.h>

#include "solver_test.h"

typedef struct {
  const char *name, *keys;
  int steps, adapt_every;
} case_t;

#define AMR_BY(variables)                                                   \
  "physics.name=euler\nrefine.criterion=lohner\nrefine.variable=" variables \
  "\n"                                                                      \
  "refine.c_refine=0.2\nrefine.c_derefine=0.1\nmesh.theta=1\n"
#define EULER_AMR AMR_BY("rho E")
#define WAVES TEST_PROBLEM("waves") AMR_BY("rho E mach")
/* Starts with one block, so the other ranks have none until the load is balanced. */
#define IMPLOSION                                                          \
  "problem.name=implosion\nmesh.xmax=0.3\nphysics.gamma=1.4\n" EULER_AMR   \
  "boundary.xlow=reflect\nboundary.xhigh=reflect\nboundary.ylow=reflect\n" \
  "boundary.yhigh=reflect\nboundary.zlow=reflect\nboundary.zhigh=reflect\nproblem.side=0.1\n"
#define TAYLOR                               \
  "problem.name=rayleigh_taylor\n" EULER_AMR \
  "boundary.ylow=reflect\nboundary.yhigh=reflect\nscheme.wave_speeds=roe\n" FAST
/* Cells that a stage leaves invalid, at every step. */
#define STREAMS           \
  TEST_PROBLEM("streams") \
  EULER_AMR               \
  "scheme.on_invalid=first_order\nscheme.flux=roe\nscheme.limiter=weno5\n" FAST
/* What the compiler makes of loops at -O3 must not depend on the rank either; but each kernel then
 * takes seconds to compile. Waves in 2D and in 3D have -O3, other cases less. */
#define FAST "device.flags=-O1\n"
#define SPHERE \
  "problem.name=advection\nphysics.name=advection\nrefine.criterion=lohner\nmesh.theta=1.5\n" FAST

/* Rings around an axis. */
#define RINGS                                                                             \
  TEST_PROBLEM("rings")                                                                   \
  EULER_AMR                                                                               \
  "mesh.coordinates=axisymmetric\nproblem.flow=waves\nmesh.xmin=0.1 0\nmesh.xmax=1.1 1\n" \
  "boundary.xlow=reflect\nboundary.xhigh=reflect\n" FAST

/* Other coordinates, on a mesh that changes all the time. */
#define CURVED                                                                        \
  TEST_PROBLEM("curved")                                                              \
  "physics.name=mhd\nproblem.flow=waves\nmesh.block_size=4\nscheme.limiter=vanleer\n" \
  "device.flags=-O1\nboundary.xlow=reflect\nboundary.xhigh=reflect\n"
#define SECTOR CURVED "mesh.coordinates=polar\nmesh.xmin=0.3 0\nmesh.xmax=1.3 2pi\nmesh.trees=1 4\n"
#define HALF_DISK CURVED "mesh.coordinates=spherical\nmesh.xmin=0\nmesh.xmax=1 pi\nmesh.trees=1 2\n"
#define SHELL                                                     \
  CURVED                                                          \
  "mesh.dim=3\nmesh.coordinates=spherical\nmesh.xmin=0.3 0.5 0\n" \
  "mesh.xmax=1 2 2pi\n"                                           \
  "mesh.trees=1 1 2\nboundary.ylow=reflect\nboundary.yhigh=reflect\n"

static const case_t cases[] = {
    {"waves", WAVES "mesh.block_size=8\nmesh.min_level=1\nmesh.max_level=4\n", 40, 2},
    {"waves, blocks of 6, buffer",
     WAVES "mesh.block_size=6\nmesh.min_level=1\nmesh.max_level=4\nrefine.buffer=2\n" FAST, 40, 2},
    {"waves, 4 ghost layers, minmod",
     WAVES "mesh.block_size=10\nmesh.trees=3 2\nmesh.xmax=1 2/3\nmesh.max_level=3\n"
           "scheme.ghost_layers=4\nscheme.limiter=minmod\n" FAST,
     20, 2},
    {"implosion", IMPLOSION FAST "mesh.block_size=8\nmesh.max_level=4\n", 40, 3},
    {"implosion, never balanced",
     IMPLOSION FAST "mesh.block_size=8\nmesh.max_level=4\nmesh.kappa_max=100\n", 40, 3},
    {"Rayleigh-Taylor, rarely balanced, blocks of 4",
     TAYLOR "mesh.block_size=4\nmesh.min_level=2\nmesh.max_level=5\nmesh.kappa_max=1.8\n", 40, 2},
    {"single precision",
     WAVES "mesh.block_size=6\nmesh.min_level=1\nmesh.max_level=4\n"
           "scheme.precision=single\n" FAST,
     40, 2},
    {"mixed precision",
     WAVES "mesh.block_size=6\nmesh.min_level=1\nmesh.max_level=4\n"
           "scheme.precision=mixed\n" FAST,
     20, 2},
    {"streams, first-order fluxes",
     STREAMS "mesh.block_size=8\nmesh.min_level=1\nmesh.max_level=4\n", 20, 2},
    {"streams, first-order fluxes and floors",
     STREAMS "mesh.block_size=6\nmesh.min_level=1\nmesh.max_level=3\nphysics.density_floor=0.1\n"
             "physics.pressure_floor=0.002\n",
     20, 2},
    {"waves, one block that is its own neighbour", WAVES "mesh.block_size=8\nmesh.max_level=0\n",
     10, 2},
    {"waves, a row of 5 trees, each its own neighbour in y",
     WAVES "mesh.block_size=8\nmesh.trees=5 1\nmesh.xmax=1 0.2\nmesh.max_level=2\n", 20, 2},
    {"rings", RINGS "mesh.block_size=6\nmesh.min_level=1\nmesh.max_level=4\n", 40, 2},
    {"viscous rings",
     RINGS "physics.name=navier_stokes\nphysics.nu=1e-3\nmesh.block_size=6\nmesh.min_level=1\n"
           "mesh.max_level=3\n",
     10, 2},
    {"polar", SECTOR "mesh.max_level=2\n", 12, 2},
    {"spherical", HALF_DISK "mesh.max_level=3\n", 12, 2},
    {"shells", SHELL "mesh.max_level=1\n", 8, 3},
    {"sphere", SPHERE "mesh.block_size=8\nmesh.max_level=4\n", 120, 2},
    {"3D implosion", IMPLOSION FAST "mesh.dim=3\nmesh.block_size=8\nmesh.max_level=2\n", 12, 2},
    {"3D waves, blocks of 6",
     WAVES
     "mesh.dim=3\nmesh.block_size=6\nmesh.min_level=1\nmesh.max_level=3\nproblem.amplitude=0.02\n",
     8, 2},
    {"3D waves, blocks of 6, never balanced",
     WAVES "mesh.dim=3\nmesh.block_size=6\nmesh.max_level=3\nmesh.kappa_max=100\nproblem.amplitude="
           "0.02\n",
     8, 2},
    {"3D waves, 1 x 1 x 3 trees",
     WAVES
     "mesh.dim=3\nmesh.block_size=6\nmesh.trees=1 1 3\nmesh.xmax=0.5 0.5 1.5\nmesh.max_level=2\n"
     "problem.amplitude=0.02\n",
     6, 2},
    {"3D streams, first-order fluxes, never balanced",
     STREAMS "mesh.dim=3\nmesh.block_size=6\nmesh.max_level=2\nmesh.kappa_max=100\n", 6, 2},
    {"3D sphere, 3 ghost layers",
     SPHERE
     "mesh.dim=3\nmesh.block_size=8\nmesh.min_level=1\nmesh.max_level=3\nscheme.ghost_layers=3\n",
     40, 2},
    {"fluxes in single precision",
     WAVES "mesh.block_size=6\nmesh.min_level=1\nmesh.max_level=4\n"
           "scheme.precision=single_fluxes\n" FAST,
     20, 2},
    /* A GPU works on tiles of so few blocks in parts; with the blocks of one of two ranks alone it
     * would choose others. */
    {"3D waves, few blocks of 16",
     WAVES FAST "mesh.dim=3\nmesh.min_level=2\nmesh.max_level=2\n"
                "mesh.block_size=16\n",
     3, 2},
};

/* One case for each kind of kernel: waves, mixed precision, floors, viscous rings, shells, waves in
 * 3D. */
static int in_short_test(size_t i) {
  return i == 0 || i == 7 || i == 9 || i == 15 || i == 18 || i == 23;
}

/** Results that must be the same in two runs. */
typedef struct {
  uint64_t solution, history;
  int64_t blocks;
} fingerprint_t;

static uint64_t mix(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
  return hash ^ hash >> 29;
}

static uint64_t mix_double(uint64_t hash, double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return mix(hash, bits);
}

/** Sum over all blocks of a hash of level, position and the bits of all variables. */
static uint64_t hash_solution(const sim_t *s) {
  const int n = oak_nblocks(s->sim);
  uint64_t *hash = calloc(n + 1, sizeof *hash), sum = 0;
  for (int b = 0; b < n; b++) {
    double origin[3], dx[3];
    oak_block_geometry(s->sim, b, origin, dx);
    hash[b] = mix(1, (uint64_t)oak_block_level(s->sim, b));
    for (int d = 0; d < s->dim; d++) hash[b] = mix_double(hash[b], origin[d]);
  }
  for (int v = 0; v < s->nvar; v++) {
    double *u = sim_read(s, v);
    for (int b = 0; b < n; b++)
      for (int c = 0; c < s->cells; c++) hash[b] = mix_double(hash[b], u[b * s->cells + c]);
    free(u);
  }
  for (int b = 0; b < n; b++) sum += hash[b];
  free(hash);
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, s->comm);
  return sum;
}

/** Blocks of the fullest rank over the mean. */
static double load(const sim_t *s) {
  int size;
  MPI_Comm_size(s->comm, &size);
  return max_ranks(s->comm, oak_nblocks(s->sim)) * size / (double)oak_nblocks_global(s->sim);
}

/* ---- launches of kernels */

static long launches;
oak_status_t __real_oak_device_launch(oak_device_t *dev, oak_kernel_t *kernel, long n,
                                      const void *args, size_t bytes);
oak_status_t __wrap_oak_device_launch(oak_device_t *dev, oak_kernel_t *kernel, long n,
                                      const void *args, size_t bytes);

oak_status_t __wrap_oak_device_launch(oak_device_t *dev, oak_kernel_t *kernel, long n,
                                      const void *args, size_t bytes) {
  launches++;
  return __real_oak_device_launch(dev, kernel, n, args, bytes);
}

/** Run a case; `imbalance` becomes the worst load that a step was done with. */
static fingerprint_t run(MPI_Comm comm, const case_t *c, int threads, double *imbalance) {
  fingerprint_t f = {.history = 1};
  double total[TEST_MAX_NVAR];
  sim_t s = sim_new(comm, "%sdevice.threads=%d\n", c->keys, threads);
  MUST(oak_initialize(s.sim));
  *imbalance = 0;
  while (oak_step(s.sim) < c->steps) {
    const double dt = oak_time_step(s.sim);
    *imbalance = fmax(*imbalance, load(&s));
    f.history = mix_double(f.history, dt);
    f.history = mix(f.history, (uint64_t)oak_nblocks_global(s.sim));
    MUST(oak_advance(s.sim, dt));
    if (oak_step(s.sim) % c->adapt_every == 0) MUST(oak_adjust_refinement(s.sim, NULL));
  }
  f.history = mix(f.history, (uint64_t)oak_first_order_cells(s.sim));
  f.history = mix(f.history, (uint64_t)oak_floored_cells(s.sim));
  MUST(oak_totals(s.sim, total));
  for (int v = 0; v < s.nvar; v++) f.history = mix_double(f.history, total[v]);
  f.solution = hash_solution(&s);
  f.blocks = oak_nblocks_global(s.sim);
  sim_free(&s);
  return f;
}

static void same_bits(const case_t *c, int threads) {
  double imbalance, unused;
  fingerprint_t alone = {0};
  if (test_rank == 0) alone = run(MPI_COMM_SELF, c, 1, &unused);
  MPI_Bcast(&alone, sizeof alone, MPI_BYTE, 0, MPI_COMM_WORLD);
  const fingerprint_t f = run(MPI_COMM_WORLD, c, threads, &imbalance);
  const int same =
      f.solution == alone.solution && f.history == alone.history && f.blocks == alone.blocks;
  report(
      "%s, %d thread%s, %d steps to %d blocks, load of the fullest rank up to %.2f times the mean: "
      "%s",
      c->name, threads, threads > 1 ? "s" : "", c->steps, (int)f.blocks, imbalance,
      same ? "the same bits" : "different");
  assert_true(f.blocks > 1 || strstr(c->keys, "max_level=0"));
  assert_int_equal(f.blocks, alone.blocks);
  assert_true(f.history == alone.history);
  assert_true(f.solution == alone.solution);
  if (strstr(c->keys, "kappa_max=100")) assert_true(imbalance > test_size - 0.01);
}

static void test_ranks(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    if ((test_short() && !in_short_test(i)) || !test_takes(cases[i].keys)) continue;
    if (test_size > 1) same_bits(&cases[i], 1);
    if (test_size == 1 || (test_size == 2 && i == 0)) same_bits(&cases[i], 2);
  }
}

/** The fingerprint itself: one bit of one value changes it. */
static void test_fingerprint(void **state) {
  (void)state;
  sim_t s = sim_new(MPI_COMM_WORLD, SPHERE "mesh.block_size=8\nmesh.max_level=2\n");
  MUST(oak_initialize(s.sim));
  const uint64_t before = hash_solution(&s);
  assert_true(hash_solution(&s) == before);
  if (oak_nblocks(s.sim) > 0 && test_rank == 0) {
    double *u = sim_read(&s, 0);
    u[5] = nextafter(u[5], 1);
    MUST(oak_write_cells(s.sim, 0, 0, 1, u));
    free(u);
  }
  assert_true(hash_solution(&s) != before);
  sim_free(&s);
}

/** A solution that a program writes: the time step is that of the same initial condition. If one
 * rank alone writes, the others do not wait. */
static void test_written(void **state) {
  (void)state;
  static const char keys[] = WAVES "mesh.block_size=8\nmesh.min_level=2\nmesh.max_level=3\n";
  int changed;
  sim_t s = sim_new(MPI_COMM_WORLD, "%s", keys), from = sim_new(MPI_COMM_WORLD, "%s", keys);
  const int n = oak_nblocks(s.sim);
  MUST(oak_set_initial(from.sim));
  MUST(oak_update_time_step(from.sim));
  for (int v = 0; v < s.nvar; v++) {
    double *u = sim_read(&from, v);
    MUST(oak_write_cells(s.sim, v, 0, n, u));
    free(u);
  }
  MUST(oak_update_time_step(s.sim));
  assert_true(oak_time_step(s.sim) > 0 && oak_time_step(s.sim) == oak_time_step(from.sim));
  assert_true(hash_solution(&s) == hash_solution(&from));
  if (test_rank == 0 && n) {
    double *u = sim_read(&s, 0);
    MUST(oak_write_cells(s.sim, 0, 0, n, u));
    free(u);
  }
  MUST(oak_adjust_refinement(s.sim, &changed));
  assert_true(changed);
  MUST(oak_advance(s.sim, oak_time_step(s.sim)));
  sim_free(&s);
  sim_free(&from);
}

/** A kernel of the program changes cells. The time step is computed when it is asked for, and is
 * that of a solution that was written. */
static void test_kernel(void **state) {
  (void)state;
  static const char keys[] = WAVES "mesh.block_size=8\nmesh.min_level=2\nmesh.max_level=3\n";
  const int energy = 3;
  struct {
    oak_field_t f;
    double factor;
  } args = {.factor = 4};
  char path[512];
  oak_kernel_t *kernel;
  sim_t s = sim_new(MPI_COMM_WORLD, "%s", keys), other = sim_new(MPI_COMM_WORLD, "%s", keys);
  const int n = oak_nblocks(s.sim);
  MUST(oak_set_initial(s.sim));
  MUST(oak_set_initial(other.sim));
  MUST(oak_update_time_step(s.sim));
  const double dt = oak_time_step(s.sim);
  launches = 0;
  MUST(oak_update_time_step(s.sim));
  assert_int_equal(launches, 0);
  assert_true(oak_time_step(s.sim) == dt);
  snprintf(path, sizeof path, "%s/kernels/heat.c", test_folder());
  MUST(oak_kernel_build(s.sim, path, "heat", &kernel));
  MUST(oak_kernel_run(s.sim, kernel, &args, sizeof args));
  MUST(oak_update_time_step(s.sim));
  double *u = sim_read(&other, energy);
  for (int i = 0; i < n * other.cells; i++) u[i] *= args.factor;
  MUST(oak_write_cells(other.sim, energy, 0, n, u));
  free(u);
  MUST(oak_update_time_step(other.sim));
  assert_true(oak_time_step(s.sim) < 0.75 * dt);
  assert_true(oak_time_step(s.sim) == oak_time_step(other.sim));
  assert_true(hash_solution(&s) == hash_solution(&other));
  sim_free(&s);
  sim_free(&other);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_fingerprint),
                                     cmocka_unit_test(test_ranks), cmocka_unit_test(test_written),
                                     cmocka_unit_test(test_kernel)};
  return TEST_MAIN(tests);
}
