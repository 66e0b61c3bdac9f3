/* SPDX-License-Identifier: GPL-2.0-or-later
 * The boxes of a plotfile and the text files that describe them, to write and to read. Private to
 * this folder. */
#pragma once

#include "io/view/boxes.h"

/** A data file of a level. */
#define OAK_PLOT_DATA "Cell_D_%05d"

/** The place of a box in its data file. */
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

/* ---- reading: what the text files say */

/** A box and where its values are. */
typedef struct {
  int64_t low[3], size[3]; /**< in cells of the level; 2D: low 0 and size 1 in z */
  int file;                /**< index into the level's files */
  int64_t offset;          /**< offset of the box's header in that file */
} oak_scan_box_t;

typedef struct {
  oak_scan_box_t *box;
  int nbox;
  char **file; /**< [nfile] names in the level's folder */
  int nfile;
} oak_scan_level_t;

/** The content of the text files. */
typedef struct {
  int dim, nvar, finest;
  int coordinates;    /**< OAK_VIEW_CARTESIAN, ... */
  int logarithmic;    /**< the radius */
  char **name;        /**< [nvar] */
  char **unit;        /**< [nvar + 2] of the variables, of length and time; "": none is given */
  double (*range)[2]; /**< [nvar] lowest and highest value of all boxes */
  double time, xmin[3], xmax[3];
  int64_t step;
  int64_t cells[3];        /**< cells of the domain on level 0; 2D: 1 in z */
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

/* ---- plotfile_tree.c */

/** The leaves in Morton order, tree after tree (x fastest). */
typedef struct {
  int block_size[3]; /**< cells of a block along each axis; 1 in z for 2D */
  int trees[3];
  int nleaf;
  int8_t *level;
  int32_t (*index)[3]; /**< as in oak_grid_view_t */
  int32_t *box;        /**< number of the box that holds the leaf, on its level */
} oak_leaves_t;

/** Cut the boxes into blocks of \a block_size cells along each axis, or if it is NULL into the
 * blocks of the run that wrote them, and find the leaves. \return OAK_ERR_FILE if the blocks are no
 * complete tree. \a path is for messages. */
oak_status_t oak_leaves_find(const oak_scan_t *scan, const char *path, const int block_size[3],
                             oak_leaves_t *out);
void oak_leaves_free(oak_leaves_t *leaves);
