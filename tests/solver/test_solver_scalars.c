/* SPDX-License-Identifier: GPL-2.0-or-later
 * Passive scalars (physics.scalars) on an adaptive mesh: a uniform one keeps its ratio to the
 * density, bounds hold, fractions add up to one, totals stay. A scalar moves like an advected
 * density. The bits are the same on any number of ranks. */
// TEST np=3 timeout=120 flags=-O1
#define _DEFAULT_SOURCE 1
#include "solver_test.h"

#define BLAST                                                                                     \
  TEST_PROBLEM("scalars")                                                                         \
  "physics.name=euler\nmesh.block_size=4\nmesh.min_level=2\nmesh.max_level=4\nscheme.flux=hllc\n" \
  "refine.criterion=lohner\nphysics.scalars=even inner outer\n"                                   \
  "refine.c_refine=0.2\nrefine.c_derefine=0.05\n"
enum { NSCALAR = 3, FIRST = 4 };

static sim_t blast(MPI_Comm comm, const char *more) {
  sim_t s = sim_new(comm, BLAST "%s", more);
  MUST(oak_initialize(s.sim));
  for (int n = 0; n < 24; n++) {
    MUST(oak_advance(s.sim, oak_time_step(s.sim)));
    if (n % 4 == 3) MUST(oak_adjust_refinement(s.sim, NULL));
  }
  return s;
}

/** Total of a variable, and a sum over all cells that any changed bit changes. */
static double total(const sim_t *s, int variable, double *bits) {
  double *u = sim_read(s, variable), sum = 0;
  uint64_t mixed = 0;
  for (int b = 0; b < oak_nblocks(s->sim); b++)
    for (int c = 0; c < s->cells; c++) {
      uint64_t word, place[2];
      double x[3];
      sim_center(s, b, c, x);
      memcpy(&word, &u[b * s->cells + c], sizeof word);
      memcpy(place, x, sizeof place);
      word = (word ^ place[0] * 3 ^ place[1] * 7) * UINT64_C(0x9E3779B97F4A7C15);
      mixed += word >> 20;
      sum += u[b * s->cells + c] * sim_volume(s, b);
    }
  free(u);
  MPI_Allreduce(MPI_IN_PLACE, &mixed, 1, MPI_UINT64_T, MPI_SUM, s->comm);
  *bits = (double)(mixed % (UINT64_C(1) << 52));
  return sum_ranks(s->comm, sum);
}

/** Totals of the density and the scalars before a step. */
static void first_totals(double *out) {
  double bits;
  sim_t s = sim_new(MPI_COMM_WORLD, BLAST "physics.scalar_values=fractions");
  MUST(oak_initialize(s.sim));
  out[0] = total(&s, 0, &bits);
  for (int n = 0; n < NSCALAR; n++) out[1 + n] = total(&s, FIRST + n, &bits);
  sim_free(&s);
}

/** How far X leaves [0, 1], the sum leaves one and the even scalar leaves 1/4. */
static void ratios(const sim_t *s, double worst[3], int64_t *mixed) {
  double *rho = sim_read(s, 0), *u[NSCALAR];
  for (int n = 0; n < NSCALAR; n++) u[n] = sim_read(s, FIRST + n);
  for (int c = 0; c < oak_nblocks(s->sim) * s->cells; c++) {
    double sum = 0;
    for (int n = 0; n < NSCALAR; n++) {
      const double x = u[n][c] / rho[c];
      sum += x;
      worst[0] = fmax(worst[0], fmax(-x, x - 1));
      *mixed += n == 1 && x > 0.1 && x < 0.65;
    }
    worst[1] = fmax(worst[1], fabs(sum - 1));
    worst[2] = fmax(worst[2], fabs(u[0][c] / rho[c] - 0.25));
  }
  free(rho);
  for (int n = 0; n < NSCALAR; n++) free(u[n]);
  for (int i = 0; i < 3; i++) worst[i] = max_ranks(s->comm, worst[i]);
  *mixed = sum_ranks_int(s->comm, *mixed);
}

