/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the files that build a pattern share. pattern.c has the faces and calls edges.c for the
 * edges; both use parts.c. Private. */
#pragma once

#include "halo/pattern.h"
#include "mesh/neighbours.h"

/** A slot of a face, a slot of a face at a pole, a piece of a slot, an edge, an edge at a pole, and
 * the part of an edge that one finer block provides. */
enum { PART_SLOT, PART_OPPOSITE, PART_PIECE, PART_EDGE, PART_EDGE_OPPOSITE, PART_EDGE_PIECE };

/* A part of a message, seen from either end. */
typedef struct {
  int rank; /* the other end */
  int kind;
  int face, block, sub; /* face or edge, number and position of the receiving block, on the
                         * receiving rank */
  int mine;             /* the block at this end */
} part_t;

typedef struct {
  int count;
  part_t *part;
} parts_t;

/* The round in which ghost cells that another rank makes arrive: round 1, or later. */
enum { GETS_ROUND1 = 1, GETS_LATE = 2 };

/* Numbers of entries of each kind for the faces of this rank's blocks. While tables are filled, the
 * same structure has the numbers of the faces so far. */
typedef struct {
  int slot;                /* ghost cells made on this rank */
  int make1, make2, late2; /* tasks that make them */
  int bflux;               /* faces at refinement boundaries */
  int coarse[3];           /* of these, faces of coarse blocks, by direction */
  int piece[3];            /* averages for those coarse faces that this rank makes */
  int edge, last;          /* edges made on this rank; of these, at the physical boundary */
} counts_t;

typedef struct {
  oak_pattern_t *pattern;
  const oak_mesh_t *mesh;
  const oak_neighbours_t *tree;
  const oak_peers_t *peers;
  int faces, half;    /* faces of a block; fine blocks at a coarse face, which is also the number of
                       * pieces of a slot */
  int first_slot;     /* pieces before the local slots */
  int first_edge;     /* pieces before the local edges */
  int first_piece[3]; /* averages before the local ones of a direction */
  unsigned char *gets; /* [nblock] */
  parts_t send1, recv1, send2, recv2, send_flux, recv_flux;
  counts_t total;
  int (*start)[4]; /* [peers] where the slots and averages that a peer reads begin here, and
                    * whether this rank reads any of a peer */
  int (*begin)[4]; /* [peers] the same of the peers */
} build_t;

/* parts.c: lists of the parts of messages */
/** Add a part. */
oak_status_t oak_build_part(parts_t *list, part_t part);
/** Put the parts into the order that both ends of a message have. */
void oak_build_sort(parts_t *list);
/** Number of pieces of the parts: of all, or only of those that travel in messages. */
int64_t oak_build_pieces(const build_t *b, const parts_t *parts, int messages_only);

/* The kind of neighbour beyond a face or an edge, for kernels. */
static inline int oak_build_kind(oak_neighbour_kind_t kind) {
  switch (kind) {
    case OAK_NEIGHBOUR_FINER:
      return OAK_FACE_FINER;
    case OAK_NEIGHBOUR_COARSER:
      return OAK_FACE_COARSER;
    case OAK_NEIGHBOUR_BOUNDARY:
    case OAK_NEIGHBOUR_OPPOSITE:
      return OAK_FACE_BOUNDARY;
    default:
      return OAK_FACE_SAME;
  }
}

/* Number of a rank among the peers, -1: it gets messages, or is this one. */
static inline int peer_of(const build_t *b, int rank) {
  return rank == b->mesh->rank ? -1 : oak_peers_number(b->peers, rank);
}

static inline int by_message(const build_t *b, int rank) {
  return rank != b->mesh->rank && peer_of(b, rank) < 0;
}

/* The state of a rank whose blocks are read in place. */
static inline int state_base(const build_t *b, int rank) {
  const int p = peer_of(b, rank);
  return p < 0 ? OAK_BASE_OWN : OAK_BASE_PEERS + 2 * p;
}

static inline void add_task(oak_list_t *list, oak_halo_task_t task) {
  ((oak_halo_task_t *)list->host)[list->count++] = task;
}

/* The task for a part: from a block, or a place in a buffer, to a place. */
static inline oak_halo_task_t task_of(const part_t *p, int dst, int source, int kind) {
  return (oak_halo_task_t){dst, OAK_BASE_OWN, source, p->face, p->sub, kind, p->mine};
}

/* Interpolation must wait for round 1 if ghost cells of the coarse block arrive in that round. */
static inline oak_list_t *round2_list(const build_t *b, int source) {
  return b->gets[source] & GETS_ROUND1 ? &b->pattern->late2 : &b->pattern->make2;
}

/* edges.c, all for meshes whose pattern has edges */
/** Add the parts of messages that belong to the edges of a block. */
oak_status_t oak_edges_scan(build_t *b, int block);
/** Count what the edges of a block need. */
void oak_edges_count(build_t *b, int block);
/** Fill the table of edges, and add the tasks of those that are made on this rank. */
void oak_edges_place(build_t *b);
/** Received edges and parts of edges: where they are, as for slots and pieces of faces. */
void oak_edges_place_recv(build_t *b, const part_t *p, int place, int peer);
/** The tasks for edges that leave in round 1 and 2. */
void oak_edges_place_send1(build_t *b, const part_t *p, int place);
void oak_edges_place_send2(build_t *b, const part_t *p, int place);
/** Note the peers whose memory is read for the edges of this rank's blocks. */
void oak_edges_contacts(const build_t *b, unsigned char *contact);
