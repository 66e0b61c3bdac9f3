/* SPDX-License-Identifier: GPL-2.0-or-later
 * A supersonic jet along the axis of (r, z): light gas enters through a nozzle in the lower
 * boundary with the pressure of the gas around. A bow shock runs ahead of the jet, and the gas of
 * the jet flows back around it in a cocoon with vortices (M. L. Norman, L. Smarr, K.-H. A. Winkler,
 * M. D. Smith, Astron. Astrophys. 113 (1982) 285: Mach number 6, density ratio 0.1).
 *
 * Physics: euler; low boundary along z: user. */

TITLE("Axisymmetric jet")

PARAMETER(mach, 6.0, "{>0} speed of the jet over its speed of sound")
PARAMETER(density, 0.1, "{>0} density of the jet over that of the gas around")
PARAMETER(radius, 0.1, "{>0} radius of the nozzle")

OAK_FN void jet_around(const oak_at_t *at, double q[]) {
  q[RHO] = 1;
  q[PRS] = 1 / at->ph.gamma; /* its speed of sound is 1 */
}

INITIAL(at, q) { jet_around(at, q); }

/* q comes with the state of the mirror cell: beside the nozzle there is a wall. */
BOUNDARY(at, face, q) {
  if (at->x[0] > at->p.radius) {
    q[VY] = -q[VY];
    return;
  }
  jet_around(at, q);
  q[RHO] = at->p.density;
  q[VX] = 0;
  q[VY] = at->p.mach / sqrt(at->p.density);
}
