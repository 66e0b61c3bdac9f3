/* SPDX-License-Identifier: GPL-2.0-or-later
 * What all ways to draw blocks share: where their cells fall among the pixels, and reading them.
 * Private to the picture files. */
#pragma once

#include "picture_parts.h"

enum { OAK_PIXEL_ONE = 1024 /**< the whole width of a pixel */ };

/** How much of a pixel a cell gets along one dimension. */
typedef struct {
  int pixel, cell, weight; /**< cell: within its block; weight: of OAK_PIXEL_ONE */
} oak_overlap_t;

int64_t oak_blocks_along(const oak_scene_t *scene, int d, int level);

/** Which pixels of [p0, p1) the cells of block \a b touch along the dimension of the picture
 * \a a (0: x, 1: y). \return the number of entries, at most pixels + cells + 1. */
int oak_find_overlaps(const oak_scene_t *scene, int b, int a, int p0, int p1, oak_overlap_t *out);

/** The lower side of part \a i, if the domain is divided into \a n equal parts, in pixels from the
 * lower side of the picture. A side that two levels share has the same bits on both. */
double oak_scene_place(const oak_scene_t *scene, int a, int64_t i, int64_t n);

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

/** Visit blocks with the variable of the picture, which is -INFINITY in solids. Rank-local. */
oak_status_t oak_scene_visit(const oak_scene_t *scene, oak_block_wanted_t wanted,
                             oak_block_visit_t visit, void *context);
