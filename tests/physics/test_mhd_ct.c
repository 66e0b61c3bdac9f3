/* SPDX-License-Identifier: GPL-2.0-or-later
 * Constrained transport (physics mhd_ct): div B at rounding and fluxes through walls on meshes that
 * adapt, the same bits on any number of ranks and after a restart, waves, a loop of field. */
// TEST np={1,2,3} timeout=240 flags=-O1
// TEST name=@test@_hosts_np4 np=4 timeout=240 flags=-O1 OAK_TEST_RANKS_PER_HOST=2
// TEST name=@test@_fake_np2 np=2 suite=all needs=fake OAK_TEST_SHORT=1 OAK_TEST_DEVICE=cuda OAK_FAKE_CUDA=count=8
// TEST name=openacc_@test@_np2 np=2 suite=all needs=openacc OAK_TEST_SHORT=1 OAK_TEST_DEVICE=openacc flags="-O1 -foffload=disable"
// TEST name=long_@test@_np7 np=7 timeout=600 suite=long flags=-O1
// TEST name=long_@test@_steps_np2 np=2 timeout=1200 suite=long OAK_TEST_LONG=1
#include <malloc.h>

#include "mhd_test.h"

#define RADIAL "boundary.xlow=outflow\nboundary.xhigh=outflow\n"
#define CT "physics.name=mhd_ct\nscheme.flux=hlld\nmesh.block_size=8\nrun.cfl=0.4\n"

/** The largest |div B| times the size of a cell, over the largest component of B. */
static double worst_div(const sim_t *s) {
  const int n = oak_nblocks(s->sim) * s->cells;
  double div = 0, most = 0, *u = malloc(((size_t)n + 1) * sizeof *u);
  if (!u) abort();
  MUST(oak_read_variable(s->sim, "divb_absolute", oak_nblocks(s->sim), u));
  for (int i = 0; i < n; i++) {
    double origin[3], dx[3];
    oak_block_geometry(s->sim, i / s->cells, origin, dx);
    div = worse(div, fabs(u[i]) * dx[0]);
  }
  free(u);
  for (int v = 5; v < 8; v++) {
    u = sim_read(s, v);
    for (int i = 0; i < n; i++) most = worse(most, fabs(u[i]));
    free(u);
  }
  return max_ranks(s->comm, div) / max_ranks(s->comm, most);
}

/** The largest value of a variable. */
static double largest(const sim_t *s, int v) {
  double most = 0, *u = sim_read(s, v);
  for (int i = 0; i < oak_nblocks(s->sim) * s->cells; i++) most = worse(most, fabs(u[i]));
  free(u);
  return max_ranks(s->comm, most);
}

/** The flux through the plane x = 0, which blocks do not cross. */
static double plane_flux(const sim_t *s) {
  const int n = oak_nblocks(s->sim) * s->cells;
  double sum = 0, *u = malloc(((size_t)n + 1) * sizeof *u);
  if (!u) abort();
  MUST(oak_read_variable(s->sim, "bx_face", oak_nblocks(s->sim), u));
  for (int i = 0; i < n; i++) {
    double origin[3], dx[3];
    oak_block_geometry(s->sim, i / s->cells, origin, dx);
    if (i % s->size[0] == 0 && fabs(origin[0]) < 1e-12)
      sum += u[i] * dx[1] * (s->dim == 3 ? dx[2] : 1);
  }
  free(u);
  return sum_ranks(s->comm, sum);
}

/** Energy of the field, from means over cells. */
static double field_energy(const sim_t *s) {
  double sum = 0;
  for (int v = 5; v < 8; v++) {
    double *u = sim_read(s, v);
    for (int i = 0; i < oak_nblocks(s->sim) * s->cells; i++)
      sum += 0.5 * u[i] * u[i] * sim_volume(s, i / s->cells);
    free(u);
  }
  return sum_ranks(s->comm, sum);
}

/* ---- meshes that adapt */

