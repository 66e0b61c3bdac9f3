/* SPDX-License-Identifier: GPL-2.0-or-later
 * Polar, cylindrical and spherical coordinates, and rotation in (r, z): a gas at rest stays at
 * rest, totals and angular momentum are conserved while the mesh adapts, exact solutions are
 * reached with second order, on meshes with two levels too; derived variables are what formulas
 * say. On several ranks, which change no bit of a solution (test_solver_ranks), only totals. */
// TEST np={1,3} timeout=600 flags=-O2
#include "solver_test.h"

#define CURVED TEST_PROBLEM("curved") "physics.name=mhd\nmesh.block_size=8\nmesh.theta=1\n"
#define USER "boundary.xlow=user\nboundary.xhigh=user\nboundary.ylow=user\nboundary.yhigh=user\n"
#define WALLS "boundary.xlow=reflect\nboundary.xhigh=reflect\n"

enum { RHO, MX, ENE = 4, BX, NVAR = 9 };

/** A system of coordinates with a domain away from r = 0 and the poles, and one as large as
 * possible, with conditions that conserve. Logarithmic radii of the latter begin with whole
 * numbers. */
typedef struct {
  const char *name, *keys, *part, *whole;
  int dim, phi, spherical; /* the component along phi */
  int logarithmic;         /* the radius */
} system_t;

#define LOG "mesh.radius=logarithmic\n"

static const system_t systems[] = {
    {"(r, z)", "mesh.coordinates=axisymmetric\n", "mesh.xmin=0.5 0.2\nmesh.xmax=1.5 1.2\n" USER,
     "mesh.xmin=0 0\nmesh.xmax=1 1\nboundary.xhigh=reflect\n", 2, 2, 0, 0},
    {"polar", "mesh.coordinates=polar\n", "mesh.xmin=0.5 0.2\nmesh.xmax=1.5 1.2\n" USER,
     "mesh.xmin=0.25 0\nmesh.xmax=1.25 2pi\nmesh.trees=1 4\n" WALLS, 2, 1, 0, 0},
    {"spherical 2D", "mesh.coordinates=spherical\n", "mesh.xmin=0.5 0.4\nmesh.xmax=1.5 1.4\n" USER,
     "mesh.xmin=0 0\nmesh.xmax=1 pi\nmesh.trees=1 2\nboundary.xhigh=reflect\n", 2, 2, 1, 0},
    {"cylindrical", "mesh.dim=3\nmesh.coordinates=cylindrical\n",
     "mesh.xmin=0.5 0.2 0\nmesh.xmax=1.5 1.2 1\nboundary.zlow=user\nboundary.zhigh=user\n" USER,
     "mesh.xmin=0.25 0 0\nmesh.xmax=1.25 2pi 1\nmesh.trees=1 2 1\n" WALLS, 3, 1, 0, 0},
    {"spherical", "mesh.dim=3\nmesh.coordinates=spherical\n",
     "mesh.xmin=0.5 0.4 0.2\nmesh.xmax=1.5 1.2 1\nboundary.zlow=user\nboundary.zhigh=user\n" USER,
     "mesh.xmin=0.2 0.5 0\nmesh.xmax=1.2 pi/1.5 2pi\nmesh.trees=1 1 2\n"
     "boundary.ylow=reflect\nboundary.yhigh=reflect\n" WALLS,
     3, 2, 1, 0},
    {"polar, ln r", "mesh.coordinates=polar\n" LOG, "mesh.xmin=0.5 0.2\nmesh.xmax=1.5 1.2\n" USER,
     "mesh.xmin=1 0\nmesh.xmax=4 2pi\nmesh.trees=1 4\n" WALLS, 2, 1, 0, 1},
    {"spherical 2D, ln r", "mesh.coordinates=spherical\n" LOG,
     "mesh.xmin=0.5 0.4\nmesh.xmax=1.5 1.4\n" USER,
     "mesh.xmin=2 0\nmesh.xmax=8 pi\nmesh.trees=1 2\n" WALLS, 2, 2, 1, 1},
    {"spherical, ln r", "mesh.dim=3\nmesh.coordinates=spherical\n" LOG,
     "mesh.xmin=0.5 0.4 0.2\nmesh.xmax=1.5 1.2 1\nboundary.zlow=user\nboundary.zhigh=user\n" USER,
     "mesh.xmin=1 0.5 0\nmesh.xmax=4 pi/1.5 2pi\nmesh.trees=1 1 2\n"
     "boundary.ylow=reflect\nboundary.yhigh=reflect\n" WALLS,
     3, 2, 1, 1}};
