/* SPDX-License-Identifier: GPL-2.0-or-later
 * Memory that the ranks of a host share, and their meetings. */
#include "transport/peers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/await.h"
#include "base/failure.h"
#include "base/hosts.h"

enum { LINE = 64 / sizeof(uint64_t), TRIAL_BYTES = 4096, MOST_PEERS = 1024 };

/* ---- finding out whether it works */

static oak_status_t number_ranks(oak_peers_t *peers, MPI_Comm comm) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  OAK_FREED int *all = NULL;
  oak_status_t st = OAK_NEW(peers->number, size);
  if (st == OAK_OK) st = OAK_NEW(all, peers->count);
  OAK_TRY(oak_agree(comm, st));
  MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, peers->host);
  for (int r = 0; r < size; r++) peers->number[r] = -1;
  for (int p = 0; p < peers->count; p++)
    if (p != peers->me) peers->number[all[p]] = p;
  return OAK_OK;
}

/* One page of flags for all, made by the first rank. */
static oak_status_t open_flags(oak_peers_t *peers) {
  const size_t bytes = peers->count * LINE * sizeof *peers->flag;
  oak_status_t st = OAK_OK;
  void *page = NULL;
  if (peers->me == 0) st = oak_device_flags_new(peers->dev, bytes, &page, &peers->page);
  int made = st == OAK_OK;
  MPI_Bcast(&made, 1, MPI_INT, 0, peers->host);
  MPI_Bcast(&peers->page, sizeof peers->page, MPI_BYTE, 0, peers->host);
  if (!made) return st != OAK_OK ? st : OAK_FAIL(OAK_ERR_DEVICE, "another rank has no flags");
  if (peers->me != 0) OAK_TRY(oak_device_flags_attach(peers->dev, &peers->page, &page));
  peers->flag = page;
  return OAK_OK;
}

/* 1 if this rank finds in the memory of every peer what that peer has written. */
static oak_status_t read_trial(oak_peers_t *peers, const oak_shared_t *trial) {
  for (int p = 0; p < peers->count; p++) {
    int seen[2] = {-1, -1};
    if (p == peers->me) continue;
    OAK_CHECK(trial->peer[p], OAK_ERR_DEVICE, "memory of another rank cannot be mapped");
    OAK_TRY(oak_device_download(peers->dev, seen, trial->peer[p], sizeof seen));
    OAK_CHECK(seen[0] == p && seen[1] == ~p, OAK_ERR_DEVICE,
              "memory of another rank, mapped here, does not hold what was written to it");
  }
  return OAK_OK;
}

/* Try the whole sequence once: share memory, meet, read. All ranks of a host take each step, or
 * none does. */
static oak_status_t try_sharing(oak_peers_t *peers) {
  oak_shared_t trial = {0};
  const oak_need_t need = {&trial, 1, TRIAL_BYTES};
  const int mark[2] = {peers->me, ~peers->me};
  OAK_TRY(oak_agree(peers->host, open_flags(peers)));
  oak_status_t st = oak_peers_fit(peers, &need, 1, NULL);
  if (st == OAK_OK) st = oak_device_upload(peers->dev, trial.mine, mark, sizeof mark);
  st = oak_agree(peers->host, st);
  if (st == OAK_OK) {
    st = oak_peers_meet(peers, NULL);
    if (st == OAK_OK) st = read_trial(peers, &trial);
    st = oak_agree(peers->host, st);
  }
  oak_peers_free(peers, &trial);
  return st;
}

