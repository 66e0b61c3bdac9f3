/* SPDX-License-Identifier: GPL-2.0-or-later
 * After a failure: which hook is to blame. Private to src/solver. */
#pragma once

#include "oak.h"
#include "oak/kernel_args.h"

/** Hooks that change the state, those that limit the time step, and the criterion. */
#define OAK_TRACE_CHANGES                                            \
  (1u << OAK_TRACE_physics_source | 1u << OAK_TRACE_problem_source | \
   1u << OAK_TRACE_physics_update | 1u << OAK_TRACE_problem_update)
#define OAK_TRACE_STEP                                                   \
  (1u << OAK_TRACE_physics_timestep | 1u << OAK_TRACE_problem_timestep | \
   1u << OAK_TRACE_physics_diffusivity | 1u << OAK_TRACE_problem_diffusivity)
#define OAK_TRACE_REFINE (1u << OAK_TRACE_problem_refine)

/** Call the hooks \a wanted in all cells of the states 0 to \a nstate - 1 that are valid there.
 * OAK_ERR_STATE with a message if one of them returns what it must not: a number that is not
 * finite, a negative diffusivity, or a time step that is not above \a least. OAK_OK if none does,
 * or if they cannot be called. Collective. */
oak_status_t oak_trace(oak_t *sim, int nstate, unsigned wanted, double least);
