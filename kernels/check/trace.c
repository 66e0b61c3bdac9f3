/* SPDX-License-Identifier: GPL-2.0-or-later
 * The values of hooks in each cell, for the message after a run has failed. Only then is this
 * kernel built. */
#include "kernels/hooks/user.h"

/* The value of a hook in a cell. Where the state is not valid, the value is 1, which every hook may
 * return. */
OAK_FN double trace_value(const oak_read_args_t *arg, const oak_user_t *user, long block, int c) {
  const int hook = arg->variable / NVAR, v = arg->variable % NVAR;
  const oak_at_t at = oak_place_cell(&arg->f, user, block, c);
  real u[NVAR], q[NVAR], out[NVAR];
  oak_load(arg->f.u + block * OAK_BLOCK_REALS + c, OAK_CELLS, u);
  if (!oak_state_valid(&user->physics, u)) return 1;
  for (int n = 0; n < NVAR; n++) q[n] = u[n], out[n] = 0;
  oak_state_to_primitive(&user->physics, q);
  (void)v, (void)at, (void)out;
  switch (hook) {
#if OAK_HAS_physics_source
    case OAK_TRACE_physics_source:
      physics_source(&at, q, out);
      return out[v];
#endif
#if OAK_HAS_problem_source
    case OAK_TRACE_problem_source:
      problem_source(&at, q, out);
      return out[v];
#endif
#if OAK_HAS_physics_update
    case OAK_TRACE_physics_update:
      physics_update(&at, u, at.dt);
      return u[v];
#endif
#if OAK_HAS_problem_update
    case OAK_TRACE_problem_update:
      problem_update(&at, u, at.dt);
      return u[v];
#endif
#if OAK_HAS_physics_timestep
    case OAK_TRACE_physics_timestep:
      return physics_timestep(&at, q);
#endif
#if OAK_HAS_problem_timestep
    case OAK_TRACE_problem_timestep:
      return problem_timestep(&at, q);
#endif
#if OAK_HAS_physics_diffusivity
    case OAK_TRACE_physics_diffusivity:
      return oak_physics_diffusivity(&at, q);
#endif
#if OAK_HAS_problem_diffusivity
    case OAK_TRACE_problem_diffusivity:
      return problem_diffusivity(&at, q);
#endif
#if OAK_HAS_problem_refine
    case OAK_TRACE_problem_refine:
      return problem_refine(&at);
#endif
    default:
      return 1;
  }
}

/* The values of one hook in a range of blocks. */
OAK_KERNEL(oak_trace, oak_read_args_t, 128) {
  OAK_ARGS(oak_read_args_t);
  OAK_OUTER_LANES(n) {
    const oak_user_t user = oak_user(&arg.f);
    double *out = arg.cells + n * OAK_CELLS;
    OAK_INNER(c, OAK_CELLS) {
      out[c] = trace_value(&arg, &user, arg.first + n, c);
    }
  }
}
