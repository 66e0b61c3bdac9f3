/* SPDX-License-Identifier: GPL-2.0-or-later
 * From the neighbours of all blocks to the face table, the lists of work and the messages. Runs on
 * the host, once per mesh revision.
 *
 * Both ends of a message list its parts in the same order without talking to each other: by kind,
 * face of the receiving block, number of the receiving block on its rank, position of the fine
 * block (paper, "Ghost cell exchange"). */
#include <stdlib.h>
#include <string.h>

#include "halo/halo.h"

enum { PART_SLOT, PART_PIECE };

/* A part of a message, seen from either end. */
typedef struct {
  int rank; /* the other end */
  int kind;
  int face, block, sub; /* of the receiving block, on the receiving rank */
  int mine;             /* the block at this end */
} part_t;

typedef struct {
  oak_halo_t *halo;
  const oak_mesh_t *mesh;
  oak_neighbour_t *neighbour;
  oak_list_t send1, recv1, send2, recv2; /* part_t */
  oak_list_t send_flux, recv_flux;
  int64_t slot, piece; /* reals */
  int *coarse_of;      /* [nblock][2 dim]: index in halo->coarse[dir] or -1 */
} build_t;

static int compare_parts(const void *a, const void *b) {
  const part_t *p = a, *q = b;
  if (p->rank != q->rank) return p->rank < q->rank ? -1 : 1;
  if (p->kind != q->kind) return p->kind < q->kind ? -1 : 1;
  if (p->face != q->face) return p->face < q->face ? -1 : 1;
  if (p->block != q->block) return p->block < q->block ? -1 : 1;
  return p->sub < q->sub ? -1 : p->sub > q->sub;
}

static void sort_parts(oak_list_t *list) {
  if (list->count) qsort(list->host, list->count, list->size, compare_parts);
}

static oak_face_t *face_of(const build_t *b, int block, int face) {
  return (oak_face_t *)b->halo->face.host + (size_t)block * 2 * b->mesh->dim + face;
}

static int64_t ipow(int64_t base, int n) {
  int64_t p = 1;
  while (n-- > 0) p *= base;
  return p;
}

/* Offset in u of the interior layers of `block` that stand in for ghost cells beyond `face` of its
 * neighbour at the same level. */
static int64_t direct_offset(const oak_halo_t *h, int block, int face) {
  const int64_t stride = ipow(h->block_size, face / 2);
  return (int64_t)block * h->nvar * ipow(h->block_size, h->dim) +
         (face & 1 ? 0 : (h->block_size - h->layers) * stride);
}

/* Sort the faces of one block into message parts; local faces are finished later. */
static oak_status_t scan_face(build_t *b, int block, int face) {
  const int me = b->mesh->rank, half = 1 << (b->mesh->dim - 1);
  const oak_neighbour_t *n = &b->neighbour[(size_t)block * 2 * b->mesh->dim + face];
  const int remote =
      n->kind != OAK_NEIGHBOUR_BOUNDARY && n->kind != OAK_NEIGHBOUR_FINER && n->rank[0] != me;
  switch (n->kind) {
    case OAK_NEIGHBOUR_SAME:
      if (!remote) break;
      OAK_TRY(oak_list_add(&b->recv1, &(part_t){n->rank[0], PART_SLOT, face, block, 0, block}));
      return oak_list_add(&b->send1,
                          &(part_t){n->rank[0], PART_SLOT, face ^ 1, n->block[0], 0, block});
    case OAK_NEIGHBOUR_COARSER:
      if (!remote) break;
      OAK_TRY(oak_list_add(&b->recv2, &(part_t){n->rank[0], PART_SLOT, face, block, 0, block}));
      OAK_TRY(oak_list_add(
          &b->send1, &(part_t){n->rank[0], PART_PIECE, face ^ 1, n->block[0], n->sub, block}));
      return oak_list_add(&b->send_flux,
                          &(part_t){n->rank[0], PART_PIECE, face ^ 1, n->block[0], n->sub, block});
    case OAK_NEIGHBOUR_FINER:
      for (int h = 0; h < half; h++) {
        if (n->rank[h] == me) continue;
        OAK_TRY(oak_list_add(&b->recv1, &(part_t){n->rank[h], PART_PIECE, face, block, h, block}));
        OAK_TRY(
            oak_list_add(&b->recv_flux, &(part_t){n->rank[h], PART_PIECE, face, block, h, block}));
        /* Face and block tell fine blocks apart, so it does not matter that only this end knows
         * `sub`. */
        OAK_TRY(oak_list_add(&b->send2,
                             &(part_t){n->rank[h], PART_SLOT, face ^ 1, n->block[h], h, block}));
      }
      break;
    case OAK_NEIGHBOUR_BOUNDARY:
      break;
  }
  return OAK_OK;
}