enum { NSYSTEMS = sizeof systems / sizeof *systems };

static sim_t curved_new(const system_t *c, const char *domain, const char *flow, int low, int high,
                        double fine) {
  return sim_new(MPI_COMM_WORLD,
                 CURVED
                 "%s%sproblem.flow=%s\nmesh.min_level=%d\nmesh.max_level=%d\n"
                 "problem.fine=%g\n",
                 c->keys, domain, flow, low, high, fine);
}

/** Volume of a cell by the formulas for whole rings and shells, and its distance from the axis; in
 * spherical coordinates r stands for 1 / the mean of 1 / r. */
static double volume(const system_t *c, const sim_t *s, int i, double *distance) {
  double x[3], origin[3], dx[3], v = sim_volume(s, i / s->cells);
  sim_center(s, i / s->cells, i % s->cells, x);
  oak_block_geometry(s->sim, i / s->cells, origin, dx);
  const double half = dx[0] / 2, grow = exp(half), n = c->spherical ? 3 : 2;
  const double low = c->logarithmic ? x[0] / grow : x[0] - half;
  const double high = c->logarithmic ? x[0] * grow : x[0] + half;
  *distance = c->spherical ? x[0] * sin(x[1]) : x[0];
  if (c->spherical && !c->logarithmic) *distance *= 1 + half * half / (3 * x[0] * x[0]);
  v *= (pow(high, n) - pow(low, n)) / (n * dx[0]);
  if (c->spherical) v *= (cos(x[1] - dx[1] / 2) - cos(x[1] + dx[1] / 2)) / dx[1];
  return c->dim == 2 && c->phi == 2 ? 2 * acos(-1) * v : v;
}

static double largest(const sim_t *s, int variable) {
  double *u = sim_read(s, variable), most = 0;
  for (int i = 0; i < oak_nblocks(s->sim) * s->cells; i++) most = worse(most, fabs(u[i]));
  free(u);
  return max_ranks(s->comm, most);
}

/* Pressure at faces of all areas, on two levels. */
static void test_rest(void **state) {
  (void)state;
  if (test_size > 1) return;
  for (int n = 0; n < NSYSTEMS; n += test_stride(NSYSTEMS)) {
    const system_t *c = &systems[n];
    sim_t s = curved_new(c, c->whole, "rest", 0, c->dim == 2 ? 2 : 1, c->logarithmic ? 2.4 : 0.6);
    double v = 0;
    MUST(oak_initialize(s.sim));
    for (int step = 0; step < 100; step++) MUST(oak_advance(s.sim, oak_time_step(s.sim)));
    for (int d = 0; d < 3; d++) v = fmax(v, largest(&s, s.nvar + MX + d));
    report("%s: at rest, largest velocity %.1e at time %.2f", c->name, v, oak_time(s.sim));
    assert_true(v < 1e-14);
    sim_free(&s);
  }
}

typedef struct {
  double total[NVAR], spin; /* of variables; of angular momentum */
} totals_t;

static totals_t totals(const system_t *c, const sim_t *s) {
  totals_t t = {{0}, 0};
  double *m = sim_read(s, MX + c->phi), *rho = sim_read(s, RHO), sum = 0, distance;
  MUST(oak_totals(s->sim, t.total));
  for (int b = 0; b < oak_nblocks(s->sim); b++) { /* sums of blocks round less */
    double block[2] = {0, 0};
    for (int i = b * s->cells; i < (b + 1) * s->cells; i++) {
      const double v = volume(c, s, i, &distance);
      block[0] += v * rho[i];
      block[1] += v * distance * m[i];
    }
    sum += block[0];
    t.spin += block[1];
  }
  free(m);
  free(rho);
  t.spin = sum_ranks(s->comm, t.spin);
  sum = sum_ranks(s->comm, sum);
  assert_true(fabs(sum / t.total[RHO] - 1) < 3e-14);
  return t;
}

/* On a mesh that is refined and coarsened every four steps. */
static void test_conservation(void **state) {
  (void)state;
  for (int n = 0; n < NSYSTEMS; n += test_stride(NSYSTEMS)) {
    const system_t *c = &systems[n];
    int changes = 0;
    sim_t s = curved_new(c, c->whole, "waves", 0, 2, 0);
    MUST(oak_initialize(s.sim));
    const totals_t start = totals(c, &s);
    for (int step = 0; step < (c->dim == 2 ? 60 : 12); step++) {
      MUST(oak_advance(s.sim, oak_time_step(s.sim)));
      int changed = 0;
      if (step % 4 == 3) MUST(oak_adjust_refinement(s.sim, &changed));
      changes += changed;
    }
    const totals_t end = totals(c, &s);
    const double mass = end.total[RHO] / start.total[RHO] - 1;
    const double energy = end.total[ENE] / start.total[ENE] - 1, spin = end.spin / start.spin - 1;
    report("%s, %d changes of the mesh: mass to %.1e, energy to %.1e, angular momentum to %.1e",
           c->name, changes, mass, energy, spin);
    assert_true(changes > 0);
    assert_true(fabs(mass) < 1e-14 && fabs(energy) < 1e-14 && fabs(spin) < 1e-14);
    sim_free(&s);
  }
}

