/* SPDX-License-Identifier: GPL-2.0-or-later
 * Double Mach reflection: the incident shock where the wall is not felt, the Mach stem where it
 * stands on the wall, the triple point, and AMR against the uniform mesh.
 *
 * The flow is a function of (x - 1/6)/t and y/t: stem and triple point move at constant speeds. */
#include "../verify.h"

static const double wall = 1.0 / 6, root3 = 1.7320508075688772, gamma_gas = 1.4, end = 0.2;
enum { DENSITY, PRESSURE = 3 };

/* A field on the uniform grid of the finest level. */
typedef struct {
  int size[3];
  double dx, *rho, *p;
} field_t;

static field_t field_of(const sim_t *s, int level) {
  field_t f;
  f.rho = verify_uniform(s, s->nvar + DENSITY, level, f.size);
  f.p = verify_uniform(s, s->nvar + PRESSURE, level, f.size);
  f.dx = 4.0 / f.size[0];
  return f;
}

static void field_free(field_t *f) {
  free(f->rho);
  free(f->p);
}

/* Position of the shock in row j: the first place, coming from the right, with the density 4.7.
 * This density lies between those of both sides of the shock. */
static double front(const field_t *f, int j) {
  const double *rho = f->rho + (size_t)j * f->size[0], level = 4.7;
  int i = f->size[0] - 1;
  while (i > 0 && rho[i] < level) i--;
  return (i + 0.5 + (rho[i] - level) / (rho[i] - rho[i + 1])) * f->dx;
}

static double incident(double y, double t) { return wall + (y + 20 * t) / root3; }

/* Height of the triple point: where the line through the fronts that are 2 to 10 cells ahead of the
 * incident shock meets it. */
static double triple_point(const field_t *f, double t) {
  double n = 0, sy = 0, sd = 0, syy = 0, syd = 0;
  for (int j = 0; j < f->size[1]; j++) {
    const double y = (j + 0.5) * f->dx, d = front(f, j) - incident(y, t);
    if (d < 2 * f->dx || d > 10 * f->dx) continue;
    n++;
    sy += y;
    sd += d;
    syy += y * y;
    syd += y * d;
  }
  const double slope = (n * syd - sy * sd) / (n * syy - sy * sy);
  return sy / n - sd / n / slope;
}

static void check_incident(verify_t *v, const field_t *f) {
  double error = 0, most = 0, n = 0;
  for (int j = 0; j < f->size[1]; j++) {
    const double y = (j + 0.5) * f->dx;
    if (y < 0.75) continue;
    most = fmax(most, fabs(front(f, j) - incident(y, end)) / f->dx);
    for (int i = 0; (i + 0.5) * f->dx < incident(y, end) - 4 * f->dx; i++, n++)
      error += fabs(f->rho[(size_t)j * f->size[0] + i] - 8);
  }
  verify_check(v, most, 0, 0, 1.03, "exact: it moves along x at 20/sqrt(3)",
               "y > 3/4: distance of the incident shock from its place, cells");
  verify_check(v, error / n, 0, 0, v->full ? 0.0064 : 0.0218, "Rankine-Hugoniot: 8",
               "y > 3/4: mean error of the density behind it");
}

/* The stem on the wall is a normal shock of speed (foot - 1/6)/t: returns the pressure behind it,
 * divided by the pressure that the Rankine-Hugoniot conditions give for this speed. */
static double foot_pressure(const field_t *f, double foot) {
  const double M = (foot - wall) / end;
  const int i = (int)(foot / f->dx) - 4;
  return f->p[i] / (1 + 2 * gamma_gas / (gamma_gas + 1) * (M * M - 1));
}

static void check_stem(verify_t *v, const field_t *half, const field_t *whole) {
  const double foot = front(whole, 0), before = front(half, 0);
  const double top = triple_point(whole, end), lower = triple_point(half, end / 2);
  FILE *table = verify_table(v, "stem", "t;stem on the wall x;triple point x;triple point y");
  verify_row(table, "%g;%.5f;%.5f;%.5f", end / 2, before, incident(lower, end / 2), lower);
  verify_row(table, "%g;%.5f;%.5f;%.5f", end, foot, incident(top, end), top);
  verify_close(table);
  verify_check(v, foot, 2.8, 2.75, 2.8, "published pictures of this problem: about 2.8",
               "the Mach stem on the wall, x");
  verify_check(v, (foot - before) / (before - wall), 1, 0.99, 1.01, "self-similar flow",
               "its way in the second half of the time over the first");
  verify_check(v, foot_pressure(whole, foot), 1, 1, 1.05,
               "Rankine-Hugoniot for the speed of the stem",
               "pressure behind it on the wall, relative");
  verify_check(v, (top - lower) / lower, 1, 0.97, 1.03, "self-similar flow",
               "rise of the triple point in the second half of the time over the first");
}

static sim_t start(verify_t *v, int level, int amr) {
  sim_t s = verify_new(v, "problems/double_mach.ini", "mesh.min_level=%d\nmesh.max_level=%d\n",
                       amr ? 1 : level, level);
  MUST(oak_initialize(s.sim));
  return s;
}

static void run(verify_t *v) {
  const int level = v->full ? 4 : 2;
  sim_t one = start(v, level, 0), amr = start(v, level, 1);
  verify_continue(&one, end / 2);
  field_t half = field_of(&one, level);
  verify_continue(&one, end);
  verify_continue(&amr, end);
  field_t whole = field_of(&one, level);
  check_incident(v, &whole);
  check_stem(v, &half, &whole);
  const verify_amr_t is =
      verify_amr(v, "AMR", &one, &amr, 0, level,
                 v->full ? (verify_amr_t){0.003, 0.26} : (verify_amr_t){0.00043, 0.61});
  FILE *table = verify_table(
      v, "amr", "finest cells;L1 difference of density;part of the updates;cells at the end");
  verify_row(table, "%d x %d;%.6f;%.4f;%.4f", whole.size[0], whole.size[1], is.difference,
             is.updates, verify_cell_fraction(&amr));
  verify_close(table);
  verify_picture(&amr, "amr", "rho", 1, 21);
  FILE *bottom = verify_table(v, "wall", "x;rho;p");
  for (int i = 0; i < whole.size[0]; i++)
    verify_row(bottom, "%.6g;%.6g;%.6g", (i + 0.5) * whole.dx, whole.rho[i], whole.p[i]);
  verify_close(bottom);
  field_free(&half);
  field_free(&whole);
  verify_free(&one);
  verify_free(&amr);
}

const verify_case_t verify_case_double_mach = {
    .name = "double_mach",
    .title = "Double Mach reflection",
    .source =
        "P. Woodward, P. Colella, J. Comput. Phys. 54 (1984) 115, section IVc; "
        "problems/double_mach.ini",
    .run = run};
