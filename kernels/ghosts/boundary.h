/* SPDX-License-Identifier: GPL-2.0-or-later
 * Sources of the tasks of the halo exchange, and values beyond the boundary of the domain. */
#pragma once

#include "kernels/hooks/user.h"
#include "numerics/boundary.h"

/* The block whose data a task reads. */
OAK_FN const store_t *source_block(const oak_halo_args_t *arg, const oak_halo_task_t *t) {
  return oak_base(&arg->f, t->base) +
         (long long)t->source * oak_stored(&arg->f, arg->components) * OAK_CELLS;
}

/* One ghost value at a physical boundary. */
OAK_FN real boundary_value(int kind, real value, real mirror, real nearest, real spacing) {
  const oak_beyond_t b = {value, mirror, nearest, spacing, 0, 0, 0, 0};
  switch (kind) {
    case OAK_BC_DIRICHLET:
    case OAK_BC_USER_DIRICHLET:
      return boundary_dirichlet(&b);
    case OAK_BC_NEUMANN:
    case OAK_BC_USER_NEUMANN:
      return boundary_neumann(&b);
    case OAK_BC_ANTIMIRROR:
      return boundary_antimirror(&b);
    case OAK_BC_COPY:
      return boundary_outflow(&b);
    default:
      return boundary_mirror(&b);
  }
}

#if OAK_COORDINATES == OAK_SPHERICAL
/* The ghost value of variable v beyond r = 0, in layer m. A mirror image is right for scalars.
 * Components of vectors are constant in a uniform flow and proportional to r in a flow at rest in
 * the origin: straight lines from the first cell are right for both. Their slope is the smaller of
 * the slopes to the second and to the third cell, 0 at extrema. With a mirror image, limiters would
 * double the slope of the first cell: the flow out of the cell would not depend on its value, and
 * errors would grow at the rate v / r. As in user_boundary, variables that do not change are those
 * of the mirror cell. cell[]: the first three cells. */
OAK_FN real origin_value(const oak_field_t *f, int v, int m, const store_t *mirror,
                         const store_t *const cell[3], int stride) {
  const physics_parameters_t ph = oak_physics(f);
  real q[NVAR], left[NVAR], row[3][NVAR];
  oak_load(mirror, stride, q);
  const real inside = q[v];
  oak_state_to_primitive(&ph, q);
  for (int i = 0; i < 3; i++) {
    oak_load(cell[i], stride, row[i]);
    oak_state_to_primitive(&ph, row[i]);
  }
  for (int n = 0; n < NVAR; n++) left[n] = q[n];
#define ORIGIN_LINE(n)                                                                             \
  if ((n) >= 0) {                                                                                  \
    const int a = OAK_MAX(n, 0);                                                                   \
    q[a] = row[0][a] -                                                                             \
           (real)(m + 1) * limiter_gminmod(row[1][a] - row[0][a], row[2][a] - row[1][a], (real)1); \
  }
#define ORIGIN_VECTOR(a, b, c) ORIGIN_LINE(a) ORIGIN_LINE(b) ORIGIN_LINE(c)
  PHYSICS_VECTORS(ORIGIN_VECTOR)
  oak_state_to_conserved(&ph, q);
  oak_state_to_conserved(&ph, left);
  return q[v] == left[v] ? inside : q[v] == -left[v] ? -inside : q[v];
}
#endif

#if OAK_HAS_problem_boundary
/* The conserved value on the face or in the ghost cell, or the derivative, that the problem's
 * boundary function gives for variable v. The function gets the state of the mirror cell
 * (derivatives: zeros), so variables that it does not change become a mirror image. Conversion to
 * primitive variables and back makes rounding errors. Variables that the function leaves or negates
 * are therefore taken from the mirror cell itself, so that a wall is exact. */
OAK_FN real user_boundary(const oak_field_t *f, const oak_user_t *user, long block, int face, int v,
                          int kind, const int ghost[3], const store_t *mirror, int stride) {
  const int dir = face / 2;
  oak_at_t at = oak_place(f, user, block, ghost[0], ghost[1], ghost[2]);
  double given[NVAR];
  real q[NVAR], left[NVAR];
  oak_load(mirror, stride, q);
  const real inside = q[v];
  oak_state_to_primitive(&user->physics, q);
  for (int n = 0; n < NVAR; n++) left[n] = q[n];
  for (int n = 0; n < NVAR; n++) given[n] = kind == OAK_BC_USER_NEUMANN ? 0 : (double)q[n];
  if (kind != OAK_BC_USER_STATE) {
    at.x[dir] =
        f->block[block].origin[dir] + (face & 1 ? OAK_ALONG(dir) : 0) * oak_dx(f, at.level, dir);
    if (dir == 0) at.x[0] = oak_first_coordinate(at.x[0]);
  }
  problem_boundary(&at, face, given);
  if (kind == OAK_BC_USER_NEUMANN) return (real)given[v];
  for (int n = 0; n < NVAR; n++) q[n] = (real)given[n];
  oak_state_to_conserved(&user->physics, q);
  oak_state_to_conserved(&user->physics, left);
  return q[v] == left[v] ? inside : q[v] == -left[v] ? -inside : q[v];
}
#endif

#ifdef OAK_CONDITIONS
/* The ghost value by a named condition of numerics/boundary.h, physics or problem.
 * OAK_CONDITIONS(X) is X(number, name) for each of them. mirror: the state of the mirror cell. */
OAK_FN real named_boundary(const oak_field_t *f, const oak_user_t *user, long block, int face,
                           int v, oak_bc_t bc, const int ghost[3], const store_t *mirror,
                           int stride, real nearest, real spacing) {
  const oak_at_t at = oak_place(f, user, block, ghost[0], ghost[1], ghost[2]);
  real q[NVAR];
  oak_load(mirror, stride, q);
  const real inside = q[v];
  oak_state_to_primitive(&user->physics, q);
  const oak_beyond_t b = {(real)bc.value, inside, nearest, spacing, v, face, &at, q};
#define NAMED_BOUNDARY(number, name) \
  if (bc.kind == OAK_BC_NAMED + (number)) return boundary_##name(&b);
  OAK_CONDITIONS(NAMED_BOUNDARY)
  return inside;
}
#endif

/* The ghost value of variable v beyond `face` of a block, except beyond r = 0. ghost[]: the ghost
 * cell; `mirror`: the first variable of its mirror cell; `inside`: variable v there. */
OAK_FN real ghost_value(const oak_field_t *f, oak_bc_t bc, long block, int face, int v,
                        const int ghost[3], const store_t *mirror, int stride, real inside,
                        real nearest, real spacing) {
  real value = (real)bc.value;
#if OAK_HAS_problem_boundary || defined(OAK_CONDITIONS)
  const oak_user_t user = oak_user(f);
#endif
#if OAK_HAS_problem_boundary
  if (bc.kind >= OAK_BC_USER_DIRICHLET && bc.kind < OAK_BC_NAMED)
    value = user_boundary(f, &user, block, face, v, bc.kind, ghost, mirror, stride);
#endif
#ifdef OAK_CONDITIONS
  if (bc.kind >= OAK_BC_NAMED)
    return named_boundary(f, &user, block, face, v, bc, ghost, mirror, stride, nearest, spacing);
#endif
  (void)f, (void)block, (void)face, (void)v, (void)ghost, (void)mirror, (void)stride;
  if (bc.kind >= OAK_BC_USER_STATE) return value;
  return boundary_value(bc.kind, value, inside, nearest, spacing);
}
