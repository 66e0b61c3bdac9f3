/* SPDX-License-Identifier: GPL-2.0-or-later
 * Resistivity and ambipolar diffusion of both kinds of MHD, explicit and by super time stepping:
 * exact solutions, the shortest waves of fields on faces, totals, div B, the same bits on any
 * number of ranks. */
// TEST np={1,2,3} timeout=240 flags=-O1
#include "mhd_test.h"

#define BASE                                                                                  \
  TEST_PROBLEM("mhd_diffusion")                                                               \
  "scheme.flux=hlld\nscheme.limiter=weno5\nmesh.block_size=8\nrun.cfl=0.4\nscheme.splitting=" \
  "strang\n"                                                                                  \
  "mesh.xmin=-0.5\nmesh.xmax=0.5\n"
#define REFINED \
  "refine.criterion=user\nrefine.c_refine=0.5\nrefine.c_derefine=0.4\nproblem.radius=0.25\n"
#define GLM "physics.name=mhd\n"
#define CT "physics.name=mhd_ct\n"
#define RKL2 "scheme.diffusion=rkl2\n"
#define HELIX "problem.kind=helix\nproblem.amplitude=1e-3\n"
#define ETA "physics.resistivity=0.01\n"
#define ALFVEN "problem.kind=alfven\nproblem.amplitude=1e-5\nphysics.ambipolar=0.02\n" ETA
#define SHEET                                                                            \
  "problem.kind=sheet\nproblem.amplitude=1e-4\nproblem.eta=0.01\nproblem.age=0.05\n" ETA \
  "boundary.xlow=outflow\nboundary.xhigh=outflow\n"

/** The largest value of a variable of outputs. */
static double largest(const sim_t *s, const char *name) {
  const int n = oak_nblocks(s->sim);
  double most = 0, *u = malloc(((size_t)n * s->cells + 1) * sizeof *u);
  if (!u) abort();
  MUST(oak_read_variable(s->sim, name, n, u));
  for (int i = 0; i < n * s->cells; i++) most = worse(most, fabs(u[i]));
  free(u);
  return max_ranks(s->comm, most);
}

typedef struct {
  const char *name, *keys;
  int dim, level, refined;
  double end;
} case_t;

/** The field of the case at the end, where it was `start`. */
static double exact(const sim_t *s, const case_t *c, double x, int v, double start) {
  const double k2 = 4 * M_PI * M_PI * s->dim, gamma = 0.015 * k2, omega = sqrt(k2 - gamma * gamma);
  const double mean = c->dim == 3 ? 1 / sqrt(3) : v < 2 ? 1 / sqrt(2) : 0, t = c->end;
  const double beat = exp(-gamma * t) * (cos(omega * t) - gamma / omega * sin(omega * t));
  if (strstr(c->keys, "helix")) return exp(-0.01 * k2 * t) * start;
  if (strstr(c->keys, "bessel"))
    return exp(-0.01 * 3.8317059702075125 * 3.8317059702075125 * t) * start;
  if (strstr(c->keys, "alfven")) return mean + beat * (start - mean);
  return v == 1 ? 1e-4 * erf(x / sqrt(0.04 * (0.05 + t))) : 0;
}

/** The mean error of the field, over its amplitude. The order of the blocks stays. */
static double field_error(const case_t *c, int finer) {
  double error = 0, *start[3], before[TEST_MAX_NVAR], after[TEST_MAX_NVAR], x[3];
  const int level = c->level + finer;
  sim_t s = sim_new(MPI_COMM_WORLD, BASE "mesh.dim=%d\nmesh.min_level=%d\nmesh.max_level=%d\n%s%s",
                    c->dim, level, level + c->refined, c->refined ? REFINED : "", c->keys);
  MUST(oak_initialize(s.sim));
  MUST(oak_totals(s.sim, before));
  for (int v = 0; v < 3; v++) start[v] = sim_read(&s, 5 + v);
  sim_run(&s, c->end, 0);
  MUST(oak_totals(s.sim, after));
  for (int v = 0; v < 3; v++) {
    double *u = sim_read(&s, 5 + v);
    for (int i = 0; i < oak_nblocks(s.sim) * s.cells; i++) {
      sim_center(&s, i / s.cells, i % s.cells, x);
      error += fabs(u[i] - exact(&s, c, x[0], v, start[v][i])) * sim_volume(&s, i / s.cells);
    }
    free(u);
    free(start[v]);
  }
  /* Waves may leave through open boundaries. */
  if (!strstr(c->keys, "outflow")) assert_true(fabs(after[4] / before[4] - 1) < 1e-13);
  if (strstr(c->keys, CT)) assert_true(largest(&s, "divb") < 1e-13);
  const double amplitude = oak_params_real(s.params, "problem.amplitude");
  sim_free(&s);
  return sum_ranks(MPI_COMM_WORLD, error) / amplitude;
}

