/* SPDX-License-Identifier: GPL-2.0-or-later
 * The values of one mesh on the blocks of another one, whatever their levels, block sizes and
 * domains. Private. */
#pragma once

#include "grid_view.h"

typedef struct oak_remap oak_remap_t;

/** A block on which values are wanted. */
typedef struct {
  double origin[3], dx[3];
  int n[3]; /**< cells along each axis; 1 in z for 2D */
} oak_remap_block_t;

/** Prepare to take values from \a source, which must stay as it is and hold all of its domain on
 * this rank. \a file: what messages call it; kept. Rank-local. */
oak_status_t oak_remap_new(const oak_grid_view_t *source, const char *file, oak_remap_t **out);
void oak_remap_destroy(oak_remap_t **remap);

/** Whether a cell of the source within the block is smaller than those of the block. */
int oak_remap_is_finer(oak_remap_t *remap, const oak_remap_block_t *block);

/** Values within a cell of the source: its mean, or a limited slope (minmod); or the means of its
 * solid cells, while the others leave these out. */
typedef enum { OAK_REMAP_MEANS, OAK_REMAP_SLOPES, OAK_REMAP_SOLIDS } oak_remap_kind_t;

/** The means of variable \a var over the cells of a block, to \a out. Integrals over any union of
 * cells of both meshes stay the same. Where a cell overlaps with none that count, \a out keeps what
 * it holds. Rank-local. */
oak_status_t oak_remap_read(oak_remap_t *remap, int var, const oak_remap_block_t *block,
                            oak_remap_kind_t kind, double *out);
