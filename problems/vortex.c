/* SPDX-License-Identifier: GPL-2.0-or-later
 * Isentropic vortex in a uniform stream (C.-W. Shu, ICASE Report 97-65 (1997), section 5.1; H. C.
 * Yee, N. D. Sandham, M. J. Djomehri, J. Comput. Phys. 150 (1999) 199). It is a smooth and steady
 * solution of the Euler equations that travels with the stream: after one period it has to be
 * back, and the difference is the error of the scheme. With e = exp((1 - r^2)/2) strength/(2 pi)
 *
 *   u = stream + e (-y, x),   T = 1 - (gamma - 1)/(2 gamma) e^2,
 *   rho = T^(1/(gamma - 1)),   p = rho T.
 *
 * Domain -5 < x, y < 5, periodic (e^2 is 1e-11 at its edge); physics: euler with gamma = 1.4. */

#define PROBLEM_TITLE "Isentropic vortex"

#define VORTEX_PARAMETERS(P)                       \
  P(strength, 5, "strength of the vortex")         \
  P(stream_x, 1, "velocity of the stream along x") \
  P(stream_y, 1, "velocity of the stream along y")
OAK_PARAMETERS(problem, VORTEX_PARAMETERS)
#define PROBLEM_PARAMETERS VORTEX_PARAMETERS

OAK_FN void vortex_initial(const problem_parameters_t *p, const physics_parameters_t *ph,
                           const double x[3], real q[]) {
  const double r2 = x[0] * x[0] + x[1] * x[1], gm1 = ph->gamma - 1;
  const double e = p->strength / 6.283185307179586 * exp(0.5 * (1 - r2));
  const double T = 1 - gm1 / (2 * ph->gamma) * e * e, rho = pow(T, 1 / gm1);
  q[RHO] = (real)rho;
  q[MX] = (real)(p->stream_x - e * x[1]);
  q[MX + 1] = (real)(p->stream_y + e * x[0]);
  q[PRS] = (real)(rho * T);
}

#define PROBLEM_INITIAL vortex_initial
