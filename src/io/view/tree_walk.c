/* SPDX-License-Identifier: GPL-2.0-or-later
 * The whole block tree, leaves and parents, seen through a grid view.
 *
 * Leaves are visited in Morton order, so only one parent per level is incomplete at a time. Parents
 * with children on several ranks are completed after the leaves, level by level, from fine to
 * coarse. On each level a rank has at most two: an ancestor of its first leaf that began on an
 * earlier rank, and an ancestor of its last leaf that continues on a later rank. The earlier rank
 * owns the parent, and the later rank sends it the averages of its children. */
#include "boxes.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_LEVELS = 32 };

/** Parents that are not complete, for one array of \a count variables. */
typedef struct {
  double *open[MAX_LEVELS];        /**< [count][ncell] the parent being filled on each level */
  double *share[MAX_LEVELS];       /**< [nchild][count][nsub] children of another rank's parent */
  unsigned share_mask[MAX_LEVELS]; /**< which of these are filled */
} parents_t;

struct oak_tree_walk {
  const oak_grid_view_t *view;
  MPI_Comm comm;
  int rank;
  int nchild;            /**< 2^dim */
  size_t ncell, nsub;    /**< cells of a block, and of the part of it that one child covers */
  int own_from;          /**< ancestors of the first leaf below this level began on earlier ranks */
  int leaves;            /**< there are no parents */
  int owner[MAX_LEVELS]; /**< [own_from] the ranks where these ancestors began */
  int narray;
  const oak_view_array_t *array; /**< [narray] */
  parents_t *parents;            /**< [narray] */
  int count;                     /**< variables of the array of the present walk */
  parents_t *now;                /**< its parents */
  double *received;              /**< [nchild][count][nsub] */
  double *batch;                 /**< [count][nbatch][ncell] leaves just read */
  int nbatch;
  oak_node_visit_t visit;
  void *context;
  oak_status_t status; /**< first failure of the present walk */
};

static void parent_of(const int32_t index[3], int up, int32_t parent[3]) {
  for (int d = 0; d < 3; d++) parent[d] = index[d] >> up;
}

/** Find the level from which on the ancestors of this rank's first leaf, and the leaf, begin here.
 */
static int find_own_from(const oak_grid_view_t *view) {
  int level = view->nblock > 0 ? view->level[0] : 0;
  for (; level > 0; level--) {
    const int32_t low = (INT32_C(1) << (view->level[0] - level + 1)) - 1;
    if ((view->index[0][0] | view->index[0][1] | view->index[0][2]) & low) break;
  }
  return level;
}

/** Find who owns the other ancestors: the last rank before this one whose first leaf is not inside
 * of the ancestor, or at its lower corner. Collective. */
static oak_status_t find_owners(oak_tree_walk_t *walk) {
  const oak_grid_view_t *view = walk->view;
  int size;
  int32_t mine[4] = {-1, 0, 0, 0}; /* level and index of the first leaf; -1: there is none */
  OAK_FREED int32_t(*first)[4] = NULL;
  MPI_Comm_size(walk->comm, &size);
  OAK_TRY(oak_agree(walk->comm, OAK_NEW(first, size)));
  for (int d = 0; d < view->dim && view->nblock > 0; d++) mine[1 + d] = view->index[0][d];
  if (view->nblock > 0) mine[0] = view->level[0];
  MPI_Allgather(mine, 4, MPI_INT32_T, first, 4, MPI_INT32_T, walk->comm);
  for (int level = 0; level < walk->own_from; level++) {
    int rank = walk->rank - 1;
    for (; rank > 0; rank--) {
      const int32_t *leaf = first[rank];
      int inside = leaf[0] > level, corner = 1;
      for (int d = 1; d <= view->dim && inside; d++) {
        inside = leaf[d] >> (leaf[0] - level) == mine[d] >> (mine[0] - level);
        corner = corner && !(leaf[d] & ((INT32_C(1) << (leaf[0] - level)) - 1));
      }
      if (leaf[0] >= 0 && (!inside || corner)) break;
    }
    walk->owner[level] = rank;
  }
  return OAK_OK;
}

