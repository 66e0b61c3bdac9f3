/* SPDX-License-Identifier: GPL-2.0-or-later
 * Solids: their surface acts like a reflecting boundary; they keep their state; the rest is
 * conserved on an adaptive mesh; their surface is on the finest level; the bits are the same on
 * any number of ranks. */
// TEST np={1,3} timeout=120 flags=-O1
#include "solver_test.h"

static sim_t make_with(MPI_Comm comm, const char *physics, const char *kind, const char *more) {
  return sim_new(comm,
                 TEST_PROBLEM("solid") "physics.name=%s\nphysics.gamma=1.4\nmesh.block_size=8\n"
                                       "scheme.flux=hll\nboundary.xlow=reflect\n"
                                       "boundary.xhigh=reflect\nboundary.ylow=reflect\n"
                                       "boundary.yhigh=reflect\nboundary.zlow=reflect\n"
                                       "boundary.zhigh=reflect\n"
                                       "problem.kind=%s\n%s",
                 physics, kind, more);
}

static sim_t make(MPI_Comm comm, const char *kind, const char *more) {
  return make_with(comm, "euler", kind, more);
}

static int variable(const sim_t *s, const char *name) {
  for (int v = 0; v < 2 * s->nvar; v++)
    if (!strcmp(oak_variable_name(s->sim, v), name)) return v;
  return -1;
}

/** Density by the number of the cell in the unit square or cube of `cells` cells per side. */
static double *density(const sim_t *s, int cells) {
  const size_t count = (size_t)cells * cells * (s->dim == 3 ? cells : 1);
  double *out = calloc(count, sizeof *out), *q = sim_read(s, 0);
  if (!out) abort();
  for (int b = 0; b < oak_nblocks(s->sim); b++)
    for (int c = 0; c < s->cells; c++) {
      double x[3];
      sim_center(s, b, c, x);
      size_t at = 0;
      int inside = 1;
      for (int d = s->dim - 1; d >= 0; d--) {
        inside &= x[d] > 0 && x[d] < 1;
        at = at * (size_t)cells + (size_t)(x[d] * cells);
      }
      if (inside) out[at] = q[b * s->cells + c];
    }
  free(q);
  MPI_Allreduce(MPI_IN_PLACE, out, (int)count, MPI_DOUBLE, MPI_SUM, s->comm);
  return out;
}

/** The unit square between solids, within a larger one, and between boundaries. Both have 32 (3D:
 * 16) cells per side. */
static void compare_walls(int dim, const char *limiter, const char *physics, const char *more) {
  const int cells = dim == 2 ? 32 : 16;
  char keys[2][1024];
  double *rho[2], most = 0, motion = 0;
  for (int i = 0; i < 2; i++) {
    const int trees = i ? cells / 8 + 2 : cells / 8;
    const double outside = i ? 8.0 / cells : 0;
    snprintf(keys[i], sizeof keys[i],
             "mesh.dim=%d\nmesh.trees=%d\nmesh.xmin=%g\nmesh.xmax=%g\nmesh.min_level=0\n"
             "mesh.max_level=0\nscheme.limiter=%s",
             dim, trees, -outside, 1 + outside, limiter);
    if (i || !strstr(more, "no_slip")) {
      snprintf(keys[i] + strlen(keys[i]), sizeof keys[i] - strlen(keys[i]), "\n%s", more);
    } else { /* BOUNDARY does the same */
      static const char *const face[] = {"xlow", "xhigh", "ylow", "yhigh"};
      for (int f = 0; f < 4; f++)
        snprintf(keys[i] + strlen(keys[i]), sizeof keys[i] - strlen(keys[i]), "\nboundary.%s=user",
                 face[f]);
      snprintf(keys[i] + strlen(keys[i]), sizeof keys[i] - strlen(keys[i]), "%s",
               strchr(more, '\n'));
    }
    sim_t s = make_with(MPI_COMM_WORLD, physics, i ? "walls" : "none", keys[i]);
    MUST(oak_initialize(s.sim));
    const double dt = (*more ? 0.03 : 0.1) / cells;
    for (int n = 0; n < 30; n++) MUST(oak_advance(s.sim, dt));
    rho[i] = density(&s, cells);
    sim_free(&s);
  }
  for (int c = 0; c < cells * cells * (dim == 3 ? cells : 1); c++) {
    most = worse(most, fabs(rho[0][c] - rho[1][c]));
    motion = worse(motion, fabs(rho[0][c] - 1));
  }
  free(rho[0]);
  free(rho[1]);
  report("%dD, %s, %s: walls of solids and boundaries differ by %.2e of %.2f", dim, limiter,
         physics, most, motion);
  assert_true(most < 1e-12 && motion > 0.4);
}

