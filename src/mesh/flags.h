/* SPDX-License-Identifier: GPL-2.0-or-later
 * Between mesh.c and flags.c. Private to src/mesh. */
#pragma once

#include "mesh/mesh.h"

/** Extend the flags by the buffer (\a reach as for oak_mesh_adapt) and change them so that refining
 * all blocks with flag 1 and coarsening all families with flag -1 gives a balanced mesh.
 * Collective; mesh->neighbours must be up to date. \a flag [tree->nleaf] holds the flags of this
 * rank's blocks, within the limits of levels; the rest of the array is scratch memory. */
oak_status_t oak_flags_settle(const oak_mesh_t *mesh, int *flag, const int *reach);
