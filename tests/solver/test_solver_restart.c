/* SPDX-License-Identifier: GPL-2.0-or-later
 * A simulation that is stopped and restarted has the same bits as one that goes through. A run on
 * one rank writes checkpoints at restart points, with adaptations between them. From each of them
 * any number of ranks goes on to the next one, and writes the same file, byte by byte: solution,
 * mesh, time step, counts.
 *
 *   OAK_TEST_RESTARTS   points of each case (4), and with 20 or more all cases */
// TEST np={1,3} timeout=300
// TEST name=long_@test@_np@np@ np={1,2,3,5} suite=long OAK_TEST_RESTARTS=20
#include <sys/stat.h>

#include "solver_test.h"

enum { NAME_SIZE = 64 };

static char folder[NAME_SIZE / 2] = "/tmp/oak_restart_XXXXXX";

typedef struct {
  const char *name, *keys;
  int steps, adapt_every; /* between restart points: an odd number, so that they meet all phases */
  int often;              /* also where few points are tried */
} case_t;

#define EULER_AMR                                                        \
  "physics.name=euler\nrefine.criterion=lohner\nrefine.variable=rho E\n" \
  "refine.c_refine=0.2\nrefine.c_derefine=0.1\nmesh.theta=1\n"
#define WAVES TEST_PROBLEM("waves") EULER_AMR
#define STREAMS           \
  TEST_PROBLEM("streams") \
  EULER_AMR               \
  "scheme.on_invalid=first_order\nscheme.flux=roe\nscheme.limiter=weno5\n"
#define SPHERE \
  "problem.name=advection\nphysics.name=advection\nrefine.criterion=lohner\nmesh.theta=1.5\n"

#define CLEANED                                                                       \
  "problem.name=orszag_tang\nphysics.name=mhd\nscheme.flux=hlld\nmesh.block_size=8\n" \
  "refine.criterion=lohner\nrefine.variable=rho\nmesh.min_level=1\nmesh.max_level=3\n"

/* Kernels of test_solver_ranks, where possible. */
static const case_t cases[] = {
    {"waves", WAVES "mesh.block_size=8\nmesh.min_level=1\nmesh.max_level=4\n", 3, 2, 1},
    {"mixed precision",
     WAVES "mesh.block_size=6\nmesh.min_level=1\nmesh.max_level=4\nscheme.precision=mixed\n", 3, 2,
     1},
    {"fluxes in single precision",
     WAVES "mesh.block_size=6\nmesh.min_level=1\nmesh.max_level=4\n"
           "scheme.precision=single_fluxes\n",
     3, 2, 0},
    {"streams, first-order fluxes and floors",
     STREAMS "mesh.block_size=6\nmesh.min_level=1\nmesh.max_level=3\nphysics.density_floor=0.1\n"
             "physics.pressure_floor=0.002\n",
     3, 2, 1},
    {"3D waves",
     WAVES
     "mesh.dim=3\nmesh.block_size=6\nmesh.min_level=1\nmesh.max_level=3\nproblem.amplitude=0.02\n",
     1, 2, 1},
    {"3D single precision",
     WAVES "mesh.dim=3\nmesh.block_size=6\nmesh.min_level=1\nmesh.max_level=3\n"
           "problem.amplitude=0.02\nscheme.precision=single\n",
     1, 2, 0},
    {"sphere", SPHERE "mesh.block_size=8\nmesh.max_level=4\n", 5, 2, 0},
    {"region",
     TEST_PROBLEM("window") "physics.name=advection\nrefine.criterion=none\nmesh.block_size=8\n"
                            "mesh.min_level=1\nmesh.max_level=4\n",
     3, 2, 0},
    {"ssprk43, trees",
     WAVES "mesh.block_size=8\nmesh.trees=3 2\nmesh.xmax=1 2/3\nmesh.max_level=3\n"
           "scheme.integrator=ssprk43\nrefine.buffer=2\n",
     3, 4, 0},
    {"rate of waves", CLEANED, 3, 2, 0},
    {"rate of waves, short steps", CLEANED "run.dt_max=2e-4\n", 3, 2, 1},
};

