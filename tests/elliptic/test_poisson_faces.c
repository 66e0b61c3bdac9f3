// SPDX-License-Identifier: GPL-2.0-or-later
// TEST np={1,2} timeout=180 flags=-O1
// TEST name=@test@_fake_lanes_np1 timeout=300 suite=all needs=lanes OAK_TEST_SHORT=1 OAK_TEST_DEVICE=cuda OAK_FAKE_CUDA=lanes=1
// TEST name=long_@test@_fake_hip_np2 np=2 suite=long needs=fake OAK_TEST_DEVICE=hip OAK_FAKE_CUDA=count=8
// TEST name=long_@test@_fake_@way@_np2 np=2 suite=long needs=fake OAK_TEST_DEVICE=cuda way={direct,nccl,staged} OAK_FAKE_CUDA=count=8
// TEST name=long_@test@_np3 np=3 suite=long
/* FACE_FIELD: fluxes that read the gradient of the potential on faces. In each cell, charge relaxes
 * with the factor of the time scheme, because the fluxes of the elliptic operator fulfil Gauss's
 * law; the flux of a drift that depends on the fields of both cells; the same bits for any number
 * of ranks and after a restart. */
#include "solver/step/sim.h"
#include "solver_test.h"

#include <sys/resource.h>

enum { RHO, N };
#define CHARGES                                                                              \
  "problem.name=@/problems/charges.c\nphysics.name=@/problems/drift.c\nmesh.block_size=8\n"  \
  "scheme.integrator=heun\nscheme.limiter=koren\nscheme.flux=hll\npoisson.tolerance=1e-11\n" \
  "refine.criterion=user\nrefine.c_refine=0.5\nrefine.c_derefine=0.1\nrun.cfl=0.4\n"
#define MESH(dim, min, max) "mesh.dim=" #dim "\nmesh.min_level=" #min "\nmesh.max_level=" #max "\n"

static double total(const sim_t *s, int variable) {
  double sum[TEST_MAX_NVAR];
  MUST(oak_totals(s->sim, sum));
  return sum[variable];
}

/* The largest difference of rho from mean + factor (before - mean), in units of the largest. */
static double unlike(const sim_t *s, const double *before, double mean, double factor) {
  double *now = sim_read(s, RHO), most[2] = {0, 0};
  for (int i = 0; i < oak_nblocks(s->sim) * s->cells; i++) {
    most[0] = fmax(most[0], fabs(now[i] - mean - factor * (before[i] - mean)));
    most[1] = fmax(most[1], fabs(now[i]));
  }
  free(now);
  MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_DOUBLE, MPI_MAX, s->comm);
  return most[0] / most[1];
}

/* The divergence of sigma E is sigma (rho - mean) in each cell, also where levels meet, so a step
 * of Heun's scheme multiplies rho - mean by 1 - z + z^2 / 2. */
static void relax(const char *mesh, int steps) {
  sim_t s = sim_new(MPI_COMM_WORLD, CHARGES "physics.sigma=2\n%s", mesh);
  int lowest, highest;
  double worst = 0;
  MUST(oak_initialize(s.sim));
  const double charge = total(&s, RHO);
  for (int step = 0; step < steps; step++) {
    const double z = 2 * 0.125;
    double *before = sim_read(&s, RHO);
    MUST(oak_advance(s.sim, 0.125));
    worst = fmax(worst, unlike(&s, before, charge, 1 - z + z * z / 2));
    free(before);
    MUST(oak_adjust_refinement(s.sim, NULL));
  }
  sim_levels(&s, &lowest, &highest);
  report("relaxation on levels %d to %d: error of a step %.1e, charge %.1e", lowest, highest, worst,
         total(&s, RHO) - charge);
  assert_true(worst < 1e-9);
  assert_true(fabs(total(&s, RHO) - charge) < 1e-15);
  sim_free(&s);
}

static void test_relaxation(void **state) {
  (void)state;
  relax(MESH(2, 1, 1), 2);
  relax(MESH(2, 1, 3), 5);
  relax(MESH(3, 1, 2), 3);
}

