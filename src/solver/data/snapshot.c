/* SPDX-License-Identifier: GPL-2.0-or-later
 * Copies of the solution from which files are written while time steps go on. The copy is made on
 * the device, which takes about as long as one stage of a time step. A thread then fetches it
 * through memory of the host, by a queue of its own. */
#include <stdlib.h>
#include <string.h>

#include "solver/data/data.h"
#include "solver/data/variables.h"

struct oak_snapshot {
  oak_data_t *data;
  int count;
  int nblock; /**< the mesh may change meanwhile */
  struct {
    char *memory;
    size_t block_bytes;
  } part[OAK_MAX_CARRIED]; /**< the state, stored fields */
};

/** Memory that must stay free beside a snapshot, so that the run can make small allocations while
 * the snapshot exists. */
static size_t reserve(size_t bytes) { return bytes / 4 + ((size_t)16 << 20); }

static oak_status_t copy_parts(oak_snapshot_t *s, const oak_carried_t *list) {
  oak_data_t *data = s->data;
  const oak_device_ops_t *ops = oak_device_ops(data->setup->dev);
  for (int i = 0; i < s->count; i++) {
    const size_t bytes = s->part[i].block_bytes * (size_t)data->mesh->nblock;
    void *memory;
    OAK_TRY(oak_device_alloc(data->setup->dev, bytes, &memory));
    s->part[i].memory = memory;
    OAK_TRY(ops->keep(data->setup->dev, memory, list[i].now->memory.mine, bytes));
  }
  return OAK_OK;
}

/** Memory of the host for a chunk. It is kept for the next snapshot, because allocating pinned
 * memory takes long. */
static oak_status_t fit_buffer(oak_data_t *data, size_t chunk) {
  const oak_device_ops_t *ops = oak_device_ops(data->setup->dev);
  if (chunk <= data->snapshot.bytes) return OAK_OK;
  if (data->snapshot.taken > 1) return OAK_ERR_MEMORY; /* another copy uses it */
  oak_snapshot_clear(data);
  OAK_TRY(ops->host_alloc(data->setup->dev, chunk, &data->snapshot.buffer));
  data->snapshot.bytes = chunk;
  return OAK_OK;
}

void oak_snapshot_prepare(oak_data_t *data, size_t chunk) {
  if (oak_device_ops(data->setup->dev)->keep) (void)fit_buffer(data, chunk);
}

static oak_snapshot_t *new_snapshot(oak_data_t *data, int nblock) {
  oak_snapshot_t *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->data = data;
  s->nblock = nblock;
  data->snapshot.taken++;
  return s;
}

oak_snapshot_t *oak_snapshot_take(oak_data_t *data, size_t chunk) {
  const oak_device_ops_t *ops = oak_device_ops(data->setup->dev);
  oak_carried_t list[OAK_MAX_CARRIED];
  size_t bytes = 0;
  if (!ops->keep || data->mesh->nblock == 0) return NULL;
  oak_snapshot_t *s = new_snapshot(data, data->mesh->nblock);
  if (!s) return NULL;
  s->count = oak_carried(data, list);
  for (int i = 0; i < s->count; i++) {
    s->part[i].block_bytes = (size_t)list[i].exchange->stored * (size_t)data->setup->block.cells *
                             (size_t)data->setup->bytes.store;
    bytes += s->part[i].block_bytes * (size_t)data->mesh->nblock;
  }
  if (ops->room(data->setup->dev) >= bytes + reserve(bytes) && fit_buffer(data, chunk) == OAK_OK &&
      copy_parts(s, list) == OAK_OK)
    return s;
  oak_snapshot_free(s);
  return NULL;
}

static oak_status_t keep_variable(oak_snapshot_t *s, int variable, const int *block, char *memory) {
  for (int b = 0; b < s->nblock;) { /* blocks that follow each other are kept together */
    int count = block ? 1 : s->nblock;
    while (b + count < s->nblock && block[b + count] == block[b] + count) count++;
    OAK_TRY(oak_variable_keep(s->data, variable, block ? block[b] : 0, count,
                              memory + (size_t)b * s->part[0].block_bytes));
    b += count;
  }
  return OAK_OK;
}

