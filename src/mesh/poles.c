/* SPDX-License-Identifier: GPL-2.0-or-later
 * Which blocks touch at poles, and what they allow. */
#include "mesh/poles.h"

#include <stdlib.h>

enum { FAR_AWAY = 1 << 30 };

/* Blocks of a level between the block at a place and a face of the domain. */
static int64_t blocks_to(const oak_mesh_t *mesh, int face, int level, const int32_t index[3]) {
  const int d = face / 2;
  return face & 1 ? ((int64_t)mesh->trees[d] << level) - 1 - index[d] : index[d];
}

static int64_t distance(const oak_mesh_t *mesh, int level, const int32_t index[3]) {
  int64_t least = FAR_AWAY;
  for (int face = 0; face < 2 * mesh->dim; face++) {
    if (!(mesh->poles >> face & 1)) continue;
    const int64_t d = blocks_to(mesh, face, level, index);
    if (d < least) least = d;
  }
  return least;
}

int64_t oak_poles_distance(const oak_mesh_t *mesh, int block) {
  return distance(mesh, mesh->level[block], mesh->index[block]);
}

/* In units of the blocks at the pole, the finest balanced mesh has level pole_level + k from the
 * distance 2 - 2^(1 - k) on, for k > 0. The children of a block have to lie there. */
int oak_poles_let_refine(const oak_mesh_t *mesh, int block) {
  const int above = mesh->level[block] - mesh->pole_level;
  return !mesh->poles || above < 0 || (oak_poles_distance(mesh, block) + 1) >> (above + 1) > 0;
}

/* ---- the block at phi + pi */

/* Number of a block at a face among those that touch the pole, after a step of so many blocks along
 * phi and along the third axis; -1: outside of the domain. */
static int64_t place(const oak_mesh_t *mesh, int face, const int32_t index[3], int64_t turn,
                     int step) {
  const int phi = oak_poles_axis(mesh->poles) + 1, other = phi == 1 ? 2 : 0;
  const int64_t round = (int64_t)mesh->trees[phi] << mesh->pole_level;
  const int64_t along = mesh->dim == 3 ? (int64_t)mesh->trees[other] << mesh->pole_level : 1;
  int64_t at = mesh->dim == 3 ? index[other] + step : step;
  if (mesh->periodic[other]) at = (at + along) % along;
  if (at < 0 || at >= along) return -1;
  return ((face & 1) * along + at) * round + (index[phi] + turn) % round;
}

/* Fill the table of all blocks at poles, [2] faces with [count / 2] blocks. */
static void fill(const oak_mesh_t *mesh, int (*table)[2], int count) {
  const int first = 2 * oak_poles_axis(mesh->poles);
  for (int i = 0; i < count; i++) table[i][0] = table[i][1] = -1;
  for (int n = 0; n < mesh->nblock; n++)
    for (int face = first; face < first + 2; face++) {
      if (!(mesh->poles >> face & 1) || blocks_to(mesh, face, mesh->level[n], mesh->index[n]))
        continue;
      int *entry = table[place(mesh, face, mesh->index[n], 0, 0)];
      entry[0] = mesh->rank;
      entry[1] = n;
    }
  if (mesh->size > 1) MPI_Allreduce(MPI_IN_PLACE, table, 2 * count, MPI_INT, MPI_MAX, mesh->comm);
}

oak_status_t oak_poles_find(const oak_mesh_t *mesh, oak_opposite_t *opposite) {
  static const int step[5][2] = {{0, 0}, {-1, 0}, {1, 0}, {0, -1}, {0, 1}};
  const int first = 2 * oak_poles_axis(mesh->poles), phi = first / 2 + 1;
  const int64_t half = ((int64_t)mesh->trees[phi] << mesh->pole_level) / 2;
  const int32_t last[3] = {(mesh->trees[0] << mesh->pole_level) - 1,
                           (mesh->trees[1] << mesh->pole_level) - 1,
                           (mesh->trees[2] << mesh->pole_level) - 1};
  const int count = (int)place(mesh, 1, last, 0, 0) + 1;
  OAK_FREED int(*table)[2] = NULL;
  OAK_TRY(oak_agree(mesh->comm, OAK_NEW(table, count)));
  fill(mesh, table, count);
  for (int n = 0; n < mesh->nblock; n++)
    for (int face = first; face < first + 2; face++) {
      if (!(mesh->poles >> face & 1) || blocks_to(mesh, face, mesh->level[n], mesh->index[n]))
        continue;
      for (int k = 0; k < 5; k++) {
        const int64_t at = place(mesh, face, mesh->index[n], half + step[k][0], step[k][1]);
        opposite[n].rank[k] = at < 0 ? -1 : table[at][0];
        opposite[n].block[k] = at < 0 ? -1 : table[at][1];
      }
    }
  return OAK_OK;
}

oak_status_t oak_poles_level(const oak_mesh_t *mesh, int nblock, const int8_t *level,
                             const int32_t (*index)[3], int *pole_level) {
  int range[2] = {-OAK_MESH_MAX_LEVEL, 0}; /* minus the lowest level, the highest one */
  *pole_level = mesh->pole_level;
  if (!mesh->poles) return OAK_OK;
  for (int n = 0; n < nblock; n++) {
    if (distance(mesh, level[n], index[n])) continue;
    if (-level[n] > range[0]) range[0] = -level[n];
    if (level[n] > range[1]) range[1] = level[n];
  }
  MPI_Allreduce(MPI_IN_PLACE, range, 2, MPI_INT, MPI_MAX, mesh->comm);
  OAK_CHECK(range[0] == -range[1], OAK_ERR_INPUT,
            "blocks at r = 0 or at the poles have the levels %d to %d: they must have one level",
            -range[0], range[1]);
  *pole_level = range[1];
  return OAK_OK;
}
