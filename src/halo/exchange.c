/* SPDX-License-Identifier: GPL-2.0-or-later
 * The two rounds of the ghost cell exchange, and the storage behind them. */
#include <stdlib.h>
#include <string.h>

#include "halo/halo.h"

oak_status_t oak_halo_check(int block_size, int layers, int refined) {
  OAK_CHECK(block_size >= 4 && block_size % 2 == 0, OAK_ERR_INPUT,
            "mesh.block_size = %d: must be an even number of at least 4", block_size);
  OAK_CHECK(layers >= 1 && layers <= 4, OAK_ERR_INPUT, "scheme.ghost_layers = %d: must be 1 to 4",
            layers);
  OAK_CHECK(
      layers <= block_size, OAK_ERR_INPUT,
      "mesh.block_size = %d is smaller than the %d ghost layers: use blocks of at least %d cells",
      block_size, layers, layers + layers % 2);
  OAK_CHECK(
      !refined || 2 * layers <= block_size, OAK_ERR_INPUT,
      "mesh.block_size = %d is too small for %d ghost layers with refinement: the ghost cells of a "
      "coarse block come from %d fine cells across the face; use blocks of at least %d cells, "
      "fewer "
      "ghost layers, or mesh.max_level = mesh.min_level",
      block_size, layers, 2 * layers, 2 * layers);
  return OAK_OK;
}

void oak_halo_init(oak_halo_t *halo, MPI_Comm comm, oak_device_t *dev, int dim, int block_size,
                   int layers, int nvar, int real_size) {
  memset(halo, 0, sizeof *halo);
  halo->comm = comm;
  halo->dev = dev;
  halo->dim = dim;
  halo->block_size = block_size;
  halo->layers = layers;
  halo->nvar = nvar;
  halo->real_size = real_size;
  halo->revision = -1;
  halo->face.size = sizeof(oak_face_t);
  halo->make1.size = halo->make2.size = halo->unpack.size = sizeof(oak_halo_task_t);
  halo->fine.size = sizeof(oak_fine_face_t);
  for (int d = 0; d < 3; d++) halo->coarse[d].size = sizeof(oak_coarse_face_t);
}

void oak_halo_clear(oak_halo_t *halo) {
  if (!halo->dev) return;
  oak_messages_clear(&halo->round1);
  oak_messages_clear(&halo->round2);
  oak_messages_clear(&halo->flux_messages);
  if (!oak_device_ops(halo->dev)->host_memory) free(halo->table_host);
  oak_device_free(halo->dev, halo->table);
  oak_device_free(halo->dev, halo->buffer);
  oak_device_free(halo->dev, halo->bflux);
  oak_device_free(halo->dev, halo->piece);
  memset(halo, 0, sizeof *halo);
}

int64_t oak_halo_bytes(const oak_halo_t *halo) {
  return (halo->buffer_capacity + halo->bflux_capacity + halo->piece_capacity) * halo->real_size +
         halo->table_capacity;
}

static oak_status_t run(oak_halo_t *halo, const oak_list_t *list, oak_halo_args_t *args) {
  if (!list->count) return OAK_OK;
  args->task = list->device;
  return oak_device_launch(halo->dev, halo->kernel, list->count, args, sizeof *args);
}

/* The first failure is the one to report. */
static void note(oak_status_t *st, oak_status_t next) {
  if (*st == OAK_OK) *st = next;
}

/* Send what was made and wait for the others' part. */
static oak_status_t round_trip(oak_halo_t *halo, oak_messages_t *messages, int tag,
                               oak_timers_t *timers) {
  if (!oak_messages_any(messages)) return OAK_OK;
  oak_timer_start(timers, OAK_PHASE_MPI);
  oak_status_t st = oak_messages_begin(messages, halo->comm, halo->dev, halo->buffer, halo->buffer,
                                       halo->real_size, tag);
  note(&st, oak_messages_end(messages, halo->dev, halo->buffer, halo->real_size));
  oak_timer_stop(timers, OAK_PHASE_MPI);
  return st;
}

/* A rank that fails goes through all messages nevertheless: the others wait for them. */
oak_status_t oak_halo_fill(oak_halo_t *halo, oak_halo_args_t *args, oak_timers_t *timers) {
  args->halo = halo->buffer;
  args->f.halo = halo->buffer;
  args->f.face = halo->face.device;
  oak_status_t st = OAK_OK;
  if (halo->make1.count || halo->unpack.count || oak_messages_any(&halo->round1)) {
    oak_timer_start(timers, OAK_PHASE_GHOST_R1);
    st = run(halo, &halo->make1, args);
    note(&st, round_trip(halo, &halo->round1, 1, timers));
    if (st == OAK_OK) st = run(halo, &halo->unpack, args);
    oak_timer_stop(timers, OAK_PHASE_GHOST_R1);
  }
  if (halo->make2.count || oak_messages_any(&halo->round2)) {
    oak_timer_start(timers, OAK_PHASE_GHOST_R2);
    if (st == OAK_OK) st = run(halo, &halo->make2, args);
    note(&st, round_trip(halo, &halo->round2, 2, timers));
    oak_timer_stop(timers, OAK_PHASE_GHOST_R2);
  }
  return st;
}
