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
 * Physics: euler with gamma = 5/3, in 3D. */

TITLE("collapse of a sphere of gas")

PARAMETER(profile, 0, "{evrard,uniform} of the density")
PARAMETER(energy, 0.05, "{>0} specific internal energy of the sphere at the start")
PARAMETER(ambient, 1e-4, "{>0} density around the sphere; gravity leaves it out")
PARAMETER(cell_mass, 1e-5, "{>0} a cell with more mass than this is refined")

FIELD_STORED(phi)
FIELD_STORED(phi_x)
FIELD_STORED(phi_y)
FIELD_STORED(phi_z)

#if OAK_DIM == 3

/* The gas around the sphere would have mass up to the boundary, but isolated boundaries need a
 * right-hand side of zero there. */
POISSON(at, q) { return 4 * M_PI * OAK_MAX(q[RHO] - at->p.ambient, 0); }

SOURCE(at, q, source) {
  const real g[3] = {-at->f.phi_x, -at->f.phi_y, -at->f.phi_z};
  OAK_UNROLL
  for (int d = 0; d < 3; d++) {
    source[MX + d] += q[RHO] * g[d];
    source[ENE] += q[RHO] * q[VX + d] * g[d];
  }
}

/* The first stage of a step accelerates gas at rest and leaves its energy as it is. Cold gas keeps
 * a positive pressure if that adds less speed than the speed of sound. */
TIMESTEP(at, q) {
  const real x = at->f.phi_x, y = at->f.phi_y, z = at->f.phi_z;
  return 0.5 * sqrt(at->ph.gamma * q[PRS] / q[RHO] / (x * x + y * y + z * z + 1e-30));
}

/* The mass of the sphere in a cell, by 4^3 points, over the cell's volume. */
INITIAL(at, q) {
  double sum = 0;
  for (int i = 0; i < 64; i++) {
    const int p[3] = {i % 4, i / 4 % 4, i / 16};
    double r2 = 0;
    for (int d = 0; d < 3; d++) {
      const double x = at->x[d] + ((p[d] + 0.5) / 4 - 0.5) * at->dx[d];
      r2 += x * x;
    }
    if (r2 < 1) sum += at->p.profile > 0.5 ? 3 / (4 * M_PI) : 1 / (2 * M_PI * sqrt(r2));
  }
  q[RHO] = at->p.ambient + sum / 64;
  q[PRS] = (at->ph.gamma - 1) * at->p.energy * q[RHO];
}

REFINE(at) {
  return (real)(oak_near(at, RHO, 0, 0, 0) * at->dx[0] * at->dx[1] * at->dx[2] / at->p.cell_mass);
}

OUTPUT(kinetic, at, q) { return 0.5 * q[RHO] * (q[VX] * q[VX] + q[VY] * q[VY] + q[VZ] * q[VZ]); }
OUTPUT(internal, at, q) { return q[PRS] / (at->ph.gamma - 1); }
OUTPUT(potential, at, q) { return 0.5 * OAK_MAX(q[RHO] - at->p.ambient, 0) * at->f.phi; }

#else
#error "the problem collapse is in 3D: set mesh.dim = 3"
#endif
