/* SPDX-License-Identifier: GPL-2.0-or-later
 * Views whose one variable is computed from those of another view: for pictures after the run.
 * Private. Rank-local: all blocks are on this rank. */
#pragma once

#include "grid_view.h"

typedef enum {
  OAK_DERIVE_GRADIENT,  /**< absolute value of the gradient, by differences of neighbouring cells */
  OAK_DERIVE_SCHLIEREN, /**< exp(-6 gradient / largest gradient): 1 where smooth, 0 at shocks */
  OAK_DERIVE_DIFFERENCE /**< variable minus that of another view, on the cells of the first */
} oak_derive_t;

typedef struct oak_derived oak_derived_t;

/** Compute \a what from variable \a var of \a view; \a other is for a difference alone: a view with
 * the same trees and block size. Both stay as they are until the result is destroyed. Memory: the
 * variable in double precision, and that of \a other.
 * \return OAK_ERR_UNSUPPORTED if the views do not fit together. */
oak_status_t oak_derive(const oak_grid_view_t *view, int var, oak_derive_t what,
                        const oak_grid_view_t *other, int other_var, oak_derived_t **out);
void oak_derived_destroy(oak_derived_t **derived);
/** The view, with one variable. */
const oak_grid_view_t *oak_derived_view(const oak_derived_t *derived);
