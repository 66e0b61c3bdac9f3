/* SPDX-License-Identifier: GPL-2.0-or-later
 * A weak loop of field that a stream carries across the grid and back to its place: T. A. Gardiner,
 * J. M. Stone, J. Comput. Phys. 205 (2005) 509, section 5.1; 227 (2008) 4123 with a velocity along
 * z, with which an error of div B makes a field along z. The field is the discrete curl of a vector
 * potential, so that its discrete divergence is zero. Physics: mhd_ct, mhd; periodic, centre
 * at the origin. In polar coordinates the gas rotates like a solid, and the loop begins at r = 1,
 * phi = 0; one turn takes 2 pi / vy.
 */

TITLE("Field loop")

PARAMETER(radius, 0.3, "radius of the loop")
PARAMETER(strength, 1e-3, "field in the loop")
PARAMETER(vx, 2, "velocity along x")
PARAMETER(vy, 1, "velocity along y; in polar coordinates along phi at r = 1")
PARAMETER(vz, 1, "velocity along z")

OAK_FN double potential(const oak_at_t *at, double x, double y) {
#if OAK_COORDINATES == OAK_POLAR
  const double r = x, phi = y;
  x = r * cos(phi) - 1, y = r * sin(phi);
#endif
  return fmax(at->p.strength * (at->p.radius - sqrt(x * x + y * y)), 0);
}

VECTOR_POTENTIAL(at, a) { a[2] = potential(at, at->x[0], at->x[1]); }

INITIAL(at, q) {
  const int polar = OAK_COORDINATES == OAK_POLAR;
  const double x = at->x[0], y = at->x[1], r = polar ? x : 1, hx = at->dx[0], hy = at->dx[1] / r;
  q[RHO] = 1;
  q[PRS] = polar ? 1 + 0.5 * at->p.vy * at->p.vy * r * r : 1;
  q[VX] = polar ? 0 : at->p.vx;
  q[VY] = at->p.vy * r;
  q[VZ] = at->p.vz;
  q[BX] = (potential(at, x, y + hy) - potential(at, x, y - hy)) / (2 * r * hy);
  q[BY] = -(potential(at, x + hx, y) - potential(at, x - hx, y)) / (2 * hx);
}
