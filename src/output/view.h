/* SPDX-License-Identifier: GPL-2.0-or-later
 * The view of a simulation that the formats in src/io get. Private. */
#pragma once

#include "io/view/grid_view.h"
#include "solver/data/variables.h"
#include "solver/step/sim.h"

typedef struct oak_view_ghosts oak_view_ghosts_t;

/** The source of a view; it must outlive the view. */
typedef struct {
  oak_t *sim;
  const oak_selection_t *variables; /**< the view has the mask of solids beside them */
  int value_bytes;                  /**< size of a value in files: 4 or 8 */
  /** Lower and upper corner: only blocks that touch this box are in the view. NULL: all blocks. */
  const double (*region)[3];
  oak_view_ghosts_t *ghosts; /**< NULL until ghost cells are read */
  /* A view with a region: [nblock] the blocks of the simulation, their levels and places. */
  int *block;
  int8_t *level;
  int32_t (*index)[3];
} oak_view_source_t;

/** The domain and the variables alone, to judge what a format is asked for before there is a mesh.
 */
oak_grid_view_t oak_view_domain(const oak_t *sim, const oak_selection_t *variables);
/** A view of the current solution with the variables of \a source, which are made ready to be read.
 * Collective. */
oak_status_t oak_view_make(oak_view_source_t *source, oak_grid_view_t *view);
/** Give a fresh view values of its own, on the device. It can then be read while the run goes
 * on, and its `release` is set. Its names and its region must stay. Nothing happens where that
 * is not possible. Collective. */
void oak_view_detach(const oak_view_source_t *source, oak_grid_view_t *view);
/** Free the memory that reading through views of \a source has allocated. Rank-local. */
void oak_view_clear(oak_view_source_t *source);

/** The view's read_ghosts (view_ghosts.c). Memory of the host: a value for each cell of the blocks
 * of this rank and of those that touch them. */
oak_status_t oak_view_read_ghosts(const oak_grid_view_t *view, int var, int b0, int n, int layers,
                                  double *dst);
