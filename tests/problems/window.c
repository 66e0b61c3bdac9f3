/* SPDX-License-Identifier: GPL-2.0-or-later
 * A wave, in a window that moves along x and is refined. Physics: advection. */

TITLE("Moving window")

INITIAL(at, q) { q[RHO] = 1 + 0.5 * sin(2 * M_PI * (at->x[0] + at->x[1])); }

REGION(at, lower, upper) {
  return lower[0] < 0.3 + 2 * at->t && upper[0] > 0.2 + 2 * at->t ? OAK_REGION_REFINE
                                                                  : OAK_REGION_DEREFINE;
}