oak_status_t oak_peers_open(oak_peers_t *peers, MPI_Comm comm, oak_device_t *dev, int wanted,
                            char *why, size_t size) {
  *peers = (oak_peers_t){.dev = dev, .host = MPI_COMM_NULL, .count = 1};
  *why = 0;
  if (!wanted) return OAK_OK;
  oak_hosts_split(comm, &peers->host);
  oak_await_open(peers->host);
  MPI_Comm_rank(peers->host, &peers->me);
  MPI_Comm_size(peers->host, &peers->count);
  oak_status_t st = number_ranks(peers, comm);
  if (st == OAK_OK && peers->count > 1) {
    const oak_status_t shared =
        !oak_device_shares(dev)
            ? OAK_FAIL(OAK_ERR_DEVICE, "device %s cannot do it", oak_device_ops(dev)->name)
        : peers->count > MOST_PEERS ? OAK_FAIL(OAK_ERR_DEVICE, "%d ranks on a host, at most %d can",
                                               peers->count, MOST_PEERS)
                                    : try_sharing(peers);
    if (shared == OAK_OK) return OAK_OK;
    snprintf(why, size, "%s", oak_last_error());
  }
  oak_peers_close(peers);
  return st;
}

void oak_peers_close(oak_peers_t *peers) {
  if (peers->host == MPI_COMM_NULL) return;
  oak_device_sync(peers->dev);
  MPI_Barrier(peers->host); /* wait until no rank waits for a flag */
  if (peers->flag)
    oak_device_flags_close(peers->dev, peers->flag, peers->me == 0 ? &peers->page : NULL);
  oak_await_close(peers->host);
  MPI_Comm_free(&peers->host);
  free(peers->number);
  *peers = (oak_peers_t){.dev = peers->dev, .host = MPI_COMM_NULL, .count = 1};
}

/* ---- memory */

static int fits(const oak_need_t *w) {
  const int64_t bytes = w->count * w->unit, have = w->memory->bytes;
  return bytes <= have && (2 * bytes >= have || have <= 64 * w->unit);
}

/* Units beyond those that are needed. Two GPUs take 7 ms to give each other new memory of a GB, so
 * memory of a device that has much of it left grows by a quarter. */
static int64_t extra_units(const oak_peers_t *peers, const oak_need_t *w) {
  const oak_device_ops_t *ops = oak_device_ops(peers->dev);
  const int64_t least = w->count / 32 + 1, most = w->count / 4;
  const int64_t room = ops->room ? (int64_t)(ops->room(peers->dev) / 8) / w->unit : 0;
  const int64_t more = room < most ? room : most;
  return more > least ? more : least;
}

/* A first allocation is exact. Memory that grows gets some extra room, if there is memory for it,
 * so that not every change of the mesh allocates. */
static oak_status_t allocate(oak_peers_t *peers, const oak_need_t *w, int first) {
  oak_shared_t *m = w->memory;
  int64_t count = first || w->count == 0 ? w->count : w->count + extra_units(peers, w);
  oak_status_t st = OAK_OK;
  for (int attempt = 0; attempt < 2; attempt++, count = w->count) {
    m->bytes = count * w->unit;
    m->mine = NULL;
    if (m->bytes == 0) return OAK_OK;
    st = peers->count > 1 ? oak_device_share(peers->dev, m->bytes, &m->mine, &m->handle)
                          : oak_device_alloc(peers->dev, m->bytes, &m->mine);
    if (st == OAK_OK) return OAK_OK;
  }
  m->bytes = 0;
  return st;
}

static void release(oak_peers_t *peers, oak_shared_t *m) {
  if (peers->count > 1)
    oak_device_unshare(peers->dev, m->mine, &m->handle);
  else
    oak_device_free(peers->dev, m->mine);
  m->mine = NULL;
  m->bytes = 0;
}

static void forget(oak_peers_t *peers, oak_shared_t *m, int p) {
  if (!m->peer || !m->peer[p]) return;
  oak_device_detach(peers->dev, m->peer[p]);
  m->peer[p] = NULL;
}

/* What each rank tells its peers about its memory. */
typedef struct {
  int there;
  oak_handle_t handle;
} note_t;