typedef struct {
  const char *name, *keys;
  int steps;
} case_t;

#define BY(variables)                                   \
  "refine.criterion=lohner\nrefine.variable=" variables \
  "\nrefine.c_refine=0.3\nrefine.c_derefine=0.1\nmesh.adapt_every=2\n"
#define BLAST                                                                       \
  "problem.name=mhd_blast\nproblem.radius=0.2\nmesh.xmin=-0.5\nmesh.xmax=0.5\n" BY( \
      "rho p") "scheme.limiter=minmod\nscheme.on_invalid=first_order\n"
static const case_t cases[] = {
    /* A stream carries the refined region across blocks of four levels. */
    {"loop",
     "problem.name=field_loop\nmesh.trees=2 1\nmesh.xmin=-1 -0.5\nmesh.xmax=1 0.5\n"
     "mesh.min_level=1\nmesh.max_level=4\n" BY("bx by"),
     160},
    {"blast, walls", BLAST WALLS "mesh.min_level=1\nmesh.max_level=4\n", 100},
    {"loop, 3D",
     "problem.name=field_loop\nproblem.vz=0\nproblem.radius=0.1\nmesh.dim=3\nmesh.trees=2 1 1\n"
     "mesh.xmin=-1 -0.5 0\nmesh.xmax=1 0.5 1\nmesh.min_level=0\nmesh.max_level=3\n"
     "boundary.zlow=reflect\nboundary.zhigh=reflect\n" BY("bx by"),
     24},
    /* As many variables as a cell gives shares. */
    {"blast, 3D",
     BLAST
     "physics.scalars=4\nmesh.dim=3\nmesh.min_level=1\nmesh.max_level=3\nboundary.zlow=outflow\n"
     "boundary.zhigh=reflect\n",
     12},
};
enum { CASES = sizeof cases / sizeof *cases };

/** Loops go on; what leaves the domain in a blast, or invalid cells, would change sums. */
static int steps_of(const case_t *c) {
  return test_long() && (c - cases) % 2 == 0 ? 1000 : c->steps;
}

static void advance(sim_t *s, int steps) {
  for (int n = 0; n < steps; n++) {
    MUST(oak_advance(s->sim, oak_time_step(s->sim)));
    if (oak_step(s->sim) % 2 == 0) MUST(oak_adjust_refinement(s->sim, NULL));
  }
}

/** Half of the steps, and in a restarted simulation the rest: the same bits as in one go. */
static void check_restart(const case_t *c, uint64_t hash) {
  const char *path = test_new_file();
  sim_t s = sim_new(MPI_COMM_WORLD, CT "%s", c->keys);
  MUST(oak_initialize(s.sim));
  advance(&s, steps_of(c) / 2);
  MUST(oak_write_checkpoint(s.sim, path));
  sim_free(&s);
  s = sim_new(MPI_COMM_WORLD, CT "%s", c->keys);
  MUST(oak_read_checkpoint(s.sim, path));
  advance(&s, steps_of(c) - steps_of(c) / 2);
  assert_true(hash_of(&s) == hash);
  sim_free(&s);
  test_remove(path);
}

