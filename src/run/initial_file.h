/* SPDX-License-Identifier: GPL-2.0-or-later
 * The initial state from a file (run.initial). Private to src/solver. */
#pragma once

#include "solver/step/sim.h"

typedef struct oak_initial_file oak_initial_file_t;

/** Refuse a file of run.initial that lies in output.folder, which a run with overwrite empties.
 * Collective; the ranks agree. */
oak_status_t oak_initial_file_kept(const oak_t *sim);
/** Open the file of run.initial, and judge whether it fits: dimension, coordinates, domain,
 * variables. *out is NULL if the key is empty. Collective; the ranks agree. */
oak_status_t oak_initial_file_open(const oak_t *sim, oak_initial_file_t **out);
void oak_initial_file_close(oak_initial_file_t **out);

/** Refine the mesh by a level where that of the file is finer. Collective; the ranks agree. */
oak_status_t oak_initial_file_refine(oak_t *sim, oak_initial_file_t *file, int *changed);
/** Give the variables that the file has the values of the file; the others keep theirs.
 * Collective; the ranks agree. */
oak_status_t oak_initial_file_set(oak_t *sim, oak_initial_file_t *file);
