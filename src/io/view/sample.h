/* SPDX-License-Identifier: GPL-2.0-or-later
 * Values along lines and in planes of a grid view, as tables of numbers. Private. Rank-local: each
 * rank gets what its blocks give. */
#pragma once

#include "grid_view.h"

/** Rows of numbers with names for the columns. */
typedef struct {
  int ncol;
  int64_t nrow;
  int64_t shape[2]; /**< planes: rows are [shape[0]][shape[1]]; lines: {nrow, 0} */
  char **name;      /**< [ncol] */
  double *value;    /**< [nrow][ncol] */
} oak_table_t;

/** One row for each cell that the line from \a from to \a to crosses, in order, at the middle of
 * its part in the cell: columns s (distance from \a from), the coordinates, level, and the
 * variables \a var [nvar]. A line along the face of cells belongs to those above it.
 * \return OAK_ERR_ARGUMENT for ends outside the domain. */
oak_status_t oak_sample_line(const oak_grid_view_t *view, const double from[3], const double to[3],
                             const int *var, int nvar, oak_table_t *out);

/** The plane across dimension \a axis at the coordinate \a at (2D: all of it, both unused), as an
 * even grid of the cells of \a level: columns are the two coordinates, then the variables. Coarser
 * cells are repeated, finer ones of the plane averaged. Points of other ranks are NaN.
 * \return OAK_ERR_ARGUMENT for a plane outside the domain or too many points. */
oak_status_t oak_sample_plane(const oak_grid_view_t *view, int axis, double at, int level,
                              const int *var, int nvar, oak_table_t *out);

/** Judge the arguments of oak_sample_plane for a view of which only the domain need be known. */
oak_status_t oak_sample_plane_check(const oak_grid_view_t *view, int axis, double at, int level);

/** A cell whose values go to a row. */
typedef struct {
  int block;
  size_t cell; /**< within the block */
  int64_t row;
} oak_pick_t;

/** Put the variables \a var [nvar] in cells, which are sorted by block, into \a out[row * width].
 * Solids are NaN. */
oak_status_t oak_view_pick(const oak_grid_view_t *view, const oak_pick_t *pick, int64_t npick,
                           const int *var, int nvar, double *out, int64_t width);

void oak_table_free(oak_table_t *table);
/** Sort the rows by the first column. */
void oak_table_sort(oak_table_t *table);

/** Write a table to \a path: ".npy" makes a NumPy array of records, anything else CSV; NULL: CSV to
 * stdout. */
oak_status_t oak_table_write(const oak_table_t *table, const char *path);

/* ---- sample_ranks.c: a view whose blocks are on many ranks. Collective; the results do not depend
 * on the number of ranks. */

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
