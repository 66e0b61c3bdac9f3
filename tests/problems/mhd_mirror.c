/* SPDX-License-Identifier: GPL-2.0-or-later
 * A smooth state that is its own mirror image at x = 0, x = 1, y = 0 and y = 1, with walls normal
 * to each axis: the normal components of velocity and field are odd there, all others even. */
TITLE("Mirror images")

VECTOR_POTENTIAL(at, a) { a[2] = 0.5 / M_PI * sin(M_PI * at->x[0]) * sin(M_PI * at->x[1]); }

INITIAL(at, q) {
  const double x = M_PI * at->x[0], y = M_PI * at->x[1];
  q[RHO] = 1 + 0.3 * cos(x) * cos(y);
  q[PRS] = 1 + 0.2 * cos(2 * x);
  q[VX] = 0.4 * sin(x) * cos(y);
  q[VY] = -0.3 * sin(2 * y);
  q[VZ] = 0.1 + 0.2 * cos(x);
  q[BX] = 0.5 * sin(x) * cos(y);
  q[BY] = -0.5 * cos(x) * sin(y);
  q[BZ] = 0.3 + 0.1 * cos(y);
}
