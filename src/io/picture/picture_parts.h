/* SPDX-License-Identifier: GPL-2.0-or-later
 * The parts of a picture: pixels from blocks, and what is drawn around them. Private to this
 * folder. */
#pragma once

#include <math.h>

#include "canvas.h"
#include "picture.h"

/** Smaller ranges are widened, because values are divided by the range. */
#define OAK_SMALLEST_RANGE 1e-290

/** The two coordinates of the picture in its plane, which has Cartesian axes: in other coordinates
 * a polar mesh is a disk. Except with OAK_PLANE_FLAT a pixel has 4 x 4 points. A point shows the
 * cell that contains it, so the pixels do not depend on the order of blocks. */
enum {
  OAK_PLANE_FLAT, /**< the coordinates are the axes of the picture */
  OAK_PLANE_RZ,   /**< the same, with cells of unequal sizes */
  OAK_PLANE_DISK, /**< r and phi; phi = 0 is to the right */
  OAK_PLANE_POLES /**< r and theta; theta = 0 is at the top */
};

enum { OAK_PIXEL_ONE = 1024 /**< the whole width of a pixel */ };

/** The part of a pixel that a cell gets along one dimension. */
typedef struct {
  int pixel, cell, weight; /**< cell: within its block; weight: of OAK_PIXEL_ONE */
} oak_overlap_t;

/** The part of the domain that is shown, and its place. */
typedef struct {
  const oak_grid_view_t *view;
  const oak_picture_options_t *options;
  int axis[2];           /**< dimensions of the domain along the picture's x and y */
  int normal;            /**< dimension across the slice; -1 in 2D */
  double fraction;       /**< position of the slice in the domain, in trees */
  double from[3], to[3]; /**< lower and upper corner of what is shown: the domain, or the region */
  int cropped;           /**< not all of the domain is shown */
  int plane;             /**< OAK_PLANE_FLAT, ... */
  double shrink;         /**< distance from the centre of a disk, divided by the radius */
  double low_corner[2], high_corner[2]; /**< corners of the picture, along its axes */
  const char *name[2];                  /**< name of its axes */
  const char *variable, *unit;          /**< name and unit of the variable */
  int width, height;                    /**< size of the data area, in pixels */
  double span[2], skip[2]; /**< pixels of the whole domain, and those before the picture */
  double low, high;        /**< range of values, as oak_scene_scaled() gives them */
  oak_overlap_t *along[2]; /**< scratch of oak_scene_cover(): pixels and cells of a block, and 2 */
} oak_scene_t;

/** Is this a cell of solids? oak_scene_visit gives cells of solids the value
 * -INFINITY.
 */
static inline int oak_scene_is_solid(const oak_scene_t *scene, double value) {
  return scene->view->has_mask && value == -INFINITY;
}

/* ---- picture_blocks.c: where the cells of a block fall among the pixels */

static inline int64_t oak_blocks_along(const oak_scene_t *scene, int d, int level) {
  return (int64_t)scene->view->trees[d] << level;
}

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
/** The layer of the block's cells [k][j][i] that the slice goes through. \param [out] stride  from
 * cell to cell along the two dimensions of the picture */
const double *oak_slice_cells(const oak_scene_t *scene, int b, const double *cells,
                              size_t stride[2]);

/** Visit blocks with the variable of the picture, which is -INFINITY in solids. Rank-local. */
oak_status_t oak_scene_visit(const oak_scene_t *scene, oak_block_wanted_t wanted,
                             oak_block_visit_t visit, void *context);

/** \a cell: number of the cell along the two dimensions of the picture, the first one fastest.
 * \a weight: share of the pixel, of OAK_PIXEL_ONE^2. */
typedef void (*oak_cover_t)(void *context, int x, int y, int cell, int64_t weight);

/** Visit what the cells of a block cover of the pixels in rows [row0, row1). */
void oak_scene_cover(const oak_scene_t *scene, int b, int row0, int row1, oak_cover_t visit,
                     void *context);

/* ---- picture_space.c: the same in planes other than OAK_PLANE_FLAT */

/** Choose the plane, its corners and the names of its axes. */
void oak_space_set(oak_scene_t *scene);

/** Is the centre of a pixel in the part of the domain that is shown? */
int oak_space_inside(const oak_scene_t *scene, int x, int y);

/** Rows [rows[0], rows[1]) of pixels that a block may reach. */
void oak_space_rows(const oak_scene_t *scene, int b, int rows[2]);

void oak_space_cover(const oak_scene_t *scene, int b, int row0, int row1, oak_cover_t visit,
                     void *context);

/** Visit the pixels of the outline of a block. \a share: of a pixel that the line covers. */
typedef void (*oak_space_mark_t)(void *context, int x, int y, double share);
void oak_space_outline(const oak_scene_t *scene, int b, oak_space_mark_t mark, void *context);

/** The shortest side of a block, in pixels. */
double oak_space_shortest(const oak_scene_t *scene, int b);

/* ---- ranges, pixels, frame */

/** A value as it is coloured: itself, or its decimal logarithm (-INFINITY where there is none). */
double oak_scene_scaled(const oak_scene_t *scene, double value);

/** Set the scene's range: the lowest and highest finite value shown on any rank. If
 * both ends are equal, the range is widened. Collective. */
oak_status_t oak_scene_find_range(oak_scene_t *scene);

/** Draw the data into columns [x, x+width) and rows [y, y+height) of rank 0's \a canvas (NULL on
 * the other ranks). Collective; all ranks fail together. */
oak_status_t oak_scene_draw_data(const oak_scene_t *scene, oak_canvas_t *canvas, int x, int y);

/** Sizes of what surrounds the data area, in pixels. */
typedef struct {
  double size; /**< height of capitals */
  int thin;    /**< width of frames and ticks */
  int left, right, top, bottom;
} oak_frame_t;

/** Measure titles and labels of a scene whose range is known. */
oak_frame_t oak_frame_measure(const oak_scene_t *scene);

/** Draw title, axes and colour bar. */
void oak_frame_draw(const oak_scene_t *scene, const oak_frame_t *frame, oak_canvas_t *canvas);
