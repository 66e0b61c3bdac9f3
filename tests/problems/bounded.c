/* SPDX-License-Identifier: GPL-2.0-or-later
 * Physics: scalar advection whose states are valid from 0.1 to 0.9. Schemes of higher order leave
 * these bounds; with first-order fluxes the new state is an average of old ones, which does not. */
#define physics_valid advection_valid
#include "physics/advection.c"
#undef physics_valid

OAK_FN int physics_valid(const physics_parameters_t *ph, const real u[]) {
  (void)ph;
  return (u[0] > (real)(0.1 - 1e-14)) & (u[0] < (real)(0.9 + 1e-14));
}
