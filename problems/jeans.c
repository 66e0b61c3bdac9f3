/* SPDX-License-Identifier: GPL-2.0-or-later
 * A standing sound wave in gas that attracts itself (J. H. Jeans, Phil. Trans. R. Soc. A 199 (1902)
 * 1). A disturbance cos(k x) of the density goes as cos(omega t), with
 *
 *   omega^2 = c^2 k^2 - 4 pi G rho
 *
 * Above the critical G it grows as cosh. Gravity is a source of momentum, -rho grad phi, and of
 * energy, -rho u grad phi; div grad phi = 4 pi G rho. Domain of length 1, periodic; physics: euler
 * with density 1 and sound speed 1. */

TITLE("Jeans waves")

PARAMETER(G, 1, "{>=0} constant of gravity; pi is critical for the longest wave")
PARAMETER(amplitude, 1e-3, "{>0} of the density")
PARAMETER(waves, 1, "along x; along y and z there is one less")

FIELD_STORED(phi)
FIELD_STORED(phi_x)
FIELD_STORED(phi_y)
FIELD_STORED(phi_z)

POISSON(at, q) { return 4 * M_PI * at->p.G * q[RHO]; }

SOURCE(at, q, source) {
  const real slope[3] = {at->f.phi_x, at->f.phi_y, at->f.phi_z};
  OAK_FOR(d, OAK_DIM) {
    source[MX + d] -= q[RHO] * slope[d];
    source[ENE] -= q[RHO] * q[VX + d] * slope[d];
  }
}

INITIAL(at, q) {
  const double n = at->p.waves, z = OAK_DIM == 3 ? at->x[2] : 0;
  const double phase = 2 * M_PI * (n * at->x[0] + (n - 1) * (at->x[1] + z));
  const double wave = at->p.amplitude * cos(phase);
  q[RHO] = 1 + wave;
  q[PRS] = 1 / at->ph.gamma + wave;
}