static int points(void) {
  const char *text = getenv("OAK_TEST_RESTARTS");
  return text ? atoi(text) : 4;
}

static void path_of(char path[NAME_SIZE], const char *stem, int point) {
  snprintf(path, NAME_SIZE, "%s/%s%d", folder, stem, point);
}

static void go_on(sim_t *s, const case_t *c) {
  for (int i = 0; i < c->steps; i++) {
    MUST(oak_advance(s->sim, oak_time_step(s->sim)));
    if (oak_step(s->sim) % c->adapt_every == 0) MUST(oak_adjust_refinement(s->sim, NULL));
  }
}

/** On rank 0: the files are the same, byte by byte. */
static int same_files(const char *a, const char *b) {
  static char x[1 << 16], y[1 << 16];
  FILE *f = fopen(a, "rb"), *g = fopen(b, "rb");
  size_t n = 1, m = 1;
  int same = f && g;
  while (same && n > 0) {
    n = fread(x, 1, sizeof x, f);
    m = fread(y, 1, sizeof y, g);
    same = n == m && !memcmp(x, y, n);
  }
  if (f) fclose(f);
  if (g) fclose(g);
  return same;
}

/** The run that goes through. \return blocks that came and went */
static int64_t through(const case_t *c) {
  char path[NAME_SIZE];
  int64_t changes = 0, blocks = 0;
  sim_t s = sim_new(MPI_COMM_SELF, "%s", c->keys);
  MUST(oak_initialize(s.sim));
  for (int point = 0; point <= points(); point++) {
    if (point) go_on(&s, c);
    changes += point && llabs(oak_nblocks_global(s.sim) - blocks);
    blocks = oak_nblocks_global(s.sim);
    path_of(path, "through", point);
    MUST(oak_write_checkpoint(s.sim, path));
  }
  sim_free(&s);
  return changes;
}