static void test_adaptive(void **state) {
  (void)state;
  for (int n = 0; n < CASES; n += test_stride(CASES)) {
    const case_t *c = &cases[n];
    int lowest, highest;
    double before[TEST_MAX_NVAR], after[TEST_MAX_NVAR];
    sim_t s = sim_new(MPI_COMM_WORLD, CT "%s", c->keys);
    MUST(oak_initialize(s.sim));
    MUST(oak_totals(s.sim, before));
    const double flux = plane_flux(&s);
    advance(&s, steps_of(c));
    MUST(oak_totals(s.sim, after));
    sim_levels(&s, &lowest, &highest);
    const double div = worst_div(&s);
    const double drift = fabs(plane_flux(&s) - flux), energy = fabs(after[4] / before[4] - 1);
    report("%s: %d steps, levels %d to %d, div B %.1e, flux changes by %.1e, energy by %.1e",
           c->name, (int)oak_step(s.sim), lowest, highest, div, drift, energy);
    assert_true(lowest < highest);
    assert_true(div < 1e-13);
    /* No flux of the field leaves through periodic faces and walls. */
    assert_true(drift < 1e-14);
    if (n < CASES - 1) assert_true(energy < 1e-14);
    if (n % 2 == 0) assert_true(largest(&s, 7) < 1e-15); /* bz is made by errors of div B alone */
    const uint64_t hash = hash_of(&s);
    sim_free(&s);
    if (n % 2 == 0) check_restart(c, hash);
    if (test_rank != 0 || test_size == 1) continue;
    sim_t alone = sim_new(MPI_COMM_SELF, CT "%s", c->keys);
    MUST(oak_initialize(alone.sim));
    advance(&alone, steps_of(c));
    assert_true(hash_of(&alone) == hash);
    sim_free(&alone);
  }
}

/** Blocks with sides of different lengths: checkpoints hold only numbers that something has set, so
 * a restart accepts them where fresh memory is NaN. */
static void test_oblong(void **state) {
  (void)state;
  const char *path = test_new_file();
  mallopt(M_PERTURB, 256); /* malloc fills memory with 0xff */
  for (int restart = 0; restart < 2; restart++) {
    sim_t s = sim_new(MPI_COMM_WORLD, CT BLAST
                      "mesh.block_size=6 8\nmesh.min_level=1\n"
                      "mesh.max_level=2\n");
    MUST(restart ? oak_read_checkpoint(s.sim, path) : oak_initialize(s.sim));
    advance(&s, 4);
    if (!restart) MUST(oak_write_checkpoint(s.sim, path));
    assert_true(worst_div(&s) < 1e-13);
    sim_free(&s);
  }
  mallopt(M_PERTURB, 0);
  test_remove(path);
}

static void test_walls(void **state) {
  (void)state;
  check_walls(CT);
}

/* ---- boundaries */

#define OUTFLOW \
  "boundary.xlow=outflow\nboundary.xhigh=outflow\nboundary.ylow=outflow\nboundary.yhigh=outflow\n"

/** \return the mean error of a loop of field that has flown in through a boundary. */
static double inflow_error(int level, int finest) {
  sim_t s = sim_new(MPI_COMM_WORLD,
                    CT TEST_PROBLEM("mhd_inflow") OUTFLOW
                    "boundary.xlow=user\nscheme.limiter=mc\nmesh.min_level=%d\n"
                    "mesh.max_level=%d\n" BY("bx by"),
                    level, finest);
  MUST(oak_initialize(s.sim));
  sim_run(&s, 0.3, finest > level ? 2 : 0);
  double sum = 0, *bx = sim_read(&s, 5), *by = sim_read(&s, 6);
  for (int b = 0; b < oak_nblocks(s.sim); b++)
    for (int c = 0; c < s.cells; c++) {
      double at[3];
      sim_center(&s, b, c, at);
      const double x = (at[0] - 0.5) / 0.3, y = (at[1] - 0.59) / 0.3;
      const double rest = fmax(1 - x * x - y * y, 0), slope = -6e-3 * rest * rest / 0.3;
      const int i = b * s.cells + c;
      sum += sim_volume(&s, b) * hypot(bx[i] - slope * y, by[i] + slope * x);
    }
  free(bx);
  free(by);
  assert_true(worst_div(&s) < 1e-13);
  assert_true(largest(&s, 7) < 1e-15);
  sim_free(&s);
  return sum_ranks(MPI_COMM_WORLD, sum) / 2.2e-3;
}