static oak_status_t allocate_parents(const oak_tree_walk_t *walk, int array) {
  parents_t *parents = &walk->parents[array];
  const size_t n = (size_t)walk->array[array].count * walk->ncell;
  for (int level = 0; level < walk->view->max_level; level++) {
    OAK_TRY(OAK_NEW(parents->open[level], n));
    if (level < walk->own_from) OAK_TRY(OAK_NEW(parents->share[level], n));
  }
  return OAK_OK;
}

static void free_parents(parents_t *parents) {
  for (int level = 0; level < MAX_LEVELS; level++) {
    free(parents->open[level]);
    free(parents->share[level]);
  }
}

static oak_status_t allocate_buffers(oak_tree_walk_t *walk) {
  const oak_grid_view_t *view = walk->view;
  OAK_TRY(OAK_NEW(walk->parents, walk->narray));
  if (view->nblock == 0) return OAK_OK;
  walk->nbatch = oak_view_batch(view);
  if (walk->nbatch > view->nblock) walk->nbatch = view->nblock;
  size_t most = 1;
  for (int a = 0; a < walk->narray; a++) most = walk->array[a].count == 3 ? 3 : most;
  OAK_TRY(OAK_NEW(walk->batch, most * (size_t)walk->nbatch * walk->ncell));
  if (walk->leaves) return OAK_OK;
  OAK_TRY(OAK_NEW(walk->received, most * walk->ncell));
  for (int a = 0; a < walk->narray; a++) OAK_TRY(allocate_parents(walk, a));
  return OAK_OK;
}

oak_status_t oak_tree_walk_new(const oak_grid_view_t *view, int leaves, int narray,
                               const oak_view_array_t *array, oak_tree_walk_t **out) {
  *out = NULL;
  OAK_CHECK(
      view->max_level >= 0 && view->max_level * view->dim <= 62 && view->max_level < MAX_LEVELS - 1,
      OAK_ERR_ARGUMENT, "level %d is too fine for output; at most %d levels in %dD",
      view->max_level, 62 / view->dim < 30 ? 62 / view->dim : 30, view->dim);
  oak_tree_walk_t *walk;
  oak_status_t st = oak_agree(view->comm, OAK_NEW(walk, 1));
  if (st != OAK_OK) {
    free(walk);
    return st;
  }
  walk->view = view;
  walk->leaves = leaves;
  walk->narray = narray;
  walk->array = array;
  MPI_Comm_dup(view->comm, &walk->comm);
  MPI_Comm_rank(walk->comm, &walk->rank);
  walk->nchild = 1 << view->dim;
  walk->ncell = oak_view_block_cells(view);
  walk->nsub = walk->ncell >> view->dim;
  walk->own_from = find_own_from(view);
  if (!leaves) st = find_owners(walk);
  if (st == OAK_OK) st = oak_agree(walk->comm, allocate_buffers(walk));
  if (st != OAK_OK) oak_tree_walk_destroy(&walk);
  *out = walk;
  return st;
}

void oak_tree_walk_destroy(oak_tree_walk_t **walk_ptr) {
  oak_tree_walk_t *walk = *walk_ptr;
  if (!walk) return;
  for (int a = 0; a < walk->narray && walk->parents; a++) free_parents(&walk->parents[a]);
  free(walk->parents);
  free(walk->received);
  free(walk->batch);
  MPI_Comm_free(&walk->comm);
  free(walk);
  *walk_ptr = NULL;
}

static double sum_of_four(const double *v) { return (v[0] + v[1]) + (v[2] + v[3]); }

/** Average the cells \a fine of a node over the volumes of 2^dim cells into \a sub, always in the
 * same order. */
