/* SPDX-License-Identifier: GPL-2.0-or-later
 * Paper, section "Convergence testing": a Gaussian carried once through the periodic domain along
 * the diagonal, van Leer with Heun and WENO5 with RK4, on uniform meshes of 16^d blocks. For WENO5
 * the CFL number shrinks with dx^(1/4) from 0.5 on the coarsest mesh, so that the errors of RK4 in
 * time, of fourth order, shrink with dx^5. */
#include "../verify.h"

/* exp(-d^2 / R^2); at t = 1 it is back. The images beyond the periodic boundary are below 1e-10. */
static double gaussian(const double x[3], double t, const void *data) {
  const int dim = *(const int *)data;
  double d2 = 0;
  (void)t;
  for (int d = 0; d < dim; d++) d2 += (x[d] - 0.5) * (x[d] - 0.5);
  return exp(-d2 / 0.01);
}

static verify_error_t error_at(verify_t *v, int dim, int level, int first, int weno) {
  const double cfl = 0.5 * (weno ? pow(0.5, 0.25 * (level - first)) : 1);
  sim_t s = verify_new(v, "problems/advection.ini",
                       "mesh.dim=%d\nmesh.min_level=%d\nmesh.max_level=%d\nproblem.shape=gaussian\n"
                       "scheme.limiter=%s\nscheme.integrator=%s\nrun.cfl=%.17g\n",
                       dim, level, level, weno ? "weno5" : "vanleer", weno ? "rk4" : "heun", cfl);
  verify_run(&s, 1);
  const verify_error_t e = verify_error(&s, 0, gaussian, &dim);
  verify_free(&s);
  return e;
}

/* What the orders of the last step must be. */
typedef struct {
  double l1, l2, low1, high1, low2, high2;
} expected_t;

enum { MOST = 8 }; /* levels */

/* \param [out] order of L1 at each level from 2 to last */
static void converge(verify_t *v, FILE *table, int dim, int weno, int last, const expected_t *want,
                     double order[MOST]) {
  static const char *const paper = "foap4 paper, section Convergence testing (there in 2D)";
  const int first = 1;
  verify_error_t before = {0};
  double order1 = NAN, order2 = NAN;
  const char *const name = weno ? "WENO5" : "van Leer";
  for (int level = first; level <= last; level++) {
    const verify_error_t e = error_at(v, dim, level, first, weno);
    if (level > first) {
      order1 = verify_order(before.l1, e.l1, 2);
      order2 = verify_order(before.l2, e.l2, 2);
    }
    verify_row(table, "%d;%s;%d;%.6e;%.3f;%.6e;%.3f", dim, weno ? "weno5" : "vanleer", 16 << level,
               e.l1, order1, e.l2, order2);
    order[level] = order1;
    before = e;
  }
  verify_check(v, order1, want->l1, want->low1, want->high1, paper,
               "%s, %dD, %d to %d cells: order of L1", name, dim, 8 << last, 16 << last);
  verify_check(v, order2, want->l2, want->low2, want->high2, paper,
               "%s, %dD, %d to %d cells: order of L2", name, dim, 8 << last, 16 << last);
}

/* The error is the sum of what each axis contributes alone. With the same cells across the
 * Gaussian, the order is therefore the same in 2D and 3D. In 2D the meshes become fine enough for
 * the order of the scheme. */
static void compare(verify_t *v, int weno, int level, const double in_2d[], const double in_3d[]) {
  verify_check(v, in_3d[level] / in_2d[level], 1, 0.96, 1.04, "2D, the same cell width",
               "%s, %d to %d cells: order of L1 in 3D over that in 2D", weno ? "WENO5" : "van Leer",
               8 << level, 16 << level);
}

static void run(verify_t *v) {
  double order[2][2][MOST]; /* dimension, limiter */
  FILE *table = verify_table(v, "errors", "dim;limiter;cells;L1;order of L1;L2;order of L2");
  if (v->full) {
    converge(v, table, 2, 0, 6, &(expected_t){2, 1.75, 1.85, 1.96, 1.7, 1.8}, order[0][0]);
    converge(v, table, 2, 1, 5, &(expected_t){5, 5, 4.9, 5.1, 4.9, 5.1}, order[0][1]);
    converge(v, table, 3, 0, 3, &(expected_t){2, 1.75, 1.7, 1.9, 1.55, 1.7}, order[1][0]);
    converge(v, table, 3, 1, 3, &(expected_t){5, 5, 4.45, 4.75, 4.45, 4.75}, order[1][1]);
    for (int weno = 0; weno < 2; weno++) compare(v, weno, 3, order[0][weno], order[1][weno]);
  } else {
    converge(v, table, 2, 0, 4, &(expected_t){2, 1.75, 1.8, 1.9, 1.66, 1.75}, order[0][0]);
    converge(v, table, 2, 1, 3, &(expected_t){5, 5, 4.5, 4.7, 4.5, 4.7}, order[0][1]);
    converge(v, table, 3, 0, 2, &(expected_t){2, 1.75, 1.38, 1.48, 1.3, 1.4}, order[1][0]);
    compare(v, 0, 2, order[0][0], order[1][0]);
  }
  verify_close(table);
}

const verify_case_t verify_case_convergence = {
    .name = "convergence",
    .title = "Convergence of scalar advection",
    .source = "foap4 paper, figure \"Convergence test results\": 2D, blocks of 16^2",
    .run = run};