/* The largest difference of a field from `factor` phi, relative to the largest phi. */
static double unlike_phi(const sim_t *s, const char *name, double factor) {
  const size_t cells = (size_t)oak_nblocks(s->sim) * s->cells;
  double *v[2] = {malloc(cells * sizeof **v), malloc(cells * sizeof **v)}, most[2] = {0, 0};
  MUST(oak_field_get(s->sim, name, oak_nblocks(s->sim), v[0]));
  MUST(oak_field_get(s->sim, "phi", oak_nblocks(s->sim), v[1]));
  for (size_t i = 0; i < cells; i++) {
    most[0] = fmax(most[0], fabs(v[0][i] - factor * v[1][i]));
    most[1] = fmax(most[1], fabs(v[1][i]));
  }
  free(v[0]);
  free(v[1]);
  MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_DOUBLE, MPI_MAX, s->comm);
  return most[0] / most[1];
}

/* Derivatives of phi in time, where each step multiplies phi by 1 - z + z^2 / 2 and its first stage
 * by 1 - z, so phi_t by the same factor from step to step. A solution that starts from them has an
 * error of the order z^3, and needs three cycles in place of four. */
static void test_derivatives(void **state) {
  (void)state;
  const double dt = 0.02, z = dt;
  sim_t s = sim_new(MPI_COMM_WORLD, CHARGES MESH(2, 1, 2));
  MUST(oak_initialize(s.sim));
  for (int step = 0; step < 2; step++) MUST(oak_advance(s.sim, dt));
  const double first = unlike_phi(&s, "phi_t", -1 / (1 - z));
  const double second = unlike_phi(&s, "phi_tt", (1 - z / 2) / ((1 - z) * (1 - z + z * z / 2)));
  sim_free(&s);
  s = sim_new(MPI_COMM_WORLD, CHARGES MESH(2, 1, 2) "poisson.tolerance=1e-9\n");
  MUST(oak_initialize(s.sim));
  int cycles = 0;
  for (int step = 0; step < 6; step++) {
    MUST(oak_advance(s.sim, dt));
    cycles += step > 2 ? s.sim->poisson[0].cycles : 0;
  }
  report("errors of phi_t %.1e, phi_tt %.1e; %d cycles in three steps", first, second, cycles);
  assert_true(first < 1e-7);
  assert_true(second < 1e-5);
  assert_true(cycles <= 9);
  sim_free(&s);
}

/* What an adaptation adds to phi is no derivative in time: the second solutions of three steps
 * after adaptations need at most one cycle each more than on a mesh that stays. */
static void test_derivatives_after_adaptation(void **state) {
  (void)state;
  sim_t s = sim_new(MPI_COMM_WORLD, CHARGES MESH(2, 1, 2) "poisson.tolerance=1e-9\n");
  int cycles[2] = {0, 0};
  MUST(oak_initialize(s.sim));
  for (int step = 0; step < 8; step++) {
    int flag[64];
    for (int b = 0; b < oak_nblocks(s.sim); b++) flag[b] = step % 4 == 1 ? 1 : -1;
    if (step % 2) MUST(oak_adjust_refinement_flags(s.sim, oak_nblocks(s.sim), flag, NULL));
    MUST(oak_advance(s.sim, 0.02));
    cycles[step % 2] += step < 2 ? 0 : s.sim->poisson[0].cycles;
  }
  report("cycles of second solutions: %d, after adaptations %d", cycles[0], cycles[1]);
  assert_true(cycles[1] <= cycles[0] + 3);
  sim_free(&s);
}

