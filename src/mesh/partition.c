/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which rank gets which blocks: where the curve through all blocks is cut, and the ranges of blocks
 * that a new partition moves. All ranks know where the blocks of each begin, so most of it needs no
 * communication. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/forest.h"

/* ---- cuts */

/* The most blocks that a rank has. */
static double most_blocks(int size, const int32_t *count) {
  double most = 0;
  for (int r = 0; r < size; r++) most = fmax(most, count[r]);
  return most;
}

/* A new distribution costs time. It is made only if the rank with the most blocks gains at
 * least this share. */
static const double LEAST_GAIN = 0.02;

/* Blocks that each rank gets. \return whether they differ from those that it has. */
static int choose_counts(const oak_mesh_t *mesh, const oak_balance_t *b, int32_t *count) {
  const int64_t *first = OAK_BY_DIM(mesh, oak_forest_first, mesh->forest);
  for (int r = 0; r < mesh->size; r++) count[r] = (int32_t)(first[r + 1] - first[r]);
  const double now = most_blocks(mesh->size, count);
  const int64_t even = (mesh->nglobal + mesh->size - 1) / mesh->size;
  const int uneven = now > b->kappa_max * (double)even;
  for (int r = 0; r < mesh->size && uneven; r++)
    count[r] = (int32_t)(mesh->nglobal * (r + 1) / mesh->size - mesh->nglobal * r / mesh->size);
  if (b->families) OAK_BY_DIM(mesh, oak_forest_families, mesh->forest, count);
  /* Keep the old counts if the gain is small, because families stay whole. */
  if (uneven && most_blocks(mesh->size, count) > (1 - LEAST_GAIN) * now) {
    for (int r = 0; r < mesh->size; r++) count[r] = (int32_t)(first[r + 1] - first[r]);
    if (b->families) OAK_BY_DIM(mesh, oak_forest_families, mesh->forest, count);
  }
  for (int r = 0; r < mesh->size; r++)
    if (count[r] != first[r + 1] - first[r]) return 1;
  return 0;
}

/* ---- what moves */

/* Part of [a0, a1) that lies in [b0, b1). */
static int64_t overlap(int64_t a0, int64_t a1, int64_t b0, int64_t b1, int64_t *start) {
  *start = a0 > b0 ? a0 : b0;
  const int64_t end = a1 < b1 ? a1 : b1;
  return end > *start ? end - *start : 0;
}

/* The rank that holds a block: the last one that begins at it or before. */
static int rank_of(const int64_t *first, int size, int64_t block) {
  int low = 0, high = size;
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    if (first[middle] <= block)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* The ranks [range[0], range[1]) among which blocks [from, to) are; some of them may have none. */
static int ranks_of(const int64_t *first, int size, int64_t from, int64_t to, int range[2]) {
  range[0] = from < to ? rank_of(first, size, from) : 0;
  range[1] = from < to ? rank_of(first, size, to - 1) + 1 : 0;
  return range[1] - range[0];
}

static oak_status_t plan_transfer(const oak_mesh_t *mesh, const int64_t *old_first,
                                  const int64_t *new_first, oak_transfer_t *t) {
  const int me = mesh->rank, size = mesh->size;
  int to[2], from[2];
  const int most = 1 + ranks_of(new_first, size, old_first[me], old_first[me + 1], to) +
                   ranks_of(old_first, size, new_first[me], new_first[me + 1], from);
  OAK_TRY(OAK_NEW(t->rank, most));
  OAK_TRY(OAK_NEW(t->offset, most));
  OAK_TRY(OAK_NEW(t->count, most));
  OAK_TRY(OAK_NEW(t->from, most));
  int n = 0;
  int64_t start;
  for (int r = to[0]; r < to[1]; r++) {
    const int64_t count =
        overlap(old_first[me], old_first[me + 1], new_first[r], new_first[r + 1], &start);
    if (!count) continue;
    if (r == me) {
      t->keep_from = (int)(start - old_first[me]);
      t->keep_to = (int)(start - new_first[me]);
      t->keep_count = (int)count;
      continue;
    }
    t->rank[n] = r, t->offset[n] = t->from[n] = (int)(start - old_first[me]);
    t->count[n++] = (int)count;
  }
  t->nsend = n;
  for (int r = from[0]; r < from[1]; r++) {
    const int64_t count =
        overlap(old_first[r], old_first[r + 1], new_first[me], new_first[me + 1], &start);
    if (!count || r == me) continue;
    t->rank[n] = r, t->offset[n] = (int)(start - new_first[me]);
    t->from[n] = (int)(start - old_first[r]), t->count[n++] = (int)count;
  }
  t->nrecv = n - t->nsend;
  return OAK_OK;
}

oak_status_t oak_mesh_partition(oak_mesh_t *mesh, const oak_balance_t *balance, int *moved,
                                oak_transfer_t *transfer) {
  const int64_t *first = OAK_BY_DIM(mesh, oak_forest_first, mesh->forest);
  memset(transfer, 0, sizeof *transfer);
  *moved = 0;
  if (mesh->size == 1) return OAK_OK;
  OAK_FREED int64_t *old_first = NULL;
  OAK_FREED int32_t *count = NULL;
  oak_status_t st = OAK_NEW(count, mesh->size);
  if (st == OAK_OK) st = OAK_NEW(old_first, mesh->size + 1);
  st = oak_agree(mesh->comm, st);
  if (st == OAK_OK && choose_counts(mesh, balance, count)) {
    memcpy(old_first, first, (mesh->size + 1) * sizeof *old_first);
    OAK_BY_DIM(mesh, oak_forest_distribute, mesh->forest, count);
    *moved = 1;
    st = oak_mesh_read(mesh);
    if (st == OAK_OK)
      st = plan_transfer(mesh, old_first, OAK_BY_DIM(mesh, oak_forest_first, mesh->forest),
                         transfer);
    st = oak_agree(mesh->comm, st);
  }
  return st;
}

void oak_transfer_clear(oak_transfer_t *transfer) {
  free(transfer->rank);
  free(transfer->offset);
  free(transfer->count);
  free(transfer->from);
  memset(transfer, 0, sizeof *transfer);
}