static oak_status_t see_peers(oak_peers_t *peers, oak_shared_t *m, const unsigned *mask, int bit) {
  note_t mine = {m->mine != NULL, m->handle};
  OAK_FREED note_t *all = NULL;
  oak_status_t st = OAK_NEW(all, peers->count);
  if (st == OAK_OK && !m->peer) st = OAK_NEW(m->peer, peers->count);
  OAK_TRY(oak_agree(peers->host, st));
  MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE, peers->host);
  for (int p = 0; p < peers->count; p++)
    if (p != peers->me && mask[p] >> bit & 1 && all[p].there)
      OAK_TRY(oak_device_attach(peers->dev, &all[p].handle, &m->peer[p]));
  return OAK_OK;
}

/* Memory of another size, with new contents, where \a mine has the bit of a need. */
static oak_status_t renew(oak_peers_t *peers, const oak_need_t *need, int n, unsigned mine) {
  oak_status_t st = OAK_OK;
  for (int i = 0; i < n; i++) {
    if (!(mine >> i & 1)) continue;
    const int first = !need[i].memory->mine;
    release(peers, need[i].memory);
    oak_keep_failure(&st, allocate(peers, &need[i], first));
  }
  return st;
}

static oak_status_t fit_shared(oak_peers_t *peers, const oak_need_t *need, int n, unsigned mine,
                               unsigned any, const unsigned *mask) {
  oak_status_t st = oak_device_sync(peers->dev);
  MPI_Barrier(peers->host); /* wait until no kernel of a peer reads this memory */
  for (int i = 0; i < n; i++)
    for (int p = 0; p < peers->count; p++)
      if (mask[p] >> i & 1) forget(peers, need[i].memory, p);
  MPI_Barrier(peers->host); /* wait until no peer has it mapped */
  oak_keep_failure(&st, renew(peers, need, n, mine));
  for (int i = 0; i < n; i++)
    if (any >> i & 1) oak_keep_failure(&st, see_peers(peers, need[i].memory, mask, i));
  return st;
}

oak_status_t oak_peers_fit(oak_peers_t *peers, const oak_need_t *need, int n, int *changed) {
  unsigned mine = 0, any = 0, mask[MOST_PEERS];
  OAK_ASSERT(n <= 32);
  for (int i = 0; i < n; i++) mine |= (unsigned)!fits(&need[i]) << i;
  if (changed) *changed = mine != 0;
  if (peers->count == 1) return renew(peers, need, n, mine);
  oak_await(peers->host);
  MPI_Allgather(&mine, 1, MPI_UNSIGNED, mask, 1, MPI_UNSIGNED, peers->host);
  for (int p = 0; p < peers->count; p++) any |= mask[p];
  if (changed) *changed = any != 0;
  return any ? fit_shared(peers, need, n, mine, any, mask) : OAK_OK;
}

void oak_peers_free(oak_peers_t *peers, oak_shared_t *memory) {
  if (peers->count > 1) {
    oak_device_sync(peers->dev);
    MPI_Barrier(peers->host);
    for (int p = 0; p < peers->count; p++) forget(peers, memory, p);
    MPI_Barrier(peers->host);
  }
  release(peers, memory);
  free(memory->peer);
  memory->peer = NULL;
}

/* ---- meetings */

static uint64_t *flag_of(const oak_peers_t *peers, int p) { return peers->flag + p * LINE; }

oak_status_t oak_peers_meet(oak_peers_t *peers, const unsigned char *with) {
  if (peers->count == 1 || peers->released) return OAK_OK;
  oak_status_t st = oak_device_signal(peers->dev, flag_of(peers, peers->me), ++peers->sequence);
  if (st != OAK_OK) oak_peers_release(peers);
  for (int p = 0; p < peers->count && st == OAK_OK; p++)
    if (p != peers->me && (!with || with[p]))
      st = oak_device_wait(peers->dev, flag_of(peers, p), peers->sequence);
  return st;
}

void oak_peers_release(oak_peers_t *peers) {
  const uint64_t never = (uint64_t)1 << 40; /* more than the number of meetings in any run */
  if (peers->count == 1 || peers->released) return;
  peers->released = 1;
  oak_flag_raise((oak_flag_t *)flag_of(peers, peers->me), peers->sequence + never);
}
