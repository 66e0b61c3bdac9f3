/* SPDX-License-Identifier: GPL-2.0-or-later
 * The boxes of a plotfile and the text files that describe them. Private to the plotfile writer. */
#ifndef OAK_PLOTFILE_TEXT_H
#define OAK_PLOTFILE_TEXT_H

#include "grid_view.h"

/** A box: 2^merge nodes along each dimension, siblings (cousins, ...) that one rank owns. */
typedef struct {
  int32_t node[3]; /**< position of its first node, counted in nodes of the level */
  int merge;
  int64_t offset; /**< of its header in this rank's data file */
  int64_t data;   /**< of its values */
} oak_plot_box_t;

/** This rank's part of one level. */
typedef struct {
  oak_plot_box_t *box; /**< [nbox] */
  int nbox;
  double *range; /**< [nbox][nvar][2] lowest and highest finite value (0, 0 if there is none) */
} oak_plot_level_t;

/** The header that precedes a box's values in the data file, as fresh text; NULL: no memory. */
char *oak_plot_fab_header(const oak_grid_view_t *view, const oak_plot_box_t *box);

/** Write Header and Level_l/Cell_H in the folder \a part. Collective; rank 0 writes, with one
 * other rank's lines in memory at a time. \a level[0..max_level] is this rank's part. */
oak_status_t oak_plot_write_text(const oak_grid_view_t *view, const oak_plot_level_t *level,
                                 const char *part);

#endif
