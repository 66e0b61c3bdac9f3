/* SPDX-License-Identifier: GPL-2.0-or-later
 * r = 0, the axis and the poles, of all coordinates, in flows that know nothing of them: the rates
 * of change in one step against those of Cartesian equations by differences of formulas, and
 * uniform flows and fields. */
// TEST timeout=600
#include "solver_test.h"

#define OAK_FN static inline
#include "problems/smooth_state.h"

enum { EULER, VISCOUS, MHD };
static const char *const physics[] = {
    "physics.name=euler\nphysics.gamma=1.4\n",
    "physics.name=navier_stokes\nphysics.gamma=1.4\n"
    "physics.mu=0.1\nproblem.heating=0.04\nscheme.diffusion=rkl2\n"
    "run.dt_max=2e-3\n",
    "physics.name=mhd\nphysics.gamma=1.4\n"};
static const char *const physics_name[] = {"euler", "navier_stokes", "mhd"};

typedef enum { RZ, POLAR, CYLINDRICAL, SPHERICAL2, SPHERICAL3 } kind_t;

typedef struct {
  const char *name, *keys;
  int dim, level; /* of the coarser mesh */
} system_t;

static const system_t systems[] = {
    [RZ] = {"(r, z)",
            "mesh.coordinates=axisymmetric\nmesh.xmin=0 -0.4\nmesh.xmax=1 0.6\n"
            "boundary.ylow=user\nboundary.yhigh=user\n",
            2, 1},
    [POLAR] = {"polar", "mesh.coordinates=polar\nmesh.xmin=0 0\nmesh.xmax=1 2pi\nmesh.trees=1 4\n",
               2, 1},
    [CYLINDRICAL] = {"cylindrical",
                     "mesh.dim=3\nmesh.coordinates=cylindrical\nmesh.xmin=0 0 -0.4\n"
                     "mesh.xmax=1 2pi 0.6\nmesh.trees=1 2 1\nboundary.zlow=user\n"
                     "boundary.zhigh=user\n",
                     3, 0},
    [SPHERICAL2] = {"spherical 2D",
                    "mesh.coordinates=spherical\nmesh.xmin=0 0\nmesh.xmax=1 pi\nmesh.trees=1 2\n",
                    2, 1},
    [SPHERICAL3] = {"spherical",
                    "mesh.dim=3\nmesh.coordinates=spherical\nmesh.xmin=0 0 0\nmesh.xmax=1 pi 2pi\n"
                    "mesh.trees=1 1 2\n",
                    3, 0}};
enum { NSYSTEMS = sizeof systems / sizeof *systems };

static sim_t smooth_new(const system_t *c, int equations, const char *flow, const char *more,
                        int level) {
  sim_t s = sim_new(MPI_COMM_WORLD,
                    TEST_PROBLEM("smooth") "%s%smesh.block_size=8\nboundary.xhigh=user\n"
                                           "device.flags=-O1\nscheme.flux=hll\n"
                                           "problem.flow=%s\nmesh.min_level=%d\n"
                                           "mesh.max_level=%d\n%s",
                    c->keys, physics[equations], flow, level, level, more);
  MUST(oak_initialize(s.sim));
  return s;
}

/** The Cartesian point of a cell, and the unit vectors along the axes of the mesh. */
static void cartesian(kind_t kind, const double q[3], double x[3], double e[3][3]) {
  const int sphere = kind >= SPHERICAL2;
  const double theta = sphere ? q[1] : acos(0);
  const double phi = kind == POLAR || kind == CYLINDRICAL ? q[1] : kind == SPHERICAL3 ? q[2] : 0;
  const double away[3] = {sin(theta) * cos(phi), sin(theta) * sin(phi), sphere ? cos(theta) : 0};
  const double south[3] = {cos(theta) * cos(phi), cos(theta) * sin(phi), -sin(theta)};
  const double east[3] = {-sin(phi), cos(phi), 0}, up[3] = {0, 0, 1};
  for (int d = 0; d < 3; d++) {
    x[d] = q[0] * away[d];
    e[0][d] = away[d];
    e[1][d] = sphere ? south[d] : kind == RZ ? up[d] : east[d];
    e[2][d] = sphere || kind == RZ ? east[d] : up[d];
  }
  if (kind == RZ) x[2] = q[1];
  if (kind == CYLINDRICAL) x[2] = q[2];
}

