/* SPDX-License-Identifier: GPL-2.0-or-later
 * What tests of both kinds of magnetohydrodynamics share. */
#ifndef MHD_TEST_H
#define MHD_TEST_H

#include "solver_test.h"

#define WALLS \
  "boundary.xlow=reflect\nboundary.xhigh=reflect\nboundary.ylow=reflect\nboundary.yhigh=reflect\n"

/** Sum over all cells of the bits of a variable, weighted by position; does not depend on the
 * ranks. */
static inline uint64_t hash_of(const sim_t *s) {
  uint64_t sum = 0;
  for (int v = 0; v < s->nvar; v++) {
    double *u = sim_read(s, v), x[3];
    for (int b = 0; b < oak_nblocks(s->sim); b++)
      for (int c = 0; c < s->cells; c++) {
        uint64_t bits;
        sim_center(s, b, c, x);
        memcpy(&bits, &u[b * s->cells + c], sizeof bits);
        sum += bits * (uint64_t)(1 + 2 * llround(4096 * (x[0] + 8 * x[1] + 64 * x[2] + 512 * v)));
      }
    free(u);
  }
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, s->comm);
  return sum;
}

/** A quarter of the periodic domain between four walls has the solution of the whole domain. */
static inline void check_walls(const char *keys) {
  if (test_rank != 0) return;
  sim_t s[2];
  double *u[2], most = 0;
  for (int whole = 0; whole < 2; whole++) {
    const char *trees = whole ? "2 2" : "1 1";
    s[whole] = sim_new(MPI_COMM_SELF,
                       "%s" TEST_PROBLEM("mhd_mirror") "mesh.min_level=1\nmesh.max_level=1\n"
                       "mesh.trees=%s\nmesh.xmax=%s\n%s", keys, trees, trees, whole ? "" : WALLS);
    MUST(oak_initialize(s[whole].sim));
    sim_run(&s[whole], 0.3, 0);
  }
  assert_int_equal(oak_step(s[0].sim), oak_step(s[1].sim));
  for (int v = 0; v < s[0].nvar; v++) {
    for (int whole = 0; whole < 2; whole++) u[whole] = sim_read(&s[whole], v);
    /* The first tree of the whole domain comes first along the curve. */
    for (int c = 0; c < oak_nblocks(s[0].sim) * s[0].cells; c++)
      most = worse(most, fabs(u[0][c] - u[1][c]));
    free(u[0]);
    free(u[1]);
  }
  report("walls against mirror images: %.2e", most);
  assert_true(most < 1e-12);
  for (int whole = 0; whole < 2; whole++) sim_free(&s[whole]);
}

#endif
