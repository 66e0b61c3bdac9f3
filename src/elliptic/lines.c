/* SPDX-License-Identifier: GPL-2.0-or-later
 * Lines of cells that go on from block to block. Beside r = 0 and poles, cells are so narrow along
 * the angles that the values of a whole ring or shell belong together. Lines within a block do not
 * carry them around, and the next coarser level cannot represent what changes from ring to ring. On
 * levels of few cells, which each rank has as a whole, smoothing therefore solves lines along the
 * angles as far as the mesh continues them on the same level. */
#include "base/failure.h"
#include "elliptic/elliptic.h"
#include "mesh/neighbours.h"

/* Whether smoothing solves such lines along an axis. */
static int is_angle(const oak_elliptic_t *e, int axis) {
  return axis == 1 || (axis == 2 && e->setup.coordinates == OAK_SPHERICAL);
}

int oak_elliptic_chained(const oak_elliptic_t *e, const oak_mesh_t *mesh) {
  return e->chains && mesh->nglobal * e->cells <= e->setup.gather_cells;
}

/* The block on the same level across a face, or -1. */
static int beside(const oak_mesh_t *mesh, int block, int face) {
  const oak_neighbour_t n = oak_neighbours_face(mesh->neighbours, block, face);
  return n.kind == OAK_NEIGHBOUR_SAME ? n.block[0] : -1;
}

/* Chains with an end begin there. The blocks that are left form rings. Returns their number. */
static int list_chains(const oak_mesh_t *mesh, int axis, oak_elliptic_chain_t *chain, int *link,
                       char *seen) {
  int n = 0, at = 0;
  for (int b = 0; b < mesh->nblock; b++) seen[b] = 0;
  for (int round = 0; round < 2; round++)
    for (int b = 0; b < mesh->nblock; b++) {
      if (seen[b] || (!round && beside(mesh, b, 2 * axis) >= 0)) continue;
      chain[n] = (oak_elliptic_chain_t){.first = at, .round = round};
      for (int c = b; c >= 0 && !seen[c]; c = beside(mesh, c, 2 * axis + 1)) {
        seen[c] = 1;
        link[at++] = c;
      }
      chain[n].count = at - chain[n].first;
      n++;
    }
  return n;
}

oak_status_t oak_elliptic_chains_fit(oak_elliptic_t *e, oak_elliptic_level_t *level) {
  const oak_mesh_t *mesh = level->mesh;
  const int n = mesh->nblock;
  if (mesh == e->mesh || !oak_elliptic_chained(e, mesh)) return OAK_OK;
  OAK_FREED oak_elliptic_chain_t *chain = NULL;
  OAK_FREED int *link = NULL;
  OAK_FREED char *seen = NULL;
  OAK_TRY(OAK_NEW(chain, n + 1));
  OAK_TRY(OAK_NEW(link, n + 1));
  OAK_TRY(OAK_NEW(seen, n + 1));
  OAK_TRY(oak_elliptic_alloc(e, (size_t)3 * n * e->cells * sizeof(double), &level->line));
  for (int axis = 1; axis < e->dim; axis++) {
    if (!is_angle(e, axis)) continue;
    level->nchain[axis] = list_chains(mesh, axis, chain, link, seen);
    const size_t bytes = level->nchain[axis] * sizeof *chain;
    OAK_TRY(oak_elliptic_put(e, chain, bytes, &level->chain[axis]));
    OAK_TRY(oak_elliptic_put(e, link, n * sizeof *link, &level->link[axis]));
    OAK_TRY(oak_device_sync(e->dev));
  }
  return OAK_OK;
}
