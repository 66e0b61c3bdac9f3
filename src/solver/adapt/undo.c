/* SPDX-License-Identifier: GPL-2.0-or-later
 * Taking back an adaptation for which memory does not suffice: until the last allocation has
 * succeeded, the old solution stays where it is, and the old mesh is kept as a list of blocks. */
#include "solver/adapt/adapt.h"

#include <stdlib.h>
#include <string.h>

oak_status_t oak_undo_keep(oak_t *sim, oak_undo_t *undo) {
  const size_t n = (size_t)sim->data.mesh->nblock + 1;
  *undo = (oak_undo_t){.nblock = sim->data.mesh->nblock,
                       .level = malloc(n * sizeof *undo->level),
                       .index = malloc(n * sizeof *undo->index),
                       .rates = sim->rates};
  oak_status_t st = OAK_OK;
  if (undo->level && undo->index) {
    memcpy(undo->level, sim->data.mesh->level, undo->nblock * sizeof *undo->level);
    memcpy(undo->index, sim->data.mesh->index, undo->nblock * sizeof *undo->index);
  } else {
    st = OAK_FAIL(OAK_ERR_MEMORY, "out of memory for a list of %d blocks", undo->nblock);
  }
  st = oak_data_agree(&sim->data, st);
  if (st != OAK_OK) oak_undo_forget(undo);
  return st;
}

void oak_undo_forget(oak_undo_t *undo) {
  free(undo->level);
  free(undo->index);
  *undo = (oak_undo_t){.nblock = 0};
}

/* The mesh of the list, whose arrays it takes. */
static oak_status_t restore_mesh(oak_t *sim, oak_undo_t *undo) {
  const oak_status_t st =
      oak_mesh_replace(sim->data.mesh, undo->nblock, undo->level, undo->index, 1);
  sim->lost |= st != OAK_OK;
  OAK_TRY(st);
  undo->level = NULL;
  undo->index = NULL;
  return OAK_OK;
}

oak_status_t oak_undo_mesh(oak_t *sim, oak_undo_t *undo, oak_status_t st) {
  char message[4096];
  snprintf(message, sizeof message, "%s", oak_last_error());
  OAK_TRY(restore_mesh(sim, undo));
  return OAK_FAIL(st, "%s", message);
}

oak_status_t oak_undo_all(oak_t *sim, oak_undo_t *undo, oak_status_t st) {
  char message[4096];
  snprintf(message, sizeof message, "%s", oak_last_error());
  OAK_TRY(restore_mesh(sim, undo));
  oak_rates_set(sim, undo->rates);
  /* If this fails, the next step tries it again. */
  OAK_TRY(oak_storage_reserve(&sim->data, 1, sim->setup.method.nstate, sim->data.mesh->nblock));
  /* The tables belong to this mesh, which now has another revision number. */
  oak_storage_fitted(&sim->data);
  return OAK_FAIL(st, "%s; mesh and solution are those before the adaptation", message);
}

/* Bytes that the device needs in addition for a mesh that gives this rank `blocks`. The estimate
 * assumes that tables and halo buffers grow with the number of blocks. */
static int64_t more_bytes(const oak_t *sim, int64_t blocks, int64_t old_blocks) {
  const int64_t block = (int64_t)sim->setup.nvar * sim->setup.block.cells * sim->setup.bytes.store;
  int64_t states = 0, more = 0;
  for (int s = 0; s < sim->setup.method.nstate; s++) {
    const int64_t have = sim->data.storage.state[s].memory.bytes;
    states += have;
    if (blocks * block > have) more += blocks * block - have;
  }
  const double growth = (double)(blocks - old_blocks) / (double)(old_blocks > 0 ? old_blocks : 1);
  if (growth > 0) more += (int64_t)(growth * (double)(oak_memory(sim) - states));
  return more;
}

oak_status_t oak_undo_probe(oak_t *sim, int old_blocks) {
  const int64_t share =
      (sim->data.mesh->nglobal + sim->setup.size - 1) / sim->setup.size + (1 << sim->setup.dim);
  const int64_t most = sim->data.mesh->nblock > share ? sim->data.mesh->nblock : share;
  const int64_t bytes = most > old_blocks ? more_bytes(sim, most, old_blocks) : 0;
  void *trial = NULL;
  if (bytes == 0) return OAK_OK;
  oak_status_t st = oak_device_alloc(sim->setup.dev, (size_t)bytes, &trial);
  if (st == OAK_ERR_MEMORY)
    st = OAK_FAIL(OAK_ERR_MEMORY,
                  "no memory for %lld blocks on rank %d, %.3g MB more than it has: lower "
                  "mesh.max_level, refine less or use more ranks: %s",
                  (long long)most, sim->setup.rank, (double)bytes * 1e-6, oak_last_error());
  oak_device_free(sim->setup.dev, trial);
  return st;
}
