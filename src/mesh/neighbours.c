/* SPDX-License-Identifier: GPL-2.0-or-later
 * Making the tree above the blocks, and walking it. */
#include "mesh/neighbours.h"

#include <stdlib.h>
#include <string.h>

#include "mesh/forest.h"
#include "mesh/poles.h"

/* ---- set-up */

static void make_tables(oak_neighbours_t *t) {
  for (int n = 0; n < OAK_DIRECTIONS; n++) {
    const int dir[3] = {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1}, unit[3] = {1, 3, 9};
    for (int d = 0; d < 3; d++) t->axes[n] |= (dir[d] != 0) << d;
    for (int c = 0; c < 8; c++) {
      int touches = 1;
      t->cross[c][n] = OAK_DIRECTION_NONE;
      for (int d = 0; d < 3; d++) {
        if (dir[d] == 0) continue;
        if ((c >> d & 1) == (dir[d] > 0))
          t->cross[c][n] += dir[d] * unit[d];
        else
          touches = 0;
      }
      t->side[n] |= touches << c;
    }
  }
}

oak_status_t oak_neighbours_new(const oak_mesh_t *mesh, oak_neighbours_t **out) {
  const size_t trees = (size_t)mesh->trees[0] * mesh->trees[1] * mesh->trees[2];
  OAK_TRY(OAK_NEW(*out, 1));
  oak_neighbours_t *t = *out;
  t->dim = mesh->dim;
  t->rank = mesh->rank;
  t->revision = -1;
  memcpy(t->trees, mesh->trees, sizeof t->trees);
  memcpy(t->periodic, mesh->periodic, sizeof t->periodic);
  make_tables(t);
  OAK_TRY(OAK_NEW(t->root, trees));
  for (size_t i = 0; i < trees; i++) t->root[i] = OAK_LINK_NONE;
  return OAK_OK;
}

void oak_neighbours_destroy(oak_neighbours_t **tree) {
  if (!*tree) return;
  free((*tree)->leaf);
  free((*tree)->face);
  free((*tree)->other);
  free((*tree)->owner);
  free((*tree)->node);
  free((*tree)->root);
  free((*tree)->hung);
  free((*tree)->opposite);
  free(*tree);
  *tree = NULL;
}

/* ---- from the list of blocks to the tree */

/* The state while blocks are inserted: the nodes on the path from the root to the last block. */
typedef struct {
  int path[OAK_MESH_MAX_LEVEL + 1];
  int level; /* of the last block, -1: none yet */
  int32_t index[3];
} walk_t;

/* Level of the finest node that holds both the last block and this one, -1 if they are in different
 * trees. */
static int common_level(const walk_t *w, int level, const int32_t index[3]) {
  const int coarser = level < w->level ? level : w->level;
  uint32_t differ = 0;
  if (w->level < 0) return -1;
  for (int d = 0; d < 3; d++)
    differ |= (uint32_t)(index[d] >> (level - coarser) ^ w->index[d] >> (w->level - coarser));
  if (differ == 0) return coarser - 1;
  const int common = coarser - (32 - __builtin_clz(differ));
  return common > -1 ? common : -1;
}

static oak_status_t room_for_nodes(oak_neighbours_t *t) {
  if (t->nnode + OAK_MESH_MAX_LEVEL < t->node_room) return OAK_OK;
  const int room = 2 * t->node_room + 64;
  oak_node_t *grown = realloc(t->node, room * sizeof *grown);
  OAK_CHECK(grown, OAK_ERR_MEMORY, "out of memory for a tree of %d nodes", room);
  t->node = grown;
  t->node_room = room;
  return OAK_OK;
}

/* Insert a link into the path to a block, at `level`. The path above that level exists already. */
static oak_place_t hang(oak_neighbours_t *t, const walk_t *w, int level, int block_level,
                        const int32_t index[3], int link) {
  const int32_t x[3] = {index[0] >> (block_level - level), index[1] >> (block_level - level),
                        index[2] >> (block_level - level)};
  if (level == 0) {
    const int tree = x[0] + t->trees[0] * (x[1] + t->trees[1] * x[2]);
    t->root[tree] = link;
    t->hung[t->nhung++] = tree;
    return (oak_place_t){.parent = -1 - tree};
  }
  const int number = oak_family_number(x);
  t->node[w->path[level - 1]].child[number] = link;
  return (oak_place_t){w->path[level - 1], (int8_t)level, (int8_t)number};
}

