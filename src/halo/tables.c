/* SPDX-License-Identifier: GPL-2.0-or-later
 * The memory of a pattern: its limits, set-up, and the one allocation that holds all its lists. */
#include <stdlib.h>
#include <string.h>

#include "base/shape.h"
#include "halo/pattern.h"

/* Along one axis. */
static oak_status_t check_axis(int n, int layers, int refined) {
  OAK_CHECK(n >= 4 && n % 2 == 0, OAK_ERR_INPUT,
            "mesh.block_size = %d: must be an even number of at least 4", n);
  OAK_CHECK(
      layers <= n, OAK_ERR_INPUT,
      "mesh.block_size = %d is smaller than the %d ghost layers: use blocks of at least %d cells",
      n, layers, layers + layers % 2);
  OAK_CHECK(
      !refined || 2 * layers <= n, OAK_ERR_INPUT,
      "mesh.block_size = %d is too small for %d ghost layers with refinement: the ghost cells of a "
      "coarse block come from %d fine cells across the face; use blocks of at least %d cells, "
      "fewer ghost layers, or mesh.max_level = mesh.min_level",
      n, layers, 2 * layers, 2 * layers);
  return OAK_OK;
}

oak_status_t oak_pattern_check(int dim, const int block_size[3], int layers, int refined) {
  OAK_CHECK(layers >= 1 && layers <= 4, OAK_ERR_INPUT, "scheme.ghost_layers = %d: must be 1 to 4",
            layers);
  for (int d = 0; d < dim; d++) OAK_TRY(check_axis(block_size[d], layers, refined));
  return OAK_OK;
}

oak_status_t oak_pattern_init(oak_pattern_t *p, const oak_transport_t *transport, int dim,
                              const int block_size[3], int layers) {
  *p = (oak_pattern_t){.revision = -1, .dim = dim, .layers = layers};
  memcpy(p->block_size, block_size, sizeof p->block_size);
  p->face.size = p->edge.size = sizeof(oak_face_t);
  p->make1.size = p->make2.size = p->late2.size = p->unpack.size = sizeof(oak_halo_task_t);
  p->last.size = sizeof(oak_halo_task_t);
  p->inner.size = p->outer.size = sizeof(int);
  p->flux.fine.size = sizeof(oak_fine_face_t);
  for (int d = 0; d < 3; d++) p->flux.coarse[d].size = sizeof(oak_coarse_face_t);
  return OAK_NEW(p->contact, transport->peers.count);
}

void oak_pattern_add_edges(oak_pattern_t *p) {
  p->edges = p->dim == 3 ? 12 : 4;
  p->revision = -1;
}

void oak_pattern_clear(oak_pattern_t *p, oak_device_t *dev) {
  oak_route_clear(&p->round1);
  oak_route_clear(&p->round2);
  oak_route_clear(&p->flux.route);
  if (!oak_device_ops(dev)->host_memory) free(p->table_host);
  oak_device_free(dev, p->table);
  free(p->contact);
  *p = (oak_pattern_t){.revision = -1};
}

int64_t oak_pattern_block_cells(const oak_pattern_t *p) { return oak_shape_cells(p->block_size); }
int64_t oak_pattern_average_cells(const oak_pattern_t *p) {
  return oak_shape_face(p->dim, p->block_size) >> (p->dim - 1);
}
int64_t oak_pattern_piece_cells(const oak_pattern_t *p) {
  return p->layers * oak_pattern_average_cells(p);
}

/* ---- the lists */

oak_status_t oak_pattern_fit_tables(oak_pattern_t *p, oak_device_t *dev, int64_t bytes,
                                    int nblock) {
  const int in_place = oak_device_ops(dev)->host_memory;
  if (bytes > p->table_capacity || bytes < p->table_capacity / 2) {
    const int64_t wanted = p->table_capacity == 0 || bytes == 0 ? bytes : bytes + bytes / 4;
    oak_device_free(dev, p->table);
    if (!in_place) free(p->table_host);
    p->table = p->table_host = NULL;
    p->table_capacity = 0;
    OAK_TRY(oak_device_alloc(dev, (size_t)wanted, &p->table));
    p->table_host = in_place ? p->table : malloc((size_t)wanted + 1);
    p->table_capacity = wanted;
  }
  OAK_CHECK(p->table_host || !bytes, OAK_ERR_MEMORY, "out of memory for the faces of %d blocks",
            nblock);
  p->table_bytes = bytes;
  return OAK_OK;
}

oak_status_t oak_pattern_upload(const oak_pattern_t *p, oak_device_t *dev) {
  if (p->table_bytes == 0 || oak_device_ops(dev)->host_memory) return OAK_OK;
  return oak_device_upload(dev, p->table, p->table_host, (size_t)p->table_bytes);
}
