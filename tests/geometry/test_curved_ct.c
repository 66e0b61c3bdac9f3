/* SPDX-License-Identifier: GPL-2.0-or-later
 * Constrained transport (physics mhd_ct) in curved coordinates: div B at rounding while the mesh
 * adapts, with the same bits on any number of ranks and after a restart; a uniform wind along a
 * uniform field; a pinch and a torus at rest; fields that diffuse beside conductors. */
// TEST np={1,3} timeout=600 flags=-O1
#include "mhd_test.h"

#define CURVED "physics.name=mhd_ct\nmesh.block_size=8\nmesh.theta=1\n"
#define USER "boundary.xlow=user\nboundary.xhigh=user\nboundary.ylow=user\nboundary.yhigh=user\n"
#define RADIAL "boundary.xlow=reflect\nboundary.xhigh=reflect\n"

enum { RHO, MX, ENE = 4, BX, NVAR = 8 };

/** A part of the domain away from the axis, and one as large as possible. */
typedef struct {
  const char *name, *keys, *part, *whole;
  int dim;
} system_t;

#define LOG "mesh.radius=logarithmic\n"
static const system_t systems[] = {
    {"(r, z)", "mesh.coordinates=axisymmetric\n", "mesh.xmin=0.5 0.2\nmesh.xmax=1.5 1.2\n" USER,
     "mesh.xmin=0 0\nmesh.xmax=1 1\nproblem.inner=0\nproblem.outer=1\nboundary.xhigh=reflect\n", 2},
    {"polar", "mesh.coordinates=polar\n", "mesh.xmin=0.5 0.2\nmesh.xmax=1.5 1.2\n" USER,
     "mesh.xmin=0.25 0\nmesh.xmax=1.25 2pi\nmesh.trees=1 4\n" RADIAL, 2},
    {"spherical 2D", "mesh.coordinates=spherical\n", "mesh.xmin=0.5 0.4\nmesh.xmax=1.5 1.4\n" USER,
     "mesh.xmin=0.25 0\nmesh.xmax=1.25 pi\nmesh.trees=1 2\n" RADIAL, 2},
    {"cylindrical", "mesh.dim=3\nmesh.coordinates=cylindrical\n",
     "mesh.xmin=0.5 0.2 0\nmesh.xmax=1.5 1.2 1\nboundary.zlow=user\nboundary.zhigh=user\n" USER,
     "mesh.xmin=0.25 0 0\nmesh.xmax=1.25 2pi 1\nmesh.trees=1 2 1\n" RADIAL, 3},
    {"spherical", "mesh.dim=3\nmesh.coordinates=spherical\n",
     "mesh.xmin=0.5 0.4 0.2\nmesh.xmax=1.5 1.2 1\nboundary.zlow=user\nboundary.zhigh=user\n" USER,
     "problem.inner=0.2\nproblem.outer=1.2\nmesh.xmin=0.2 0.5 0\nmesh.xmax=1.2 pi/1.5 "
     "2pi\nmesh.trees=1 1 2\n"
     "boundary.ylow=reflect\nboundary.yhigh=reflect\n" RADIAL,
     3},
    {"polar, ln r", "mesh.coordinates=polar\n" LOG, "mesh.xmin=0.5 0.2\nmesh.xmax=1.5 1.2\n" USER,
     "problem.inner=1\nproblem.outer=4\nmesh.xmin=1 0\nmesh.xmax=4 2pi\nmesh.trees=1 4\n" RADIAL,
     2},
    {"spherical 2D, ln r", "mesh.coordinates=spherical\n" LOG,
     "mesh.xmin=0.5 0.4\nmesh.xmax=1.5 1.4\n" USER,
     "problem.inner=2\nproblem.outer=8\nmesh.xmin=2 0\nmesh.xmax=8 pi\nmesh.trees=1 2\n" RADIAL,
     2}};
enum { NSYSTEMS = sizeof systems / sizeof *systems };

