/* SPDX-License-Identifier: GPL-2.0-or-later
 * A field whose divergence is not 0. */
TITLE("Divergence")

INITIAL(at, q) {
  q[RHO] = q[PRS] = 1;
  q[BX] = sin(2 * M_PI * at->x[0]);
}
