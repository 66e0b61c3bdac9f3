/* SPDX-License-Identifier: GPL-2.0-or-later
 * The parts of a picture: pixels from blocks, and what is drawn around them. Private to this
 * folder. */
#pragma once

#include <math.h>

#include "canvas.h"
#include "picture.h"

/** Smaller ranges are widened, because values are divided by the range. */
#define OAK_SMALLEST_RANGE 1e-290

/** What part of the domain is shown, and where. */
typedef struct {
  const oak_grid_view_t *view;
  const oak_picture_options_t *options;
  int axis[2];           /**< dimensions of the domain along the picture's x and y */
  int normal;            /**< dimension across the slice; -1 in 2D */
  double fraction;       /**< position of the slice in the domain, in trees */
  double from[3], to[3]; /**< lower and upper corner of what is shown: the domain, or the region */
  int cropped;           /**< not all of the domain is shown */
  int plane, mirrored;   /**< of picture_space.h; 0 in Cartesian coordinates */
  double shrink;         /**< distance from the centre of a disk, divided by the radius */
  double low_corner[2], high_corner[2]; /**< of the picture, along its axes */
  const char *name[2];                  /**< of its axes */
  const char *variable, *unit;          /**< name and unit of the variable */
  int width, height;                    /**< of the data area, in pixels */
  double span[2], skip[2]; /**< pixels of the whole domain, and those before the picture */
  double low, high;        /**< range of values, as oak_scene_scaled() gives them */
} oak_scene_t;

/** Is this a cell, or a pixel, of solids? oak_scene_visit gives cells of solids the value
 * -INFINITY.
 */
static inline int oak_scene_is_solid(const oak_scene_t *scene, double value) {
  return scene->view->has_mask && value == -INFINITY;
}

/** A value as it is coloured: itself, or its decimal logarithm (-INFINITY where there is none). */
double oak_scene_scaled(const oak_scene_t *scene, double value);

/** Set the scene's range: the lowest and highest finite value shown on any rank, or the quantiles
 * that the options ask for. If both ends are equal, the range is widened. For a slice: \a field is
 * NULL; collective. For a projection: \a field is that of oak_projection_field(); rank-local. */
oak_status_t oak_scene_find_range(oak_scene_t *scene, const double *field);

/** A projection on its way. The functions are called in this order; sums are means and integrals.
 * Those that are rank-local call no MPI. Memory: 24 bytes per pixel on each rank, and as much once
 * more where cells are about as large as pixels. */
typedef struct oak_projection oak_projection_t;

/** Rank-local. The scene must stay. */
oak_status_t oak_projection_new(const oak_scene_t *scene, oak_projection_t **out);
/** For sums: read all values, to find the largest one of this rank. Rank-local. */
oak_status_t oak_projection_scan(oak_projection_t *p);
/** For sums: agree on the largest value. Collective. */
void oak_projection_scale(oak_projection_t *p);
/** Read all values and add them to the pixels of this rank. Rank-local. */
oak_status_t oak_projection_add(oak_projection_t *p);
/** Add up the pixels of all ranks on rank 0. Collective. */
void oak_projection_reduce(oak_projection_t *p);
/** Rank 0: the pixels [height][width] from below, NAN or INFINITY where a value is not finite,
 * -INFINITY where there is none.
 * They belong to the projection. */
const double *oak_projection_field(oak_projection_t *p);
void oak_projection_free(oak_projection_t **p);

/** Draw such pixels. Rank 0. */
void oak_scene_draw_field(const oak_scene_t *scene, const double *field, oak_canvas_t *canvas,
                          int x, int y);

/** Colour of the outlines of a level, of eight in turn. */
uint32_t oak_level_color(int level);

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
