// SPDX-License-Identifier: GPL-2.0-or-later
// TEST np={1,3} timeout=180 flags=-O2
/* Viscous stress in polar, cylindrical and spherical coordinates: Cartesian shear waves decay with
 * the exact rate and second order, also where levels meet; rotation like that of a solid has no
 * stress, beside walls with slip too; totals and angular momentum; super time stepping; flow across
 * r = 0 and poles. On several ranks, which change no bit of a solution (test_solver_ranks), only
 * totals. */
#include "solver_test.h"

#define GAS                                                                                 \
  TEST_PROBLEM("curved_decay")                                                              \
  "physics.name=navier_stokes\nphysics.nu=0.1\nmesh.block_size=8\nscheme.limiter=vanleer\n" \
  "run.cfl=0.4\nscheme.integrator=euler\ndevice.flags=-O2\n"
#define USER "boundary.xlow=user\nboundary.xhigh=user\nboundary.ylow=user\nboundary.yhigh=user\n"
#define USER_Z "boundary.zlow=user\nboundary.zhigh=user\n"
/* The time step of explicit diffusion is small at r = 0 and at poles. */
#define ACROSS "scheme.diffusion=rkl2\nrun.dt_max=1e-3\n"
#define SLIP "boundary.xlow=reflect\nboundary.xhigh=reflect\n"

typedef struct {
  const char *name, *part, *around; /* a part of space; a domain that is periodic along phi */
  int dim, sphere, low;             /* level of the coarser mesh */
} system_t;

static const system_t systems[] = {
    {"polar", "mesh.coordinates=polar\nmesh.xmin=0.5 0.2\nmesh.xmax=1.5 1.2\n" USER,
     "mesh.coordinates=polar\nmesh.xmin=0.25 0\nmesh.xmax=1.25 2pi\nmesh.trees=1 4\n" SLIP, 2, 0,
     2},
    {"polar, ln r",
     "mesh.coordinates=polar\nmesh.radius=logarithmic\nmesh.xmin=0.5 0.2\nmesh.xmax=1.5 1.2\n" USER,
     NULL, 2, 0, 2},
    {"spherical 2D, ln r",
     "mesh.coordinates=spherical\nmesh.radius=logarithmic\nmesh.xmin=0.5 0.4\nmesh.xmax=1.5 "
     "1.4\n" USER,
     NULL, 2, 1, 2},
    {"spherical 2D", "mesh.coordinates=spherical\nmesh.xmin=0.5 0.4\nmesh.xmax=1.5 1.4\n" USER,
     "mesh.coordinates=spherical\nmesh.xmin=0.25 0.4\nmesh.xmax=1.25 pi/1.2\nmesh.trees=1 "
     "2\nboundary.ylow=reflect\nboundary.yhigh=reflect\n" SLIP,
     2, 1, 2},
    {"cylindrical",
     "mesh.dim=3\nmesh.coordinates=cylindrical\nmesh.trees=2 1 1\nmesh.xmin=0.5 0.2 "
     "0\nmesh.xmax=1.5 1.2 1\n" USER USER_Z,
     NULL, 3, 0, 0},
    {"spherical",
     "mesh.dim=3\nmesh.coordinates=spherical\nmesh.trees=2 1 1\nmesh.xmin=0.5 0.6 "
     "0.2\nmesh.xmax=1.5 1.6 1.2\n" USER USER_Z,
     "mesh.dim=3\nmesh.coordinates=spherical\nmesh.xmin=0.25 1 0\nmesh.xmax=1.25 2 "
     "2pi\nmesh.trees=1 1 4\nboundary.ylow=reflect\nboundary.yhigh=reflect\n" SLIP,
     3, 1, 0},
    {"polar, r = 0",
     ACROSS "mesh.coordinates=polar\nmesh.xmin=0 0\nmesh.xmax=1 2pi\nmesh.trees=1 "
            "4\nboundary.xhigh=user\n",
     NULL, 2, 0, 1},
    {"cylindrical, r = 0",
     ACROSS "mesh.dim=3\nmesh.coordinates=cylindrical\nmesh.xmin=0 0 0\nmesh.xmax=1 2pi "
            "1\nmesh.trees=1 4 1\nboundary.xhigh=user\n" USER_Z,
     NULL, 3, 0, 0},
    {"spherical, poles",
     ACROSS "mesh.dim=3\nmesh.coordinates=spherical\nmesh.xmin=0.5 0 0\nmesh.xmax=1.5 pi "
            "2pi\nmesh.trees=1 2 4\nboundary.xlow=user\nboundary.xhigh=user\n",
     NULL, 3, 1, 0}};
