/* SPDX-License-Identifier: GPL-2.0-or-later
 * The finite volume kernel: one stage of a Runge-Kutta scheme (kernels/scheme) for blocks without
 * stored ghost cells. This is the form for tiles: an iteration of OUTER works on a tile of TX x TY
 * cells of a block's xy planes and goes through the planes along z (the march). A lane is a cell of
 * the tile's plane. On a mesh with few tiles, an iteration goes through only a part of the planes.
 * In 2D there is one plane. Where tiles are slower, cells.h has another form.
 *
 * A value is converted to primitive variables when it enters the tile. Each x and y flux of a tile
 * is computed once, in shared memory (lanes.h, threads.h), and so is each z flux, in a queue for
 * each column (march.h). Tiles that share a face both compute its flux. */
#include "kernels/flux/place.h"

#if OAK_FLUX_CELLS
#include "kernels/flux/cells.h"
#else
#if OAK_MANY_THREADS
#include "kernels/flux/threads.h"
#else
#include "kernels/flux/lanes.h"
#endif

/* Store the largest rate and the number of invalid cells of the tile. */
OAK_FN void put_results(const oak_flux_args_t *arg, long result, flux_shared_t *sh) {
  real fastest, invalid;
  OAK_BARRIER;
  OAK_REDUCE_MAX(fastest, sh->rate, ROWS * TX);
  if (ONE_COUNT)
    invalid = sh->bad[0];
  else
    OAK_REDUCE_SUM(invalid, sh->bad, ROWS * TX);
  OAK_SERIAL {
    arg->rate[result] = (double)fastest;
    arg->bad[result] = (arg->first ? 0 : arg->bad[result]) + (int)invalid;
  }
}

OAK_KERNEL_SHARED(oak_flux, oak_flux_args_t, LANES, RESIDENT, sizeof(flux_shared_t)) {
  OAK_ARGS_EARLY(oak_flux_args_t);
  OAK_OUTER(m) {
    tile_t t = {&arg, &arg.f, oak_flux_user(&arg.f)};
    const flux_place_t place = flux_place(&arg, m);
    march_t z;
    OAK_SHARED_STRUCT(flux_shared_t, sh);
    choose_tile(&t, &place);
    OAK_LANE(c, ROWS * TX) {
      sh.rate[c] = 0;
      if (!ONE_COUNT || c == 0) sh.bad[c] = 0;
    }
    const long long at = t.block * OAK_BLOCK_REALS;
    OAK_FETCH_NEXT(arg.f.u + at, OAK_BLOCK_REALS);
    OAK_FETCH_NEXT(arg.out + at, OAK_BLOCK_REALS);
    OAK_FOR(p, OAK_NPREV) {
      OAK_FETCH_NEXT(arg.prev[p] + at, OAK_BLOCK_REALS);
    }
#if OAK_DIFFUSION == 1
    OAK_FETCH_NEXT(arg.diffusion + at, OAK_BLOCK_REALS);
#endif
    OAK_WAIT;
    start_march(&t, &z, &sh);
    all_planes(&t, &z, &sh);
    end_march(&t, &z);
    if (OAK_CURL) oak_stream_end(); /* of keep_row_shares */
    put_results(&arg, place.result, &sh);
  }
}

#undef OAK_TEAM
#define OAK_TEAM OAK_TEAM_ANY
#endif
