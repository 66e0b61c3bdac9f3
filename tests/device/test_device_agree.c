/* SPDX-License-Identifier: GPL-2.0-or-later
 * Two devices give the same mesh bit for bit, and states and totals that differ by rounding only.
 *
 * $OAK_TEST_DEVICES, such as "cpu cuda", names devices; each is compared with the first. If it is
 * unset, all usable devices are compared with cpu. cpu is always compared with itself: with
 * another number of threads, which gives the same bits, and without contraction of a * b + c,
 * which rounds differently, as another device does. $OAK_TEST_LARGE: larger blocks in 3D.
 * $OAK_TEST_LONG: more steps. With either, also cases that differ from others by their scheme. */
// TEST np={1,2} timeout=600 flags=@OAK_GCC_HOST@
// TEST name=@test@_fake_np2 np=2 flags=default needs=fake "OAK_TEST_DEVICES=cpu cuda"
// TEST name=long_@test@_fake_hip_lanes_32_np1 suite=long needs=lanes "OAK_TEST_DEVICES=cpu hip" "OAK_FAKE_CUDA=lanes=1 wave=32"
// TEST name=long_@test@_fake_hip_lanes_64_np1 suite=long needs=lanes "OAK_TEST_DEVICES=cpu hip" "OAK_FAKE_CUDA=lanes=1 wave=64"
// TEST name=long_@test@_fake_lanes_np1 suite=long needs=lanes "OAK_TEST_DEVICES=cpu cuda" OAK_FAKE_CUDA=lanes=1
// TEST name=long_@test@ suite=long OAK_TEST_LONG=1
#include "solver_test.h"

/* The bound on states: 2 units in the last place of the largest value in each stage, as if all
 * errors had the same sign. Measured: 5 to 104 units in the 200 or 300 stages of 100 steps. Such a
 * bound exists because the schemes damp disturbances, or move them with a shock; rounding errors
 * add up and do not grow. In unstable flow, such as a shear layer, they would. */
static const double units_of_a_stage = 2;
/* Totals are exact sums of values that each stage rounds to either side. */
static const double units_of_totals = 20;

static int steps(void) { return test_long() ? 100 : 40; }

typedef struct {
  const char *name, *keys;
  int stages, periodic;
} case_t;

#define AMR                                                                            \
  "physics.name=euler\nrefine.criterion=lohner\nrefine.variable=rho E\nmesh.theta=1\n" \
  "mesh.block_size=8\nmesh.min_level=1\n"
#define WAVES           \
  TEST_PROBLEM("waves") \
  AMR "problem.amplitude=0.02\nrefine.c_refine=0.2\nrefine.c_derefine=0.1\n"
#define CUBE                                                           \
  WAVES                                                                \
  "mesh.dim=3\nmesh.max_level=3\nproblem.heat=5\nproblem.radius=0.1\n" \
  "refine.c_refine=0.4\nrefine.c_derefine=0.2\n"
/* One variable: GPUs compute its fluxes in the other form. */
#define BLOB                                                                             \
  "physics.name=advection\nproblem.name=advection\nphysics.vy=-0.5\nproblem.edge=0.02\n" \
  "refine.criterion=lohner\nrefine.variable=rho\nrefine.c_refine=0.3\nrefine.c_derefine=0.1\n"
#define WALLS                                                                                 \
  "problem.name=implosion\nmesh.xmax=0.3\n" AMR                                               \
  "boundary.xlow=reflect\n"                                                                   \
  "boundary.xhigh=reflect\nboundary.ylow=reflect\nboundary.yhigh=reflect\nproblem.side=0.1\n" \
  "refine.c_refine=0.2\nrefine.c_derefine=0.1\n"

static const case_t cases[] = {
    {"2D waves, van Leer", WAVES "mesh.max_level=4\n", 2, 1},
    {"2D waves, WENO5, ssprk33",
     WAVES "mesh.max_level=4\nscheme.limiter=weno5\nscheme.ghost_layers=3\nscheme.flux=hllc\n"
           "scheme.integrator=ssprk33\n",
     3, 1},
    {"2D implosion, Roe", WALLS "mesh.max_level=5\nscheme.flux=roe\nscheme.limiter=minmod\n", 2, 0},
    {"2D waves, single precision, blocks of 16",
     WAVES "mesh.max_level=4\nmesh.block_size=16\nscheme.precision=single\n", 2, 1},
    {"3D waves, van Leer", CUBE "mesh.block_size=4\n", 2, 1},
    {"3D waves, WENO5", CUBE "mesh.block_size=6\nscheme.limiter=weno5\nscheme.ghost_layers=3\n", 2,
     1},
    {"2D advection, van Leer", BLOB "mesh.block_size=8\nmesh.min_level=1\nmesh.max_level=5\n", 2,
     1},
};

/** In 3D a CPU takes minutes with blocks of the usual size, seconds with the smallest. */
static const char *block_size(const case_t *c) {
  const int large = getenv("OAK_TEST_LARGE") && strstr(c->keys, "mesh.dim=3");
  return large ? "mesh.block_size=8\n" : "";
}

