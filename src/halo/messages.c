/* SPDX-License-Identifier: GPL-2.0-or-later
 * Point-to-point messages between device buffers. Where MPI cannot read the device's memory the
 * data goes through a host buffer. A failing MPI call aborts (the default error handler): it cannot
 * be agreed upon. */
#include "halo/messages.h"

#include <stdlib.h>
#include <string.h>

/* Staging is addressed by the order of the messages: receives first. */
static int64_t total(const oak_message_t *m, int n) {
  int64_t sum = 0;
  for (int i = 0; i < n; i++) sum += m[i].count;
  return sum;
}

oak_status_t oak_messages_prepare(oak_messages_t *m, oak_device_t *dev, int real_size) {
  const int64_t reals = total(m->recv, m->nrecv) + total(m->send, m->nsend);
  m->request = malloc((m->nsend + m->nrecv + 1) * sizeof *m->request);
  OAK_CHECK(m->request, OAK_ERR_MEMORY, "out of memory for %d message requests",
            m->nsend + m->nrecv);
  if (oak_device_mpi_direct(dev)) return OAK_OK;
  m->staging = malloc((size_t)reals * real_size + 1);
  OAK_CHECK(m->staging, OAK_ERR_MEMORY, "out of memory for a message buffer of %lld MiB",
            (long long)(reals * real_size >> 20));
  return OAK_OK;
}

static oak_status_t stage_out(oak_messages_t *m, oak_device_t *dev, const char *buffer,
                              int real_size) {
  char *p = (char *)m->staging + total(m->recv, m->nrecv) * real_size;
  for (int i = 0; i < m->nsend; p += m->send[i].count * real_size, i++)
    OAK_TRY(oak_device_download(dev, p, buffer + m->send[i].offset * real_size,
                                (size_t)m->send[i].count * real_size));
  return OAK_OK;
}

oak_status_t oak_messages_begin(oak_messages_t *m, MPI_Comm comm, oak_device_t *dev,
                                const void *send_buffer, void *recv_buffer, int real_size,
                                int tag) {
  const int unit = m->unit > 0 ? m->unit : 1;
  MPI_Datatype type;
  const int direct = oak_device_mpi_direct(dev);
  if (m->nsend + m->nrecv == 0) return OAK_OK;
  oak_status_t st = oak_device_sync(dev);
  if (!direct && st == OAK_OK) st = stage_out(m, dev, send_buffer, real_size);
  char *staged = m->staging;
  MPI_Type_contiguous(unit, real_size == 4 ? MPI_FLOAT : MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  for (int i = 0; i < m->nrecv; i++) {
    char *p = direct ? (char *)recv_buffer + m->recv[i].offset * real_size : staged;
    MPI_Irecv(p, (int)(m->recv[i].count / unit), type, m->recv[i].rank, tag, comm, &m->request[i]);
    if (!direct) staged += m->recv[i].count * real_size;
  }
  for (int i = 0; i < m->nsend; i++) {
    const char *p = direct ? (const char *)send_buffer + m->send[i].offset * real_size : staged;
    MPI_Isend(p, (int)(m->send[i].count / unit), type, m->send[i].rank, tag, comm,
              &m->request[m->nrecv + i]);
    if (!direct) staged += m->send[i].count * real_size;
  }
  MPI_Type_free(&type); /* lives on until the messages are through */
  return st;
}

oak_status_t oak_messages_end(oak_messages_t *m, oak_device_t *dev, void *recv_buffer,
                              int real_size) {
  if (m->nsend + m->nrecv == 0) return OAK_OK;
  MPI_Waitall(m->nrecv + m->nsend, m->request, MPI_STATUSES_IGNORE);
  if (oak_device_mpi_direct(dev)) return OAK_OK;
  oak_status_t st = OAK_OK;
  const char *p = m->staging;
  for (int i = 0; i < m->nrecv && st == OAK_OK; p += m->recv[i].count * real_size, i++)
    st = oak_device_upload(dev, (char *)recv_buffer + m->recv[i].offset * real_size, p,
                           (size_t)m->recv[i].count * real_size);
  return st;
}

void oak_messages_clear(oak_messages_t *m) {
  free(m->send);
  free(m->recv);
  free(m->request);
  free(m->staging);
  memset(m, 0, sizeof *m);
}