/* The mean error of rho at t = 1 in units of its mean, with sigma = 1. */
static double decay(int steps) {
  sim_t s = sim_new(MPI_COMM_WORLD, CHARGES MESH(2, 1, 1));
  double sum[2] = {0, 0};
  MUST(oak_initialize(s.sim));
  double *first = sim_read(&s, RHO);
  for (int i = 0; i < steps; i++) MUST(oak_advance(s.sim, 1.0 / steps));
  double *last = sim_read(&s, RHO);
  for (int i = 0; i < oak_nblocks(s.sim) * s.cells; i++) {
    sum[0] += fabs(last[i] - exp(-1) * first[i]);
    sum[1] += fabs(first[i]) * exp(-1);
  }
  free(first);
  free(last);
  sim_free(&s);
  MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum[0] / sum[1];
}

static void test_order(void **state) {
  (void)state;
  if (test_short()) return;
  const double error[3] = {decay(4), decay(8), decay(16)};
  report("relaxation, t = 1: mean errors %.4f %.4f %.5f with 4, 8, 16 steps", error[0], error[1],
         error[2]);
  for (int i = 0; i < 2; i++) assert_true(log2(error[i] / error[i + 1]) > 1.95);
}

/* ---- the flux of a step on one level, computed here from phi and its gradient */

enum { CELLS = 16 };
typedef double grid_t[CELLS][CELLS];

/* Values of a field, or of variable N without a name. */
static void read_grid(const sim_t *s, const char *field, grid_t out) {
  double *v = field ? malloc(CELLS * CELLS * sizeof *v) : sim_read(s, N);
  if (field) MUST(oak_field_get(s->sim, field, oak_nblocks(s->sim), v));
  for (int i = 0; i < CELLS * CELLS; i++) {
    double x[3];
    sim_center(s, i / s->cells, i % s->cells, x);
    out[(int)(x[1] * CELLS)][(int)(x[0] * CELLS)] = v[i];
  }
  free(v);
}

/* The flux of n through the face between two cells that are neighbours in space. */
static double flux_between(const double n[2], const double phi[2], const double size[2]) {
  const double E = 0.5 * (size[0] + size[1]), slope = (phi[1] - phi[0]) * CELLS;
  const double v = slope / sqrt(1 + E);
  return v * (v > 0 ? n[0] : n[1]) - 0.01 * sqrt(1 + E) * (n[1] - n[0]) * CELLS;
}

static void test_drift(void **state) {
  (void)state;
  static grid_t n, phi, x, y, after;
  const double dt = 1e-3;
  double most = 0;
  sim_t s = sim_new(MPI_COMM_SELF,
                    CHARGES MESH(2, 1, 1) "scheme.integrator=euler\nscheme.limiter=upwind\n"
                                          "physics.diffusivity=0.01\nphysics.coupling=1\n");
  MUST(oak_initialize(s.sim));
  read_grid(&s, NULL, n);
  MUST(oak_advance(s.sim, dt));
  read_grid(&s, NULL, after);
  read_grid(&s, "phi", phi);
  read_grid(&s, "phi_x", x);
  read_grid(&s, "phi_y", y);
  for (int c = 0; c < CELLS * CELLS; c++) {
    double rate = 0;
    for (int face = 0; face < 4; face++) {
      double a[2], p[2], size[2];
      for (int side = 0; side < 2; side++) {
        const int step = side - 1 + face % 2;
        const int i = (c % CELLS + (face < 2) * step + CELLS) % CELLS,
                  j = (c / CELLS + (face > 1) * step + CELLS) % CELLS;
        a[side] = n[j][i], p[side] = phi[j][i], size[side] = hypot(x[j][i], y[j][i]);
      }
      rate += (face % 2 ? -1 : 1) * flux_between(a, p, size) * CELLS;
    }
    const double expected = n[c / CELLS][c % CELLS] + dt * rate;
    most = fmax(most, fabs(after[c / CELLS][c % CELLS] - expected));
  }
  report("drift and diffusion: a step differs by %.1e", most);
  assert_true(most < 1e-13);
  sim_free(&s);
}

/* ---- a stack of 2 MiB, as some threads have it, with the largest blocks and all fields */

