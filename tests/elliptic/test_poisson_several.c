// SPDX-License-Identifier: GPL-2.0-or-later
// TEST np={1,2} timeout=180 flags=-O1
/* POISSON_OF: two and four equations in a run, each with its own coefficients, boundary conditions
 * and rhythm, against exact solutions; the same bits for any number of ranks. */
#include "solver/step/sim.h"
#include "solver_test.h"

#define OPEN(face) "boundary." face "=outflow\n"
#define SECTIONS \
  "physics.name=advection\nphysics.vx=0\nphysics.vy=0\nphysics.vz=0\nmesh.block_size=8\n"      \
  "run.cfl=1\n" OPEN("xlow") OPEN("xhigh") OPEN("ylow") OPEN("yhigh")                          \
      TEST_PROBLEM("equations") "poisson.boundary=zero\npoisson.tolerance=1e-10\n"             \
                                "poisson.psi.boundary=no_slope\npoisson.psi.b=50\n"
#define PLANE                                                            \
  SECTIONS                                                               \
  "mesh.dim=2\npoisson.chi.boundary=value\npoisson.eta.boundary=slope\n" \
  "poisson.eta.b=3\npoisson.eta.every=2\npoisson.eta.tolerance=1e-11\n"

typedef double (*exact_t)(const double x[3], double t);
static double phi(const double x[3], double t) {
  return (void)t, sin(M_PI * x[0]) * sin(M_PI * x[1]);
}
static double phi_x(const double x[3], double t) {
  return (void)t, M_PI * cos(M_PI * x[0]) * sin(M_PI * x[1]);
}
static double psi(const double x[3], double t) {
  return (void)t, cos(M_PI * x[0]) * cos(2 * M_PI * x[1]);
}
static double psi_y(const double x[3], double t) {
  return (void)t, -2 * M_PI * cos(M_PI * x[0]) * sin(2 * M_PI * x[1]);
}
static double chi(const double x[3], double t) { return (void)t, exp(x[0]) * sin(x[1]); }
static double eta(const double x[3], double t) { return (1 + t) * cos(M_PI * x[0]) * exp(x[1]); }

static const struct {
  const char *name;
  exact_t exact;
} field[] = {{"phi", phi},     {"phi_x", phi_x}, {"psi", psi},
             {"psi_y", psi_y}, {"chi", chi},     {"eta", eta}};

static double *read_field(const sim_t *s, const char *name) {
  double *v = malloc(((size_t)oak_nblocks(s->sim) * s->cells + 1) * sizeof *v);
  MUST(oak_field_get(s->sim, name, oak_nblocks(s->sim), v));
  return v;
}

/* The mean error of a field, for the solution at time t. */
static double error_of(const sim_t *s, int i, double t) {
  double *v = read_field(s, field[i].name), sum = 0;
  for (int c = 0; c < oak_nblocks(s->sim) * s->cells; c++) {
    double x[3];
    sim_center(s, c / s->cells, c % s->cells, x);
    sum += sim_volume(s, c / s->cells) * fabs(v[c] - field[i].exact(x, t));
  }
  free(v);
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, s->comm);
  return sum;
}

/* Refine the blocks in a quarter. */
static void refine(sim_t *s) {
  const int n = oak_nblocks(s->sim);
  int *flag = calloc(n + 1, sizeof *flag);
  for (int b = 0; b < n; b++) {
    double origin[3], dx[3];
    oak_block_geometry(s->sim, b, origin, dx);
    flag[b] = origin[0] < 0.4 && origin[1] < 0.4;
  }
  MUST(oak_adjust_refinement_flags(s->sim, oak_nblocks(s->sim), flag, NULL));
  free(flag);
}

static sim_t solved(MPI_Comm comm, const char *lines, int level, int steps) {
  sim_t s = sim_new(comm, "%smesh.min_level=%d\nmesh.max_level=%d\n", lines, level, level + 1);
  MUST(oak_initialize(s.sim));
  refine(&s);
  for (int n = 0; n < steps; n++) MUST(oak_advance(s.sim, 0.125));
  return s;
}

