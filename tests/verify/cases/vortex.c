/* SPDX-License-Identifier: GPL-2.0-or-later
 * Isentropic vortex, once through the periodic square: error of the density at t = 10 against the
 * initial state, which is exact. All schemes evaluate one flux per face, from cell averages, and
 * start from values at cell centres. For nonlinear systems in several dimensions this is of second
 * order, whatever the order of the reconstruction. With WENO5 it shows only where the errors of the
 * reconstruction have become small: the order is above 2 on coarse grids and 2 on fine ones. */
#include "../verify.h"

static double exact_density(const double x[3], double t, const void *data) {
  const double r2 = x[0] * x[0] + x[1] * x[1], gamma = 1.4;
  const double e = 5 / 6.283185307179586 * exp(0.5 * (1 - r2));
  (void)t, (void)data;
  return pow(1 - (gamma - 1) / (2 * gamma) * e * e, 1 / (gamma - 1));
}

/* The criterion of the refinement counts second differences, which shrink with dx^2: one level more
 * needs a quarter of the threshold of problems/vortex.ini, or the mesh becomes coarser. */
static sim_t start(verify_t *v, int low, int high, const char *limiter, const char *integrator) {
  const double c_refine = 0.02 * pow(4, 3 - high);
  return verify_new(v, "problems/vortex.ini",
                    "mesh.min_level=%d\nmesh.max_level=%d\nscheme.limiter=%s\n"
                    "scheme.integrator=%s\noutput.picture_width=480\nrefine.c_refine=%g\n"
                    "refine.c_derefine=%g\n",
                    low, high, limiter, integrator, c_refine, c_refine / 4);
}

typedef struct {
  double low, high; /* of the order between the two finest grids */
  double error;     /* on the finest grid, as measured */
} expected_t;

/* Grids of 32 to 16 << last cells per side. */
static void converge(verify_t *v, FILE *table, const char *limiter, const char *integrator,
                     int last, const expected_t *want) {
  verify_error_t before, e = {NAN, NAN, NAN};
  double order = NAN;
  for (int level = 1; level <= last; level++) {
    sim_t s = start(v, level, level, limiter, integrator);
    verify_run(&s, 10);
    before = e;
    e = verify_error(&s, verify_variable(&s, "rho"), exact_density, NULL);
    order = verify_order(before.l1, e.l1, 2);
    verify_row(table, "%s;%d;%.6e;%.3f;%.6e;%.3f", limiter, 16 << level, e.l1, order, e.l2,
               verify_order(before.l2, e.l2, 2));
    verify_free(&s);
  }
  verify_check(v, order, 2, want->low, want->high,
               "2 on fine grids: one flux per face, from cell averages",
               "%s, %d to %d cells: order of L1", limiter, 8 << last, 16 << last);
  verify_regression(v, e.l1, want->error, "%s, %d cells: L1 error", limiter, 16 << last);
}

/* The mesh that follows the vortex against the uniform one of its finest level. */
static void compare_meshes(verify_t *v, int low, int high, const double most[3]) {
  const char *const source = "what AMR can reach: the uniform mesh of the finest level";
  sim_t uniform = start(v, high, high, "koren", "ssprk33");
  sim_t amr = start(v, low, high, "koren", "ssprk33");
  verify_run(&uniform, 10);
  verify_run(&amr, 10);
  const int rho = verify_variable(&amr, "rho");
  const double e = verify_error(&uniform, rho, exact_density, NULL).l1;
  verify_check(v, verify_error(&amr, rho, exact_density, NULL).l1 / e, 1, 0.9, most[0], source,
               "AMR: L1 error over that of the uniform mesh");
  verify_check(v, verify_difference(&amr, &uniform, rho, high) / e, 0, 0, most[1], source,
               "AMR: L1 difference to the uniform mesh, over its error");
  verify_check(v, (double)oak_cell_updates(amr.sim) / oak_cell_updates(uniform.sim), NAN, 0,
               most[2], verify_measured, "AMR: cell updates over those of the uniform mesh");
  verify_picture(&amr, "vortex", "rho", 0.5, 1);
  verify_free(&amr);
  verify_free(&uniform);
}

static void run(verify_t *v) {
  FILE *table = verify_table(v, "errors", "limiter;cells;L1;order of L1;L2;order of L2");
  if (v->full) {
    converge(v, table, "vanleer", "heun", 4, &(expected_t){2.1, 2.25, 9.22e-5});
    converge(v, table, "koren", "ssprk33", 4, &(expected_t){2.58, 2.74, 2.444e-5});
    converge(v, table, "weno5", "rk4", 4, &(expected_t){1.95, 2.05, 1.347e-5});
    compare_meshes(v, 2, 4, (const double[3]){1.28, 0.95, 0.44});
  } else {
    converge(v, table, "koren", "ssprk33", 2, &(expected_t){2.55, 2.7, 1.021e-3});
    converge(v, table, "weno5", "rk4", 2, &(expected_t){2.95, 3.1, 2.268e-4});
    compare_meshes(v, 1, 3, (const double[3]){1.18, 0.46, 0.55});
  }
  verify_close(table);
}

const verify_case_t verify_case_vortex = {
    .name = "vortex",
    .title = "Isentropic vortex in a stream",
    .source = "Shu 1997 (ICASE 97-65), section 5.1; Yee, Sandham, Djomehri 1999; one period",
    .run = run};