/* Kernels write the values of each variable into memory of their own, in the queue of the run. */
static oak_status_t keep_values(oak_snapshot_t *s, int count, const int *variable,
                                const int *block) {
  oak_data_t *data = s->data;
  const size_t bytes = s->part[0].block_bytes * (size_t)s->nblock;
  void *memory;
  OAK_TRY(oak_device_alloc(data->setup->dev, bytes * (size_t)count, &memory));
  s->part[0].memory = memory;
  for (int v = 0; v < count; v++)
    OAK_TRY(keep_variable(s, variable[v], block, s->part[0].memory + (size_t)v * bytes));
  OAK_TRY(oak_device_ops(data->setup->dev)->keep(data->setup->dev, memory, memory, 0));
  return oak_device_sync(data->setup->dev); /* kernels may have read blocks of peers in place */
}

oak_snapshot_t *oak_snapshot_values(oak_data_t *data, int count, const int *variable, int nblock,
                                    const int *block, size_t chunk) {
  const oak_device_ops_t *ops = oak_device_ops(data->setup->dev);
  const size_t block_bytes = (size_t)data->setup->block.cells * sizeof(double);
  const size_t bytes = block_bytes * (size_t)nblock * (size_t)count;
  for (int v = 0; v < count; v++)
    if (!oak_variable_keepable(data->setup, variable[v])) return NULL;
  if (!ops->keep || chunk < block_bytes) return NULL;
  oak_snapshot_t *s = new_snapshot(data, nblock);
  if (!s || s->nblock == 0) return s;
  s->count = 1;
  s->part[0].block_bytes = block_bytes;
  if (ops->room(data->setup->dev) >= bytes + reserve(bytes) && fit_buffer(data, chunk) == OAK_OK &&
      keep_values(s, count, variable, block) == OAK_OK)
    return s;
  oak_snapshot_free(s);
  return NULL;
}

oak_status_t oak_snapshot_read_value(oak_snapshot_t *s, int var, int b0, int n, double *dst) {
  oak_device_t *dev = s->data->setup->dev;
  const size_t block_bytes = s->part[0].block_bytes;
  const int most = (int)(s->data->snapshot.bytes / block_bytes);
  for (int done = 0; done < n; done += most) {
    const int count = n - done < most ? n - done : most;
    const size_t bytes = (size_t)count * block_bytes;
    const char *from =
        s->part[0].memory + ((size_t)var * (size_t)s->nblock + (size_t)(b0 + done)) * block_bytes;
    OAK_TRY(oak_device_ops(dev)->fetch(dev, s->data->snapshot.buffer, from, bytes));
    memcpy((char *)dst + (size_t)done * block_bytes, s->data->snapshot.buffer, bytes);
  }
  return OAK_OK;
}

void *oak_snapshot_buffer(const oak_snapshot_t *s) { return s ? s->data->snapshot.buffer : NULL; }

oak_status_t oak_snapshot_read(void *snapshot, int b0, int n, void *dst) {
  const oak_snapshot_t *s = snapshot;
  oak_device_t *dev = s->data->setup->dev;
  const oak_device_ops_t *ops = oak_device_ops(dev);
  const int blocks = s->count == 1 ? n : 1; /* the fields of a block follow its state */
  char *to = dst;
  for (int b = b0; b < b0 + n; b += blocks)
    for (int i = 0; i < s->count; i++) {
      const size_t bytes = s->part[i].block_bytes;
      OAK_TRY(ops->fetch(dev, to, s->part[i].memory + b * bytes, blocks * bytes));
      to += blocks * bytes;
    }
  return OAK_OK;
}

void oak_snapshot_free(void *snapshot) {
  oak_snapshot_t *s = snapshot;
  if (!s) return;
  for (int i = 0; i < s->count; i++) oak_device_free(s->data->setup->dev, s->part[i].memory);
  s->data->snapshot.taken--;
  free(s);
}

void oak_snapshot_clear(oak_data_t *data) {
  if (data->snapshot.buffer)
    oak_device_ops(data->setup->dev)->host_free(data->setup->dev, data->snapshot.buffer);
  data->snapshot.buffer = NULL;
  data->snapshot.bytes = 0;
}
