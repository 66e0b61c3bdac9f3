/* SPDX-License-Identifier: GPL-2.0-or-later
 * Point-to-point messages between device memories, in one of three ways: NCCL puts them into the
 * device's second queue; MPI is given their addresses; or they go through memory of the host, with
 * copies under way in the second queue. A failing MPI call aborts (the default error handler): it
 * cannot be agreed upon. */
#include "transport/messages.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static int64_t total(const oak_message_t *m, int n) {
  int64_t sum = 0;
  for (int i = 0; i < n; i++) sum += m[i].count;
  return sum;
}

static void *host_alloc(oak_device_t *dev, size_t bytes) {
  void *out = NULL;
  if (!oak_device_ops(dev)->host_alloc) return malloc(bytes);
  return oak_device_ops(dev)->host_alloc(dev, bytes, &out) == OAK_OK ? out : NULL;
}

static void host_free(oak_device_t *dev, void *memory) {
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

static oak_status_t fit_lists(oak_messages_t *m, int n) {
  if (n <= m->room) return OAK_OK;
  free(m->request);
  free(m->parcel);
  m->room = 0;
  m->request = malloc(n * sizeof *m->request);
  m->parcel = malloc(n * sizeof *m->parcel);
  OAK_CHECK(m->request && m->parcel, OAK_ERR_MEMORY, "out of memory for %d messages", n);
  m->room = n;
  return OAK_OK;
}

static oak_status_t fit_staging(oak_messages_t *m, oak_device_t *dev, size_t bytes) {
  if (bytes <= m->staging_bytes) return OAK_OK;
  if (oak_device_ops(dev)->settle) OAK_TRY(oak_device_ops(dev)->settle(dev));
  host_free(dev, m->staging);
  m->staging = NULL;
  m->staging_bytes = 0;
  m->staging = host_alloc(dev, bytes + bytes / 8);
  OAK_CHECK(m->staging, OAK_ERR_MEMORY, "out of memory for a message buffer of %zu MiB",
            bytes >> 20);
  m->staging_bytes = bytes + bytes / 8;
  return OAK_OK;
}

oak_status_t oak_messages_prepare(oak_messages_t *m, oak_transport_t *transport,
                                  const oak_route_t *route, size_t unit) {
  const int64_t units = total(route->recv, route->nrecv) + total(route->send, route->nsend);
  if (!m->unit) {
    /* A unit as one element: more of them can be counted than bytes. */
    MPI_Type_contiguous((int)unit, MPI_BYTE, &m->type);
    MPI_Type_commit(&m->type);
    m->unit = unit;
  }
  OAK_ASSERT(m->unit == unit);
  m->route = route;
  OAK_TRY(check_counts(route));
  OAK_TRY(fit_lists(m, route->nsend + route->nrecv));
  return transport->kind == OAK_TRANSPORT_STAGED
             ? fit_staging(m, transport->dev, (size_t)units * unit)
             : OAK_OK;
}

/* ---- by MPI, from where the data is */

static void post_recv(oak_messages_t *m, MPI_Comm comm, char *memory, int staged, int tag) {
  const oak_route_t *r = m->route;
  size_t at = 0;
  for (int i = 0; i < r->nrecv; at += r->recv[i++].count * m->unit)
    MPI_Irecv(memory + (staged ? at : r->recv[i].offset * m->unit), (int)r->recv[i].count, m->type,
              r->recv[i].rank, tag, comm, &m->request[i]);
}

static void post_send(oak_messages_t *m, MPI_Comm comm, char *memory, int staged, int tag) {
  const oak_route_t *r = m->route;
  size_t at = 0;
  for (int i = 0; i < r->nsend; at += r->send[i++].count * m->unit)
    MPI_Isend(memory + (staged ? at : r->send[i].offset * m->unit), (int)r->send[i].count, m->type,
              r->send[i].rank, tag, comm, &m->request[r->nrecv + i]);
}

/* ---- through memory of the host */

static size_t received_bytes(const oak_messages_t *m) {
  return (size_t)total(m->route->recv, m->route->nrecv) * m->unit;
}

/* Copies on their way to the host; without a second queue they have arrived. */
static oak_status_t stage_out(oak_messages_t *m, oak_device_t *dev, const char *memory) {
  const oak_device_ops_t *ops = oak_device_ops(dev);
  const oak_route_t *r = m->route;
  char *to = m->staging + received_bytes(m);
  for (int i = 0; i < r->nsend; to += r->send[i++].count * m->unit) {
    const char *from = memory + r->send[i].offset * m->unit;
    const size_t bytes = r->send[i].count * m->unit;
    OAK_TRY(ops->copy_out ? ops->copy_out(dev, to, from, bytes)
                          : oak_device_download(dev, to, from, bytes));
  }
  return OAK_OK;
}

/* What has arrived goes to the device, message by message. */
static oak_status_t stage_in(oak_messages_t *m, oak_device_t *dev, char *memory) {
  const oak_device_ops_t *ops = oak_device_ops(dev);
  const oak_route_t *r = m->route;
  const char *from = m->staging;
  oak_status_t st = OAK_OK;
  for (int i = 0; i < r->nrecv; from += r->recv[i++].count * m->unit) {
    char *to = memory + r->recv[i].offset * m->unit;
    const size_t bytes = r->recv[i].count * m->unit;
    MPI_Wait(&m->request[i], MPI_STATUS_IGNORE);
    if (st == OAK_OK)
      st = ops->copy_in ? ops->copy_in(dev, to, from, bytes)
                        : oak_device_upload(dev, to, from, bytes);
  }
  return st;
}

/* ---- NCCL */

static oak_status_t exchange_parcels(oak_messages_t *m, oak_device_t *dev, char *send, char *recv) {
  const oak_route_t *r = m->route;
  for (int i = 0; i < r->nsend; i++)
    m->parcel[i] = (oak_parcel_t){r->send[i].rank, send + r->send[i].offset * m->unit,
                                  r->send[i].count * m->unit};
  for (int i = 0; i < r->nrecv; i++)
    m->parcel[r->nsend + i] = (oak_parcel_t){r->recv[i].rank, recv + r->recv[i].offset * m->unit,
                                             r->recv[i].count * m->unit};
  return oak_device_ops(dev)->direct_exchange(dev, m->parcel, r->nsend, m->parcel + r->nsend,
                                              r->nrecv);
}

/* ---- all of them */

oak_status_t oak_messages_begin(oak_messages_t *m, oak_transport_t *t, void *send_memory,
                                void *recv_memory, int tag) {
  const oak_device_ops_t *ops = oak_device_ops(t->dev);
  if (!oak_messages_any(m)) return OAK_OK;
  oak_status_t st = OAK_OK;
  if (t->kind == OAK_TRANSPORT_STAGED) {
    /* What came the last time has left the memory that is received into now. */
    if (ops->settle) st = ops->settle(t->dev);
    post_recv(m, t->comm, m->staging, 1, tag);
  }
  if (st == OAK_OK) st = ops->fork ? ops->fork(t->dev) : oak_device_sync(t->dev);
  switch (t->kind) {
    case OAK_TRANSPORT_NCCL:
      return st != OAK_OK ? st : exchange_parcels(m, t->dev, send_memory, recv_memory);
    case OAK_TRANSPORT_MPI:
      if (st == OAK_OK && ops->settle) st = ops->settle(t->dev);
      post_recv(m, t->comm, recv_memory, 0, tag);
      post_send(m, t->comm, send_memory, 0, tag);
      return st;
    default:
      return st != OAK_OK ? st : stage_out(m, t->dev, send_memory);
  }
}

oak_status_t oak_messages_end(oak_messages_t *m, oak_transport_t *t, void *send_memory,
                              void *recv_memory, int tag) {
  const oak_device_ops_t *ops = oak_device_ops(t->dev);
  oak_status_t st = OAK_OK;
  (void)send_memory;
  if (!oak_messages_any(m)) return OAK_OK;
  if (t->kind == OAK_TRANSPORT_MPI) {
    MPI_Waitall(m->route->nrecv + m->route->nsend, m->request, MPI_STATUSES_IGNORE);
    return OAK_OK;
  }
  if (t->kind == OAK_TRANSPORT_STAGED) {
    if (ops->settle) st = ops->settle(t->dev); /* the copies have reached the host */
    post_send(m, t->comm, m->staging + received_bytes(m), 1, tag);
    const oak_status_t in = stage_in(m, t->dev, recv_memory);
    if (st == OAK_OK) st = in;
    MPI_Waitall(m->route->nsend, m->request + m->route->nrecv, MPI_STATUSES_IGNORE);
  }
  return st == OAK_OK && ops->join ? ops->join(t->dev) : st;
}

void oak_messages_clear(oak_messages_t *m, oak_transport_t *transport) {
  const oak_device_t *dev = transport->dev;
  if (m->staging && oak_device_ops(dev)->settle) oak_device_ops(dev)->settle(transport->dev);
  if (m->unit) MPI_Type_free(&m->type);
  free(m->request);
  free(m->parcel);
  if (transport->dev) host_free(transport->dev, m->staging);
  *m = (oak_messages_t){0};
}

void oak_route_clear(oak_route_t *route) {
  free(route->send);
  free(route->recv);
  *route = (oak_route_t){0};
}
