/* SPDX-License-Identifier: GPL-2.0-or-later
 * XDMF files as in the paper ("Parallel XDMF output and diagnostics"), which ParaView and VisIt
 * read. Private. */
#pragma once

#include "io/files/output_folder.h"
#include "io/view/grid_view.h"

/** Endings of the names of an XDMF file and of the folder with its data. */
#define OAK_XDMF ".xdmf"
#define OAK_XDMF_DATA ".data"
/** The second line of an XDMF file of oak. */
#define OAK_XDMF_MARK "<!-- Written by oak. -->"

/** Write the leaves of \a view to the file \a path, which ends in ".xdmf". Each rank that has
 * blocks writes one raw file. The folder of these files has the same name, but ends in ".data" in
 * place of ".xdmf". Collective; all arguments agree on all ranks, which fail together. With \a
 * ghost_layers, 0 to N/2, each block comes with that many layers around it, marked as duplicates in
 * the cell array vtkGhostType: contours then have no cracks. Both files and folder have other names
 * until they are complete and on the disk: no .xdmf file ever names data that are not there, and a
 * failed or interrupted write leaves an earlier output of that name as it was. Missing parent
 * folders are created. \return OAK_ERR_ARGUMENT as oak_view_check, or for layers that cannot be
 * had; OAK_ERR_FILE with path and reason, also if something that oak did not write has one of the
 * names. Memory: some megabytes per rank, whatever the mesh. */
oak_status_t oak_xdmf_write(const oak_grid_view_t *view, int ghost_layers, const char *path);

/** The folder with the data. */
extern const oak_folder_kind_t oak_xdmf_folder;
