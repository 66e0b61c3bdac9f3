/* SPDX-License-Identifier: GPL-2.0-or-later
 * Poles: faces of the domain of no area, r = 0 or theta = 0 and pi, where blocks touch those at
 * phi + pi. All blocks there have one level. Private to src/mesh. */
#pragma once

#include "mesh/neighbours.h"

/** The axis across the poles; that along phi is the next one. */
static inline int oak_poles_axis(unsigned poles) { return poles >= 1u << 2; }

/** The blocks beyond the pole, for each block at one. Collective; the status is the same on all
 * ranks. */
oak_status_t oak_poles_find(const oak_mesh_t *mesh, oak_opposite_t *opposite);

/** The level of those of the given blocks of all ranks that are at poles. Collective.
 * \return OAK_ERR_INPUT on all ranks if there are several. */
oak_status_t oak_poles_level(const oak_mesh_t *mesh, int nblock, const int8_t *level,
                             const int32_t (*index)[3], int *pole_level);

/** Number of blocks of its size between a block and the nearest pole; large without poles. */
int64_t oak_poles_distance(const oak_mesh_t *mesh, int block);

/** Whether a block may be refined. Away from a pole, levels rise one by one. */
int oak_poles_let_refine(const oak_mesh_t *mesh, int block);
