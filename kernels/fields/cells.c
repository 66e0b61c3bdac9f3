/* SPDX-License-Identifier: GPL-2.0-or-later
 * Hooks that go over all cells between the stages of time steps: UPDATE and the globals. Only runs
 * with such a hook have these kernels. */
#include "kernels/access/rounding.h"
#include "kernels/geometry/solids.h"
#include "kernels/hooks/user.h"

/* The first cell of a section of a block. */
OAK_FN int section_begin(int section, int sections) {
  return (int)((long long)OAK_CELLS * section / sections);
}

#if OAK_HAS_physics_update || OAK_HAS_problem_update
/* Whether a variable must be stored. GPUs, which wait for memory here, store those alone that a
 * hook changes; a zero may have changed its sign. */
OAK_FN int has_changed(real old, real u) { return !OAK_MANY_THREADS || u != old || u == 0; }

/* Advance every cell in place over arg.dt. */
OAK_KERNEL(oak_update, oak_update_args_t, OAK_CHUNK_LANES) {
  OAK_ARGS(oak_update_args_t);
  OAK_OUTER(section) {
    const long n = section / arg.results;
    const int part = (int)(section % arg.results);
    const oak_user_t user = oak_user(&arg.f);
    OAK_SHARED int bad[OAK_CHUNK_LANES];
    OAK_INNER(i, OAK_CHUNK_LANES) bad[i] = 0;
    const int end = section_begin(part + 1, arg.results);
    for (int first = section_begin(part, arg.results); first < end; first += OAK_CHUNK_LANES)
      OAK_INNER(i, OAK_MIN(OAK_CHUNK_LANES, end - first)) {
        const int c = first + i;
        real u[NVAR], old[NVAR];
        store_t *p = arg.u + n * OAK_BLOCK_REALS + c;
        const oak_at_t at = oak_place_cell(&arg.f, &user, n, c);
        oak_load(p, OAK_CELLS, u);
        OAK_FOR(v, NVAR) old[v] = u[v];
        if (oak_in_solid(u)) continue;
#if OAK_HAS_physics_update
        physics_update(&at, u, arg.dt);
#endif
#if OAK_HAS_problem_update
        problem_update(&at, u, arg.dt);
#endif
        oak_round_nearest(u);
        bad[i] += !oak_state_valid(&user.physics, u);
        OAK_FOR(v, NVAR) {
          if (has_changed(old[v], u[v])) p[v * OAK_CELLS] = (store_t)u[v];
        }
      }
    int invalid;
    OAK_REDUCE_SUM(invalid, bad, OAK_CHUNK_LANES);
    OAK_SERIAL arg.bad[section] = invalid;
  }
}
#endif

#ifdef OAK_GLOBALS
typedef enum { GLOBAL_OF_MAX, GLOBAL_OF_MIN, GLOBAL_OF_INTEGRAL } global_of_t;

/* Combine the value x of a lane with the value y of a cell; a minimum is the maximum of -y. */
OAK_FN double global_take(global_of_t kind, double x, double y, double volume) {
  if (kind == GLOBAL_OF_INTEGRAL) return x + y * volume;
  return OAK_MAX(x, kind == GLOBAL_OF_MIN ? -y : y);
}

/* Compute the globals. OAK_GLOBALS(X) is X(number, function, MAX or MIN or INTEGRAL) for each of
 * them (src/setup/hook_text.c). The order of sums depends on the section alone. */
OAK_KERNEL(oak_globals, oak_globals_args_t, OAK_CHUNK_LANES) {
  OAK_ARGS(oak_globals_args_t);
  OAK_OUTER(section) {
    const long n = section / arg.results;
    const int part = (int)(section % arg.results);
    const oak_user_t user = oak_user(&arg.f);
    const double volume = oak_cell_volume(&arg.f, n);
    OAK_SHARED double lane[OAK_NGLOBALS][OAK_CHUNK_LANES];
    OAK_INNER(i, OAK_CHUNK_LANES) {
#define OAK_START(g, function, kind) \
  lane[g][i] = GLOBAL_OF_##kind == GLOBAL_OF_INTEGRAL ? 0 : -INFINITY;
      OAK_GLOBALS(OAK_START)
    }
    const int end = section_begin(part + 1, arg.results);
    for (int first = section_begin(part, arg.results); first < end; first += OAK_CHUNK_LANES)
      OAK_INNER(i, OAK_MIN(OAK_CHUNK_LANES, end - first)) {
        const int c = first + i;
        real q[NVAR];
        const oak_at_t at = oak_place_cell(&arg.f, &user, n, c);
        load_primitive(&user.physics, arg.f.u + n * OAK_BLOCK_REALS + c, OAK_CELLS, q);
        if (oak_in_solid(q)) continue;
#define OAK_TAKE(g, function, kind)                                                \
  lane[g][i] = global_take(GLOBAL_OF_##kind, lane[g][i], (double)function(&at, q), \
                           oak_volume_factor(&arg.f, n, c));
        OAK_GLOBALS(OAK_TAKE)
      }
#define OAK_FOLD(g, function, kind)                            \
  {                                                            \
    double result;                                             \
    if (GLOBAL_OF_##kind == GLOBAL_OF_INTEGRAL) {              \
      OAK_REDUCE_SUM(result, lane[g], OAK_CHUNK_LANES);        \
      result *= volume;                                        \
    } else {                                                   \
      OAK_REDUCE_MAX(result, lane[g], OAK_CHUNK_LANES);        \
    }                                                          \
    OAK_SERIAL arg.out[section * OAK_NGLOBALS + (g)] = result; \
  }
    OAK_GLOBALS(OAK_FOLD)
  }
}
#endif
