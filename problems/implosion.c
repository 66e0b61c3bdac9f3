/* SPDX-License-Identifier: GPL-2.0-or-later
 * Implosion in a box (R. Liska, B. Wendroff, SIAM J. Sci. Comput. 25 (2003) 995, section 4.7): a
 * diamond of low pressure in the corner of a square with reflecting walls. Shocks bounce to and fro
 * and a jet creeps along the diagonal, which a scheme that is not symmetric destroys. Domain 0.3 x
 * 0.3, physics: euler with gamma = 1.4. */

#define PROBLEM_TITLE "Liska-Wendroff implosion"

#define IMPLOSION_PARAMETERS(P)                \
  P(side, 0.15, "the diamond is x + y < side") \
  P(rho_in, 0.125, "density inside")           \
  P(p_in, 0.14, "pressure inside")             \
  P(rho_out, 1.0, "density outside")           \
  P(p_out, 1.0, "pressure outside")
OAK_PARAMETERS(problem, IMPLOSION_PARAMETERS)
#define PROBLEM_PARAMETERS IMPLOSION_PARAMETERS

OAK_FN void implosion_initial(const problem_parameters_t *p, const physics_parameters_t *ph,
                              const double x[3], real q[]) {
  /* Cell centres lie on the edge: rounding must not decide. */
  const int inside = x[0] + x[1] + (OAK_DIM == 3 ? x[2] : 0) < p->side * (1 + 1e-10);
  (void)ph;
  q[RHO] = (real)(inside ? p->rho_in : p->rho_out);
  q[PRS] = (real)(inside ? p->p_in : p->p_out);
}

#define PROBLEM_INITIAL implosion_initial
