/* SPDX-License-Identifier: GPL-2.0-or-later
 * Flows that fade by viscosity and heat conduction, in the periodic unit square; k = 2 pi:
 *
 *   vortices  rows of vortices that turn against each other (G. I. Taylor, A. E. Green, Proc. R.
 *             Soc. A 158 (1937) 499): u = D (sin kx cos ky, -cos kx sin ky),
 *             p = p0 + rho/4 (cos 2kx + cos 2ky) D^2
 *   shear     streams beside each other: u = (D sin ky, 0)
 *   spot      gas at rest with a hot spot in the middle
 *
 * The first two are exact solutions if nothing is compressed, with D = exp(-2 nu k^2 t) for
 * vortices and exp(-nu k^2 t) for streams. A gas follows them up to the square of the Mach number.
 * Physics: navier_stokes. */

TITLE("Flow that fades")

PARAMETER(flow, 0, "{vortices,shear,spot} which")
PARAMETER(mach, 0.05, "{>0} velocity 1 over the sound speed")
PARAMETER(heat, 0.5, "excess of the temperature in the spot, relative to that around it")
PARAMETER(width, 0.1, "{>0} width of the spot: the excess falls as exp(-(r/width)^2)")
PARAMETER(fine, 0, "level of blocks that touch the middle half of the domain")

INITIAL(at, q) {
  const double k = 2 * M_PI, x = k * at->x[0], y = k * at->x[1];
  const double dx = (at->x[0] - 0.5) / at->p.width, dy = (at->x[1] - 0.5) / at->p.width;
  const double pressure = 1 / (at->ph.gamma * at->p.mach * at->p.mach);
  q[RHO] = 1;
  q[PRS] = pressure;
  if (at->p.flow == 0) {
    q[VX] = sin(x) * cos(y);
    q[VY] = -cos(x) * sin(y);
    q[PRS] += 0.25 * (cos(2 * x) + cos(2 * y));
  } else if (at->p.flow == 1) {
    q[VX] = sin(y);
  } else {
    q[PRS] *= 1 + at->p.heat * exp(-dx * dx - dy * dy);
  }
}

REGION(at, lower, upper) {
  int inside = 1;
  for (int d = 0; d < 2; d++) inside &= lower[d] < 0.75 && upper[d] > 0.25;
  return inside && at->level < at->p.fine ? OAK_REGION_REFINE : OAK_REGION_FREE;
}