static void restrict_block(const oak_tree_walk_t *walk, int level, const int32_t index[3],
                           const double *fine, double *sub) {
  const oak_grid_view_t *view = walk->view;
  const int *n = view->block_size, h[2] = {n[0] / 2, n[1] / 2};
  for (size_t c = 0; c < walk->nsub; c++) {
    const int part[3] = {(int)c % h[0], (int)c / h[0] % h[1], (int)c / h[0] / h[1]};
    double value[8] = {0}, weight[8] = {0};
    for (int s = 0; s < walk->nchild; s++) {
      int64_t cell[3];
      size_t at = 0;
      for (int d = 2; d >= 0; d--) {
        const int64_t i = d < view->dim ? 2 * part[d] + (s >> d & 1) : 0;
        cell[d] = (int64_t)index[d] * n[d] + i;
        at = at * (size_t)n[d] + (size_t)i;
      }
      weight[s] = view->coordinates ? oak_view_volume(view, level, cell) : 1;
      value[s] = weight[s] * fine[at];
    }
    sub[c] = view->dim == 2 ? sum_of_four(value) / sum_of_four(weight)
                            : (sum_of_four(value) + sum_of_four(value + 4)) /
                                  (sum_of_four(weight) + sum_of_four(weight + 4));
  }
}

/** Average all variables of the present array. */
static void restrict_all(const oak_tree_walk_t *walk, int level, const int32_t index[3],
                         const double *fine, size_t stride, double *sub) {
  for (int v = 0; v < walk->count; v++)
    restrict_block(walk, level, index, fine + (size_t)v * stride, sub + (size_t)v * walk->nsub);
}

/** Place what \a child covers into the parent's cells. */
static void place_sub(const oak_tree_walk_t *walk, const double *sub, int child, double *parent) {
  const int dim = walk->view->dim, *n = walk->view->block_size;
  const int h[3] = {n[0] / 2, n[1] / 2, dim == 3 ? n[2] / 2 : 1};
  const int i0 = (child & 1) * h[0], j0 = (child >> 1 & 1) * h[1], k0 = (child >> 2 & 1) * h[2];
  for (int v = 0; v < walk->count; v++, parent += walk->ncell)
    for (int k = 0; k < h[2]; k++)
      for (int j = 0; j < h[1]; j++, sub += h[0])
        memcpy(parent + ((size_t)(k0 + k) * n[1] + j0 + j) * n[0] + i0, sub,
               (size_t)h[0] * sizeof *sub);
}

/** Does an earlier rank own the node, which is an ancestor of a leaf of this rank? */
static int is_foreign(const oak_tree_walk_t *walk, int level, const int32_t index[3]) {
  if (level >= walk->own_from) return 0;
  int32_t first[3];
  parent_of(walk->view->index[0], walk->view->level[0] - level, first);
  return memcmp(first, index, (size_t)walk->view->dim * sizeof *first) == 0;
}

/** A node of ours is complete: show it and hand its average to the parent. With \a climb go on
 * with each parent that it completes. */
static void complete_node(oak_tree_walk_t *walk, int level, const int32_t at[3],
                          const double *cells, size_t stride, int climb) {
  int32_t index[3] = {at[0], at[1], walk->view->dim == 3 ? at[2] : 0};
  for (;; level--) {
    if (walk->status == OAK_OK)
      walk->status = walk->visit(walk->context, level, index, cells, stride);
    if (level == 0 || walk->leaves) return;
    const int child = (index[0] & 1) | (index[1] & 1) << 1 | (index[2] & 1) << 2;
    const int32_t own[3] = {index[0], index[1], index[2]};
    parent_of(index, 1, index);
    if (is_foreign(walk, level - 1, index)) {
      restrict_all(walk, level, own, cells, stride,
                   walk->now->share[level - 1] + (size_t)(child * walk->count) * walk->nsub);
      walk->now->share_mask[level - 1] |= 1u << child;
      return;
    }
    restrict_all(walk, level, own, cells, stride, walk->received);
    place_sub(walk, walk->received, child, walk->now->open[level - 1]);
    cells = walk->now->open[level - 1];
    stride = walk->ncell;
    if (child != walk->nchild - 1 || !climb) return;
  }
}

