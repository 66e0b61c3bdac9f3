/* SPDX-License-Identifier: GPL-2.0-or-later
 * VTKHDF files, which ParaView reads: boxes of all levels (OverlappingAMR) or
 * cells (UnstructuredGrid). Private. */
#pragma once

#include "io/view/grid_view.h"

/** The ending of the name of such a file. */
#define OAK_VTKHDF ".vtkhdf"

/** Is HDF5 part of this build? \return OAK_ERR_UNSUPPORTED with what to do; \a what begins the
 * message. Not collective. */
oak_status_t oak_vtkhdf_supported(const char *what);

/** Can such files have cells of \a level? Rank-local. \return OAK_ERR_ARGUMENT. */
oak_status_t oak_vtkhdf_check_level(const oak_grid_view_t *view, int level, const char *path);

/** Write \a view to the file \a path in the precision of the view. Collective; \a view and \a path
 * agree on all ranks, which fail together. In 3D the whole tree is stored, parents as averages of
 * their children, and readers hide what finer boxes cover. In 2D and in curved coordinates the
 * leaves are stored, cell by cell with their corners. A view of a part of the domain has only
 * leaves, too. The file is "\a
 * path.oak-part" until it is complete and on the disk: an earlier file of that name stays until
 * then. Missing parent folders are created. Values do not depend on the number of ranks; the boxes
 * do. \return OAK_ERR_ARGUMENT as oak_view_check; OAK_ERR_UNSUPPORTED as oak_vtkhdf_supported;
 * OAK_ERR_FILE with path and reason, also if something else has that name. Memory: a few boxes per
 * level. */
oak_status_t oak_vtkhdf_write(const oak_grid_view_t *view, const char *path);