enum { NSYSTEMS = sizeof systems / sizeof *systems, RHO = 0, MX = 1 };

static int components(const system_t *c) { return c->dim == 3 || c->sphere ? 3 : 2; }
static int phi_of(const system_t *c) { return c->sphere ? 2 : 1; }

/* The components of the shear waves of tests/problems/curved_decay.c. */
static void exact(const system_t *c, const double x[3], double time, double v[3]) {
  const double k = 3, size = 1e-6 * exp(-0.1 * k * k * time);
  const double theta = c->sphere ? x[1] : M_PI / 2;
  const double phi = c->sphere ? (c->dim == 3 ? x[2] : 0) : x[1], R = x[0] * sin(theta);
  const double z = c->sphere ? x[0] * cos(theta) : x[2], X = R * cos(phi), Y = R * sin(phi);
  const double w[3] = {size * sin(k * (c->dim == 3 ? z : Y)), size * sin(k * X + 0.4),
                       c->dim == 3 ? size * sin(k * Y) : 0};
  const double away = w[0] * cos(phi) + w[1] * sin(phi), around = w[1] * cos(phi) - w[0] * sin(phi);
  v[0] = c->sphere ? away * sin(theta) + w[2] * cos(theta) : away;
  v[1] = c->sphere ? away * cos(theta) - w[2] * sin(theta) : around;
  v[2] = c->sphere ? around : w[2];
  if (c->sphere && c->dim == 2) {
    v[0] = v[1] = 0;
    v[2] = 1e-6 * exp(-0.2 * k * k * time) * j1(k * R) * cos(k * z);
  }
}

/* The volume of a cell, but for terms of second order. */
static double ring(const system_t *c, const sim_t *s, int i) {
  double x[3];
  sim_center(s, i / s->cells, i % s->cells, x);
  return sim_volume(s, i / s->cells) * (c->sphere ? x[0] * x[0] * sin(x[1]) : x[0]);
}

/* Mean errors of the components of the velocity, in units of 1e-6. */
static void find_errors(const system_t *c, const sim_t *s, double error[3]) {
  const int n = oak_nblocks(s->sim) * s->cells;
  double volume = 0;
  for (int i = 0; i < n; i++) volume += ring(c, s, i);
  volume = sum_ranks(s->comm, volume);
  for (int d = 0; d < components(c); d++) {
    double *u = sim_read(s, MX + d), x[3], v[3];
    error[d] = 0;
    for (int i = 0; i < n; i++) {
      sim_center(s, i / s->cells, i % s->cells, x);
      exact(c, x, oak_time(s->sim), v);
      error[d] += ring(c, s, i) * fabs(u[i] - v[d]);
    }
    free(u);
    error[d] = 1e6 * sum_ranks(s->comm, error[d]) / volume;
  }
}

static sim_t decay_new(const char *domain, const char *flow, const char *more, int level,
                       int refined) {
  sim_t s = sim_new(MPI_COMM_WORLD,
                    GAS
                    "%s%sproblem.flow=%s\nmesh.min_level=%d\nmesh.max_level=%d\n"
                    "problem.fine=%g\n",
                    domain, more, flow, level, level + refined,
                    refined * (strstr(domain, "logarithmic") ? 0.88 : 1.01)); /* edges of blocks */
  MUST(oak_initialize(s.sim));
  return s;
}