/* Fine cells that get the state of the coarse cell, because interpolation gave a negative pressure.
 */
static void test_cold(void **state) {
  (void)state;
  for (int n = 0; n < NSYSTEMS; n += test_stride(NSYSTEMS)) {
    const system_t *c = &systems[n];
    int changed = 0;
    sim_t s = curved_new(c, c->part, "cold", 0, 1, 0);
    MUST(oak_initialize(s.sim));
    MUST(oak_advance(s.sim, 1e-12));
    const totals_t start = totals(c, &s);
    MUST(oak_adjust_refinement(s.sim, &changed));
    const totals_t end = totals(c, &s);
    const double energy = end.total[ENE] / start.total[ENE] - 1, spin = end.spin / start.spin - 1;
    report("%s, cold: energy to %.1e, angular momentum to %.1e", c->name, energy, spin);
    assert_true(changed && fabs(energy) < 1e-14 && fabs(spin) < 1e-14);
    sim_free(&s);
  }
}

/** Mean errors of density, of all components of the velocity, and of those of the field. The exact
 * solution at this time is what INITIAL gives now. */
static void errors(const system_t *c, sim_t *s, double error[3]) {
  static const int first[3] = {RHO, MX, BX}, count[3] = {1, 3, 3};
  const int n = oak_nblocks(s->sim) * s->cells;
  double *u[NVAR], whole = 0, distance;
  for (int v = 0; v < NVAR; v++) u[v] = sim_read(s, s->nvar + v);
  MUST(oak_set_initial(s->sim));
  for (int i = 0; i < n; i++) whole += volume(c, s, i, &distance);
  whole = sum_ranks(s->comm, whole);
  for (int k = 0; k < 3; k++) {
    double sum = 0;
    for (int v = first[k]; v < first[k] + count[k]; v++) {
      double *is = sim_read(s, s->nvar + v);
      for (int i = 0; i < n; i++) sum += volume(c, s, i, &distance) * fabs(u[v][i] - is[i]);
      free(is);
    }
    error[k] = sum_ranks(s->comm, sum) / whole;
  }
  for (int v = 0; v < NVAR; v++) free(u[v]);
}

/* Each flow has all parts of a vector's turning. On two levels, the first steps send waves from
 * where the levels meet. Coarse meshes damp them. The order is that of the flow only after they
 * have left (the expanding gas takes longer), or with finer meshes (`finer` levels more). */
static void check_order(const system_t *c, const char *flow, int fine, int finer, double end) {
  double error[2][3], order[3];
  for (int i = 0; i < 2; i++) {
    const int level = i + finer + (c->dim == 2 ? 2 : 1);
    sim_t s = curved_new(
        c, c->part, flow, level, level + fine,
        fine * (c->logarithmic ? sqrt(0.75) : 1.0)); /* an edge of blocks of all levels */
    MUST(oak_initialize(s.sim));
    sim_run(&s, end, 0);
    errors(c, &s, error[i]);
    sim_free(&s);
  }
  for (int v = 0; v < 3; v++) order[v] = log2(error[0][v] / error[1][v]);
  report("%s, %s, %d levels: errors %.1e %.1e %.1e, orders %.2f %.2f %.2f", c->name, flow, 1 + fine,
         error[1][0], error[1][1], error[1][2], order[0], order[1], order[2]);
  for (int v = 0; v < 3; v++) assert_true(error[1][v] < 1e-8 || order[v] > 1.9);
}

static void test_order(void **state) {
  static const char *const flow[] = {"wind", "rotation", "expansion"};
  (void)state;
  if (test_size > 1) return;
  for (int n = 0; n < NSYSTEMS; n += test_stride(NSYSTEMS)) {
    const system_t *c = &systems[n];
    for (int k = 0; k < (c->dim == 2 ? 3 : 1); k++) {
      const double end = c->dim == 3 ? 0.04 : 0.1;
      check_order(c, flow[k], 0, 0, end);
      if (c->dim == 2) check_order(c, flow[k], 1, k == 0 && c->phi == 1, k == 2 ? 0.4 : end);
    }
  }
}

