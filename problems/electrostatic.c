/* SPDX-License-Identifier: GPL-2.0-or-later
 * A dielectric cylinder (2D) or sphere (3D, (r, z)) in an electric field that is uniform far away
 * and alternates, E0 cos(omega t), along x, in (r, z) along z. It may carry a charge. The potential
 * obeys
 *
 *   div(epsilon grad phi) = -rho,  E = -grad phi
 *
 * with epsilon = 1 outside. The solution is exact (J. D. Jackson, Classical Electrodynamics, 3rd
 * ed., section 4.4): with the dimension d and k = (epsilon - 1) / (epsilon + d - 1),
 *
 *   outside  phi = -E0 x (1 - k (R/r)^d),   inside  phi = -E0 x d / (epsilon + d - 1)
 *
 * and that of the charge is added. It is given at the boundary of the domain. Physics: advection at
 * rest; its variable is the density of charge. */

TITLE("dielectric in an electric field")

PARAMETER(epsilon, 5, "{>0} permittivity of the cylinder or sphere; 1 outside")
PARAMETER(radius, 0.25, "{>0} its radius R")
PARAMETER(field, 1, "E0")
PARAMETER(charge, 0, "density of charge inside")
PARAMETER(frequency, 1, "{>0} omega / (2 pi) of the field")

FIELD_STORED(phi)
#if OAK_COORDINATES
FIELD_STORED(phi_r)
FIELD_STORED(phi_z)
#else
FIELD_STORED(phi_x)
FIELD_STORED(phi_y)
#endif

/* The dimension of the exact solution, and the axis of the field. */
enum { SPACE = OAK_COORDINATES ? 3 : OAK_DIM, ALONG = OAK_COORDINATES ? 1 : 0 };

OAK_FN double radius_of(const double x[3]) {
  double sum = 0;
  OAK_FOR(d, OAK_DIM) sum += x[d] * x[d];
  return sqrt(sum);
}

/* The part of a cell that lies inside, by 4^d points. */
OAK_FN double share_inside(const oak_at_t *at) {
  const int n = 4, nz = OAK_DIM == 3 ? n : 1;
  double sum = 0;
  for (int i = 0; i < n * n * nz; i++) {
    const int p[3] = {i % n, i / n % n, i / (n * n)};
    double x[3];
    for (int d = 0; d < OAK_DIM; d++) x[d] = at->x[d] + ((p[d] + 0.5) / n - 0.5) * at->dx[d];
    if (radius_of(x) < at->p.radius) sum += OAK_COORDINATES ? x[0] / at->x[0] : 1;
  }
  return sum / (n * n * nz);
}

OAK_FN double exact(const oak_at_t *at) {
  const double R = at->p.radius, eps = at->p.epsilon, r = radius_of(at->x);
  const double field = at->p.field * cos(2 * M_PI * at->p.frequency * at->t);
  const double k = (eps - 1) / (eps + SPACE - 1), rho = at->p.charge;
  if (r < R)
    return -field * at->x[ALONG] * SPACE / (eps + SPACE - 1) +
           rho * ((R * R - r * r) / (2 * SPACE * eps) + (SPACE == 3 ? R * R / 3 : 0));
  return -field * at->x[ALONG] * (1 - k * pow(R / r, SPACE)) +
         rho * (SPACE == 3 ? R * R * R / (3 * r) : -R * R / 2 * log(r / R));
}

INITIAL(at, q) { q[RHO] = at->p.charge * share_inside(at); }

POISSON(at, q) { return -q[RHO]; }

POISSON_COEFFICIENTS(at, q, a, b) { *a = 1 + (at->p.epsilon - 1) * share_inside(at); }

POISSON_BOUNDARY(at, face) { return exact(at); }

TIMESTEP(at, q) { return 1 / (32 * at->p.frequency); }

/* Blocks at the surface are refined. */
REFINE(at) {
  const double share = share_inside(at);
  return share > 0 && share < 1;
}

OUTPUT(error, at, q) { return at->f.phi - exact(at); }
#if OAK_COORDINATES
OUTPUT(er, at, q) { return -at->f.phi_r; }
OUTPUT(ez, at, q) { return -at->f.phi_z; }
#else
OUTPUT(ex, at, q) { return -at->f.phi_x; }
OUTPUT(ey, at, q) { return -at->f.phi_y; }
#endif
