/* SPDX-License-Identifier: GPL-2.0-or-later
 * From the neighbours of all blocks to the face table, the lists of work and the messages. Runs on
 * the host, once per mesh revision: what goes where is counted first, so that all tables fit one
 * piece of memory and one upload.
 *
 * Both ends of a message list its parts in the same order without talking to each other: by kind,
 * face of the receiving block, number of the receiving block on its rank, position of the fine
 * block (paper, "Ghost cell exchange"). */
#include <stdlib.h>
#include <string.h>

#include "halo/halo.h"
#include "mesh/tree.h"

enum { PART_SLOT, PART_PIECE };

/* A part of a message, seen from either end. */
typedef struct {
  int rank; /* the other end */
  int kind;
  int face, block, sub; /* of the receiving block, on the receiving rank */
  int mine;             /* the block at this end */
} part_t;

typedef struct {
  int count, room;
  part_t *part;
} parts_t;

/* Numbers of what the faces of this rank's blocks need, in the order of blocks and faces. */
typedef struct {
  int slot;         /* ghost cells made on this rank */
  int make1, make2; /* tasks that make them */
  int bflux;        /* faces at refinement boundaries */
  int coarse[3];    /* of these, the coarse side of each direction */
  int piece[3];     /* averages for them that are made on this rank */
} tally_t;

typedef struct {
  oak_halo_t *halo;
  const oak_mesh_t *mesh;
  const oak_tree_t *tree;
  int faces, half;     /* of a block; fine blocks at a coarse face */
  int64_t slot, piece; /* reals */
  int64_t flux_piece;  /* reals */
  int64_t direct[6];   /* from the start of a block to the layers that stand in for ghost cells */
  int64_t block_reals;
  int64_t first_slot; /* reals before the local slots */
  int first_piece[3]; /* averages before the local ones of a direction */
  parts_t send1, recv1, send2, recv2, send_flux, recv_flux;
  tally_t total;
} build_t;

static int compare_parts(const void *a, const void *b) {
  const part_t *p = a, *q = b;
  if (p->rank != q->rank) return p->rank < q->rank ? -1 : 1;
  if (p->kind != q->kind) return p->kind < q->kind ? -1 : 1;
  if (p->face != q->face) return p->face < q->face ? -1 : 1;
  if (p->block != q->block) return p->block < q->block ? -1 : 1;
  return p->sub < q->sub ? -1 : p->sub > q->sub;
}

static oak_status_t add_part(parts_t *list, part_t part) {
  if (list->count == list->room) {
    const int room = 2 * list->room + 64;
    part_t *grown = realloc(list->part, room * sizeof *grown);
    OAK_CHECK(grown, OAK_ERR_MEMORY, "out of memory for a list of %d faces", room);
    list->part = grown;
    list->room = room;
  }
  list->part[list->count++] = part;
  return OAK_OK;
}

static int64_t ipow(int64_t base, int n) {
  int64_t p = 1;
  while (n-- > 0) p *= base;
  return p;
}

static oak_face_t *face_of(const build_t *b, int block, int face) {
  return (oak_face_t *)b->halo->face.host + (size_t)block * b->faces + face;
}

/* ---- faces with blocks of other ranks beyond */

/* Parts of messages that a face takes part in; what is local is placed later. */
static oak_status_t scan_face(build_t *b, int block, int face) {
  const int me = b->mesh->rank;
  const oak_neighbour_t n = oak_tree_neighbour(b->tree, block, face);
  const int remote =
      n.kind != OAK_NEIGHBOUR_BOUNDARY && n.kind != OAK_NEIGHBOUR_FINER && n.rank[0] != me;
  const part_t here = {n.rank[0], PART_SLOT, face, block, 0, block};
  const part_t there = {n.rank[0], PART_SLOT, face ^ 1, n.block[0], n.sub, block};
  part_t part;
  switch (n.kind) {
    case OAK_NEIGHBOUR_SAME:
      if (!remote) break;
      OAK_TRY(add_part(&b->recv1, here));
      return add_part(&b->send1, there);
    case OAK_NEIGHBOUR_COARSER:
      if (!remote) break;
      part = there;
      part.kind = PART_PIECE;
      OAK_TRY(add_part(&b->recv2, here));
      OAK_TRY(add_part(&b->send1, part));
      return add_part(&b->send_flux, part);
    case OAK_NEIGHBOUR_FINER:
      for (int h = 0; h < b->half; h++) {
        if (n.rank[h] == me) continue;
        part = (part_t){n.rank[h], PART_PIECE, face, block, h, block};
        OAK_TRY(add_part(&b->recv1, part));
        OAK_TRY(add_part(&b->recv_flux, part));
        /* Face and block tell fine blocks apart, so it does not matter that only this end knows
         * `sub`. */
        OAK_TRY(
            add_part(&b->send2, (part_t){n.rank[h], PART_SLOT, face ^ 1, n.block[h], h, block}));
      }
      break;
    case OAK_NEIGHBOUR_BOUNDARY:
      break;
  }
  return OAK_OK;
}

