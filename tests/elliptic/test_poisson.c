// SPDX-License-Identifier: GPL-2.0-or-later
// TEST np={1,2} timeout=120 flags=-O1
// TEST name=long_@test@_fake_hip_np2 np=2 suite=long needs=fake OAK_TEST_DEVICE=hip OAK_FAKE_CUDA=count=8
// TEST name=long_@test@_fake_@way@_np2 np=2 suite=long needs=fake OAK_TEST_DEVICE=cuda way={direct,nccl,staged} OAK_FAKE_CUDA=count=8
// TEST name=long_@test@_np3 np=3 suite=long
/* The hook POISSON: Jeans waves against the dispersion relation, on a uniform mesh and with a finer
 * region; momentum; the same bits for any number of ranks and after a restart; policies for invalid
 * cells; what is refused; memory. */
#include "solver/step/sim.h"
#include "solver_test.h"

#define JEANS                                                                                 \
  "problem.name=jeans\nphysics.name=euler\nmesh.dim=2\nmesh.block_size=8\nscheme.flux=hllc\n" \
  "scheme.limiter=vanleer\nrun.cfl=0.5\nproblem.amplitude=1e-6\n"

static void center(const sim_t *s, int block, int cell, double x[2]) {
  double origin[3], dx[3];
  oak_block_geometry(s->sim, block, origin, dx);
  x[0] = origin[0] + (cell % s->n + 0.5) * dx[0];
  x[1] = origin[1] + (cell / s->n + 0.5) * dx[1];
}

/* Amplitude of cos(2 pi x) in the density. */
static double amplitude(const sim_t *s) {
  const int n = oak_nblocks(s->sim);
  double *rho = malloc(((size_t)n * s->cells + 1) * sizeof *rho), sum = 0;
  MUST(oak_read_cells(s->sim, 0, 0, n, rho));
  for (int i = 0; i < n * s->cells; i++) {
    double x[2];
    center(s, i / s->cells, i % s->cells, x);
    sum += 2 * (rho[i] - 1) * cos(2 * M_PI * x[0]) *
           ldexp(1, -2 * oak_block_level(s->sim, i / s->cells)) / s->cells;
  }
  free(rho);
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, s->comm);
  return sum;
}

static void finer_inside(sim_t *s) {
  const int n = oak_nblocks(s->sim);
  int *flag = malloc((n + 1) * sizeof *flag);
  for (int b = 0; b < n; b++) {
    double origin[3], dx[3];
    oak_block_geometry(s->sim, b, origin, dx);
    flag[b] = fabs(origin[0] + 4 * dx[0] - 0.5) < 0.25 && fabs(origin[1] + 4 * dx[1] - 0.4) < 0.25;
  }
  MUST(oak_adjust_refinement_flags(s->sim, oak_nblocks(s->sim), flag, NULL));
  MUST(oak_set_initial(s->sim));
  MUST(oak_update_time_step(s->sim));
  free(flag);
}

static void step_to(sim_t *s, double time) {
  while (oak_time(s->sim) < time) {
    const double left = time - oak_time(s->sim), dt = oak_time_step(s->sim);
    MUST(oak_advance(s->sim, dt < left ? dt : left));
  }
}

static double jeans(double G, int level, int finer, double *drift) {
  sim_t s = sim_new(MPI_COMM_WORLD, JEANS "problem.G=%g\nmesh.min_level=%d\nmesh.max_level=%d\n", G,
                    level, level + finer);
  const double omega2 = 4 * M_PI * M_PI - 4 * M_PI * G, end = 0.5, omega = sqrt(fabs(omega2));
  const double exact = 1e-6 * (omega2 > 0 ? cos(omega * end) : cosh(omega * end));
  double before[4], after[4];
  MUST(oak_initialize(s.sim));
  if (finer) finer_inside(&s);
  MUST(oak_totals(s.sim, before));
  step_to(&s, end);
  MUST(oak_totals(s.sim, after));
  const double found = amplitude(&s), error = fabs(found - exact) / 1e-6;
  *drift = fmax(fabs(after[1] - before[1]), fabs(after[2] - before[2]));
  report(
      "Jeans wave, G = %g, levels %d to %d: amplitude %.6f, exact %.6f; error %.2e; drift of "
      "momentum %.1e, of energy %.1e of %.2f",
      G, level, level + finer, 1e6 * found, 1e6 * exact, error, *drift, after[3] - before[3],
      before[3]);
  sim_free(&s);
  return error;
}

static void test_dispersion(void **state) {
  (void)state;
  double drift, coarse, fine;
  static const double G[] = {1, 4};
  for (int i = 0; i < 2; i++) {
    coarse = jeans(G[i], 2, 0, &drift);
    assert_true(drift < 1e-15);
    fine = jeans(G[i], 3, 0, &drift);
    assert_true(fine < 0.02 && drift < 1e-15);
    /* The error of a wave that oscillates has two parts of opposite sign, from sound and from
     * gravity. */
    if (G[i] > M_PI) {
      report("order %.2f", log2(coarse / fine));
      assert_true(log2(coarse / fine) > 1.9);
    }
    assert_true(jeans(G[i], 2, 1, &drift) < 0.07);
    assert_true(drift < 1e-9);
  }
}