/* Turn sorted parts into messages, giving each part its offset from `*at` on; calls `place` for
 * each. */
static oak_status_t make_messages(build_t *b, oak_list_t *parts, oak_message_t **out, int *nout,
                                  int64_t *at,
                                  oak_status_t (*place)(build_t *, const part_t *,
                                                        int64_t offset)) {
  const part_t *p = parts->host;
  int ranks = 0;
  sort_parts(parts);
  for (int i = 0; i < parts->count; i++) ranks += i == 0 || p[i].rank != p[i - 1].rank;
  *nout = ranks;
  *out = calloc(ranks + 1, sizeof **out);
  OAK_CHECK(*out, OAK_ERR_MEMORY, "out of memory for a list of %d messages", ranks);
  oak_message_t *m = *out - 1;
  for (int i = 0; i < parts->count; i++) {
    if (i == 0 || p[i].rank != p[i - 1].rank) *++m = (oak_message_t){p[i].rank, *at, 0};
    const int64_t size = p[i].kind == PART_SLOT ? b->slot : b->piece;
    OAK_TRY(place(b, &p[i], *at));
    *at += size;
    m->count += size;
  }
  return OAK_OK;
}

static void set_slot(const build_t *b, int block, int face, int64_t offset) {
  oak_face_t *t = face_of(b, block, face);
  t->kind = OAK_SLOT;
  t->offset = offset;
}

/* Received parts: slots are used where they arrive, pieces are unpacked into a local slot. */
static oak_status_t place_recv(build_t *b, const part_t *p, int64_t offset) {
  if (p->kind == PART_SLOT) {
    set_slot(b, p->block, p->face, offset);
    return OAK_OK;
  }
  return oak_list_add(&b->halo->unpack, &(oak_halo_task_t){.src = offset,
                                                           .block = p->block,
                                                           .face = p->face,
                                                           .sub = p->sub,
                                                           .kind = OAK_HALO_UNPACK});
}

static oak_status_t place_send1(build_t *b, const part_t *p, int64_t offset) {
  const int kind = p->kind == PART_SLOT ? OAK_HALO_COPY : OAK_HALO_PACK;
  return oak_list_add(
      &b->halo->make1,
      &(oak_halo_task_t){
          .dst = offset, .block = p->mine, .face = p->face, .sub = p->sub, .kind = kind});
}

static oak_status_t place_send2(build_t *b, const part_t *p, int64_t offset) {
  return oak_list_add(&b->halo->make2, &(oak_halo_task_t){.dst = offset,
                                                          .block = p->mine,
                                                          .face = p->face,
                                                          .sub = p->sub,
                                                          .kind = OAK_HALO_PROLONG});
}

/* Faces whose ghost cells are made on this rank: give them slots and tasks. */
static oak_status_t local_face(build_t *b, int block, int face, int64_t *at) {
  const int me = b->mesh->rank, half = 1 << (b->mesh->dim - 1);
  oak_halo_t *h = b->halo;
  const oak_neighbour_t *n = &b->neighbour[(size_t)block * 2 * b->mesh->dim + face];
  oak_halo_task_t task = {.dst = *at, .block = block, .face = face, .kind = OAK_HALO_BOUNDARY};
  if (n->kind == OAK_NEIGHBOUR_SAME) {
    if (n->rank[0] == me) face_of(b, block, face)->offset = direct_offset(h, n->block[0], face);
    return OAK_OK;
  }
  if (n->kind == OAK_NEIGHBOUR_COARSER && n->rank[0] != me) return OAK_OK;
  set_slot(b, block, face, *at);
  *at += b->slot;
  switch (n->kind) {
    case OAK_NEIGHBOUR_COARSER:
      task.kind = OAK_HALO_PROLONG;
      task.block = n->block[0];
      task.sub = n->sub;
      return oak_list_add(&h->make2, &task);
    case OAK_NEIGHBOUR_FINER:
      task.kind = OAK_HALO_RESTRICT;
      for (task.sub = 0; task.sub < half; task.sub++) {
        task.block = n->block[task.sub];
        if (n->rank[task.sub] == me) OAK_TRY(oak_list_add(&h->make1, &task));
      }
      return OAK_OK;
    default:
      return oak_list_add(&h->make1, &task);
  }
}