static oak_status_t scan_faces(build_t *b) {
  parts_t *parts[] = {&b->send1, &b->recv1, &b->send2, &b->recv2, &b->send_flux, &b->recv_flux};
  if (b->mesh->size == 1) return OAK_OK;
  for (int n = 0; n < b->mesh->nblock; n++)
    for (unsigned faces = b->tree->other[n]; faces; faces &= faces - 1)
      OAK_TRY(scan_face(b, n, __builtin_ctz(faces)));
  for (int i = 0; i < 6; i++)
    if (parts[i]->count) qsort(parts[i]->part, parts[i]->count, sizeof(part_t), compare_parts);
  return OAK_OK;
}

static int64_t reals_of(const build_t *b, const parts_t *parts) {
  int64_t sum = 0;
  for (int i = 0; i < parts->count; i++)
    sum += parts->part[i].kind == PART_SLOT ? b->slot : b->piece;
  return sum;
}

/* Turn sorted parts into messages, giving each part its offset from `*at` on; calls `place` for
 * each. */
static oak_status_t make_messages(build_t *b, const parts_t *parts, oak_message_t **out, int *nout,
                                  int64_t *at,
                                  void (*place)(build_t *, const part_t *, int64_t offset)) {
  const part_t *p = parts->part;
  int ranks = 0;
  for (int i = 0; i < parts->count; i++) ranks += i == 0 || p[i].rank != p[i - 1].rank;
  *nout = ranks;
  *out = calloc(ranks + 1, sizeof **out);
  OAK_CHECK(*out, OAK_ERR_MEMORY, "out of memory for a list of %d messages", ranks);
  oak_message_t *m = *out - 1;
  for (int i = 0; i < parts->count; i++) {
    if (i == 0 || p[i].rank != p[i - 1].rank) *++m = (oak_message_t){p[i].rank, *at, 0};
    const int64_t size = p[i].kind == PART_SLOT ? b->slot : b->piece;
    place(b, &p[i], *at);
    *at += size;
    m->count += size;
  }
  return OAK_OK;
}

static void add_task(oak_list_t *list, oak_halo_task_t task) {
  ((oak_halo_task_t *)list->host)[list->count++] = task;
}

/* Received parts: slots are used where they arrive, pieces are unpacked into a local slot. */
static void place_recv(build_t *b, const part_t *p, int64_t offset) {
  oak_face_t *face = face_of(b, p->block, p->face);
  if (p->kind == PART_PIECE) {
    add_task(&b->halo->unpack, (oak_halo_task_t){.src = offset,
                                                 .dst = face->offset,
                                                 .block = p->block,
                                                 .face = p->face,
                                                 .sub = p->sub,
                                                 .kind = OAK_HALO_UNPACK});
  } else {
    face->kind = OAK_SLOT;
    face->offset = offset;
  }
}

static oak_halo_task_t send_task(const part_t *p, int64_t offset, int kind) {
  return (oak_halo_task_t){
      .dst = offset, .block = p->mine, .face = p->face, .sub = p->sub, .kind = kind};
}

static void place_send1(build_t *b, const part_t *p, int64_t offset) {
  const int kind = p->kind == PART_SLOT ? OAK_HALO_COPY : OAK_HALO_PACK;
  add_task(&b->halo->make1, send_task(p, offset, kind));
}

static void place_send2(build_t *b, const part_t *p, int64_t offset) {
  add_task(&b->halo->make2, send_task(p, offset, OAK_HALO_PROLONG));
}

static int compare_coarse(const void *a, const void *b) {
  const oak_coarse_face_t *p = a, *q = b;
  if (p->block != q->block) return p->block < q->block ? -1 : 1;
  return p->face < q->face ? -1 : p->face > q->face;
}

