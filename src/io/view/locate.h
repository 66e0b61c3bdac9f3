/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which block is where: leaves of a grid view, found by their place. Private. */
#pragma once

#include "grid_view.h"

typedef struct oak_locator oak_locator_t;

/** Prepare searches among this rank's leaves of \a view, which must stay as it is. Rank-local.
 * Memory: 32 bytes per leaf. */
oak_status_t oak_locator_new(const oak_grid_view_t *view, oak_locator_t **out);
void oak_locator_destroy(oak_locator_t **locator);

/** Number of the leaf that contains the place \a at, counted in blocks of \a level from xmin, where
 * \a level is at least the view's max_level; -1 if there is none on this rank. */
int oak_locate(const oak_locator_t *locator, int level, const int64_t at[3]);

/** The same for a point of the domain, its upper sides included; \a x in the units of xmin.
 * \param [out] cell  the cell within the block. */
int oak_locate_point(const oak_locator_t *locator, const double x[3], int cell[3]);
