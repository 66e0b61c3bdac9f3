/* SPDX-License-Identifier: GPL-2.0-or-later
 * AMReX plotfiles, which ParaView, VisIt and yt read. Private. */
#pragma once

#include "io/files/output_folder.h"
#include "io/view/grid_view.h"

/** Can plotfiles have cells of \a level? Rank-local. \return OAK_ERR_ARGUMENT. */
oak_status_t oak_plotfile_check_level(const oak_grid_view_t *view, int level, const char *path);

/** Write the plotfile folder \a path in the precision of \a view, with \a files data files per
 * level, or one per rank if there are fewer ranks; 0: one per host, or fewer if they would be
 * smaller than 64 MB. Ranks next to each other share a file. Collective; all arguments agree on all
 * ranks, which fail together. The whole tree is stored from level 0 on: parents hold the averages
 * of their children, so each level nests in the one below and level 0 covers the domain. With
 * view->region, only nodes whose parents touch the region are stored: elsewhere the tree ends at a
 * coarser level, with averages. All is written to "\a path.oak-part", which gets its name when it
 * is complete and on the disk: a failed or interrupted write leaves an earlier plotfile of that
 * name as it was. Missing parent folders are created. Values do not depend on the number of ranks.
 * \return OAK_ERR_ARGUMENT as oak_view_check; OAK_ERR_FILE with path and reason, also if what has
 * that name is no plotfile or holds other files. Memory: a few boxes per level and variable. */
oak_status_t oak_plotfile_write(const oak_grid_view_t *view, int files, const char *path);

/** The folder of a plotfile, which may have any name. */
extern const oak_folder_kind_t oak_plotfile_folder;
