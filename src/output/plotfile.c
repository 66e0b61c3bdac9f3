/* SPDX-License-Identifier: GPL-2.0-or-later
 * The kind of output that writes plotfiles. */
#include "io/plotfile/plotfile.h"

#include <math.h>

#include "output/item.h"
#include "output/kind_keys.h"

static const oak_param_desc_t keys[] = {
    OAK_KEY_VARIABLES,
    INT("output.NAME.files", "0", 0, INFINITY, NULL,
        "Data files of each level of a plotfile, at most one per rank; 0: one per host, or fewer "
        "if they would be smaller than 64 MB."),
    OAK_KEY_PRECISION,
    OAK_KEY_REGION,
    {.key = NULL}};

/* For VisIt; yt can be given the lines. ParaView needs no list: its AMReX reader takes folders, and
 * its file dialog groups plt000000, plt000010, ... into "plt..". */
static const oak_series_t series = {
    .ending = ".visit", .head = "", .before = "", .after = "/Header\n", .tail = ""};

static oak_status_t check_plotfile(const oak_output_item_t *item) {
  const oak_grid_view_t domain = oak_view_domain(item->sim, &item->variables);
  return oak_plotfile_check_level(&domain, item->sim->setup.refine.max_level, item->name);
}

static oak_status_t write_plotfile(oak_output_item_t *item, const oak_grid_view_t *view,
                                   const char *path) {
  return oak_plotfile_write(view, oak_item_int(item, "files"), path);
}

const oak_output_kind_t oak_output_plotfile = {
    .word = {"plotfile", "all blocks, for ParaView, VisIt and yt", keys},
    .folder = &oak_plotfile_folder,
    .check = check_plotfile,
    .takes_over = oak_item_always,
    .write = write_plotfile,
    .series = &series};