/* psi and eta have constant coefficients, and derivatives are given at the boundary of both. */
static void test_shared(void **state) {
  (void)state;
  sim_t s = solved(MPI_COMM_WORLD, PLANE, 1, 1);
  const oak_poisson_t *p = s.sim->poisson;
  assert_ptr_equal(p[1].elliptic, p[3].elliptic);
  assert_ptr_not_equal(p[0].elliptic, p[1].elliptic);
  assert_ptr_not_equal(p[0].elliptic, p[2].elliptic);
  sim_free(&s);
}

/* A step has its last stage at t = 0.125; eta is solved in the first stage of every second step. */
static void orders(const char *lines, int level, int count) {
  double error[2][6];
  for (int finer = 0; finer < 2; finer++) {
    sim_t s = solved(MPI_COMM_WORLD, lines, level + finer, 2);
    for (int i = 0; i < count; i++) error[finer][i] = error_of(&s, i, 0);
    sim_free(&s);
  }
  for (int i = 0; i < count; i++) {
    const double order = log2(error[0][i] / error[1][i]);
    report("%s: mean errors %.1e %.1e, order %.2f", field[i].name, error[0][i], error[1][i], order);
    assert_true(order > 1.85);
  }
}

static void test_four(void **state) {
  (void)state;
  orders(PLANE, 1, 6);
}

static void test_two(void **state) {
  (void)state;
  if (test_short()) return;
  orders(SECTIONS "mesh.dim=3\n", 1, 4);
}

/* After step 3, eta is that of t = 0.25, the time at which the step began. */
static void test_rhythm(void **state) {
  (void)state;
  sim_t s = solved(MPI_COMM_WORLD, PLANE, 1, 3);
  const double old = error_of(&s, 5, 0), now = error_of(&s, 5, 0.25);
  report("eta after 3 steps: error %.1e, of the first solution %.1e", now, old);
  assert_true(now < 0.01 && old > 0.1);
  sim_free(&s);
}

static void test_bits(void **state) {
  (void)state;
  sim_t s[2];
  int different = 0;
  for (int i = 0; i < 2; i++) s[i] = solved(i ? MPI_COMM_WORLD : MPI_COMM_SELF, PLANE, 1, 3);
  const int first = (int)s[1].sim->data.mesh->first * s[1].cells;
  for (int i = 0; i < 6; i++) {
    double *one = read_field(&s[0], field[i].name), *all = read_field(&s[1], field[i].name);
    for (int c = 0; c < oak_nblocks(s[1].sim) * s[1].cells; c++)
      different += memcmp(&one[first + c], &all[c], sizeof *one) != 0;
    free(one);
    free(all);
  }
  for (int i = 0; i < 2; i++) sim_free(&s[i]);
  different = sum_ranks_int(MPI_COMM_WORLD, different);
  assert_int_equal(different, 0);
}

static void refused(const char *lines, const char *part) {
  sim_t s;
  va_list none;
  memset(&none, 0, sizeof none);
  assert_int_equal(try_new(&s, MPI_COMM_WORLD, lines, none), OAK_ERR_INPUT);
  if (!strstr(oak_last_error(), part)) fail_msg("'%s' is not in: %s", part, oak_last_error());
  sim_free(&s);
}

static void test_mistakes(void **state) {
  (void)state;
  refused(PLANE "poisson.psi.boundary=value\n",
          "the file has no POISSON_BOUNDARY_OF(psi, at, face)");
  refused(PLANE "poisson.psi.boundary=isolated\n", "needs an equation without poisson.psi.b");
  refused(PLANE "poisson.chi.b=1\n", "poisson.chi.b = 1 has no effect");
  refused(PLANE "poisson.psi.boundry=zero\n", "did you mean poisson.psi.boundary");
  refused(PLANE "poisson.none.b=1\n", "poisson.none.b");
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_four), cmocka_unit_test(test_shared),
                                     cmocka_unit_test(test_two),  cmocka_unit_test(test_rhythm),
                                     cmocka_unit_test(test_bits), cmocka_unit_test(test_mistakes)};
  return TEST_MAIN(tests);
}