static void place_flux_recv(build_t *b, const part_t *p, int64_t offset) {
  const oak_list_t *list = &b->halo->coarse[p->face / 2];
  oak_coarse_face_t *c = bsearch(&(oak_coarse_face_t){.block = p->block, .face = p->face},
                                 list->host, list->count, list->size, compare_coarse);
  c->piece[p->sub] = (int)(offset / b->flux_piece);
}

static void place_flux_send(build_t *b, const part_t *p, int64_t offset) {
  oak_list_t *list = &b->halo->fine;
  ((oak_fine_face_t *)list->host)[list->count++] = (oak_fine_face_t){
      .bflux = face_of(b, p->mine, p->face ^ 1)->bflux, .piece = (int)(offset / b->flux_piece)};
}

/* ---- faces whose ghost cells are on this rank */

static int local_children(const build_t *b, const oak_node_t *node, int face) {
  int sum = 0;
  for (int h = 0; h < b->half; h++)
    sum += node->child[oak_tree_face_child(face / 2, !(face & 1), h)] < b->tree->nblock;
  return sum;
}

static void count_face(const build_t *b, int block, int face, tally_t *n) {
  const int link = b->tree->face[block][face];
  const oak_node_t *finer = oak_tree_node(b->tree, link);
  if (finer) {
    const int local = local_children(b, finer, face);
    n->slot++;
    n->make1 += local;
    n->bflux++;
    n->coarse[face / 2]++;
    n->piece[face / 2] += local;
  } else if (link < 0) {
    n->slot++;
    n->make1++;
  } else if (b->tree->leaf[link].level != b->tree->leaf[block].level) {
    n->bflux++;
    n->slot += link < b->tree->nblock;
    n->make2 += link < b->tree->nblock;
  }
}

/* A slot for averages of finer blocks, and their part in flux fixing. */
static void place_finer(const build_t *b, const oak_node_t *finer, oak_halo_task_t task, int bflux,
                        tally_t *at) {
  const int axis = task.face / 2;
  oak_halo_task_t *make1 = b->halo->make1.host;
  oak_coarse_face_t coarse = {.block = task.block, .face = task.face, .bflux = bflux};
  task.kind = OAK_HALO_RESTRICT;
  for (task.sub = 0; task.sub < b->half; task.sub++) {
    task.block = finer->child[oak_tree_face_child(axis, !(task.face & 1), task.sub)];
    if (task.block >= b->tree->nblock) continue;
    make1[at->make1++] = task;
    coarse.piece[task.sub] = b->first_piece[axis] + at->piece[axis]++;
  }
  ((oak_coarse_face_t *)b->halo->coarse[axis].host)[at->coarse[axis]++] = coarse;
}

/* Faces that do not lead to a block of this rank and the same level. Those to other ranks get their
 * slots with the messages. */
static oak_face_t place_face(const build_t *b, int block, int face, tally_t *at) {
  const oak_tree_t *t = b->tree;
  const int link = t->face[block][face];
  const oak_node_t *finer = oak_tree_node(t, link);
  const int differs = finer || (link >= 0 && t->leaf[link].level != t->leaf[block].level);
  oak_face_t out = {.kind = OAK_DIRECT, .bflux = differs ? at->bflux++ : -1};
  if (link >= t->nblock) return out;
  out.kind = OAK_SLOT;
  out.offset = b->first_slot + at->slot++ * b->slot;
  oak_halo_task_t task = {
      .dst = out.offset, .block = block, .face = face, .kind = OAK_HALO_BOUNDARY};
  if (finer) {
    place_finer(b, finer, task, out.bflux, at);
  } else if (link >= 0) {
    task.kind = OAK_HALO_PROLONG;
    task.block = link;
    task.sub = oak_tree_face_position(face / 2, t->leaf[block].number);
    ((oak_halo_task_t *)b->halo->make2.host)[at->make2++] = task;
  } else {
    ((oak_halo_task_t *)b->halo->make1.host)[at->make1++] = task;
  }
  return out;
}

static void count_faces(build_t *b) {
  for (int n = 0; n < b->tree->nblock; n++)
    for (unsigned faces = b->tree->other[n]; faces; faces &= faces - 1)
      count_face(b, n, __builtin_ctz(faces), &b->total);
}

