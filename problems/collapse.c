/* SPDX-License-Identifier: GPL-2.0-or-later
 * A sphere of gas at rest that collapses by its own gravity. G, its mass and its radius are 1.
 *
 * `evrard`: the density falls with 1/r and the specific internal energy is 0.05 (A. E. Evrard, Mon.
 * Not. R. Astron. Soc. 235 (1988) 911). The gas falls to the centre, and a strong shock runs out
 * through the gas that still falls.
 *
 * `uniform`: cold gas of uniform density falls freely and stays uniform. Its radius r obeys, with
 * r = cos^2 b (C. Hunter, Astrophys. J. 136 (1962) 594),
 *
 *   b + sin(2 b) / 2 = sqrt(2) t
 *
 * so that r = 1/2 at t = 0.909, and 0 at t = pi / sqrt(8). Let problem.energy be 1e-3 or less.
 *
 * In (r, z) the sphere can be a spheroid with the semi-axis `height` along z. A cold uniform
 * spheroid stays one and becomes flatter (C. C. Lin, L. Mestel, F. H. Shu, Astrophys. J. 142 (1965)
 * 1431). Physics: euler with gamma = 5/3, in 3D or in (r, z). */

TITLE("collapse of a sphere of gas")

PARAMETER(profile, 0, "{evrard,uniform} of the density")
PARAMETER(energy, 0.05, "{>0} specific internal energy of the sphere at the start")
PARAMETER(ambient, 1e-4, "{>0} density around the sphere; gravity leaves it out")
PARAMETER(cell_mass, 1e-5, "{>0} a cell is refined if a cube of its size has more mass than this")
PARAMETER(height, 1, "{>0} semi-axis along z, in (r, z) only")

#if OAK_DIM == 3 || OAK_COORDINATES

FIELD_STORED(phi)
#if OAK_COORDINATES
FIELD_STORED(phi_r)
#else
FIELD_STORED(phi_x)
FIELD_STORED(phi_y)
#endif
FIELD_STORED(phi_z)

OAK_FN void gravity(const oak_at_t *at, real g[]) {
#if OAK_COORDINATES
  g[0] = -at->f.phi_r, g[1] = -at->f.phi_z;
#else
  g[0] = -at->f.phi_x, g[1] = -at->f.phi_y, g[2] = -at->f.phi_z;
#endif
}

/* The gas around the sphere would have mass up to the boundary, but isolated boundaries need a
 * right-hand side of zero there. */
POISSON(at, q) { return 4 * M_PI * OAK_MAX(q[RHO] - at->p.ambient, 0); }

SOURCE(at, q, source) {
  real g[OAK_DIM];
  gravity(at, g);
  OAK_FOR(d, OAK_DIM) {
    source[MX + d] += q[RHO] * g[d];
    source[ENE] += q[RHO] * q[VX + d] * g[d];
  }
}

/* The first stage of a step accelerates gas at rest and leaves its energy as it is. Cold gas keeps
 * a positive pressure if the added speed is less than the speed of sound. */
TIMESTEP(at, q) {
  real g[OAK_DIM], square = 0;
  gravity(at, g);
  OAK_FOR(d, OAK_DIM) square += g[d] * g[d];
  return 0.5 * sqrt(at->ph.gamma * q[PRS] / q[RHO] / (square + 1e-30));
}

/* The mass of the sphere in a cell, by 4 points along each axis, over the cell's volume. */
INITIAL(at, q) {
  const int points = OAK_DIM == 3 ? 64 : 16;
  const double height = OAK_COORDINATES ? at->p.height : 1;
  double sum = 0;
  for (int i = 0; i < points; i++) {
    const int p[3] = {i % 4, i / 4 % 4, i / 16};
    double r2 = 0, weight = 1;
    for (int d = 0; d < OAK_DIM; d++) {
      const double x = at->x[d] + ((p[d] + 0.5) / 4 - 0.5) * at->dx[d];
      if (OAK_COORDINATES && d == 0) weight = x / at->x[0];
      r2 += OAK_COORDINATES && d == 1 ? x * x / (height * height) : x * x;
    }
    if (r2 < 1) sum += weight * (at->p.profile > 0.5 ? 3 / (4 * M_PI) : 1 / (2 * M_PI * sqrt(r2)));
  }
  q[RHO] = at->p.ambient + sum / points / height;
  q[PRS] = (at->ph.gamma - 1) * at->p.energy * q[RHO];
}

REFINE(at) {
  const double depth = OAK_COORDINATES ? at->dx[0] : at->dx[2];
  return (real)(oak_near(at, RHO, 0, 0, 0) * at->dx[0] * at->dx[1] * depth / at->p.cell_mass);
}

OUTPUT(kinetic, at, q) {
  double square = 0;
  for (int d = 0; d < OAK_DIM; d++) square += q[VX + d] * q[VX + d];
  return 0.5 * q[RHO] * square;
}
OUTPUT(internal, at, q) { return q[PRS] / (at->ph.gamma - 1); }
OUTPUT(potential, at, q) { return 0.5 * OAK_MAX(q[RHO] - at->p.ambient, 0) * at->f.phi; }

#else
#error "the problem collapse is in 3D or (r, z): set mesh.dim = 3 or mesh.coordinates"
#endif
