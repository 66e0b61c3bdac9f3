/* SPDX-License-Identifier: GPL-2.0-or-later
 * A stage of a time step. Private to src/solver. */
#ifndef OAK_SOLVER_STAGE_H
#define OAK_SOLVER_STAGE_H

#include "halo/pattern.h"
#include "oak.h"
#include "oak/kernel_args.h"
#include "setup/runge_kutta.h"

/* stage.c */
/** Arguments of the flux kernel for a stage of a step `dt` that goes to state `out`. */
void oak_stage_args(const oak_t *sim, const oak_stage_t *stage, int out, double dt,
                    oak_flux_args_t *args);
/** Over the blocks of a list, or all of them (NULL). */
oak_status_t oak_launch_flux(oak_t *sim, oak_flux_args_t *args, const oak_list_t *blocks);
/** Find the rates of the solution, by a stage with dt = 0. Collective; the ranks do not agree on
 * the status. */
oak_status_t oak_probe_stage(oak_t *sim, const oak_stage_t *stage);
/** Largest rate of the last stage, and invalid cells of this step's stages, on this rank. */
oak_status_t oak_read_results(oak_t *sim, double local[2]);

#endif
