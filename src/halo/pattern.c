/* SPDX-License-Identifier: GPL-2.0-or-later
 * Turns the neighbours of all blocks into the face table, the lists of work and the messages. It
 * runs on the host, once per mesh revision. All entries are counted first, so that all tables fit
 * into one piece of memory and one upload.
 *
 * The parts of a message have the same order on both ends (parts.c). The data that a peer reads in
 * place has this order too, so the peer must only be told where it begins. */
#include "halo/pattern.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/await.h"
#include "halo/pattern_build.h"

static oak_face_t *face_of(const build_t *b, int block, int face) {
  return (oak_face_t *)b->pattern->face.host + (size_t)block * b->faces + face;
}

/* ---- faces with blocks of other ranks beyond */

static oak_status_t scan_finer(build_t *b, int block, int face, const oak_neighbour_t *n) {
  for (int h = 0; h < b->half; h++) {
    const part_t piece = {n->rank[h], PART_PIECE, face, block, h, block};
    if (n->rank[h] == b->mesh->rank) continue;
    if (by_message(b, n->rank[h])) {
      OAK_TRY(oak_build_part(&b->recv1, piece));
      b->gets[block] |= GETS_ROUND1;
    }
    OAK_TRY(oak_build_part(&b->recv_flux, piece));
    /* Only this end knows `sub`. The order does not need it, because face and block already tell
     * the fine blocks apart. */
    OAK_TRY(oak_build_part(&b->send2,
                           (part_t){n->rank[h], PART_SLOT, face ^ 1, n->block[h], h, block}));
  }
  return OAK_OK;
}

/* Add the parts of messages that belong to a face. Local slots get their places later. */
static oak_status_t scan_face(build_t *b, int block, int face) {
  const oak_neighbour_t n = oak_neighbours_face(b->tree, block, face);
  if (n.kind == OAK_NEIGHBOUR_BOUNDARY) return OAK_OK;
  if (n.kind == OAK_NEIGHBOUR_FINER) return scan_finer(b, block, face, &n);
  if (n.rank[0] == b->mesh->rank) return OAK_OK;
  const int message = by_message(b, n.rank[0]), pole = n.kind == OAK_NEIGHBOUR_OPPOSITE;
  const int kind = pole ? PART_OPPOSITE : PART_SLOT;
  const part_t here = {n.rank[0], kind, face, block, 0, block};
  const part_t there = {n.rank[0], kind, pole ? face : face ^ 1, n.block[0], n.sub, block};
  if (n.kind == OAK_NEIGHBOUR_SAME || pole) {
    if (!message) return OAK_OK;
    b->gets[block] |= GETS_ROUND1;
    OAK_TRY(oak_build_part(&b->recv1, here));
    return oak_build_part(&b->send1, there);
  }
  part_t piece = there;
  piece.kind = PART_PIECE;
  b->gets[block] |= GETS_LATE;
  OAK_TRY(oak_build_part(&b->recv2, here));
  if (message) OAK_TRY(oak_build_part(&b->send1, piece));
  return oak_build_part(&b->send_flux, piece);
}

static oak_status_t scan_faces(build_t *b) {
  parts_t *parts[] = {&b->send1, &b->recv1, &b->send2, &b->recv2, &b->send_flux, &b->recv_flux};
  if (b->mesh->size == 1) return OAK_OK;
  for (int n = 0; n < b->mesh->nblock; n++) {
    for (unsigned faces = oak_neighbours_others(b->tree, n); faces; faces &= faces - 1)
      OAK_TRY(scan_face(b, n, __builtin_ctz(faces)));
    if (b->pattern->edges) OAK_TRY(oak_edges_scan(b, n));
  }
  for (int i = 0; i < 6; i++) oak_build_sort(parts[i]);
  return OAK_OK;
}

/* A sorted list of parts that leave or arrive, and where their data is. */
typedef struct {
  const parts_t *parts;
  int slot;           /* pieces of a slot */
  int received, flux; /* kind of list */
  void (*place)(build_t *, const part_t *, int place, int peer);
} side_t;

