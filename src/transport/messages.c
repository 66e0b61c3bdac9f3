/* SPDX-License-Identifier: GPL-2.0-or-later
 * Point-to-point messages between device memories, in one of three ways. NCCL puts them into the
 * device's second queue. Or MPI gets device addresses. Or they go through memory of the host, with
 * copies in the second queue. A failing MPI call aborts (MPI's default error handler), because the
 * ranks cannot agree on it. */
#include "transport/messages.h"

#include <limits.h>
#include <stdlib.h>

static int64_t total(const oak_message_t *m, int n) {
  int64_t sum = 0;
  for (int i = 0; i < n; i++) sum += m[i].count;
  return sum;
}

void *oak_staging_new(oak_device_t *dev, size_t bytes) {
  void *out = NULL;
  if (!oak_device_ops(dev)->host_alloc) return malloc(bytes);
  return oak_device_ops(dev)->host_alloc(dev, bytes, &out) == OAK_OK ? out : NULL;
}

void oak_staging_free(oak_device_t *dev, void *memory) {
  if (memory && oak_device_ops(dev)->host_free)
    oak_device_ops(dev)->host_free(dev, memory);
  else
    free(memory);
}

static oak_status_t check_counts(const oak_route_t *r) {
  for (int i = 0; i < r->nsend + r->nrecv; i++) {
    const oak_message_t *m = i < r->nsend ? &r->send[i] : &r->recv[i - r->nsend];
    OAK_CHECK(m->count <= INT_MAX, OAK_ERR_INPUT,
              "a message of %lld parts to or from rank %d: MPI counts to %d; use more ranks",
              (long long)m->count, m->rank, INT_MAX);
  }
  return OAK_OK;
}

/* How many units of a message leave together when it goes through memory of the host: while one
 * chunk travels, the next is copied. Both ends compute this from the message alone. */
static int64_t chunk_units(const oak_messages_t *m, const oak_message_t *message) {
  enum { CHUNK_BYTES = 1 << 20, MOST_CHUNKS = 16 };
  const int64_t least = CHUNK_BYTES / (int64_t)m->unit + 1;
  const int64_t share = message->count / MOST_CHUNKS + 1;
  return share > least ? share : least;
}

static int chunks_of(const oak_messages_t *m, const oak_message_t *message) {
  const int64_t units = chunk_units(m, message);
  return (int)((message->count + units - 1) / units);
}

static int all_chunks(const oak_messages_t *m, const oak_message_t *message, int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum += chunks_of(m, &message[i]);
  return sum;
}

static oak_status_t fit_lists(oak_messages_t *m, int n) {
  if (n <= m->room) return OAK_OK;
  free(m->request);
  free(m->direct);
  free(m->chunk);
  m->request = NULL;
  m->direct = NULL;
  m->chunk = NULL;
  m->room = 0;
  OAK_TRY(OAK_NEW(m->request, n));
  OAK_TRY(OAK_NEW(m->direct, n));
  OAK_TRY(OAK_NEW(m->chunk, n));
  m->room = n;
  return OAK_OK;
}

static oak_status_t fit_staging(oak_messages_t *m, oak_device_t *dev, size_t bytes) {
  if (bytes <= m->staging_bytes) return OAK_OK;
  if (oak_device_ops(dev)->settle) OAK_TRY(oak_device_ops(dev)->settle(dev));
  oak_staging_free(dev, m->staging);
  m->staging = NULL;
  m->staging_bytes = 0;
  m->staging = oak_staging_new(dev, bytes + bytes / 8);
  OAK_CHECK(m->staging, OAK_ERR_MEMORY, "out of memory for a message buffer of %zu MiB",
            bytes >> 20);
  m->staging_bytes = bytes + bytes / 8;
  return OAK_OK;
}

