/* SPDX-License-Identifier: GPL-2.0-or-later
 * Two bodies in a periodic stream; in (r, z) they are a ball on the axis and a ring around it.
 * Physics: euler, navier_stokes, mhd. */

INITIAL(at, q) {
  q[RHO] = 1 + 0.1 * sin(6.283185307179586 * at->x[1]);
  q[VX] = OAK_COORDINATES ? 0 : 0.5;
  q[VY] = 0.2 * cos(6.283185307179586 * at->x[0]);
  q[PRS] = 1;
#ifdef PHYSICS_MIRROR
  q[BX] = 0.3;
#endif
}

OAK_FN double ball(const oak_at_t *at, double x, double y, double radius) {
  const double dx = at->x[0] - x, dy = at->x[1] - y, dz = OAK_DIM == 3 ? at->x[2] - 0.5 : 0;
  return sqrt(dx * dx + dy * dy + dz * dz) - radius;
}

SOLID(at) {
  return OAK_MIN(ball(at, OAK_COORDINATES ? 0 : 0.25, 0.5, 0.15), ball(at, 0.7, 0.45, 0.1));
}
