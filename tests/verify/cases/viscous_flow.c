/* SPDX-License-Identifier: GPL-2.0-or-later
 * Viscosity and heat conduction of a gas. Streams and Taylor-Green vortices fade as in the exact
 * solutions without compression. WENO5 and low Mach numbers keep the errors of the other fluxes and
 * of compression below those of viscosity, so that the order is that of the diffusive fluxes. On
 * meshes of two levels the flow crosses the refinement boundaries. A hot spot is computed with
 * explicit steps and by super time stepping with the steps that sound allows; the reference has
 * cells half as wide. */
#include "../verify.h"

static const double k = 6.283185307179586, nu = 0.05, end = 0.05;

static double vortices(const double x[3], double t, const void *data) {
  (void)data;
  return sin(k * x[0]) * cos(k * x[1]) * exp(-2 * nu * k * k * t);
}

static double shear(const double x[3], double t, const void *data) {
  (void)data;
  return sin(k * x[1]) * exp(-nu * k * k * t);
}

/* 8 << level cells per side, twice as many in the middle if `refined`. */
static sim_t start(verify_t *v, const char *flow, int level, int refined, const char *more) {
  return verify_new(v, "problems/taylor_green.ini",
                    "scheme.limiter=weno5\nscheme.integrator=rk4\nphysics.nu=%g\n"
                    "problem.flow=%s\nmesh.min_level=%d\nmesh.max_level=%d\nproblem.fine=%d\n%s",
                    nu, flow, level, level + refined, refined ? level + 1 : 0, more);
}

static void converge(verify_t *v, FILE *table, const char *flow, verify_exact_t *exact, int refined,
                     const char *keys) {
  enum { LAST = 3 };
  const char *mesh = refined ? "two levels" : "one level";
  double before = NAN, error = NAN;
  for (int level = 2; level <= LAST; level++) {
    sim_t s = start(v, flow, level, refined, keys);
    verify_run(&s, end);
    before = error;
    error = verify_error(&s, verify_variable(&s, "vx"), exact, NULL).l1;
    verify_free(&s);
    verify_row(table, "%s;%s;%d;%.6e;%.3f", flow, mesh, 8 << level, error,
               verify_order(before, error, 2));
  }
  verify_check(v, verify_order(before, error, 2), 2, 1.9, 2.6,
               "second order of gradients and fluxes", "%s, %s, %d to %d cells: order of L1", flow,
               mesh, 4 << LAST, 8 << LAST);
}

/* The hot spot. Its heat spreads over a cell 30 times faster than sound crosses the cell. */
static sim_t spot(verify_t *v, int level, const char *more) {
  char keys[256];
  snprintf(keys, sizeof keys,
           "physics.nu=0\nphysics.conductivity=1.4\nproblem.mach=1\nscheme.splitting=strang\n%s",
           more);
  sim_t s = start(v, "spot", level, 0, keys);
  verify_run(&s, 0.026);
  return s;
}

static void conduct(verify_t *v) {
  sim_t fine = spot(v, 3, ""), plain = spot(v, 2, "");
  sim_t super = spot(v, 2, "scheme.diffusion=rkl2\n");
  const int p = verify_variable(&fine, "p");
  const double e = verify_difference(&plain, &fine, p, 3);
  const double ratio = (double)oak_step(plain.sim) / oak_step(super.sim);
  verify_check(v, ratio, NAN, 20, 40, verify_measured,
               "hot spot, super time stepping: explicit steps in one step");
  verify_check(v, verify_difference(&super, &fine, p, 3) / e, 1, 0, 1.5,
               "explicit steps on the same mesh",
               "hot spot, super time stepping: error over that of explicit steps");
  verify_free(&fine);
  verify_free(&plain);
  verify_free(&super);
}

static void run(verify_t *v) {
  FILE *table = verify_table(v, "errors", "flow;mesh;cells;L1;order of L1");
  converge(v, table, "shear", shear, 0, "problem.mach=0.02\n");
  converge(v, table, "shear", shear, 1, "problem.mach=0.02\n");
  converge(v, table, "vortices", vortices, 1, "problem.mach=0.05\n");
  verify_close(table);
  conduct(v);
}

const verify_case_t verify_case_viscous_flow = {
    .name = "viscous_flow",
    .title = "Viscous flow and heat conduction",
    .source = "Taylor and Green 1937; Meyer, Balsara and Aslam 2014",
    .run = run};
