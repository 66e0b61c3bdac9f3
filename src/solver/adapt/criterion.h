/* SPDX-License-Identifier: GPL-2.0-or-later
 * Derived variables that refinement looks at. Private. A run that does not use one has none of this
 * memory. */
#pragma once

#include "solver/step/sim.h"

typedef struct oak_criterion oak_criterion_t;

/** Build the kernel that computes these variables; after the kernels of the run. Collective. */
oak_status_t oak_criterion_open(oak_t *sim);
void oak_criterion_clear(oak_t *sim);
int64_t oak_criterion_bytes(const oak_t *sim);
/** Compute these variables and their ghost cells from the current state, whose ghost cells are
 * filled. Collective: a rank that has failed takes part. The ranks do not agree on the status. */
oak_status_t oak_criterion_set(oak_t *sim);
/** Where kernels find these variables after that: device memory, oak_beside_t [count]. */
const void *oak_criterion_table(const oak_t *sim);
