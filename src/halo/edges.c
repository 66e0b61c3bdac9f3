/* SPDX-License-Identifier: GPL-2.0-or-later
 * Ghost cells beyond edges (2D: corners), one layer in each direction, for patterns that have them.
 * They travel in the messages of the faces, in the same two rounds. Each edge comes straight from
 * what lies beyond it: the cells of a block of the same level, read in place or sent in round 1;
 * averages of finer blocks, in round 1; interpolation in a coarser block, in round 2; beyond a pole
 * a copy with the signs of vectors, in round 1. Beyond the
 * physical boundary it follows from ghost cells of the block itself, after both rounds.
 *
 * An edge takes one piece of a halo buffer. */
#include "halo/pattern_build.h"

static oak_face_t *edge_of(const build_t *b, int block, int edge) {
  return (oak_face_t *)b->pattern->edge.host + (size_t)block * b->pattern->edges + edge;
}

/* Fine blocks at a coarse edge. */
static int finer(const build_t *b) { return b->pattern->dim - 1; }

/* ---- messages */

/* Edges of finer blocks on another rank, in the middle of a face of the coarse block `block`. What
 * lies beyond such an edge is the coarse block, so this rank sends it. */
static oak_status_t scan_inside_face(build_t *b, int block, int face) {
  const oak_neighbour_t n = oak_neighbours_face(b->tree, block, face);
  if (n.kind != OAK_NEIGHBOUR_FINER) return OAK_OK;
  for (int h = 0; h < b->half; h++) {
    const int fine = oak_family_face_child(face / 2, !(face & 1), h);
    if (n.rank[h] == b->mesh->rank) continue;
    for (int edge = 0; edge < b->pattern->edges; edge++) {
      const oak_edge_t e = oak_edge_axes(edge);
      const int across = e.axis[1] == face / 2, other = e.axis[!across];
      if (e.axis[across] != face / 2 || e.upper[across] == (face & 1)) continue;
      if (e.upper[!across] == (fine >> other & 1)) continue; /* at the rim of the face */
      const int sub = fine ^ (1 << e.axis[0] | 1 << e.axis[1]);
      OAK_TRY(
          oak_build_part(&b->send2, (part_t){n.rank[h], PART_EDGE, edge, n.block[h], sub, block}));
    }
  }
  return OAK_OK;
}

static oak_status_t scan_finer(build_t *b, int block, int edge, const oak_neighbour_t *n) {
  const oak_edge_t e = oak_edge_axes(edge);
  for (int h = 0; h < finer(b); h++) {
    /* `fine`: which child lies beyond the edge. `sub`: the half of this block along each axis that
     * touches that child. */
    const int fine = !e.upper[0] << e.axis[0] | !e.upper[1] << e.axis[1] | h << e.along;
    const int sub = fine ^ (1 << e.axis[0] | 1 << e.axis[1]);
    if (n->rank[h] == b->mesh->rank) continue;
    if (by_message(b, n->rank[h]))
      OAK_TRY(
          oak_build_part(&b->recv1, (part_t){n->rank[h], PART_EDGE_PIECE, edge, block, h, block}));
    OAK_TRY(oak_build_part(&b->send2,
                           (part_t){n->rank[h], PART_EDGE, edge ^ 3, n->block[h], sub, block}));
  }
  return OAK_OK;
}

static oak_status_t scan_edge(build_t *b, int block, int edge) {
  const oak_neighbour_t n = oak_neighbours_edge(b->tree, block, edge);
  if (n.kind == OAK_NEIGHBOUR_BOUNDARY) return OAK_OK;
  if (n.kind == OAK_NEIGHBOUR_FINER) return scan_finer(b, block, edge, &n);
  if (n.rank[0] == b->mesh->rank) return OAK_OK;
  const int message = by_message(b, n.rank[0]), along = oak_edge_axes(edge).along;
  const int pole = n.kind == OAK_NEIGHBOUR_OPPOSITE;
  const int kind = pole ? PART_EDGE_OPPOSITE : PART_EDGE;
  const int back = edge ^ (pole ? 1 << oak_neighbours_edge_is_pole(b->tree, block, edge) ^ 3 : 3);
  const part_t here = {n.rank[0], kind, edge, block, 0, block};
  part_t there = {n.rank[0], kind, back, n.block[0], 0, block};
  if (n.kind == OAK_NEIGHBOUR_SAME || pole) {
    if (!message) return OAK_OK;
    OAK_TRY(oak_build_part(&b->recv1, here));
    return oak_build_part(&b->send1, there);
  }
  OAK_TRY(oak_build_part(&b->recv2, here));
  if (!message || !oak_neighbours_edge_is_outer(b->tree, block, edge)) return OAK_OK;
  there.kind = PART_EDGE_PIECE;
  there.sub = b->tree->leaf[block].number >> along & 1;
  return oak_build_part(&b->send1, there);
}

oak_status_t oak_edges_scan(build_t *b, int block) {
  for (int edge = 0; edge < b->pattern->edges; edge++) OAK_TRY(scan_edge(b, block, edge));
  for (int face = 0; face < b->faces; face++) OAK_TRY(scan_inside_face(b, block, face));
  return OAK_OK;
}

void oak_edges_place_recv(build_t *b, const part_t *p, int place, int peer) {
  oak_face_t *edge = edge_of(b, p->block, p->face);
  if (p->kind == PART_EDGE_PIECE) {
    add_task(&b->pattern->unpack, task_of(p, edge->place, place, OAK_HALO_EDGE_UNPACK));
  } else {
    edge->base = peer < 0 ? OAK_BASE_HALO : OAK_BASE_PEERS + 2 * peer + 1;
    edge->place = place;
  }
}

