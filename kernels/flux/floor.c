/* SPDX-License-Identifier: GPL-2.0-or-later
 * Floors of the physics, applied to every cell after a stage. Only runs with a floor have this
 * kernel. */
#include "kernels/access/rounding.h"
#include "kernels/flux/place.h"

OAK_KERNEL(oak_floor, oak_floor_args_t, OAK_CHUNK_LANES) {
  OAK_ARGS(oak_floor_args_t);
  OAK_OUTER(n) {
    const oak_user_t user = oak_user(&arg.f);
    OAK_SHARED int changed[OAK_CHUNK_LANES], bad[OAK_CHUNK_LANES];
    OAK_INNER(i, OAK_CHUNK_LANES) changed[i] = bad[i] = 0;
    OAK_CHUNKS(first)
    OAK_INNER(i, OAK_CHUNK(first)) {
      real u[NVAR];
      store_t *p = arg.u + n * OAK_BLOCK_REALS + first + i;
      oak_load(p, OAK_CELLS, u);
      const int change = oak_state_floor(&user.physics, u);
      changed[i] += change;
      oak_round_nearest(u);
      bad[i] += !oak_state_valid(&user.physics, u);
      if (change) oak_store(p, OAK_CELLS, u);
    }
    int sum, invalid;
    OAK_REDUCE_SUM(sum, changed, OAK_CHUNK_LANES);
    OAK_REDUCE_SUM(invalid, bad, OAK_CHUNK_LANES);
    OAK_SERIAL {
      arg.changed[n] = sum;
      for (int t = 0; t < TILES; t++) arg.bad[n * TILES + t] = t ? 0 : invalid;
    }
  }
}
