/* SPDX-License-Identifier: GPL-2.0-or-later
 * Elliptic equations with made-up solutions on the unit square or cube (independent of z):
 *
 *   lap phi = f, phi = 0:                  phi = sin(pi x) sin(pi y)
 *   lap psi - b psi = f, no slope:         psi = cos(pi x) cos(2 pi y)
 *
 * and in 2D
 *
 *   div((1 + x y / 2) grad chi) = f, chi:  chi = e^x sin(y)
 *   lap eta - b eta = f, slope:            eta = (1 + t) cos(pi x) e^y
 *
 * Physics: advection at rest. */
TITLE("four equations")
PARAMETER(b_psi, 50, "b of psi")
PARAMETER(b_eta, 3, "b of eta")

FIELD_STORED(phi)
FIELD_STORED(phi_x)
FIELD_STORED(psi)
FIELD_STORED(psi_y)

INITIAL(at, q) { q[RHO] = 1; }
TIMESTEP(at, q) { return 0.125; }

POISSON(at, q) { return -2 * M_PI * M_PI * sin(M_PI * at->x[0]) * sin(M_PI * at->x[1]); }

POISSON_OF(psi, at, q) {
  return -(5 * M_PI * M_PI + at->p.b_psi) * cos(M_PI * at->x[0]) * cos(2 * M_PI * at->x[1]);
}

#if OAK_DIM == 2
FIELD_STORED(chi)
FIELD_STORED(eta)

POISSON_OF(chi, at, q) {
  const double x = at->x[0], y = at->x[1];
  return exp(x) * (0.5 * y * sin(y) + 0.5 * x * cos(y));
}
POISSON_COEFFICIENTS_OF(chi, at, q, a, b) { *a = 1 + 0.5 * at->x[0] * at->x[1]; }
POISSON_BOUNDARY_OF(chi, at, face) { return exp(at->x[0]) * sin(at->x[1]); }

POISSON_OF(eta, at, q) {
  return (1 + at->t) * (1 - M_PI * M_PI - at->p.b_eta) * cos(M_PI * at->x[0]) * exp(at->x[1]);
}
/* Along x the slope is 0. */
POISSON_BOUNDARY_OF(eta, at, face) {
  const double along_y = (1 + at->t) * cos(M_PI * at->x[0]) * exp(at->x[1]);
  return face == 3 ? along_y : face == 2 ? -along_y : 0;
}
#endif
