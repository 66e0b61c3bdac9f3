/* SPDX-License-Identifier: GPL-2.0-or-later
 * The folder of a file of the mesh alone. Private. */
#ifndef OAK_MESH_FILE_H
#define OAK_MESH_FILE_H

#include "oak/status.h"

/** What the name of such a folder ends in, and the stem of the files in it. */
#define OAK_MESH_FOLDER ".mesh"
#define OAK_MESH_STEM "mesh"

extern const char *const oak_mesh_file_patterns[]; /**< of the files, for oak_flat_check */

/** Write the folder \a path safely: \a write puts files into a folder with another name. The folder
 * gets its own name when the files are complete and on the disk; an earlier folder stays until
 * then. Collective, as \a write, which gets \a context and the stem of its files and fails on all
 * ranks alike. \return the status that all ranks agree on. */
oak_status_t oak_mesh_file_write(MPI_Comm comm, const char *path,
                                 oak_status_t (*write)(const void *context, const char *stem),
                                 const void *context);

#endif
