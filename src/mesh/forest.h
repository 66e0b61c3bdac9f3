/* SPDX-License-Identifier: GPL-2.0-or-later
 * Between mesh.c and the files beside it, the two compilations of forest.c and flags.c among them.
 * Private to src/mesh. */
#pragma once

#include "mesh/mesh.h"

#define OAK_FOREST_FUNCTIONS(dim)                                                                  \
  /** NULL on all ranks if one has no memory; collective */                                        \
  oak_forest_t *oak_forest_new_##dim(MPI_Comm comm, const int trees[3], const int periodic[3],     \
                                     int level);                                                   \
  void oak_forest_destroy_##dim(oak_forest_t *forest);                                             \
  /** Set nblock, first, nglobal and the revision of the mesh */                                   \
  void oak_forest_size_##dim(const oak_forest_t *forest, oak_mesh_t *mesh);                        \
  void oak_forest_blocks_##dim(const oak_forest_t *forest, int8_t *level, int32_t(*index)[3]);     \
  /** Refine blocks with flag 1, coarsen families with -1; flags are such that this is balanced */ \
  void oak_forest_adapt_##dim(oak_forest_t *forest, const int *flag);                              \
  /** Change blocks per rank so that no family lies on two; collective */                          \
  void oak_forest_families_##dim(const oak_forest_t *forest, int32_t *count);                      \
  /** Give each rank this number of blocks, which must differ from the present one; collective */  \
  void oak_forest_distribute_##dim(oak_forest_t *forest, const int32_t *count);                    \
  const int64_t *oak_forest_first_##dim(const oak_forest_t *forest);                               \
  /** Place of tree t in the brick */                                                              \
  void oak_forest_tree_##dim(const oak_forest_t *forest, int t, int place[3]);                     \
  /** Make the given blocks those of this rank, with the number of the tree of each; first has     \
   * ranks + 1 entries. balanced: 1 if this is known. Collective. \return 0 if they are not        \
   * balanced; the forest is as before */                                                          \
  int oak_forest_replace_##dim(oak_forest_t *forest, const int64_t *first, const int32_t *tree,    \
                               const int8_t *level, const int32_t(*index)[3], int balanced);       \
  /** Find the blocks of other ranks that touch one of this; collective. \return how many */       \
  int oak_forest_find_ghosts_##dim(oak_forest_t *forest);                                          \
  /** The blocks found, in global order; owner: rank, and number of the block on it */             \
  void oak_forest_ghosts_##dim(const oak_forest_t *forest, int8_t *level, int32_t(*index)[3],      \
                               int(*owner)[2]);                                                    \
  /** Exchange a value per block with the ranks that found each other's blocks */                  \
  void oak_forest_exchange_##dim(const oak_forest_t *forest, int *own, int *received);

/** Read sizes, levels and positions of the mesh's blocks anew. */
oak_status_t oak_mesh_read(oak_mesh_t *mesh);

/** Extend the flags by the buffer (\a reach as for oak_mesh_adapt) and change them so that refining
 * all blocks with flag 1 and coarsening all families with flag -1 gives a balanced mesh.
 * Collective; mesh->neighbours must be up to date. \a flag [tree->nleaf] holds the flags of this
 * rank's blocks, within the limits of levels; the rest of the array is scratch memory. */
oak_status_t oak_flags_settle(const oak_mesh_t *mesh, int *flag, const int *reach);

#define OAK_BY_DIM(mesh, stem, ...) \
  ((mesh)->dim == 3 ? stem##_3(__VA_ARGS__) : stem##_2(__VA_ARGS__))

OAK_FOREST_FUNCTIONS(2)
OAK_FOREST_FUNCTIONS(3)
