/* SPDX-License-Identifier: GPL-2.0-or-later
 * Sends built kernels from host to host. Of the hosts that need the same entry, one compiles it or
 * has it in its cache; the others get it through MPI. build.c calls this on the first rank of each
 * host. */
#include <string.h>
#include <time.h>

#include "build/build.h"

oak_status_t oak_hand_open(oak_device_t *dev, const oak_entry_t *e, MPI_Comm *receivers) {
  typedef struct {
    int need; /**< oak_need_t */
    char key[33];
  } claim_t;
  OAK_FREED claim_t *claim = NULL;
  claim_t mine = {.need = e->need};
  int hosts, me, first = 0, wanted = 0, any = 0;
  *receivers = MPI_COMM_NULL;
  MPI_Comm_size(dev->firsts, &hosts);
  MPI_Comm_rank(dev->firsts, &me);
  if (hosts == 1) return OAK_OK;
  memcpy(mine.key, e->keys.built, sizeof mine.key);
  OAK_TRY(oak_agree(dev->firsts, OAK_NEW(claim, hosts)));
  MPI_Allgather(&mine, sizeof mine, MPI_BYTE, claim, sizeof mine, MPI_BYTE, dev->firsts);
  for (int h = hosts - 1; h >= 0; h--) {
    any |= claim[h].need == OAK_NEED_ENTRY;
    if (!mine.need || !claim[h].need || strcmp(claim[h].key, mine.key) != 0) continue;
    first = h;
    wanted |= claim[h].need == OAK_NEED_ENTRY;
  }
  if (any) /* the same on all hosts */
    MPI_Comm_split(dev->firsts, wanted ? first : MPI_UNDEFINED,
                   mine.need == OAK_NEED_MET ? me : hosts + me, receivers);
  return OAK_OK;
}

void oak_broadcast_late(MPI_Comm comm, void *data, int bytes) {
  const long longest = 10 * 1000 * 1000;
  struct timespec pause = {.tv_nsec = 20 * 1000};
  MPI_Request request;
  int done = 0;
  MPI_Ibcast(data, bytes, MPI_BYTE, 0, comm, &request);
  for (;;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done) return;
    nanosleep(&pause, NULL);
    if (pause.tv_nsec < longest) pause.tv_nsec *= 2;
  }
}

/** The entry is sent in pieces, so that a receiver without memory for all of it can still take part
 * to the end. */
static void broadcast_entry(MPI_Comm receivers, int first, long long length, oak_buffer_t *entry) {
  char piece[65536];
  for (long long at = 0; at < length; at += (long long)sizeof piece) {
    const long long left = length - at;
    const int bytes = left < (long long)sizeof piece ? (int)left : (int)sizeof piece;
    if (first) memcpy(piece, entry->data + at, (size_t)bytes);
    MPI_Bcast(piece, bytes, MPI_BYTE, 0, receivers);
    if (!first) oak_buffer_bytes(entry, piece, (size_t)bytes);
  }
}

/** Store the received entry and check it like any entry: owner, size and hash. */
static oak_status_t store(const char *path, const oak_buffer_t *entry) {
  OAK_TRY(oak_buffer_status(entry));
  const int error = oak_cache_write(path, entry);
  OAK_CHECK(!error && oak_cache_check(path), OAK_ERR_FILE,
            "the built kernel %s, from another host, cannot be written: %s; set OAK_CACHE to a "
            "folder with space",
            path, error ? strerror(error) : "it is damaged");
  return OAK_OK;
}

oak_status_t oak_hand_over(oak_device_t *dev, const oak_source_t *source, MPI_Comm receivers,
                           oak_status_t status, oak_entry_t *e) {
  struct {
    long long length; /* -1: the sender has failed */
    int own;
    char key[33]; /* another one than the wanted key if the sources have changed */
  } head = {.length = -1};
  oak_buffer_t entry = {0};
  int rank, missing = 0, any;
  MPI_Comm_rank(receivers, &rank);
  if (rank == 0 && status == OAK_OK) {
    const int error = oak_cache_read(e->path, &entry);
    head.length = error ? -1 : (long long)entry.length;
    head.own = e->own;
    memcpy(head.key, e->keys.built, sizeof head.key);
    if (error)
      status = OAK_FAIL(OAK_ERR_FILE, "the built kernel %s cannot be read: %s", e->path,
                        strerror(error));
  }
  oak_broadcast_late(receivers, &head, sizeof head);
  e->noted &= head.length >= 0 && !strcmp(head.key, e->keys.built);
  if (rank != 0 && head.length >= 0) {
    memcpy(e->keys.built, head.key, sizeof head.key);
    e->own = head.own;
    free(e->path);
    e->path = NULL;
    missing = e->own || !oak_entry_find(dev, source, head.key, &e->path); /* in a shared folder */
    if (missing) status = oak_entry_place(dev, source, e);
  }
  MPI_Allreduce(&missing, &any, 1, MPI_INT, MPI_MAX, receivers);
  if (any) broadcast_entry(receivers, rank == 0, head.length, &entry);
  if (missing && status == OAK_OK) status = store(e->path, &entry);
  oak_buffer_free(&entry);
  e->fresh |= missing;
  return status;
}