/* A run on all ranks, and one on this rank alone that continues from a checkpoint half-way. */
static void test_bits(void **state) {
  (void)state;
  sim_t s[2];
  char path[256];
  int different = 0;
  snprintf(path, sizeof path, "poisson_test_%d.%d", test_size, test_rank);
  for (int i = 0; i < 2; i++) {
    s[i] = sim_new(i ? MPI_COMM_WORLD : MPI_COMM_SELF,
                   JEANS "mesh.min_level=2\nmesh.max_level=3\nproblem.waves=2\n");
    MUST(oak_initialize(s[i].sim));
    finer_inside(&s[i]);
    for (int step = 0; step < 6; step++) {
      if (step == 3 && i == 0) {
        MUST(oak_write_checkpoint(s[i].sim, path));
        sim_free(&s[i]);
        s[i] =
            sim_new(MPI_COMM_SELF, JEANS "mesh.min_level=2\nmesh.max_level=3\nproblem.waves=2\n");
        MUST(oak_read_checkpoint(s[i].sim, path));
        remove(path);
      }
      MUST(oak_advance(s[i].sim, oak_time_step(s[i].sim)));
    }
  }
  const int n = oak_nblocks(s[1].sim), first = (int)s[1].sim->data.mesh->first;
  const size_t cells = (size_t)s[1].cells;
  double *one = malloc(oak_nblocks(s[0].sim) * cells * sizeof *one);
  double *all = malloc((n * cells + 1) * sizeof *all);
  MUST(oak_field_get(s[0].sim, "phi", oak_nblocks(s[0].sim), one));
  MUST(oak_field_get(s[1].sim, "phi", oak_nblocks(s[1].sim), all));
  for (size_t i = 0; i < n * cells; i++)
    different += memcmp(&one[first * cells + i], &all[i], sizeof *one) != 0;
  free(one);
  free(all);
  for (int i = 0; i < 2; i++) sim_free(&s[i]);
  different = sum_ranks_int(MPI_COMM_WORLD, different);
  report("%d cells of phi differ from those of one rank and a restart", different);
  assert_int_equal(different, 0);
}

/* Density after some steps with a policy for invalid cells. The first step is `factor` times
 * that of the CFL condition. */
static double *density_after(const char *policy, double factor, int64_t *retries) {
  sim_t s = sim_new(MPI_COMM_WORLD,
                    JEANS
                    "%s\nproblem.G=4\nproblem.amplitude=0.3\nscheme.integrator=ssprk33\n"
                    "mesh.min_level=2\nmesh.max_level=2\n",
                    policy);
  MUST(oak_initialize(s.sim));
  for (int step = 0; step < 4; step++)
    MUST(oak_advance(s.sim, (step == 0 ? factor : 1) * oak_time_step(s.sim)));
  double *rho = sim_read(&s, 0);
  *retries = oak_retries(s.sim);
  sim_free(&s);
  return rho;
}

/* Each kind of stage solves the equation: without invalid cells all policies give the same. A
 * step that is much too long fails and is repeated with half its length. */
static void test_policies(void **state) {
  (void)state;
  static const char *const policy[] = {"scheme.on_invalid=stop", "scheme.on_invalid=first_order",
                                       "physics.density_floor=1e-9"};
  const int ncells = 16 / test_size * 64; /* the ranks share 16 blocks alike */
  int64_t retries;
  double *first = density_after(policy[0], 1, &retries), most = 0;
  for (int i = 1; i < 3; i++) {
    double *rho = density_after(policy[i], 1, &retries);
    for (int c = 0; c < ncells; c++) most = fmax(most, fabs(rho[c] - first[c]));
    free(rho);
  }
  free(first);
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  report("policies for invalid cells differ by %.1e", most);
  assert_true(most < 1e-14);
  free(density_after("scheme.on_invalid=retry", 100, &retries));
  report("a step 100 times too long: %lld retries", (long long)retries);
  assert_true(retries > 0);
}

static oak_status_t try_sim(sim_t *s, const char *format, ...) {
  va_list args;
  va_start(args, format);
  const oak_status_t st = try_new(s, MPI_COMM_WORLD, format, args);
  va_end(args);
  return st;
}

/* Three fields, and on all levels u, f, right-hand side and residual; all levels together have
 * 4/3 of the cells of the mesh. */
static void test_memory(void **state) {
  (void)state;
  int64_t bytes[2], cells = 0;
  for (int i = 0; i < 2; i++) {
    sim_t s = sim_new(
        MPI_COMM_WORLD,
        "physics.name=euler\nmesh.dim=2\nmesh.block_size=8\nmesh.min_level=3\nmesh.max_level=3\n"
        "problem.name=%s\n",
        i ? "jeans" : "vortex");
    MUST(oak_initialize(s.sim));
    bytes[i] = oak_memory(s.sim);
    cells = (int64_t)oak_nblocks(s.sim) * s.cells;
    sim_free(&s);
  }
  const double more = (double)(bytes[1] - bytes[0]) / (double)cells / sizeof(double);
  report("the solver and its fields have %.1f numbers per cell", more);
  assert_true(more > 3 + 1 + 3 * 4.0 / 3 && more < 14);
}

static void test_mistakes(void **state) {
  (void)state;
  sim_t s;
  MUST(try_sim(&s, JEANS "poisson.max_cycles=1\npoisson.tolerance=1e-15\n"));
  assert_int_equal(oak_initialize(s.sim), OAK_ERR_STATE);
  assert_non_null(strstr(oak_last_error(), "after 1 cycle;"));
  assert_non_null(strstr(oak_last_error(), "largest residual relative to the right-hand side"));
  sim_free(&s);
  assert_int_equal(try_sim(&s, JEANS "boundary.xlow=outflow\nboundary.xhigh=outflow\n"),
                   OAK_ERR_INPUT);
  assert_non_null(strstr(oak_last_error(), "poisson.boundary"));
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_dispersion), cmocka_unit_test(test_bits),
                                     cmocka_unit_test(test_policies), cmocka_unit_test(test_memory),
                                     cmocka_unit_test(test_mistakes)};
  return TEST_MAIN(tests);
}
