/* SPDX-License-Identifier: GPL-2.0-or-later
 * Noh's implosion (W. F. Noh, J. Comput. Phys. 72 (1987) 78): cold gas falls towards the origin
 * with speed 1 everywhere. A shock of infinite strength runs outwards at speed 1/3; behind it the
 * gas is at rest with density 4^d = 16 (2D), 64 (3D), before it
 *
 *   rho = (1 + t/r)^(d - 1).
 *
 * In (r, z) it is spherical, as in 3D.
 *
 * Schemes heat the gas too much at the place where the shock starts, so the density is too low
 * there. Domain 0 to 1, a quadrant or octant; physics: euler with gamma = 5/3; low boundaries
 * reflect, high ones user. */

TITLE("Noh implosion")

PARAMETER(pressure, 1e-6, "pressure of the cold gas")

/* The solution ahead of the shock. */
OAK_FN void noh_ahead(const oak_at_t *at, double q[]) {
  const double *x = at->x;
  const double r = sqrt(x[0] * x[0] + x[1] * x[1] + (OAK_DIM == 3 ? x[2] * x[2] : 0));
  const double squeeze = 1 + at->t / r;
  q[RHO] = OAK_DIM == 3 || OAK_COORDINATES ? squeeze * squeeze : squeeze;
  OAK_FOR(d, OAK_DIM) q[VX + d] = -x[d] / r;
  q[PRS] = at->p.pressure;
}

INITIAL(at, q) { noh_ahead(at, q); }

BOUNDARY(at, face, q) { noh_ahead(at, q); }
