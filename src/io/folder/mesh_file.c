/* SPDX-License-Identifier: GPL-2.0-or-later
 * The folder of a file of the mesh alone: the mesh library writes it, one file per rank. */
#define _GNU_SOURCE 1
#include "mesh_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/files/file_tools.h"
#include "io/files/flat_folder.h"

const char *const oak_mesh_file_patterns[] = {OAK_MESH_STEM "_*.vtu", OAK_MESH_STEM ".pvtu",
                                              OAK_MESH_STEM ".visit", NULL};

/** Wait until the file STEM ENDING is on the disk. */
static oak_status_t sync_file(const char *stem, const char *ending) {
  char *path = oak_text_new("%s%s", stem, ending);
  OAK_CHECK(path, OAK_ERR_MEMORY, "no memory for the name of %s", stem);
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  const oak_status_t st = fd < 0 ? oak_file_failed("open", path, errno) : oak_sync(fd, path);
  if (fd >= 0) close(fd);
  free(path);
  return st;
}

static oak_status_t sync_files(const char *stem, int rank) {
  char *ending = oak_text_new("_%04d.vtu", rank);
  OAK_CHECK(ending, OAK_ERR_MEMORY, "no memory for the name of %s", stem);
  oak_status_t st = sync_file(stem, ending);
  free(ending);
  if (st == OAK_OK && rank == 0) st = sync_file(stem, ".pvtu");
  return st;
}

/** Remove what is unfinished, and keep the last message. */
static void discard(const char *part) {
  char *message = strdup(oak_last_error());
  (void)oak_flat_remove(part, oak_mesh_file_patterns);
  if (message) (void)OAK_FAIL(OAK_ERR_FILE, "%s", message);
  free(message);
}

oak_status_t oak_mesh_file_write(MPI_Comm comm, const char *path,
                                 oak_status_t (*write)(const void *context, const char *stem),
                                 const void *context) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  char *part = oak_text_new("%s" OAK_PART, path);
  char *stem = oak_text_new("%s" OAK_PART "/" OAK_MESH_STEM, path);
  oak_status_t st = OAK_OK;
  if (!part || !stem)
    st = OAK_FAIL(OAK_ERR_MEMORY, "no memory for the name of %s", path);
  else if (rank == 0)
    st = oak_flat_begin(path, part, oak_mesh_file_patterns);
  st = oak_agree(comm, st);
  if (st == OAK_OK) {
    st = write(context, stem);
    if (st == OAK_OK) st = oak_agree(comm, sync_files(stem, rank));
    if (st == OAK_OK)
      st = oak_agree(comm,
                     rank == 0 ? oak_flat_publish(path, part, oak_mesh_file_patterns) : OAK_OK);
    if (st != OAK_OK && rank == 0) discard(part);
  }
  free(part);
  free(stem);
  return st;
}