/* Flux fixing: numbers for boundary fluxes and for the averages that go with them. */
static oak_status_t place_flux_recv(build_t *b, const part_t *p, int64_t offset) {
  oak_coarse_face_t *c = b->halo->coarse[p->face / 2].host;
  c[b->coarse_of[(size_t)p->block * 2 * b->mesh->dim + p->face]].piece[p->sub] =
      (int)(offset / b->piece);
  return OAK_OK;
}

static oak_status_t place_flux_send(build_t *b, const part_t *p, int64_t offset) {
  const int bflux = face_of(b, p->mine, p->face ^ 1)->bflux;
  return oak_list_add(&b->halo->fine,
                      &(oak_fine_face_t){.bflux = bflux, .piece = (int)(offset / b->piece)});
}

static oak_status_t number_boundary_fluxes(build_t *b) {
  oak_halo_t *h = b->halo;
  const int faces = 2 * b->mesh->dim;
  for (int block = 0; block < b->mesh->nblock; block++)
    for (int face = 0; face < faces; face++) {
      const oak_neighbour_t *n = &b->neighbour[(size_t)block * faces + face];
      if (n->kind != OAK_NEIGHBOUR_COARSER && n->kind != OAK_NEIGHBOUR_FINER) continue;
      face_of(b, block, face)->bflux = (int)h->nbflux++;
      if (n->kind == OAK_NEIGHBOUR_COARSER) continue;
      oak_list_t *list = &h->coarse[face / 2];
      b->coarse_of[(size_t)block * faces + face] = list->count;
      OAK_TRY(oak_list_add(
          list, &(oak_coarse_face_t){.block = block, .face = face, .bflux = (int)h->nbflux - 1}));
    }
  return OAK_OK;
}

/* Averages that stay on this rank. */
static oak_status_t local_flux_pieces(build_t *b) {
  oak_halo_t *h = b->halo;
  const int faces = 2 * b->mesh->dim, half = 1 << (b->mesh->dim - 1);
  for (int d = 0; d < b->mesh->dim; d++) {
    oak_coarse_face_t *c = h->coarse[d].host;
    for (int i = 0; i < h->coarse[d].count; i++) {
      const oak_neighbour_t *n = &b->neighbour[(size_t)c[i].block * faces + c[i].face];
      for (int s = 0; s < half; s++) {
        if (n->rank[s] != b->mesh->rank) continue;
        c[i].piece[s] = (int)h->npiece++;
        OAK_TRY(oak_list_add(
            &h->fine, &(oak_fine_face_t){.bflux = face_of(b, n->block[s], c[i].face ^ 1)->bflux,
                                         .piece = c[i].piece[s]}));
      }
    }
  }
  return OAK_OK;
}

static oak_status_t build_fluxfix(build_t *b) {
  oak_halo_t *h = b->halo;
  int64_t at = 0;
  const int64_t halo_piece = b->piece;
  h->nbflux = h->npiece = 0;
  OAK_TRY(number_boundary_fluxes(b));
  b->piece = h->nvar * ipow(h->block_size / 2, h->dim - 1);
  OAK_TRY(make_messages(b, &b->recv_flux, &h->flux_messages.recv, &h->flux_messages.nrecv, &at,
                        place_flux_recv));
  OAK_TRY(make_messages(b, &b->send_flux, &h->flux_messages.send, &h->flux_messages.nsend, &at,
                        place_flux_send));
  h->npiece = at / b->piece;
  b->piece = halo_piece;
  return local_flux_pieces(b);
}

static oak_status_t build_ghosts(build_t *b) {
  oak_halo_t *h = b->halo;
  const int faces = 2 * b->mesh->dim;
  int64_t at = 0;
  for (int n = 0; n < b->mesh->nblock; n++)
    for (int f = 0; f < faces; f++) OAK_TRY(scan_face(b, n, f));
  OAK_TRY(make_messages(b, &b->recv1, &h->round1.recv, &h->round1.nrecv, &at, place_recv));
  OAK_TRY(make_messages(b, &b->recv2, &h->round2.recv, &h->round2.nrecv, &at, place_recv));
  for (int n = 0; n < b->mesh->nblock; n++)
    for (int f = 0; f < faces; f++) OAK_TRY(local_face(b, n, f, &at));
  oak_halo_task_t *t = h->unpack.host; /* slots are known only now */
  for (int i = 0; i < h->unpack.count; i++) t[i].dst = face_of(b, t[i].block, t[i].face)->offset;
  OAK_TRY(make_messages(b, &b->send1, &h->round1.send, &h->round1.nsend, &at, place_send1));
  OAK_TRY(make_messages(b, &b->send2, &h->round2.send, &h->round2.nsend, &at, place_send2));
  h->nslot = at / b->slot;
  h->buffer_reals = at;
  return OAK_OK;
}

