/* SPDX-License-Identifier: GPL-2.0-or-later
 * Pictures of cells where they are in space, in other coordinates than Cartesian: a polar mesh is a
 * disk, and (r, z) can be mirrored at the axis. Private to the picture files.
 *
 * The plane of the picture has Cartesian axes. A pixel has 4 x 4 points. A point shows the cell
 * that its coordinates lie in, so the pixels do not depend on the order of blocks. */
#pragma once

#include "picture_parts.h"

/** How the two coordinates of the picture lie in its plane. */
enum {
  OAK_PLANE_FLAT, /**< the coordinates are the axes of the picture */
  OAK_PLANE_RZ,   /**< the same, with pixels left of the axis r = 0, and cells of unequal sizes */
  OAK_PLANE_DISK, /**< r and phi; phi = 0 is to the right */
  OAK_PLANE_POLES /**< r and theta; theta = 0 is at the top */
};

/** Choose the plane, its corners and the names of its axes from the options. \return
 * OAK_ERR_ARGUMENT if these coordinates cannot be drawn so. */
oak_status_t oak_space_set(oak_scene_t *scene);

/** Is the centre of a pixel in the part of the domain that is shown? */
int oak_space_inside(const oak_scene_t *scene, int x, int y);

/** Rows [rows[0], rows[1]) of pixels that a block may reach. */
void oak_space_rows(const oak_scene_t *scene, int b, int rows[2]);

/** \a cell: along the two axes of the picture, within the block. \a weight: share of the pixel, of
 * OAK_PIXEL_ONE^2. */
typedef void (*oak_space_visit_t)(void *context, int x, int y, const int cell[2], int64_t weight);

/** Visit what the cells of a block cover of the pixels in rows [row0, row1). */
void oak_space_draw(const oak_scene_t *scene, int b, int row0, int row1, oak_space_visit_t visit,
                    void *context);

/** \a share: of a pixel that the line covers. */
typedef void (*oak_space_mark_t)(void *context, int x, int y, double share);

/** Visit the pixels of the outline of a block. */
void oak_space_outline(const oak_scene_t *scene, int b, oak_space_mark_t mark, void *context);

/** The shortest side of a block, in pixels. */
double oak_space_shortest(const oak_scene_t *scene, int b);
