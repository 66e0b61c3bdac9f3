/* SPDX-License-Identifier: GPL-2.0-or-later
 * Passive scalars (key physics.scalars) beside the variables of the physics. OAK_PHYSICS is the
 * file of the physics, in quotes.
 *
 * A scalar X belongs to the mass: its conserved variable is rho X, where rho is variable
 * PHYSICS_MASS, and its flux is the flux of rho times the X of the side that the mass comes from
 * (B. Larrouturou, J. Comput. Phys. 95 (1991) 59). A first-order step then makes X an average of
 * old values. Fractions have the sum one at every face too (T. Plewa, E. Mueller, Astron.
 * Astrophys. 342 (1999) 179), so that their fluxes add up to the flux of rho. */
#pragma once

#include "kernels/language/hooks.h"
#if OAK_DEBUG && !OAK_DESCRIBE
#include "kernels/language/debug.h"
#endif
#include OAK_PHYSICS

#ifndef PHYSICS_MASS
#define PHYSICS_MASS 0
#endif
#ifndef PHYSICS_VECTORS
#define PHYSICS_VECTORS(X)
enum { OAK_HAS_VECTORS = 0 };
#else
enum { OAK_HAS_VECTORS = 1 };
#endif
/* OAK_SCALAR_VALUES: 0 any, 1 between 0 and 1, 2 fractions. */

/** Index of a scalar by its name or number in physics.scalars. If a scalar is not known, the
 * compiler's message shows this name. */
#ifndef SCALAR /* oak/editor.h has another definition */
#define SCALAR(name) physics_scalars_has_##name
#endif
#ifdef OAK_SCALAR_NAMES
/* OAK_SCALAR_NAMES(X) is X(number, name) for each scalar (src/setup/scalars.c). */
#define OAK_SCALAR_INDEX(n, name) \
  physics_scalars_has_##n = PHYSICS_NVAR + (n), physics_scalars_has_##name = PHYSICS_NVAR + (n),
enum { OAK_SCALAR_NAMES(OAK_SCALAR_INDEX) OAK_SCALARS_END };
#endif

/* The distance by which rounding over many steps may move a scalar beyond its bounds. */
OAK_FN real oak_scalar_slack(void) { return OAK_DIGITS == 7 ? (real)1e-4 : (real)1e-9; }
OAK_FN real oak_scalar_rounding(void) { return OAK_DIGITS == 7 ? (real)1e-6 : (real)1e-14; }

/** X of a conserved scalar rho X. If the mass may vanish, the physics defines
 * PHYSICS_LEAST_MASS(ph). Below this mass X is bounded, but need not be exact. */
OAK_FN real oak_scalar_of(const physics_parameters_t *ph, real mass, real conserved) {
#ifndef PHYSICS_LEAST_MASS
  (void)ph;
  return oak_div(conserved, mass);
#elif OAK_SCALAR_VALUES
  const real least = oak_scalar_slack() * PHYSICS_LEAST_MASS(ph);
  const real x = oak_div(conserved, OAK_MAX(mass, least)), above = OAK_MAX(x, 0);
  return OAK_MIN(above, 1);
#else
  const real least = PHYSICS_LEAST_MASS(ph), m2 = mass * mass;
  return 2 * mass * conserved * oak_inv(m2 + OAK_MAX(m2, least * least));
#endif
}

OAK_FN void oak_state_to_primitive(const physics_parameters_t *ph, real q[]) {
  const real mass = q[PHYSICS_MASS];
  OAK_FOR(n, NSCALARS) q[PHYSICS_NVAR + n] = oak_scalar_of(ph, mass, q[PHYSICS_NVAR + n]);
  physics_to_primitive(ph, q);
}

OAK_FN void oak_state_to_conserved(const physics_parameters_t *ph, real u[]) {
  physics_to_conserved(ph, u);
  OAK_FOR(n, NSCALARS) u[PHYSICS_NVAR + n] *= u[PHYSICS_MASS];
}

/** Whether the scalars of a conserved state have the values that physics.scalar_values allows.
 * `each` and `all` are tolerances, relative to the mass: for each scalar, and for the sum of
 * fractions. */
OAK_FN int oak_scalars_within(const physics_parameters_t *ph, const real u[], real each, real all) {
  int valid = 1;
  if (!NSCALARS || !OAK_SCALAR_VALUES) return valid;
#ifdef PHYSICS_LEAST_MASS
  const real mass = OAK_MAX(u[PHYSICS_MASS], PHYSICS_LEAST_MASS(ph));
#else
  const real mass = u[PHYSICS_MASS];
  (void)ph;
#endif
  const real slack = each * mass;
  const real most = u[PHYSICS_MASS] + slack;
  real rest = u[PHYSICS_MASS];
  OAK_UNROLL
  for (int n = PHYSICS_NVAR; n < PHYSICS_NVAR + NSCALARS; n++) {
    valid &= (u[n] >= -slack) & (u[n] <= most);
    rest -= u[n];
  }
  if (OAK_SCALAR_VALUES == 2) valid &= oak_abs(rest) <= all * mass; /* sum of fractions */
  return valid;
}

