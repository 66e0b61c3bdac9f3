/* SPDX-License-Identifier: GPL-2.0-or-later
 * The view of a simulation that the formats in src/io get. Private. */
#ifndef OAK_VIEW_H
#define OAK_VIEW_H

#include "io/grid_view.h"
#include "solver/variables.h"

/** What a view reads from; it must outlive the view. */
typedef struct {
  oak_t *sim;
  const oak_selection_t *variables;
  int value_bytes; /**< of a value in files: 4 or 8 */
} oak_view_source_t;

/** A view of the current solution with the variables of \a source. Collective. */
void oak_view_make(const oak_view_source_t *source, oak_grid_view_t *view);

#endif
