/* SPDX-License-Identifier: GPL-2.0-or-later
 * Changes the refinement flags of blocks before p4est refines and coarsens: it extends them to the
 * neighbours within the buffer, and then makes them agree so that the new mesh is 2:1 balanced.
 *
 * In the old mesh, blocks that touch differ by one level at most. The coarsest balanced mesh that
 * is nowhere coarser than the flags demand can therefore be found level by level, from the finest
 * on:
 *   - a block that is refined also refines the coarser blocks that touch it;
 *   - a family is not coarsened if a block that touches its parent will be two levels finer than
 * the parent. The result is the mesh that p4est_balance would make after refining and coarsening by
 * the flags. */

#include <stdlib.h>
#include <string.h>

#include "base/await.h"
#include "mesh/forest.h"
#include "mesh/neighbours.h"
#include "mesh/poles.h"

typedef struct {
  const oak_mesh_t *mesh;
  const oak_neighbours_t *tree;
  int *flag;                         /* [nleaf] */
  int first[OAK_MESH_MAX_LEVEL + 2]; /* [level] where its nodes begin in `node` */
  int *node;                         /* [nnode] by level */
  uint8_t *merges;  /* [nnode] 1: all children that this rank knows are to be coarsened */
  uint8_t *refined; /* [nnode] bits of the children that are blocks and will be refined */
  uint8_t *finer;   /* [nnode] bits of the children that will be divided into finer blocks */
} work_t;

#define FOR_DIRECTIONS(dim, n)                                                  \
  for (int n = (dim) == 3 ? 0 : 9; n < ((dim) == 3 ? OAK_DIRECTIONS : 18); n++) \
    if (n != OAK_DIRECTION_NONE)

/* ---- buffer */

enum { WILL_BE_REFINED = 1 << 29 }; /* a bit that OAK_REACH and OAK_REACH_NOT leave free */

/* Refine a block of this rank, or keep it from being coarsened, so that it gets at least `level`.
 * Blocks of other ranks are left to their ranks. */
static void require_level(const work_t *w, const int *reach, int block, int level) {
  if (block < 0 || block >= w->tree->nblock) return;
  const int own = w->tree->leaf[block].level;
  if (own > level || reach[block] & OAK_REACH_NOT_KEPT) return;
  if (own < level && !(reach[block] & OAK_REACH_NOT_REFINED) &&
      oak_poles_let_refine(w->mesh, block))
    w->flag[block] = 1;
  if (w->flag[block] < 0) w->flag[block] = 0;
}

/* Apply what a block demands of the blocks of this rank around it. Among finer neighbours, only
 * those that touch the block must be found: if these are not coarsened, their families are not
 * coarsened either. */
static void require_around(const work_t *w, const int *reach, int block) {
  const oak_neighbours_t *t = w->tree;
  const oak_place_t *at = &t->leaf[block];
  const int level = at->level + (reach[block] & WILL_BE_REFINED ? 1 : 0);
  FOR_DIRECTIONS(t->dim, n) {
    if (!(reach[block] >> n & 1)) continue;
    const int link = oak_neighbours_beyond(t, at, n);
    const oak_node_t *finer = oak_neighbours_node(t, link);
    require_level(w, reach, link, level);
    for (int c = 0; finer && level > at->level && c < 1 << t->dim; c++)
      if (t->side[OAK_DIRECTIONS - 1 - n] >> c & 1) require_level(w, reach, finer->child[c], level);
  }
}

/* Get the values of blocks of other ranks. In the array they follow the values of this rank's
 * blocks. */
static void exchange(const work_t *w, int *value) {
  if (w->mesh->size > 1)
    OAK_BY_DIM(w->mesh, oak_forest_exchange, w->mesh->forest, value, value + w->tree->nblock);
}

/* Apply the demands of all blocks that this rank knows: its own, and those of other ranks that
 * touch them. */
static void add_buffer(const work_t *w, int *reach) {
  for (int n = 0; n < w->tree->nblock; n++)
    if (w->flag[n] > 0) reach[n] |= WILL_BE_REFINED;
  exchange(w, reach);
  for (int n = 0; n < w->tree->nleaf; n++)
    if (reach[n]) require_around(w, reach, n);
}

/* ---- balance */

static void sort_nodes(work_t *w) {
  const oak_neighbours_t *t = w->tree;
  int next[OAK_MESH_MAX_LEVEL + 1];
  memset(w->first, 0, sizeof w->first);
  for (int n = 0; n < t->nnode; n++) w->first[t->node[n].at.level + 1]++;
  for (int l = 0; l <= OAK_MESH_MAX_LEVEL; l++) w->first[l + 1] += w->first[l];
  memcpy(next, w->first, sizeof next);
  for (int n = 0; n < t->nnode; n++) w->node[next[t->node[n].at.level]++] = n;
}

/* A family is coarsened only if this rank has all of its blocks and all of them are flagged for it.
 * Otherwise its blocks are kept. */
