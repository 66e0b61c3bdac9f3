/* SPDX-License-Identifier: GPL-2.0-or-later
 * Advection of a scalar without fluxes: d rho/dt + v . grad rho = 0, from values on both sides of
 * the faces of a cell. A physics. */
#include "physics/advection.c"

#define PHYSICS_SIDES 1

FACE_SIDES(ph, ql, qr, nl, nr, dir, f, left, right) {
  const real v = advection_velocity(ph, dir);
  left[0] = right[0] = v > 0 ? nl[RHO] : nr[RHO];
  f[RHO] = 0;
}

CELL_TERMS(ph, q, lower, upper, dir, r) {
  r[RHO] += advection_velocity(ph, dir) * (lower[0] - upper[0]);
}