oak_status_t oak_messages_prepare(oak_messages_t *m, oak_transport_t *transport,
                                  const oak_route_t *route, size_t unit) {
  const int64_t units = total(route->recv, route->nrecv) + total(route->send, route->nsend);
  if (m->unit != unit) {
    if (m->unit) MPI_Type_free(&m->type);
    /* MPI counts by int, so a unit is one element: this allows larger messages than counting bytes.
     */
    MPI_Type_contiguous((int)unit, MPI_BYTE, &m->type);
    MPI_Type_commit(&m->type);
    m->unit = unit;
  }
  m->route = route;
  OAK_TRY(check_counts(route));
  OAK_TRY(fit_lists(
      m, all_chunks(m, route->send, route->nsend) + all_chunks(m, route->recv, route->nrecv)));
  return transport->kind == OAK_TRANSPORT_STAGED
             ? fit_staging(m, transport->dev, (size_t)units * unit)
             : OAK_OK;
}

/* ---- by MPI, from where the data is */

static void post_all(oak_messages_t *m, MPI_Comm comm, char *send, char *recv, int tag) {
  const oak_route_t *r = m->route;
  for (int i = 0; i < r->nrecv; i++)
    MPI_Irecv(recv + r->recv[i].offset * m->unit, (int)r->recv[i].count, m->type, r->recv[i].rank,
              tag, comm, &m->request[i]);
  for (int i = 0; i < r->nsend; i++)
    MPI_Isend(send + r->send[i].offset * m->unit, (int)r->send[i].count, m->type, r->send[i].rank,
              tag, comm, &m->request[r->nrecv + i]);
}

/* ---- through memory of the host */

/* Divide some messages into chunks, which follow each other in memory from `staging` on. */
static void list_chunks(const oak_messages_t *m, const oak_message_t *message, int n, char *memory,
                        char *staging, oak_chunk_t *chunk) {
  for (int i = 0; i < n; i++) {
    const int64_t units = chunk_units(m, &message[i]);
    for (int64_t from = 0; from < message[i].count; from += units) {
      const int64_t left = message[i].count - from, count = left < units ? left : units;
      *chunk++ = (oak_chunk_t){.rank = message[i].rank,
                               .count = (int)count,
                               .memory = memory + (message[i].offset + from) * m->unit,
                               .staging = staging};
      staging += count * m->unit;
    }
  }
}

/* Post the receives, and begin the copies to the host. */
static oak_status_t begin_staged(oak_messages_t *m, oak_transport_t *t, char *send, char *recv,
                                 int tag) {
  const oak_device_ops_t *ops = oak_device_ops(t->dev);
  const oak_route_t *r = m->route;
  const int nrecv = all_chunks(m, r->recv, r->nrecv), nsend = all_chunks(m, r->send, r->nsend);
  oak_chunk_t *in = m->chunk, *out = m->chunk + nrecv;
  list_chunks(m, r->recv, r->nrecv, recv, m->staging, in);
  list_chunks(m, r->send, r->nsend, send, m->staging + total(r->recv, r->nrecv) * m->unit, out);
  /* Wait until the data of the last exchange has left the memory for what is received now. */
  oak_status_t st = ops->settle ? ops->settle(t->dev) : OAK_OK;
  for (int i = 0; i < nrecv; i++)
    MPI_Irecv(in[i].staging, in[i].count, m->type, in[i].rank, tag, t->comm, &m->request[i]);
  if (st == OAK_OK) st = ops->fork ? ops->fork(t->dev) : oak_device_sync(t->dev);
  for (int i = 0; i < nsend && st == OAK_OK; i++) {
    const size_t bytes = out[i].count * m->unit;
    st = ops->copy_out ? ops->copy_out(t->dev, out[i].staging, out[i].memory, bytes, i)
                       : oak_device_download(t->dev, out[i].staging, out[i].memory, bytes);
  }
  return st;
}

static oak_status_t copy_in(const oak_messages_t *m, oak_device_t *dev, const oak_chunk_t *c) {
  const oak_device_ops_t *ops = oak_device_ops(dev);
  const size_t bytes = c->count * m->unit;
  return ops->copy_in ? ops->copy_in(dev, c->memory, c->staging, bytes)
                      : oak_device_upload(dev, c->memory, c->staging, bytes);
}

/* A chunk is sent when its copy has arrived on the host, and goes to the device when it is
 * received. This is done after a failure too, because the other ranks wait for it. */
