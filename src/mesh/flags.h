/* SPDX-License-Identifier: GPL-2.0-or-later
 * Between mesh.c and flags.c. Private to src/mesh. */
#ifndef OAK_FLAGS_H
#define OAK_FLAGS_H

#include "mesh/mesh.h"

/** Extend flags by the buffer, \a reach as for oak_mesh_adapt, and settle them so that refining
 * the blocks with 1 and coarsening the families with -1 gives a balanced mesh. mesh->tree is up to
 * date. \a flag [tree->nleaf]: those of this rank's blocks, within the limits of levels; the rest
 * is scratch. Collective. */
oak_status_t oak_flags_settle(const oak_mesh_t *mesh, int *flag, const int *reach);

#endif
