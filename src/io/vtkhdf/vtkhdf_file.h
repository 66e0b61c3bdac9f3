/* SPDX-License-Identifier: GPL-2.0-or-later
 * The structure of a VTKHDF file. Private to the writer of these files. All is rank-local. */
#pragma once

#include <stdint.h>

#include "io/view/grid_view.h"

/** A level of the file. */
typedef struct {
  int tree_level; /**< of the block tree */
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

/** Places of arrays of a level: of its boxes, of variables, of vectors. */
#define OAK_VTKHDF_PLACES(view) ((size_t)(1 + (view)->nvar + (view)->nvector))

/** Make the new file \a path of \a cells cells with \a points corners, the values still
 * missing. \param [out] place  [OAK_VTKHDF_ARRAYS + nvar + nvector] where in the file each array
 * begins. Variables that are not alone (oak_view_alone) have none. */
oak_status_t oak_vtkhdf_create_cells(const oak_grid_view_t *view, int64_t points, int64_t cells,
                                     const char *path, int64_t *place);

/** Make the new file \a path of a 3D view with all groups, attributes and arrays, the values still
 * missing. \param [out] place  [nlevel][1 + nvar + nvector] where in the file the boxes and then
 * the values of each variable and vector of a level begin: arrays are contiguous, so ranks can
 * write to them without HDF5. */
oak_status_t oak_vtkhdf_create(const oak_grid_view_t *view, const oak_vtkhdf_level_t *level,
                               int nlevel, const char *path, int64_t *place);
