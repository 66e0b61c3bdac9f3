/* SPDX-License-Identifier: GPL-2.0-or-later
 * Sedov blast waves in a quadrant and an octant between mirrors, against the self-similar solution
 * (tests/verify/sedov_exact.h). The energies are those of Kamm and Timmes for gamma = 1.4: at t = 1
 * the shock is at 0.75 in 2D and at 1 in 3D. The energy starts as a Gaussian as wide as 2.5 cells,
 * so the source shrinks as the mesh is refined.
 *
 * For the radius of the shock, the density is averaged over shells one cell thick. The radius is
 * the outermost one at which this density is halfway between its largest value and 1, the density
 * ahead. */
#include "../radial.h"
#include "../sedov_exact.h"

static const char kamm[] = "Kamm, Timmes, LA-UR-07-2849 (2007)";
static const char similar[] = "self-similar solution, integrated (tests/verify/sedov_exact.h)";

/* One blast: what is run, the exact solution, and what is measured at t = 1. */
typedef struct {
  int dim, level, blocks; /* finest level, cells of a block */
  int adaptive;
  double energy, size; /* size of the domain */
  const sedov_t *exact;
  double radius, peak, l1;
} blast_t;

static double exact_density(const double x[3], double t, const void *data) {
  const blast_t *b = data;
  double q[3];
  sedov_at(b->exact, b->energy, 1, t, radius(x), q);
  return q[0];
}

static sim_t run_blast(verify_t *v, const blast_t *b) {
  const int cells = b->blocks << b->level;
  sim_t s = verify_new(
      v, "problems/sedov.ini",
      "mesh.dim=%d\nmesh.block_size=%d\nmesh.xmin=0\nmesh.xmax=%.17g\nmesh.min_level=%d\n"
      "mesh.max_level=%d\nproblem.energy=%.17g\nproblem.width=%.17g\nboundary.xlow=reflect\n"
      "boundary.ylow=reflect\nboundary.zlow=reflect\nscheme.flux=hll\n",
      b->dim, b->blocks, b->size, b->adaptive ? 0 : b->level, b->level, b->energy,
      2.5 * b->size / cells);
  verify_run(&s, 1);
  return s;
}

static void measure(const sim_t *s, blast_t *b) {
  const double dx = b->size / (b->blocks << b->level);
  radial_t p = radial_profile(s, 0, dx, b->size);
  b->peak = radial_largest(&p);
  b->radius = radial_fall(&p, 0.5 * (b->peak + 1));
  b->l1 = verify_error(s, 0, exact_density, b).l1;
  radial_free(&p);
}

/* The profiles at t = 1: up to the shock, then the gas ahead, which is uniform. */
static void write_exact(verify_t *v, const char *name, const blast_t *b) {
  const double R = sedov_radius(b->exact, b->energy, 1, 1);
  FILE *table = verify_table(v, name, "r;rho;u;p");
  for (int i = 0; i <= 402 && table; i++) {
    const double r = i <= 400 ? i * R / 400 : i == 401 ? R * 1.000001 : b->size;
    double q[3];
    sedov_at(b->exact, b->energy, 1, 1, r, q);
    fprintf(table, "%.9g;%.6g;%.6g;%.6g\n", r, q[0], q[1], q[2]);
  }
  verify_close(table);
}

/* Bounds of the finest mesh, and of the adaptive one against it. */
typedef struct {
  double cells; /* distance of the shock from its exact radius */
  double peak, l1, order;
  verify_amr_t amr;
} bounds_t;

static void check_uniform(verify_t *v, const blast_t *b, double coarse_l1, const bounds_t *bound) {
  const double R = sedov_radius(b->exact, b->energy, 1, 1);
  const double off = bound->cells * b->size / (b->blocks << b->level);
  verify_check(v, b->radius, R, R - off, R + off, similar, "%dD, %d^%d cells: radius of the shock",
               b->dim, b->blocks << b->level, b->dim);
  verify_check(v, b->peak, 6, bound->peak, 6, similar, "%dD: largest density", b->dim);
  verify_check(v, b->l1, 0, 0, bound->l1, similar, "%dD: L1 error of the density", b->dim);
  verify_check(v, verify_order(coarse_l1, b->l1, 2), 1, bound->order, 1.1, "a shock: first order",
               "%dD: its order, last two meshes", b->dim);
}