static void test_inflow(void **state) {
  (void)state;
  const double coarse = inflow_error(3, 3), fine = inflow_error(4, 4),
               adaptive = inflow_error(2, 4);
  report("inflow: error %.3f, %.3f, order %.2f; adaptive %.3f", coarse, fine, log2(coarse / fine),
         adaptive);
  assert_true(log2(coarse / fine) > 1.5);
  assert_true(adaptive < 1.5 * fine);
}

/** With each condition the divergence stays at rounding. */
static void test_boundaries(void **state) {
  (void)state;
  static const char *const keys[] = {
      OUTFLOW, WALLS "boundary.ylow.by=mirror\nboundary.ylow.bx=antimirror\n",
      OUTFLOW
      "boundary.xlow=reflect\nboundary.xlow.by=dirichlet 0.5\nboundary.yhigh.bx=neumann 1\n"};
  for (int n = 0; n < 3; n++) {
    sim_t s = sim_new(MPI_COMM_WORLD, CT BLAST "mesh.min_level=1\nmesh.max_level=3\n%s", keys[n]);
    MUST(oak_initialize(s.sim));
    advance(&s, 60);
    const double div = worst_div(&s);
    report("boundary %d: div B %.1e", n, div);
    assert_true(div < 1e-13);
    sim_free(&s);
  }
}

/** Walls that the field crosses keep the energy if the electric field along them is 0: the gas does
 * not slide on a conductor; on a plane of symmetry the field is normal to it. */
static void test_crossed_walls(void **state) {
  (void)state;
  static const char *const keys[] = {
      "boundary.xlow.my=antimirror\nboundary.xhigh.my=antimirror\nboundary.ylow.mx=antimirror\n"
      "boundary.yhigh.mx=antimirror\n",
      "boundary.xlow.bx=mirror\nboundary.xhigh.bx=mirror\nboundary.xlow.by=antimirror\n"
      "boundary.xhigh.by=antimirror\nboundary.ylow.by=mirror\nboundary.yhigh.by=mirror\n"
      "boundary.ylow.bx=antimirror\nboundary.yhigh.bx=antimirror\n"};
  for (int n = 0; n < 2; n++) {
    double before[TEST_MAX_NVAR], after[TEST_MAX_NVAR];
    sim_t s =
        sim_new(MPI_COMM_WORLD, CT BLAST WALLS "%smesh.min_level=1\nmesh.max_level=3\n", keys[n]);
    MUST(oak_initialize(s.sim));
    MUST(oak_totals(s.sim, before));
    sim_run(&s, 0.4, 2);
    MUST(oak_totals(s.sim, after));
    const double energy = fabs(after[4] / before[4] - 1), field = fabs(after[5] - before[5]);
    report("crossed walls %d: energy changes by %.1e, field by %.1e", n, energy, field);
    assert_true(energy < 1e-13);
    assert_true(n == 0 ? field < 1e-13 : field > 1e-3);
    sim_free(&s);
  }
}

/** Gas whose pressure is 1e-4 of the field's: cells that have no pressure are repaired. */
static void test_strong_field(void **state) {
  (void)state;
  double before[TEST_MAX_NVAR], after[TEST_MAX_NVAR];
  sim_t s = sim_new(MPI_COMM_WORLD, CT BLAST
                    "problem.radius=0.1\nproblem.p_in=1000\nproblem.p_out=0.005\n"
                    "problem.field=10\nproblem.angle=0\nphysics.gamma=1.4\nmesh.min_level=1\n"
                    "mesh.max_level=3\n");
  MUST(oak_initialize(s.sim));
  MUST(oak_totals(s.sim, before));
  sim_run(&s, 0.004, 4);
  MUST(oak_totals(s.sim, after));
  const double div = worst_div(&s), energy = fabs(after[4] / before[4] - 1);
  report("strong field: %d steps, div B %.1e, energy changes by %.1e", (int)oak_step(s.sim), div,
         energy);
  assert_true(div < 1e-13);
  assert_true(energy < 5e-3);
  sim_free(&s);
}

