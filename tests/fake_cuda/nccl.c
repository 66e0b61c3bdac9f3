/* SPDX-License-Identifier: GPL-2.0-or-later
 * Stand-in of NCCL, see fake.h: messages by MPI, at the end of each group. */
#define _GNU_SOURCE 1
#include "fake.h"

#include <dlfcn.h>
#include <mpi.h>

enum { MOST = 256, TAG = 77 };

typedef struct {
  char internal[128];
} id_t_;

static MPI_Request request[MOST];
static struct {
  void *address;
  size_t bytes;
  int rank, send;
} part[MOST];
static int nparts;

int ncclGetVersion(int *version) {
  *version = 22800;
  return 0;
}

int ncclGetUniqueId(id_t_ *id) {
  memset(id, 0, sizeof *id);
  return fake_word("nccl", 0, NULL);
}

int ncclCommInitRank(void **comm, int ranks, id_t_ id, int rank) {
  (void)ranks, (void)id, (void)rank;
  *comm = &request;
  return 0;
}

int ncclCommDestroy(void *comm) {
  (void)comm;
  return 0;
}

int ncclGroupStart(void) {
  nparts = 0;
  return 0;
}

static int add(void *address, size_t bytes, int rank, int send) {
  if (nparts == MOST) return 1;
  part[nparts].address = address;
  part[nparts].bytes = bytes;
  part[nparts].rank = rank;
  part[nparts++].send = send;
  return 0;
}

int ncclSend(const void *from, size_t count, int type, int rank, void *comm, void *stream) {
  (void)type, (void)comm, (void)stream;
  return add((void *)from, count, rank, 1);
}

int ncclRecv(void *to, size_t count, int type, int rank, void *comm, void *stream) {
  (void)type, (void)comm, (void)stream;
  return add(to, count, rank, 0);
}

/* In the tests, simulations that exchange messages are those of all ranks. */
int ncclGroupEnd(void) {
  void (*memory)(int open);
  void *symbol = dlsym(dlopen(FAKE_DRIVER, RTLD_NOW), "fake_memory");
  memcpy(&memory, &symbol, sizeof symbol);
  memory(1);
  for (int i = 0; i < nparts; i++) {
    if (part[i].send)
      MPI_Isend(part[i].address, (int)part[i].bytes, MPI_BYTE, part[i].rank, TAG, MPI_COMM_WORLD,
                &request[i]);
    else
      MPI_Irecv(part[i].address, (int)part[i].bytes, MPI_BYTE, part[i].rank, TAG, MPI_COMM_WORLD,
                &request[i]);
  }
  MPI_Waitall(nparts, request, MPI_STATUSES_IGNORE);
  memory(0);
  return 0;
}