/* Most faces lead to a block of this rank and the same level. */
static void place_faces(build_t *b) {
  oak_face_t *out = b->halo->face.host;
  tally_t at = {0};
  for (int n = 0; n < b->tree->nblock; n++, out += b->faces) {
    const int *link = b->tree->face[n];
    for (int f = 0; f < b->faces; f++)
      out[f] = (oak_face_t){link[f] * b->block_reals + b->direct[f], OAK_DIRECT, -1};
    for (unsigned faces = b->tree->other[n]; faces; faces &= faces - 1) {
      const int f = __builtin_ctz(faces);
      out[f] = place_face(b, n, f, &at);
    }
  }
}

/* Averages that stay on this rank. */
static void place_averages(build_t *b) {
  oak_halo_t *h = b->halo;
  oak_fine_face_t *fine = h->fine.host;
  for (int d = 0; d < b->mesh->dim; d++) {
    const oak_coarse_face_t *c = h->coarse[d].host, *end = c + h->coarse[d].count;
    for (; c < end; c++) {
      const oak_node_t *finer = oak_tree_node(b->tree, b->tree->face[c->block][c->face]);
      for (int s = 0; s < b->half; s++) {
        const int block = finer->child[oak_tree_face_child(d, !(c->face & 1), s)];
        if (block < b->tree->nblock)
          fine[h->fine.count++] = (oak_fine_face_t){.bflux = face_of(b, block, c->face ^ 1)->bflux,
                                                    .piece = c->piece[s]};
      }
    }
  }
}

/* ---- tables */

/* Grow with room to spare, shrink when far too large; contents are not kept. */
static oak_status_t fit(oak_halo_t *h, void **buffer, int64_t *capacity, int64_t count, int size) {
  if (count <= *capacity && count >= *capacity / 2) return OAK_OK;
  const int64_t wanted = *capacity == 0 || count == 0 ? count : count + count / 16;
  oak_device_free(h->dev, *buffer);
  *buffer = NULL;
  *capacity = 0;
  OAK_TRY(oak_device_alloc(h->dev, (size_t)wanted * size, buffer));
  *capacity = wanted;
  return OAK_OK;
}

/* Give each list its place in the memory of all tables; a list's count then tells what is in it. */
static oak_status_t lay_out(build_t *b) {
  oak_halo_t *h = b->halo;
  const tally_t *n = &b->total;
  const int64_t faces = (int64_t)b->mesh->nblock * b->faces;
  int pieces = 0, averages = 0;
  for (int i = 0; i < b->recv1.count; i++) pieces += b->recv1.part[i].kind == PART_PIECE;
  for (int d = 0; d < 3; d++) averages += n->piece[d];
  struct {
    oak_list_t *list;
    int64_t room;
  } part[] = {{&h->face, faces},
              {&h->make1, n->make1 + b->send1.count},
              {&h->make2, n->make2 + b->send2.count},
              {&h->unpack, pieces},
              {&h->coarse[0], n->coarse[0]},
              {&h->coarse[1], n->coarse[1]},
              {&h->coarse[2], n->coarse[2]},
              {&h->fine, averages + b->send_flux.count}};
  enum { PARTS = sizeof part / sizeof *part };
  int64_t bytes = 0;
  for (int i = 0; i < PARTS; i++) bytes += part[i].room * (int64_t)part[i].list->size;
  const int64_t before = h->table_capacity;
  OAK_TRY(fit(h, &h->table, &h->table_capacity, bytes, 1));
  if (oak_device_ops(h->dev)->host_memory) {
    h->table_host = h->table;
  } else if (h->table_capacity != before || !h->table_host) {
    free(h->table_host);
    h->table_host = malloc(h->table_capacity + 1);
    OAK_CHECK(h->table_host, OAK_ERR_MEMORY, "out of memory for the faces of %d blocks",
              b->mesh->nblock);
  }
  h->table_bytes = bytes;
  bytes = 0;
  for (int i = 0; i < PARTS; i++) {
    part[i].list->host = (char *)h->table_host + bytes;
    part[i].list->device = (char *)h->table + bytes;
    part[i].list->count = 0;
    bytes += part[i].room * (int64_t)part[i].list->size;
  }
  return OAK_OK;
}

/* ---- all of it */