/* Compare the adaptive run a with the run b on the uniform mesh of a's finest level. */
static void check_adaptive(verify_t *v, const blast_t *a, const blast_t *b) {
  static const char same[] = "the uniform mesh of the finest level";
  const double dx = b->size / (b->blocks << b->level);
  verify_check(v, a->radius, b->radius, b->radius - 0.02 * dx, b->radius + 0.02 * dx, same,
               "%dD adaptive: radius of the shock", a->dim);
  verify_check(v, a->l1 / b->l1, 1, 0, 1.01, same,
               "%dD adaptive: L1 error over that of the uniform mesh", a->dim);
}

static void write_row(FILE *table, const blast_t *b, double updates) {
  verify_row(table, "%d;%s;%d;%.5f;%.4f;%.5f;%.3f", b->dim, b->adaptive ? "adaptive" : "uniform",
             b->blocks << b->level, b->radius, b->peak, b->l1, updates);
}

/* Uniform runs at two levels, the finer one is b; an adaptive run up to the level of b. */
static void blast(verify_t *v, FILE *table, blast_t b, const bounds_t *bound) {
  blast_t before = b, a = b;
  before.level--;
  a.adaptive = 1;
  sim_t s = run_blast(v, &before);
  measure(&s, &before);
  verify_free(&s);
  s = run_blast(v, &b);
  sim_t amr = run_blast(v, &a);
  measure(&s, &b);
  measure(&amr, &a);
  write_row(table, &before, 1);
  write_row(table, &b, 1);
  check_uniform(v, &b, before.l1, bound);
  check_adaptive(v, &a, &b);
  const verify_amr_t is =
      verify_amr(v, b.dim == 3 ? "3D adaptive" : "2D adaptive", &s, &amr, 0, b.level, bound->amr);
  write_row(table, &a, is.updates);
  radial_show(&amr, a.level, a.dim == 3 ? 4 : 5.5);
  write_exact(v, a.dim == 3 ? "exact_3d" : "exact_2d", &a);
  verify_free(&s);
  verify_free(&amr);
}

static void run(verify_t *v) {
  static sedov_t exact[2];
  sedov_solve(&exact[0], 2, 1.4);
  sedov_solve(&exact[1], 3, 1.4);
  const double E2 = 0.311357, E3 = 0.851072;
  verify_check(v, sedov_radius(&exact[0], E2, 1, 1), 0.75, 0.75 - 1e-5, 0.75 + 1e-5, kamm,
               "the exact solution: radius in 2D at t = 1");
  verify_check(v, sedov_radius(&exact[1], E3, 1, 1), 1, 1 - 1e-5, 1 + 1e-5, kamm,
               "the exact solution: radius in 3D at t = 1");
  FILE *table = verify_table(
      v, "blasts", "dim;mesh;cells;radius;largest density;L1 error of density;cell updates");
  const bounds_t fine2 = {0.95, 4.95, 0.0345, 0.72, {0.0034, 0.11}};
  const bounds_t coarse2 = {0.95, 4.4, 0.06, 0.62, {0.002, 0.31}};
  const bounds_t fine3 = {0.9, 3.6, 0.09, 0.45, {2e-4, 0.3}};
  const bounds_t coarse3 = {0.8, 2.8, 0.125, 0.37, {2e-4, 0.7}};
  const blast_t in2 = {.dim = 2,
                       .level = v->full ? 4 : 3,
                       .blocks = 16,
                       .energy = E2,
                       .size = 1,
                       .exact = &exact[0]};
  const blast_t in3 = {.dim = 3,
                       .level = v->full ? 3 : 2,
                       .blocks = 8,
                       .energy = E3,
                       .size = 1.2,
                       .exact = &exact[1]};
  blast(v, table, in2, v->full ? &fine2 : &coarse2);
  blast(v, table, in3, v->full ? &fine3 : &coarse3);
  verify_close(table);
}

const verify_case_t verify_case_sedov = {
    .name = "sedov",
    .title = "Sedov-Taylor blast wave",
    .source =
        "L. I. Sedov, Similarity and Dimensional Methods in Mechanics (1959); J. R. Kamm, F. "
        "X. Timmes, LA-UR-07-2849 (2007)",
    .run = run};
