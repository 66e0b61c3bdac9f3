/* SPDX-License-Identifier: GPL-2.0-or-later
 * Samples of a grid view whose blocks are on many ranks. Private. Collective; the results do not
 * depend on the number of ranks. */
#pragma once

#include "sample.h"

/** Give rank 0 the rows of all ranks, sorted by the first column, as oak_sample_line makes them;
 * the tables of the others become empty. All ranks fail together. */
oak_status_t oak_table_gather(MPI_Comm comm, oak_table_t *table);

/** Fill in the points of a plane that are on other ranks, which oak_sample_plane has left NaN. The
 * result is on rank 0. The average of finer cells at a point must not need cells of several ranks.
 */
void oak_table_merge(MPI_Comm comm, oak_table_t *table);

/** All variables at \a count points \a x of the domain, the same on all ranks: the value of the
 * cell that a point lies in. \param [out] out [count][nvar] on rank 0; scratch on the others. All
 * ranks fail together. */
oak_status_t oak_sample_points(const oak_grid_view_t *view, int count, const double (*x)[3],
                               double *out);
