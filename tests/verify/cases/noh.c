/* SPDX-License-Identifier: GPL-2.0-or-later
 * Noh's implosion in a quadrant and an octant. Exact, at t = 2: behind the shock at r = 2/3 gas at
 * rest with density 4^d and pressure 4^d/3, before it density (1 + t/r)^(d - 1).
 *
 * The plateau is the mean over shells from 0.3 to 0.9 of the shock's radius. This leaves out the
 * error at the centre ("wall heating": gas that was heated too much when the shock started has too
 * low a density), which is measured separately, as the density in the inner tenth of the radius.
 * The radius of the shock is the outermost radius at which the density, averaged over shells one
 * cell thick, falls through the mean of the exact densities on both sides. */
#include "../radial.h"

static const char paper[] = "W. F. Noh, J. Comput. Phys. 72 (1987) 78";
static const double end = 2, shock = 2. / 3;

typedef struct {
  int dim, blocks, level, adaptive;
  double radius, density, pressure, centre, l1;
} implosion_t;

static double exact_density(const double x[3], double t, const void *data) {
  const int dim = *(const int *)data;
  const double r = radius(x);
  return r < t / 3 ? pow(4, dim) : pow(1 + t / r, dim - 1);
}

static sim_t run_implosion(verify_t *v, const implosion_t *b) {
  sim_t s = verify_new(v, "problems/noh.ini",
                       "mesh.dim=%d\nmesh.block_size=%d\nmesh.min_level=%d\nmesh.max_level=%d\n",
                       b->dim, b->blocks, b->adaptive ? 0 : b->level, b->level);
  verify_run(&s, end);
  return s;
}

static void measure(const sim_t *s, implosion_t *b) {
  const double dx = 1. / (b->blocks << b->level);
  const double behind = pow(4, b->dim), ahead = pow(4, b->dim - 1);
  radial_t rho = radial_profile(s, 0, dx, 1);
  radial_t p = radial_profile(s, verify_variable(s, "p"), dx, 1);
  b->radius = radial_fall(&rho, 0.5 * (behind + ahead));
  b->density = radial_mean(&rho, b->dim, 0.3 * shock, 0.9 * shock);
  b->pressure = radial_mean(&p, b->dim, 0.3 * shock, 0.9 * shock);
  b->centre = radial_mean(&rho, b->dim, 0, 0.1 * shock);
  b->l1 = verify_error(s, 0, exact_density, &b->dim).l1 / behind;
  radial_free(&rho);
  radial_free(&p);
}

static void write_exact(verify_t *v, const char *name, int dim) {
  FILE *table = verify_table(v, name, "r;rho");
  for (int i = 0; i < 600 && table; i++) {
    const double x[3] = {1.4 * (i + 0.5) / 600};
    fprintf(table, "%.6g;%.6g\n", x[0], exact_density(x, end, &dim));
  }
  verify_close(table);
}

static void write_row(FILE *table, const implosion_t *b, double updates) {
  verify_row(table, "%d;%s;%d;%.5f;%.3f;%.4f;%.3f;%.5f;%.3f", b->dim,
             b->adaptive ? "adaptive" : "uniform", b->blocks << b->level, b->radius, b->density,
             b->pressure, b->centre, b->l1, updates);
}

typedef struct {
  double plateau;       /* relative, of density and pressure */
  double cells;         /* distance of the shock from its exact radius */
  double centre, l1[2]; /* uniform, adaptive */
  verify_amr_t amr;
} bounds_t;

/* Against the exact solution. */
static void check(verify_t *v, const implosion_t *b, const bounds_t *bound) {
  const char *mesh = b->adaptive ? "adaptive" : "uniform";
  const double behind = pow(4, b->dim), off = bound->cells / (b->blocks << b->level);
  const double low = 1 - bound->plateau, high = 1 + bound->plateau;
  verify_check(v, b->density, behind, low * behind, high * behind, paper,
               "%dD, %d^%d cells, %s: density behind the shock", b->dim, b->blocks << b->level,
               b->dim, mesh);
  verify_check(v, b->pressure, behind / 3, low * behind / 3, high * behind / 3, paper,
               "%dD %s: pressure behind the shock", b->dim, mesh);
  verify_check(v, b->radius, shock, shock - off, shock + off, paper, "%dD %s: radius of the shock",
               b->dim, mesh);
  verify_check(v, b->l1, 0, 0, bound->l1[b->adaptive], paper,
               "%dD %s: L1 error of the density, over 4^d", b->dim, mesh);
  verify_check(v, b->centre, behind, bound->centre, behind, paper,
               "%dD %s: density at the centre (wall heating)", b->dim, mesh);
}

/* Uniform runs at two levels, the finer one is b; an adaptive run up to the level of b. */
static void implosion(verify_t *v, FILE *table, implosion_t b, const bounds_t *bound) {
  implosion_t before = b, a = b;
  before.level--;
  a.adaptive = 1;
  sim_t s = run_implosion(v, &before);
  measure(&s, &before);
  verify_free(&s);
  s = run_implosion(v, &b);
  sim_t amr = run_implosion(v, &a);
  measure(&s, &b);
  measure(&amr, &a);
  write_row(table, &before, 1);
  write_row(table, &b, 1);
  check(v, &b, bound);
  verify_check(v, verify_order(before.l1, b.l1, 2), 1, 0.9, 1.15, "a shock: first order",
               "%dD uniform: order of the L1 error, last two meshes", b.dim);
  check(v, &a, bound);
  const verify_amr_t is =
      verify_amr(v, b.dim == 3 ? "3D adaptive" : "2D adaptive", &s, &amr, 0, b.level, bound->amr);
  write_row(table, &a, is.updates);
  MUST(oak_params_set(amr.params, "output.picture_mesh", "yes"));
  radial_show(&amr, a.level, 1.1 * pow(4, a.dim));
  write_exact(v, a.dim == 3 ? "exact_3d" : "exact_2d", a.dim);
  verify_free(&s);
  verify_free(&amr);
}

static void run(verify_t *v) {
  FILE *table =
      verify_table(v, "implosions",
                   "dim;mesh;cells;radius;density;pressure;density at the centre;L1 error "
                   "of density;cell updates");
  const bounds_t fine2 = {0.004, 0.42, 15.5, {0.00245, 0.0039}, {0.0368, 0.22}};
  const bounds_t coarse2 = {0.0055, 0.45, 15.2, {0.005, 0.006}, {0.0352, 0.36}};
  const bounds_t fine3 = {0.04, 0.64, 48.5, {0.0092, 0.0131}, {0.352, 0.3}};
  const bounds_t coarse3 = {0.07, 0.61, 48, {0.018, 0.0228}, {0.358, 0.62}};
  const implosion_t in2 = {.dim = 2, .blocks = 16, .level = v->full ? 4 : 3};
  const implosion_t in3 = {.dim = 3, .blocks = 8, .level = v->full ? 3 : 2};
  implosion(v, table, in2, v->full ? &fine2 : &coarse2);
  implosion(v, table, in3, v->full ? &fine3 : &coarse3);
  verify_close(table);
}

const verify_case_t verify_case_noh = {
    .name = "noh", .title = "Noh implosion", .source = paper, .run = run};
