/* SPDX-License-Identifier: GPL-2.0-or-later
 * What an output format sees of a simulation: the leaves of the block tree and a way to read
 * them. Private. Formats know neither the mesh library nor the device. */
#ifndef OAK_GRID_VIEW_H
#define OAK_GRID_VIEW_H

#include <stdint.h>

#include "oak/status.h"

typedef struct oak_grid_view {
  MPI_Comm comm;
  int dim;                   /**< 2 or 3 */
  int block_size;            /**< N: cells of a block along each dimension (even) */
  double xmin[3];            /**< lower corner of the domain */
  double xmax[3];            /**< upper corner of the domain */
  int trees[3];              /**< blocks of level 0 along each dimension (1 in z for 2D) */
  int max_level;             /**< highest level present on any rank */
  int min_level;             /**< lowest level present on any rank */
  int64_t nglobal;           /**< blocks on all ranks */
  int64_t first;             /**< global number of this rank's first block */
  int nblock;                /**< blocks of this rank, in Morton order, trees in turn; may be 0 */
  const int8_t *level;       /**< [nblock] */
  const int32_t (*index)[3]; /**< [nblock] position of the block, counted in blocks of its own level
                                  from xmin: 0 <= index[d] < trees[d] << level */
  double time;
  long step;
  int nvar;                /**< output variables */
  const char *const *name; /**< [nvar] */
  /** Read variable \a var of blocks [b0, b0+n): dst[n][N^dim], i fastest, interior cells only.
   * Rank-local. */
  oak_status_t (*read)(const struct oak_grid_view *view, int var, int b0, int n, double *dst);
  void *owner;
} oak_grid_view_t;

#endif
