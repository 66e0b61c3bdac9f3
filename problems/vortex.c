/* SPDX-License-Identifier: GPL-2.0-or-later
 * Isentropic vortex in a uniform stream (C.-W. Shu, ICASE Report 97-65 (1997), section 5.1; H. C.
 * Yee, N. D. Sandham, M. J. Djomehri, J. Comput. Phys. 150 (1999) 199). It is a smooth and steady
 * solution of the Euler equations that travels with the stream: after one period it is back where
 * it was, and the difference is the error of the scheme. With e = exp((1 - r^2)/2) strength/(2 pi)
 *
 *   u = stream + e (-y, x),   T = 1 - (gamma - 1)/(2 gamma) e^2,
 *   rho = T^(1/(gamma - 1)),   p = rho T.
 *
 * Domain -5 < x, y < 5, periodic (e^2 is 1e-11 at its edge); physics: euler with gamma = 1.4. */

TITLE("Isentropic vortex")

PARAMETER(strength, 5, "strength of the vortex")
PARAMETER(stream_x, 1, "velocity of the stream along x")
PARAMETER(stream_y, 1, "velocity of the stream along y")

INITIAL(at, q) {
  const double r2 = at->x[0] * at->x[0] + at->x[1] * at->x[1], gm1 = at->ph.gamma - 1;
  const double e = at->p.strength / (2 * M_PI) * exp(0.5 * (1 - r2));
  const double T = 1 - gm1 / (2 * at->ph.gamma) * e * e, rho = pow(T, 1 / gm1);
  q[RHO] = rho;
  q[VX] = at->p.stream_x - e * at->x[1];
  q[VY] = at->p.stream_y + e * at->x[0];
  q[PRS] = rho * T;
}
