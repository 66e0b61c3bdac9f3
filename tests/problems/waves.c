/* SPDX-License-Identifier: GPL-2.0-or-later
 * A gas with waves in all variables and a hot blob that drives a shock: everything moves and
 * nothing is symmetric. Unit square or cube, periodic. Physics: euler. */

TITLE("Waves and a hot blob")

PARAMETER(drift, 0.3, "mean velocity along every axis")
PARAMETER(amplitude, 0.2, "amplitude of the waves")
PARAMETER(heat, 20, "pressure of the blob over that around it")
PARAMETER(radius, 0.12, "radius of the blob")

/* For tests of outputs. */
OUTPUT(twice_mass, at, q) { return 2 * (double)q[RHO] + at->x[0]; }
OUTPUT(mass_slope, at, q) {
  const double change = (double)oak_near(at, RHO, 1, 0, 0) - (double)oak_near(at, RHO, -1, 0, 0);
  return change / (2 * at->dx[0]);
}

INITIAL(at, q) {
  const double k = 2 * M_PI, a = at->p.amplitude;
  const double z = OAK_DIM == 3 ? at->x[2] : 0.3;
  const double dx = at->x[0] - 0.4, dy = at->x[1] - 0.55, dz = z - 0.3;
  const double blob = exp(-(dx * dx + dy * dy + dz * dz) / (at->p.radius * at->p.radius));
  q[RHO] = 1 + a * sin(k * (at->x[0] + 2 * at->x[1] + z) + 0.3);
  OAK_FOR(d, OAK_DIM)
    q[VX + d] = at->p.drift + a * sin(k * (at->x[(d + 1) % OAK_DIM] * (d + 1) - at->x[d]) + d);
  q[PRS] = 1 + a * cos(k * (at->x[0] - at->x[1] + 2 * z)) + at->p.heat * blob;
}