static void run_case(const case_t *c) {
  int64_t changes = 0;
  int different = 0;
  if (test_rank == 0) changes = through(c);
  MPI_Bcast(&changes, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
  for (int point = 0; point < points(); point++) {
    char from[NAME_SIZE], to[NAME_SIZE], expected[NAME_SIZE];
    path_of(from, "through", point);
    path_of(expected, "through", point + 1);
    path_of(to, "restarted", 0);
    sim_t s = sim_new(MPI_COMM_WORLD, "%s", c->keys);
    MUST(oak_read_checkpoint(s.sim, from));
    go_on(&s, c);
    MUST(oak_write_checkpoint(s.sim, to));
    sim_free(&s);
    if (test_rank == 0) different += !same_files(to, expected);
  }
  MPI_Bcast(&different, 1, MPI_INT, 0, MPI_COMM_WORLD);
  report("%s: %d of %d restarts differ; the mesh changed between %lld of them", c->name, different,
         points(), (long long)changes);
  assert_int_equal(different, 0);
  assert_true(changes > 0);
}

static void test_restarts(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    if ((cases[i].often || points() >= 20) && test_takes(cases[i].keys)) run_case(&cases[i]);
}

/* The rates of blocks are restored too: an adaptation right after reading uses them. */
static void test_adapt_first(void **state) {
  (void)state;
  char path[NAME_SIZE];
  sim_t s = sim_new(MPI_COMM_WORLD, "%s", cases[0].keys),
        t = sim_new(MPI_COMM_WORLD, "%s", cases[0].keys);
  MUST(oak_initialize(s.sim));
  MUST(oak_advance(s.sim, oak_time_step(s.sim)));
  path_of(path, "restarted", 0);
  MUST(oak_write_checkpoint(s.sim, path));
  MUST(oak_read_checkpoint(t.sim, path));
  MUST(oak_adjust_refinement(s.sim, NULL));
  MUST(oak_adjust_refinement(t.sim, NULL));
  assert_true(oak_time_step(s.sim) == oak_time_step(t.sim));
  /* and a simulation may read again */
  MUST(oak_read_checkpoint(t.sim, path));
  assert_int_equal(oak_step(t.sim), 1);
  sim_free(&s);
  sim_free(&t);
}

/** Other keys than those of the checkpoint: refused by name, or taken. */
static void test_changes(void **state) {
  (void)state;
  static const struct {
    const char *keys, *words;
  } change[] = {
      {"mesh.block_size=6\n", "mesh.block_size = 6"},
      {"mesh.dim=3\nmesh.block_size=6\nmesh.max_level=3\nproblem.amplitude=0.02\n", "mesh.dim = 3"},
      {"mesh.block_size=6\nscheme.precision=single\n", "mesh.block_size"},
      {"mesh.trees=2 1\n", "mesh.trees"},
      {"mesh.xmin=-1\n", "mesh.xmin"},
      {"mesh.xmax=2\n", "mesh.xmax"},
      {"boundary.xlow=outflow\nboundary.xhigh=outflow\n", "boundary.xlow"},
      {"mesh.min_level=4\n", "mesh.min_level = 4"},
      {"mesh.max_level=2\n", "mesh.max_level = 2"},
      {"run.cfl=0.25\nrefine.c_refine=0.3\nmesh.kappa_max=3\n", NULL},
      {"mesh.max_level=5\nmesh.min_level=0\n", NULL},
      {"physics.gamma=1.3\n", NULL},
  };
  char path[NAME_SIZE];
  path_of(path, "restarted", 0);
  sim_t s = sim_new(MPI_COMM_WORLD, "%s", cases[0].keys);
  MUST(oak_initialize(s.sim));
  MUST(oak_advance(s.sim, oak_time_step(s.sim)));
  MUST(oak_write_checkpoint(s.sim, path));
  for (size_t i = 0; i < sizeof change / sizeof *change; i++) {
    sim_t t = sim_new(MPI_COMM_WORLD, "%s%s", cases[0].keys, change[i].keys);
    const oak_status_t st = oak_read_checkpoint(t.sim, path);
    if (st != (change[i].words ? OAK_ERR_INPUT : OAK_OK))
      report("%s: %s", change[i].keys, oak_last_error());
    assert_int_equal(st, change[i].words ? OAK_ERR_INPUT : OAK_OK);
    if (change[i].words) {
      assert_non_null(strstr(oak_last_error(), change[i].words));
    } else {
      /* gamma changes the speed of sound, and so the step */
      const double same = oak_time_step(s.sim) * (strstr(change[i].keys, "cfl") ? 0.5 : 1);
      assert_true((oak_time_step(t.sim) == same) == !strstr(change[i].keys, "gamma"));
      MUST(oak_advance(t.sim, oak_time_step(t.sim)));
      MUST(oak_adjust_refinement(t.sim, NULL));
    }
    sim_free(&t);
  }
  sim_free(&s);
}

static void test_set(void **state) {
  (void)state;
  sim_t s = sim_new(MPI_COMM_WORLD, "%s", cases[0].keys);
  MUST(oak_initialize(s.sim));
  oak_set_time(s.sim, 2.5);
  oak_set_step(s.sim, 70);
  MUST(oak_advance(s.sim, 0.0009765625));
  assert_true(oak_time(s.sim) == 2.5009765625);
  assert_int_equal(oak_step(s.sim), 71);
  sim_free(&s);
}

static int set_up(void **state) {
  (void)state;
  if (test_rank == 0 && !mkdtemp(folder)) return 1;
  MPI_Bcast(folder, sizeof folder, MPI_CHAR, 0, MPI_COMM_WORLD);
  return 0;
}

static int clean_up(void **state) {
  (void)state;
  char path[NAME_SIZE];
  if (test_rank != 0) return 0;
  for (int i = 0; i <= points(); i++) {
    path_of(path, "through", i);
    unlink(path);
  }
  path_of(path, "restarted", 0);
  unlink(path);
  return rmdir(folder);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_restarts, set_up), cmocka_unit_test(test_adapt_first),
      cmocka_unit_test(test_changes), cmocka_unit_test_teardown(test_set, clean_up)};
  return TEST_MAIN(tests);
}
