/* SPDX-License-Identifier: GPL-2.0-or-later
 * Sends built kernels from host to host. Of the hosts that need the same entry, one compiles it or
 * has it in its cache; the others get it through MPI. build.c calls this on the first rank of each
 * host. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "build/build.h"

/* ---- who does what */

/** What a host tells the others about the entry that it wants. */
typedef struct {
  int need; /**< oak_need_t */
  char key[33];
} claim_t;

/** If an entry did not load on a host, this host does not get it from hosts on which it loaded,
 * because it might fail to load again. */
static int alike(const claim_t *a, const claim_t *b) {
  return (a->need == OAK_NEED_OTHER) == (b->need == OAK_NEED_OTHER) && a->need != OAK_NEED_NONE &&
         b->need != OAK_NEED_NONE && strcmp(a->key, b->key) == 0;
}

/** The host that sends the entry which \a mine asks for: the first one that has it, or else the
 * first one that needs it. MPI_UNDEFINED if all of them have it. */
static int sender(const claim_t *claim, int hosts, const claim_t *mine) {
  int first = -1, has = -1, wanted = 0;
  for (int h = 0; h < hosts; h++) {
    if (!alike(&claim[h], mine)) continue;
    if (first < 0) first = h;
    if (has < 0 && claim[h].need == OAK_NEED_MET) has = h;
    wanted |= claim[h].need != OAK_NEED_MET;
  }
  return !wanted ? MPI_UNDEFINED : has >= 0 ? has : first;
}

oak_status_t oak_hand_open(oak_device_t *dev, oak_need_t need, const char *key,
                           MPI_Comm *receivers) {
  int hosts, me, wanted = 0;
  claim_t mine = {.need = need};
  *receivers = MPI_COMM_NULL;
  MPI_Comm_size(dev->firsts, &hosts);
  MPI_Comm_rank(dev->firsts, &me);
  if (hosts == 1) return OAK_OK;
  snprintf(mine.key, sizeof mine.key, "%s", key);
  claim_t *claim = malloc((size_t)hosts * sizeof *claim);
  int enough = claim != NULL;
  MPI_Allreduce(MPI_IN_PLACE, &enough, 1, MPI_INT, MPI_MIN, dev->firsts);
  if (!enough) {
    free(claim);
    return OAK_FAIL(OAK_ERR_MEMORY, "no memory for a list of %d hosts", hosts);
  }
  MPI_Allgather(&mine, sizeof mine, MPI_BYTE, claim, sizeof mine, MPI_BYTE, dev->firsts);
  for (int h = 0; h < hosts; h++)
    wanted |= claim[h].need == OAK_NEED_ENTRY || claim[h].need == OAK_NEED_OTHER;
  if (wanted) { /* the same on all hosts */
    const int from = sender(claim, hosts, &mine);
    MPI_Comm_split(dev->firsts, from, from == me ? 0 : me + 1, receivers);
  }
  free(claim);
  return OAK_OK;
}

/* ---- the entry itself */

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
  OAK_CHECK(!error, OAK_ERR_FILE,
            "the built kernel %s, from another host, cannot be written: %s; set OAK_CACHE to a "
            "folder with space",
            path, strerror(error));
  OAK_CHECK(oak_cache_check(path), OAK_ERR_FILE,
            "the built kernel %s, from another host, is damaged; start the run again", path);
  return OAK_OK;
}

oak_status_t oak_hand_over(oak_device_t *dev, const oak_source_t *source, MPI_Comm receivers,
                           oak_status_t status, int *own, char key[33], char **path, int *stored) {
  struct {
    long long length; /* -1: the sender has failed */
    int own;
    char key[33]; /* "" if the sender has failed; another key than the wanted one if the sources
                   * have changed */
  } head = {.length = -1};
  oak_buffer_t entry = {0};
  const char *folder;
  int rank, missing = 0, any;
  MPI_Comm_rank(receivers, &rank);
  if (rank == 0 && status == OAK_OK) {
    const int error = oak_cache_read(*path, &entry);
    if (error) {
      status =
          OAK_FAIL(OAK_ERR_FILE, "the built kernel %s cannot be read: %s", *path, strerror(error));
    } else {
      head.length = (long long)entry.length;
      head.own = *own;
      memcpy(head.key, key, sizeof head.key);
    }
  }
  oak_broadcast_late(receivers, &head, sizeof head);
  if (rank != 0) memcpy(key, head.key, sizeof head.key);
  if (rank != 0) *own = head.own;
  if (rank != 0 && head.length >= 0) {
    free(*path);
    missing = *own || !oak_entry_find(dev, source, key, path); /* hosts may share a folder */
    if (missing) status = (*own ? oak_cache_private : oak_cache_store)(dev, &folder);
    if (missing && status == OAK_OK) status = oak_entry_path(dev, folder, source, key, "", path);
  }
  MPI_Allreduce(&missing, &any, 1, MPI_INT, MPI_MAX, receivers);
  if (any) broadcast_entry(receivers, rank == 0, head.length, &entry);
  if (missing) status = store(*path, &entry);
  oak_buffer_free(&entry);
  *stored = missing && status == OAK_OK;
  return status;
}
