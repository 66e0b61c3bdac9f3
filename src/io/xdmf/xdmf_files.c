/* SPDX-License-Identifier: GPL-2.0-or-later
 * The names of an XDMF output, and the safe replacement of an earlier one. */
#include "xdmf_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/files/file_tools.h"
#include "xdmf.h"

oak_status_t oak_xdmf_files_name(oak_xdmf_files_t *files, const char *path) {
  OAK_CHECK(oak_path_ends(basename(path), OAK_XDMF), OAK_ERR_ARGUMENT,
            "%s: the name of an XDMF file ends in " OAK_XDMF, path);
  const int stem = (int)(strlen(path) - strlen(OAK_XDMF));
  OAK_TRY(oak_path_print(files->xml, "%s", path));
  OAK_TRY(oak_path_print(files->xml_part, "%s" OAK_PART, path));
  OAK_TRY(oak_path_print(files->xml_old, "%s" OAK_OLD, path));
  OAK_TRY(oak_path_print(files->data, "%.*s" OAK_XDMF_DATA, stem, path));
  OAK_TRY(oak_path_print(files->data_part, "%s" OAK_PART, files->data));
  OAK_TRY(oak_path_print(files->data_old, "%s" OAK_OLD, files->data));
  files->data_name = basename(files->data);
  return OAK_OK;
}

static const char *const content[] = {"rank_*.raw", NULL};
const oak_folder_kind_t oak_xdmf_folder = {OAK_XDMF_DATA, content};

oak_status_t oak_xdmf_files_prepare(const oak_xdmf_files_t *files) {
  OAK_TRY(oak_file_claim(files->xml, OAK_XDMF_MARK, strlen(OAK_XDMF_MARK)));
  return oak_folder_begin(&oak_xdmf_folder, files->data, files->data_part);
}

/** Rename if it is there. \a done: whether it was. */
static oak_status_t move_away(const char *path, const char *old, int *done) {
  *done = rename(path, old) == 0;
  return *done || errno == ENOENT ? OAK_OK : oak_file_failed("replace", path, errno);
}

static oak_status_t give_name(const char *part, const char *path) {
  return rename(part, path) == 0 ? OAK_OK
                                 : oak_file_failed("rename the finished output to", path, errno);
}

oak_status_t oak_xdmf_files_publish(const oak_xdmf_files_t *files) {
  int xml = 0, data = 0;
  OAK_TRY(oak_sync_folder(files->data_part));
  OAK_TRY(oak_remove_all(files->xml_old));
  OAK_TRY(oak_folder_remove(&oak_xdmf_folder, files->data_old));
  /* In this order: the file that names the data is moved away first and comes back last. */
  oak_status_t st = move_away(files->xml, files->xml_old, &xml);
  if (st == OAK_OK) st = move_away(files->data, files->data_old, &data);
  if (st == OAK_OK) st = give_name(files->data_part, files->data);
  if (st == OAK_OK) {
    st = give_name(files->xml_part, files->xml);
    if (st != OAK_OK) (void)oak_folder_remove(&oak_xdmf_folder, files->data);
  }
  if (st == OAK_OK) {
    /* The output is good even if the old one stays, as when a viewer has it open over NFS. */
    (void)oak_remove_all(files->xml_old);
    (void)oak_folder_remove(&oak_xdmf_folder, files->data_old);
    return OAK_OK;
  }
  const int back = (!data || rename(files->data_old, files->data) == 0) &&
                   (!xml || rename(files->xml_old, files->xml) == 0);
  if (!back)
    st = OAK_FAIL(OAK_ERR_FILE, "%s; the earlier output is now %s and %s", oak_last_error(),
                  files->xml_old, files->data_old);
  return st;
}

void oak_xdmf_files_discard(const oak_xdmf_files_t *files) {
  (void)unlink(files->xml_part);
  oak_folder_discard(&oak_xdmf_folder, files->data_part);
}