/** Does a parent of ours on \a level continue on a later rank? Then \a index is set. */
static int is_unfinished(const oak_tree_walk_t *walk, int level, int32_t index[3]) {
  const oak_grid_view_t *view = walk->view;
  const int last = view->nblock - 1;
  if (last < 0 || view->level[last] <= level) return 0;
  const int up = view->level[last] - level;
  const int32_t low = (INT32_C(1) << up) - 1;
  int is_last_descendant = 1;
  for (int d = 0; d < view->dim; d++)
    is_last_descendant = is_last_descendant && (view->index[last][d] & low) == low;
  if (is_last_descendant) return 0;
  parent_of(view->index[last], up, index);
  return !is_foreign(walk, level, index);
}

/** Settle the parents on \a level that have children on several ranks. */
static void settle_level(oak_tree_walk_t *walk, int level) {
  MPI_Request request[16];
  int nrequest = 0, nreceived = 0, which[8];
  int32_t parent[3] = {0, 0, 0};
  const int unfinished = is_unfinished(walk, level, parent);
  const size_t n = (size_t)walk->count * walk->nsub; /* values of a child */

  if (unfinished) { /* the children behind that of the last leaf */
    const int b = walk->view->nblock - 1, up = walk->view->level[b] - level - 1;
    int c = 0;
    for (int d = 0; d < walk->view->dim; d++) c |= (walk->view->index[b][d] >> up & 1) << d;
    for (c++; c < walk->nchild; c++) {
      MPI_Irecv(walk->received + nreceived * n, (int)n, MPI_DOUBLE, MPI_ANY_SOURCE, level * 8 + c,
                walk->comm, &request[nrequest++]);
      which[nreceived++] = c;
    }
  }
  for (int c = 0; c < walk->nchild; c++)
    if (walk->now->share_mask[level] >> c & 1)
      MPI_Isend(walk->now->share[level] + c * n, (int)n, MPI_DOUBLE, walk->owner[level],
                level * 8 + c, walk->comm, &request[nrequest++]);
  walk->now->share_mask[level] = 0;
  MPI_Waitall(nrequest, request, MPI_STATUSES_IGNORE);
  for (int i = 0; i < nreceived; i++)
    place_sub(walk, walk->received + i * n, which[i], walk->now->open[level]);
  if (unfinished) complete_node(walk, level, parent, walk->now->open[level], walk->ncell, 0);
}

static void start(oak_tree_walk_t *walk, int array, oak_node_visit_t visit, void *context) {
  walk->visit = visit;
  walk->context = context;
  walk->status = OAK_OK;
  walk->now = &walk->parents[array];
  walk->count = walk->array[array].count;
}

/** Read \a n blocks from \a b on. */
static oak_status_t read_batch(const oak_tree_walk_t *walk, const oak_view_array_t *array, int b,
                               int n, size_t stride) {
  for (int v = 0; v < array->count; v++) {
    double *to = walk->batch + (size_t)v * stride;
    memset(to, 0, (size_t)n * walk->ncell * sizeof *to);
    if (array->var[v] >= 0) OAK_TRY(walk->view->read(walk->view, array->var[v], b, n, to));
  }
  return OAK_OK;
}

oak_status_t oak_tree_walk_begin(oak_tree_walk_t *walk, int array, oak_node_visit_t visit,
                                 void *context) {
  const oak_grid_view_t *view = walk->view;
  const size_t stride = (size_t)walk->nbatch * walk->ncell;
  start(walk, array, visit, context);
  for (int b = 0; b < view->nblock; b += walk->nbatch) {
    const int n = view->nblock - b < walk->nbatch ? view->nblock - b : walk->nbatch;
    if (walk->status == OAK_OK) walk->status = read_batch(walk, &walk->array[array], b, n, stride);
    for (int i = 0; i < n; i++)
      complete_node(walk, view->level[b + i], view->index[b + i], walk->batch + i * walk->ncell,
                    stride, 1);
  }
  return walk->status;
}

oak_status_t oak_tree_walk_finish(oak_tree_walk_t *walk, int array, oak_node_visit_t visit,
                                  void *context) {
  start(walk, array, visit, context);
  for (int level = walk->view->max_level - 1; level >= 0 && !walk->leaves; level--)
    settle_level(walk, level);
  return walk->status;
}
