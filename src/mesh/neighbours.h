/* SPDX-License-Identifier: GPL-2.0-or-later
 * A tree whose leaves are the blocks of a rank and those blocks of other ranks that touch them. It
 * finds the neighbour across a face, edge or corner without a search. It is built from the sorted
 * list of blocks when the mesh changes. Private.
 *
 * A link is a number that stands for a block (from 0 on: the blocks of this rank, then those of
 * others), for a node (a region that is divided into finer blocks), or for one of the constants
 * below. */
#pragma once

#include <stddef.h>

#include "mesh/mesh.h"

typedef enum {
  OAK_NEIGHBOUR_SAME,     /**< one block at the same level */
  OAK_NEIGHBOUR_FINER,    /**< 2^(d-1) blocks, one level finer */
  OAK_NEIGHBOUR_COARSER,  /**< one block, one level coarser */
  OAK_NEIGHBOUR_BOUNDARY, /**< physical boundary */
  OAK_NEIGHBOUR_OPPOSITE, /**< a pole: one block of the same level, at phi + pi; for an edge, the
                             block beside it */
} oak_neighbour_kind_t;

/** The neighbour beyond one face of a block. */
typedef struct {
  oak_neighbour_kind_t kind;
  int sub; /**< COARSER: position of this block in the coarse face (bit 0 first axis along it) */
  int rank[4];  /**< owner; FINER: of each fine block, in the order of `sub` */
  int block[4]; /**< number of the block on that rank */
} oak_neighbour_t;

enum {
  OAK_LINK_NONE = -1,    /**< only blocks that touch no block of this rank */
  OAK_LINK_OUTSIDE = -2, /**< beyond the physical boundary */
  OAK_LINK_NODE = -3,    /**< node n is the link OAK_LINK_NODE - n */
};

/** Directions are numbered as the bits of OAK_REACH: x + 1 + 3 (y + 1) + 9 (z + 1). */
enum { OAK_DIRECTIONS = 27, OAK_DIRECTION_NONE = 13 };

/** The place of a block or node in the tree: it is child `number` of node `parent`. A negative
 * parent means that it is the root of tree -1 - parent of the brick. */
typedef struct {
  int parent;
  int8_t level, number;
} oak_place_t;

typedef struct {
  oak_place_t at;
  int child[8]; /**< links */
  int face[6];  /**< links to the neighbours across the faces, of the same level or coarser */
} oak_node_t;

/** The blocks beyond a pole: the block at phi + pi, then its neighbours at lower and at higher phi,
 * and on the lower and on the upper side along the third axis. Rank -1: none. */
typedef struct {
  int rank[5], block[5];
} oak_opposite_t;

struct oak_neighbours {
  int dim, rank;
  int trees[3], periodic[3];
  long revision;     /**< revision of the mesh it was made for, -1: none */
  int nblock, nleaf; /**< blocks of this rank; with those of others */
  oak_place_t *leaf; /**< [nleaf] */
  int (*face)[6];  /**< [nblock] links to the neighbours across the faces: same level, coarser, or a
                      node */
  uint8_t *other;  /**< [nblock] bits of the faces whose neighbour is not a block of this rank and
                      the same level */
  int (*owner)[2]; /**< [nleaf - nblock] rank, and number on it */
  int nnode;
  oak_node_t *node;         /**< [nnode] parents before their children */
  int *root;                /**< [trees of the brick] links */
  oak_opposite_t *opposite; /**< [nblock] of blocks at poles; NULL without poles */
  unsigned poles;           /**< bits of the faces of the domain that are poles */
  int nhung;
  int *hung; /**< [nhung] trees of the brick that hold a leaf: their root is a link */
  int hung_room, leaf_room, owner_room, face_room, other_room, node_room, opposite_room;
  uint8_t axes[OAK_DIRECTIONS];     /**< bits of the axes along which a direction points */
  uint8_t side[OAK_DIRECTIONS];     /**< bits of the children on the side of a direction */
  uint8_t cross[8][OAK_DIRECTIONS]; /**< the part of a direction, seen from a child, that leaves the
                                       parent */
};

oak_status_t oak_neighbours_new(const oak_mesh_t *mesh, oak_neighbours_t **out);
void oak_neighbours_destroy(oak_neighbours_t **tree);

/** Bring mesh->neighbours up to date. Collective. */
oak_status_t oak_neighbours_update(const oak_mesh_t *mesh);

/** Link to the neighbour of a place in a direction: of the same level, coarser, or none. */
int oak_neighbours_beyond(const oak_neighbours_t *tree, const oak_place_t *at, int direction);

/** The node of a link, NULL if it is none. */
static inline const oak_node_t *oak_neighbours_node(const oak_neighbours_t *tree, int link) {
  return link <= OAK_LINK_NODE ? &tree->node[OAK_LINK_NODE - link] : NULL;
}

/** Child `number` of a link. A link that is not a node stands for all of its children. */
static inline int oak_neighbours_child(const oak_neighbours_t *tree, int link, int number) {
  return link <= OAK_LINK_NODE ? tree->node[OAK_LINK_NODE - link].child[number] : link;
}

/** Child of a family at position `sub` of its lower or upper face (bit 0 first axis along it). */
static inline int oak_family_face_child(int axis, int upper, int sub) {
  const int low = sub & ((1 << axis) - 1);
  return low | upper << axis | (sub - low) << 1;
}

/** The position of a child along a face of its family. */
static inline int oak_family_face_position(int axis, int child) {
  const int low = child & ((1 << axis) - 1);
  return low | child >> (axis + 1) << axis;
}

/** Bits of the faces of a block of this rank whose neighbour is not a block of this rank and the
 * same level; and the links across all of its faces. */
static inline unsigned oak_neighbours_others(const oak_neighbours_t *tree, int block) {
  return tree->other[block];
}
static inline const int *oak_neighbours_links(const oak_neighbours_t *tree, int block) {
  return tree->face[block];
}

/** Face of a block of this rank: -x +x -y +y -z +z. */
oak_neighbour_t oak_neighbours_face(const oak_neighbours_t *tree, int block, int face);

/** An edge of a block, in 2D a corner, lies between two of its faces. Numbers 0 to 3 are between
 * faces across x and y, 4 to 7 across x and z, 8 to 11 across y and z; bit 0: the upper one across
 * the first axis, bit 1: across the second. The opposite edge has the number `edge ^ 3`. */
typedef struct {
  int axis[2], upper[2];
  int along; /**< the axis of the edge */
} oak_edge_t;

static inline oak_edge_t oak_edge_axes(int edge) {
  const int pair = edge / 4;
  return (oak_edge_t){{pair == 2, pair == 0 ? 1 : 2}, {edge & 1, edge >> 1 & 1}, 2 - pair};
}

/** The neighbour beyond an edge of a block of this rank. FINER: the blocks that touch the edge, one
 * in 2D and two in 3D, from the lower to the upper one. COARSER: bit d of `sub` says in which half
 * of the coarse block along axis d the block of this level would be. */
oak_neighbour_t oak_neighbours_edge(const oak_neighbours_t *tree, int block, int edge);
/** The one of an edge's two axes that leads from a block across a pole; -1: none. */
int oak_neighbours_edge_is_pole(const oak_neighbours_t *tree, int block, int edge);
/** Whether an edge of a block is also an edge of its family. */
int oak_neighbours_edge_is_outer(const oak_neighbours_t *tree, int block, int edge);