/* ---- rates */

static const double gamma_gas = 1.4, viscosity = 0.1;
enum { CONSERVED = 8 }; /* mass, momentum, energy, field */

static int turns(kind_t kind) { return kind != RZ && kind != SPHERICAL2; }

/** Fluxes along Cartesian axis d at a point. */
static void cartesian_flux(kind_t kind, int equations, const double x[3], int d,
                           double f[CONSERVED]) {
  double w[8], low[8], high[8], grad[3][3], div = 0;
  const double step = 1e-3;
  const int flow = equations == EULER ? 3 : 0;
  smooth_state(flow, turns(kind), x, 0, 0, w);
  const double *v = w + 1, *b = w + 5, magnetic = equations == MHD;
  double v2 = 0, b2 = 0, vb = 0;
  for (int i = 0; i < 3; i++) {
    double at[3] = {x[0], x[1], x[2]};
    v2 += i == 2 && kind == POLAR && !magnetic ? 0 : v[i] * v[i];
    b2 += magnetic * b[i] * b[i], vb += magnetic * v[i] * b[i];
    for (int n = 0; n < 3; n++) grad[i][n] = 0;
    if (i == 2 && kind == POLAR) continue;
    at[i] = x[i] - step, smooth_state(flow, turns(kind), at, 0, 0, low);
    at[i] = x[i] + step, smooth_state(flow, turns(kind), at, 0, 0, high);
    for (int n = 0; n < (kind == POLAR ? 2 : 3); n++)
      grad[i][n] = (high[1 + n] - low[1 + n]) / (2 * step);
    div += grad[i][i];
  }
  const double energy = w[4] / (gamma_gas - 1) + 0.5 * w[0] * v2 + 0.5 * b2;
  f[0] = w[0] * v[d];
  f[4] = (energy + w[4] + 0.5 * b2) * v[d] - magnetic * vb * b[d];
  for (int i = 0; i < 3; i++) {
    const double tau = grad[d][i] + grad[i][d] - (i == d ? 2.0 / 3 * div : 0);
    const double stress = equations == VISCOUS ? viscosity * tau : 0;
    f[1 + i] =
        w[0] * v[d] * v[i] + (i == d ? w[4] + 0.5 * b2 : 0) - magnetic * b[d] * b[i] - stress;
    f[4] -= stress * v[i];
    f[5 + i] = v[d] * b[i] - b[d] * v[i];
  }
}

/** Rates of the conserved variables along the axes of the mesh. */
static void exact_rates(kind_t kind, int equations, const double q[3], double rate[CONSERVED]) {
  double x[3], e[3][3], c[CONSERVED] = {0};
  const double step = 1e-3;
  cartesian(kind, q, x, e);
  for (int d = 0; d < (kind == POLAR ? 2 : 3); d++) {
    double low[CONSERVED], high[CONSERVED], at[3] = {x[0], x[1], x[2]};
    at[d] = x[d] - step, cartesian_flux(kind, equations, at, d, low);
    at[d] = x[d] + step, cartesian_flux(kind, equations, at, d, high);
    for (int v = 0; v < CONSERVED; v++) c[v] -= (high[v] - low[v]) / (2 * step);
  }
  rate[0] = c[0], rate[4] = c[4];
  for (int n = 0; n < 3; n++)
    for (int k = 1; k < 6; k += 4)
      rate[k + n] = e[n][0] * c[k] + e[n][1] * c[k + 1] + e[n][2] * c[k + 2];
}

