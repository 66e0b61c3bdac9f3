/* SPDX-License-Identifier: GPL-2.0-or-later
 * Gathered levels. On a level of few cells, exchanges between ranks take more time than the work.
 * From such a level on, each rank therefore computes all blocks of all coarser levels itself. The
 * right-hand side is collected once per cycle. The correction needs no message, because every rank
 * has the parents of all its blocks. */
#include <stdlib.h>

#include "base/failure.h"
#include "elliptic/elliptic.h"
#include "transport/messages.h"

/* The largest number of cells of a gathered level if the key does not set it, chosen by measurement
 * (docs/poisson.md): for CPUs, for GPUs that read each other's memory, and for values that go
 * through memory of the host. */
enum { CELLS_CPU = 1 << 12, CELLS_IN_PLACE = 1 << 21, CELLS_BY_HOST = 1 << 18 };

int64_t oak_elliptic_gather_limit(const oak_transport_t *transport) {
  if (oak_device_ops(transport->dev)->host_memory) return CELLS_CPU;
  return transport->messages ? CELLS_BY_HOST : CELLS_IN_PLACE;
}

void oak_elliptic_count(const oak_mesh_t *mesh, int *count, int *start) {
  MPI_Allgather(&mesh->nblock, 1, MPI_INT, count, 1, MPI_INT, mesh->comm);
  for (int r = 0, at = 0; r < mesh->size; at += count[r++]) start[r] = at;
}

/* Collect the levels and positions of the blocks of all ranks, both [nglobal]. Collective. */
static void collect_blocks(oak_elliptic_gather_t *g, const oak_mesh_t *part, int8_t *level,
                           int32_t (*index)[3]) {
  MPI_Datatype place;
  oak_elliptic_count(part, g->count, g->start);
  MPI_Type_contiguous(3, MPI_INT32_T, &place);
  MPI_Type_commit(&place);
  MPI_Allgatherv(part->level, part->nblock, MPI_INT8_T, level, g->count, g->start, MPI_INT8_T,
                 part->comm);
  MPI_Allgatherv(part->index, part->nblock, place, index, g->count, g->start, place, part->comm);
  MPI_Type_free(&place);
}

/* A mesh of all blocks for this rank alone. Collective. */
static oak_status_t make_whole(oak_elliptic_t *e, const oak_mesh_t *part, oak_mesh_t **out) {
  oak_elliptic_gather_t *g = &e->gather;
  const size_t n = (size_t)part->nglobal;
  OAK_FREED int8_t *level = NULL;
  OAK_FREED int32_t(*index)[3] = NULL;
  oak_status_t st = OAK_NEW(level, n + 1);
  if (st == OAK_OK) st = OAK_NEW(index, n + 1);
  if (st == OAK_OK) st = OAK_NEW(g->count, 2 * part->size);
  st = oak_agree(e->comm, st);
  if (st == OAK_OK) {
    g->start = g->count + part->size;
    collect_blocks(g, part, level, index);
    st = oak_mesh_new(MPI_COMM_SELF, part->dim, part->trees, part->periodic, 0, out);
    if (st == OAK_OK) st = oak_mesh_replace(*out, (int)n, level, index, 1);
  }
  if (st == OAK_OK) level = NULL, index = NULL; /* the mesh frees them */
  return oak_agree(e->comm, st);
}

/* Memory for the values that are collected. Collective on the ranks of a host; the status is this
 * rank's own. */
static oak_status_t fit_memory(oak_elliptic_t *e, int own, int all) {
  oak_elliptic_gather_t *g = &e->gather;
  const int64_t unit = e->cells * (int64_t)sizeof(double);
  const oak_need_t need = {&g->part, own, unit};
  oak_status_t st = oak_peers_fit(&e->setup.transport->peers, &need, 1, NULL);
  OAK_TRY(st);
  const int by_host = e->setup.transport->messages && !oak_device_ops(e->dev)->host_memory;
  OAK_FREED oak_elliptic_move_t *place = NULL;
  OAK_TRY(OAK_NEW(place, all));
  if (by_host) g->host = oak_staging_new(e->dev, all * (size_t)unit);
  OAK_CHECK(!by_host || g->host, OAK_ERR_MEMORY, "out of memory for values of %d blocks", all);
  for (int b = 0; b < all; b++) place[b] = (oak_elliptic_move_t){.coarse = b, .child = -1};
  OAK_TRY(oak_elliptic_put(e, place, all * sizeof *place, &g->place));
  return oak_device_sync(e->dev);
}

