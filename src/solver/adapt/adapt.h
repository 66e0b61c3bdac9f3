/* SPDX-License-Identifier: GPL-2.0-or-later
 * Adapting the mesh. Private to src/solver. */
#pragma once

#include "solver/step/sim.h"

/* adapt.c */
/** Flags of the run's criterion for the current state, \a flag [nblock], followed by
 * oak_mesh_adapt's reach [nblock] if there is a buffer; ghost cells must be filled. Not collective.
 */
oak_status_t oak_compute_flags(oak_t *sim, int *flag);
/** Make storage and tables for an adapted mesh whose blocks are complete, unless they are there. An
 * adaptation that lacked memory for them is finished here. Collective; fails on all ranks alike,
 * and may be tried again. */
oak_status_t oak_adapt_finish(oak_t *sim);
/** oak_adjust_refinement in which no block becomes coarser. Collective. */
oak_status_t oak_adapt_first(oak_t *sim, int *changed);

/** Compute derived variables that the criterion looks at, and their ghost cells, from the current
 * state, whose ghost cells are filled. Collective: a rank that has failed takes part. The ranks do
 * not agree on the status. */
oak_status_t oak_criterion_set(oak_t *sim);
