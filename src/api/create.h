/* SPDX-License-Identifier: GPL-2.0-or-later
 * Making a simulation. Private to src/solver. */
#pragma once

#include "solver/step/sim.h"

/* create.c */
/** A simulation without mesh and solution: the device is open, and what physics and problem declare
 * is read. Collective. */
oak_status_t oak_sim_declare(MPI_Comm comm, oak_params_t *params, oak_t **out);
/** A simulation with all keys read and checked, but those of output. Collective. */
oak_status_t oak_sim_prepare(MPI_Comm comm, oak_params_t *params, oak_t **out);
/** Add mesh and kernels, as oak_create_ext does. After a failure \a *sim is NULL. Collective. */
oak_status_t oak_sim_finish(oak_t **sim, FILE *stream);

/* keys.c; none is collective */
/** Read the keys that decide how kernels are built. */
oak_status_t oak_read_structure(oak_setup_t *setup);
/** The ghost layers, as many as the limiter needs or the user wants. */
oak_status_t oak_read_layers(oak_setup_t *setup);
oak_status_t oak_read_domain(oak_setup_t *setup);
/** Read the keys that may change while the simulation is there. */
void oak_read_changing(oak_setup_t *setup);
/** Read the other keys of refinement; physics and problem are described by now. */
oak_status_t oak_read_refinement(oak_setup_t *setup);

/* change.c */
/** Follow changes of the parameters from now on. Rank-local. */
oak_status_t oak_follow_changes(oak_t *sim);

/* head.c */
/** Print the first lines of a run on \a stream (rank 0; NULL: nothing). \a builds: kernels are
 * built next. */
void oak_print_head(oak_t *sim, FILE *stream, int builds);
