/* SPDX-License-Identifier: GPL-2.0-or-later
 * The mesh as the rest of oak sees it: dispatch by dimension, and the map from old to new
 * blocks. */
#include "mesh/mesh.h"

#include <sc.h>
#include <stdlib.h>

#include <p4est_base.h>

#include "base/await.h"
#include "mesh/forest.h"
#include "mesh/neighbours.h"
#include "mesh/poles.h"

/* p4est and libsc write to stdout and catch signals unless they are told not to. They are started
 * without the communicator of a mesh: libsc's start is collective, and some ranks may have started
 * it before, for another mesh. */
static void quiet_p4est(void) {
  static int done = 0;
  if (done) return;
  done = 1;
  sc_init(MPI_COMM_SELF, 0, 0, NULL, SC_LP_ERROR);
  p4est_init(NULL, SC_LP_ERROR);
}

oak_status_t oak_mesh_read(oak_mesh_t *mesh) {
  OAK_BY_DIM(mesh, oak_forest_size, mesh->forest, mesh);
  OAK_FREED int8_t *level = NULL;
  OAK_TRY(OAK_NEW(level, mesh->nblock + 1));
  int32_t(*index)[3];
  OAK_TRY(OAK_NEW(index, mesh->nblock + 1));
  free(mesh->level);
  free(mesh->index);
  mesh->level = level;
  mesh->index = index;
  level = NULL;
  OAK_BY_DIM(mesh, oak_forest_blocks, mesh->forest, mesh->level, index);
  return OAK_OK;
}

oak_status_t oak_mesh_check_trees(int dim, const int trees[3]) {
  int64_t count = 1;
  for (int d = 0; d < dim; d++) {
    OAK_CHECK(trees[d] >= 1 && trees[d] <= OAK_MESH_MAX_TREES, OAK_ERR_INPUT,
              "mesh.trees: %d along %c: must be 1 to %d", trees[d], "xyz"[d], OAK_MESH_MAX_TREES);
    count *= trees[d];
    OAK_CHECK(
        count <= OAK_MESH_MAX_TREES, OAK_ERR_INPUT,
        "mesh.trees = %d %d %d: the product may be %d at most: divide all of them by 2 and "
        "raise mesh.min_level and mesh.max_level by 1, more than once if need be, which gives "
        "the same mesh",
        trees[0], trees[1], dim == 3 ? trees[2] : 1, OAK_MESH_MAX_TREES);
  }
  return OAK_OK;
}

oak_status_t oak_mesh_new(MPI_Comm comm, int dim, const int trees[3], const int periodic[3],
                          int level, oak_mesh_t **out) {
  OAK_CHECK(dim == 2 || dim == 3, OAK_ERR_ARGUMENT, "dim = %d: must be 2 or 3", dim);
  OAK_CHECK(level >= 0 && level <= OAK_MESH_MAX_LEVEL, OAK_ERR_ARGUMENT,
            "level = %d: must be 0 to %d", level, OAK_MESH_MAX_LEVEL);
  OAK_TRY(oak_mesh_check_trees(dim, trees));
  quiet_p4est();
  oak_mesh_t *mesh;
  oak_status_t st = oak_agree(comm, OAK_NEW(mesh, 1));
  if (st != OAK_OK) {
    free(mesh);
    return st;
  }
  mesh->comm = comm;
  MPI_Comm_rank(comm, &mesh->rank);
  MPI_Comm_size(comm, &mesh->size);
  mesh->dim = dim;
  mesh->pole_level = level;
  for (int d = 0; d < 3; d++) {
    mesh->trees[d] = d < dim ? trees[d] : 1;
    mesh->periodic[d] = d < dim ? periodic[d] : 0;
  }
  mesh->forest = OAK_BY_DIM(mesh, oak_forest_new, comm, mesh->trees, mesh->periodic, level);
  st = mesh->forest ? oak_mesh_read(mesh) : OAK_FAIL(OAK_ERR_MEMORY, "out of memory for a mesh");
  if (st == OAK_OK) st = oak_neighbours_new(mesh, &mesh->neighbours);
  st = oak_agree(comm, st);
  if (st != OAK_OK) {
    oak_mesh_destroy(&mesh);
    return st;
  }
  *out = mesh;
  return OAK_OK;
}

void oak_mesh_destroy(oak_mesh_t **mesh) {
  if (!*mesh) return;
  if ((*mesh)->forest) OAK_BY_DIM(*mesh, oak_forest_destroy, (*mesh)->forest);
  oak_neighbours_destroy(&(*mesh)->neighbours);
  free((*mesh)->level);
  free((*mesh)->index);
  free(*mesh);
  *mesh = NULL;
}

/* Both meshes are sorted along the same curve and differ by one level at most, so one pass over
 * both finds the source of each new block. */
