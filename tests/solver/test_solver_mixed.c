// TEST flags=-O1
// TEST name=long_@test@ suite=long OAK_TEST_LONG=1
/* SPDX-License-Identifier: GPL-2.0-or-later
 * scheme.precision = mixed, which computes in double and stores in single precision, and
 * single_fluxes, which computes fluxes in single precision and all sums in double: difference of
 * the solution from double precision after the same steps, and drift of the totals, both beside
 * single precision. The mesh has two levels and is static. Errors of rounding to the nearest number
 * add up with one sign; those of mixed precision are random and grow with the root of the number of
 * steps. */
#include <float.h>

#include "solver_test.h"

static const char *const precision[] = {"double", "single", "mixed", "single_fluxes"};
enum { DOUBLE, SINGLE, MIXED, FLUXES, COUNT };

static sim_t vortex_new(int kind, const char *keys) {
  return sim_new(
      MPI_COMM_WORLD,
      "problem.name=vortex\nmesh.block_size=8\nmesh.xmin=-5\nmesh.xmax=5\n"
      "mesh.min_level=2\nmesh.max_level=3\nrefine.criterion=lohner\nrefine.variable=rho\n"
      "refine.c_refine=0.05\nrefine.c_derefine=0.01\nscheme.integrator=ssprk33\n"
      "scheme.precision=%s\n%s",
      precision[kind], keys);
}

/* Mean difference of all conserved variables from those of the first, relative to their mean
 * magnitude, in units of the rounding error of single precision. */
static double difference(const sim_t *s, const sim_t *first) {
  double sum = 0;
  for (int v = 0; v < s->nvar; v++) {
    double *u = sim_read(s, v), *w = sim_read(first, v), scale = 0, differs = 0;
    for (int b = 0; b < oak_nblocks(s->sim); b++)
      for (int c = 0; c < s->cells; c++) {
        differs += fabs(u[b * s->cells + c] - w[b * s->cells + c]) * sim_volume(s, b);
        scale += fabs(w[b * s->cells + c]) * sim_volume(s, b);
      }
    sum += sum_ranks(s->comm, differs) / sum_ranks(s->comm, scale) / s->nvar / FLT_EPSILON;
    free(u);
    free(w);
  }
  return sum;
}

/* The same of totals: the largest change since the start. */
static double drift(const sim_t *s, const double *start) {
  double end[TEST_MAX_NVAR], most = 0;
  MUST(oak_totals(s->sim, end));
  for (int v = 0; v < s->nvar; v++) {
    double *u = sim_read(s, v), scale = 0;
    for (int b = 0; b < oak_nblocks(s->sim); b++)
      for (int c = 0; c < s->cells; c++) scale += fabs(u[b * s->cells + c]) * sim_volume(s, b);
    free(u);
    most = worse(most, fabs(end[v] - start[v]) / sum_ranks(s->comm, scale) / FLT_EPSILON);
  }
  return most;
}

/* Equal steps in all precisions. Mixed must be closer to double than single by the factor `better`,
 * and totals must stay by the factor `steadier`. */
static void compare(const char *what, const char *keys, int steps, double better, double steadier) {
  sim_t s[COUNT];
  double start[COUNT][TEST_MAX_NVAR], error[COUNT], change[COUNT];
  const int count = test_takes(precision[FLUXES]) ? COUNT : FLUXES;
  for (int p = 0; p < count; p++) {
    s[p] = vortex_new(p, keys);
    MUST(oak_initialize(s[p].sim));
    MUST(oak_totals(s[p].sim, start[p]));
  }
  for (int n = 0; n < steps; n++) {
    const double dt = oak_time_step(s[DOUBLE].sim);
    for (int p = 0; p < count; p++) MUST(oak_advance(s[p].sim, dt));
  }
  for (int p = 0; p < count; p++) {
    error[p] = difference(&s[p], &s[DOUBLE]);
    change[p] = drift(&s[p], start[p]);
    report("%s, %d steps, %s: %.2f epsilon of single precision from double, totals change by %.4f",
           what, steps, precision[p], error[p], change[p]);
  }
  assert_true(error[MIXED] * better < error[SINGLE]);
  assert_true(change[MIXED] * steadier < change[SINGLE]);
  if (count == COUNT) {
    assert_true(error[FLUXES] < error[SINGLE]);
    assert_true(error[FLUXES] > 1e-3); /* fluxes are not those of double precision */
    assert_true(change[FLUXES] < 1e-13 / FLT_EPSILON);
  }
  const double bytes[] = {(double)oak_memory(s[DOUBLE].sim), (double)oak_memory(s[MIXED].sim)};
  report("memory: %.0f KiB in double, %.0f in mixed precision", bytes[0] / 1024, bytes[1] / 1024);
  assert_true(bytes[1] < 0.6 * bytes[0]);
  for (int p = 0; p < count; p++) sim_free(&s[p]);
}

static void test_vortex(void **state) {
  (void)state;
  const int steps = test_long() ? 1000 : 150;
  compare("vortex", "", steps, 2, 5);
  compare("vortex, small steps", "run.cfl=0.005\n", steps, 2, 5);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_vortex)};
  return TEST_MAIN(tests);
}