/** The blast waves that come with oak run with both kinds of MHD as their files are: at the start
 * the field of a cell beside the hot gas takes all of its pressure. */
static void test_blast_files(void **state) {
  (void)state;
  static const char *const file[] = {"mhd_blast", "mhd_blast_cylindrical"};
  for (int n = 0; n < 2; n += test_stride(2)) {
    char path[4096];
    sim_t s = {.comm = MPI_COMM_WORLD};
    MUST(oak_params_new(&s.params));
    snprintf(path, sizeof path, "%s/../problems/%s.ini", test_folder(), file[n]);
    MUST(oak_params_read(s.params, s.comm, path));
    MUST(test_assign(s.params, "physics.name=mhd_ct"));
    MUST(test_assign(s.params, "device.threads=1"));
    MUST(oak_create(s.comm, s.params, &s.sim));
    MUST(oak_initialize(s.sim));
    sim_run(&s, n == 0 ? 1e-3 : 5e-3, 4);
    report("%s: %d steps, %.0f first-order cells", file[n], (int)oak_step(s.sim),
           (double)oak_first_order_cells(s.sim));
    assert_true(oak_first_order_cells(s.sim) > 0);
    sim_free(&s);
  }
}

/* ---- accuracy */

#define WAVE \
  CT TEST_PROBLEM("mhd_wave_strip") "refine.criterion=user\nrefine.c_refine=0.5\n"           \
                                    "refine.c_derefine=0.4\n"

/** The root of the sum of the squares of the mean changes of variables from \a first on, until \a
 * time. */
static double mean_change(sim_t *s, int first, double time, double volume) {
  double error = 0, *start[8];
  MUST(oak_initialize(s->sim));
  for (int v = first; v < 8; v++) start[v] = sim_read(s, v);
  sim_run(s, time, 0);
  for (int v = first; v < 8; v++) {
    double *u = sim_read(s, v), sum = 0;
    for (int i = 0; i < oak_nblocks(s->sim) * s->cells; i++)
      sum += fabs(u[i] - start[v][i]) * sim_volume(s, i / s->cells) / volume;
    sum = sum_ranks(s->comm, sum);
    error += sum * sum;
    free(u);
    free(start[v]);
  }
  assert_true(worst_div(s) < 1e-13);
  sim_free(s);
  return sqrt(error);
}

/** The circularly polarised Alfven wave, oblique, with a refined strip in the middle if \a refined.
 * \return the mean error of the field after a period. */
static double wave_error(int level, int refined) {
  sim_t s = sim_new(MPI_COMM_WORLD,
                    WAVE
                    "mesh.trees=2 1\nmesh.xmax=2.2360679774997896 1.1180339887498948\n"
                    "mesh.min_level=%d\nmesh.max_level=%d\nproblem.wave=circular\n"
                    "problem.amplitude=0.1\nscheme.limiter=mc\n",
                    level, level + refined);
  return mean_change(&s, 5, 1, 2.5);
}

/** Waves of amplitude 1e-6: the density of the eigenvectors in the tests of AthenaK and Athena++,
 * and their bounds. */
static const struct {
  const char *name;
  double density, period, error, ratio, error_3d;
} wave[] = {{"fast", 0.4472135954999580, 0.5, 2.5e-8, 0.28, 4e-8},
            {"alfven", 1, 1, 1.7e-8, 0.29, 4e-8},
            {"slow", 0.8944271909999160, 2, 2.8e-8, 0.32, 5e-8},
            {"entropy", 1, 1, 2.2e-8, 0.30, 2.5e-8}};

/** Waves along x, in wide cells: errors and their ratios from 32 to 64 cells stay below the bounds
 * of AthenaK's tests. */
