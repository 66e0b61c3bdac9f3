/* SPDX-License-Identifier: GPL-2.0-or-later
 * The boxes of a plotfile and the text files that describe them. Private to the plotfile writer. */
#pragma once

#include "io/view/boxes.h"

/** A data file of a level. */
#define OAK_PLOT_DATA "Cell_D_%05d"

/** Where a box is in its data file. */
typedef struct {
  int64_t header, values;
} oak_plot_place_t;

/** This rank's part of one level. */
typedef struct {
  const oak_box_t *box; /**< [nbox] */
  int nbox;
  int64_t total;           /**< boxes on all ranks */
  int file;                /**< number of the data file */
  oak_plot_place_t *place; /**< [nbox] */
  double *range; /**< [nbox][nvar][2] lowest and highest finite value (0, 0 if there is none) */
} oak_plot_level_t;

/** The header that precedes a box's values in the data file. \a bytes: of a value; \a swapped:
 * their order is not that of this machine. \return its length. */
enum { OAK_PLOT_FAB = 256 };
size_t oak_plot_fab_header(int dim, int nvar, int bytes, int swapped, const int64_t low[3],
                           const int64_t high[3], char text[OAK_PLOT_FAB]);

/** Write Header and Level_l/Cell_H in the folder \a part. Collective; rank 0 writes what all ranks
 * say of their boxes. \a level[0..max_level] is this rank's part. */
oak_status_t oak_plot_write_text(const oak_grid_view_t *view, const oak_plot_level_t *level,
                                 const char *part);