/** The largest `divb`, h |div B| / |B| in a cell. */
static double worst_div(const sim_t *s) {
  const int n = oak_nblocks(s->sim) * s->cells;
  double most = 0, *u = malloc(((size_t)n + 1) * sizeof *u);
  if (!u) abort();
  MUST(oak_read_variable(s->sim, "divb", oak_nblocks(s->sim), u));
  for (int i = 0; i < n; i++) most = worse(most, fabs(u[i]));
  free(u);
  return max_ranks(s->comm, most);
}

/* Every second system has resistivity. */
static sim_t waves_new(MPI_Comm comm, const system_t *c) {
  return sim_new(comm, CURVED TEST_PROBLEM("curved") "%s%sproblem.flow=rings\nmesh.max_level=2\n%s",
                 c->keys, c->whole,
                 (c - systems) % 2 ? "" : "physics.resistivity=1e-3\nphysics.ambipolar=1e-3\n");
}

/* The mesh is refined and coarsened every four steps. */
static void advance(sim_t *s, int steps) {
  for (int n = 0; n < steps; n++) {
    MUST(oak_advance(s->sim, oak_time_step(s->sim)));
    if (oak_step(s->sim) % 4 == 0) MUST(oak_adjust_refinement(s->sim, NULL));
  }
}

static void test_divergence(void **state) {
  (void)state;
  const char *path = test_new_file();
  for (int n = 0; n < NSYSTEMS; n += test_stride(NSYSTEMS)) {
    const system_t *c = &systems[n];
    const int steps = c->dim == 2 ? 60 : 12;
    double before[TEST_MAX_NVAR], after[TEST_MAX_NVAR];
    int low, high;
    sim_t s = waves_new(MPI_COMM_WORLD, c);
    MUST(oak_initialize(s.sim));
    const double start = worst_div(&s);
    MUST(oak_totals(s.sim, before));
    advance(&s, steps / 2);
    MUST(oak_write_checkpoint(s.sim, path));
    advance(&s, steps / 2);
    MUST(oak_totals(s.sim, after));
    sim_levels(&s, &low, &high);
    const double div = worst_div(&s), mass = after[RHO] / before[RHO] - 1;
    const double energy = after[ENE] / before[ENE] - 1;
    report("%s: levels %d to %d, divb %.1e, %.1e; mass to %.1e, energy to %.1e", c->name, low, high,
           start, div, mass, energy);
    const uint64_t hash = hash_of(&s);
    sim_free(&s);
    assert_true(start < 1e-13 && div < 1e-12);
    assert_true(fabs(mass) < 1e-14 && fabs(energy) < 1e-14);
    s = waves_new(MPI_COMM_SELF, c);
    MUST(oak_read_checkpoint(s.sim, path));
    advance(&s, steps / 2);
    assert_true(hash_of(&s) == hash);
    sim_free(&s);
    test_remove(path);
  }
}

/** Mean errors of density, of all components of the velocity, and of those of the field, with
 * weights by the radius. */
static void errors(sim_t *s, double error[3]) {
  static const int first[3] = {RHO, MX, BX}, count[3] = {1, 3, 3};
  const int n = oak_nblocks(s->sim) * s->cells;
  double *u[NVAR], *weight = malloc(((size_t)n + 1) * sizeof *weight), sum = 0, x[3];
  if (!weight) abort();
  for (int v = 0; v < NVAR; v++) u[v] = sim_read(s, s->nvar + v);
  MUST(oak_set_initial(s->sim));
  for (int i = 0; i < n; i++) {
    sim_center(s, i / s->cells, i % s->cells, x);
    weight[i] = x[0] * sim_volume(s, i / s->cells);
    sum += weight[i];
  }
  sum = sum_ranks(s->comm, sum);
  for (int k = 0; k < 3; k++) {
    error[k] = 0;
    for (int v = first[k]; v < first[k] + count[k]; v++) {
      double *is = sim_read(s, s->nvar + v);
      for (int i = 0; i < n; i++) error[k] += weight[i] / sum * fabs(u[v][i] - is[i]);
      free(is);
    }
    error[k] = sum_ranks(s->comm, error[k]);
  }
  for (int v = 0; v < NVAR; v++) free(u[v]);
  free(weight);
}