static void test_shear(void **state) {
  (void)state;
  if (test_size > 1) return;
  for (int n = 0; n < NSYSTEMS * 2; n += test_stride(NSYSTEMS * 2)) {
    const system_t *c = &systems[n / 2];
    double error[2][3] = {{0}};
    if (n % 2 && c->dim == 3 && strstr(c->part, ACROSS)) continue; /* one block along r */
    for (int finer = 0; finer < 2; finer++) {
      sim_t s =
          decay_new(c->part, "shear", n == 1 ? "scheme.diffusion=rkl2\nrun.dt_max=1e-3\n" : "",
                    c->low + finer, n % 2);
      sim_run(&s, 0.01, 0);
      find_errors(c, &s, error[finer]);
      sim_free(&s);
    }
    for (int d = 0; d < components(c); d++) {
      if (c->sphere && c->dim == 2 && d < 2) continue;
      report("%s%s, component %d: errors %.2e, %.2e, order %.2f", c->name,
             n == 1  ? ", two levels, rkl2"
             : n % 2 ? ", two levels"
                     : "",
             d, error[0][d], error[1][d], log2(error[0][d] / error[1][d]));
      assert_true(log2(error[0][d] / error[1][d]) > 1.85);
    }
  }
}

/* The largest difference that viscosity makes to the momentum along phi in one step. */
static void test_rotation(void **state) {
  (void)state;
  if (test_size > 1) return;
  for (int n = 0; n < NSYSTEMS; n += test_stride(NSYSTEMS)) {
    const system_t *c = &systems[n];
    if (strstr(c->part, ACROSS)) continue; /* rkl2: the boundary is felt far inside */
    double *m[2], most = 0;
    int count = 0;
    for (int i = 0; i < 2; i++) {
      sim_t s = decay_new(c->part, "rotation", i ? "physics.nu=0\n" : "", 1, 1);
      MUST(oak_advance(s.sim, 1e-3));
      m[i] = sim_read(&s, MX + phi_of(c));
      count = oak_nblocks(s.sim) * s.cells;
      /* Values at the boundary are exact on the faces, not in the cells. */
      for (int b = 0; b < count; b++) {
        double x[3], dx[3];
        oak_block_geometry(s.sim, b / s.cells, x, dx);
        const int at[3] = {b % s.n, b / s.n % s.n, b / (s.n * s.n)};
        for (int d = 0; d < s.dim; d++)
          if (at[d] < 2 || at[d] >= s.n - 2) m[i][b] = 0;
      }
      sim_free(&s);
    }
    for (int b = 0; b < count; b++) most = worse(most, fabs(m[0][b] - m[1][b]));
    free(m[0]), free(m[1]);
    most = max_ranks(MPI_COMM_WORLD, most);
    report("%s: viscosity changes solid rotation by %.1e of 0.1", c->name, most);
    assert_true(most < 1e-15);
  }
}

/* What viscosity does to the momenta in one step: [variable][cells of this rank], which the caller
 * frees. */
static double *viscous_change(const char *keys, int *count) {
  double *change = NULL;
  for (int i = 0; i < 2; i++) {
    sim_t s = decay_new(keys, "slip", i ? "" : "physics.nu=0\n", 1, 0);
    const int n = oak_nblocks(s.sim) * s.cells, all = s.nvar - 2;
    change = change ? change : calloc((size_t)(all * n + 1), sizeof *change);
    MUST(oak_advance(s.sim, 1e-3));
    for (int v = 0; v < all; v++) {
      double *m = sim_read(&s, MX + v);
      for (int c = 0; c < n; c++) change[v * n + c] += i ? m[c] : -m[c];
      free(m);
    }
    *count = all * n;
    sim_free(&s);
  }
  return change;
}

/* Walls with slip have no stress: gas that turns like a solid sees the same viscosity as between
 * boundaries where it is given. */
