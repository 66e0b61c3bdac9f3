/* SPDX-License-Identifier: GPL-2.0-or-later
 * Data of the flux kernel that the copy unit of a GPU fetches (flux.c): for each plane, the state
 * that the next step of the march needs, and the state at the start of the step. One thread starts
 * the copies after the first barrier of a plane. They arrive while the x and y fluxes are computed,
 * and take no registers. The z fluxes are then computed between the two halves of the second
 * barrier, so no warp waits there (docs/performance.md). */
#pragma once

#include "kernels/flux/tile.h"

/* The address that lane 0 reads in plane z, z = -NG .. OAK_NZ + NG - 1. */
OAK_FN const store_t *z_plane(const tile_t *t, int z, long long *stride) {
  const oak_side_t side = oak_side(t->f, t->block, z < 0 ? 4 : 5);
  const int inside = z >= 0 && z < OAK_NZ;
  *stride = inside ? OAK_CELLS : side.sv;
  return inside ? tile_plane(t, z)
                : side.p + (z < 0 ? z + OAK_NG : z - OAK_NZ) * side.sn + t->y0 * OAK_NX + t->x0;
}

#if FETCHED
/* The thread that starts the copies. The last warp has the least additional work. */
enum { FETCH_THREAD = LANES - 32 };

/* Before the first plane. The barrier that start_planes ends with makes this visible. */
OAK_FN void start_fetch(flux_shared_t *sh) {
  OAK_SERIAL {
    oak_gate_start(&sh->fetched, 1);
    oak_gate_start(&sh->fluxes_done, LANES);
  }
}

/* Start the copies for plane k. */
OAK_FN void fetch(const tile_t *t, int k, flux_shared_t *sh) {
  if (OAK_THREAD != FETCH_THREAD) return;
  const int bytes = LANES * (int)sizeof(store_t), states = OAK_MIN(t->arg->nprev, STATES);
  long long stride;
  const store_t *enters = z_plane(t, k + 1 + RAD, &stride);
  oak_gate_expect(&sh->fetched, (1 + states) * NVAR * bytes);
  OAK_FOR(v, NVAR) oak_bulk_copy(&sh->fetched, sh->enters[v], enters + v * stride, bytes);
  OAK_FOR(p, STATES) {
    const store_t *before = t->arg->prev[p] + (tile_plane(t, k) - t->f->u);
    if (p >= states) break;
    OAK_FOR(v, NVAR) oak_bulk_copy(&sh->fetched, sh->before[p][v], before + v * OAK_CELLS, bytes);
  }
}

/* Wait for the copies for plane k. */
OAK_FN void end_fetch(const tile_t *t, int k, flux_shared_t *sh) {
  oak_gate_wait(&sh->fetched, (k - t->begin) & 1);
}

/* The states of the lane's cell before this stage, those that were fetched from shared memory. */
OAK_FN earlier_t fetched_states(earlier_t e, const flux_shared_t *sh) {
  OAK_FOR(n, OAK_NPREV) {
    if (n < STATES) e.p[n] = &sh->before[n < STATES ? n : 0][0][OAK_THREAD], e.next[n] = LANES;
  }
  return e;
}

/* The conserved state of the lane's cell in the plane that enters the march, `loaded` if nothing is
 * fetched. */
OAK_FN const store_t *entered(const store_t *loaded, const flux_shared_t *sh) {
  (void)loaded;
  return &sh->enters[0][OAK_THREAD];
}
#else
OAK_FN void start_fetch(flux_shared_t *sh) { (void)sh; }
OAK_FN void fetch(const tile_t *t, int k, flux_shared_t *sh) { (void)t, (void)k, (void)sh; }
OAK_FN void end_fetch(const tile_t *t, int k, flux_shared_t *sh) { (void)t, (void)k, (void)sh; }
OAK_FN earlier_t fetched_states(earlier_t e, const flux_shared_t *sh) {
  (void)sh;
  return e;
}
OAK_FN const store_t *entered(const store_t *loaded, const flux_shared_t *sh) {
  (void)sh;
  return loaded;
}
#endif
