/* SPDX-License-Identifier: GPL-2.0-or-later
 * The kind of output that writes the mesh alone: p4est writes a folder with one file per rank. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/files/file_tools.h"
#include "io/files/output_folder.h"
#include "solver/kinds/kinds.h"

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

/** Write to a folder with another name, which gets its own when it is complete and on the disk. */
static oak_status_t write_mesh(oak_output_item_t *item, const oak_grid_view_t *view,
                               const char *path) {
  const oak_t *sim = item->sim;
  char *part = oak_text_new("%s" OAK_PART, path);
  char *stem = oak_text_new("%s" OAK_PART "/" STEM, path);
  oak_status_t st = OAK_OK;
  if (!part || !stem)
    st = OAK_FAIL(OAK_ERR_MEMORY, "no memory for the name of %s", path);
  else if (sim->setup.rank == 0)
    st = oak_folder_begin(&folder, path, part);
  st = oak_agree(view->comm, st);
  if (st == OAK_OK) {
    st = oak_mesh_write_vtk(sim->data.mesh, sim->setup.low, sim->setup.high, stem);
    if (st == OAK_OK) st = oak_agree(view->comm, sync_files(stem, sim->setup.rank));
    if (st == OAK_OK)
      st = oak_agree(view->comm,
                     sim->setup.rank == 0 ? oak_folder_publish(&folder, path, part) : OAK_OK);
    if (st != OAK_OK && sim->setup.rank == 0) oak_folder_discard(&folder, part);
  }
  free(part);
  free(stem);
  return st;
}

const oak_output_kind_t oak_output_mesh = {
    .word = {"mesh", "the blocks alone, with their level and rank, for ParaView", keys},
    .ending = ".mesh",
    .folder = &folder,
    .write = write_mesh,
    .series = &series};
