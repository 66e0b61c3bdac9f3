/* SPDX-License-Identifier: GPL-2.0-or-later
 * Pictures of a running simulation, as PNG files. Private. */
#pragma once

#include "colormap.h"
#include "io/view/grid_view.h"

typedef struct {
  int variable;          /**< index of the output variable */
  int slice_axis;        /**< 3D: normal of the slice, 0 to 2; 2D: not used */
  double slice_position; /**< 3D: coordinate along slice_axis, within the domain */
  double low, high;      /**< range of values; equal: from the data shown */
  int log_scale; /**< colours by the logarithm; values up to 0 get the lowest colour. A range
                      from the data begins at most 8 powers of ten below its end */
  int width;     /**< width of the data area, in pixels; its height follows from what is shown */
  /** Lower and upper corner of what is shown, within the domain; NULL: all of it. Along the normal
   * of a slice it does not count. */
  const double (*region)[3];
  oak_colormap_t colormap;
  int draw_mesh;     /**< outlines of blocks, white on dark colours and black on light ones */
  const char *title; /**< heading above the line of facts, or NULL */
  /** Called by the thread that has written the file \a path; or NULL. */
  oak_status_t (*written)(const char *path);
} oak_picture_options_t;

/** Variable 0, slice through the middle along z, automatic range and colours, 1024 pixels, no mesh.
 */
oak_picture_options_t oak_picture_defaults(const oak_grid_view_t *view);

/** Check \a options; of the view only the domain and the variables need be known. The same on all
 * ranks, not collective. \return as oak_picture_write. */
oak_status_t oak_picture_check(const oak_grid_view_t *view, const oak_picture_options_t *options);

/** Write a picture of one variable to the PNG file \a path: all of a 2D run, or a slice of
 * a 3D one. Collective; arguments agree on all ranks, which fail together.
 * Each pixel shows the average of the cells it covers, or the cell at its centre where cells are
 * larger; values beyond the range get its end colours, cells without a finite value are magenta.
 * The mesh shows outlines of blocks of at least 6 pixels, fainter for smaller ones. The pixels do
 * not depend on the number of ranks. The file's text chunks hold variable, time, step, range, and
 * "oak area": column, row, width and height of the data area.
 * Missing folders are created; an earlier file of that name stays until the new one is complete.
 * \return OAK_ERR_ARGUMENT for options out of range, OAK_ERR_FILE with path and reason. Memory:
 * 16 MB per rank, and the picture on rank 0. */
oak_status_t oak_picture_write(const oak_grid_view_t *view, const oak_picture_options_t *options,
                               const char *path);
