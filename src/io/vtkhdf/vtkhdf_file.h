/* SPDX-License-Identifier: GPL-2.0-or-later
 * The structure of a VTKHDF file. Private to the writer of these files. All is rank-local. */
#ifndef OAK_VTKHDF_FILE_H
#define OAK_VTKHDF_FILE_H

#include <stdint.h>

#include "io/view/grid_view.h"

/** A level of the file. */
typedef struct {
  int tree_level; /**< of the block tree */
  double spacing[3];
  int64_t boxes, cells; /**< on all ranks */
} oak_vtkhdf_level_t;

/** Make the new file \a path with all groups, attributes and arrays, the values still missing.
 * \param [out] place  [nlevel][1 + nvar] where in the file the boxes and then the values of each
 * variable of a level begin: arrays are contiguous, so ranks can write to them without HDF5. */
oak_status_t oak_vtkhdf_create(const oak_grid_view_t *view, const double origin[3],
                               const oak_vtkhdf_level_t *level, int nlevel, const char *path,
                               int64_t *place);

#endif
