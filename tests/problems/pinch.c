/* SPDX-License-Identifier: GPL-2.0-or-later
 * A column of gas that the field of its own current holds: B_phi = r and a pressure p = 2 - r^2
 * balance each other, for any density and any uniform B_z. Physics: mhd. */

TITLE("Pinch")

OAK_FN void pinch_state(const oak_at_t *at, double q[]) {
  const double r = at->x[0];
  q[RHO] = 1 + 0.3 * r * r;
  q[VY] = 0.2;
  q[BY] = 0.5;
  q[BZ] = r;
  q[PRS] = 2 - r * r;
}

INITIAL(at, q) { pinch_state(at, q); }
BOUNDARY(at, face, q) { pinch_state(at, q); }
REGION(at, lower, upper) {
  return lower[0] < 0.4 && lower[1] < 0.5 && upper[1] > 0.3 ? OAK_REGION_REFINE : OAK_REGION_NEVER;
}
