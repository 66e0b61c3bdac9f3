/* SPDX-License-Identifier: GPL-2.0-or-later
 * The names of an XDMF output, and the safe replacement of an earlier one. Private to the XDMF
 * writer. Only rank 0 calls prepare, publish and discard; all are rank-local. */
#pragma once

#include "base/path.h"

/** A rank's file in the data folder. */
#define OAK_XDMF_RANK "rank_%05d.raw"

typedef struct {
  /** The file, unfinished and replaced. */
  char xml[PATH_MAX], xml_part[PATH_MAX], xml_old[PATH_MAX];
  /** The folder of the raw files. */
  char data[PATH_MAX], data_part[PATH_MAX], data_old[PATH_MAX];
  const char *data_name; /**< \a data without its folders, as the XML names it */
} oak_xdmf_files_t;

/** Names from \a path, which ends in ".xdmf". */
oak_status_t oak_xdmf_files_name(oak_xdmf_files_t *files, const char *path);

/** Make sure that the names are free or of an earlier output, and create the empty folder. */
oak_status_t oak_xdmf_files_prepare(const oak_xdmf_files_t *files);
/** Give the finished file and folder their names. */
oak_status_t oak_xdmf_files_publish(const oak_xdmf_files_t *files);
/** Remove what is unfinished, and keep the last message. */
void oak_xdmf_files_discard(const oak_xdmf_files_t *files);
