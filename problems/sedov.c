/* SPDX-License-Identifier: GPL-2.0-or-later
 * Sedov-Taylor blast wave: energy is set free in a small region of a cold gas at rest (L. I. Sedov,
 * Similarity and Dimensional Methods in Mechanics, Academic Press 1959; G. Taylor, Proc. R. Soc.
 * Lond. A 201 (1950) 159). A circular (2D) or spherical (3D) shock runs outwards at
 *
 *   R(t) = (E t^2 / (alpha rho0))^(1/(d + 2)),   alpha = 0.984 (2D), 0.851 (3D) for gamma = 1.4,
 *
 * and leaves a nearly empty centre of finite pressure behind; the density jumps by
 * (gamma + 1)/(gamma - 1) = 6. Departures from a circle show what the grid does to the solution.
 *
 * The energy is a Gaussian of the given width, so that its sum over the cells is E to rounding
 * wherever the width spans two cells or more. In (r, z) the explosion is spherical, as in 3D. In
 * polar coordinates its place is the point (center_x, center_y) of the plane.
 * Physics: euler with gamma = 1.4. */

TITLE("Sedov-Taylor blast wave")

PARAMETER(energy, 1.0, "energy set free (2D: per unit length)")
PARAMETER(width, 0.01, "width w of its profile exp(-r^2/w^2)")
PARAMETER(rho0, 1.0, "density")
PARAMETER(p0, 1e-5, "pressure of the gas around")
PARAMETER(center_x, 0.0, "position of the explosion")
PARAMETER(center_y, 0.0, "position of the explosion")
PARAMETER(center_z, 0.0, "position of the explosion (3D)")

INITIAL(at, q) {
  const double center[3] = {at->p.center_x, at->p.center_y, at->p.center_z};
  double r2 = 0, volume = 1; /* integral of the profile */
#if OAK_COORDINATES == OAK_POLAR
  const double x[3] = {at->x[0] * cos(at->x[1]), at->x[0] * sin(at->x[1]), 0};
#else
  const double *x = at->x;
#endif
  OAK_FOR(d, OAK_DIM) {
    r2 += (x[d] - center[d]) * (x[d] - center[d]);
    volume *= 1.7724538509055160 * at->p.width; /* sqrt(pi) w */
  }
#if OAK_COORDINATES && OAK_COORDINATES != OAK_POLAR
  volume *= 1.7724538509055160 * at->p.width; /* a ball around a point of the axis */
#endif
  const double density = at->p.energy / volume * exp(-r2 / (at->p.width * at->p.width));
  q[RHO] = at->p.rho0;
  q[PRS] = at->p.p0 + (at->ph.gamma - 1) * density;
}
