/* SPDX-License-Identifier: GPL-2.0-or-later
 * A blast in a box whose walls are solids, or that ends at the same places with reflecting
 * boundaries; or in a box with a ball in it. Physics: euler. */

TITLE("Blast between solids")

PARAMETER(kind, 0,
          "{none,walls,ball,floor,channel} where solids are; on the floor the gas is uniform")

PARAMETER(force, 0, "along x, per mass")

SOURCE(at, q, source) {
  source[MX] += (real)at->p.force * q[RHO];
  source[ENE] += (real)at->p.force * q[RHO] * q[VX];
}

INITIAL(at, q) {
  const double x = at->x[0] - 0.4, y = at->x[1] - 0.35, z = OAK_DIM == 3 ? at->x[2] - 0.3 : 0;
  q[RHO] = 1 + 0.5 * sin(5 * at->x[0] + 3 * at->x[1]);
  q[PRS] = x * x + y * y + z * z < 0.01 ? 20 : 1;
  q[VX] = 0.3;
  if (at->p.kind >= 3) q[RHO] = q[PRS] = 1;
  if (at->p.kind == 4) q[VX] = 0;
}

SOLID(at) {
  const double x = at->x[0] - 0.5, y = at->x[1] - 0.5, z = OAK_DIM == 3 ? at->x[2] - 0.5 : 0;
  if (at->p.kind == 0) return 1;
  if (at->p.kind == 3) return at->x[1] - 0.25;
  if (at->p.kind == 4) return 0.25 - fabs(at->x[1] - 0.5);
  if (at->p.kind == 2) return sqrt(x * x + y * y + z * z) - 0.2;
  return 0.5 - fmax(fabs(x), fmax(fabs(y), fabs(z)));
}

BOUNDARY(at, face, q) {
  for (int d = 0; d < OAK_DIM; d++) q[VX + d] *= -1;
}