static void check_fractions(const char *keys, double rounding) {
  double before[1 + NSCALAR], after, bits[2], worst[3] = {0};
  int64_t mixed = 0;
  int low, high;
  first_totals(before);
  sim_t s = blast(MPI_COMM_WORLD, keys), alone = blast(MPI_COMM_SELF, keys);
  assert_string_equal(oak_variable_name(s.sim, FIRST), "rho_even");
  sim_levels(&s, &low, &high);
  ratios(&s, worst, &mixed);
  report(
      "levels %d to %d, X outside [0, 1] by %.1e, sum - 1: %.1e, even - 1/4: %.1e, %d "
      "cells mixed",
      low, high, worst[0], worst[1], worst[2], (int)mixed);
  assert_true(low < high && mixed > 100);
  assert_true(worst[0] < 1e-14 && worst[1] < rounding && worst[2] < rounding);
  for (int n = 0; n <= NSCALAR; n++) {
    const int v = n ? FIRST + n - 1 : 0;
    after = total(&s, v, &bits[0]);
    total(&alone, v, &bits[1]);
    assert_true(fabs(after - before[n]) < (n ? 0.1 * rounding : 1e-13)); /* scaled to add up */
    assert_true(max_ranks(MPI_COMM_WORLD, fabs(bits[0] - bits[1])) == 0);
  }
  sim_free(&alone);
  sim_free(&s);
}

static void test_fractions(void **state) {
  (void)state;
  check_fractions("physics.scalar_values=fractions\n", 1e-12);
  const char *keys = "physics.scalar_values=fractions\nscheme.precision=single_fluxes\n";
  if (test_takes(keys)) check_fractions(keys, 1e-6);
}

/** Fractions in water that runs up a slope and back: they add up to one in cells that become
 * dry, while the level of the mesh changes. */
static void test_shore(void **state) {
  (void)state;
#define SHORE                                                                                  \
  TEST_PROBLEM("shore")                                                                        \
  "physics.name=shallow_water\nmesh.block_size=8\nmesh.min_level=1\nmesh.max_level=3\n"        \
  "scheme.limiter=minmod\nphysics.scalars=even inner outer\nphysics.scalar_values=fractions\n" \
  "boundary.xlow=reflect\nboundary.xhigh=reflect\nrefine.variable=h\n"
  double worst = 0, before[NSCALAR + 1], bits;
  int64_t drained = 0;
  sim_t s = sim_new(MPI_COMM_WORLD, SHORE);
  MUST(oak_initialize(s.sim));
  for (int n = 0; n <= NSCALAR; n++) before[n] = total(&s, n ? FIRST + n - 1 : 0, &bits);
  for (int n = 0; n < 400; n++) {
    MUST(oak_advance(s.sim, oak_time_step(s.sim)));
    if (n % 4 == 3) MUST(oak_adjust_refinement(s.sim, NULL));
    if (n % 20 != 19) continue;
    double *h = sim_read(&s, 0), *u[NSCALAR];
    for (int k = 0; k < NSCALAR; k++) u[k] = sim_read(&s, FIRST + k);
    for (int c = 0; c < oak_nblocks(s.sim) * s.cells; c++) {
      if (h[c] < 1e-6) continue; /* physics.dry */
      drained += n > 200 && h[c] < 1e-4;
      worst = worse(worst, fabs((u[0][c] + u[1][c] + u[2][c]) / h[c] - 1));
    }
    free(h);
    for (int k = 0; k < NSCALAR; k++) free(u[k]);
  }
  worst = max_ranks(s.comm, worst);
  drained = sum_ranks_int(s.comm, drained);
  report("shore: sum of fractions - 1: %.1e, %d cells almost dry", worst, (int)drained);
  assert_true(worst < 1e-12 && drained > 20);
  for (int n = 0; n <= NSCALAR; n++)
    assert_true(fabs(total(&s, n ? FIRST + n - 1 : 0, &bits) - before[n]) < 1e-13);
  sim_free(&s);
}

/** A reconstruction that overshoots: bounds hold, the flux through a face is never of less. */
static void test_bounded(void **state) {
  (void)state;
  double worst[3] = {0};
  int64_t mixed = 0;
  sim_t s = blast(MPI_COMM_WORLD,
                  "physics.scalar_values=bounded\nscheme.limiter=weno5\n"
                  "mesh.block_size=6");
  ratios(&s, worst, &mixed);
  report("weno5: X outside [0, 1] by %.1e, even - 1/4: %.1e", worst[0], worst[2]);
  assert_true(worst[0] < 1e-12 && worst[2] < 1e-12 && mixed > 100);
  sim_free(&s);
}

/** Gas expands into a thin one while the mesh changes: its density falls, and what interpolation or
 * flux fixing leave beyond the bounds would become large relative to it. */
