/* SPDX-License-Identifier: GPL-2.0-or-later
 * A blast in a box whose walls are solids, or that ends at the same places with reflecting
 * boundaries; or in a box with a ball in it. Physics: euler. */

TITLE("Blast between solids")

PARAMETER(
    kind, 0,
    "{none,walls,ball,floor,channel,disk,plate} where solids are; on the floor and beside the "
    "disk the gas is uniform, beside the plate there are two pressures")
PARAMETER(size, 0, "radius of the disk, or half the thickness of the plate")

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
  if (at->p.kind == 6) q[PRS] = at->x[0] < 0.503 ? 1 : 100;
  if (at->p.kind == 6) q[VX] = 0;
  if (at->p.kind == 4) q[VX] = 0;
}

SOLID(at) {
  const double x = at->x[0] - 0.5, y = at->x[1] - 0.5, z = OAK_DIM == 3 ? at->x[2] - 0.5 : 0;
  if (at->p.kind == 0) return 1;
  if (at->p.kind == 3) return at->x[1] - 0.25;
  if (at->p.kind == 4) return 0.25 - fabs(at->x[1] - 0.5);
  if (at->p.kind == 5) return hypot(x, y) - at->p.size;
  if (at->p.kind == 6) return fabs(at->x[0] - 0.503) - at->p.size;
  if (at->p.kind == 2) return sqrt(x * x + y * y + z * z) - 0.2;
  return 0.5 - fmax(fabs(x), fmax(fabs(y), fabs(z)));
}

BOUNDARY(at, face, q) {
  for (int d = 0; d < OAK_DIM; d++) q[VX + d] *= -1;
}