/* Derived variables of the flow `curl` of tests/problems/curved.c by formulas of Cartesian or,
 * without an axis along phi, cylindrical coordinates. */
enum { DIVERGENCE, VORTICITY, SCHLIEREN, DIVB, SPEED, MACH, DERIVED };
static const char *const derived[] = {"divergence", "vorticity", "schlieren",
                                      "divb",       "speed",     "mach"};

static void formulas(const system_t *c, const sim_t *s, int i, double out[DERIVED]) {
  const int turns = c->dim == 3 || c->phi == 1; /* there is an axis along phi */
  double q[3], origin[3], dx[3];
  sim_center(s, i / s->cells, i % s->cells, q);
  oak_block_geometry(s->sim, i / s->cells, origin, dx);
  const double sine = c->spherical ? sin(q[1]) : 1, R = q[0] * sine;
  const double phi = !turns ? 0 : c->phi == 1 ? q[1] : q[2];
  const double x = R * cos(phi), y = R * sin(phi);
  const double z = c->spherical ? q[0] * cos(q[1]) : turns ? q[2] : q[1];
  const double flat = c->dim == 2 && turns; /* polar */
  const double v[3] = {turns ? y * y + x * z : R * (1 + z * z), turns ? x * z - y : R * z,
                       flat    ? 0
                       : turns ? x * y + z * z / 2
                               : R * R - z * z};
  const double v2 = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
  out[SPEED] = sqrt(v2);
  out[DIVERGENCE] = flat ? -1 : turns ? 2 * z - 1 : 2 * (1 + z * z) - 2 * z;
  out[VORTICITY] = flat ? -2 * y : turns ? hypot(x - y, z - 2 * y) : 2 * R * z - 2 * R;
  out[SCHLIEREN] = hypot(0.3, flat ? 0 : 0.2);
  /* The smallest side of the cell, and the fastest wave along r. */
  double h = c->logarithmic ? q[0] * 2 * sinh(dx[0] / 2) : dx[0];
  if (c->spherical || turns)
    h = fmin(h, q[0] * dx[1]);
  else
    h = fmin(h, dx[1]);
  if (c->dim == 3) h = fmin(h, c->spherical ? R * dx[2] : dx[2]);
  out[DIVB] = h * fabs(out[DIVERGENCE]) / out[SPEED];
  const double rho = 2 + 0.3 * (turns ? x : R) + (flat ? 0 : 0.2 * z);
  const double away = turns ? v[0] * cos(phi) + v[1] * sin(phi) : v[0];
  const double along_r = c->spherical ? away * sine + v[2] * cos(q[1]) : away;
  const double sum = (5.0 / 3 + v2) / rho, along = 4 * 5.0 / 3 * along_r * along_r / rho / rho;
  out[MACH] = out[SPEED] / sqrt(0.5 * (sum + sqrt(sum * sum - along)));
}

static void test_derived(void **state) {
  (void)state;
  if (test_size > 1) return;
  for (int n = 0; n < NSYSTEMS; n += test_stride(NSYSTEMS)) {
    const system_t *c = &systems[n];
    double error[2][DERIVED] = {{0}}, exact[DERIVED];
    for (int finer = 0; finer < 2; finer++) {
      sim_t s = curved_new(c, c->part, "curl", 1 + finer, 1 + finer, 0);
      MUST(oak_initialize(s.sim));
      const int cells = oak_nblocks(s.sim) * s.cells;
      double *u = malloc((size_t)cells * sizeof *u);
      if (!u) abort();
      for (int v = 0; v < DERIVED; v++) {
        MUST(oak_read_variable(s.sim, derived[v], oak_nblocks(s.sim), u));
        for (int i = 0; i < cells; i++) {
          formulas(c, &s, i, exact);
          error[finer][v] = worse(error[finer][v], fabs(u[i] - exact[v]));
        }
      }
      free(u);
      sim_free(&s);
    }
    for (int v = 0; v < DERIVED; v++) {
      const double order = log2(error[0][v] / error[1][v]);
      report("%s, %s: largest error %.1e, order %.2f", c->name, derived[v], error[1][v], order);
      assert_true(v < SPEED ? error[1][v] < 1e-12 || order > 1.9 : error[1][v] < 1e-13);
    }
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rest), cmocka_unit_test(test_conservation), cmocka_unit_test(test_cold),
      cmocka_unit_test(test_derived), cmocka_unit_test(test_order)};
  return TEST_MAIN(tests);
}
