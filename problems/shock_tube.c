/* SPDX-License-Identifier: GPL-2.0-or-later
 * Shock tube: two constant states that meet at a plane normal to any axis. The defaults are those
 * of G. A. Sod, J. Comput. Phys. 27 (1978) 1; other one-dimensional Riemann problems need only
 * other parameters. Physics: euler with gamma = 1.4, or isothermal; outflow along the tube. */

TITLE("Shock tube")

PARAMETER(axis, 0, "{x,y,z} axis of the tube")
PARAMETER(position, 0.5, "position of the membrane")
PARAMETER(rho_left, 1.0, "density on the left")
PARAMETER(u_left, 0.0, "velocity along the tube on the left")
PARAMETER(p_left, 1.0, "pressure on the left")
PARAMETER(rho_right, 0.125, "density on the right")
PARAMETER(u_right, 0.0, "velocity on the right")
PARAMETER(p_right, 0.1, "pressure on the right")

INITIAL(at, q) {
  const int axis = (int)at->p.axis;
  const int left = at->x[axis] < at->p.position;
  q[RHO] = left ? at->p.rho_left : at->p.rho_right;
  if (axis >= OAK_DIM) q[RHO] = -1; /* no z axis in 2D: refused as an invalid state */
  OAK_FOR(d, OAK_DIM) q[VX + d] = d == axis ? (left ? at->p.u_left : at->p.u_right) : 0;
#ifdef PRS
  q[PRS] = left ? at->p.p_left : at->p.p_right;
#endif
}
