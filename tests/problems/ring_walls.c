/* SPDX-License-Identifier: GPL-2.0-or-later
 * Gas that moves and turns in a ring whose walls, 1/4 < r < 1 and 0 < z < 1, are solids or
 * boundaries, or in polar or spherical coordinates with phi or theta - 1 in place of z; or gas at
 * rest around a sphere on the axis. Physics: navier_stokes. */

TITLE("Gas between solid rings")

#define RING_Z(at) ((at)->x[1] - (OAK_COORDINATES == OAK_SPHERICAL))
PARAMETER(kind, 0, "{none,walls,sphere} where solids are")

INITIAL(at, q) {
  const double r = at->x[0] - 0.5, z = RING_Z(at) - 0.35;
  q[RHO] = q[PRS] = 1;
  if (at->p.kind == 2) return;
  q[RHO] += 0.5 * sin(5 * at->x[0] + 3 * RING_Z(at));
  if (r * r + z * z < 0.02) q[PRS] = 20;
  q[VX] = 0.3;
  q[PHYSICS_VELOCITIES] = 0.5 + at->x[0]; /* along phi */
}

SOLID(at) {
  const double r = at->x[0], z = RING_Z(at);
  if (at->p.kind == 0) return 1;
  if (at->p.kind == 2) return sqrt(r * r + (z - 0.5) * (z - 0.5)) - 0.3;
  return fmin(0.375 - fabs(r - 0.625), 0.5 - fabs(z - 0.5));
}

BOUNDARY(at, face, q) {
  for (int d = 0; d < PHYSICS_VELOCITIES; d++) q[VX + d] *= -1;
}
