/* SPDX-License-Identifier: GPL-2.0-or-later
 * Outputs that are folders: what belongs into them, and the safe replacement of an earlier one.
 * Private. All is rank-local. */
#pragma once

#include "file_tools.h"

/** A kind of folder. */
typedef struct {
  const char *ending; /**< ending of the name; "": any */
  /** Shell patterns of the paths in it; those of folders end in a slash. NULL at the end. */
  const char *const *content;
} oak_folder_kind_t;

/** Fail if \a path holds anything else. Links are not followed. It is no failure if nothing is
 * there. */
oak_status_t oak_folder_check(const oak_folder_kind_t *kind, const char *path);
/** Remove such a folder; fails as oak_folder_check. */
oak_status_t oak_folder_remove(const oak_folder_kind_t *kind, const char *path);
/** Remove an unfinished one after a failure, whose message stays the last one. */
void oak_folder_discard(const oak_folder_kind_t *kind, const char *part);

/** Make sure that \a path is free or such a folder, and make the empty folder \a part. */
oak_status_t oak_folder_begin(const oak_folder_kind_t *kind, const char *path, const char *part);
/** Give \a count (1 or 2) finished folders, or files where \a kind is NULL, which are one output,
 * their names, the last one first. Earlier ones exist until new ones take their place. */
oak_status_t oak_folder_publish(int count, const oak_part_file_t *file,
                                const oak_folder_kind_t *const *kind);