static oak_status_t add_leaf(oak_neighbours_t *t, walk_t *w, int leaf, int level,
                             const int32_t index[3]) {
  OAK_TRY(room_for_nodes(t));
  for (int l = common_level(w, level, index) + 1; l < level; l++) {
    const int n = t->nnode++;
    t->node[n] = (oak_node_t){.child = {OAK_LINK_NONE, OAK_LINK_NONE, OAK_LINK_NONE, OAK_LINK_NONE,
                                        OAK_LINK_NONE, OAK_LINK_NONE, OAK_LINK_NONE, OAK_LINK_NONE},
                              .at = hang(t, w, l, level, index, OAK_LINK_NODE - n)};
    w->path[l] = n;
  }
  t->leaf[leaf] = hang(t, w, level, level, index, leaf);
  w->level = level;
  memcpy(w->index, index, sizeof w->index);
  return OAK_OK;
}

/* All blocks are sorted in one order, in which the blocks of lower ranks come first. */
static oak_status_t add_leaves(oak_neighbours_t *t, const oak_mesh_t *mesh,
                               const int8_t *ghost_level, int32_t (*ghost_index)[3]) {
  const int nghost = t->nleaf - t->nblock;
  walk_t walk = {.level = -1};
  int g = 0;
  t->nnode = 0;
  for (; g < nghost && t->owner[g][0] < t->rank; g++)
    OAK_TRY(add_leaf(t, &walk, t->nblock + g, ghost_level[g], ghost_index[g]));
  for (int n = 0; n < t->nblock; n++)
    OAK_TRY(add_leaf(t, &walk, n, mesh->level[n], mesh->index[n]));
  for (; g < nghost; g++)
    OAK_TRY(add_leaf(t, &walk, t->nblock + g, ghost_level[g], ghost_index[g]));
  return OAK_OK;
}

/* ---- what lies beyond */

/* Root of the neighbour of a tree of the brick. */
static int beyond_root(const oak_neighbours_t *t, int tree, int direction) {
  int x[3] = {tree % t->trees[0], tree / t->trees[0] % t->trees[1],
              tree / t->trees[0] / t->trees[1]};
  const int dir[3] = {direction % 3 - 1, direction / 3 % 3 - 1, direction / 9 - 1};
  for (int d = 0; d < 3; d++) {
    x[d] += dir[d];
    if (x[d] >= 0 && x[d] < t->trees[d]) continue;
    if (!t->periodic[d]) return OAK_LINK_OUTSIDE;
    x[d] = x[d] < 0 ? t->trees[d] - 1 : 0;
  }
  return t->root[x[0] + t->trees[0] * (x[1] + t->trees[1] * x[2])];
}

int oak_neighbours_beyond(const oak_neighbours_t *t, const oak_place_t *at, int direction) {
  if (at->parent < 0) return beyond_root(t, -1 - at->parent, direction);
  const oak_node_t *parent = &t->node[at->parent];
  const int cross = t->cross[at->number][direction], other = at->number ^ t->axes[direction];
  if (cross == OAK_DIRECTION_NONE) return parent->child[other];
  return oak_neighbours_child(t, oak_neighbours_beyond(t, &parent->at, cross), other);
}

/* 1 if a link leads to a block of another rank, to a node, or nowhere. */
static int is_other(const oak_neighbours_t *t, int link) {
  return (unsigned)link >= (unsigned)t->nblock;
}

/* Find the links across all faces of a place from those of its parent. Along each axis, a sibling
 * lies on one side. \return bits of the faces whose neighbour is anything else than a block of the
 * same level on this rank. */