static void test_linear_waves(void **state) {
  (void)state;
  for (int n = 0; n < 4; n += test_stride(4)) {
    double error[2];
    for (int fine = 0; fine < 2; fine++) {
      sim_t s = sim_new(MPI_COMM_WORLD,
                        WAVE
                        "mesh.trees=%d 1\nmesh.xmax=1 64\nproblem.length_x=1\n"
                        "problem.length_y=1e30\nproblem.wave=%s\nproblem.amplitude=%.16g\n"
                        "mesh.min_level=0\nmesh.max_level=0\nscheme.limiter=vanleer\n",
                        fine ? 8 : 4, wave[n].name, 1e-6 * wave[n].density);
      error[fine] = mean_change(&s, 0, wave[n].period, 64);
    }
    report("%s wave: error %.2e, ratio %.3f", wave[n].name, error[1], error[1] / error[0]);
    assert_true(error[1] < wave[n].error);
    assert_true(error[1] / error[0] < wave[n].ratio);
  }
}

/** The same waves oblique in 3D on two levels, with 32 and 64 cells along x on the coarse one:
 * errors stay within the bounds of the tests of Athena++, which are on the same mesh. */
static void test_refined_waves(void **state) {
  (void)state;
  for (int n = 0; n < 4 && test_long(); n++) {
    double error[2];
    for (int fine = 0; fine < 2; fine++) {
      sim_t s = sim_new(MPI_COMM_WORLD,
                        WAVE TEST_PROBLEM("mhd_wave_blocks") "mesh.block_size=%d\nrefine.buffer=0\n"
                        "mesh.dim=3\nmesh.trees=4 2 2\nmesh.xmax=3 1.5 1.5\nproblem.length_x=3\n"
                        "problem.length_y=1.5\nproblem.length_z=1.5\nproblem.wave=%s\n"
                        "problem.amplitude=%.16g\nmesh.min_level=0\nmesh.max_level=1\n"
                        "scheme.limiter=mc\n",
                        fine ? 16 : 8, wave[n].name, 1e-6 * wave[n].density);
      error[fine] = mean_change(&s, 0, wave[n].period, 6.75);
    }
    report("%s wave in 3D: error %.2e, ratio %.3f", wave[n].name, error[1], error[1] / error[0]);
    assert_true(error[1] < wave[n].error_3d);
    assert_true(error[1] / error[0] < 0.4);
  }
}

static void test_waves(void **state) {
  (void)state;
  for (int refined = 0; refined < 2; refined++) {
    const double coarse = wave_error(2 - refined, refined), fine = wave_error(3 - refined, refined);
    report("circular wave, %s: error %.2e, %.2e, order %.2f", refined ? "refined strip" : "uniform",
           coarse, fine, log2(coarse / fine));
    assert_true(log2(coarse / fine) > 1.6);
    assert_true(fine < 3e-3);
  }
}

/** A loop of field loses as much energy as with cleaning, where the limiter is the same. No kind
 * of MHD goes on from a checkpoint of the other. */
static void test_loop(void **state) {
  (void)state;
  double rest[2];
  const char *path = test_new_file();
  for (int ct = 0; ct < 2; ct++) {
    sim_t s = sim_new(MPI_COMM_WORLD,
                      CT
                      "%sproblem.name=field_loop\nmesh.trees=2 1\nmesh.xmin=-1 -0.5\n"
                      "mesh.xmax=1 0.5\nmesh.min_level=3\nmesh.max_level=3\nscheme.limiter=mc\n",
                      ct ? "" : "physics.name=mhd\n");
    if (ct) assert_int_equal(oak_read_checkpoint(s.sim, path), OAK_ERR_INPUT);
    if (ct) assert_non_null(strstr(oak_last_error(), "that cannot change at a restart"));
    MUST(oak_initialize(s.sim));
    if (!ct) MUST(oak_write_checkpoint(s.sim, path));
    const double before = field_energy(&s);
    sim_run(&s, 1, 0);
    rest[ct] = field_energy(&s) / before;
    if (ct) assert_true(largest(&s, 7) < 1e-16);
    sim_free(&s);
  }
  test_remove(path);
  report("field loop: %.3f of the energy are left, %.3f with cleaning", rest[1], rest[0]);
  assert_true(rest[1] < 1 && rest[1] > rest[0] - 0.01);
}

