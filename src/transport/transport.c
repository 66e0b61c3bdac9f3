/* SPDX-License-Identifier: GPL-2.0-or-later
 * Choosing how data travels. */
#include "transport/transport.h"

#include <stdio.h>

#include "base/str.h"

static const char *const name[] = {"auto", "direct", "NCCL", "device-aware MPI",
                                   "MPI through memory of the host"};

/* Messages for ranks that are not peers. Between GPUs NCCL comes first: it does not wait for the
 * host. */
static oak_status_t choose_messages(oak_transport_t *t, oak_transport_kind_t wanted) {
  const oak_device_ops_t *ops = oak_device_ops(t->dev);
  const int automatic = wanted == OAK_TRANSPORT_AUTO || wanted == OAK_TRANSPORT_DIRECT;
  char why[256] = "";
  if (ops->direct_open && (automatic || wanted == OAK_TRANSPORT_NCCL)) {
    t->kind = OAK_TRANSPORT_NCCL;
    if (ops->direct_open(t->dev, t->comm) == OAK_OK) return OAK_OK;
    snprintf(why, sizeof why, "NCCL is not used: %s", oak_last_error());
  } else if (wanted == OAK_TRANSPORT_NCCL) {
    snprintf(why, sizeof why, "device %s has no NCCL", ops->name);
  }
  const int takes = oak_device_mpi_direct(t->dev);
  t->kind = takes && wanted != OAK_TRANSPORT_STAGED ? OAK_TRANSPORT_MPI : OAK_TRANSPORT_STAGED;
  if (wanted == OAK_TRANSPORT_MPI && !takes)
    snprintf(why, sizeof why,
             "this MPI says that it does not take addresses of a GPU; OAK_MPI_GPU=1 overrules it");
  if (*why) oak_str_append(t->text, sizeof t->text, " (%s)", why);
  return OAK_OK;
}

oak_status_t oak_transport_open(oak_transport_t *t, MPI_Comm comm, oak_device_t *dev,
                                oak_transport_kind_t wanted) {
  int size, least;
  char why[256];
  *t = (oak_transport_t){.dev = dev, .comm = comm, .kind = OAK_TRANSPORT_MPI};
  MPI_Comm_size(comm, &size);
  const int direct = size > 1 && (wanted == OAK_TRANSPORT_AUTO || wanted == OAK_TRANSPORT_DIRECT);
  OAK_TRY(oak_peers_open(&t->peers, comm, dev, direct, why, sizeof why));
  MPI_Allreduce(&t->peers.count, &least, 1, MPI_INT, MPI_MIN, comm);
  t->messages = least < size;
  if (size == 1) return OAK_OK;
  if (t->peers.count > 1)
    snprintf(t->text, sizeof t->text, "ranks of a host read each other's memory in place");
  else if (*why)
    snprintf(t->text, sizeof t->text, "ranks of a host cannot share memory: %s", why);
  if (!t->messages) return OAK_OK;
  char before[sizeof t->text];
  snprintf(before, sizeof before, "%s", t->text);
  *t->text = 0;
  oak_status_t st = oak_agree(comm, choose_messages(t, wanted));
  char after[sizeof t->text];
  snprintf(after, sizeof after, "%s", t->text);
  snprintf(t->text, sizeof t->text, "%.200s%smessages by %s%.200s", before, *before ? "; " : "",
           name[t->kind], after);
  return st;
}

void oak_transport_failed(oak_transport_t *t) {
  oak_peers_release(&t->peers);
  if (t->kind == OAK_TRANSPORT_NCCL) oak_end_all(t->comm);
}

void oak_transport_close(oak_transport_t *t) {
  if (t->dev) oak_peers_close(&t->peers);
  t->dev = NULL;
}
