/* SPDX-License-Identifier: GPL-2.0-or-later
 * Pictures of a running simulation, as PNG files. Private. */
#ifndef OAK_PICTURE_H
#define OAK_PICTURE_H

#include "colormap.h"
#include "grid_view.h"

typedef struct {
  int variable;          /**< index of the output variable */
  int slice_axis;        /**< 3D: normal of the slice, 0 to 2; 2D: not used */
  double slice_position; /**< 3D: coordinate along slice_axis, within the domain */
  double low, high;      /**< range of values; equal: from the data shown */
  int width;             /**< of the data area, in pixels; its height follows from the domain */
  oak_colormap_t colormap;
  int draw_mesh;     /**< outline the blocks */
  const char *title; /**< heading above the line of facts, or NULL */
} oak_picture_options_t;

/** Variable 0, slice through the middle along z, automatic range, 800 pixels, viridis, no mesh. */
oak_picture_options_t oak_picture_defaults(const oak_grid_view_t *view);

/** Write a picture of one variable to the PNG file \a path: all of a 2D run, or a slice of a 3D
 * one. Collective; arguments agree on all ranks, which fail together.
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

#endif
