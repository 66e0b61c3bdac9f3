/* SPDX-License-Identifier: GPL-2.0-or-later
 * The kind of output that writes VTKHDF files. */
#include "io/vtkhdf/vtkhdf.h"

#include "output/item.h"
#include "output/kind_keys.h"

static const oak_param_desc_t keys[] = {
    OAK_KEY_VARIABLES, OAK_KEY_PRECISION, OAK_KEY_REGION, {.key = NULL}};

static const oak_series_t series = {.ending = OAK_VTKHDF ".series",
                                    .head = "{\"file-series-version\": \"1.0\", \"files\": [\n",
                                    .before = "{\"name\": \"",
                                    .after = "\", \"time\": ",
                                    .time = "}\n",
                                    .tail = "]}\n",
                                    .commas = 1};

static oak_status_t open_vtkhdf(oak_output_item_t *item) {
  return oak_vtkhdf_supported(oak_item_given(item, item->section ? "kind" : "space"));
}

static oak_status_t check_vtkhdf(const oak_output_item_t *item) {
  const oak_grid_view_t domain = oak_view_domain(item->sim, &item->variables);
  return oak_vtkhdf_check_level(&domain, item->sim->setup.refine.max_level, item->name);
}

static oak_status_t write_vtkhdf(oak_output_item_t *item, const oak_grid_view_t *view,
                                 const char *path) {
  (void)item;
  return oak_vtkhdf_write(view, path);
}

const oak_output_kind_t oak_output_vtkhdf = {
    .word = {"vtkhdf", "all blocks in one HDF5 file, for ParaView", keys},
    .ending = OAK_VTKHDF,
    .cuts_blocks = 1,
    .open = open_vtkhdf,
    .check = check_vtkhdf,
    .takes_over = oak_item_always,
    .write = write_vtkhdf,
    .series = &series};
