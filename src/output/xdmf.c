/* SPDX-License-Identifier: GPL-2.0-or-later
 * The kind of output that writes XDMF files. */
#include "io/xdmf/xdmf.h"

#include "output/item.h"
#include "output/kind_keys.h"

static const oak_param_desc_t keys[] = {
    OAK_KEY_VARIABLES,
    OAK_KEY_PRECISION,
    OAK_KEY_REGION,
    INT("output.NAME.ghost_layers", "0", 0, 64, "cells",
        "Layers of ghost cells around each block, with which contours have no cracks."),
    {.key = NULL}};

/* A temporal collection, for ParaView and VisIt. */
static const oak_series_t series = {
    .ending = OAK_XDMF,
    .head = "<?xml version=\"1.0\"?>\n" OAK_XDMF_MARK
            "\n"
            "<Xdmf Version=\"2.0\" xmlns:xi=\"http://www.w3.org/2001/XInclude\"><Domain>\n"
            "<Grid Name=\"oak\" GridType=\"Collection\" CollectionType=\"Temporal\">\n",
    .before = "<xi:include href=\"",
    .after = "\" xpointer=\"xpointer(/Xdmf/Domain/Grid)\"/>\n",
    .tail = "</Grid>\n</Domain></Xdmf>\n"};

/* Files beside plotfiles have none. */
static int ghost_layers(const oak_output_item_t *item) {
  return item->section ? oak_item_int(item, "ghost_layers") : 0;
}

static oak_status_t open_xdmf(oak_output_item_t *item) {
  const oak_setup_t *setup = &item->sim->setup;
  int most = setup->block.size[0] / 2;
  for (int d = 1; d < setup->dim; d++)
    most = setup->block.size[d] / 2 < most ? setup->block.size[d] / 2 : most;
  OAK_CHECK(ghost_layers(item) <= most, OAK_ERR_INPUT,
            "[output.%s]: ghost_layers = %d: at most half a block, %d", item->name,
            ghost_layers(item), most);
  return OAK_OK;
}

/* Ghost cells come from other ranks. */
static int takes_over(const oak_output_item_t *item) { return ghost_layers(item) == 0; }

static oak_status_t write_xdmf(oak_output_item_t *item, const oak_grid_view_t *view,
                               const char *path) {
  return oak_xdmf_write(view, ghost_layers(item), path);
}

const oak_output_kind_t oak_output_xdmf = {
    .word = {"xdmf", "all blocks with ghost cells, for ParaView", keys},
    .ending = OAK_XDMF,
    .folder = &oak_xdmf_folder,
    .cuts_blocks = 1,
    .open = open_xdmf,
    .takes_over = takes_over,
    .write = write_xdmf,
    .series = &series};