/** Errors on two meshes, with blocks of `level` or more, decrease with the square of the size of
 * cells or are `small`. */
static void check_order(const char *name, int level, int fine, double end, double small,
                        const char *keys) {
  double error[2][3], order[3];
  for (int i = 0; i < 2; i++) {
    sim_t s = sim_new(MPI_COMM_WORLD, CURVED "%smesh.min_level=%d\nmesh.max_level=%d\n", keys,
                      level + i, level + i + fine);
    MUST(oak_initialize(s.sim));
    sim_run(&s, end, 0);
    assert_true(worst_div(&s) < 1e-12);
    errors(&s, error[i]);
    sim_free(&s);
  }
  for (int v = 0; v < 3; v++) order[v] = log2(error[0][v] / error[1][v]);
  report("%s, %d levels: errors %.1e %.1e %.1e, orders %.2f %.2f %.2f", name, 1 + fine, error[1][0],
         error[1][1], error[1][2], order[0], order[1], order[2]);
  for (int v = 0; v < 3; v++) assert_true(error[1][v] < small || order[v] > 1.7);
}

static void check_flow(const system_t *c, const char *flow, int fine, int finer) {
  char name[64], keys[1024];
  snprintf(name, sizeof name, "%s, %.*s", c->name, (int)strcspn(flow, "\n"), flow);
  snprintf(keys, sizeof keys, TEST_PROBLEM("curved") "%s%sproblem.flow=%s\nproblem.fine=%g\n",
           c->keys, c->part, flow, fine * (strstr(c->keys, LOG) ? sqrt(0.75) : 1.0));
  check_order(name, finer + (c->dim == 2 ? 2 : 1), fine, c->dim == 3 ? 0.04 : 0.1, 1e-8, keys);
}

static void test_order(void **state) {
  (void)state;
  if (test_size > 1) return;
  for (int n = 0; n < NSYSTEMS; n += test_stride(NSYSTEMS)) {
    if (!strcmp(systems[n].name, "spherical 2D, ln r")) continue; /* as spherical and polar */
    check_flow(&systems[n], "wind", 0, 0);
    if (systems[n].dim == 2) check_flow(&systems[n], "wind", 1, 1);
    if (systems[n].dim == 2) check_flow(&systems[n], "rotation", 0, 0);
  }
}

#define PINCH TEST_PROBLEM("pinch") "boundary.xhigh=user\nboundary.ylow=user\nboundary.yhigh=user\n"
#define TORUS TEST_PROBLEM("torus") USER
#define RZ TORUS "mesh.coordinates=axisymmetric\nmesh.xmin=0.6 -0.4\nmesh.xmax=1.4 0.4\n"
#define SPHERICAL TORUS "mesh.coordinates=spherical\nmesh.xmin=0.6 1.1\nmesh.xmax=1.4 1.9\n"

/** The flux of a field in (r, z) through the plane z = 0 over 2 pi, and that of its absolute value.
 */
static void plane_flux(const sim_t *s, double flux[2]) {
  const int n = oak_nblocks(s->sim) * s->cells;
  double sum[2] = {0, 0}, x[3], origin[3], dx[3], *u = malloc(((size_t)n + 1) * sizeof *u);
  if (!u) abort();
  MUST(oak_read_variable(s->sim, "by_face", oak_nblocks(s->sim), u));
  for (int i = 0; i < n; i++) {
    oak_block_geometry(s->sim, i / s->cells, origin, dx);
    sim_center(s, i / s->cells, i % s->cells, x);
    if (fabs(x[1] - 0.5 * dx[1]) < 1e-12)
      sum[0] += u[i] * x[0] * dx[0], sum[1] += fabs(u[i]) * x[0] * dx[0];
  }
  free(u);
  for (int k = 0; k < 2; k++) flux[k] = sum_ranks(s->comm, sum[k]);
}