/** Ranks change nothing (test_solver_ranks): with several, one case in 2D and one in 3D. */
static int taken(const case_t *c, int few) {
  if (few) return c == &cases[0] || c == &cases[4];
  return !strstr(c->keys, "scheme.limiter") || test_long() || getenv("OAK_TEST_LARGE");
}

/** A device and what its kernels are compiled with. */
typedef struct {
  const char *label, *keys;
} setting_t;

static const setting_t cpu = {"cpu", "device.name=cpu\n"};
static const setting_t threads = {"cpu with 2 threads", "device.name=cpu\ndevice.threads=2\n"};
/* GCC contracts only in a pass that -O1 leaves out. */
static const setting_t fused = {
    "cpu with contraction",
    "device.name=cpu\ndevice.flags=-O1 -ffp-contract=fast -fexpensive-optimizations\n"};
/* The flux kernel's other form, with both of its ways through a block. */
static const setting_t cells = {"cpu cell by cell",
                                "device.name=cpu\ndevice.flags=-O1 -DOAK_CELL_LOOPS=1\n"};
static const setting_t columns = {
    "cpu by columns", "device.name=cpu\ndevice.flags=-O1 -DOAK_CELL_LOOPS=1 -DOAK_WALK_CELLS=3\n"};

/** Blocks of this rank that differ in place or level. */
static int other_blocks(const sim_t *a, const sim_t *b) {
  const int n = oak_nblocks(a->sim);
  int differ = abs(n - oak_nblocks(b->sim));
  for (int k = 0; k < n && !differ; k++) {
    double at[2][3] = {{0}}, dx[2][3] = {{0}};
    oak_block_geometry(a->sim, k, at[0], dx[0]);
    oak_block_geometry(b->sim, k, at[1], dx[1]);
    differ += memcmp(at[0], at[1], sizeof at[0]) != 0 || memcmp(dx[0], dx[1], sizeof dx[0]) != 0 ||
              oak_block_level(a->sim, k) != oak_block_level(b->sim, k);
  }
  return (int)sum_ranks_int(a->comm, differ);
}

/** Largest difference of a variable over its largest value, the worst of all variables. The meshes
 * are the same. Momenta share a scale, since one of them may be zero. */
static double difference(const sim_t *a, const sim_t *b) {
  double most[TEST_MAX_NVAR], scale[TEST_MAX_NVAR], momentum = 0, result = 0;
  for (int v = 0; v < a->nvar; v++) {
    double *x = sim_read(a, v), *y = sim_read(b, v);
    most[v] = scale[v] = 0;
    for (int c = 0; c < oak_nblocks(a->sim) * a->cells; c++) {
      most[v] = worse(most[v], fabs(x[c] - y[c]));
      scale[v] = worse(scale[v], fabs(x[c]));
    }
    most[v] = max_ranks(a->comm, most[v]);
    scale[v] = max_ranks(a->comm, scale[v]);
    if (v > 0 && v <= a->dim) momentum = fmax(momentum, scale[v]);
    free(x);
    free(y);
  }
  for (int v = 0; v < a->nvar; v++)
    result = worse(result, most[v] / (v > 0 && v <= a->dim ? momentum : scale[v]));
  return result;
}

/** Changes of the totals, relative to the largest. Walls exert forces, so not all are conserved. */
static double change(int nvar, const double *from, const double *to) {
  double most = 0, scale = 0;
  for (int v = 0; v < nvar; v++) {
    most = worse(most, fabs(to[v] - from[v]));
    scale = fmax(scale, fabs(from[v]));
  }
  return most / scale;
}

typedef struct {
  double states, steps; /* largest differences relative to the largest value */
  double totals, drift; /* between the devices; from the start, on the second */
  int meshes, changes;  /* adaptations after which the meshes differ; that changed them */
  int blocks;
} outcome_t;

/** Run a case with both settings at the same time. Both use the time step of the first setting. */
static outcome_t compare(const case_t *c, const setting_t *first, const setting_t *second) {
  static const char format[] = "%s%sdevice.flags=-O1\n%s";
  sim_t s[2] = {sim_new(MPI_COMM_WORLD, format, c->keys, block_size(c), first->keys),
                sim_new(MPI_COMM_WORLD, format, c->keys, block_size(c), second->keys)};
  double start[TEST_MAX_NVAR], total[2][TEST_MAX_NVAR];
  outcome_t out = {0};
  for (int k = 0; k < 2; k++) MUST(oak_initialize(s[k].sim));
  MUST(oak_totals(s[1].sim, start));
  out.meshes = other_blocks(&s[0], &s[1]) > 0;
  for (int step = 1; step <= steps() && !out.meshes; step++) {
    const double dt = oak_time_step(s[0].sim);
    int changed[2] = {0, 0};
    out.steps = worse(out.steps, fabs(oak_time_step(s[1].sim) - dt) / dt);
    for (int k = 0; k < 2; k++) MUST(oak_advance(s[k].sim, dt));
    if (step % 2) continue;
    for (int k = 0; k < 2; k++) MUST(oak_adjust_refinement(s[k].sim, &changed[k]));
    out.meshes += changed[0] != changed[1] || other_blocks(&s[0], &s[1]) > 0;
    out.changes += changed[0];
  }
  for (int k = 0; k < 2; k++) MUST(oak_totals(s[k].sim, total[k]));
  if (!out.meshes) out.states = difference(&s[0], &s[1]);
  out.totals = change(s[0].nvar, total[0], total[1]);
  out.drift = change(s[0].nvar, start, total[1]);
  out.blocks = (int)oak_nblocks_global(s[0].sim);
  for (int k = 0; k < 2; k++) sim_free(&s[k]);
  return out;
}

