/* SPDX-License-Identifier: GPL-2.0-or-later
 * Reductions whose result does not depend on the number of ranks. Private. */
#pragma once

#include <stdint.h>

#include "oak/status.h"

/** Sums over all rows on all ranks, bit for bit the same for any order and any distribution of the
 * rows. Collective on \a comm; \a n agrees on all ranks, \a count may differ and be 0.
 *
 * Every value enters a column's sum with all bits down to 2^-127 of the column's largest magnitude;
 * smaller bits are cut. The resulting integers are added exactly, and the sum is rounded once, to
 * nearest. A column that holds an infinity or a NaN gives NaN; a sum beyond the range of double
 * gives an infinity. Cost: one pass over x for the largest magnitudes and one for the sums; two
 * reductions per 32 columns. \param [in]  x   [count][n] \param [out] sum [n], the same on all
 * ranks
 */
oak_status_t oak_sum_exact(MPI_Comm comm, int n, int64_t count, const double *x, double *sum);
