/* SPDX-License-Identifier: GPL-2.0-or-later
 * Gresho's vortex: a triangular profile of the velocity in which the pressure gradient balances the
 * centrifugal force (P. M. Gresho, S. T. Chan, Int. J. Numer. Methods Fluids 11 (1990) 621; R.
 * Liska, B. Wendroff, SIAM J. Sci. Comput. 25 (2003) 995). The solution is steady, so every change
 * is an error of the scheme. A higher pressure lowers the Mach number and shows how a scheme damps
 * slow flow. Domain -0.5 < x, y < 0.5, periodic; physics: euler with gamma = 1.4. */

TITLE("Gresho vortex")

PARAMETER(pressure, 5, "pressure in the centre; the density is 1")
PARAMETER(stream, 0, "velocity of the whole along x")

INITIAL(at, q) {
  const double r = sqrt(at->x[0] * at->x[0] + at->x[1] * at->x[1]);
  double omega = 0, rise = -2 + 4 * 0.6931471805599453; /* angular velocity, p - p(0) */
  if (r < 0.2) {
    omega = 5;
    rise = 12.5 * r * r;
  } else if (r < 0.4) {
    omega = 2 / r - 5;
    rise = 4 + 12.5 * r * r - 20 * r + 4 * log(5 * r);
  }
  q[RHO] = 1;
  q[VX] = at->p.stream - omega * at->x[1];
  q[VY] = omega * at->x[0];
  q[PRS] = at->p.pressure + rise;
}
