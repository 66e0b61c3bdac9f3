/* SPDX-License-Identifier: GPL-2.0-or-later
 * Small file-system helpers of the output formats. Private. All are rank-local; failures have a
 * message that names the path, the reason and what to do. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/failure.h"
#include "base/path.h"

/** Text of \a format in fresh memory, NULL when there is none. The caller frees it. */
char *oak_text_new(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Length of a path without slashes at its end. */
int oak_path_length(const char *path);
/** Does a path end in \a ending, behind other characters? */
int oak_path_ends(const char *path, const char *ending);

/** Record that \a action ("write", "create folder", ...) on \a path failed for errno \a reason.
 * \return OAK_ERR_FILE. */
oak_status_t oak_file_failed(const char *action, const char *path, int reason);

/** Create the folder that \a path lies in, and its parents, where they are missing. */
oak_status_t oak_make_parents(const char *path);

/** Remove a file, or a folder and all in it. Links are removed, not followed. It is no failure if
 * nothing is there. */
oak_status_t oak_remove_all(const char *path);

/** Files and folders of oak have this ending until they are complete. No other program uses it, so
 * a run may remove what an earlier, killed run has left. */
#define OAK_PART ".oak-part"

/** Write all of \a data at \a offset, also if signals interrupt. \a path is for messages only. */
oak_status_t oak_write_at(int fd, const void *data, size_t bytes, int64_t offset, const char *path);

/** Read up to \a bytes from \a offset on. \return how many there are: fewer at the end of the file,
 * where errno is 0, or after a failure. */
size_t oak_read_at(int fd, void *to, size_t bytes, int64_t offset);

/** Wait until what was written to \a fd is on the disk. \a path is for messages only. */
oak_status_t oak_sync(int fd, const char *path);
/** oak_sync for the entries of a folder. */
oak_status_t oak_sync_folder(const char *path);

/** A file that ranks write together, under another name until it is complete. In the structure that
 * a format has for an output, it is the first member: functions of oak_disk_output_t may then get
 * it as their context. */
typedef struct {
  char path[PATH_MAX], part[PATH_MAX]; /**< name, and name until then */
  int fd;                              /**< -1: not open */
} oak_part_file_t;

/** Slashes at the end of \a path are left out. */
oak_status_t oak_part_file_name(oak_part_file_t *file, const char *path);
/** Give the finished file, whose data are on the disk, its name. */
oak_status_t oak_part_file_publish(void *file);
void oak_part_file_discard(void *file);

/** Are \a mark among the first characters of the regular file \a path? Links are not followed. */
int oak_file_has_mark(const char *path, const char *mark, size_t length);
/** Fail if something is at \a path that does not have the mark: it is not ours to replace. */
oak_status_t oak_file_claim(const char *path, const char *mark, size_t length);

/** Write \a data to the file \a path, which gets its name when all of it is on the disk: an earlier
 * file of that name stays until then. A link of that name is replaced, not followed. */
oak_status_t oak_write_file(const char *path, const void *data, size_t bytes);

/** Add \a data at the end of an existing file. A failure leaves the file as it was. */
oak_status_t oak_append_file(const char *path, const void *data, size_t bytes);