/** INITIAL gives a field with a divergence: its gradient is taken off. \return the mean error. */
static double projection_error(MPI_Comm comm, int level, const char *keys, uint64_t *hash) {
  sim_t s = sim_new(comm,
                    CT TEST_PROBLEM("mhd_divergence") "mesh.min_level=%d\nmesh.max_level=%d\n"
                    "refine.criterion=user\nrefine.c_refine=0.5\nrefine.c_derefine=0.4\n%s",
                    level, level + 1, keys);
  MUST(oak_initialize(s.sim));
  double sum = 0, *bx = sim_read(&s, 5), *by = sim_read(&s, 6);
  for (int b = 0; b < oak_nblocks(s.sim); b++)
    for (int c = 0; c < s.cells; c++) {
      double at[3];
      sim_center(&s, b, c, at);
      const double x = 2 * M_PI * at[0], y = 2 * M_PI * at[1];
      const int i = b * s.cells + c;
      sum += sim_volume(&s, b) * hypot(bx[i] + cos(x) * sin(y), by[i] - sin(x) * cos(y));
    }
  free(bx);
  free(by);
  assert_true(worst_div(&s) < 1e-13);
  *hash = hash_of(&s);
  sim_free(&s);
  return sum_ranks(comm, sum);
}

static void test_projection(void **state) {
  (void)state;
  uint64_t hash, alone;
  const double coarse = projection_error(MPI_COMM_WORLD, 2, "", &hash);
  if (test_rank == 0) projection_error(MPI_COMM_SELF, 2, "", &alone);
  if (test_rank == 0) assert_true(hash == alone);
  const double fine = projection_error(MPI_COMM_WORLD, 3, "", &hash);
  report("INITIAL with a gradient: error %.2e, %.2e, order %.2f", coarse, fine,
         log2(coarse / fine));
  assert_true(log2(coarse / fine) > 1.8);
  projection_error(MPI_COMM_WORLD, 1, "mesh.dim=3\n", &hash);
  projection_error(MPI_COMM_WORLD, 1, WALLS "boundary.yhigh=outflow\n", &hash);
}

/** Another system with a vector on faces: light returns after a period. \return the mean error. */
static double light_error(int dim, int level) {
  double error = 0, *start[6], *div;
  sim_t s = sim_new(MPI_COMM_WORLD,
                    "physics.name=@/problems/maxwell.c\n" TEST_PROBLEM("light") "mesh.dim=%d\n"
                    "mesh.block_size=8\nmesh.min_level=%d\nmesh.max_level=%d\nscheme.limiter=mc\n"
                    "run.cfl=0.4\n",
                    dim, level, level + (dim == 2));
  MUST(oak_initialize(s.sim));
  const int n = oak_nblocks(s.sim) * s.cells;
  for (int v = 0; v < 6; v++) start[v] = sim_read(&s, 1 + v);
  sim_run(&s, 1 / sqrt(dim == 2 ? 5 : 6), 0);
  div = malloc(((size_t)n + 1) * sizeof *div);
  if (!div) abort();
  MUST(oak_read_variable(s.sim, "div_b", oak_nblocks(s.sim), div));
  for (int v = 0; v < 6; v++) {
    double *u = sim_read(&s, 1 + v);
    for (int i = 0; i < n; i++) {
      error += fabs(u[i] - start[v][i]) * sim_volume(&s, i / s.cells);
      assert_true(fabs(div[i]) < 1e-11);
    }
    free(u);
    free(start[v]);
  }
  free(div);
  sim_free(&s);
  return sum_ranks(MPI_COMM_WORLD, error);
}

