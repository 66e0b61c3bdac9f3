/* SPDX-License-Identifier: GPL-2.0-or-later
 * The block tree: a brick of quadtrees or octrees, 2:1 balanced across faces, edges and corners,
 * distributed over the ranks along the Morton curve (paper, "Mesh management with p4est"). Private.
 */
#pragma once

#include <stdint.h>

#include "base/failure.h"
#include "oak/reach.h"

enum {
  OAK_MESH_MAX_LEVEL = 16,
  OAK_MESH_MAX_TREES = 1 << 20, /**< each rank keeps a list of all trees */
  OAK_MESH_MAX_BLOCKS = 1 << 28 /**< blocks, faces and nodes of a rank are counted by int */
};

typedef struct oak_forest oak_forest_t;
typedef struct oak_neighbours oak_neighbours_t;

typedef struct {
  MPI_Comm comm;
  int rank, size;
  int dim;
  int trees[3]; /**< blocks of level 0 along each dimension (1 in z for 2D) */
  int periodic[3];
  /** Bits of the faces of the domain that are poles; set on a new mesh. A pole is r = 0, or theta =
   * 0 or pi, and the next axis is phi over 2 pi. There a block touches that at phi + pi. Both have
   * the same level, because all blocks at poles keep theirs. They are even in number along phi. */
  unsigned poles;
  int pole_level;
  int nblock;          /**< blocks of this rank, in Morton order */
  int64_t first;       /**< global number of the first of them */
  int64_t nglobal;     /**< blocks on all ranks */
  int8_t *level;       /**< [nblock] */
  int32_t (*index)[3]; /**< [nblock] position in units of blocks of the same level */
  long revision;       /**< changes when the mesh or its distribution does */
  oak_forest_t *forest;
  oak_neighbours_t *neighbours; /**< see oak_neighbours_update */
} oak_mesh_t;

/** Ranges of blocks that change owner. Message i moves count[i] blocks to or from rank[i]. Offsets
 * count blocks from the start of the old (send) or new (receive) local numbering. The blocks that
 * stay on this rank are in keep_. */
typedef struct {
  int nsend, nrecv;
  int *rank, *offset, *count; /**< [nsend] then [nrecv] */
  int *from;                  /**< the same: where the range begins on the rank that sends it */
  int keep_from, keep_to, keep_count;
} oak_transfer_t;

/** The source of the data of a block of a new mesh; kinds in the order of OAK_ADAPT_COPY. */
typedef struct {
  enum { OAK_ORIGIN_SAME, OAK_ORIGIN_PARENT, OAK_ORIGIN_CHILDREN } kind;
  int block; /**< block of the old mesh; CHILDREN: the first of the family */
  int child; /**< PARENT: which child of it the new block is */
} oak_origin_t;

/** The distribution of blocks. */
typedef struct {
  double kappa_max; /**< limit of the most blocks of a rank over ceil(blocks / ranks) */
  /** Keep siblings on one rank: otherwise coarsening would depend on the number of ranks. */
  int families;
} oak_balance_t;

/** The number of a block with this index among the children of its parent. */
static inline int oak_family_number(const int32_t index[3]) {
  return (index[0] & 1) | (index[1] & 1) << 1 | (index[2] & 1) << 2;
}

/** Refuse a brick of more than OAK_MESH_MAX_TREES trees. Not collective. */
oak_status_t oak_mesh_check_trees(int dim, const int trees[3]);

/** A uniform mesh at `level`, distributed evenly. Collective. */
oak_status_t oak_mesh_new(MPI_Comm comm, int dim, const int trees[3], const int periodic[3],
                          int level, oak_mesh_t **out);
void oak_mesh_destroy(oak_mesh_t **mesh);

/** Replace the blocks of this rank by the given ones, which are in Morton order over all ranks.
 * Collective. \a level [nblock] and \a index [nblock] come from malloc and belong to the mesh from
 * then on. \a balanced: 1 if it is known that blocks that touch differ by at most one level. To
 * check this takes most of the time.
 * \return OAK_ERR_INPUT if the blocks do not fill the domain, blocks that touch differ by more
 * than one level, or blocks at poles differ in level; or OAK_ERR_MEMORY. In both cases the mesh is
 * as before, and the arrays still belong to the caller. */
oak_status_t oak_mesh_replace(oak_mesh_t *mesh, int nblock, int8_t *level, int32_t (*index)[3],
                              int balanced);

/** Refine blocks with flag > 0 below max_level, coarsen families in which all blocks have flag < 0
 * above min_level, and balance the mesh. Collective. Blocks stay on their rank. \a flag [nblock]
 * belongs to the old mesh. \a reach [nblock] has OAK_REACH bits (NULL on all ranks: none): if a
 * neighbour in such a direction is coarser than the block will be, it is refined once. It is not
 * coarsened below the level that the block will have. OAK_REACH_NOT bits of the neighbour take
 * precedence. Blocks at poles keep their level. \a origin receives an array [new nblock] that says
 * where the data of each new block come from; the caller frees it. If nothing changed on any rank
 * it is NULL, and *changed is 0. */
oak_status_t oak_mesh_adapt(oak_mesh_t *mesh, const int *flag, const int *reach, int min_level,
                            int max_level, int *changed, oak_origin_t **origin);

/** Redistribute when the slowest rank takes more than kappa_max times what the best distribution
 * would take. Collective; \a balance is the same on all ranks. *moved is 0 if all blocks stay (then
 * \a transfer is empty). */
oak_status_t oak_mesh_partition(oak_mesh_t *mesh, const oak_balance_t *balance, int *moved,
                                oak_transfer_t *transfer);
void oak_transfer_clear(oak_transfer_t *transfer);

/** Lowest and highest level on any rank. Collective. \a counts, if not NULL, receives the number of
 * blocks per level on all ranks [OAK_MESH_MAX_LEVEL + 1]. */
void oak_mesh_levels(const oak_mesh_t *mesh, int *lowest, int *highest, int64_t *counts);