/** Between walls a torus keeps its mass and the flux of its loop of field. */
static void check_torus(void) {
  double before[TEST_MAX_NVAR], after[TEST_MAX_NVAR], flux[2];
  sim_t s = sim_new(MPI_COMM_WORLD, CURVED RZ RADIAL
                    "boundary.ylow=reflect\nboundary.yhigh=reflect\nmesh.min_level=2\n"
                    "mesh.max_level=3\n");
  MUST(oak_initialize(s.sim));
  MUST(oak_totals(s.sim, before));
  sim_run(&s, 0.2, 0);
  MUST(oak_totals(s.sim, after));
  plane_flux(&s, flux);
  const double mass = fabs(after[RHO] / before[RHO] - 1);
  report("torus, walls: mass to %.1e, flux %.1e of %.1e", mass, flux[0], flux[1]);
  assert_true(mass < 1e-14);
  assert_true(flux[1] > 1e-5 && fabs(flux[0]) < 1e-13 * flux[1]);
  assert_true(worst_div(&s) < 1e-12);
  sim_free(&s);
}

/** What field, rotation and pressure hold stays at rest on two levels. */
static void test_rest(void **state) {
  (void)state;
  check_torus();
  if (test_size > 1) return;
  check_order("pinch, (r, z)", 1, 1, 0.2, 2e-5,
              PINCH "mesh.coordinates=axisymmetric\nmesh.xmin=0\nmesh.xmax=1\n");
  check_order("pinch, polar", 1, 1, 0.2, 2e-5,
              PINCH
              "mesh.coordinates=polar\nmesh.xmin=0.2 0\nmesh.xmax=1.2 1\n"
              "boundary.xlow=user\n");
  check_order("pinch, cylindrical", 1, 1, 0.04, 2e-5,
              PINCH
              "mesh.dim=3\nmesh.coordinates=cylindrical\nmesh.xmin=0.2 0 0\n"
              "mesh.xmax=1.2 1 1\nboundary.xlow=user\nboundary.zlow=user\n"
              "boundary.zhigh=user\n");
  for (int n = 0; n < 2; n++) {
    const char *keys = n ? "problem.toroidal=1\nproblem.loop=0\n" : "";
    char text[2][1024];
    snprintf(text[0], sizeof text[0], RZ "%s", keys);
    snprintf(text[1], sizeof text[1], SPHERICAL "%s", keys);
    check_order("torus, (r, z)", 2, 1, 0.2, 1e-8, text[0]);
    check_order("torus, spherical", 2, 1, 0.2, 1e-8, text[1]);
  }
}

/** A field without force decays by resistivity; ambipolar diffusion does not change it. */
static void test_decay(void **state) {
  (void)state;
  if (test_size > 1) return;
#define DECAY "decay\nphysics.resistivity=0.01\nphysics.ambipolar=2e3"
  for (int n = 0; n < NSYSTEMS; n += test_stride(NSYSTEMS)) {
    /* as spherical and polar, and as both cylindrical and polar with ln r */
    if (!strcmp(systems[n].name, "spherical 2D, ln r") || !strcmp(systems[n].name, "polar"))
      continue;
    const int flat = systems[n].dim == 2;
    check_flow(&systems[n], flat ? DECAY "\nscheme.diffusion=rkl2" : DECAY, flat, 0);
  }
}

/* ---- conductors */

enum { RINGS = 128 };

