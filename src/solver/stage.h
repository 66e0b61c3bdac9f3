/* SPDX-License-Identifier: GPL-2.0-or-later
 * A stage of a time step. Private to src/solver. */
#ifndef OAK_SOLVER_STAGE_H
#define OAK_SOLVER_STAGE_H

#include "halo/pattern.h"
#include "oak.h"
#include "oak/kernel_args.h"
#include "solver/runge_kutta.h"

/* stage.c */
/** Arguments of the flux kernel for a stage of a step `dt` that goes to state `out`. */
void oak_stage_args(const oak_t *sim, const oak_stage_t *stage, int out, double dt,
                    oak_flux_args_t *args);
/** Over the blocks of a list, or all of them (NULL). */
oak_status_t oak_launch_flux(oak_t *sim, oak_flux_args_t *args, const oak_list_t *blocks);
/** Fill ghost cells and compute one stage for all blocks. `first` is 1 for the first of the stages
 * whose invalid cells are counted together. Collective: a rank that fails still takes part in all
 * meetings and messages. The ranks do not agree on the status. */
oak_status_t oak_run_stage(oak_t *sim, const oak_stage_t *stage, int first, double dt);
/** Largest rate of the last stage, and invalid cells of this step's stages, on this rank. */
oak_status_t oak_read_results(oak_t *sim, double local[2]);

/* advance.c */
/** Make storage and tables for an adapted mesh whose blocks are complete, unless they are there. An
 * adaptation that lacked memory for them is finished here. Collective; fails on all ranks alike,
 * and may be tried again. */
oak_status_t oak_adapt_finish(oak_t *sim);
/** Whether something is advanced by itself, beside the stages: UPDATE or super time stepping. */
int oak_has_parts(const oak_t *sim);

/* careful.c */
/** A stage of a step `dt` with repair of invalid cells and floors, ghost cells and flux fixing
 * included. Collective; fails on all ranks alike. \a *refused is 1 if it leaves invalid cells and
 * the step is to be repeated. */
oak_status_t oak_careful_stage(oak_t *sim, const oak_stage_t *stage, double dt, int *refused);
/** Rates of the current solution, from a stage with dt = 0: fluxes that are not finite are repaired
 * as in a stage. For scheme.on_invalid = first_order alone. */
oak_status_t oak_careful_probe(oak_t *sim, const oak_stage_t *probe);

#endif
