/* SPDX-License-Identifier: GPL-2.0-or-later
 * What all ways to draw blocks share: where their cells fall among the pixels, and reading them.
 * Private to the picture files. */
#ifndef OAK_PICTURE_BLOCKS_H
#define OAK_PICTURE_BLOCKS_H

#include "picture_parts.h"

enum { OAK_PIXEL_ONE = 1024 /**< the whole width of a pixel */ };

/** How much of a pixel a cell gets along one dimension. */
typedef struct {
  int pixel, cell, weight; /**< cell: within its block; weight: of OAK_PIXEL_ONE */
} oak_overlap_t;

int64_t oak_blocks_along(const oak_scene_t *scene, int d, int level);

/** Which pixels of [p0, p1) the cells of block \a b touch along the dimension of the picture
 * \a a (0: x, 1: y), all in integers. \return the number of entries, at most pixels + cells + 1. */
int oak_find_overlaps(const oak_scene_t *scene, int b, int a, int p0, int p1, oak_overlap_t *out);

/** The lower side of part \a i, if the domain is divided into \a n equal parts, in pixels from the
 * lower side of a cropped picture. A side that two levels share has the same bits on both. */
double oak_crop_place(const oak_scene_t *scene, int a, int64_t i, int64_t n);

/** The part of a cell that is shown, from 0 to 1, along the dimension \a d. \a cell is counted in
 * its block. It is less than 1 only where the sides of a cropped picture cut cells or leave them
 * out. */
double oak_shown_share(const oak_scene_t *scene, int b, int d, int cell);

/** Is a part of the block shown along the dimension \a d? */
int oak_is_shown(const oak_scene_t *scene, int b, int d);
/** Does the slice go through the block, inside of what is shown? */
int oak_in_slice(const oak_scene_t *scene, int b);
/** Is the block part of what is shown along the two dimensions of the picture? */
int oak_in_frame(const oak_scene_t *scene, int b);
/** Layer of cells of the block that the slice goes through. */
int oak_slice_layer(const oak_scene_t *scene, int b);

/** Memory for some blocks at a time. */
typedef struct {
  const oak_scene_t *scene;
  double *cells; /**< [nblock][ncell] */
  int *block;    /**< [nblock] those that are read */
  int nblock;
  size_t ncell; /**< of a block */
} oak_batch_t;

typedef int (*oak_block_wanted_t)(const void *context, int b);
typedef void (*oak_block_visit_t)(void *context, int b, const double *cells);

/** The caller calls oak_batch_clear(), also after a failure. Rank-local. */
oak_status_t oak_batch_new(const oak_scene_t *scene, oak_batch_t *out);
void oak_batch_clear(oak_batch_t *batch);
/** Read the blocks for which \a wanted returns 1 (NULL: all of this rank), with -INFINITY in
 * solids. Rank-local. */
oak_status_t oak_batch_visit(oak_batch_t *batch, oak_block_wanted_t wanted, oak_block_visit_t visit,
                             void *context);

#endif