static void start(build_t *b) {
  oak_halo_t *h = b->halo;
  const int64_t area = ipow(h->block_size, h->dim - 1);
  oak_messages_clear(&h->round1);
  oak_messages_clear(&h->round2);
  oak_messages_clear(&h->flux_messages);
  b->tree = b->mesh->tree;
  b->faces = 2 * h->dim;
  b->half = 1 << (h->dim - 1);
  b->slot = h->nvar * h->layers * area;
  b->flux_piece = h->nvar * ipow(h->block_size / 2, h->dim - 1);
  b->piece = h->layers * b->flux_piece;
  b->block_reals = h->nvar * h->block_size * area;
  for (int f = 1; f < b->faces; f++) b->direct[f] = 0;
  for (int f = 0; f < b->faces; f += 2)
    b->direct[f] = (h->block_size - h->layers) * ipow(h->block_size, f / 2);
}

static oak_status_t build_ghosts(build_t *b) {
  oak_halo_t *h = b->halo;
  int64_t at = 0;
  b->first_slot = reals_of(b, &b->recv1) + reals_of(b, &b->recv2);
  b->first_piece[0] = b->recv_flux.count + b->send_flux.count;
  for (int d = 1; d < 3; d++) b->first_piece[d] = b->first_piece[d - 1] + b->total.piece[d - 1];
  place_faces(b);
  h->make1.count = b->total.make1;
  h->make2.count = b->total.make2;
  for (int d = 0; d < 3; d++) h->coarse[d].count = b->total.coarse[d];
  h->face.count = b->mesh->nblock * b->faces;
  OAK_TRY(make_messages(b, &b->recv1, &h->round1.recv, &h->round1.nrecv, &at, place_recv));
  OAK_TRY(make_messages(b, &b->recv2, &h->round2.recv, &h->round2.nrecv, &at, place_recv));
  at += b->total.slot * b->slot;
  OAK_TRY(make_messages(b, &b->send1, &h->round1.send, &h->round1.nsend, &at, place_send1));
  OAK_TRY(make_messages(b, &b->send2, &h->round2.send, &h->round2.nsend, &at, place_send2));
  h->nslot = at / b->slot;
  h->buffer_reals = at;
  return OAK_OK;
}

static oak_status_t build_fluxfix(build_t *b) {
  oak_halo_t *h = b->halo;
  int64_t at = 0;
  b->piece = b->flux_piece;
  OAK_TRY(make_messages(b, &b->recv_flux, &h->flux_messages.recv, &h->flux_messages.nrecv, &at,
                        place_flux_recv));
  OAK_TRY(make_messages(b, &b->send_flux, &h->flux_messages.send, &h->flux_messages.nsend, &at,
                        place_flux_send));
  place_averages(b);
  h->nbflux = b->total.bflux;
  h->npiece = b->first_piece[2] + b->total.piece[2];
  return OAK_OK;
}

static oak_status_t finish(build_t *b) {
  oak_halo_t *h = b->halo;
  const int64_t area = ipow(h->block_size, h->dim - 1);
  const int size = h->real_size;
  OAK_TRY(oak_messages_prepare(&h->round1, h->dev, size));
  OAK_TRY(oak_messages_prepare(&h->round2, h->dev, size));
  OAK_TRY(oak_messages_prepare(&h->flux_messages, h->dev, size));
  OAK_TRY(fit(h, &h->buffer, &h->buffer_capacity, h->buffer_reals, size));
  OAK_TRY(fit(h, &h->bflux, &h->bflux_capacity, h->nbflux * h->nvar * area, size));
  OAK_TRY(fit(h, &h->piece, &h->piece_capacity, h->npiece * b->flux_piece, size));
  if (h->table_bytes == 0 || oak_device_ops(h->dev)->host_memory) return OAK_OK;
  return oak_device_upload(h->dev, h->table, h->table_host, h->table_bytes);
}

oak_status_t oak_halo_update_pattern(oak_halo_t *halo, const oak_mesh_t *mesh) {
  if (halo->revision == mesh->revision) return OAK_OK;
  build_t b = {.halo = halo, .mesh = mesh};
  halo->revision = -1;
  OAK_TRY(oak_tree_update(mesh));
  start(&b);
  oak_status_t st = scan_faces(&b);
  count_faces(&b);
  if (st == OAK_OK) st = lay_out(&b);
  if (st == OAK_OK) st = build_ghosts(&b);
  if (st == OAK_OK) st = build_fluxfix(&b);
  if (st == OAK_OK) st = finish(&b);
  st = oak_agree(mesh->comm, st);
  if (st == OAK_OK) halo->revision = mesh->revision;
  parts_t *parts[] = {&b.send1, &b.recv1, &b.send2, &b.recv2, &b.send_flux, &b.recv_flux};
  for (int i = 0; i < 6; i++) free(parts[i]->part);
  return st;
}
