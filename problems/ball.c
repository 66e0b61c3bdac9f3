/* SPDX-License-Identifier: GPL-2.0-or-later
 * A ball of dense, hot gas expands: a shock tube with spherical symmetry (E. F. Toro, Riemann
 * Solvers and Numerical Methods for Fluid Dynamics, Springer 2009, section 17.1). A shock runs
 * outwards ahead of the edge of the ball, and a rarefaction runs inwards. Behind it a second shock
 * forms, which later moves to the centre.
 *
 * The centre is the origin. In Cartesian coordinates in 2D, and in polar coordinates, the ball is a
 * cylinder. Physics: euler with gamma = 1.4. */

TITLE("Explosion of a ball")

PARAMETER(radius, 0.4, "{>0} radius of the ball")
PARAMETER(rho_in, 1, "{>0} density inside")
PARAMETER(p_in, 1, "{>0} pressure inside")
PARAMETER(rho_out, 0.125, "{>0} density outside")
PARAMETER(p_out, 0.1, "{>0} pressure outside")

INITIAL(at, q) {
  double square = at->x[0] * at->x[0];
#if OAK_COORDINATES == OAK_CARTESIAN || OAK_COORDINATES == OAK_AXISYMMETRIC
  for (int d = 1; d < OAK_DIM; d++) square += at->x[d] * at->x[d];
#elif OAK_COORDINATES == OAK_CYLINDRICAL
  square += at->x[2] * at->x[2];
#endif
  const int inside = square < at->p.radius * at->p.radius;
  q[RHO] = inside ? at->p.rho_in : at->p.rho_out;
  q[PRS] = inside ? at->p.p_in : at->p.p_out;
}