static oak_status_t match_blocks(const oak_mesh_t *mesh, const int8_t *old_level, int old_count,
                                 oak_origin_t *origin) {
  const int children = 1 << mesh->dim;
  int old = 0;
  for (int n = 0; n < mesh->nblock; n++) {
    OAK_CHECK(old < old_count && abs(mesh->level[n] - old_level[old]) <= 1, OAK_ERR_STATE,
              "mesh adaptation changed block %d by more than one level", n);
    origin[n] = (oak_origin_t){.block = old, .kind = OAK_ORIGIN_SAME};
    if (mesh->level[n] == old_level[old]) {
      old++;
    } else if (mesh->level[n] < old_level[old]) {
      origin[n].kind = OAK_ORIGIN_CHILDREN;
      old += children;
    } else {
      origin[n].kind = OAK_ORIGIN_PARENT;
      origin[n].child = oak_family_number(mesh->index[n]);
      old += origin[n].child == children - 1;
    }
  }
  return OAK_OK;
}

/* Refuse a mesh with more blocks than p4est can count. The estimate is too high, because it counts
 * families that are coarsened as unchanged. */
static oak_status_t check_refined(const oak_mesh_t *mesh, const int *flag) {
  int64_t count = mesh->nblock;
  for (int n = 0; n < mesh->nblock; n++)
    if (flag[n] > 0) count += (1 << mesh->dim) - 1;
  OAK_CHECK(count <= OAK_MESH_MAX_BLOCKS, OAK_ERR_INPUT,
            "refinement would give rank %d %lld blocks, but a rank can have at most %d: refine "
            "less, or use more ranks",
            mesh->rank, (long long)count, OAK_MESH_MAX_BLOCKS);
  return OAK_OK;
}

/* Copy the flags, limited to the allowed levels. */
static void limit_flags(const oak_mesh_t *mesh, const int *flag, int min_level, int max_level,
                        int *limited) {
  for (int n = 0; n < mesh->nblock; n++)
    limited[n] = flag[n] > 0   ? mesh->level[n] < max_level && oak_poles_let_refine(mesh, n)
                 : flag[n] < 0 ? -(mesh->level[n] > min_level && oak_poles_distance(mesh, n) > 0)
                               : 0;
}

/* The new mesh, and the source of each of its blocks. */
static oak_status_t read_adapted(oak_mesh_t *mesh, const int8_t *old_level, int old_count,
                                 long before, int *changed, oak_origin_t **origin) {
  OAK_TRY(oak_mesh_read(mesh));
  *changed = mesh->revision != before;
  if (!*changed) return OAK_OK;
  OAK_TRY(OAK_NEW(*origin, mesh->nblock + 1));
  return match_blocks(mesh, old_level, old_count, *origin);
}

oak_status_t oak_mesh_adapt(oak_mesh_t *mesh, const int *flag, const int *reach, int min_level,
                            int max_level, int *changed, oak_origin_t **origin) {
  const long before = mesh->revision;
  const int old_count = mesh->nblock;
  OAK_FREED int *limited = NULL;
  OAK_FREED int8_t *old_level = NULL;
  *changed = 0;
  *origin = NULL;
  OAK_TRY(oak_neighbours_update(mesh));
  /* There is room for the flags of other ranks' blocks. */
  oak_status_t st = OAK_NEW(limited, mesh->neighbours->nleaf + 1);
  if (st == OAK_OK) st = OAK_NEW(old_level, old_count + 1);
  OAK_TRY(oak_agree(mesh->comm, st));
  limit_flags(mesh, flag, min_level, max_level, limited);
  OAK_TRY(oak_flags_settle(mesh, limited, reach));
  if (mesh->nglobal > OAK_MESH_MAX_BLOCKS >> mesh->dim)
    OAK_TRY(oak_agree(mesh->comm, check_refined(mesh, limited)));
  memcpy(old_level, mesh->level, old_count);
  OAK_BY_DIM(mesh, oak_forest_adapt, mesh->forest, limited);
  st = oak_agree(mesh->comm, read_adapted(mesh, old_level, old_count, before, changed, origin));
  if (st != OAK_OK) {
    free(*origin);
    *origin = NULL;
  }
  return st;
}

void oak_mesh_levels(const oak_mesh_t *mesh, int *lowest, int *highest, int64_t *counts) {
  int64_t local[OAK_MESH_MAX_LEVEL + 1] = {0}, sum[OAK_MESH_MAX_LEVEL + 1];
  for (int n = 0; n < mesh->nblock; n++) local[mesh->level[n]]++;
  oak_await(mesh->comm);
  MPI_Allreduce(local, sum, OAK_MESH_MAX_LEVEL + 1, MPI_INT64_T, MPI_SUM, mesh->comm);
  *lowest = OAK_MESH_MAX_LEVEL;
  *highest = 0;
  for (int l = 0; l <= OAK_MESH_MAX_LEVEL; l++) {
    if (sum[l] && l < *lowest) *lowest = l;
    if (sum[l]) *highest = l;
    if (counts) counts[l] = sum[l];
  }
}
