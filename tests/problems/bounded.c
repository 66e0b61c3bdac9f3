/* SPDX-License-Identifier: GPL-2.0-or-later
 * Physics: scalar advection whose states are valid from 0.1 to 0.9. Schemes of higher order leave
 * these bounds; with first-order fluxes the new state is an average of old ones, which does not. */
#define physics_valid advection_valid
#include "physics/advection.c"
#undef physics_valid

VALID(ph, u) { return (u[RHO] > (real)(0.1 - 1e-14)) & (u[RHO] < (real)(0.9 + 1e-14)); }
