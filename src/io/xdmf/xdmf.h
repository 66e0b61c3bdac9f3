/* SPDX-License-Identifier: GPL-2.0-or-later
 * XDMF files as in the paper ("Parallel XDMF output and diagnostics"), which ParaView and VisIt
 * read. Private. */
#ifndef OAK_XDMF_H
#define OAK_XDMF_H

#include "io/view/grid_view.h"

/** Endings of the names of an XDMF file and of the folder with its data. */
#define OAK_XDMF ".xdmf"
#define OAK_XDMF_DATA ".data"

/** Write the leaves of \a view to the file \a path, which ends in ".xdmf". Each rank that has
 * blocks writes one raw file, to the folder whose name ends in ".data" instead. Collective; all
 * arguments agree on all ranks, which fail together. With \a ghost_layers, 0 to N/2, each block
 * comes with that many layers around it, marked as duplicates in the cell array vtkGhostType:
 * contours then have no cracks. Both files and folder have other names until they are complete and
 * on the disk: no .xdmf file ever names data that are not there, and a failed or interrupted write
 * leaves an earlier output of that name as it was. Missing parent folders are created. \return
 * OAK_ERR_ARGUMENT as oak_view_check, or for layers that cannot be had; OAK_ERR_FILE with path and
 * reason, also if something that oak did not write has one of the names. Memory: some megabytes per
 * rank, whatever the mesh. */
oak_status_t oak_xdmf_write(const oak_grid_view_t *view, int ghost_layers, const char *path);

/** Fail if the folder \a data holds anything but data of an XDMF file; links are not followed. It
 * is no failure if nothing is there. Rank-local, as oak_xdmf_remove_data. */
oak_status_t oak_xdmf_check_data(const char *data);
/** Remove such a folder; fails as oak_xdmf_check_data if it holds anything else. */
oak_status_t oak_xdmf_remove_data(const char *data);

#endif