static void test_light(void **state) {
  (void)state;
  for (int dim = 2; dim <= 3; dim++) {
    const double coarse = light_error(dim, 4 - dim), fine = light_error(dim, 5 - dim);
    report("light, %dD: error %.2e, %.2e, order %.2f", dim, coarse, fine, log2(coarse / fine));
    assert_true(log2(coarse / fine) > 1.5);
  }
}

/** A stream normal to the sides of a refined strip, without a flow along them, carries a loop of
 * field through it twice. */
static void test_strip(void **state) {
  (void)state;
  sim_t s = sim_new(MPI_COMM_WORLD, CT TEST_PROBLEM("mhd_loop_strip")
                    "problem.vy=0\nmesh.trees=2 1\nmesh.xmin=-1 -0.5\nmesh.xmax=1 0.5\n"
                    "mesh.min_level=2\nmesh.max_level=3\nscheme.limiter=mc\n");
  MUST(oak_initialize(s.sim));
  sim_run(&s, 2, 0);
  const double most = fmax(largest(&s, 5), largest(&s, 6));
  report("strip: largest field %.2e, %.2e at the start", most, 1e-3);
  assert_true(most < 2.5e-3);
  assert_true(worst_div(&s) < 1e-13);
  sim_free(&s);
}

static oak_status_t sim_try(sim_t *s, const char *format, ...) {
  va_list args;
  va_start(args, format);
  const oak_status_t st = try_new(s, MPI_COMM_WORLD, format, args);
  va_end(args);
  return st;
}

/** What is not there is refused before kernels are compiled. */
static void test_refusals(void **state) {
  (void)state;
  static const char *const line[][2] = {
      {"mesh.coordinates=polar\nmesh.xmin=0 0\nmesh.xmax=1 2pi\nboundary.xhigh=outflow\n"
       "mesh.trees=1 4\n",
       "begin the domain above r = 0"},
      {"mesh.dim=3\nmesh.coordinates=spherical\nmesh.xmin=1 0 0\nmesh.xmax=2 1 2pi\n"
       "mesh.trees=1 1 2\nboundary.yhigh=outflow\n" RADIAL,
       "between the poles"},
      {"mesh.dim=3\nmesh.coordinates=cylindrical\nmesh.radius=logarithmic\nmesh.xmin=1 0 0\n"
       "mesh.xmax=2 2pi 1\nmesh.trees=1 2 1\n" RADIAL,
       "a linear radius in 3D"},
      {"scheme.precision=mixed\n", "scheme.precision = mixed"},
      {"run.initial=some.oak\n", "no values on faces"},
      {TEST_PROBLEM("mhd_two_fields"), "another field than that of VECTOR_POTENTIAL"},
      {TEST_PROBLEM("mhd_divergence") WALLS "problem.outwards=1\n", "enters the domain"}};
  for (int n = 0; n < (int)(sizeof line / sizeof *line); n++) {
    sim_t s;
    oak_status_t st = sim_try(&s, CT "problem.name=orszag_tang\n%s", line[n][0]);
    if (st == OAK_OK) st = oak_initialize(s.sim);
    assert_int_equal(st, OAK_ERR_INPUT);
    if (!strstr(oak_last_error(), line[n][1])) report("%s", oak_last_error());
    assert_non_null(strstr(oak_last_error(), line[n][1]));
    sim_free(&s);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_adaptive),      cmocka_unit_test(test_oblong),
      cmocka_unit_test(test_walls),         cmocka_unit_test(test_inflow),
      cmocka_unit_test(test_boundaries),    cmocka_unit_test(test_crossed_walls),
      cmocka_unit_test(test_strong_field),  cmocka_unit_test(test_blast_files),
      cmocka_unit_test(test_waves),         cmocka_unit_test(test_linear_waves),
      cmocka_unit_test(test_refined_waves), cmocka_unit_test(test_loop),
      cmocka_unit_test(test_projection),    cmocka_unit_test(test_strip),
      cmocka_unit_test(test_light),         cmocka_unit_test(test_refusals)};
  return TEST_MAIN(tests);
}