OAK_FN int oak_state_valid(const physics_parameters_t *ph, const real u[]) {
  return physics_valid(ph, u) & oak_scalars_within(ph, u, oak_scalar_slack(), oak_scalar_slack());
}

/** Whether an interpolated state is valid. Its scalars must be within bounds and have the right sum
 * to rounding, because a cell keeps what is beyond the bounds when its mass flows out. */
OAK_FN int oak_interpolated_valid(const physics_parameters_t *ph, const real u[]) {
  return physics_valid(ph, u) & oak_scalars_within(ph, u, 0, oak_scalar_rounding());
}

/** Remove from scalars what rounding has moved beyond their bounds, and for fractions the
 * difference of their sum from the mass. If most of the mass leaves a cell, as behind a blast or at
 * a shore, this would become large relative to the rest. A larger difference is a mistake: it is
 * not removed, and the cell is invalid. `before`: the mass before the last operation. */
OAK_FN void oak_keep_bounds(const physics_parameters_t *ph, sum_t before, sum_t u[]) {
  if (!NSCALARS || !OAK_SCALAR_VALUES) return;
  const sum_t mass = OAK_MAX(u[PHYSICS_MASS], 0);
#ifdef PHYSICS_LEAST_MASS
  const sum_t most = OAK_MAX(mass, before), scale = OAK_MAX(most, PHYSICS_LEAST_MASS(ph));
#else
  const sum_t scale = OAK_MAX(mass, before);
  (void)ph;
#endif
  const sum_t slack = oak_scalar_slack() * scale;
  if (OAK_SCALAR_VALUES == 2) {
    sum_t sum = 0;
    OAK_FOR(n, NSCALARS) sum += OAK_MAX(u[PHYSICS_NVAR + n], 0);
    const int rounding = oak_abs((real)(sum - mass)) <= slack;
    const sum_t factor = mass / (sum > 0 ? sum : 1);
    OAK_UNROLL
    for (int n = PHYSICS_NVAR; n < PHYSICS_NVAR + NSCALARS; n++)
      u[n] = rounding ? factor * OAK_MAX(u[n], 0) : u[n];
    return;
  }
  OAK_UNROLL
  for (int n = PHYSICS_NVAR; n < PHYSICS_NVAR + NSCALARS; n++) {
    const sum_t above = OAK_MAX(u[n], 0), within = OAK_MIN(above, mass);
    u[n] = oak_abs((real)(within - u[n])) <= slack ? within : u[n];
  }
}

#if OAK_HAS_physics_floor
/** Apply the floors of the physics. If the density changes, the scalars X stay as they are. */
OAK_FN int oak_state_floor(const physics_parameters_t *ph, real u[]) {
  const real mass = u[PHYSICS_MASS];
  const int changed = physics_floor(ph, u);
  if (NSCALARS && u[PHYSICS_MASS] != mass) {
    OAK_UNROLL
    for (int n = PHYSICS_NVAR; n < PHYSICS_NVAR + NSCALARS; n++)
      u[n] = mass > 0 ? oak_div(u[n], mass) * u[PHYSICS_MASS] : 0;
  }
  return changed;
}
#endif

/** Limit the reconstructed value at a face of a cell with the scalar x: to values between 0 and 1,
 * and so close to x that the mean of the rest of the cell, without both faces, is between 0 and 1
 * (X. Zhang, C.-W. Shu, J. Comput. Phys. 229 (2010) 3091, with a weight of 1/2 for both faces). */
OAK_FN real oak_bounded_scalar(real x, real face) {
  const real least = OAK_MAX(0, 2 * x - 1), most = OAK_MIN(1, 2 * x);
  const real above = OAK_MAX(least, face);
  return OAK_MIN(above, most);
}

/** Fluxes of the scalars through a face, from the primitive states on both sides and the flux of
 * the mass. */
OAK_FN void oak_scalar_fluxes(const real ql[], const real qr[], real f[]) {
  const real mass = f[PHYSICS_MASS];
  real sum = 0;
  OAK_UNROLL
  for (int n = PHYSICS_NVAR; n < PHYSICS_NVAR + NSCALARS; n++) {
    f[n] = mass > 0 ? ql[n] : qr[n];
    sum += f[n];
  }
  const real scale = OAK_SCALAR_VALUES == 2 ? oak_div(mass, sum > 0 ? sum : 1) : mass;
  OAK_UNROLL
  for (int n = PHYSICS_NVAR; n < PHYSICS_NVAR + NSCALARS; n++) f[n] *= scale;
}
