/* SPDX-License-Identifier: GPL-2.0-or-later
 * The difference of two grid views, on meshes that may differ. Private. Rank-local: both views have
 * all their blocks on this rank. */
#pragma once

#include "grid_view.h"

/** Two views that cover the same domain with cells of the same sizes. */
typedef struct {
  const oak_grid_view_t *view[2];
  oak_locator_t *locator[2];
  int shift[2];   /**< level of a view + shift: level counted from the coarser blocks */
  int finest;     /**< highest level of both, counted so */
  int64_t common; /**< blocks that both have */
} oak_comparison_t;

/** The differences of one variable. */
typedef struct {
  int64_t cells;         /**< compared */
  int64_t differ;        /**< cells that differ by more than allowed */
  double largest;        /**< difference; INFINITY where only one of the values is a number */
  double value[2], x[3]; /**< values and place of the largest difference */
} oak_difference_t;

/** Prepare the comparison. Both views have blocks of the same size.
 * \return OAK_ERR_UNSUPPORTED, with the reason, if their cells do not fit together. */
oak_status_t oak_compare_new(const oak_grid_view_t *a, const oak_grid_view_t *b,
                             oak_comparison_t *out);
void oak_compare_free(oak_comparison_t *comparison);

/** Compare variable \a var[0] of the first view with \a var[1] of the second, in the cells of the
 * finer of both meshes at each place; a coarser cell has its value everywhere in it. Cells differ
 * if |a - b| > \a allowed; with allowed < 0, if their bits differ. Two values that are no numbers
 * do not differ. */
oak_status_t oak_compare(const oak_comparison_t *comparison, const int var[2], double allowed,
                         oak_difference_t *out);
