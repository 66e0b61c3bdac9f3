/* SPDX-License-Identifier: GPL-2.0-or-later
 * Hooks that go over all cells between the stages of time steps: UPDATE and the globals. Part of
 * the kernels only where a file has one. */
#include "kernels/access/rounding.h"
#include "kernels/hooks/user.h"

#if OAK_HAS_physics_update || OAK_HAS_problem_update
/* Advance every cell in place over arg.dt. */
OAK_KERNEL(oak_update, oak_update_args_t, OAK_CHUNK_LANES) {
  OAK_ARGS(oak_update_args_t);
  OAK_OUTER(n) {
    const oak_user_t user = oak_user(&arg.f);
    OAK_SHARED int bad[OAK_CHUNK_LANES];
    OAK_INNER(i, OAK_CHUNK_LANES) bad[i] = 0;
    OAK_CHUNKS(first)
    OAK_INNER(i, OAK_CHUNK(first)) {
      const int c = first + i;
      real u[NVAR];
      store_t *p = arg.u + n * OAK_BLOCK_REALS + c;
      const oak_at_t at = oak_place_cell(&arg.f, &user, n, c);
      oak_load(p, OAK_CELLS, u);
#if NSOLID
      if (oak_is_solid(u[SOLID_VAR])) continue;
#endif
#if OAK_HAS_physics_update
      physics_update(&at, u, arg.dt);
#endif
#if OAK_HAS_problem_update
      problem_update(&at, u, arg.dt);
#endif
      oak_round_nearest(u);
      bad[i] += !oak_state_valid(&user.physics, u);
      oak_store(p, OAK_CELLS, u);
    }
    int invalid;
    OAK_REDUCE_SUM(invalid, bad, OAK_CHUNK_LANES);
    OAK_SERIAL arg.bad[n] = invalid;
  }
}
#endif

#ifdef OAK_GLOBALS
/* Combine the value of a lane with that of a cell. */
#define OAK_TAKE_MAX(x, y) OAK_MAX(x, y)
#define OAK_TAKE_MIN(x, y) OAK_MAX(x, -(y))
#define OAK_TAKE_INTEGRAL(x, y) ((x) + (y)*oak_volume_factor(&arg.f, n, c))
#define OAK_START_MAX (-INFINITY)
#define OAK_START_MIN (-INFINITY)
#define OAK_START_INTEGRAL 0
#define OAK_FOLD_MAX(result, lanes) OAK_REDUCE_MAX(result, lanes, OAK_CHUNK_LANES)
#define OAK_FOLD_MIN(result, lanes) OAK_REDUCE_MAX(result, lanes, OAK_CHUNK_LANES)
#define OAK_FOLD_INTEGRAL(result, lanes)          \
  OAK_REDUCE_SUM(result, lanes, OAK_CHUNK_LANES); \
  result *= volume

/* OAK_GLOBALS(X) is X(number, function, MAX or MIN or INTEGRAL) for each
 * (src/setup/hook_text.c). The order of sums depends on the block alone. */
OAK_KERNEL(oak_globals, oak_globals_args_t, OAK_CHUNK_LANES) {
  OAK_ARGS(oak_globals_args_t);
  OAK_OUTER(n) {
    const oak_user_t user = oak_user(&arg.f);
    const double volume = oak_cell_volume(&arg.f, n);
    OAK_SHARED double lane[OAK_NGLOBALS][OAK_CHUNK_LANES];
    OAK_INNER(i, OAK_CHUNK_LANES) {
#define OAK_START(g, function, kind) lane[g][i] = OAK_START_##kind;
      OAK_GLOBALS(OAK_START)
    }
    OAK_CHUNKS(first)
    OAK_INNER(i, OAK_CHUNK(first)) {
      const int c = first + i;
      real q[NVAR];
      const oak_at_t at = oak_place_cell(&arg.f, &user, n, c);
      load_primitive(&user.physics, arg.f.u + n * OAK_BLOCK_REALS + c, OAK_CELLS, q);
#if NSOLID
      if (oak_is_solid(q[SOLID_VAR])) continue;
#endif
#define OAK_TAKE(g, function, kind)                  \
  {                                                  \
    const double value = function(&at, q);           \
    lane[g][i] = OAK_TAKE_##kind(lane[g][i], value); \
  }
      OAK_GLOBALS(OAK_TAKE)
    }
#define OAK_FOLD(g, function, kind)                      \
  {                                                      \
    double result;                                       \
    OAK_FOLD_##kind(result, lane[g]);                    \
    OAK_SERIAL arg.out[n * OAK_NGLOBALS + (g)] = result; \
  }
    OAK_GLOBALS(OAK_FOLD)
  }
}
#endif
