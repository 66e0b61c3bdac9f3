/* SPDX-License-Identifier: GPL-2.0-or-later
 * Makes a mesh of given blocks: when a checkpoint is read, and when an adaptation is undone. The
 * blocks may come from a file, so everything about them is checked. */
#include <stdlib.h>
#include <string.h>

#include "mesh/forest.h"
#include "mesh/poles.h"

/** A position on the Morton curve through all trees. The unit is the smallest possible block. */
typedef struct {
  int64_t tree;
  uint64_t at;
} place_t;

/** The part of the curve that the blocks of a rank cover. All ranks know it of each rank. */
typedef struct {
  int64_t count;
  place_t begin, end;
} span_t;

/* Bits of a position, interleaved. */
static uint64_t morton(int dim, int level, const int32_t index[3]) {
  uint64_t code = 0;
  for (int b = 0; b < level; b++)
    for (int d = 0; d < dim; d++) code |= (uint64_t)(index[d] >> b & 1) << (dim * b + d);
  return code;
}

/* The number of each tree by its place in the brick. */
static oak_status_t number_trees(const oak_mesh_t *mesh, int32_t **number) {
  const int count = mesh->trees[0] * mesh->trees[1] * mesh->trees[2];
  OAK_TRY(OAK_NEW(*number, count));
  for (int t = 0; t < count; t++) {
    int x[3];
    OAK_BY_DIM(mesh, oak_forest_tree, mesh->forest, t, x);
    (*number)[x[0] + mesh->trees[0] * (x[1] + mesh->trees[1] * x[2])] = t;
  }
  return OAK_OK;
}

/* Refuse a block outside of the domain, and find its tree. */
static oak_status_t find_tree(const oak_mesh_t *mesh, const int32_t *number, int64_t block,
                              int level, const int32_t index[3], int32_t *tree) {
  int at[3] = {0, 0, 0};
  int inside = level >= 0 && level <= OAK_MESH_MAX_LEVEL;
  for (int d = 0; d < 3 && inside; d++) {
    inside = index[d] >= 0 && (d < mesh->dim || index[d] == 0);
    at[d] = d < mesh->dim ? index[d] >> level : 0;
    inside = inside && at[d] < mesh->trees[d];
  }
  OAK_CHECK(inside, OAK_ERR_INPUT,
            "block %lld, of level %d at (%d, %d, %d), is not in a domain of %d x %d x %d trees",
            (long long)block, level, index[0], index[1], index[2], mesh->trees[0], mesh->trees[1],
            mesh->trees[2]);
  *tree = number[at[0] + mesh->trees[0] * (at[1] + mesh->trees[1] * at[2])];
  return OAK_OK;
}

/* Each block begins where the one before ends. */
static oak_status_t follow(const oak_mesh_t *mesh, const int32_t *number, int nblock,
                           const int8_t *level, const int32_t (*index)[3], int32_t *tree,
                           span_t *span) {
  const uint64_t whole = UINT64_C(1) << (mesh->dim * OAK_MESH_MAX_LEVEL);
  span->count = nblock;
  for (int n = 0; n < nblock; n++) {
    OAK_TRY(find_tree(mesh, number, n, level[n], index[n], &tree[n]));
    const int shift = mesh->dim * (OAK_MESH_MAX_LEVEL - level[n]);
    const place_t begin = {tree[n], morton(mesh->dim, level[n], index[n]) << shift};
    if (n == 0) span->begin = span->end = begin;
    OAK_CHECK(begin.tree == span->end.tree && begin.at == span->end.at, OAK_ERR_INPUT,
              "block %d of rank %d does not follow the one before", n, mesh->rank);
    span->end.at += UINT64_C(1) << shift;
    if (span->end.at == whole) span->end = (place_t){tree[n] + 1, 0};
  }
  return OAK_OK;
}

/* The same across ranks: all blocks together fill the domain. */
static oak_status_t check_spans(const oak_mesh_t *mesh, const span_t *span, int64_t *first) {
  place_t at = {0, 0};
  first[0] = 0;
  for (int r = 0; r < mesh->size; r++) {
    first[r + 1] = first[r] + span[r].count;
    if (!span[r].count) continue;
    OAK_CHECK(span[r].begin.tree == at.tree && span[r].begin.at == at.at, OAK_ERR_INPUT,
              "the blocks of rank %d do not follow those before", r);
    at = span[r].end;
  }
  OAK_CHECK(at.tree == (int64_t)mesh->trees[0] * mesh->trees[1] * mesh->trees[2] && at.at == 0,
            OAK_ERR_INPUT, "the blocks do not fill the domain");
  return OAK_OK;
}

static oak_status_t check_blocks(const oak_mesh_t *mesh, int nblock, const int8_t *level,
                                 const int32_t (*index)[3], int32_t *tree, int64_t *first,
                                 int *pole_level) {
  OAK_FREED int32_t *number = NULL;
  OAK_FREED span_t *span = NULL;
  span_t mine = {0};
  oak_status_t st = number_trees(mesh, &number);
  if (st == OAK_OK) st = OAK_NEW(span, mesh->size);
  if (st == OAK_OK) st = follow(mesh, number, nblock, level, index, tree, &mine);
  OAK_TRY(oak_agree(mesh->comm, st));
  MPI_Allgather(&mine, sizeof mine, MPI_BYTE, span, sizeof mine, MPI_BYTE, mesh->comm);
  OAK_TRY(check_spans(mesh, span, first));
  return oak_poles_level(mesh, nblock, level, index, pole_level);
}

oak_status_t oak_mesh_replace(oak_mesh_t *mesh, int nblock, int8_t *level, int32_t (*index)[3],
                              int balanced) {
  OAK_FREED int32_t *tree = NULL;
  OAK_FREED int64_t *first = NULL;
  int pole_level;
  oak_status_t st = OAK_NEW(tree, nblock + 1);
  if (st == OAK_OK) st = OAK_NEW(first, mesh->size + 1);
  OAK_TRY(oak_agree(mesh->comm, st));
  OAK_TRY(check_blocks(mesh, nblock, level, (const int32_t(*)[3])index, tree, first, &pole_level));
  OAK_CHECK(OAK_BY_DIM(mesh, oak_forest_replace, mesh->forest, first, tree, level,
                       (const int32_t(*)[3])index, balanced),
            OAK_ERR_INPUT, "blocks that touch differ by more than one level");
  free(mesh->level);
  free(mesh->index);
  mesh->level = level;
  mesh->index = index;
  mesh->pole_level = pole_level;
  OAK_BY_DIM(mesh, oak_forest_size, mesh->forest, mesh);
  return OAK_OK;
}
