/* SPDX-License-Identifier: GPL-2.0-or-later
 * A Riemann problem across an oblique line of the xy plane, the same at every z, also in 3D.
 * Physics: euler. */

TITLE("Oblique Riemann problem")

INITIAL(at, q) {
  const int inside = at->x[0] + 2 * at->x[1] < 1.1;
  q[RHO] = inside ? 1 : 0.125;
  q[VX] = inside ? 0.2 : 0;
  q[PRS] = inside ? 1 : 0.1;
}