/* Turn sorted parts into messages. Each part gets a place in the buffer, from `*at` on; then the
 * function `place` is called with it. Data that a peer reads in place is laid out like a message.
 * Data that is read from a peer has its place in the peer's buffer. */
static oak_status_t make_messages(build_t *b, const side_t *side, oak_message_t **out, int *nout,
                                  int64_t *at) {
  const part_t *p = side->parts->part;
  int ranks = 0, peer = -1, from = 0;
  for (int i = 0; i < side->parts->count; i++) ranks += i == 0 || p[i].rank != p[i - 1].rank;
  *nout = 0;
  OAK_TRY(OAK_NEW(*out, ranks + 1));
  for (int i = 0; i < side->parts->count; i++) {
    const int first = i == 0 || p[i].rank != p[i - 1].rank;
    const int size = p[i].kind <= PART_OPPOSITE ? side->slot : 1;
    if (first) peer = peer_of(b, p[i].rank);
    if (first && peer < 0) (*out)[(*nout)++] = (oak_message_t){p[i].rank, *at, 0};
    if (first && peer >= 0 && side->received) from = b->begin[peer][side->flux];
    if (first && peer >= 0 && !side->received) b->start[peer][side->flux] = (int)*at;
    if (peer < 0) (*out)[*nout - 1].count += size;
    if (peer >= 0 && side->received) {
      side->place(b, &p[i], from, peer);
      from += size;
    } else {
      side->place(b, &p[i], (int)*at, -1);
      *at += size;
    }
  }
  return OAK_OK;
}

/* Received parts. Kernels read a slot at the place where it arrives, or in the memory of the peer.
 * A piece is unpacked into a local slot. */
static void place_recv(build_t *b, const part_t *p, int place, int peer) {
  if (p->kind >= PART_EDGE) {
    oak_edges_place_recv(b, p, place, peer);
    return;
  }
  oak_face_t *face = face_of(b, p->block, p->face);
  if (p->kind == PART_PIECE) {
    add_task(&b->pattern->unpack, task_of(p, face->place, place, OAK_HALO_UNPACK));
  } else {
    face->base = peer < 0 ? OAK_BASE_HALO : OAK_BASE_PEERS + 2 * peer + 1;
    face->place = place;
  }
}

static void place_send1(build_t *b, const part_t *p, int place, int peer) {
  (void)peer;
  if (p->kind >= PART_EDGE) {
    oak_edges_place_send1(b, p, place);
    return;
  }
  const int kind = p->kind == PART_SLOT    ? OAK_HALO_COPY
                   : p->kind == PART_PIECE ? OAK_HALO_PACK
                                           : OAK_HALO_BOUNDARY;
  add_task(&b->pattern->make1, task_of(p, place, p->mine, kind));
}

static void place_send2(build_t *b, const part_t *p, int place, int peer) {
  (void)peer;
  if (p->kind >= PART_EDGE) {
    oak_edges_place_send2(b, p, place);
    return;
  }
  add_task(round2_list(b, p->mine), task_of(p, place, p->mine, OAK_HALO_PROLONG));
}

static int compare_coarse(const void *a, const void *b) {
  const oak_coarse_face_t *p = a, *q = b;
  if (p->block != q->block) return p->block < q->block ? -1 : 1;
  return p->face < q->face ? -1 : p->face > q->face;
}

static void place_flux_recv(build_t *b, const part_t *p, int place, int peer) {
  const oak_list_t *list = &b->pattern->flux.coarse[p->face / 2];
  oak_coarse_face_t *c = bsearch(&(oak_coarse_face_t){.block = p->block, .face = p->face},
                                 list->host, list->count, list->size, compare_coarse);
  c->piece[p->sub] = place;
  c->owner[p->sub] = peer + 1;
}

static void place_flux_send(build_t *b, const part_t *p, int place, int peer) {
  oak_list_t *list = &b->pattern->flux.fine;
  (void)peer;
  ((oak_fine_face_t *)list->host)[list->count++] =
      (oak_fine_face_t){.bflux = face_of(b, p->mine, p->face ^ 1)->bflux,
                        .piece = place,
                        .block = p->mine,
                        .dir = p->face / 2};
}

