/* SPDX-License-Identifier: GPL-2.0-or-later
 * A weak loop of field that a stream carries across the grid and back to its place: T. A. Gardiner,
 * J. M. Stone, J. Comput. Phys. 205 (2005) 509, section 5.1; 227 (2008) 4123 with a velocity along
 * z, with which an error of div B makes a field along z. The field is the discrete curl of a vector
 * potential, so that its discrete divergence is zero. Physics: mhd; periodic, centre at the origin.
 */

TITLE("Field loop")

PARAMETER(radius, 0.3, "radius of the loop")
PARAMETER(strength, 1e-3, "field in the loop")
PARAMETER(vx, 2, "velocity along x")
PARAMETER(vy, 1, "velocity along y")
PARAMETER(vz, 1, "velocity along z")

OAK_FN double potential(const oak_at_t *at, double x, double y) {
  return fmax(at->p.strength * (at->p.radius - sqrt(x * x + y * y)), 0);
}

VECTOR_POTENTIAL(at, a) { a[2] = potential(at, at->x[0], at->x[1]); }

INITIAL(at, q) {
  const double x = at->x[0], y = at->x[1], hx = at->dx[0], hy = at->dx[1];
  q[RHO] = 1;
  q[PRS] = 1;
  q[VX] = at->p.vx;
  q[VY] = at->p.vy;
  q[VZ] = at->p.vz;
  q[BX] = (potential(at, x, y + hy) - potential(at, x, y - hy)) / (2 * hy);
  q[BY] = -(potential(at, x + hx, y) - potential(at, x - hx, y)) / (2 * hx);
}