void oak_edges_place_send1(build_t *b, const part_t *p, int place) {
  const int kind = p->kind == PART_EDGE         ? OAK_HALO_EDGE_COPY
                   : p->kind == PART_EDGE_PIECE ? OAK_HALO_EDGE_PACK
                                                : OAK_HALO_EDGE_OPPOSITE;
  add_task(&b->pattern->make1, task_of(p, place, p->mine, kind));
}

void oak_edges_place_send2(build_t *b, const part_t *p, int place) {
  add_task(round2_list(b, p->mine), task_of(p, place, p->mine, OAK_HALO_EDGE_PROLONG));
}

/* ---- edges that are made on this rank */

void oak_edges_count(build_t *b, int block) {
  counts_t *n = &b->total;
  for (int edge = 0; edge < b->pattern->edges; edge++) {
    const oak_neighbour_t next = oak_neighbours_edge(b->tree, block, edge);
    const int mine = next.rank[0] == b->mesh->rank;
    switch (next.kind) {
      case OAK_NEIGHBOUR_FINER:
        n->edge++;
        for (int h = 0; h < finer(b); h++) n->make1 += !by_message(b, next.rank[h]);
        break;
      case OAK_NEIGHBOUR_BOUNDARY:
        n->edge++;
        n->last++;
        break;
      case OAK_NEIGHBOUR_COARSER:
        n->edge += mine;
        n->late2 += mine && b->gets[next.block[0]] & GETS_ROUND1;
        n->make2 += mine && !(b->gets[next.block[0]] & GETS_ROUND1);
        break;
      case OAK_NEIGHBOUR_OPPOSITE:
        n->edge += !by_message(b, next.rank[0]);
        n->make1 += !by_message(b, next.rank[0]);
        break;
      case OAK_NEIGHBOUR_SAME:
        break;
    }
  }
}

/* Tasks for an edge whose ghost cells go to piece `task.dst`. */
static void place_made(build_t *b, const oak_neighbour_t *n, oak_halo_task_t task) {
  const oak_edge_t e = oak_edge_axes(task.face);
  if (n->kind == OAK_NEIGHBOUR_BOUNDARY) {
    /* If both faces of an edge are at the boundary of the domain, the ghost cells of the first face
     * are mirrored at the second. */
    const int face = 2 * e.axis[1] + e.upper[1];
    task.sub = oak_neighbours_face(b->tree, task.source, face).kind == OAK_NEIGHBOUR_BOUNDARY;
    task.kind = OAK_HALO_EDGE_BOUNDARY;
    add_task(&b->pattern->last, task);
  } else if (n->kind == OAK_NEIGHBOUR_COARSER) {
    task.kind = OAK_HALO_EDGE_PROLONG;
    task.source = n->block[0];
    task.sub = n->sub;
    add_task(round2_list(b, task.source), task);
  } else if (n->kind == OAK_NEIGHBOUR_OPPOSITE) {
    task.kind = OAK_HALO_EDGE_OPPOSITE;
    task.base = state_base(b, n->rank[0]);
    task.source = n->block[0];
    add_task(&b->pattern->make1, task);
  } else {
    task.kind = OAK_HALO_EDGE_RESTRICT;
    for (task.sub = 0; task.sub < finer(b); task.sub++) {
      if (by_message(b, n->rank[task.sub])) continue;
      task.base = state_base(b, n->rank[task.sub]);
      task.source = n->block[task.sub];
      add_task(&b->pattern->make1, task);
    }
  }
}

void oak_edges_place(build_t *b) {
  const int edges = b->pattern->edges;
  int piece = b->first_edge;
  b->pattern->edge.count = b->mesh->nblock * edges;
  for (int block = 0; block < b->mesh->nblock; block++)
    for (int edge = 0; edge < edges; edge++) {
      const oak_neighbour_t n = oak_neighbours_edge(b->tree, block, edge);
      oak_face_t *out = edge_of(b, block, edge);
      *out = (oak_face_t){OAK_BASE_HALO, 0, -1, oak_build_kind(n.kind)};
      if (n.kind == OAK_NEIGHBOUR_SAME) {
        out->base = state_base(b, n.rank[0]);
        out->place = n.block[0];
      } else if (n.kind == OAK_NEIGHBOUR_COARSER    ? n.rank[0] == b->mesh->rank
                 : n.kind == OAK_NEIGHBOUR_OPPOSITE ? !by_message(b, n.rank[0])
                                                    : 1) {
        out->place = piece++;
        place_made(
            b, &n,
            (oak_halo_task_t){.dst = out->place, .source = block, .face = edge, .block = block});
      }
    }
}

void oak_edges_contacts(const build_t *b, unsigned char *contact) {
  for (int block = 0; block < b->mesh->nblock; block++)
    for (int edge = 0; edge < b->pattern->edges; edge++) {
      const oak_neighbour_t n = oak_neighbours_edge(b->tree, block, edge);
      if (n.kind == OAK_NEIGHBOUR_BOUNDARY) continue;
      for (int h = 0; h < (n.kind == OAK_NEIGHBOUR_FINER ? finer(b) : 1); h++)
        if (peer_of(b, n.rank[h]) >= 0) contact[peer_of(b, n.rank[h])] = 1;
    }
}
