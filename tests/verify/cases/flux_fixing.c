/* SPDX-License-Identifier: GPL-2.0-or-later
 * Paper, section "Testing flux fixing": a blob crosses the periodic domain. The mesh stays as it
 * was refined for the start, so the blob leaves and enters refined regions; the total must not
 * change. The control run reverts the correction of every step, and its total must change. */
#include "../verify.h"

static const char *const paper =
    "foap4 paper, Testing flux fixing: \"on the order of machine precision\"";

static sim_t start(verify_t *v, int dim, int block, int max_level, const char *keys) {
  sim_t s = verify_new(v, "problems/advection.ini",
                       "mesh.dim=%d\nmesh.block_size=%d\nmesh.min_level=1\nmesh.max_level=%d\n"
                       "mesh.adapt_every=0\noutput.picture_width=480\n%s",
                       dim, block, max_level, keys);
  MUST(oak_initialize(s.sim));
  return s;
}

/* Let the blob cross the domain once. Table and check: relative error of the total at 50 times, and
 * the largest of them. */
static void cross(verify_t *v, FILE *table, int dim, int block, int max_level) {
  double first, total, most = 0;
  char name[32];
  sim_t s = start(v, dim, block, max_level, "");
  MUST(oak_totals(s.sim, &first));
  for (int part = 0; part <= 50; part++) {
    if (part > 0) verify_continue(&s, part / 50.0);
    MUST(oak_totals(s.sim, &total));
    const double error = fabs(total - first) / first;
    verify_row(table, "%d;%.2f;%ld;%.4e;%.4e", dim, part / 50.0, oak_step(s.sim), total - first,
               error);
    if (!(error <= most)) most = error;
    snprintf(name, sizeof name, "blob_%02d", part / 5);
    if (dim == 2 && part % 25 == 0) verify_picture(&s, name, "rho", 0, 1);
  }
  verify_check(v, most, 0, 0, 4e-15, paper,
               "%dD, levels 1 to %d, %ld steps: largest error of the total", dim, max_level,
               oak_step(s.sim));
  verify_check(v, verify_cell_fraction(&s), NAN, 0, 0.25, "the blob is small",
               "%dD: cells over those of a uniform mesh", dim);
  verify_free(&s);
}

/* With one stage per step the correction can be taken back exactly, by the function that makes it.
 */
static void control(verify_t *v, int dim, int block, int max_level) {
  double first, total;
  sim_t s = start(v, dim, block, max_level, "scheme.integrator=euler\nscheme.limiter=upwind\n");
  MUST(oak_totals(s.sim, &first));
  while (oak_time(s.sim) < 0.3) {
    const double dt = oak_time_step(s.sim);
    MUST(oak_advance(s.sim, dt));
    MUST(oak_fix_c2f_flux(s.sim, -dt));
  }
  MUST(oak_totals(s.sim, &total));
  verify_check(v, fabs(total - first) / first, NAN, 1e-6, INFINITY,
               "must be seen: else nothing was tested",
               "%dD control without flux fixing, t = 0.3: error", dim);
  verify_free(&s);
}

static void run(verify_t *v) {
  FILE *table = verify_table(v, "conservation", "dim;t;step;error;relative error");
  cross(v, table, 2, v->full ? 32 : 16, v->full ? 5 : 4);
  cross(v, table, 3, 8, v->full ? 5 : 3);
  verify_close(table);
  control(v, 2, 8, 3);
  if (v->full) control(v, 3, 8, 3);
}

const verify_case_t verify_case_flux_fixing = {
    .name = "flux_fixing",
    .title = "Conservation across refinement boundaries",
    .source =
        "foap4 paper, figure \"Illustration of test for flux fixing\": 2D, blocks of 32^2, "
        "five levels, to t = 1",
    .run = run};