/* ---- faces whose ghost cells are made on this rank */

static void count_face(const build_t *b, int block, int face, counts_t *n) {
  const oak_neighbour_t next = oak_neighbours_face(b->tree, block, face);
  const int me = b->mesh->rank;
  int local = 0;
  switch (next.kind) {
    case OAK_NEIGHBOUR_FINER:
      for (int h = 0; h < b->half; h++) {
        local += next.rank[h] == me;
        n->make1 += !by_message(b, next.rank[h]);
      }
      n->slot++;
      n->bflux++;
      n->coarse[face / 2]++;
      n->piece[face / 2] += local;
      break;
    case OAK_NEIGHBOUR_BOUNDARY:
      n->slot++;
      n->make1++;
      break;
    case OAK_NEIGHBOUR_OPPOSITE:
      n->slot += !by_message(b, next.rank[0]);
      n->make1 += !by_message(b, next.rank[0]);
      break;
    case OAK_NEIGHBOUR_COARSER:
      n->bflux++;
      if (next.rank[0] != me) break;
      n->slot++;
      if (b->gets[next.block[0]] & GETS_ROUND1) {
        n->late2++;
        b->gets[block] |= GETS_LATE;
      } else {
        n->make2++;
      }
      break;
    case OAK_NEIGHBOUR_SAME:
      break;
  }
}

/* A slot for averages of finer blocks, and their part in flux fixing. */
static void place_finer(const build_t *b, const oak_neighbour_t *n, oak_halo_task_t task, int block,
                        int bflux, counts_t *at) {
  const int axis = task.face / 2;
  oak_list_t *list = &b->pattern->flux.coarse[axis];
  oak_coarse_face_t coarse = {.block = block, .face = task.face, .bflux = bflux};
  task.kind = OAK_HALO_RESTRICT;
  for (task.sub = 0; task.sub < b->half; task.sub++) {
    if (by_message(b, n->rank[task.sub])) continue;
    task.base = state_base(b, n->rank[task.sub]);
    task.source = n->block[task.sub];
    add_task(&b->pattern->make1, task);
    if (task.base == OAK_BASE_OWN)
      coarse.piece[task.sub] = b->first_piece[axis] + at->piece[axis]++;
  }
  ((oak_coarse_face_t *)list->host)[list->count++] = coarse;
}

/* Faces whose neighbour is not a block of this rank and the same level. Beyond a pole, ghost cells
 * are a mirror image of cells, as at a boundary, but of those of the block at phi + pi. Faces whose
 * ghost cells are received, or read from a peer's buffer, get their slots with the messages. */
static oak_face_t place_face(const build_t *b, int block, int face, counts_t *at) {
  const oak_neighbour_t n = oak_neighbours_face(b->tree, block, face);
  const int differs = n.kind == OAK_NEIGHBOUR_FINER || n.kind == OAK_NEIGHBOUR_COARSER;
  oak_face_t out = {
      .base = OAK_BASE_HALO, .bflux = differs ? at->bflux++ : -1, .kind = oak_build_kind(n.kind)};
  if (n.kind == OAK_NEIGHBOUR_SAME) {
    out.base = state_base(b, n.rank[0]);
    out.place = n.block[0];
    return out;
  }
  if (n.kind == OAK_NEIGHBOUR_COARSER && n.rank[0] != b->mesh->rank) return out;
  if (n.kind == OAK_NEIGHBOUR_OPPOSITE && by_message(b, n.rank[0])) return out;
  out.place = b->first_slot + at->slot++ * b->half;
  oak_halo_task_t task = {
      .dst = out.place, .source = block, .face = face, .kind = OAK_HALO_BOUNDARY, .block = block};
  if (n.kind == OAK_NEIGHBOUR_FINER) {
    place_finer(b, &n, task, block, out.bflux, at);
  } else if (n.kind == OAK_NEIGHBOUR_COARSER) {
    task.kind = OAK_HALO_PROLONG;
    task.source = n.block[0];
    task.sub = n.sub;
    add_task(round2_list(b, task.source), task);
  } else {
    if (n.kind == OAK_NEIGHBOUR_OPPOSITE) {
      task.base = state_base(b, n.rank[0]);
      task.source = n.block[0];
    }
    add_task(&b->pattern->make1, task);
  }
  return out;
}

