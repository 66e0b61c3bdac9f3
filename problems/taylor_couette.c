/* SPDX-License-Identifier: GPL-2.0-or-later
 * Viscous gas between two cylinders that rotate, in (r, z). Their radii are 1 and 2, which are the
 * walls of the domain. Without vortices the flow is that of Couette,
 *
 *   v_phi = A r + B / r,
 *
 * with the speeds of the walls, and the pressure balances the centrifugal force. Above a critical
 * rotation of the inner cylinder, rings of vortices grow (G. I. Taylor, Phil. Trans. R. Soc. A 223
 * (1923) 289). If the outer cylinder is at rest this is the Reynolds number V d / nu = 68.2, where
 * V is the speed of the inner wall and d = 1 the distance (R. C. DiPrima, H. L. Swinney, in
 * Hydrodynamic Instabilities, Springer 1981, table 6.1). The walls keep their temperature.
 * Physics: navier_stokes in (r, z). */

TITLE("Flow between rotating cylinders")

PARAMETER(inner, 1, "speed of the inner wall")
PARAMETER(outer, 0, "speed of the outer wall")
PARAMETER(mach, 0.3, "{>0} velocity 1 over the sound speed")
PARAMETER(seed, 0.01, "velocity along r of the waves at the start")
PARAMETER(rest, 0, "1: the gas is at rest at the start")

#if !OAK_COORDINATES
#error "the problem taylor_couette is in (r, z): set mesh.coordinates = axisymmetric"
#endif

OAK_FN double wall_pressure(const oak_at_t *at) {
  return 1 / (at->ph.gamma * at->p.mach * at->p.mach);
}

INITIAL(at, q) {
  const double A = (2 * at->p.outer - at->p.inner) / 3, B = 2 * (2 * at->p.inner - at->p.outer) / 3;
  const double r = at->x[0], z = M_PI * at->x[1];
  const double v = at->p.rest > 0 ? 0 : A * r + B / r;
  q[RHO] = 1;
  q[PRS] = wall_pressure(at);
  if (at->p.rest == 0)
    q[PRS] += A * A * (r * r - 1) / 2 + 2 * A * B * log(r) + B * B * (1 - 1 / (r * r)) / 2;
  q[VX] = at->p.seed * sin(M_PI * (r - 1)) * cos(z);
  q[VZ] = v;
}

/* The state at the wall is the mean of the cells on both sides of it. */
BOUNDARY(at, face, q) {
  const double radius = face == 0 ? 1 : 2, v = face == 0 ? at->p.inner : at->p.outer;
  const double wall = wall_pressure(at), beyond = 2 * wall - q[PRS] / q[RHO];
  q[PRS] += q[RHO] * v * v / radius * 2 * (at->x[0] - radius);
  q[RHO] = q[PRS] / beyond;
  q[VX] = -q[VX];
  q[VY] = -q[VY];
  q[VZ] = 2 * v - q[VZ];
}

OUTPUT(radial, at, q) { return q[VX]; }
OUTPUT(rotation, at, q) { return q[VZ]; }
OUTPUT(secondary, at, q) { return q[VX] * q[VX] + q[VY] * q[VY]; }
