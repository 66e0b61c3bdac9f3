/* SPDX-License-Identifier: GPL-2.0-or-later
 * The folder of a plotfile while it is written. Private to the plotfile writer. All is
 * rank-local. */
#ifndef OAK_PLOTFILE_FOLDER_H
#define OAK_PLOTFILE_FOLDER_H

#include "oak/status.h"

/** Fresh copy of \a path without slashes at its end; NULL: no memory. */
char *oak_plot_path(const char *path);

/** Make sure that \a path is free or a plotfile, and create the empty folders of levels up to
 * \a max_level in \a part. */
oak_status_t oak_plot_create(int max_level, const char *path, const char *part);

/** Give the finished folder \a part its name. An earlier plotfile keeps existing, under another
 * name, until the new one is in place. */
oak_status_t oak_plot_publish(int max_level, const char *path, const char *part);

#endif
