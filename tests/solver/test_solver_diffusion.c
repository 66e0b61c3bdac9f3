/* SPDX-License-Identifier: GPL-2.0-or-later
 * Diffusive fluxes of a linear law with gradients along faces, against the exact solution: second
 * order, across levels too; totals; super time stepping with 30 and 60 explicit steps in one, and
 * with boundary values that change; the same bits on any number of ranks. */
// TEST np={1,2,3} timeout=120 flags=-O1
#include "solver_test.h"

/* The domain is periodic. A wave decays with the rate 4 pi^2 k.K.k. */
static const double pi = 3.14159265358979323846, along = 0.1, across = 0.04;
static const int wave[3] = {1, 2, -1};

/** Blocks of 2^level per axis, twice as fine around the middle if `refined`. */
static sim_t make(MPI_Comm comm, int dim, int level, int refined, const char *more) {
  sim_t s = sim_new(comm,
                    TEST_PROBLEM("conduction") "physics.name=advection\nphysics.vx=0\nphysics.vy=0\n"
                                               "physics.vz=0\nscheme.limiter=upwind\nscheme.flux=rusanov\n"
                                               "mesh.dim=%d\nmesh.block_size=%d\nmesh.min_level=%d\n"
                                               "mesh.max_level=%d\nproblem.fine=%d\nrun.cfl=0.8\n"
                                               "problem.along=%g\nproblem.across=%g\nproblem.kx=%d\n"
                                               "problem.ky=%d\nproblem.kz=%d\n%s",
                    dim, dim == 3 ? 4 : 8, level, level + refined, refined ? level + 1 : 0, along,
                    across, wave[0], wave[1], dim == 3 ? wave[2] : 0, more);
  int lowest, highest;
  MUST(oak_initialize(s.sim));
  sim_levels(&s, &lowest, &highest);
  assert_int_equal(lowest, level);
  assert_int_equal(highest, level + refined);
  return s;
}

/** Mean of |u - exact| over the volume, which is 1. */
static double error_of(const sim_t *s) {
  double *u = sim_read(s, 0), sum = 0, square = 0, linear = 0;
  for (int d = 0; d < s->dim; d++) {
    square += wave[d] * wave[d];
    linear += wave[d];
  }
  const double rate = 4 * pi * pi * ((along - across) * square + across * linear * linear);
  for (int b = 0; b < oak_nblocks(s->sim); b++)
    for (int c = 0; c < s->cells; c++) {
      double x[3], phase = 0;
      sim_center(s, b, c, x);
      for (int d = 0; d < s->dim; d++) phase += 2 * pi * wave[d] * x[d];
      const double exact = 1 + 0.5 * exp(-rate * oak_time(s->sim)) * cos(phase);
      sum += fabs(u[b * s->cells + c] - exact) * sim_volume(s, b);
    }
  free(u);
  return sum_ranks(s->comm, sum);
}

static void converge(int dim, int refined) {
  double error[2], drift = 0, start, end;
  const int level = 2;
  for (int r = 0; r < 2; r++) {
    sim_t s = make(MPI_COMM_WORLD, dim, level + r, refined, "");
    MUST(oak_totals(s.sim, &start));
    sim_run(&s, dim == 3 ? 0.01 : 0.02, 0);
    MUST(oak_totals(s.sim, &end));
    drift = worse(drift, fabs(end / start - 1));
    error[r] = error_of(&s);
    sim_free(&s);
  }
  const double order = log2(error[0] / error[1]);
  report("%dD, %s: errors %.3e, %.3e, order %.2f; totals change by %.1e", dim,
         refined ? "two levels" : "one level", error[0], error[1], order, drift);
  assert_true(order > 1.9);
  assert_true(drift < 4e-15);
}

static void test_explicit(void **state) {
  (void)state;
  converge(2, 0);
  converge(2, 1);
  if (!test_short()) converge(3, 1);
}

/** The explicit step: forward Euler is stable up to the inverse of the rate. */
static void test_time_step(void **state) {
  (void)state;
  sim_t s = make(MPI_COMM_WORLD, 2, 2, 1, "");
  const double dx = 1.0 / 8 / 8, step = 0.8 * dx * dx / (4 * (along + across));
  assert_true(fabs(oak_time_step(s.sim) / step - 1) < 1e-14);
  MUST(oak_advance(s.sim, oak_time_step(s.sim)));
  assert_true(fabs(oak_time_step(s.sim) / step - 1) < 1e-14);
  sim_free(&s);
}

/** With waves and diffusion: refinement doubles the rate of waves and multiplies that of diffusion
 * by four. The time step after refinement is that of a mesh that was as fine from the start. */
