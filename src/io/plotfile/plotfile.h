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

/* ---- plotfiles read back, for pictures and numbers after the run */

typedef struct oak_plotfile oak_plotfile_t;

/** Open the plotfile \a path: read its text files and find its leaves, which are the blocks that no
 * block of the next level covers. Values are read when they are asked for. Plotfiles of other
 * programs can be read too. They must have two or three dimensions, cell-centred values without
 * ghost cells, and a ratio of 2 between levels; their boxes must have at least 4 cells and cover
 * families of blocks. \param block_size  cells of a block along each axis, which must divide
 * those of the file; NULL: the largest that fits, which for oak's plotfiles is the block size of
 * the run. Rank-local, on MPI_COMM_SELF. Memory: some 100 bytes per block, and the text files.
 * \return OAK_ERR_FILE with the file and what is wrong with it, OAK_ERR_ARGUMENT for a block size
 * that does not fit. Whatever the files hold, the worst result is a failure with a message. */
oak_status_t oak_plotfile_open(const char *path, const int block_size[3], oak_plotfile_t **out);
void oak_plotfile_close(oak_plotfile_t **plotfile);

/** The leaves on one rank; trees are numbered with x fastest. Its read() keeps one variable of one
 * box per level in memory and is not for several threads. */
const oak_grid_view_t *oak_plotfile_view(const oak_plotfile_t *plotfile);
/** Lowest and highest value of a variable as the text files say it; cells that are not finite do
 * not count. */
void oak_plotfile_range(const oak_plotfile_t *plotfile, int var, double range[2]);
/** Bytes of the data files together. */
int64_t oak_plotfile_bytes(const oak_plotfile_t *plotfile);
