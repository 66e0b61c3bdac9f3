/* SPDX-License-Identifier: GPL-2.0-or-later
 * Outputs that are folders of files without subfolders: which files belong to them, and their safe
 * replacement. Private. All is rank-local. */
#ifndef OAK_FLAT_FOLDER_H
#define OAK_FLAT_FOLDER_H

#include "oak/status.h"

/** Fail if the folder \a path holds anything but regular files whose names match one of \a
 * patterns, which are shell patterns with NULL at the end. Links are not followed. It is no failure
 * if nothing is there. */
oak_status_t oak_flat_check(const char *path, const char *const *patterns);
/** Remove such a folder; fails as oak_flat_check if it holds anything else. */
oak_status_t oak_flat_remove(const char *path, const char *const *patterns);

/** Make sure that \a path is free or such a folder, and make the empty folder \a part. */
oak_status_t oak_flat_begin(const char *path, const char *part, const char *const *patterns);
/** Give the finished folder \a part the name \a path. An earlier one keeps existing, under another
 * name, until the new one is in place. */
oak_status_t oak_flat_publish(const char *path, const char *part, const char *const *patterns);

#endif
