/* SPDX-License-Identifier: GPL-2.0-or-later
 * Plotfiles read back, for pictures and numbers after the run. Private. */
#pragma once

#include "io/view/grid_view.h"

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