static void test_exact(void **state) {
  (void)state;
  static const case_t cases[] = {
      {"helix, cleaning", GLM HELIX ETA, 2, 2, 0, 0.3},
      {"helix, cleaning, rkl2", GLM HELIX ETA RKL2, 2, 2, 1, 0.3},
      {"Bessel function, cleaning, rkl2",
       GLM ETA RKL2 "problem.kind=bessel\nproblem.amplitude=1e-3\nmesh.coordinates=polar\n"
                    "mesh.xmin=0 0\nmesh.xmax=1 2pi\nmesh.trees=1 4\nboundary.xhigh=reflect\n",
       2, 0, 0, 1},
      {"helix", CT HELIX ETA, 2, 2, 0, 0.3},
      {"helix, rkl2", CT HELIX ETA RKL2, 2, 2, 0, 0.3},
      {"helix, refined", CT HELIX ETA, 2, 2, 1, 0.3},
      {"helix, hook, refined, rkl2",
       CT HELIX RKL2 "problem.eta=0.01\n" TEST_PROBLEM("mhd_diffusion_hook"), 2, 2, 1, 0.3},
      {"Alfven wave, rkl2", CT ALFVEN RKL2, 2, 2, 0, 0.45},
      {"Alfven wave, refined", CT ALFVEN, 2, 2, 1, 0.45},
      {"sheet", CT SHEET, 2, 3, 0, 0.2},
      {"helix, 3D, rkl2", CT HELIX ETA RKL2 "mesh.block_size=4\nscheme.limiter=mc\n", 3, 2, 0, 0.2},
      {"Alfven wave, 3D, refined, rkl2", CT ALFVEN RKL2 "mesh.block_size=4\nscheme.limiter=mc\n", 3,
       2, 1, 0.2},
      {"sheet, refined, rkl2", CT SHEET RKL2, 2, 2, 1, 0.2},
  };
  const int count = (int)(sizeof cases / sizeof *cases);
  for (int n = 0; n < count; n += test_stride(count)) {
    const double coarse = field_error(&cases[n], 0), fine = field_error(&cases[n], 1);
    report("%s: error %.2e, %.2e, order %.2f", cases[n].name, coarse, fine, log2(coarse / fine));
    assert_true(log2(coarse / fine) > 1.7);
    assert_true(fine < 5e-3);
  }
}

/* ---- the shortest waves */

/** A field with the sign of a chequerboard has means of 0 over cells; it decays as exp(-8 eta t /
 * dx^2). */
static void test_shortest(void **state) {
  (void)state;
  for (int rkl2 = 0; rkl2 < 2; rkl2++) {
    sim_t s = sim_new(MPI_COMM_WORLD,
                      BASE CT ETA
                      "problem.kind=checkers\nproblem.amplitude=1e-3\n"
                      "mesh.min_level=2\nmesh.max_level=2\n%s",
                      rkl2 ? RKL2 : "");
    MUST(oak_initialize(s.sim));
    const double before = largest(&s, "bx_face"), end = 1.0 / (0.08 * 32 * 32);
    sim_run(&s, end, 0);
    const double left = largest(&s, "bx_face") / before;
    report("shortest wave%s: %.4f are left after %d steps, exact %.4f", rkl2 ? ", rkl2" : "", left,
           (int)oak_step(s.sim), exp(-1));
    assert_true(fabs(left - exp(-1)) < 0.01);
    sim_free(&s);
  }
}

/* ---- a shock of type C */