static void test_stack(void **state) {
  (void)state;
  if (test_size > 1 || test_short()) return;
  struct rlimit limit, small;
  assert_int_equal(getrlimit(RLIMIT_STACK, &limit), 0);
  small = limit;
  small.rlim_cur = 2 << 20;
  assert_int_equal(setrlimit(RLIMIT_STACK, &small), 0);
  sim_t s = sim_new(MPI_COMM_SELF,
                    "device.flags=-O0\nphysics.name=@/problems/many_fields.c\nproblem.name=@/"
                    "problems/ones.c\nmesh.block_size=128\nmesh.min_level=0\nmesh.max_level=0\n"
                    "scheme.integrator=euler\nscheme.limiter=upwind\nscheme.flux=rusanov\n"
                    "boundary.xlow=outflow\nboundary.xhigh=outflow\n");
  MUST(oak_initialize(s.sim));
  MUST(oak_advance(s.sim, 1e-3)); /* dn/dt = -d(x n)/dx */
  double *n = sim_read(&s, 0), most = 0;
  for (int c = 0; c < s.cells; c++)
    if (c % 128 > 0 && c % 128 < 127) most = worse(most, fabs(n[c] - (1 - 1e-3)));
  report("16 fields beside faces of a block of 128^2: error %.1e", most);
  free(n);
  sim_free(&s);
  assert_int_equal(setrlimit(RLIMIT_STACK, &limit), 0);
  assert_true(most < 1e-12);
}

/* ---- bits */

#define MOVING \
  CHARGES MESH(2, 1, 3) "physics.coupling=0.5\nphysics.diffusivity=1e-3\nproblem.edge=1\n" \
                        "physics.mobility=20\nscheme.on_invalid=first_order\nscheme.limiter=weno5\n"

/* Ten steps on this rank alone, which go on from a checkpoint half-way, and on all ranks. */
static void test_bits(void **state) {
  (void)state;
  sim_t s[2];
  char path[256];
  double before = 0;
  int different = 0;
  snprintf(path, sizeof path, "poisson_faces_test_%d.%d", test_size, test_rank);
  for (int i = 0; i < 2; i++) {
    s[i] = sim_new(i ? MPI_COMM_WORLD : MPI_COMM_SELF, MOVING);
    MUST(oak_initialize(s[i].sim));
    before = total(&s[i], N);
    for (int step = 0; step < 10; step++) {
      if (step == 5 && i == 0) {
        MUST(oak_write_checkpoint(s[i].sim, path));
        sim_free(&s[i]);
        s[i] = sim_new(MPI_COMM_SELF, MOVING);
        MUST(oak_read_checkpoint(s[i].sim, path));
        remove(path);
      }
      MUST(oak_advance(s[i].sim, oak_time_step(s[i].sim)));
      if (step % 2) MUST(oak_adjust_refinement(s[i].sim, NULL));
    }
  }
  const int first = (int)s[1].sim->data.mesh->first * s[1].cells;
  for (int v = 0; v < 2; v++) {
    double *one = sim_read(&s[0], v), *all = sim_read(&s[1], v);
    for (int i = 0; i < oak_nblocks(s[1].sim) * s[1].cells; i++)
      different += memcmp(&one[first + i], &all[i], sizeof *one) != 0;
    free(one);
    free(all);
  }
  different = sum_ranks_int(MPI_COMM_WORLD, different);
  report(
      "%d values differ from those of one rank and a restart; %lld cells repaired, n changes by "
      "%.1e",
      different, (long long)s[1].sim->counts.first_order_cells, total(&s[1], N) - before);
  assert_int_equal(different, 0);
  assert_true(s[1].sim->counts.first_order_cells > 0);
  assert_true(fabs(total(&s[1], N) - before) < 1e-13);
  for (int i = 0; i < 2; i++) sim_free(&s[i]);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_relaxation),
                                     cmocka_unit_test(test_derivatives),
                                     cmocka_unit_test(test_derivatives_after_adaptation),
                                     cmocka_unit_test(test_order),
                                     cmocka_unit_test(test_drift),
                                     cmocka_unit_test(test_stack),
                                     cmocka_unit_test(test_bits)};
  return TEST_MAIN(tests);
}
