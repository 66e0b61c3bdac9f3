/* SPDX-License-Identifier: GPL-2.0-or-later
 * Messages from GPU to GPU by NCCL, or by RCCL, which has its interface. All messages of a round
 * form one group in the second queue; the host does not take part. */
#include <stdlib.h>
#include <string.h>

#include "gpu_api.h"

struct oak_nccl {
  gpu_nccl_t api;
  gpu_handle_t comm;
};

enum { NCCL_BYTES = 0 };

static oak_status_t nccl_status(gpu_result_t result, const char *doing) {
  OAK_CHECK(result == 0, OAK_ERR_DEVICE,
            "NCCL failed while %s (error %d); NCCL_DEBUG=INFO tells more", doing, result);
  return OAK_OK;
}

/* NCCL needs a GPU for each rank. */
static oak_status_t look_for(oak_device_t *dev, struct oak_nccl **out) {
  const gpu_t *gpu = dev->data;
  *out = calloc(1, sizeof **out);
  OAK_CHECK(*out, OAK_ERR_MEMORY, "no memory for NCCL");
  OAK_CHECK(dev->host_size <= gpu->count, OAK_ERR_DEVICE,
            "%d ranks share %d GPUs of a host, and NCCL wants one for each", dev->host_size,
            gpu->count);
  return oak_gpu_nccl(gpu->vendor, &(*out)->api);
}

static oak_status_t join_ranks(struct oak_nccl *nccl, MPI_Comm comm) {
  int rank, size;
  gpu_nccl_id_t id = {{0}};
  oak_status_t st = OAK_OK;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  if (rank == 0) st = nccl_status(nccl->api.unique(&id), "making a group of ranks");
  OAK_TRY(oak_agree(comm, st));
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, comm);
  st = nccl_status(nccl->api.init(&nccl->comm, size, id, rank), "making a group of ranks");
  return oak_agree(comm, st);
}

oak_status_t oak_gpu_direct_probe(oak_device_t *dev) {
  OAK_FREED struct oak_nccl *nccl = NULL;
  return look_for(dev, &nccl);
}

oak_status_t oak_gpu_direct_open(oak_device_t *dev, MPI_Comm comm) {
  gpu_t *gpu = dev->data;
  struct oak_nccl *nccl = NULL;
  if (gpu->nccl) return OAK_OK;
  oak_status_t st = oak_agree(comm, look_for(dev, &nccl));
  if (st == OAK_OK) st = join_ranks(nccl, comm);
  if (st == OAK_OK)
    gpu->nccl = nccl;
  else
    free(nccl);
  return st;
}

static oak_status_t enqueue(const gpu_t *gpu, const oak_direct_message_t *send, int nsend,
                            const oak_direct_message_t *recv, int nrecv) {
  const gpu_nccl_t *api = &gpu->nccl->api;
  for (int i = 0; i < nrecv; i++)
    OAK_TRY(nccl_status(api->recv(recv[i].address, recv[i].bytes, NCCL_BYTES, recv[i].rank,
                                  gpu->nccl->comm, gpu->transfer),
                        "receiving"));
  for (int i = 0; i < nsend; i++)
    OAK_TRY(nccl_status(api->send(send[i].address, send[i].bytes, NCCL_BYTES, send[i].rank,
                                  gpu->nccl->comm, gpu->transfer),
                        "sending"));
  return OAK_OK;
}

oak_status_t oak_gpu_direct_exchange(oak_device_t *dev, const oak_direct_message_t *send, int nsend,
                                     const oak_direct_message_t *recv, int nrecv) {
  const gpu_t *gpu = dev->data;
  OAK_TRY(nccl_status(gpu->nccl->api.begin(), "starting messages"));
  oak_status_t st = enqueue(gpu, send, nsend, recv, nrecv);
  const oak_status_t ended = nccl_status(gpu->nccl->api.end(), "starting messages");
  return st != OAK_OK ? st : ended;
}

void oak_gpu_nccl_close(gpu_t *gpu) {
  if (!gpu->nccl) return;
  gpu->nccl->api.finish(gpu->nccl->comm);
  free(gpu->nccl);
  gpu->nccl = NULL;
}
