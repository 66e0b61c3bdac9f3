/* SPDX-License-Identifier: GPL-2.0-or-later
 * Gresho's vortex: a triangular profile of the velocity in which the pressure gradient balances
 * the centrifugal force (P. M. Gresho, S. T. Chan, Int. J. Numer. Methods Fluids 11 (1990) 621; R.
 * Liska, B. Wendroff, SIAM J. Sci. Comput. 25 (2003) 995). It is steady: what changes is the
 * error. A higher pressure lowers the Mach number and shows how a scheme damps slow flow. Domain
 * -0.5 < x, y < 0.5, periodic; physics: euler with gamma = 1.4. */

#define PROBLEM_TITLE "Gresho vortex"

#define GRESHO_PARAMETERS(P)                                 \
  P(pressure, 5, "pressure in the centre; the density is 1") \
  P(stream, 0, "velocity of the whole along x")
OAK_PARAMETERS(problem, GRESHO_PARAMETERS)
#define PROBLEM_PARAMETERS GRESHO_PARAMETERS

OAK_FN void gresho_initial(const problem_parameters_t *p, const physics_parameters_t *ph,
                           const double x[3], real q[]) {
  const double r = sqrt(x[0] * x[0] + x[1] * x[1]);
  double omega = 0, rise = -2 + 4 * 0.6931471805599453; /* angular velocity, p - p(0) */
  (void)ph;
  if (r < 0.2) {
    omega = 5;
    rise = 12.5 * r * r;
  } else if (r < 0.4) {
    omega = 2 / r - 5;
    rise = 4 + 12.5 * r * r - 20 * r + 4 * log(5 * r);
  }
  q[RHO] = 1;
  q[MX] = (real)(p->stream - omega * x[1]);
  q[MX + 1] = (real)(omega * x[0]);
  q[PRS] = (real)(p->pressure + rise);
}

#define PROBLEM_INITIAL gresho_initial