/** The field along z and phi between conductors at r = 1 and 2, on RINGS rings, after `time`. */
static void between_conductors(double time, double b[2][RINGS]) {
  const double h = 1.0 / RINGS, eta = 0.05, ambipolar = 0.05;
  const int steps = (int)ceil(time / (h * h));
  for (int n = 0; n < RINGS; n++) {
    const double r = 1 + (n + 0.5) * h;
    b[0][n] = 0.5 + 0.2 * cos(M_PI * (r - 1));
    b[1][n] = (0.8 + 0.3 * cos(M_PI * (r - 1))) / r;
  }
  for (int step = 0; step < steps; step++) {
    double e[2][RINGS + 1] = {{0}}; /* along phi, along z */
    for (int n = 1; n < RINGS; n++) {
      const double r = 1 + n * h;
      const double j_phi = (b[0][n - 1] - b[0][n]) / h;
      const double j_z = ((r + 0.5 * h) * b[1][n] - (r - 0.5 * h) * b[1][n - 1]) / (h * r);
      const double b_z = 0.5 * (b[0][n - 1] + b[0][n]), b_phi = 0.5 * (b[1][n - 1] + b[1][n]);
      const double along = b_z * j_z + b_phi * j_phi, field2 = b_z * b_z + b_phi * b_phi;
      e[0][n] = (eta + ambipolar * field2) * j_phi - ambipolar * along * b_phi;
      e[1][n] = (eta + ambipolar * field2) * j_z - ambipolar * along * b_z;
    }
    for (int n = 0; n < RINGS; n++) {
      const double r = 1 + (n + 0.5) * h, dt = time / steps;
      b[0][n] -= dt / (h * r) * ((r + 0.5 * h) * e[0][n + 1] - (r - 0.5 * h) * e[0][n]);
      b[1][n] += dt / h * (e[1][n + 1] - e[1][n]);
    }
  }
}

/** The largest error of the field between conductors. */
static double conductors_error(const char *keys, int level, int along_z, int around) {
  static double b[2][RINGS];
  double error = 0, x[3];
  const double end = 0.2;
  sim_t s = sim_new(MPI_COMM_WORLD,
                    CURVED TEST_PROBLEM("mhd_conductors") RADIAL
                    "physics.resistivity=0.05\nphysics.ambipolar=5e8\nscheme.flux=hll\n"
                    "mesh.min_level=%d\nmesh.max_level=%d\n%s",
                    level, level, keys);
  MUST(oak_initialize(s.sim));
  sim_run(&s, end, 0);
  between_conductors(end, b);
  for (int v = 0; v < 2; v++) {
    double *u = sim_read(&s, BX + (v ? around : along_z));
    for (int i = 0; i < oak_nblocks(s.sim) * s.cells; i++) {
      sim_center(&s, i / s.cells, i % s.cells, x);
      const int n = (int)lround((x[0] - 1) * RINGS); /* a cell ends between two rings */
      error = worse(error, fabs(u[i] - 0.5 * (b[v][n - 1] + b[v][n])));
    }
    free(u);
  }
  assert_true(worst_div(&s) < 1e-12);
  sim_free(&s);
  return max_ranks(MPI_COMM_WORLD, error);
}

/** Resistivity and ambipolar diffusion of a field that turns about r beside conductors. */
static void test_conductors(void **state) {
  (void)state;
  static const struct {
    const char *keys;
    int along_z, around;
  } cases[] = {{"mesh.coordinates=axisymmetric\nmesh.xmin=1 0\nmesh.xmax=2 1\n", 1, 2},
               {"mesh.dim=3\nmesh.block_size=8 4 4\nmesh.coordinates=cylindrical\n"
                "mesh.xmin=1 0 0\nmesh.xmax=2 2pi 1\n",
                2, 1}};
  if (test_size > 1) return;
  for (int n = 0; n < 2; n += test_stride(2)) {
    const double coarse = conductors_error(cases[n].keys, 1 - n, cases[n].along_z, cases[n].around);
    const double fine = conductors_error(cases[n].keys, 2 - n, cases[n].along_z, cases[n].around);
    report("conductors, %dD: errors %.2e, %.2e, order %.2f", n + 2, coarse, fine,
           log2(coarse / fine));
    assert_true(log2(coarse / fine) > 1.8);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_divergence), cmocka_unit_test(test_order), cmocka_unit_test(test_rest),
      cmocka_unit_test(test_decay), cmocka_unit_test(test_conductors)};
  return TEST_MAIN(tests);
}