static void test_walls(void **state) {
  (void)state;
  compare_walls(2, "vanleer", "euler", "");
  if (!test_short()) compare_walls(2, "weno5", "euler", "");
  compare_walls(3, "vanleer", "euler", "");
}

#define BALL                                                                         \
  "mesh.min_level=1\nmesh.max_level=3\nscheme.limiter=vanleer\nmesh.adapt_every=2\n" \
  "refine.criterion=gradient\nrefine.variable=p\nrefine.c_refine=0.2\nrefine.c_derefine=0.05"

static void advance(sim_t *s, int steps) {
  for (int n = 0; n < steps; n++) {
    MUST(oak_advance(s->sim, 0.7 * oak_time_step(s->sim)));
    MUST(oak_adjust_refinement(s->sim, NULL));
  }
}

/** Blocks that have cells of both kinds and are not of the finest level. */
static int coarse_surfaces(const sim_t *s, int finest) {
  double *mask = sim_read(s, variable(s, "solid"));
  int wrong = 0;
  for (int b = 0; b < oak_nblocks(s->sim); b++) {
    double low = 1, high = 0;
    for (int c = 0; c < s->cells; c++) {
      low = fmin(low, mask[b * s->cells + c]);
      high = fmax(high, mask[b * s->cells + c]);
    }
    wrong += low != high && oak_block_level(s->sim, b) != finest;
  }
  free(mask);
  return (int)sum_ranks_int(s->comm, wrong);
}

