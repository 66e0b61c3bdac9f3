/* SPDX-License-Identifier: GPL-2.0-or-later
 * Paths of files and folders. Private. */
#pragma once

#include <limits.h>

#include "oak/status.h"

/** Print a path. \return OAK_ERR_FILE if it is too long for any file. */
oak_status_t oak_path_print(char path[PATH_MAX], const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/** \a path made absolute, without resolving links: they decide what relative includes mean. */
oak_status_t oak_path_absolute(const char *path, char **out);
/** Remove a file, or a folder and what is in it. Links are removed, not followed. It is no failure
 * if nothing is there. \return 0 or errno. */
int oak_path_remove(const char *path);

/** The full path of the file \a name in \a folder, or in the present folder if it is not there.
 * \return 0, with errno, if there is none. */
int oak_path_find(const char *folder, const char *name, char path[PATH_MAX]);
