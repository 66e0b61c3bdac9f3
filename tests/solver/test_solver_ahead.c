/* SPDX-License-Identifier: GPL-2.0-or-later
 * A GPU begins with the ghost cells of the next step while the host waits for the time step. The
 * solution has the same bits without that, whatever happens between two steps. */
// TEST np=1 needs=fake OAK_TEST_SHORT=1 OAK_TEST_DEVICE=cuda
// TEST name=@test@_all_np1 np=1 timeout=600 suite=all needs=fake OAK_TEST_DEVICE=cuda
#include "solver_test.h"

typedef struct {
  const char *name, *keys;
} case_t;

#define WAVES                                                                                 \
  TEST_PROBLEM("waves")                                                                       \
  "physics.name=euler\nrefine.criterion=lohner\nrefine.variable=rho E\nrefine.c_refine=0.6\n" \
  "refine.c_derefine=0.5\nmesh.theta=1\nmesh.block_size=8\nmesh.min_level=1\nmesh.max_level=4\n"
#define POLAR                                                                         \
  TEST_PROBLEM("across")                                                              \
  "physics.name=euler\nmesh.block_size=8\nscheme.limiter=vanleer\nmesh.max_level=1\n" \
  "mesh.coordinates=polar\nmesh.xmin=0.3 0\nmesh.xmax=1.3 2pi\nmesh.trees=1 4\n"

static const case_t cases[] = {
    {"waves", WAVES},
    {"walls", WAVES "boundary.xlow=reflect\nboundary.xhigh=reflect\n"},
    {"three stages", WAVES "scheme.integrator=ssprk33\n"},
    {"repeated steps", WAVES "scheme.on_invalid=retry\n"},
    {"floors", WAVES "scheme.on_invalid=first_order\nphysics.density_floor=0.1\n"},
    {"viscous", WAVES "physics.name=navier_stokes\nphysics.nu=1e-3\n"},
    {"viscous, rkl2", WAVES "physics.name=navier_stokes\nphysics.nu=1e-3\nscheme.diffusion=rkl2\n"},
    {"mixed precision", WAVES "scheme.precision=mixed\n"},
    {"polar", POLAR
     "problem.flow=blast\nproblem.place=0.6\nboundary.xlow=reflect\nboundary.xhigh=reflect\n"},
    {"boundary values that depend on the time",
     POLAR "problem.flow=wind\nproblem.place=0.6\nboundary.xlow=user\nboundary.xhigh=user\n"},
    {"a vector on faces",
     "problem.name=orszag_tang\nphysics.name=mhd_ct\nscheme.flux=hlld\nmesh.block_size=8\n"
     "refine.criterion=lohner\nrefine.variable=rho\nmesh.min_level=1\nmesh.max_level=3\n"},
    {"3D", WAVES "mesh.dim=3\nmesh.max_level=2\nproblem.amplitude=0.02\n"},
};
enum { CASES = sizeof cases / sizeof *cases };

static void change(sim_t *s) {
  double *u = sim_read(s, 0);
  for (int c = 0; c < oak_nblocks(s->sim) * s->cells; c++) u[c] *= 1.001;
  MUST(oak_write_cells(s->sim, 0, 0, oak_nblocks(s->sim), u));
  free(u);
}

/* What a program may do between two steps: another thing in each of 7 steps. */
static void between(sim_t *s) {
  const long step = oak_step(s->sim) % 7;
  if (step == 3 || step == 4 || step == 5) MUST(oak_adjust_refinement(s->sim, NULL));
  if (step == 1 || step == 2 || step == 5) change(s);
  if (step == 2 || step == 6) MUST(oak_update_ghostcells(s->sim));
  if (step == 2 || step == 4) MUST(oak_update_time_step(s->sim));
}

static void same(const sim_t *a, const sim_t *b) {
  assert_int_equal(oak_nblocks(a->sim), oak_nblocks(b->sim));
  for (int v = 0; v < a->nvar; v++) {
    double *p = sim_read(a, v), *q = sim_read(b, v);
    assert_memory_equal(p, q, (size_t)oak_nblocks(a->sim) * a->cells * sizeof *p);
    free(p);
    free(q);
  }
}

static void same_bits(void **unused) {
  (void)unused;
  for (size_t i = 0; i < CASES; i += (size_t)test_stride(CASES)) {
    sim_t s[2];
    for (int n = 0; n < 2; n++) {
      s[n] = sim_new(MPI_COMM_WORLD, "%sdevice.flags=-O0\n", cases[i].keys);
      MUST(oak_initialize(s[n].sim));
    }
    const double dt = 0.5 * oak_time_step(s[0].sim);
    for (int step = 0; step < 21; step++) {
      for (int n = 0; n < 2; n++) {
        MUST(oak_advance(s[n].sim, dt));
        between(&s[n]);
        /* Ghost cells serve once: those for the next step are filled in that step. */
        if (n == 1) MUST(oak_update_ghostcells(s[n].sim));
      }
      same(&s[0], &s[1]);
    }
    int lowest, highest;
    sim_levels(&s[0], &lowest, &highest);
    report("%s: 21 steps have the same bits; at the end %d blocks of levels %d to %d",
           cases[i].name, oak_nblocks(s[0].sim), lowest, highest);
    for (int n = 0; n < 2; n++) sim_free(&s[n]);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits)};
  return TEST_MAIN(tests);
}
