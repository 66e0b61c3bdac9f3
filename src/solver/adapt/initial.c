/* SPDX-License-Identifier: GPL-2.0-or-later
 * The initial condition, on a mesh refined around it. */
#include <stdlib.h>

#include "solver/step/sim.h"

oak_status_t oak_set_initial(oak_t *sim) {
  const int n = sim->mesh->nblock;
  int invalid = 0;
  OAK_CHECK(oak_has_hook(sim, "problem_initial"), OAK_ERR_INPUT, "%s has no INITIAL(at, q) { ... }",
            sim->files.problem);
  oak_initial_args_t args = {.out = oak_sim_state(sim, 0), .bad = sim->results.bad};
  oak_sim_field(sim, 0, sim->clock.time, &args.f);
  int *bad = calloc(n + 1, sizeof *bad);
  oak_status_t st = bad ? OAK_OK : OAK_FAIL(OAK_ERR_MEMORY, "out of memory for %d blocks", n);
  if (st == OAK_OK && n)
    st = oak_device_launch(sim->dev, sim->kernel.initial, n, &args, sizeof args);
  if (st == OAK_OK && n) st = oak_device_download(sim->dev, bad, sim->results.bad, n * sizeof *bad);
  for (int b = 0; b < n && st == OAK_OK; b++) invalid |= bad[b] > 0;
  free(bad);
  OAK_TRY(oak_sim_agree(sim, st));
  MPI_Allreduce(MPI_IN_PLACE, &invalid, 1, MPI_INT, MPI_MAX, sim->comm);
  oak_rates_forget(sim);
  return invalid ? oak_report_invalid(sim, 0, OAK_INVALID_INITIAL) : OAK_OK;
}

oak_status_t oak_initialize(oak_t *sim) {
  oak_timer_start(&sim->timers, OAK_PHASE_INIT);
  oak_status_t st = oak_set_initial(sim);
  /* Each round may add a level; the last one only confirms that nothing changes. New blocks get the
   * initial condition itself, not its interpolation. */
  for (int round = sim->min_level; st == OAK_OK && sim->refine.active && round <= sim->max_level;
       round++) {
    int changed;
    sim->rates.most = 0;
    sim->rates.known = OAK_RATES_UNWANTED; /* no time step is taken on meshes in between */
    st = oak_adjust_refinement(sim, &changed);
    if (st == OAK_OK && changed) st = oak_set_initial(sim);
    if (!changed) break;
    sim->run.cut = sim->run.most_blocks > 0 && (double)sim->mesh->nglobal >= sim->run.most_blocks;
    if (sim->run.cut) break;
  }
  if (st == OAK_OK) st = oak_update_time_step(sim);
  oak_timer_stop(&sim->timers, OAK_PHASE_INIT);
  return st;
}
