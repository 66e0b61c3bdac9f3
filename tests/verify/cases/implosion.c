/* SPDX-License-Identifier: GPL-2.0-or-later
 * Implosion in a box: symmetry about the diagonal, the exact solution on the diagonal before waves
 * from the walls arrive there, and the position of the jet. */
#include "../exact_riemann.h"
#include "../verify.h"

static const double box = 0.3, side = 0.15;

/* A run with its density on the uniform grid of the finest level. */
typedef struct {
  sim_t s;
  int n; /* cells along a side */
  double *rho;
} run_t;

/* `cells` a side on the finest of levels 0 to 2; uniform, or with AMR. */
static run_t run_to(verify_t *v, int cells, int amr, const char *limiter, const char *flux,
                    const char *flags, double end) {
  const int trees = cells / 64;
  int size[3];
  run_t r = {.s = verify_new(v, "problems/implosion.ini",
                             "mesh.trees=%d %d\nmesh.min_level=%d\nmesh.max_level=2\n"
                             "scheme.limiter=%s\nscheme.flux=%s\ndevice.flags=%s\n"
                             "output.picture_mesh=%s\n",
                             trees, trees, amr ? 0 : 2, limiter, flux, flags, amr ? "yes" : "no")};
  verify_run(&r.s, end);
  r.rho = verify_uniform(&r.s, 0, 2, size);
  r.n = size[0];
  return r;
}

static void run_free(run_t *r) {
  free(r->rho);
  verify_free(&r->s);
}

/* Largest difference of the density from its mirror image about the diagonal. */
static double asymmetry(const run_t *r) {
  double most = 0;
  for (int j = 0; j < r->n; j++)
    for (int i = 0; i < j; i++)
      most = fmax(most, fabs(r->rho[(size_t)j * r->n + i] - r->rho[(size_t)i * r->n + j]));
  return most;
}

/* Length of the jet: light gas gathers in the corner and leaves it along the diagonal. The end of
 * the jet is the last point with a density below 0.6, in parts of the diagonal. */
static double jet_tip(const run_t *r) {
  for (int i = r->n - 1; i > 0; i--) {
    const double here = r->rho[(size_t)i * r->n + i];
    const double before = r->rho[(size_t)(i - 1) * r->n + i - 1];
    if (before < 0.6) return (i - 0.5 + (0.6 - before) / (here - before)) / r->n;
  }
  return 0;
}

/* Without contraction of a * b + c every sum of a uniform mesh is the same when x and y change
 * places, and so is the result, bit for bit. Averages of four cells are not: with AMR, and with
 * contraction, the difference is one of rounding, which unstable contacts amplify in time. */
static const char *const symmetric_flags = "-ffp-contract=off";

static void check_symmetry(verify_t *v, const char *what, const run_t *r, double bound) {
  verify_check(v, asymmetry(r), 0, 0, v->fuses ? fmax(bound, 1e-11) : bound,
               "symmetry of the problem", "%s: difference from the mirror image", what);
}

/* On the diagonal, the waves from the edge of the diamond are plane until waves from the walls
 * arrive. The density there is compared with the exact solution of the Riemann problem across the
 * edge. */
static void early(verify_t *v) {
  const gas_t in = {0.125, 0, 0.14}, out = {1, 0, 1};
  const riemann_t exact = riemann_solve(1.4, in, out);
  const double end = 0.03;
  run_t r = run_to(v, v->full ? 256 : 128, 0, "vanleer", "hllc", symmetric_flags, end);
  FILE *table = verify_table(v, "diagonal", "distance from the edge;rho;exact rho");
  double error = 0;
  for (int i = 0; i < r.n; i++) {
    const double x = (i + 0.5) * box / r.n, distance = (2 * x - side) / sqrt(2);
    const double want = riemann_sample(&exact, distance / end).rho,
                 rho = r.rho[(size_t)i * (r.n + 1)];
    verify_row(table, "%.6g;%.6g;%.6g", distance, rho, want);
    error += fabs(rho - want) / r.n;
  }
  verify_close(table);
  verify_check(v, error, 0, 0, v->full ? 0.00156 : 0.0031,
               "exact solution of the Riemann problem across the edge",
               "t = 0.03: L1 of density on the diagonal");
  run_free(&r);
}

static void symmetry(verify_t *v) {
  static const char *const limiters[] = {"vanleer", "weno5"}, *const fluxes[] = {"hllc", "roe"};
  const int cells = v->full ? 128 : 64;
  char what[96];
  for (int f = 0; f < 2; f++) {
    run_t r = run_to(v, cells, 0, limiters[f], fluxes[f], symmetric_flags, 0.5);
    snprintf(what, sizeof what, "t = 0.5, %d cells, %s, %s", r.n, limiters[f], fluxes[f]);
    check_symmetry(v, what, &r, 0);
    run_free(&r);
  }
}

/* AMR against the uniform mesh of its finest level; at full resolution with the jet. */
static void adaptive(verify_t *v) {
  const int cells = v->full ? 256 : 128;
  const double end = v->full ? 2.5 : 0.5;
  char what[96];
  run_t one = run_to(v, cells, 0, "vanleer", "hllc", symmetric_flags, end);
  run_t amr = run_to(v, cells, 1, "vanleer", "hllc", symmetric_flags, end);
  const verify_amr_t is =
      verify_amr(v, "AMR", &one.s, &amr.s, 0, 2,
                 v->full ? (verify_amr_t){0.0023, 0.62} : (verify_amr_t){0.0004, 0.68});
  FILE *table = verify_table(v, "amr",
                             "finest cells;t;L1 difference of density;part of the updates;cells at "
                             "the end;jet uniform;jet AMR");
  verify_row(table, "%d;%g;%.6f;%.4f;%.4f;%.4f;%.4f", one.n, end, is.difference, is.updates,
             verify_cell_fraction(&amr.s), jet_tip(&one), jet_tip(&amr));
  verify_close(table);
  snprintf(what, sizeof what, "t = %g, %d cells, uniform", end, one.n);
  check_symmetry(v, what, &one, 0);
  snprintf(what, sizeof what, "t = %g, %d cells, AMR", end, one.n);
  check_symmetry(v, what, &amr, v->full ? 1e-11 : 1e-13);
  if (v->full) {
    verify_check(v, jet_tip(&one), NAN, 0.202, 0.224,
                 "a jet on the diagonal as in figure 4.11 of Liska and Wendroff",
                 "t = 2.5: the jet's tip, parts of the diagonal");
    verify_check(v, jet_tip(&amr), jet_tip(&one), 0.202, 0.224,
                 "the uniform mesh of the finest level", "t = 2.5, AMR: the jet's tip");
  }
  verify_picture(&one.s, "uniform", "rho", 0.35, 1.1);
  verify_picture(&amr.s, "amr", "rho", 0.35, 1.1);
  run_free(&one);
  run_free(&amr);
}

static void run(verify_t *v) {
  early(v);
  symmetry(v);
  adaptive(v);
}

const verify_case_t verify_case_implosion = {
    .name = "implosion",
    .title = "Implosion of Liska and Wendroff",
    .source =
        "R. Liska, B. Wendroff, SIAM J. Sci. Comput. 25 (2003) 995, section 4.7; "
        "problems/implosion.ini",
    .run = run};
