/* SPDX-License-Identifier: GPL-2.0-or-later
 * A dense disc that spins in a light gas at rest twists the field through it, which brakes it: D.
 * S. Balsara, D. S. Spicer, J. Comput. Phys. 149 (1999) 270, as the "first rotor problem" of G.
 * Toth, J. Comput. Phys. 161 (2000) 605, section 6.5. Physics: mhd with gamma = 1.4. */

TITLE("MHD rotor")

PARAMETER(speed, 2, "velocity at the edge of the disc")
PARAMETER(radius, 0.1, "radius of the disc")
PARAMETER(edge, 0.115, "radius where the gas at rest begins")
PARAMETER(density, 10, "density of the disc; that of the gas is 1")
PARAMETER(pressure, 1, "pressure of both")
PARAMETER(field, 1.4104739588693909, "field along x; default 5 / sqrt(4 pi)")

INITIAL(at, q) {
  const double x = at->x[0] - 0.5, y = at->x[1] - 0.5, r = sqrt(x * x + y * y);
  const double ramp = (at->p.edge - r) / (at->p.edge - at->p.radius);
  const double share = ramp < 0 ? 0 : ramp > 1 ? 1 : ramp;
  const double rotation = share * at->p.speed / fmax(r, at->p.radius);
  q[RHO] = 1 + (at->p.density - 1) * share;
  q[VX] = -rotation * y;
  q[VY] = rotation * x;
  q[PRS] = at->p.pressure;
  q[BX] = at->p.field;
}