static void test_thin(void **state) {
  (void)state;
  for (int fractions = 0; fractions < 2; fractions++) {
    double worst[3] = {0}, before[NSCALAR + 1], most = 0, bits;
    int64_t mixed = 0;
    sim_t s = sim_new(MPI_COMM_WORLD,
                      BLAST
                      "problem.thin=0.05\nproblem.most=%g\nmesh.block_size=8\n"
                      "refine.c_refine=0.1\nphysics.scalar_values=%s\n",
                      fractions ? 0.75 : 1, fractions ? "fractions" : "bounded");
    MUST(oak_initialize(s.sim));
    for (int n = 0; n <= NSCALAR; n++) before[n] = total(&s, n ? FIRST + n - 1 : 0, &bits);
    for (int n = 0; n < 300; n++) {
      MUST(oak_advance(s.sim, oak_time_step(s.sim)));
      if (n % 4 == 3) MUST(oak_adjust_refinement(s.sim, NULL));
    }
    ratios(&s, worst, &mixed);
    for (int n = 0; n <= NSCALAR; n++)
      most = fmax(most, fabs(total(&s, n ? FIRST + n - 1 : 0, &bits) / before[n] - 1));
    report("thin gas, %s: X outside [0, 1] by %.1e, sum - 1: %.1e, even - 1/4: %.1e, totals %.1e",
           fractions ? "fractions" : "bounded", worst[0], worst[1], worst[2], most);
    assert_true(worst[0] == 0 && worst[2] < 1e-12 && (!fractions || worst[1] < 1e-12));
    assert_true(most < 1e-13);
    sim_free(&s);
  }
}

/** In gas of even density a scalar is what is advected. */
static void test_advected(void **state) {
  (void)state;
#define ADVECTED          \
  TEST_PROBLEM("carried") \
  "physics.name=advection\nmesh.block_size=4\nmesh.min_level=2\nmesh.max_level=3\n"
  double worst = 0, change = 0;
  sim_t s[2] = {sim_new(MPI_COMM_WORLD, ADVECTED),
                sim_new(MPI_COMM_WORLD, ADVECTED "physics.scalars=X")};
  for (int n = 0; n < 2; n++) {
    MUST(oak_initialize(s[n].sim));
    for (int k = 0; k < 20; k++) MUST(oak_advance(s[n].sim, 0.01));
  }
  assert_string_equal(oak_variable_name(s[1].sim, 1), "rho_X");
  double *alone = sim_read(&s[0], 0), *carried = sim_read(&s[1], 1);
  for (int c = 0; c < oak_nblocks(s[0].sim) * s[0].cells; c++) {
    worst = worse(worst, fabs(alone[c] - carried[c]));
    change = fmax(change, fabs(alone[c] - 1));
  }
  free(alone);
  free(carried);
  report("carried by even gas: differs by %.1e", max_ranks(MPI_COMM_WORLD, worst));
  assert_true(max_ranks(MPI_COMM_WORLD, worst) < 1e-14);
  assert_true(max_ranks(MPI_COMM_WORLD, change) > 0.1);
  for (int n = 0; n < 2; n++) sim_free(&s[n]);
}

static void refuse(const char *keys, const char *words) {
  sim_t s;
  MUST(oak_params_new(&s.params));
  MUST(oak_params_assign(s.params, "problem.name=implosion", "test"));
  char text[256], *next = text;
  snprintf(text, sizeof text, "%s", keys);
  for (char *line; (line = strsep(&next, "\n"));) MUST(test_assign(s.params, line));
  s.sim = NULL;
  const oak_status_t st = oak_create(MPI_COMM_WORLD, s.params, &s.sim);
  const int wrong = st == OAK_OK || !strstr(oak_last_error(), words);
  if (wrong && test_rank == 0) fprintf(stderr, "wanted '%s', but: %s\n", words, oak_last_error());
  sim_free(&s);
  assert_int_equal(sum_ranks_int(MPI_COMM_WORLD, wrong), 0);
}

static void test_refused(void **state) {
  (void)state;
  refuse("physics.scalars=a b a", "physics.scalars names a twice");
  refuse("physics.scalars=2x", "physics.scalars: 2x: must be a number, or names");
  refuse("physics.scalars=-1", "physics.scalars = -1: must be 0 to 31");
  refuse("physics.scalars=30", "the physics has 4 variables, which leaves room for 28 scalars");
  refuse("physics.scalars=p", "the physics has a variable p or rho_p: choose another name");
  refuse("problem.name=@/problems/scalars.c\nphysics.scalars=even",
         "asks for a scalar of the key physics.scalars, which is 'even'");
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_fractions), cmocka_unit_test(test_shore),
      cmocka_unit_test(test_bounded),   cmocka_unit_test(test_thin),
      cmocka_unit_test(test_advected),  cmocka_unit_test(test_refused)};
  return TEST_MAIN(tests);
}
