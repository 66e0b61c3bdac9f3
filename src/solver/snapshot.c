/* SPDX-License-Identifier: GPL-2.0-or-later
 * Copies of the solution from which files are written while time steps go on. The copy is made on
 * the device, which takes about as long as one stage of a time step. A thread then fetches it
 * through memory of the host, by a queue of its own. */
#include <stdlib.h>

#include "solver/sim.h"

struct oak_snapshot {
  oak_t *sim;
  int count;
  struct {
    char *memory;
    size_t block_bytes;
  } part[OAK_MAX_FIELDS + 1]; /**< the state, stored fields */
};

/** Memory that must stay free beside a snapshot, so that smaller needs of a run are met while it is
 * there. */
static size_t reserve(size_t bytes) { return bytes / 4 + ((size_t)16 << 20); }

static oak_status_t copy_parts(oak_snapshot_t *s, const oak_carried_t *list) {
  oak_t *sim = s->sim;
  const oak_device_ops_t *ops = oak_device_ops(sim->dev);
  for (int i = 0; i < s->count; i++) {
    const size_t bytes = s->part[i].block_bytes * (size_t)sim->mesh->nblock;
    void *memory;
    OAK_TRY(oak_device_alloc(sim->dev, bytes, &memory));
    s->part[i].memory = memory;
    OAK_TRY(ops->keep(sim->dev, memory, list[i].now->memory.mine, bytes));
  }
  return OAK_OK;
}

/** Memory of the host for a chunk; it is kept, because it takes long to get. */
static oak_status_t fit_buffer(oak_t *sim, size_t chunk) {
  const oak_device_ops_t *ops = oak_device_ops(sim->dev);
  if (chunk <= sim->snapshot.bytes) return OAK_OK;
  oak_snapshot_clear(sim);
  OAK_TRY(ops->host_alloc(sim->dev, chunk, &sim->snapshot.buffer));
  sim->snapshot.bytes = chunk;
  return OAK_OK;
}

void oak_snapshot_prepare(oak_t *sim, size_t chunk) {
  if (oak_device_ops(sim->dev)->keep) (void)fit_buffer(sim, chunk);
}

oak_snapshot_t *oak_snapshot_take(oak_t *sim, size_t chunk) {
  const oak_device_ops_t *ops = oak_device_ops(sim->dev);
  oak_carried_t list[OAK_MAX_FIELDS + 1];
  size_t bytes = 0;
  if (!ops->keep || sim->snapshot.taken || sim->mesh->nblock == 0) return NULL;
  oak_snapshot_t *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->sim = sim;
  s->count = oak_carried(sim, list);
  for (int i = 0; i < s->count; i++) {
    s->part[i].block_bytes =
        (size_t)list[i].exchange->components * (size_t)sim->cells * (size_t)sim->store_size;
    bytes += s->part[i].block_bytes * (size_t)sim->mesh->nblock;
  }
  sim->snapshot.taken = 1;
  if (ops->room(sim->dev) >= bytes + reserve(bytes) && fit_buffer(sim, chunk) == OAK_OK &&
      copy_parts(s, list) == OAK_OK)
    return s;
  oak_snapshot_free(s);
  return NULL;
}

void *oak_snapshot_buffer(const oak_snapshot_t *s) { return s ? s->sim->snapshot.buffer : NULL; }

oak_status_t oak_snapshot_read(void *snapshot, int b0, int n, void *dst) {
  const oak_snapshot_t *s = snapshot;
  oak_device_t *dev = s->sim->dev;
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
  for (int i = 0; i < s->count; i++) oak_device_free(s->sim->dev, s->part[i].memory);
  s->sim->snapshot.taken = 0;
  free(s);
}

void oak_snapshot_clear(oak_t *sim) {
  if (sim->snapshot.buffer) oak_device_ops(sim->dev)->host_free(sim->dev, sim->snapshot.buffer);
  sim->snapshot.buffer = NULL;
  sim->snapshot.bytes = 0;
}