oak_status_t oak_elliptic_gather_fit(oak_elliptic_t *e, int l) {
  oak_elliptic_level_t *level = &e->level[l];
  oak_mesh_t *part = level->mesh, *whole = NULL;
  if (part->size == 1 || part->nglobal * e->cells > e->setup.gather_cells) return OAK_OK;
  e->gather.first = (int)part->first;
  oak_status_t st = make_whole(e, part, &whole);
  if (st == OAK_OK) st = oak_agree(e->comm, fit_memory(e, part->nblock, (int)part->nglobal));
  if (st != OAK_OK) {
    if (whole) oak_mesh_destroy(&whole);
    return st;
  }
  oak_mesh_destroy(&level->mesh);
  level->mesh = whole;
  level->transport = &e->alone;
  e->gather.level = l;
  return OAK_OK;
}

void oak_elliptic_gather_clear(oak_elliptic_t *e) {
  oak_elliptic_gather_t *g = &e->gather;
  oak_peers_free(&e->setup.transport->peers, &g->part);
  free(g->count);
  oak_staging_free(e->dev, g->host);
  *g = (oak_elliptic_gather_t){.level = -1};
}

/* Each rank reads the values of the others in place. */
static oak_status_t read_parts(oak_elliptic_t *e, void *to) {
  oak_elliptic_gather_t *g = &e->gather;
  oak_peers_t *peers = &e->setup.transport->peers;
  oak_status_t st = oak_peers_meet(peers, NULL);
  for (int r = 0; r < e->mesh->size && st == OAK_OK; r++) {
    const oak_elliptic_move_args_t args = {
        .move = (oak_elliptic_move_t *)g->place + g->start[r],
        .from = r == e->mesh->rank ? g->part.mine : g->part.peer[oak_peers_number(peers, r)],
        .to = to};
    st = oak_device_launch(e->dev, e->kernel.merge, g->count[r], &args, sizeof args);
  }
  oak_keep_failure(&st, oak_peers_meet(peers, NULL)); /* values may change again after this */
  return st;
}

oak_status_t oak_elliptic_allgather(oak_elliptic_t *e, const void *mine, void *to, double *host,
                                    const int *count, const int *start) {
  const int me = e->mesh->rank, last = e->mesh->size - 1;
  const int in_place = oak_device_ops(e->dev)->host_memory;
  const size_t unit = e->cells * sizeof(double);
  double *all = in_place ? to : host;
  MPI_Datatype block;
  oak_status_t st = in_place ? oak_device_sync(e->dev) : OAK_OK;
  if (st == OAK_OK)
    st = oak_device_download(e->dev, all + (size_t)start[me] * e->cells, mine, count[me] * unit);
  MPI_Type_contiguous(e->cells, MPI_DOUBLE, &block);
  MPI_Type_commit(&block);
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, count, start, block, e->comm);
  MPI_Type_free(&block);
  if (st == OAK_OK && !in_place)
    st = oak_device_upload(e->dev, to, all, (start[last] + count[last]) * unit);
  return st;
}

oak_status_t oak_elliptic_gather(oak_elliptic_t *e, void *to) {
  const oak_elliptic_gather_t *g = &e->gather;
  const int messages = e->setup.transport->messages;
  return OAK_TIMED(e->setup.timers, OAK_PHASE_MPI,
                   messages
                       ? oak_elliptic_allgather(e, g->part.mine, to, g->host, g->count, g->start)
                       : read_parts(e, to));
}