/* Grow with room to spare, shrink when far too large; contents are not kept. */
static oak_status_t fit(oak_halo_t *h, void **buffer, int64_t *capacity, int64_t reals) {
  if (reals <= *capacity && reals >= *capacity / 2) return OAK_OK;
  const int64_t wanted = *capacity == 0 || reals == 0 ? reals : reals + reals / 16;
  oak_device_free(h->dev, *buffer);
  *buffer = NULL;
  *capacity = 0;
  OAK_TRY(oak_device_alloc(h->dev, (size_t)wanted * h->real_size, buffer));
  *capacity = wanted;
  return OAK_OK;
}

static oak_status_t finish(oak_halo_t *h) {
  const int64_t area = ipow(h->block_size, h->dim - 1), half = ipow(h->block_size / 2, h->dim - 1);
  OAK_TRY(oak_messages_prepare(&h->round1, h->dev, h->real_size));
  OAK_TRY(oak_messages_prepare(&h->round2, h->dev, h->real_size));
  OAK_TRY(oak_messages_prepare(&h->flux_messages, h->dev, h->real_size));
  OAK_TRY(fit(h, &h->buffer, &h->buffer_capacity, h->buffer_reals));
  OAK_TRY(fit(h, &h->bflux, &h->bflux_capacity, h->nbflux * h->nvar * area));
  OAK_TRY(fit(h, &h->piece, &h->piece_capacity, h->npiece * h->nvar * half));
  OAK_TRY(oak_list_upload(&h->face, h->dev));
  OAK_TRY(oak_list_upload(&h->make1, h->dev));
  OAK_TRY(oak_list_upload(&h->unpack, h->dev));
  OAK_TRY(oak_list_upload(&h->make2, h->dev));
  OAK_TRY(oak_list_upload(&h->fine, h->dev));
  for (int d = 0; d < h->dim; d++) OAK_TRY(oak_list_upload(&h->coarse[d], h->dev));
  return OAK_OK;
}

/* An empty table for the new mesh; empty lists. */
static oak_status_t start(build_t *b) {
  oak_halo_t *h = b->halo;
  const size_t faces = (size_t)b->mesh->nblock * 2 * b->mesh->dim;
  oak_list_t *parts[] = {&b->send1, &b->recv1, &b->send2, &b->recv2, &b->send_flux, &b->recv_flux};
  for (int i = 0; i < 6; i++) parts[i]->size = sizeof(part_t);
  h->make1.count = h->make2.count = h->unpack.count = h->fine.count = h->face.count = 0;
  for (int d = 0; d < 3; d++) h->coarse[d].count = 0;
  oak_messages_clear(&h->round1);
  oak_messages_clear(&h->round2);
  oak_messages_clear(&h->flux_messages);
  b->slot = h->nvar * h->layers * ipow(h->block_size, h->dim - 1);
  b->piece = h->nvar * h->layers * ipow(h->block_size / 2, h->dim - 1);
  b->neighbour = calloc(faces + 1, sizeof *b->neighbour);
  b->coarse_of = malloc((faces + 1) * sizeof *b->coarse_of);
  OAK_CHECK(b->neighbour && b->coarse_of, OAK_ERR_MEMORY,
            "out of memory for the neighbours of %d blocks", b->mesh->nblock);
  for (size_t i = 0; i < faces; i++)
    OAK_TRY(oak_list_add(&h->face, &(oak_face_t){.offset = 0, .kind = OAK_DIRECT, .bflux = -1}));
  return OAK_OK;
}

oak_status_t oak_halo_update_pattern(oak_halo_t *halo, const oak_mesh_t *mesh) {
  if (halo->revision == mesh->revision) return OAK_OK;
  build_t b = {.halo = halo, .mesh = mesh};
  halo->revision = -1;
  oak_status_t st = oak_agree(mesh->comm, start(&b));
  if (st == OAK_OK) st = oak_mesh_neighbours(mesh, b.neighbour);
  if (st == OAK_OK) {
    st = build_ghosts(&b);
    if (st == OAK_OK) st = build_fluxfix(&b);
    if (st == OAK_OK) st = finish(halo);
    st = oak_agree(mesh->comm, st);
  }
  if (st == OAK_OK) halo->revision = mesh->revision;
  oak_list_t *parts[] = {&b.send1, &b.recv1, &b.send2, &b.recv2, &b.send_flux, &b.recv_flux};
  for (int i = 0; i < 6; i++) free(parts[i]->host);
  free(b.neighbour);
  free(b.coarse_of);
  return st;
}
