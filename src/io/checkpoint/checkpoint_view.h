/* SPDX-License-Identifier: GPL-2.0-or-later
 * A checkpoint as a grid, for reading its values on another mesh. Private. */
#pragma once

#include "io/view/grid_view.h"

typedef struct oak_checkpoint_grid oak_checkpoint_grid_t;

/** What stands before the variables of a checkpoint: "" for Cartesian coordinates, "(r, z) " and so
 * on, by their number (OAK_VIEW_CARTESIAN, ...); then those with a logarithmic radius. */
enum { OAK_CHECKPOINT_SYSTEMS = 5 };
extern const char *const oak_checkpoint_coordinates[2 * OAK_CHECKPOINT_SYSTEMS];

/** Open a checkpoint and read its list of blocks. Rank-local. Its variables are those of the state,
 * then stored fields. \return OAK_ERR_FILE as oak_checkpoint_open. */
oak_status_t oak_checkpoint_grid_open(const char *path, oak_checkpoint_grid_t **out);
void oak_checkpoint_grid_close(oak_checkpoint_grid_t **grid);
const oak_grid_view_t *oak_checkpoint_grid_view(const oak_checkpoint_grid_t *grid);