static void test_slip(void **state) {
#define LOG_R "mesh.radius=logarithmic\n"
#define SLIP_Y "boundary.ylow=reflect\nboundary.yhigh=reflect\n"
#define SHELL "mesh.coordinates=spherical\nmesh.xmin=0.5 0.4\nmesh.xmax=1.5 1.4\n"
  static const struct {
    const char *name, *keys, *walls;
    int rigid;
  } cases[] = {
      {"(r, z)", "mesh.coordinates=axisymmetric\nmesh.xmin=0.5 0\nmesh.xmax=1.5 1\n" USER,
       SLIP SLIP_Y, 1},
      {"polar", "mesh.coordinates=polar\nmesh.xmin=0.5 0.2\nmesh.xmax=1.5 1.2\n" USER, SLIP, 1},
      {"polar, ln r", LOG_R "mesh.coordinates=polar\nmesh.xmin=0.5 0.2\nmesh.xmax=1.5 1.2\n" USER,
       SLIP, 1},
      {"spherical 2D", SHELL USER, SLIP, 0},
      {"spherical 2D, walls of theta", SHELL USER "problem.walls=1\n", SLIP SLIP_Y, 1},
      {"spherical",
       "mesh.dim=3\n" SHELL
       "mesh.trees=1 1 1\nmesh.xmin=0.5 0.4 0\nmesh.xmax=1.5 1.4 1\n" USER USER_Z,
       SLIP, 0}};
  enum { NCASES = sizeof cases / sizeof *cases };
  (void)state;
  for (int n = 0; n < NCASES; n += test_stride(NCASES)) {
    char keys[1024];
    double *change[2], differ = 0, most = 0;
    int count = 0;
    for (int slip = 0; slip < 2; slip++) {
      snprintf(keys, sizeof keys, "%s%s", cases[n].keys, slip ? cases[n].walls : "");
      change[slip] = viscous_change(keys, &count);
    }
    for (int c = 0; c < count; c++) {
      differ = worse(differ, fabs(change[1][c] - change[0][c]));
      most = worse(most, fabs(change[1][c]));
    }
    free(change[0]), free(change[1]);
    differ = max_ranks(MPI_COMM_WORLD, differ), most = max_ranks(MPI_COMM_WORLD, most);
    report(
        "%s: walls with slip change the work of viscosity by %.1e; it changes momenta by %.1e of "
        "0.1",
        cases[n].name, differ, most);
    assert_true(differ < 1e-15 && (cases[n].rigid ? most < 1e-15 : most > 1e-7));
  }
}

/* Angular momentum, by the volumes of rings and shells. Sums of blocks round less. */
static double spin(const system_t *c, const sim_t *s) {
  double *m = sim_read(s, MX + phi_of(c)), sum = 0;
  for (int b = 0; b < oak_nblocks(s->sim); b++) {
    double x[3], origin[3], dx[3], block = 0;
    oak_block_geometry(s->sim, b, origin, dx);
    for (int i = 0; i < s->cells; i++) {
      sim_center(s, b, i, x);
      const double sine = c->sphere ? sin(x[1]) : 1, r2 = x[0] * x[0] + dx[0] * dx[0] / 12;
      const double v = c->sphere ? r2 * sine * sin(dx[1] / 2) / (dx[1] / 2) : x[0];
      block += v * (c->sphere ? r2 / x[0] : x[0]) * sine * m[b * s->cells + i];
    }
    sum += sim_volume(s, b) * block;
  }
  free(m);
  return sum_ranks(s->comm, sum);
}

static void test_totals(void **state) {
  (void)state;
  for (int n = 0; n < NSYSTEMS; n += test_stride(NSYSTEMS)) {
    const system_t *c = &systems[n];
    if (!c->around) continue;
    sim_t s = decay_new(c->around, "ring", "", c->dim == 2 ? 2 : 1, 1);
    double before[8], after[8];
    MUST(oak_totals(s.sim, before));
    const double first = spin(c, &s);
    MUST(oak_advance(s.sim, oak_time_step(s.sim)));
    MUST(oak_totals(s.sim, after));
    const int energy = 1 + components(c);
    report("%s: mass changes by %.1e, energy by %.1e, angular momentum by %.1e", c->name,
           after[RHO] / before[RHO] - 1, after[energy] / before[energy] - 1,
           spin(c, &s) / first - 1);
    assert_true(fabs(after[RHO] / before[RHO] - 1) < 1e-14);
    assert_true(fabs(after[energy] / before[energy] - 1) < 1e-14);
    assert_true(fabs(spin(c, &s) / first - 1) < 1e-14);
    sim_free(&s);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_shear), cmocka_unit_test(test_rotation),
                                     cmocka_unit_test(test_slip), cmocka_unit_test(test_totals)};
  return TEST_MAIN(tests);
}