static oak_status_t end_staged(oak_messages_t *m, oak_transport_t *t, int tag) {
  const oak_device_ops_t *ops = oak_device_ops(t->dev);
  const oak_route_t *r = m->route;
  const int nrecv = all_chunks(m, r->recv, r->nrecv), nsend = all_chunks(m, r->send, r->nsend);
  const oak_chunk_t *in = m->chunk, *out = m->chunk + nrecv;
  oak_status_t st = OAK_OK;
  int sent = 0, received = 0;
  while (sent < nsend || received < nrecv) {
    if (sent < nsend && (!ops->copied || ops->copied(t->dev, sent))) {
      MPI_Isend(out[sent].staging, out[sent].count, m->type, out[sent].rank, tag, t->comm,
                &m->request[nrecv + sent]);
      sent++;
    }
    int which = MPI_UNDEFINED, done = 0;
    if (received < nrecv) MPI_Testany(nrecv, m->request, &which, &done, MPI_STATUS_IGNORE);
    if (!done || which == MPI_UNDEFINED) continue;
    received++;
    if (st == OAK_OK) st = copy_in(m, t->dev, &in[which]);
  }
  MPI_Waitall(nsend, m->request + nrecv, MPI_STATUSES_IGNORE);
  return st;
}

/* ---- NCCL */

static oak_status_t exchange_direct(oak_messages_t *m, oak_device_t *dev, char *send, char *recv) {
  const oak_route_t *r = m->route;
  for (int i = 0; i < r->nsend; i++)
    m->direct[i] = (oak_direct_message_t){r->send[i].rank, send + r->send[i].offset * m->unit,
                                          r->send[i].count * m->unit};
  for (int i = 0; i < r->nrecv; i++)
    m->direct[r->nsend + i] = (oak_direct_message_t){
        r->recv[i].rank, recv + r->recv[i].offset * m->unit, r->recv[i].count * m->unit};
  return oak_device_ops(dev)->direct_exchange(dev, m->direct, r->nsend, m->direct + r->nsend,
                                              r->nrecv);
}

/* ---- all of them */

oak_status_t oak_messages_begin(oak_messages_t *m, oak_transport_t *t, void *send_memory,
                                void *recv_memory, int tag) {
  const oak_device_ops_t *ops = oak_device_ops(t->dev);
  if (!oak_messages_any(m)) return OAK_OK;
  if (t->kind == OAK_TRANSPORT_STAGED) return begin_staged(m, t, send_memory, recv_memory, tag);
  oak_status_t st = ops->fork ? ops->fork(t->dev) : oak_device_sync(t->dev);
  if (t->kind == OAK_TRANSPORT_NCCL)
    return st != OAK_OK ? st : exchange_direct(m, t->dev, send_memory, recv_memory);
  if (st == OAK_OK && ops->settle) st = ops->settle(t->dev); /* MPI reads what kernels have made */
  post_all(m, t->comm, send_memory, recv_memory, tag);
  return st;
}

oak_status_t oak_messages_end(oak_messages_t *m, oak_transport_t *t, int tag) {
  const oak_device_ops_t *ops = oak_device_ops(t->dev);
  oak_status_t st = OAK_OK;
  if (!oak_messages_any(m)) return OAK_OK;
  if (t->kind == OAK_TRANSPORT_MPI) {
    MPI_Waitall(m->route->nrecv + m->route->nsend, m->request, MPI_STATUSES_IGNORE);
    return OAK_OK;
  }
  if (t->kind == OAK_TRANSPORT_STAGED) st = end_staged(m, t, tag);
  return st == OAK_OK && ops->join ? ops->join(t->dev) : st;
}

void oak_messages_clear(oak_messages_t *m, oak_transport_t *transport) {
  const oak_device_t *dev = transport->dev;
  if (m->staging && oak_device_ops(dev)->settle) oak_device_ops(dev)->settle(transport->dev);
  if (m->unit) MPI_Type_free(&m->type);
  free(m->request);
  free(m->direct);
  free(m->chunk);
  if (transport->dev) oak_staging_free(transport->dev, m->staging);
  *m = (oak_messages_t){0};
}

void oak_route_clear(oak_route_t *route) {
  free(route->send);
  free(route->recv);
  *route = (oak_route_t){0};
}