static void count_faces(build_t *b) {
  for (int n = 0; n < b->mesh->nblock; n++) {
    for (unsigned faces = oak_neighbours_others(b->tree, n); faces; faces &= faces - 1)
      count_face(b, n, __builtin_ctz(faces), &b->total);
    if (b->pattern->edges) oak_edges_count(b, n);
  }
}

/* Most faces have a neighbour of this rank and the same level, so all are first set to that. */
static void place_faces(build_t *b) {
  oak_face_t *out = b->pattern->face.host;
  counts_t at = {0};
  b->pattern->face.count = b->mesh->nblock * b->faces;
  for (int n = 0; n < b->mesh->nblock; n++, out += b->faces) {
    const int *link = oak_neighbours_links(b->tree, n);
    for (int f = 0; f < b->faces; f++)
      out[f] = (oak_face_t){OAK_BASE_OWN, link[f], -1, OAK_FACE_SAME};
    for (unsigned faces = oak_neighbours_others(b->tree, n); faces; faces &= faces - 1) {
      const int f = __builtin_ctz(faces);
      out[f] = place_face(b, n, f, &at);
    }
  }
}

/* Averages that stay on this rank. */
static void place_averages(build_t *b) {
  oak_flux_pattern_t *x = &b->pattern->flux;
  oak_fine_face_t *fine = x->fine.host;
  for (int d = 0; d < b->mesh->dim; d++) {
    const oak_coarse_face_t *c = x->coarse[d].host, *end = c + x->coarse[d].count;
    for (; c < end; c++) {
      const oak_neighbour_t n = oak_neighbours_face(b->tree, c->block, c->face);
      for (int s = 0; s < b->half; s++)
        if (n.rank[s] == b->mesh->rank)
          fine[x->fine.count++] =
              (oak_fine_face_t){.bflux = face_of(b, n.block[s], c->face ^ 1)->bflux,
                                .piece = c->piece[s],
                                .block = n.block[s],
                                .dir = d};
    }
  }
}

/* Find the blocks that kernels may work on while messages are under way. */
static void list_blocks(build_t *b) {
  oak_list_t *inner = &b->pattern->inner, *outer = &b->pattern->outer;
  for (int n = 0; n < b->mesh->nblock && inner->host; n++) {
    oak_list_t *list = b->gets[n] ? outer : inner;
    ((int *)list->host)[list->count++] = n;
  }
}

/* Find the peers whose memory this rank reads, and those who read its memory: both wait for each
 * other. */
static void find_contacts(build_t *b) {
  unsigned char *contact = b->pattern->contact;
  memset(contact, 0, b->peers->count);
  for (int n = 0; n < b->mesh->nblock && b->peers->count > 1; n++)
    for (unsigned faces = oak_neighbours_others(b->tree, n); faces; faces &= faces - 1) {
      const oak_neighbour_t next = oak_neighbours_face(b->tree, n, __builtin_ctz(faces));
      if (next.kind == OAK_NEIGHBOUR_BOUNDARY) continue;
      for (int h = 0; h < (next.kind == OAK_NEIGHBOUR_FINER ? b->half : 1); h++)
        if (peer_of(b, next.rank[h]) >= 0) contact[peer_of(b, next.rank[h])] = 1;
    }
  if (b->pattern->edges && b->peers->count > 1) oak_edges_contacts(b, contact);
}

/* ---- tables */

/* Give each list its place in the memory of all tables. Its count then starts at 0 and grows as the
 * list is filled. */
