/* SPDX-License-Identifier: GPL-2.0-or-later
 * Initial condition: the problem's primitive state at cell centres, stored as conserved state. */
#include "kernels/bodies/shapes.h"
#include "kernels/access/rounding.h"
#include "kernels/geometry/solids.h"

#if OAK_HAS_problem_initial
#if OAK_HAS_problem_solid
/* Levels of a solid of SOLID. Bit L: the solid is so deep in a cell that it contains a centre of
 * cells of level L. A ray goes from the centre of the cell to the solid and into it. */
OAK_FN int levels_of_solid(const oak_at_t *at, const double size[]) {
  double away[3], deepest = 0;
  const double half = oak_half_diagonal(size), distance = oak_solid_distance(at, size, away);
  for (int step = 0; step < 28; step++) {
    const double to = distance + ldexp(half, -step);
    oak_at_t in = *at;
    int inside = 1;
    for (int d = 0; d < OAK_DIM; d++) {
      in.x[d] -= to * away[d];
      inside &= fabs(in.x[d] - at->x[d]) <= 0.5 * at->dx[d];
    }
    double unused[3];
    if (inside) deepest = fmin(deepest, oak_solid_distance(&in, size, unused));
  }
  int level = at->level;
  for (double reach = half; reach > -deepest && level < 29; level++) reach *= 0.5;
  return deepest < 0 && level < 29 ? 1 << level : 0;
}
#endif

#if NSOLID
OAK_FN int look_at_bodies(const oak_initial_args_t *arg, const oak_at_t *at, long n, int i, int j) {
  const int around = oak_bodies_around(at);
  double size[3];
  for (int d = 0; d < OAK_DIM; d++) size[d] = oak_size(&arg->f, n, i, j, d);
  int found = around ? around << 1 : OAK_FOUND_GAS;
#if OAK_HAS_problem_solid
  if (arg->look == OAK_LOOK_LEVELS) found = levels_of_solid(at, size) << 1;
#endif
#if OAK_NBODY
  if (arg->look == OAK_LOOK_CONFLICTS) found = oak_conflicting_bodies(at) << 1;
#endif
  if (arg->look == OAK_LOOK_WALLS) found = oak_beside_oblique_wall(at, size) << 1;
  (void)i, (void)j;
  return found;
}
#endif

/* Set the cells of a lane in a block. Returns bits: 1 if a cell is invalid, 2 << n if one is in
 * body n. */
OAK_FN int set_cells(const oak_initial_args_t *arg, long n OAK_LANE_PARAM) {
  const oak_user_t user = oak_user(&arg->f);
  int found = 0;
  OAK_ROWS(row, OAK_NY * OAK_NZ, OAK_NX) {
    store_t *out = arg->out + n * OAK_BLOCK_REALS + row * OAK_NX;
    OAK_LANES(i, OAK_NX) {
      double given[NVAR];
      real q[NVAR];
      oak_at_t at = oak_place(&arg->f, &user, n, i, row % OAK_NY, row / OAK_NY);
      for (int v = 0; v < NVAR; v++) given[v] = 0;
#ifdef OAK_FIELDS
        /* Fields in the state have no values yet. */
#define OAK_ZERO_FIXED(variable, name) at.f.name = 0;
      OAK_FIXED(OAK_ZERO_FIXED)
#ifdef OAK_FIXED_FUNCTIONS
#define OAK_SET_FIXED(variable, name, function) at.f.name = (real)oak_fixed_value(&at, variable);
      OAK_FIXED_FUNCTIONS(OAK_SET_FIXED)
#endif
#endif
      problem_initial(&at, given);
      for (int v = 0; v < NVAR; v++) q[v] = (real)given[v];
      oak_state_to_conserved(&user.physics, q);
#ifdef OAK_FIELDS
#define OAK_KEEP_FIXED(variable, name) q[variable] = at.f.name;
      OAK_FIXED(OAK_KEEP_FIXED)
#endif
#if NSOLID
      q[SOLID_VAR] = (real)oak_solid(&at);
#if OAK_HAS_physics_collect /* COLLECT is also called after each stage */
      if (oak_is_solid(q[SOLID_VAR])) physics_collect(&user.physics, q);
#endif
      found |= look_at_bodies(arg, &at, n, i, row % OAK_NY);
      if (arg->look) continue;
#endif
      oak_round_nearest(q);
      found |= !oak_state_valid(&user.physics, q);
      oak_store(out + i, OAK_CELLS, q);
    }
  }
  return found;
}

OAK_KERNEL(oak_initial, oak_initial_args_t, 128) {
  OAK_ARGS(oak_initial_args_t);
#if OAK_LANES_APART
  OAK_GANGS(n) {
    int found = 0;
    OAK_VECTOR(reduction(| : found))
    OAK_TEAM_LANES found |= set_cells(&arg, n OAK_LANE_ARG);
    arg.found[n] = found;
  }
#else
  OAK_OUTER(n) {
    const int mine = set_cells(&arg, n OAK_LANE_ARG);
    int found = OAK_ANY(mine & 1) != 0;
    for (int b = 1; NSOLID && b < 31; b++) found |= (OAK_ANY(mine >> b & 1) != 0) << b;
    OAK_SERIAL arg.found[n] = found;
  }
#endif
}
#endif
