/* SPDX-License-Identifier: GPL-2.0-or-later
 * For oak run --explain: each hook that runs for many cells, in a loop of its own. The host only
 * compiles this file and reads what the compiler says of each loop
 * (explain.c); nothing here runs. */
#include "kernels/scheme/cell.h"
#if OAK_DIFFUSION
#include "kernels/diffusion/diffusion.c"
#endif

enum { EXPLAIN_CELLS = 16 };

/* q: primitive state, u: conserved state, r: result, of cell i. The name is the one that is
 * printed; the macro and the name stand in one line, by which the host knows the loop. */
#define EXPLAIN(name, ...)                                                            \
  __attribute__((visibility("default"), noinline)) void oak_explain_##name(           \
      const oak_flux_args_t *arg, const oak_user_t *values, real in[][EXPLAIN_CELLS], \
      real other[][EXPLAIN_CELLS], real out[][EXPLAIN_CELLS]) {                       \
    const oak_user_t user = *values;                                                  \
    OAK_INNER(i, EXPLAIN_CELLS) {                                                     \
      real q[NVAR], u[NVAR], r[NFLUX];                                                \
      OAK_FOR(v, NVAR) q[v] = in[v][i], u[v] = other[v][i], r[v] = q[v];              \
      r[NVAR] = 0;                                                                    \
      (void)u, (void)arg, (void)user;                                                 \
      __VA_ARGS__;                                                                    \
      OAK_FOR(v, NFLUX) out[v][i] = r[v];                                             \
    }                                                                                 \
  }
#define EXPLAIN_CELL                                       \
  cell_t cell = {0, {i, 0, 0}};                            \
  OAK_FOR(n, 2 * OAK_DIM) cell.speed[n / 2][n % 2] = u[0]; \
  OAK_FOR(v, NVAR) cell.q[v] = q[v]
#define EXPLAIN_PLACE const oak_at_t at = oak_place(&arg->f, &user, 0, i, 0, 0)

EXPLAIN(TO_PRIMITIVE, oak_state_to_primitive(&user.physics, r))
EXPLAIN(TO_CONSERVED, oak_state_to_conserved(&user.physics, r))
EXPLAIN(WAVE_SPEEDS, physics_wave_speeds(&user.physics, q, u, 0, &r[0], &r[1]))
EXPLAIN(FLUX, physics_flux(&user.physics, q, 0, r))
#if OAK_HAS_physics_face
EXPLAIN(FACE, physics_face(&user.physics, r, u, 0); r[0] += u[0])
#endif
EXPLAIN(RIEMANN, face_flux(&user.physics, q, u, 0, r))
EXPLAIN(VALID, r[0] = oak_state_valid(&user.physics, u))
#if OAK_HAS_physics_source || OAK_HAS_problem_source
EXPLAIN(SOURCE, EXPLAIN_CELL; add_sources(&arg->f, &user, &cell, r))
#endif
#if OAK_HAS_OWN_RATE
EXPLAIN(TIMESTEP, EXPLAIN_CELL; r[0] = cell_rate(arg, &user, &cell, (sum_t[3]){1, 1, 1}))
#endif
#if OAK_HAS_physics_update || OAK_HAS_problem_update
#if !OAK_HAS_physics_update
#define physics_update(at, u, dt) ((void)0)
#endif
#if !OAK_HAS_problem_update
#define problem_update(at, u, dt) ((void)0)
#endif
EXPLAIN(UPDATE, EXPLAIN_PLACE; physics_update(&at, r, arg->dt); problem_update(&at, r, arg->dt))
#endif
#ifdef OAK_GLOBALS
#define EXPLAIN_GLOBAL(g, function, kind) r[0] += (real)function(&at, q);
EXPLAIN(GLOBAL, EXPLAIN_PLACE; OAK_GLOBALS(EXPLAIN_GLOBAL))
#endif
#if OAK_HAS_physics_diffusive_flux || OAK_HAS_problem_diffusive_flux
EXPLAIN(DIFFUSIVE_FLUX, EXPLAIN_PLACE; diffusive_flux(&at, &in[NVAR][i], 0, (real[3]){1, 1, 1}, r))
#endif