static void agree(const case_t *c, const setting_t *first, const setting_t *second, int bitwise) {
  const outcome_t o = compare(c, first, second);
  const double unit = strstr(c->keys, "single") ? 1.19e-7 : 2.22e-16;
  const double bound = bitwise ? 0 : units_of_a_stage * c->stages * steps() * unit;
  const double total_bound = bitwise ? 0 : units_of_totals * unit;
  report(
      "%s, %s and %s, %d steps to %d blocks, %d changes of the mesh: states differ by %.2g "
      "(bound %.2g), time steps by %.2g, totals by %.2g (bound %.2g), which drift by %.2g",
      c->name, first->label, second->label, steps(), o.blocks, o.changes, o.states, bound, o.steps,
      o.totals, total_bound, o.drift);
  assert_int_equal(o.meshes, 0);
  assert_true(o.changes > 1);
  assert_true(o.states <= bound);
  assert_true(o.steps <= bound);
  assert_true(o.totals <= total_bound);
  if (c->periodic) assert_true(o.drift <= units_of_totals * unit);
}

/** Is it there? A reason on rank 0 if not. */
static int usable(const char *name) {
  oak_device_t *dev;
  if (oak_device_open(MPI_COMM_WORLD, name, NULL, &dev) == OAK_OK) {
    oak_device_close(&dev);
    return 1;
  }
  test_say_skipped(name, oak_last_error());
  return 0;
}

static void compare_all(const char *first, const char *second) {
  char keys[2][80];
  const setting_t a = {first, keys[0]}, b = {second, keys[1]};
  snprintf(keys[0], sizeof keys[0], "device.name=%s\n", first);
  snprintf(keys[1], sizeof keys[1], "device.name=%s\n", second);
  const int few = test_size > 1 && !getenv("OAK_TEST_DEVICES");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    if (taken(&cases[i], few)) agree(&cases[i], &a, &b, 0);
}

static void test_devices(void **state) {
  (void)state;
  const char *value = getenv("OAK_TEST_DEVICES");
  char names[256], *next = names;
  snprintf(names, sizeof names, "%s", value ? value : "");
  const char *first = strtok_r(names, " ", &next), *name;
  int compared = 0;
  for (; first && (name = strtok_r(NULL, " ", &next)); compared++) compare_all(first, name);
  for (int i = 0; !first && oak_device_known(i); i++) {
    name = oak_device_known(i)->name;
    if (strcmp(name, "cpu") == 0 || !usable(name)) continue;
    compare_all("cpu", name);
    compared++;
  }
  if (!compared) SKIP_CASE("no device to compare with cpu");
}

/** One simulation ends while another of the same device goes on. */
static void test_end(void **state) {
  (void)state;
  for (int i = 0; oak_device_known(i); i++) {
    const char *name = oak_device_known(i)->name;
    if (!usable(name)) continue;
    sim_t a = sim_new(MPI_COMM_WORLD, "%sdevice.flags=-O1\ndevice.name=%s\n", cases[0].keys, name);
    sim_t b = sim_new(MPI_COMM_WORLD, "%sdevice.flags=-O1\ndevice.name=%s\n", cases[0].keys, name);
    sim_free(&b);
    MUST(oak_initialize(a.sim));
    MUST(oak_advance(a.sim, oak_time_step(a.sim)));
    sim_free(&a);
  }
}

static void test_threads(void **state) {
  (void)state;
  agree(&cases[0], &cpu, &threads, 1);
}

/** The bound is large enough for other rounding and too small for other numerics. */
static void test_rounding(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    if (taken(&cases[i], test_size > 1)) agree(&cases[i], &cpu, &fused, 0);
}

/** Kernel forms that differ between devices differ by rounding, and keep the same fluxes where
 * levels meet. test_scheme compares their bits on one level. */
static void test_forms(void **state) {
  (void)state;
  agree(&cases[4], &cpu, &cells, 0);
  if (test_size == 1) agree(&cases[4], &cpu, &columns, 0);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_threads),
                                     cmocka_unit_test(test_rounding), cmocka_unit_test(test_forms),
                                     cmocka_unit_test(test_devices), cmocka_unit_test(test_end)};
  return TEST_MAIN(tests);
}
