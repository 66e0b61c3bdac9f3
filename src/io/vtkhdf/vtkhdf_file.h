/* SPDX-License-Identifier: GPL-2.0-or-later
 * The structure of a VTKHDF file. Private to the writer of these files. All is rank-local. */
#pragma once

#include <stdint.h>

#include "io/view/grid_view.h"

/** A level of the file. */
typedef struct {
  int tree_level; /**< level of the block tree */
  double spacing[3];
  int64_t boxes, cells; /**< on all ranks */
} oak_vtkhdf_level_t;

/** Arrays of a file with corners of cells, in front of those of the variables. */
enum {
  OAK_VTKHDF_POINTS,  /**< [point][3] double */
  OAK_VTKHDF_CORNERS, /**< [cell][2^dim] int64_t: numbers of points */
  OAK_VTKHDF_OFFSETS, /**< [cell + 1] int64_t: where the corners of a cell begin */
  OAK_VTKHDF_TYPES,   /**< [cell] uint8_t */
  OAK_VTKHDF_ARRAYS
};

/** The content of a file: boxes of levels, or cells with corners. */
typedef struct {
  const oak_view_array_t *array; /**< [narray] */
  int narray;
  const oak_vtkhdf_level_t *level; /**< [nlevel]; NULL: cells with corners */
  int nlevel;
  int64_t points, cells; /**< numbers, for cells with corners */
} oak_vtkhdf_content_t;

/** Make the new file \a path with all groups, attributes and arrays, the values still missing.
 * \param [out] place  where in the file arrays begin: they are contiguous, so ranks can write to
 * them without HDF5. With corners: [OAK_VTKHDF_ARRAYS + narray]. With levels: [nlevel][1 + narray],
 * the boxes and then the values of each array. */
oak_status_t oak_vtkhdf_create(const oak_grid_view_t *view, const oak_vtkhdf_content_t *content,
                               const char *path, int64_t *place);