static void test_ball(void **state) {
  (void)state;
  double before[8], after[8], alone[8];
  int low, high;
  sim_t s = make(MPI_COMM_WORLD, "ball", BALL), one = make(MPI_COMM_SELF, "ball", BALL);
  assert_true(s.nvar == 5 && variable(&s, "solid") == 4);
  MUST(oak_initialize(s.sim));
  MUST(oak_initialize(one.sim));
  sim_levels(&s, &low, &high);
  MUST(oak_totals(s.sim, before));
  advance(&s, 60);
  advance(&one, 60);
  MUST(oak_totals(s.sim, after));
  MUST(oak_totals(one.sim, alone));
  report("around a ball: mass %.17g, then %.17g; energy %.17g, then %.17g", before[0], after[0],
         before[3], after[3]);
  assert_true(low < high && coarse_surfaces(&s, high) == 0);
  assert_true(fabs(after[0] / before[0] - 1) < 1e-13 && fabs(after[3] / before[3] - 1) < 1e-13);
  assert_true(fabs(after[4] - M_PI * 0.04) < 0.01 && after[4] == before[4]);
  for (int v = 0; v < 5; v++)
    assert_true(max_ranks(MPI_COMM_WORLD, fabs(after[v] - alone[v])) == 0);
  /* A restart whose SOLID has other cells is refused, one with another parameter is not. */
  const char *const path = test_new_file();
  MUST(oak_write_checkpoint(s.sim, path));
  sim_free(&s);
  sim_free(&one);
  for (int other = 0; other < 2; other++) {
    s = make(MPI_COMM_WORLD, other ? "walls" : "ball", BALL "\nproblem.force=0.1");
    assert_int_equal(oak_read_checkpoint(s.sim, path), other ? OAK_ERR_INPUT : OAK_OK);
    if (other) assert_non_null(strstr(oak_last_error(), "SOLID(at) has other solid cells"));
    sim_free(&s);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  test_remove(path);
}

/** Gas over a floor: nothing happens, or the floor slows it down. */
static void test_no_slip(void **state) {
  (void)state;
  for (int no_slip = 0; no_slip < 2; no_slip++) {
    char keys[256];
    snprintf(keys, sizeof keys,
             "mesh.trees=4\nmesh.min_level=0\nmesh.max_level=0\nscheme.limiter=vanleer\n"
             "boundary.xlow=periodic\nboundary.xhigh=periodic\nboundary.solid=%s",
             no_slip ? "no_slip" : "reflect");
    sim_t s = make(MPI_COMM_WORLD, "floor", keys);
    MUST(oak_initialize(s.sim));
    for (int n = 0; n < 20; n++) MUST(oak_advance(s.sim, 5e-3));
    double *v = sim_read(&s, variable(&s, "vx")), low = 1, high = 0, total[8];
    for (int b = 0; b < oak_nblocks(s.sim); b++)
      for (int c = 0; c < s.cells; c++) {
        double x[3];
        sim_center(&s, b, c, x);
        if (x[1] > 0.25) low = fmin(low, v[b * s.cells + c]), high = fmax(high, v[b * s.cells + c]);
      }
    free(v);
    low = -max_ranks(s.comm, -low);
    high = max_ranks(s.comm, high);
    MUST(oak_totals(s.sim, total));
    report("%s: velocities %.4f to %.4f, mass %.15f", no_slip ? "no_slip" : "reflect", low, high,
           total[0]);
    assert_true(fabs(total[0] - 0.75) < 1e-13);
    if (no_slip)
      assert_true(low < 0.2 && low > 0 && fabs(high - 0.3) < 0.01);
    else
      assert_true(fabs(low - 0.3) < 1e-13 && fabs(high - 0.3) < 1e-13);
    sim_free(&s);
  }
}

/** Viscous walls equal those of boundaries and insulate, with super time steps too. */
static void test_viscous_walls(void **state) {
  (void)state;
  compare_walls(2, "vanleer", "navier_stokes",
                "boundary.solid=no_slip\nphysics.nu=0.02\nphysics.conductivity=0.02");
  compare_walls(2, "vanleer", "navier_stokes",
                "boundary.solid=no_slip\nphysics.nu=0.02\nphysics.conductivity=0.02\n"
                "scheme.diffusion=rkl2\nscheme.splitting=strang");
  if (!test_short())
    compare_walls(2, "vanleer", "navier_stokes",
                  "boundary.solid=reflect\nphysics.nu=0.02\nphysics.conductivity=0.02");
}

/** A force drives gas between two walls of temperature 1 (Poiseuille flow). The scheme has the
 * exact parabola but for an offset, which follows from the mirror image at the walls. With HLL the
 * flow would be 0.3 % slower (docs/verification.md). */
static void channel(const char *diffusion) {
  const double force = 0.01, nu = 0.2, width = 0.5;
  double most = 0, temperature = 0, peak = 0;
  char keys[512];
  snprintf(keys, sizeof keys,
           "mesh.trees=1 4\nmesh.xmax=0.25 1\nmesh.min_level=0\nmesh.max_level=0\n"
           "boundary.xlow=periodic\nboundary.xhigh=periodic\nboundary.solid=no_slip\n"
           "scheme.limiter=vanleer\nscheme.flux=hllc\nproblem.force=0.01\nphysics.nu=0.2\n"
           "physics.conductivity=1\nphysics.wall_temperature=1\nscheme.splitting=strang\n"
           "scheme.diffusion=%s",
           diffusion);
  sim_t s = make_with(MPI_COMM_WORLD, "navier_stokes", "channel", keys);
  const double dx = 1.0 / 32;
  MUST(oak_initialize(s.sim));
  sim_run(&s, 2, 0);
  double *v = sim_read(&s, variable(&s, "vx")), *rho = sim_read(&s, 0),
         *p = sim_read(&s, variable(&s, "p"));
  for (int b = 0; b < oak_nblocks(s.sim); b++)
    for (int c = 0; c < s.cells; c++) {
      double x[3];
      const int at = b * s.cells + c;
      sim_center(&s, b, c, x);
      const double y = x[1] - 0.25;
      if (y < 0 || y > width) continue;
      const double exact = force / (2 * nu) * (y * (width - y) + dx * dx / 4);
      most = fmax(most, fabs(v[at] - exact));
      peak = fmax(peak, exact);
      temperature = fmax(temperature, fabs(p[at] / rho[at] - 1));
    }
  free(v);
  free(rho);
  free(p);
  most = max_ranks(s.comm, most), peak = max_ranks(s.comm, peak);
  temperature = max_ranks(s.comm, temperature);
  report("channel, %s: velocity %.3e of %.3e from the parabola, temperature %.1e from the walls'",
         diffusion, most, peak, temperature);
  /* Splitting moves the steady state by the square of the step. */
  assert_true(most < 4e-3 * peak && temperature < 1e-4);
  sim_free(&s);
}

static void test_channel(void **state) {
  (void)state;
  channel("explicit");
  channel("rkl2");
}

/* ---- bodies that are smaller than the cells of the first mesh */

#define THIN                                                                           \
  "mesh.min_level=2\nmesh.max_level=5\nrefine.criterion=lohner\nrefine.variable=rho\n" \
  "boundary.xlow=reflect\n"

static double volume(const sim_t *s) {
  double sum = 0, *mask = sim_read(s, variable(s, "solid"));
  for (int c = 0; c < oak_nblocks(s->sim) * s->cells; c++)
    sum += mask[c] * sim_volume(s, c / s->cells);
  free(mask);
  return sum_ranks(s->comm, sum);
}

/** Whether the first mesh is refused with such words. */
static void must_refuse(const char *keys, const char *words) {
  sim_t s = make(MPI_COMM_WORLD, "none", keys);
  assert_int_equal(oak_initialize(s.sim), OAK_ERR_INPUT);
  report("%s", oak_last_error());
  assert_non_null(strstr(oak_last_error(), words));
  sim_free(&s);
}

/** No centre of a cell of the first mesh is in these solids: they refine it. A disk by the hook has
 * the cells of one by [body.NAME]; a plate of two finest cells keeps two pressures apart. */
static void test_small_solids(void **state) {
  (void)state;
  double disk[2];
  for (int body = 0; body < 2; body++) {
    sim_t s = body ? make(MPI_COMM_WORLD, "none",
                          THIN
                          "body.round.shape=sphere\nbody.round.kind=wall\n"
                          "body.round.from=0.5 0.5\nbody.round.radius=0.015\n")
                   : make(MPI_COMM_WORLD, "disk", THIN "problem.size=0.015\n");
    MUST(oak_initialize(s.sim));
    disk[body] = volume(&s);
    sim_free(&s);
  }
  sim_t s = make(MPI_COMM_WORLD, "plate", THIN "problem.size=0.004\n");
  MUST(oak_initialize(s.sim));
  for (int n = 0; n < 10; n++) MUST(oak_advance(s.sim, oak_time_step(s.sim)));
  double *p = sim_read(&s, variable(&s, "p")), *solid = sim_read(&s, variable(&s, "solid")), x[3],
         off = 0;
  for (int c = 0; c < oak_nblocks(s.sim) * s.cells; c++) {
    sim_center(&s, c / s.cells, c % s.cells, x);
    if (solid[c] < 0.5) off = fmax(off, fabs(p[c] / (x[0] < 0.503 ? 1 : 100) - 1));
  }
  free(p);
  free(solid);
  off = max_ranks(s.comm, off);
  report("a disk of volume %.4g (%.4g by [body.NAME], exact %.4g); a plate: pressures off by %.1e",
         disk[0], disk[1], M_PI * 0.015 * 0.015, off);
  assert_true(disk[0] == disk[1] && fabs(disk[0] / (52.0 / 65536) - 1) < 1e-14);
  assert_true(off < 1e-12 && volume(&s) > 0);
  sim_free(&s);

  must_refuse("problem.kind=disk\nproblem.size=0.003\n" THIN "mesh.max_level=3\n", "SOLID(at) in");
  must_refuse("problem.kind=disk\nproblem.size=0.003\n" THIN "mesh.max_level=3\n",
              "mesh.max_level = 5");
  must_refuse("problem.kind=disk\nproblem.size=0.015\nmesh.min_level=2\nmesh.max_level=2\n",
              "level 3 are small enough");
  must_refuse("problem.kind=disk\nproblem.size=3\n", "cover the whole domain");
  must_refuse(
      "mesh.min_level=0\nmesh.max_level=3\nbody.a.shape=sphere\nbody.a.kind=wall\n"
      "body.a.from=0.5 0.5\nbody.a.radius=0.02\n",
      "level 3 are small enough");
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_walls),   cmocka_unit_test(test_ball),
      cmocka_unit_test(test_no_slip), cmocka_unit_test(test_viscous_walls),
      cmocka_unit_test(test_channel), cmocka_unit_test(test_small_solids)};
  return TEST_MAIN(tests);
}
