/* SPDX-License-Identifier: GPL-2.0-or-later
 * A checkpoint as a grid. The data of a block hold all of its variables, and are read again for
 * each of them, because their checksum covers them all. */

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "checkpoint.h"

enum { MOST_VARIABLES = 256 };

const char *const oak_checkpoint_coordinates[2 * OAK_CHECKPOINT_SYSTEMS] = {
    [OAK_VIEW_CARTESIAN] = "",
    [OAK_VIEW_AXISYMMETRIC] = "(r, z) ",
    [OAK_VIEW_POLAR] = "(r, phi) ",
    [OAK_VIEW_CYLINDRICAL] = "(r, phi, z) ",
    [OAK_VIEW_SPHERICAL] = "(r, theta, phi) ",
    [OAK_CHECKPOINT_SYSTEMS + OAK_VIEW_POLAR] = "(ln r, phi) ",
    [OAK_CHECKPOINT_SYSTEMS + OAK_VIEW_CYLINDRICAL] = "(ln r, phi, z) ",
    [OAK_CHECKPOINT_SYSTEMS + OAK_VIEW_SPHERICAL] = "(ln r, theta, phi) "};

struct oak_checkpoint_grid {
  oak_checkpoint_file_t file;
  oak_grid_view_t view;
  int8_t *level;
  int32_t (*index)[3];
  double *rate;
  uint32_t *sum;
  char *data; /**< of one block */
  char *names;
  const char *name[MOST_VARIABLES];
};

static oak_status_t read_variable(const oak_grid_view_t *view, int var, int b0, int n,
                                  double *dst) {
  const oak_checkpoint_grid_t *grid = view->owner;
  const size_t cells = oak_view_block_cells(view);
  for (int b = b0; b < b0 + n; b++, dst += cells) {
    OAK_TRY(oak_checkpoint_data(&grid->file, b, 1, &grid->sum[b], grid->data));
    for (size_t c = 0; c < cells; c++) {
      const size_t at = (size_t)var * cells + c;
      dst[c] = grid->file.head.real_size == 4 ? (double)((const float *)grid->data)[at]
                                              : ((const double *)grid->data)[at];
    }
  }
  return OAK_OK;
}

/** Coordinates and names. */
static oak_status_t read_names(oak_checkpoint_grid_t *grid) {
  oak_grid_view_t *view = &grid->view;
  const char *text = grid->file.head.text[OAK_CHECKPOINT_VARIABLES];
  size_t prefix = 0;
  for (int c = 0; c < 2 * OAK_CHECKPOINT_SYSTEMS; c++) {
    const char *start = oak_checkpoint_coordinates[c];
    const size_t length = start ? strlen(start) : 0;
    if (length <= prefix || strncmp(text, start, length) != 0) continue;
    view->coordinates = c % OAK_CHECKPOINT_SYSTEMS;
    view->logarithmic = c >= OAK_CHECKPOINT_SYSTEMS;
    prefix = length;
  }
  grid->names = strdup(text + prefix);
  OAK_CHECK(grid->names, OAK_ERR_MEMORY, "no memory for the names of variables");
  char *rest = grid->names;
  for (char *word; (word = strsep(&rest, " ")) && view->nvar < MOST_VARIABLES;) {
    if (!strcmp(word, OAK_MASK_NAME)) {
      view->has_mask = 1;
      view->mask = view->nvar;
    }
    grid->name[view->nvar++] = word;
  }
  OAK_CHECK(view->nvar == grid->file.head.nvar, OAK_ERR_FILE,
            "checkpoint %s is damaged: it has %d variables and %d names", grid->file.path,
            grid->file.head.nvar, view->nvar);
  return OAK_OK;
}

static oak_status_t read_blocks(oak_checkpoint_grid_t *grid) {
  oak_grid_view_t *view = &grid->view;
  const size_t n = (size_t)view->nblock;
  OAK_TRY(OAK_NEW(grid->level, n));
  OAK_TRY(OAK_NEW(grid->index, n));
  OAK_TRY(OAK_NEW(grid->rate, n));
  OAK_TRY(OAK_NEW(grid->sum, n));
  OAK_TRY(OAK_NEW(grid->data, oak_checkpoint_block_bytes(&grid->file.head)));
  OAK_TRY(oak_checkpoint_records(&grid->file, 0, view->nblock, grid->level, grid->index, grid->rate,
                                 grid->sum));
  view->level = grid->level;
  view->index = (const int32_t(*)[3])grid->index;
  view->min_level = view->max_level = grid->level[0];
  for (size_t b = 0; b < n; b++) {
    if (grid->level[b] < view->min_level) view->min_level = grid->level[b];
    if (grid->level[b] > view->max_level) view->max_level = grid->level[b];
    for (int d = 0; d < 3; d++)
      OAK_CHECK(grid->index[b][d] >= 0 && grid->level[b] < 31 &&
                    grid->index[b][d] < (int64_t)view->trees[d] << grid->level[b],
                OAK_ERR_FILE, "checkpoint %s is damaged: block %zu is outside of the domain",
                grid->file.path, b);
  }
  return OAK_OK;
}

static oak_status_t fill(oak_checkpoint_grid_t *grid, const char *path) {
  OAK_TRY(oak_checkpoint_open(MPI_COMM_SELF, path, &grid->file));
  const oak_checkpoint_t *h = &grid->file.head;
  OAK_CHECK(h->nglobal < INT_MAX, OAK_ERR_UNSUPPORTED, "%s has too many blocks to be read", path);
  grid->view = (oak_grid_view_t){.comm = MPI_COMM_SELF,
                                 .dim = h->dim,
                                 .nglobal = h->nglobal,
                                 .nblock = (int)h->nglobal,
                                 .time = h->time,
                                 .step = h->step,
                                 .value_bytes = h->real_size,
                                 .name = grid->name,
                                 .read = read_variable,
                                 .owner = grid};
  for (int d = 0; d < 3; d++) {
    grid->view.block_size[d] = h->block_size[d];
    grid->view.xmin[d] = h->xmin[d];
    grid->view.xmax[d] = h->xmax[d];
    grid->view.trees[d] = d < h->dim ? h->trees[d] : 1;
  }
  OAK_TRY(read_names(grid));
  return read_blocks(grid);
}

oak_status_t oak_checkpoint_grid_open(const char *path, oak_checkpoint_grid_t **out) {
  OAK_TRY(OAK_NEW(*out, 1));
  oak_checkpoint_grid_t *grid = *out;
  grid->file.fd = -1;
  return fill(grid, path);
}

void oak_checkpoint_grid_close(oak_checkpoint_grid_t **out) {
  oak_checkpoint_grid_t *grid = *out;
  if (!grid) return;
  oak_checkpoint_close(&grid->file);
  free(grid->level);
  free(grid->index);
  free(grid->rate);
  free(grid->sum);
  free(grid->data);
  free(grid->names);
  free(grid);
  *out = NULL;
}

const oak_grid_view_t *oak_checkpoint_grid_view(const oak_checkpoint_grid_t *grid) {
  return &grid->view;
}