static void test_step_after_refinement(void **state) {
  (void)state;
  sim_t s = make(MPI_COMM_WORLD, 2, 2, 1, "physics.vx=20\nphysics.vy=10\n");
  MUST(oak_advance(s.sim, 0.5 * oak_time_step(s.sim)));
  const double before = oak_time_step(s.sim);
  const int n = oak_nblocks(s.sim);
  int changed, *flag = malloc((n + 1) * sizeof *flag);
  for (int b = 0; b < n; b++) flag[b] = 1;
  MUST(oak_adjust_refinement_flags(s.sim, oak_nblocks(s.sim), flag, &changed));
  free(flag);
  const double after = oak_time_step(s.sim);
  report("step %.6g before all blocks become fine, %.6g after", before, after);
  assert_true(changed && fabs(after / before - 1) < 1e-12);
  sim_free(&s);
}

static const char rkl2[] = "scheme.diffusion=rkl2\nscheme.splitting=strang\n";

static void test_rkl2(void **state) {
  (void)state;
  double error[3], drift = 0, start, end;
  const double dx = 1.0 / 8 / 16, step = 0.8 * dx * dx / (4 * (along + across));
  sim_t s = make(MPI_COMM_WORLD, 2, 3, 1, "");
  for (int n = 0; n < 120; n++) MUST(oak_advance(s.sim, step));
  error[0] = error_of(&s);
  sim_free(&s);
  for (int r = 0; r < 2; r++) {
    s = make(MPI_COMM_WORLD, 2, 3, 1, rkl2);
    MUST(oak_totals(s.sim, &start));
    for (int n = 0; n < 4 >> r; n++) MUST(oak_advance(s.sim, (30 << r) * step));
    MUST(oak_totals(s.sim, &end));
    drift = worse(drift, fabs(end / start - 1));
    error[1 + r] = error_of(&s);
    sim_free(&s);
  }
  const double in_time = (error[2] - error[0]) / (error[1] - error[0]);
  report(
      "rkl2: errors %.3e with explicit steps, %.3e with 30 times, %.3e with 60 times that, whose "
      "errors in time are as 1 to %.2f; totals change by %.1e",
      error[0], error[1], error[2], in_time, drift);
  assert_true(error[1] < 1.1 * error[0]);
  assert_true(in_time > 3.5 && in_time < 4.5); /* second order */
  assert_true(drift < 4e-15);
}

/** Each stage has the boundary values of its own time. The exact solution is linear in time, so no
 * error is left. */
static void test_rkl2_boundary(void **state) {
  (void)state;
  sim_t s = make(MPI_COMM_WORLD, 2, 2, 0,
                 "scheme.diffusion=rkl2\nproblem.parabola=1\nproblem.across=0\n"
                 "boundary.xlow=user\nboundary.xhigh=user\n");
  for (int n = 0; n < 5; n++) MUST(oak_advance(s.sim, 0.02));
  double *now = sim_read(&s, 0), most = 0;
  MUST(oak_set_initial(s.sim));
  double *exact = sim_read(&s, 0);
  for (int c = 0; c < oak_nblocks(s.sim) * s.cells; c++)
    most = worse(most, fabs(now[c] - exact[c]));
  free(now);
  free(exact);
  most = max_ranks(s.comm, most);
  report("rkl2, boundary values that change: largest error %.1e", most);
  assert_true(most < 1e-12);
  sim_free(&s);
}

/** The same bits as on one rank, of both kinds. */
static void test_ranks(void **state) {
  (void)state;
  for (int kind = 0; kind < 2; kind++) {
    sim_t all = make(MPI_COMM_WORLD, 2, 2, 1, kind ? rkl2 : "");
    sim_t one = make(MPI_COMM_SELF, 2, 2, 1, kind ? rkl2 : "");
    for (int n = 0; n < 10; n++) {
      const double dt = kind ? 2e-3 : oak_time_step(one.sim);
      MUST(oak_advance(all.sim, dt));
      MUST(oak_advance(one.sim, dt));
    }
    const int blocks = oak_nblocks(all.sim);
    int first = 0, wrong = 0;
    MPI_Exscan(&blocks, &first, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    double *u = sim_read(&all, 0), *v = sim_read(&one, 0);
    for (int c = 0; c < blocks * all.cells; c++) wrong += u[c] != v[first * all.cells + c];
    assert_int_equal(sum_ranks_int(MPI_COMM_WORLD, wrong), 0);
    free(u);
    free(v);
    sim_free(&all);
    sim_free(&one);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_explicit),
                                     cmocka_unit_test(test_time_step),
                                     cmocka_unit_test(test_step_after_refinement),
                                     cmocka_unit_test(test_rkl2),
                                     cmocka_unit_test(test_rkl2_boundary),
                                     cmocka_unit_test(test_ranks)};
  return TEST_MAIN(tests);
}
