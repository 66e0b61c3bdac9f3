/* SPDX-License-Identifier: GPL-2.0-or-later
 * Shock tube of magnetohydrodynamics: two constant states that meet at x = 0.5. The defaults are
 * those of M. Brio, C. C. Wu, J. Comput. Phys. 75 (1988) 400, with a compound wave; other tubes
 * need other parameters, such as those of D. Ryu, T. W. Jones, Astrophys. J. 442 (1995) 228. The
 * tube lies along any axis; components 1 and 2 of vectors are across it. Physics: mhd. */

TITLE("MHD shock tube")

PARAMETER(axis, 0, "{x,y,z} axis of the tube")
PARAMETER(position, 0.5, "position of the membrane")
PARAMETER(field, 0.75, "field along the tube")
PARAMETER(rho_left, 1, "density on the left")
PARAMETER(u_left, 0, "velocity along the tube on the left")
PARAMETER(v1_left, 0, "first velocity across the tube on the left")
PARAMETER(v2_left, 0, "second velocity across the tube on the left")
PARAMETER(p_left, 1, "pressure on the left")
PARAMETER(b1_left, 1, "first field across the tube on the left")
PARAMETER(b2_left, 0, "second field across the tube on the left")
PARAMETER(rho_right, 0.125, "density on the right")
PARAMETER(u_right, 0, "velocity along the tube on the right")
PARAMETER(v1_right, 0, "first velocity across the tube on the right")
PARAMETER(v2_right, 0, "second velocity across the tube on the right")
PARAMETER(p_right, 0.1, "pressure on the right")
PARAMETER(b1_right, -1, "first field across the tube on the right")
PARAMETER(b2_right, 0, "second field across the tube on the right")

INITIAL(at, q) {
  const int n = (int)at->p.axis, t1 = (n + 1) % 3, t2 = (n + 2) % 3;
  const int left = at->x[n] < at->p.position;
  q[RHO] = left ? at->p.rho_left : at->p.rho_right;
  if (n >= OAK_DIM) q[RHO] = -1; /* no z axis in 2D: refused as an invalid state */
  q[VX + n] = left ? at->p.u_left : at->p.u_right;
  q[VX + t1] = left ? at->p.v1_left : at->p.v1_right;
  q[VX + t2] = left ? at->p.v2_left : at->p.v2_right;
  q[PRS] = left ? at->p.p_left : at->p.p_right;
  q[BX + n] = at->p.field;
  q[BX + t1] = left ? at->p.b1_left : at->p.b1_right;
  q[BX + t2] = left ? at->p.b2_left : at->p.b2_right;
}
