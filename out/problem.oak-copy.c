/* SPDX-License-Identifier: GPL-2.0-or-later
 * Implosion in a box (R. Liska, B. Wendroff, SIAM J. Sci. Comput. 25 (2003) 995, section 4.7): a
 * diamond of low pressure in the corner of a square with reflecting walls. Shocks are reflected
 * many times and a slow jet forms along the diagonal. A scheme that is not symmetric destroys the
 * jet. Domain 0.3 x 0.3, physics: euler with gamma = 1.4. */

TITLE("Liska-Wendroff implosion")

PARAMETER(side, 0.15, "the diamond is x + y < side")
PARAMETER(rho_in, 0.125, "density inside")
PARAMETER(p_in, 0.14, "pressure inside")
PARAMETER(rho_out, 1.0, "density outside")
PARAMETER(p_out, 1.0, "pressure outside")

INITIAL(at, q) {
  /* Some cell centres lie exactly on the edge; rounding errors must not decide on which side they
   * are. */
  const int inside = at->x[0] + at->x[1] + (OAK_DIM == 3 ? at->x[2] : 0) < at->p.side * (1 + 1e-10);
  q[RHO] = inside ? at->p.rho_in : at->p.rho_out;
  q[PRS] = inside ? at->p.p_in : at->p.p_out;
}
