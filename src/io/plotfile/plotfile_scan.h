/* SPDX-License-Identifier: GPL-2.0-or-later
 * The text files of a plotfile, read back. Private to the plotfile reader. */
#pragma once

#include <stdint.h>

#include "base/failure.h"
#include "plotfile_text.h"

/** A box and where its values are. */
typedef struct {
  int64_t low[3], size[3]; /**< in cells of the level; 2D: low 0 and size 1 in z */
  int file;                /**< index into the level's files */
  int64_t offset;          /**< of the box's header in that file */
} oak_scan_box_t;

typedef struct {
  oak_scan_box_t *box;
  int nbox;
  char **file; /**< [nfile] names in the level's folder */
  int nfile;
} oak_scan_level_t;

/** What the text files say. */
typedef struct {
  int dim, nvar, finest;
  int coordinates;    /**< OAK_VIEW_CARTESIAN, ... */
  int logarithmic;    /**< the radius */
  char **name;        /**< [nvar] */
  char **unit;        /**< [nvar + 2] of the variables, of length and time; "": none is given */
  double (*range)[2]; /**< [nvar] lowest and highest value of all boxes */
  double time, xmin[3], xmax[3];
  int64_t step;
  int64_t cells[3];        /**< of the domain on level 0; 2D: 1 in z */
  oak_scan_level_t *level; /**< [finest + 1] */
} oak_scan_t;

/** Read Header and Level_l/Cell_H of the plotfile \a path. Each count is checked against what
 * follows it, so that memory grows with the files and not with the numbers in them. Rank-local.
 * \return OAK_ERR_FILE with file, line and what is wrong; \a out may be freed then too. */
oak_status_t oak_scan_read(const char *path, oak_scan_t *out);
void oak_scan_free(oak_scan_t *scan);

/** oak_plot_fab_header of \a box. */
size_t oak_scan_fab_header(const oak_scan_t *scan, const oak_scan_box_t *box, int bytes, int swap,
                           char text[OAK_PLOT_FAB]);