static int link_place(const oak_neighbours_t *t, const oak_place_t *at, int face[6]) {
  static const int unit[3] = {1, 3, 9};
  int others = 0;
  for (int f = 0; at->parent < 0 && f < 2 * t->dim; f++) {
    const int step = f & 1 ? unit[f / 2] : -unit[f / 2];
    face[f] = beyond_root(t, -1 - at->parent, OAK_DIRECTION_NONE + step);
    others |= is_other(t, face[f]) << f;
  }
  for (int d = 0; at->parent >= 0 && d < t->dim; d++) {
    const oak_node_t *parent = &t->node[at->parent];
    const int out = 2 * d + (at->number >> d & 1), in = out ^ 1, other = at->number ^ 1 << d;
    const int beyond = parent->face[out];
    face[in] = parent->child[other];
    face[out] = oak_neighbours_child(t, beyond, other);
    others |= is_other(t, face[in]) << in | (is_other(t, face[out]) | (beyond >= 0)) << out;
  }
  return others;
}

static void link_faces(oak_neighbours_t *t) {
  for (int n = 0; n < t->nnode; n++) link_place(t, &t->node[n].at, t->node[n].face);
  for (int n = 0; n < t->nblock; n++) t->other[n] = (uint8_t)link_place(t, &t->leaf[n], t->face[n]);
}

static void set_owner(const oak_neighbours_t *t, int leaf, int *rank, int *block) {
  *rank = leaf < t->nblock ? t->rank : t->owner[leaf - t->nblock][0];
  *block = leaf < t->nblock ? leaf : t->owner[leaf - t->nblock][1];
}

oak_neighbour_t oak_neighbours_face(const oak_neighbours_t *t, int block, int face) {
  const int link = t->face[block][face], axis = face / 2;
  const oak_node_t *finer = oak_neighbours_node(t, link);
  oak_neighbour_t n = {.kind = OAK_NEIGHBOUR_BOUNDARY};
  if (finer) {
    n.kind = OAK_NEIGHBOUR_FINER;
    for (int h = 0; h < 1 << (t->dim - 1); h++)
      set_owner(t, finer->child[oak_family_face_child(axis, !(face & 1), h)], &n.rank[h],
                &n.block[h]);
  } else if (link >= 0) {
    const int same = t->leaf[link].level == t->leaf[block].level;
    n.kind = same ? OAK_NEIGHBOUR_SAME : OAK_NEIGHBOUR_COARSER;
    if (!same) n.sub = oak_family_face_position(axis, t->leaf[block].number);
    set_owner(t, link, &n.rank[0], &n.block[0]);
  } else if (link == OAK_LINK_OUTSIDE && t->poles >> face & 1) {
    n.kind = OAK_NEIGHBOUR_OPPOSITE;
    n.rank[0] = t->opposite[block].rank[0];
    n.block[0] = t->opposite[block].block[0];
  }
  return n;
}

static int direction_of(int edge) {
  static const int unit[3] = {1, 3, 9};
  const oak_edge_t e = oak_edge_axes(edge);
  int direction = OAK_DIRECTION_NONE;
  for (int n = 0; n < 2; n++) direction += e.upper[n] ? unit[e.axis[n]] : -unit[e.axis[n]];
  return direction;
}

int oak_neighbours_edge_is_outer(const oak_neighbours_t *t, int block, int edge) {
  const int direction = direction_of(edge);
  const oak_place_t *at = &t->leaf[block];
  return at->parent < 0 || t->cross[at->number][direction] == direction;
}

int oak_neighbours_edge_is_pole(const oak_neighbours_t *t, int block, int edge) {
  const oak_edge_t e = oak_edge_axes(edge);
  for (int n = 0; n < 2; n++) {
    const int face = 2 * e.axis[n] + e.upper[n];
    if (t->poles >> face & 1 && t->face[block][face] == OAK_LINK_OUTSIDE) return n;
  }
  return -1;
}