static oak_status_t lay_out(build_t *b, const oak_transport_t *t) {
  oak_pattern_t *p = b->pattern;
  const counts_t *n = &b->total;
  const int64_t blocks = b->mesh->nblock;
  int64_t unpack = 0, averages = 0, late = 0, outer = 0, bytes = 0;
  for (int i = 0; i < b->recv1.count; i++)
    unpack += b->recv1.part[i].kind == PART_PIECE || b->recv1.part[i].kind == PART_EDGE_PIECE;
  for (int i = 0; i < b->send2.count; i++)
    late += (b->gets[b->send2.part[i].mine] & GETS_ROUND1) != 0;
  for (int i = 0; i < blocks; i++) outer += b->gets[i] != 0;
  for (int d = 0; d < 3; d++) averages += n->piece[d];
  struct {
    oak_list_t *list;
    int64_t room;
  } part[] = {{&p->face, blocks * b->faces},
              {&p->edge, blocks * p->edges},
              {&p->make1, n->make1 + b->send1.count},
              {&p->make2, n->make2 + b->send2.count - late},
              {&p->late2, n->late2 + late},
              {&p->unpack, unpack},
              {&p->last, n->last},
              {&p->inner, t->messages ? blocks - outer : 0},
              {&p->outer, t->messages ? outer : 0},
              {&p->flux.coarse[0], n->coarse[0]},
              {&p->flux.coarse[1], n->coarse[1]},
              {&p->flux.coarse[2], n->coarse[2]},
              {&p->flux.fine, averages + b->send_flux.count}};
  enum { PARTS = sizeof part / sizeof *part };
  for (int i = 0; i < PARTS; i++) bytes += part[i].room * (int64_t)part[i].list->size;
  OAK_TRY(oak_pattern_fit_tables(p, t->dev, bytes, b->mesh->nblock));
  bytes = 0;
  for (int i = 0; i < PARTS; i++) {
    part[i].list->host = (char *)p->table_host + bytes;
    part[i].list->device = (char *)p->table + bytes;
    part[i].list->count = 0;
    bytes += part[i].room * (int64_t)part[i].list->size;
  }
  if (!t->messages) p->inner.host = p->outer.host = NULL;
  return OAK_OK;
}

/* ---- all of it */

static oak_status_t start(build_t *b, oak_transport_t *t) {
  oak_pattern_t *p = b->pattern;
  oak_route_clear(&p->round1);
  oak_route_clear(&p->round2);
  oak_route_clear(&p->flux.route);
  b->tree = b->mesh->neighbours;
  b->peers = &t->peers;
  b->faces = 2 * p->dim;
  b->half = 1 << (p->dim - 1);
  OAK_TRY(OAK_NEW(b->gets, b->mesh->nblock));
  OAK_TRY(OAK_NEW(b->start, 2 * b->peers->count));
  b->begin = b->start + b->peers->count;
  return OAK_OK;
}

static oak_status_t build_local(build_t *b, const oak_transport_t *t) {
  oak_pattern_t *p = b->pattern;
  OAK_TRY(scan_faces(b));
  count_faces(b);
  const int64_t at = oak_build_pieces(b, &b->recv1, 1) + oak_build_pieces(b, &b->recv2, 1);
  const int64_t pieces = at + (int64_t)b->total.slot * b->half + b->total.edge +
                         oak_build_pieces(b, &b->send1, 0) + oak_build_pieces(b, &b->send2, 0);
  OAK_CHECK(pieces < INT_MAX, OAK_ERR_INPUT,
            "%d blocks on a rank need %lld pieces of ghost cells, but a table can count only %d: "
            "use more ranks",
            b->mesh->nblock, (long long)pieces, INT_MAX);
  OAK_TRY(lay_out(b, t));
  b->first_slot = (int)at;
  b->first_edge = b->first_slot + b->total.slot * b->half;
  b->first_piece[0] = (int)oak_build_pieces(b, &b->recv_flux, 1) + b->send_flux.count;
  for (int d = 1; d < 3; d++) b->first_piece[d] = b->first_piece[d - 1] + b->total.piece[d - 1];
  place_faces(b);
  if (p->edges) oak_edges_place(b);
  list_blocks(b);
  find_contacts(b);
  p->pieces = pieces;
  p->flux.nbflux = b->total.bflux;
  p->flux.npiece = b->first_piece[2] + b->total.piece[2];
  return OAK_OK;
}