/** A steady shock in which ambipolar diffusion heats the gas, along x in its own frame. The fluxes
 * of mass, momentum and energy and the electric field are the same everywhere, so the state follows
 * from By: M. M. Mac Low et al., Astrophys. J. 442 (1995) 726, here with the energy equation. */
typedef struct {
  double mass, momentum, energy, field, bx, by0, ambipolar;
} shock_t;
enum { RHO, VX, VY, PRS };

static void shock_state(const shock_t *k, double by, double q[4]) {
  const double g = 5.0 / 3 / (5.0 / 3 - 1), force = k->momentum - 0.5 * by * by;
  const double vy = k->bx / k->mass * (by - k->by0);
  const double a = k->mass * (0.5 - g), b = g * force;
  const double c = 0.5 * k->mass * vy * vy - k->field * by - k->energy;
  q[VX] = (-b - sqrt(b * b - 4 * a * c)) / (2 * a); /* faster than sound */
  q[RHO] = k->mass / q[VX];
  q[VY] = vy;
  q[PRS] = force - k->mass * q[VX];
}

static double shock_slope(const shock_t *k, double by) {
  double q[4];
  shock_state(k, by, q);
  return (k->field + q[VX] * by - q[VY] * k->bx) * q[RHO] /
         (k->ambipolar * (k->bx * k->bx + by * by));
}

enum { SHOCK_POINTS = 40000 };
static const double shock_step = 1e-4;

/** By at SHOCK_POINTS places with this step, by Runge and Kutta's scheme. */
static void shock_profile(const shock_t *k, double *by) {
  by[0] = k->by0 * (1 + 1e-6);
  for (int n = 1; n < SHOCK_POINTS; n++) {
    const double h = shock_step, y = by[n - 1], a = shock_slope(k, y);
    const double b = shock_slope(k, y + 0.5 * h * a), c = shock_slope(k, y + 0.5 * h * b);
    by[n] = y + h / 6 * (a + 2 * b + 2 * c + shock_slope(k, y + h * c));
  }
}

/** The mean error of By over its jump, where the middle of the jump is that of the profile. */
static double shock_error(const shock_t *k, const double *by, int level, const char *keys) {
  double q[4], last = by[SHOCK_POINTS - 1], middle = 0.5 * (k->by0 + last), x[3], error = 0;
  double low[2] = {-1e9, 0}, high[2] = {1e9, 0}; /* the cells beside it: place and By */
  int n = 0;
  shock_state(k, last, q);
  sim_t s = sim_new(MPI_COMM_SELF,
                    BASE CT
                    "mesh.trees=4 1\nmesh.xmin=-1 -0.25\nmesh.xmax=1 0.25\n"
                    "mesh.min_level=%d\nmesh.max_level=%d\nboundary.xlow=user\n"
                    "boundary.xhigh=user\nproblem.kind=shock\nphysics.ambipolar=%g\n"
                    "problem.left=1 2 0 0.01 %.17g %.17g\n"
                    "problem.right=%.17g %.17g %.17g %.17g %.17g %.17g\n%s",
                    level, level, k->ambipolar, k->bx, k->by0, q[RHO], q[VX], q[VY], q[PRS], k->bx,
                    last, keys);
  MUST(oak_initialize(s.sim));
  sim_run(&s, 10, 0);
  double *u = sim_read(&s, 6);
  for (int i = 0; i < oak_nblocks(s.sim) * s.cells; i++) {
    sim_center(&s, i / s.cells, i % s.cells, x);
    if (u[i] < middle && x[0] > low[0]) low[0] = x[0], low[1] = u[i];
    if (u[i] >= middle && x[0] < high[0]) high[0] = x[0], high[1] = u[i];
  }
  while (by[n] < middle) n++;
  const double at = low[0] + (high[0] - low[0]) * (middle - low[1]) / (high[1] - low[1]);
  for (int i = 0; i < oak_nblocks(s.sim) * s.cells; i++) {
    sim_center(&s, i / s.cells, i % s.cells, x);
    const int m = n + (int)lround((x[0] - at) / shock_step);
    const double there = m < 0 ? k->by0 : m < SHOCK_POINTS ? by[m] : last;
    error += fabs(u[i] - there) * sim_volume(&s, i / s.cells) / (last - k->by0);
  }
  report("C-shock, %d cells: middle at %.3f, %d steps, error %.2e", 32 << level, at,
         (int)oak_step(s.sim), error);
  free(u);
  sim_free(&s);
  return error;
}

