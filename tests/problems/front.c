/* SPDX-License-Identifier: GPL-2.0-or-later
 * A planar front of ionisation that electrons run ahead of. It moves to +y into the field -E0,
 * which stays the same ahead of it because the slope of the potential is given there. Physics:
 * streamer.
 */
PARAMETER(E0, 5e6, "field ahead of the front, in V/m")
PARAMETER(density, 1e18, "of the seed, in 1/m^3")
PARAMETER(width, 1e-5, "of the seed at y = 0, in m")

INITIAL(at, q) {
  const double y = at->x[1] / at->p.width;
  q[NE] = q[NI] = y < 10 ? at->p.density * exp(-y * y) : 0;
}

POISSON_BOUNDARY(at, face) { return at->p.E0; }
