/* SPDX-License-Identifier: GPL-2.0-or-later
 * A cloud in a hot wind, with cooling by radiation: gas that mixes at the edge of the cloud cools
 * and joins it, if it cools faster than the wind tears the cloud apart (M. Gronke, S. P. Oh, Mon.
 * Not. R. Astron. Soc. 480 (2018) L111). The temperature is p / rho; that of the wind is 1.
 * Physics: euler with gamma = 5/3. */

TITLE("Cloud in a hot wind that cools")

PARAMETER(mach, 1, "{>0} Mach number of the wind")
PARAMETER(contrast, 20, "{>1} density of the cloud over that of the wind")
PARAMETER(radius, 0.1, "{>0} radius of the cloud")
PARAMETER(cooling, 4, "{>=0} energy lost per volume and time: cooling rho^2 sqrt(T); 0: none")
PARAMETER(hottest, 0.6, "{>0} gas above this temperature does not cool, so that the wind stays hot")

OAK_FN void wind(const oak_at_t *at, double q[]) {
  q[RHO] = 1;
  q[VX] = at->p.mach * sqrt(at->ph.gamma);
  q[PRS] = 1;
}

INITIAL(at, q) {
  const double x = at->x[0], y = at->x[1], z = OAK_DIM == 3 ? at->x[2] : 0;
  const double inside = 0.5 - 0.5 * tanh((sqrt(x * x + y * y + z * z) / at->p.radius - 1) / 0.1);
  wind(at, q);
  q[RHO] += (at->p.contrast - 1) * inside;
  q[VX] *= 1 - inside;
}

BOUNDARY(at, face, q) { wind(at, q); }

/* The exact solution for a cell at constant density: sqrt(T) falls linearly in time, down to the
 * temperature of the cloud. */
UPDATE(at, u, dt) {
  double kinetic = 0;
  OAK_FOR(d, OAK_DIM) kinetic += 0.5 * u[MX + d] * u[MX + d] / u[RHO];
  const double gm1 = at->ph.gamma - 1, coldest = 1 / at->p.contrast;
  const double t = gm1 * (u[ENE] - kinetic) / u[RHO];
  const double root = sqrt(t) - 0.5 * gm1 * at->p.cooling * u[RHO] * dt;
  const double cooled = root > sqrt(coldest) ? root * root : coldest;
  if (t > coldest && t < at->p.hottest) u[ENE] = kinetic + u[RHO] * cooled / gm1;
}

/* No cell loses more than a tenth of sqrt(T) in a step, so that the flow can follow the cooling. */
TIMESTEP(at, q) {
  const double t = q[PRS] / q[RHO], rate = 0.5 * (at->ph.gamma - 1) * at->p.cooling * q[RHO];
  return t < at->p.hottest && t > 1.5 / at->p.contrast && rate > 0 ? 0.1 * sqrt(t) / rate
                                                                   : INFINITY;
}

OUTPUT(temperature, at, q) { return q[PRS] / q[RHO]; }
/* The density of gas that is about as cold as the cloud, else 0. */
OUTPUT(cold, at, q) { return q[PRS] / q[RHO] < 3 / at->p.contrast ? q[RHO] : 0; }