static void test_shock(void **state) {
  (void)state;
  const double b = sqrt(0.5), v = 2, p = 0.01;
  const shock_t k = {
      v, v * v + p + 0.5 * b * b, 2.5 * p * v + 0.5 * v * v * v + v * b * b, -v * b, b, b, 0.05};
  static double by[SHOCK_POINTS];
  if (test_rank != 0) return;
  shock_profile(&k, by);
  const double coarse = shock_error(&k, by, 0, RKL2), fine = shock_error(&k, by, 1, RKL2);
  report("C-shock: order %.2f", log2(coarse / fine));
  assert_true(log2(coarse / fine) > 1.8);
}

static void test_walls(void **state) {
  (void)state;
  check_walls(BASE CT RKL2 ETA "physics.ambipolar=0.02\nmesh.xmin=0\nmesh.xmax=1\n");
}

/* ---- meshes that adapt */

static void test_adaptive(void **state) {
  (void)state;
#define BLAST                                                                                \
  CT "problem.name=mhd_blast\nproblem.radius=0.2\nscheme.flux=hlld\nscheme.limiter=minmod\n" \
     "mesh.block_size=8\nmesh.xmin=-0.5\nmesh.xmax=0.5\nmesh.min_level=1\n"                  \
     "mesh.max_level=3\nrun.cfl=0.4\nrefine.criterion=lohner\nrefine.variable=rho p\n"       \
     "refine.c_refine=0.3\nrefine.c_derefine=0.1\nmesh.adapt_every=2\n" WALLS                \
     "scheme.on_invalid=first_order\nphysics.resistivity=0.002\nphysics.ambipolar=0.002\n"
  static const char *const keys[] = {BLAST, BLAST RKL2,
                                     BLAST RKL2
                                     "mesh.dim=3\nboundary.zlow=reflect\n"
                                     "boundary.zhigh=outflow\n"};
  for (int n = 0; n < 3; n += test_stride(3)) {
    uint64_t hash[2] = {0, 0};
    for (int alone = 0; alone < (test_rank == 0 && test_size > 1 ? 2 : 1); alone++) {
      double before[TEST_MAX_NVAR], after[TEST_MAX_NVAR];
      sim_t s = sim_new(alone ? MPI_COMM_SELF : MPI_COMM_WORLD, "%s", keys[n]);
      MUST(oak_initialize(s.sim));
      MUST(oak_totals(s.sim, before));
      for (int step = 0; step < (n == 2 ? 8 : 24); step++) {
        MUST(oak_advance(s.sim, oak_time_step(s.sim)));
        if (step % 2) MUST(oak_adjust_refinement(s.sim, NULL));
      }
      MUST(oak_totals(s.sim, after));
      const double div = largest(&s, "divb"), energy = fabs(after[4] / before[4] - 1);
      hash[alone] = hash_of(&s);
      report("blast %d: div B %.1e, energy changes by %.1e", n, div, energy);
      assert_true(div < 1e-13);
      if (n < 2) assert_true(energy < 1e-13);
      sim_free(&s);
      if (alone) assert_true(hash[0] == hash[1]);
    }
  }
}

/* ---- refusals */

static void test_refusals(void **state) {
  (void)state;
  sim_t s;
  /* There are no kernels for what nothing needed at the start. */
  s = sim_new(MPI_COMM_WORLD, BASE CT HELIX "physics.nu=0.01\n");
  assert_int_equal(oak_params_set(s.params, "physics.resistivity", "0.01"), OAK_ERR_INPUT);
  assert_non_null(strstr(oak_last_error(), "cannot change after oak_create"));
  MUST(oak_params_set(s.params, "physics.nu", "0.02"));
  sim_free(&s);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_exact),    cmocka_unit_test(test_shortest),
      cmocka_unit_test(test_shock),    cmocka_unit_test(test_walls),
      cmocka_unit_test(test_adaptive), cmocka_unit_test(test_refusals)};
  return TEST_MAIN(tests);
}