/* The data that leaves this rank in messages, and the data that peers will read. */
static oak_status_t build_sends(build_t *b) {
  oak_pattern_t *p = b->pattern;
  const side_t send1 = {&b->send1, b->half, 0, 0, place_send1};
  const side_t send2 = {&b->send2, b->half, 0, 0, place_send2};
  const side_t flux = {&b->send_flux, 1, 0, 1, place_flux_send};
  int64_t at = b->first_edge + b->total.edge;
  int64_t piece = oak_build_pieces(b, &b->recv_flux, 1);
  OAK_TRY(make_messages(b, &send1, &p->round1.send, &p->round1.nsend, &at));
  OAK_TRY(make_messages(b, &send2, &p->round2.send, &p->round2.nsend, &at));
  return make_messages(b, &flux, &p->flux.route.send, &p->flux.route.nsend, &piece);
}

static oak_status_t build_receives(build_t *b) {
  oak_pattern_t *p = b->pattern;
  const side_t recv1 = {&b->recv1, b->half, 1, 0, place_recv};
  const side_t recv2 = {&b->recv2, b->half, 1, 0, place_recv};
  const side_t flux = {&b->recv_flux, 1, 1, 1, place_flux_recv};
  int64_t at = 0, piece = 0;
  OAK_TRY(make_messages(b, &recv1, &p->round1.recv, &p->round1.nrecv, &at));
  OAK_TRY(make_messages(b, &recv2, &p->round2.recv, &p->round2.nrecv, &at));
  OAK_TRY(make_messages(b, &flux, &p->flux.route.recv, &p->flux.route.nrecv, &piece));
  place_averages(b);
  return OAK_OK;
}

/* Peers tell each other where the data that they read begins, and whether anyone reads anything. */
static void ask_peers(build_t *b) {
  int reads[2] = {0, 0};
  oak_pattern_t *p = b->pattern;
  if (b->peers->count == 1) return;
  for (int i = 0; i < b->recv2.count; i++) reads[0] |= peer_of(b, b->recv2.part[i].rank) >= 0;
  for (int i = 0; i < b->recv_flux.count; i++)
    reads[1] |= peer_of(b, b->recv_flux.part[i].rank) >= 0;
  for (int r = 0; r < b->peers->count; r++) memcpy(&b->start[r][2], reads, sizeof reads);
  oak_await(b->peers->host);
  MPI_Alltoall(b->start, 4, MPI_INT, b->begin, 4, MPI_INT, b->peers->host);
  p->meet2 = p->flux.meet = 0;
  for (int r = 0; r < b->peers->count; r++) {
    p->meet2 |= b->begin[r][2];
    p->flux.meet |= b->begin[r][3];
  }
}

oak_status_t oak_pattern_update(oak_pattern_t *pattern, oak_transport_t *transport,
                                const oak_mesh_t *mesh, int *changed) {
  if (changed) *changed = pattern->revision != mesh->revision;
  if (pattern->revision == mesh->revision) return OAK_OK;
  build_t b = {.pattern = pattern, .mesh = mesh};
  pattern->revision = -1;
  OAK_TRY(oak_neighbours_update(mesh));
  oak_status_t st = start(&b, transport);
  if (st == OAK_OK) st = build_local(&b, transport);
  if (st == OAK_OK) st = build_sends(&b);
  st = oak_agree(mesh->comm, st);
  if (st == OAK_OK) {
    ask_peers(&b);
    st = build_receives(&b);
    if (st == OAK_OK) st = oak_pattern_upload(pattern, transport->dev);
    st = oak_agree(mesh->comm, st);
  }
  if (st == OAK_OK) pattern->revision = mesh->revision;
  parts_t *parts[] = {&b.send1, &b.recv1, &b.send2, &b.recv2, &b.send_flux, &b.recv_flux};
  for (int i = 0; i < 6; i++) free(parts[i]->part);
  free(b.gets);
  free(b.start);
  return st;
}
