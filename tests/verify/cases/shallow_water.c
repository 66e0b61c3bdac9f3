/* SPDX-License-Identifier: GPL-2.0-or-later
 * Shallow water. Dams break over a flat bed, onto water and onto dry ground, beside the exact
 * solutions. A lake around an island stays at rest on a mesh of several levels. */
#include "../verify.h"

/* Depths behind and before the dam, which is at x = 1/2; g = 1. */
typedef struct {
  double high, low;
} dam_t;

/* Depth h and speed u between the waves, where the rarefaction and the bore have the same speed. */
static void find_middle(const dam_t *dam, double *h, double *u) {
  double below = dam->low, above = dam->high;
  for (int n = 0; n < 100; n++) {
    *h = 0.5 * (below + above);
    *u = 2 * (sqrt(dam->high) - sqrt(*h));
    const double bore = (*h - dam->low) * sqrt(0.5 * (*h + dam->low) / (*h * dam->low));
    if (*u > bore)
      below = *h;
    else
      above = *h;
  }
}

static double depth(const double x[3], double t, const void *data) {
  const dam_t *dam = data;
  const double c = sqrt(dam->high), xi = (x[0] - 0.5) / t;
  double h = 0, u = 2 * c, front = 2 * c;
  if (dam->low > 0) {
    find_middle(dam, &h, &u);
    front = h * u / (h - dam->low);
  }
  if (xi < -c) return dam->high;
  if (xi < u - sqrt(h)) return (2 * c - xi) * (2 * c - xi) / 9;
  return xi < front ? h : dam->low;
}

static void break_dam(verify_t *v, FILE *table, double low) {
  const dam_t dam = {1, low};
  const int last = v->full ? 32 : 16;
  double before = NAN, error = NAN, volume = 0;
  for (int trees = 8; trees <= last; trees *= 2) {
    double start, end;
    sim_t s = verify_new(v, "problems/island.ini",
                         "problem.top=0\nproblem.dam=0.5\nproblem.high=1\nproblem.low=%g\n"
                         "physics.gravity=1\nrefine.criterion=none\nmesh.trees=%d 1\n"
                         "mesh.xmax=1 %.17g\nmesh.min_level=0\nmesh.max_level=0\n",
                         low, trees, 1.0 / trees);
    double totals[8];
    MUST(oak_initialize(s.sim));
    MUST(oak_totals(s.sim, totals));
    start = totals[0];
    verify_continue(&s, 0.2);
    MUST(oak_totals(s.sim, totals));
    end = totals[0];
    before = error;
    error = verify_error(&s, verify_variable(&s, "h"), depth, &dam).l1;
    volume = fmax(volume, fabs(end / start - 1));
    verify_free(&s);
    verify_row(table, "%g;%d;%.6e;%.3f", low, 8 * trees, error, verify_order(before, error, 2));
  }
  verify_check(v, verify_order(before, error, 2), 1, 0.85, 1.1,
               "first order at the bore and at the ends of the rarefaction",
               "dam before depth %g, %d to %d cells: order of L1", low, 4 * last, 8 * last);
  verify_check(v, volume, 0, 0, 1e-13, "conservation", "dam before depth %g: change of the volume",
               low);
}

static double level_surface(const double x[3], double t, const void *data) {
  (void)x, (void)t;
  return *(const double *)data;
}

/* The top of the island is dry. Only cells with water have the surface of the lake. */
static void rest(verify_t *v) {
  const double zero = 0;
  sim_t s = verify_new(v, "problems/island.ini",
                       "problem.high=0.3\nproblem.low=0.3\nmesh.max_level=%d\n", v->full ? 5 : 4);
  MUST(oak_initialize(s.sim));
  for (int n = 0; n < 100; n++) {
    MUST(oak_advance(s.sim, oak_time_step(s.sim)));
    if (n % 10 == 9) MUST(oak_adjust_refinement(s.sim, NULL));
  }
  double speed = 0;
  for (int d = 0; d < 2; d++)
    speed = fmax(speed,
                 verify_error(&s, verify_variable(&s, d ? "v" : "u"), level_surface, &zero).linf);
  verify_check(v, speed, 0, 0, 1e-13, "water at rest stays at rest",
               "lake with an island, 100 steps: largest speed");
  verify_free(&s);
}

static void run(verify_t *v) {
  FILE *table = verify_table(v, "errors", "depth before the dam;cells;L1;order of L1");
  break_dam(v, table, 0.1);
  break_dam(v, table, 0);
  verify_close(table);
  rest(v);
}

const verify_case_t verify_case_shallow_water = {
    .name = "shallow_water",
    .title = "Shallow water",
    .source = "Stoker 1957 (dam break), Ritter 1892 (dry bed), Audusse et al. 2004 (scheme)",
    .run = run};
