/* SPDX-License-Identifier: GPL-2.0-or-later
 * Light that a ball on the axis absorbs, in (r, z): lap psi = k^2 psi outside, 0 inside. Physics:
 * advection. */

TITLE("light around a body that absorbs")

PARAMETER(radius, 0.25, "of the ball, whose centre is at z = 0.5")
PARAMETER(k, 2, "inverse of the length of absorption")

FIELD_STORED(phi)
FIELD_STORED(psi)

POISSON(at, q) { return 0; }
POISSON_OF(psi, at, q) { return 0; }

OAK_FN double exact(const oak_at_t *at) {
  const double z = at->x[1] - 0.5, r = sqrt(at->x[0] * at->x[0] + z * z), R = at->p.radius;
  return r <= R ? 0 : sinh(at->p.k * (r - R)) / r;
}

POISSON_BOUNDARY_OF(psi, at, face) { return exact(at); }

INITIAL(at, q) { q[0] = 0; }

OUTPUT(difference, at, q) { return (double)at->f.psi - exact(at); }
