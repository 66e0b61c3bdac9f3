/* SPDX-License-Identifier: GPL-2.0-or-later
 * The initial condition, on a mesh refined around it. */
#include "solver/step/sim.h"

oak_status_t oak_set_initial(oak_t *sim) {
  const int n = sim->data.mesh->nblock;
  int invalid = 0;
  OAK_CHECK(oak_has_hook(&sim->setup, "problem_initial"), OAK_ERR_INPUT,
            "%s has no INITIAL(at, q) { ... }", sim->setup.files.problem);
  oak_initial_args_t args = {.out = oak_data_state(&sim->data, 0), .bad = sim->data.results.bad};
  oak_data_field(&sim->data, 0, sim->data.clock.time, &args.f);
  oak_status_t st =
      n ? oak_device_launch(sim->setup.dev, sim->setup.kernel.initial, n, &args, sizeof args)
        : OAK_OK;
  if (st == OAK_OK) st = oak_count_invalid(&sim->data, &invalid);
  OAK_TRY(oak_data_agree(&sim->data, st));
  MPI_Allreduce(MPI_IN_PLACE, &invalid, 1, MPI_INT, MPI_MAX, sim->setup.comm);
  oak_rates_forget(sim);
  return invalid ? oak_report_invalid(sim, 0, OAK_INVALID_INITIAL) : OAK_OK;
}

oak_status_t oak_initialize(oak_t *sim) {
  oak_timer_start(&sim->data.timers, OAK_PHASE_INIT);
  oak_status_t st = oak_set_initial(sim);
  /* Each round may add a level; the last one only confirms that nothing changes. New blocks get the
   * initial condition itself, not its interpolation. */
  for (int round = sim->setup.min_level;
       st == OAK_OK && sim->setup.refine.active && round <= sim->setup.max_level; round++) {
    int changed;
    /* no time step is taken on meshes in between */
    oak_rates_set(sim, (oak_rates_t){.known = OAK_RATES_UNWANTED});
    st = oak_adjust_refinement(sim, &changed);
    if (st == OAK_OK && changed) st = oak_set_initial(sim);
    if (!changed) break;
    sim->run.cut =
        sim->run.most_blocks > 0 && (double)sim->data.mesh->nglobal >= sim->run.most_blocks;
    if (sim->run.cut) break;
  }
  if (st == OAK_OK) st = oak_update_time_step(sim);
  oak_timer_stop(&sim->data.timers, OAK_PHASE_INIT);
  return st;
}
