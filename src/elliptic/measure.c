/* SPDX-License-Identifier: GPL-2.0-or-later
 * How long the parts of a V-cycle take on each level, for oak bench --elliptic. */
#include "elliptic/elliptic.h"

/* Whether a level has this part: the coarsest level has no coarser one. */
static int has_part(const oak_elliptic_t *e, oak_elliptic_part_t part, int l) {
  if (part == OAK_ELLIPTIC_FLAT) return l == 0;
  return part == OAK_ELLIPTIC_CYCLE || (l > 0 && l < e->nlevel);
}

static oak_status_t run_part(oak_elliptic_t *e, oak_elliptic_part_t part, int l) {
  oak_elliptic_level_t *level = &e->level[l];
  switch (part) {
    case OAK_ELLIPTIC_CYCLE:
      return oak_elliptic_cycle(e, l, 0);
    case OAK_ELLIPTIC_GHOSTS:
      return oak_elliptic_inner_ghosts(e, l, l, OAK_ELLIPTIC_FINE);
    case OAK_ELLIPTIC_SMOOTH:
      return oak_elliptic_smooth(e, l, 1, 0, 0);
    case OAK_ELLIPTIC_DOWN:
      return oak_elliptic_descend(e, l, 1);
    case OAK_ELLIPTIC_UP: {
      oak_status_t st = oak_elliptic_inner_ghosts(e, l - 1, l - 1, OAK_ELLIPTIC_NONE);
      if (st == OAK_OK) st = oak_elliptic_prolong(e, l, 1);
      return st;
    }
    default:
      return oak_elliptic_flat(e, level->rhs, level->u.memory.mine);
  }
}

oak_status_t oak_elliptic_time(oak_elliptic_t *e, oak_elliptic_part_t part, int l, int repeats,
                               double *seconds) {
  oak_status_t st = OAK_OK;
  *seconds = 0;
  /* Each rank may have chosen the number from its own times. */
  MPI_Bcast(&repeats, 1, MPI_INT, 0, e->comm);
  if (l < 0 || l >= e->nlevel || !has_part(e, part, l)) return OAK_OK;
  for (int turn = 0; turn < 2; turn++) { /* the first one warms up */
    OAK_TRY(oak_agree(e->comm, oak_device_sync(e->dev)));
    const double begin = MPI_Wtime();
    for (int r = 0; r < (turn ? repeats : 1) && st == OAK_OK; r++) st = run_part(e, part, l);
    if (st == OAK_OK) st = oak_device_sync(e->dev);
    OAK_TRY(oak_agree(e->comm, st));
    *seconds = (MPI_Wtime() - begin) / repeats;
  }
  MPI_Allreduce(MPI_IN_PLACE, seconds, 1, MPI_DOUBLE, MPI_MAX, e->comm);
  return OAK_OK;
}
