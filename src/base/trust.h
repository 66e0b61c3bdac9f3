/* SPDX-License-Identifier: GPL-2.0-or-later
 * Files and folders whose code runs. Private. */
#pragma once

#include <limits.h>
#include <sys/stat.h>

enum { OAK_WHY = PATH_MAX + 160 }; /**< room for a reason that names a folder */

/** 1 if only this user and root can change a file or folder. */
int oak_file_trusted(const struct stat *info);
/** 1 if this holds for \a path, a full path without links, and nobody else can replace it or a
 * folder above it; otherwise \a why says what is wrong. \a own: this run has just made it. */
int oak_path_trusted(const char *path, int own, char why[OAK_WHY]);
/** oak_path_trusted that also trusts whoever may exchange the running \a program, a full path
 * without links, or a folder above it, since his code runs already. */
int oak_path_trusted_by(const char *program, const char *path, char why[OAK_WHY]);
