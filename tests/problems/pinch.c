/* SPDX-License-Identifier: GPL-2.0-or-later
 * A column of gas that the field of its own current holds (screw pinch): B_phi = r, B_z grows with
 * r, and the pressure balances both, for any density. Physics: mhd and mhd_ct, in (r, z), polar
 * and cylindrical coordinates. */

TITLE("Pinch")

OAK_FN void pinch_state(const oak_at_t *at, double q[]) {
  const double r = at->x[0];
  const int phi = OAK_COORDINATES == OAK_AXISYMMETRIC ? 2 : 1;
  q[RHO] = 1 + 0.3 * r * r;
  q[VX + 3 - phi] = 0.2;
  q[BX + 3 - phi] = 0.5 + 0.3 * r * r;
  q[BX + phi] = r;
  q[PRS] = 2.3 - r * r - 0.5 * q[BX + 3 - phi] * q[BX + 3 - phi];
}

INITIAL(at, q) { pinch_state(at, q); }
BOUNDARY(at, face, q) { pinch_state(at, q); }
REGION(at, lower, upper) {
  return lower[0] < 0.4 && lower[1] < 0.5 && upper[1] > 0.3 ? OAK_REGION_REFINE : OAK_REGION_NEVER;
}