oak_neighbour_t oak_neighbours_edge(const oak_neighbours_t *t, int block, int edge) {
  const int direction = direction_of(edge);
  const oak_edge_t e = oak_edge_axes(edge);
  const oak_place_t *at = &t->leaf[block];
  const int link = oak_neighbours_beyond(t, at, direction);
  const oak_node_t *finer = oak_neighbours_node(t, link);
  oak_neighbour_t n = {.kind = OAK_NEIGHBOUR_BOUNDARY};
  if (finer) {
    n.kind = OAK_NEIGHBOUR_FINER;
    for (int h = 0; h < t->dim - 1; h++)
      set_owner(t, finer->child[!e.upper[0] << e.axis[0] | !e.upper[1] << e.axis[1] | h << e.along],
                &n.rank[h], &n.block[h]);
  } else if (link >= 0) {
    const int same = t->leaf[link].level == at->level;
    n.kind = same ? OAK_NEIGHBOUR_SAME : OAK_NEIGHBOUR_COARSER;
    if (!same) n.sub = at->number ^ t->axes[direction];
    set_owner(t, link, &n.rank[0], &n.block[0]);
  } else if (link == OAK_LINK_OUTSIDE && oak_neighbours_edge_is_pole(t, block, edge) >= 0) {
    const int other = !oak_neighbours_edge_is_pole(t, block, edge),
              along_phi = e.axis[other] == oak_poles_axis(t->poles) + 1;
    const int beside = (along_phi ? 1 : 3) + e.upper[other];
    n.rank[0] = t->opposite[block].rank[beside];
    n.block[0] = t->opposite[block].block[beside];
    if (n.rank[0] >= 0) n.kind = OAK_NEIGHBOUR_OPPOSITE;
  }
  return n;
}

/* ---- update */

/* An array for n entries, with room to grow; its contents are not kept. */
static void *fit(void *array, int *room, int n, size_t size) {
  if (n <= *room) return array;
  free(array);
  array = malloc((n + n / 8) * size);
  *room = array ? n + n / 8 : 0;
  return array;
}

/* Only the trees that hold blocks are visited: a rank has few trees of a large brick. */
static void clear_roots(oak_neighbours_t *t) {
  for (int i = 0; i < t->nhung; i++) t->root[t->hung[i]] = OAK_LINK_NONE;
  t->nhung = 0;
}

static oak_status_t build(oak_neighbours_t *t, const oak_mesh_t *mesh, int nghost) {
  clear_roots(t);
  t->nblock = mesh->nblock;
  t->nleaf = mesh->nblock + nghost;
  t->leaf = fit(t->leaf, &t->leaf_room, t->nleaf, sizeof *t->leaf);
  t->face = fit(t->face, &t->face_room, t->nblock, sizeof *t->face);
  t->other = fit(t->other, &t->other_room, t->nblock, sizeof *t->other);
  t->owner = fit(t->owner, &t->owner_room, nghost, sizeof *t->owner);
  t->hung = fit(t->hung, &t->hung_room, t->nleaf, sizeof *t->hung);
  OAK_FREED int8_t *level = NULL;
  OAK_FREED int32_t(*index)[3] = NULL;
  OAK_TRY(OAK_NEW(level, nghost + 1));
  OAK_TRY(OAK_NEW(index, nghost + 1));
  t->poles = mesh->poles;
  if (t->poles) t->opposite = fit(t->opposite, &t->opposite_room, t->nblock, sizeof *t->opposite);
  const int enough = (!t->poles || t->opposite_room >= t->nblock) && t->leaf_room >= t->nleaf &&
                     t->face_room >= t->nblock && t->other_room >= t->nblock &&
                     t->owner_room >= nghost && t->hung_room >= t->nleaf;
  OAK_CHECK(enough, OAK_ERR_MEMORY, "out of memory for the neighbours of %d blocks", t->nleaf);
  if (nghost) OAK_BY_DIM(mesh, oak_forest_ghosts, mesh->forest, level, index, t->owner);
  OAK_TRY(add_leaves(t, mesh, level, index));
  link_faces(t);
  return OAK_OK;
}

oak_status_t oak_neighbours_update(const oak_mesh_t *mesh) {
  oak_neighbours_t *t = mesh->neighbours;
  if (t->revision == mesh->revision) return OAK_OK;
  t->revision = -1;
  const int nghost = mesh->size > 1 ? OAK_BY_DIM(mesh, oak_forest_find_ghosts, mesh->forest) : 0;
  OAK_TRY(oak_agree(mesh->comm, build(t, mesh, nghost)));
  if (t->poles) OAK_TRY(oak_poles_find(mesh, t->opposite));
  t->revision = mesh->revision;
  return OAK_OK;
}
