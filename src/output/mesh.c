/* SPDX-License-Identifier: GPL-2.0-or-later
 * The kind of output that writes the mesh alone: p4est writes a folder with one file per rank. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "io/files/file_tools.h"
#include "io/files/output_folder.h"
#include "output/kinds.h"

#define STEM "mesh" /* of the files in the folder */

static const oak_param_desc_t keys[] = {{.key = NULL}};

static const char *const content[] = {STEM "_*.vtu", STEM ".pvtu", STEM ".visit", NULL};
static const oak_folder_kind_t folder = {".mesh", content};

/* For ParaView. */
static const oak_series_t series = {
    .ending = ".pvd",
    .head = "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\"><Collection>\n",
    .before = "<DataSet file=\"",
    .after = "/" STEM ".pvtu\" timestep=\"",
    .time = "\"/>\n",
    .tail = "</Collection></VTKFile>\n"};

/** Wait until a file is on the disk. */
static oak_status_t sync_file(const char *path) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  const oak_status_t st = fd < 0 ? oak_file_failed("open", path, errno) : oak_sync(fd, path);
  if (fd >= 0) close(fd);
  return st;
}

static oak_status_t sync_files(const char *stem, int rank) {
  char path[PATH_MAX];
  OAK_TRY(oak_path_print(path, "%s_%04d.vtu", stem, rank));
  OAK_TRY(sync_file(path));
  OAK_TRY(oak_path_print(path, "%s.pvtu", stem));
  return rank == 0 ? sync_file(path) : OAK_OK;
}

/** Write to a folder with another name, which gets its own when it is complete and on the disk. */
static oak_status_t write_mesh(oak_output_item_t *item, const oak_grid_view_t *view,
                               const char *path) {
  const oak_t *sim = item->sim;
  const oak_folder_kind_t *const kind = &folder;
  oak_part_file_t file;
  char stem[PATH_MAX];
  oak_status_t st = oak_part_file_name(&file, path);
  if (st == OAK_OK) st = oak_path_print(stem, "%s/" STEM, file.part);
  if (st == OAK_OK && sim->setup.rank == 0) st = oak_folder_begin(&folder, path, file.part);
  st = oak_agree(view->comm, st);
  if (st == OAK_OK) {
    st = oak_mesh_write_vtk(sim->data.mesh, sim->setup.domain.low, sim->setup.domain.high, stem);
    if (st == OAK_OK) st = oak_agree(view->comm, sync_files(stem, sim->setup.rank));
    if (st == OAK_OK)
      st = oak_agree(view->comm,
                     sim->setup.rank == 0 ? oak_folder_publish(1, &file, &kind) : OAK_OK);
    if (st != OAK_OK && sim->setup.rank == 0) oak_folder_discard(&folder, file.part);
  }
  return st;
}

const oak_output_kind_t oak_output_mesh = {
    .word = {"mesh", "the blocks alone, with their level and rank, for ParaView", keys},
    .ending = ".mesh",
    .folder = &folder,
    .write = write_mesh,
    .series = &series};
