/* SPDX-License-Identifier: GPL-2.0-or-later
 * Vortex of S. A. Orszag, C.-M. Tang, J. Fluid Mech. 90 (1979) 129, in the form of J. M. Picone, R.
 * B. Dahlburg, Phys. Fluids B 3 (1991) 29: a smooth state on the unit square from which shocks and
 * a current sheet arise. Density gamma^2, pressure gamma over 4 pi, all velocities of order one. In
 * 3D the same in every plane z. Physics: mhd with gamma = 5/3; periodic. */

TITLE("Orszag-Tang vortex")

INITIAL(at, q) {
  const double gamma = at->ph.gamma, b = 1 / sqrt(4 * M_PI);
  q[RHO] = gamma * gamma / (4 * M_PI);
  q[PRS] = gamma / (4 * M_PI);
  q[VX] = -sin(2 * M_PI * at->x[1]);
  q[VY] = sin(2 * M_PI * at->x[0]);
  q[BX] = -b * sin(2 * M_PI * at->x[1]);
  q[BY] = b * sin(4 * M_PI * at->x[0]);
}
