/* SPDX-License-Identifier: GPL-2.0-or-later
 * Memory of the device for a solver, and how much it has on this rank. */
#include <stdlib.h>

#include "base/failure.h"
#include "elliptic/elliptic.h"

oak_status_t oak_elliptic_alloc(oak_elliptic_t *e, size_t bytes, void **out) {
  void **more = realloc(e->memory, (e->nmemory + 1) * sizeof *more);
  OAK_CHECK(more, OAK_ERR_MEMORY, "out of memory for the addresses of %d arrays", e->nmemory + 1);
  e->memory = more;
  OAK_TRY(oak_device_alloc(e->dev, bytes, out));
  e->memory[e->nmemory++] = *out;
  e->bytes += (int64_t)bytes;
  return OAK_OK;
}

void oak_elliptic_free_all(oak_elliptic_t *e) {
  for (int i = 0; i < e->nmemory; i++) oak_device_free(e->dev, e->memory[i]);
  free(e->memory);
  e->memory = NULL;
  e->nmemory = 0;
  e->bytes = 0;
}

oak_status_t oak_elliptic_put(oak_elliptic_t *e, const void *host, size_t bytes, void **out) {
  OAK_TRY(oak_elliptic_alloc(e, bytes, out));
  return oak_device_upload(e->dev, *out, host, bytes);
}

int64_t oak_elliptic_bytes(const oak_elliptic_t *e) {
  if (!e || e->nlevel == 0) return 0;
  int64_t bytes = e->bytes + e->gather.part.bytes;
  for (int l = 0; l < e->nlevel; l++) {
    const oak_elliptic_level_t *level = &e->level[l];
    bytes += oak_exchange_bytes(&level->exchange) + level->u.memory.bytes +
             level->pattern.table_capacity + level->average.piece.bytes;
    if (e->setup.fields) bytes += oak_exchange_bytes(&level->cexchange) + level->a.memory.bytes;
  }
  return bytes;
}
