/* SPDX-License-Identifier: GPL-2.0-or-later
 * Kelvin-Helmholtz instability (C. P. McNally, W. Lyra, J.-C. Passy, Astrophys. J. Suppl. 201
 * (2012) 18): a dense stream between two light ones that flow the other way. The layers between
 * them have a width, so that the growth of the disturbance does not depend on the grid and can be
 * compared between codes. Unit square or cube, periodic; physics: euler with gamma = 5/3. */

#define PROBLEM_TITLE "Kelvin-Helmholtz instability"

#define KH_PARAMETERS(P)                                    \
  P(rho_out, 1, "density of the outer streams")             \
  P(rho_in, 2, "density of the middle stream")              \
  P(u_out, 0.5, "velocity of the outer streams along x")    \
  P(u_in, -0.5, "velocity of the middle stream")            \
  P(width, 0.025, "width of the layers")                    \
  P(kick, 0.01, "amplitude of the disturbance, a velocity") \
  P(modes, 2, "its wave lengths per unit length")           \
  P(pressure, 2.5, "pressure")
OAK_PARAMETERS(problem, KH_PARAMETERS)
#define PROBLEM_PARAMETERS KH_PARAMETERS

/* From `in` to `out` over the layers at y = 1/4 and 3/4. */
OAK_FN double kh_profile(double in, double out, double y, double width) {
  const double s = fabs(y - 0.5) - 0.25, half = 0.5 * (out - in) * exp(-fabs(s) / width);
  return s < 0 ? in + half : out - half;
}

OAK_FN void kh_initial(const problem_parameters_t *p, const physics_parameters_t *ph,
                       const double x[3], real q[]) {
  (void)ph;
  q[RHO] = (real)kh_profile(p->rho_in, p->rho_out, x[1], p->width);
  q[MX] = (real)kh_profile(p->u_in, p->u_out, x[1], p->width);
  q[MX + 1] = (real)(p->kick * sin(6.283185307179586 * p->modes * x[0]));
  q[PRS] = (real)p->pressure;
}

#define PROBLEM_INITIAL kh_initial