/** The largest error of the rates of one step, times the distance from the axis. */
static double rate_error(kind_t kind, int equations, int level) {
  const double dt = 1e-6;
  sim_t s = smooth_new(&systems[kind], equations, equations == EULER ? "plain" : "smooth",
                       "scheme.integrator=euler\n", level);
  const int n = oak_nblocks(s.sim) * s.cells;
  double *u[2][CONSERVED], most = 0, x[3], rate[CONSERVED];
  const int vectors = equations == MHD || (equations == VISCOUS && !turns(kind)) ? 3 : s.dim;
  const int count = equations == MHD ? CONSERVED : vectors + 2;
  for (int v = 0; v < count; v++) u[0][v] = sim_read(&s, v);
  MUST(oak_advance(s.sim, dt));
  for (int v = 0; v < count; v++) u[1][v] = sim_read(&s, v);
  for (int c = 0; c < n; c++) {
    sim_center(&s, c / s.cells, c % s.cells, x);
    exact_rates(kind, equations, x, rate);
    const double distance = x[0] * (kind >= SPHERICAL2 ? sin(x[1]) : 1);
    for (int v = 0; v < count; v++)
      most = worse(
          most, distance * fabs((u[1][v][c] - u[0][v][c]) / dt - rate[v == vectors + 1 ? 4 : v]));
  }
  for (int v = 0; v < count; v++) free(u[0][v]), free(u[1][v]);
  sim_free(&s);
  return most;
}

static void test_rates(void **state) {
  (void)state;
  for (int equations = EULER; equations <= MHD; equations++)
    for (int k = 0; k < NSYSTEMS; k += test_stride(NSYSTEMS)) {
      double error[2];
      for (int finer = 0; finer < 2; finer++)
        error[finer] = rate_error(k, equations, systems[k].level + 1 + finer);
      const double order = log2(error[0] / error[1]);
      report("%s, %s: error of rates times the distance %.2e, order %.2f", physics_name[equations],
             systems[k].name, error[1], order);
      assert_true(order > (systems[k].dim == 2 ? 0.8 : 0.3)); /* few cells along phi */
    }
}

/* ---- uniform flows */

/** Mean and largest error of momenta and field. The exact solution is what INITIAL gives now. */
static void errors(sim_t *s, double error[2]) {
  const int n = oak_nblocks(s->sim) * s->cells;
  double *u[TEST_MAX_NVAR + 2], volume = 0;
  error[0] = error[1] = 0;
  for (int v = 0; v < s->nvar; v++) u[v] = sim_read(s, v);
  MUST(oak_set_initial(s->sim));
  for (int v = 0; v < s->nvar; v++) {
    double *is = sim_read(s, v), x[3];
    for (int c = 0; c < n; c++) {
      sim_center(s, c / s->cells, c % s->cells, x);
      const int sphere = !strcmp(oak_params_text(s->params, "mesh.coordinates"), "spherical");
      const double ring = sphere ? x[0] * x[0] * sin(x[1]) : x[0], away = fabs(u[v][c] - is[c]);
      volume += v ? 0 : ring;
      error[0] += ring * away;
      error[1] = worse(error[1], away);
    }
    free(is);
    free(u[v]);
  }
  error[0] /= volume;
}

static void check_uniform(int equations, kind_t kind, const char *flow) {
  double error[2][2], order[2];
  const system_t *c = &systems[kind];
  for (int finer = 0; finer < 2; finer++) {
    sim_t s = smooth_new(c, equations, flow, "", c->level + finer);
    sim_run(&s, c->dim == 2 ? 0.2 : 0.05, 0);
    errors(&s, error[finer]);
    sim_free(&s);
  }
  for (int n = 0; n < 2; n++) order[n] = log2(error[0][n] / error[1][n]);
  report("%s, %s, %s: mean error %.1e, order %.2f; largest %.1e, order %.2f",
         physics_name[equations], c->name, flow, error[1][0], order[0], error[1][1], order[1]);
  assert_true(error[1][1] < 1e-13 || (order[0] > (c->dim == 2 ? 1.9 : 1.3) && order[1] > 0.7));
}

static void test_uniform(void **state) {
  (void)state;
  for (int k = 0; k < NSYSTEMS; k += test_stride(NSYSTEMS)) {
    check_uniform(MHD, k, "uniform");
    if (turns(k)) check_uniform(MHD, k, "shear");
    if (k != CYLINDRICAL) check_uniform(VISCOUS, k, turns(k) ? "shear" : "uniform");
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rates), cmocka_unit_test(test_uniform)};
  return TEST_MAIN(tests);
}