static void keep_parts(const work_t *w, const oak_node_t *node) {
  const int children = 1 << w->tree->dim;
  int coarsen = 0;
  for (int c = 0; c < children; c++) {
    const int link = node->child[c];
    coarsen += link >= 0 && link < w->tree->nblock && w->flag[link] < 0;
  }
  for (int c = 0; c < children && coarsen < children; c++) {
    const int link = node->child[c];
    if (link >= 0 && link < w->tree->nblock && w->flag[link] < 0) w->flag[link] = 0;
  }
}

static int all_coarsen(const work_t *w, const oak_node_t *node) {
  for (int c = 0; c < 1 << w->tree->dim; c++) {
    const int link = node->child[c];
    if (link != OAK_LINK_NONE && (link < 0 || w->flag[link] >= 0)) return 0;
  }
  return 1;
}

/* Find out what the children of a node will be in the new mesh. */
static void look_at_children(const work_t *w, int n) {
  const oak_node_t *node = &w->tree->node[n];
  w->merges[n] = (uint8_t)all_coarsen(w, node);
  w->refined[n] = w->finer[n] = 0;
  for (int c = 0; c < 1 << w->tree->dim; c++) {
    const int link = node->child[c];
    if (link >= 0 && w->flag[link] > 0) w->refined[n] |= 1 << c;
    if (link <= OAK_LINK_NODE && !w->merges[OAK_LINK_NODE - link]) w->finer[n] |= 1 << c;
  }
  w->finer[n] |= w->refined[n];
}

/* Balance a node with its surroundings: where children are refined, refine the coarser blocks that
 * touch them. If the family of the children is flagged for coarsening, keep it if a neighbour will
 * be too fine. */
static void settle(const work_t *w, int n) {
  const oak_neighbours_t *t = w->tree;
  const oak_node_t *node = &t->node[n];
  const int coarsens = w->merges[n] && node->child[0] >= 0 && node->child[0] < t->nblock;
  int stays = 0;
  if (!w->refined[n] && !coarsens) return;
  FOR_DIRECTIONS(t->dim, d) {
    if (!coarsens && !(w->refined[n] & t->side[d])) continue;
    const int link = oak_neighbours_beyond(t, &node->at, d);
    if (coarsens)
      stays |=
          link <= OAK_LINK_NODE && w->finer[OAK_LINK_NODE - link] & t->side[OAK_DIRECTIONS - 1 - d];
    else if (link >= 0 && link < t->nblock)
      w->flag[link] = 1;
    if (stays) break;
  }
  for (int c = 0; stays && c < 1 << t->dim; c++) w->flag[node->child[c]] = 0;
}

/* Bits of the levels that have blocks on any rank. */
static int levels_of_blocks(const oak_mesh_t *mesh) {
  int levels = 0;
  for (int n = 0; n < mesh->nblock; n++) levels |= 1 << mesh->level[n];
  oak_await(mesh->comm);
  if (mesh->size > 1) MPI_Allreduce(MPI_IN_PLACE, &levels, 1, MPI_INT, MPI_BOR, mesh->comm);
  return levels;
}

/* The loop treats the nodes of level l, whose children are blocks of level l + 1. At this point the
 * refinement of blocks at level l + 1 and finer is final; only the coarsening of families at level
 * l + 1 is open. Levels coarser than the coarsest block have nodes only, and need no exchange.
 *
 * Another way would be to sweep over all levels until no rank changes a flag that others see. It
 * gives the same flags, because all rules only raise them. On the meshes of test_solver_ranks it
 * needed 1.9 exchanges instead of 2.3, but a reduction after each of them, and twice the work. */
static void balance(work_t *w) {
  const int levels = levels_of_blocks(w->mesh);
  sort_nodes(w);
  for (int l = OAK_MESH_MAX_LEVEL - 1; l >= 0; l--) {
    const int from = w->first[l], to = w->first[l + 1];
    if (!(levels >> (l + 1) & 1)) continue;
    for (int i = from; i < to; i++) keep_parts(w, &w->tree->node[w->node[i]]);
    exchange(w, w->flag);
    for (int i = to; i < w->first[l + 2]; i++)
      w->merges[w->node[i]] = (uint8_t)all_coarsen(w, &w->tree->node[w->node[i]]);
    for (int i = from; i < to; i++) look_at_children(w, w->node[i]);
    for (int i = from; i < to; i++) settle(w, w->node[i]);
  }
}

oak_status_t oak_flags_settle(const oak_mesh_t *mesh, int *flag, const int *reach) {
  const oak_neighbours_t *t = mesh->neighbours;
  work_t w = {.mesh = mesh, .tree = t, .flag = flag};
  OAK_FREED int *node = NULL, *all_reach = NULL;
  OAK_FREED uint8_t *bits = NULL;
  oak_status_t st = OAK_NEW(node, t->nnode + 1);
  if (st == OAK_OK) st = OAK_NEW(bits, 3 * (size_t)t->nnode + 1);
  if (st == OAK_OK && reach) st = OAK_NEW(all_reach, t->nleaf + 1);
  OAK_TRY(oak_agree(mesh->comm, st));
  w.node = node;
  w.merges = bits;
  w.refined = w.merges + t->nnode;
  w.finer = w.refined + t->nnode;
  if (reach) {
    memcpy(all_reach, reach, t->nblock * sizeof *reach);
    add_buffer(&w, all_reach);
  }
  balance(&w);
  return OAK_OK;
}
