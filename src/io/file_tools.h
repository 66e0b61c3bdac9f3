/* SPDX-License-Identifier: GPL-2.0-or-later
 * Small file-system helpers of the output formats. Private. All are rank-local; failures have a
 * message that names the path, the reason and what to do. */
#ifndef OAK_FILE_TOOLS_H
#define OAK_FILE_TOOLS_H

#include <stddef.h>
#include <stdint.h>

#include "oak/status.h"

/** Text of \a format in fresh memory, NULL when there is none. The caller frees it. */
char *oak_text_new(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Record that \a action ("write", "create folder", ...) on \a path failed for errno \a reason.
 * \return OAK_ERR_FILE. */
oak_status_t oak_file_failed(const char *action, const char *path, int reason);

/** Create the folder that \a path lies in, and its parents, where they are missing. */
oak_status_t oak_make_parents(const char *path);

/** Remove a file, or a folder and all in it. Links are removed, not followed. It is no failure if
 * nothing is there. */
oak_status_t oak_remove_all(const char *path);

/** Write all of \a data at \a offset, whatever interrupts. \a path is for messages only. */
oak_status_t oak_write_at(int fd, const void *data, size_t bytes, int64_t offset, const char *path);

#endif
