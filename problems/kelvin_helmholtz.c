/* SPDX-License-Identifier: GPL-2.0-or-later
 * Kelvin-Helmholtz instability (C. P. McNally, W. Lyra, J.-C. Passy, Astrophys. J. Suppl. 201
 * (2012) 18): a dense stream between two light ones that flow the other way. The layers between
 * them have a width, so that the growth of the disturbance does not depend on the grid and can be
 * compared between codes. Unit square or cube, periodic; physics: euler with gamma = 5/3. */

TITLE("Kelvin-Helmholtz instability")

PARAMETER(rho_out, 1, "density of the outer streams")
PARAMETER(rho_in, 2, "density of the middle stream")
PARAMETER(u_out, 0.5, "velocity of the outer streams along x")
PARAMETER(u_in, -0.5, "velocity of the middle stream")
PARAMETER(width, 0.025, "width of the layers")
PARAMETER(kick, 0.01, "amplitude of the disturbance, a velocity")
PARAMETER(modes, 2, "its wave lengths per unit length")
PARAMETER(pressure, 2.5, "pressure")

/* From `in` to `out` over the layers at y = 1/4 and 3/4. */
OAK_FN double kh_profile(double in, double out, double y, double width) {
  const double s = fabs(y - 0.5) - 0.25, half = 0.5 * (out - in) * exp(-fabs(s) / width);
  return s < 0 ? in + half : out - half;
}

INITIAL(at, q) {
  q[RHO] = kh_profile(at->p.rho_in, at->p.rho_out, at->x[1], at->p.width);
  q[VX] = kh_profile(at->p.u_in, at->p.u_out, at->x[1], at->p.width);
  q[VY] = at->p.kick * sin(2 * M_PI * at->p.modes * at->x[0]);
  q[PRS] = at->p.pressure;
}
