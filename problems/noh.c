/* SPDX-License-Identifier: GPL-2.0-or-later
 * Noh's implosion (W. F. Noh, J. Comput. Phys. 72 (1987) 78): cold gas falls towards the origin
 * with speed 1 everywhere. A shock of infinite strength runs outwards at speed 1/3; behind it the
 * gas is at rest with density 4^d = 16 (2D), 64 (3D), before it
 *
 *   rho = (1 + t/r)^(d - 1).
 *
 * Where the shock starts schemes heat the gas too much, and the density has a dip. Domain 0 to 1,
 * a quadrant or octant; physics: euler with gamma = 5/3; low boundaries reflect, high ones user.
 * */

#define PROBLEM_TITLE "Noh implosion"

#define NOH_PARAMETERS(P) P(pressure, 1e-6, "pressure of the cold gas")
OAK_PARAMETERS(problem, NOH_PARAMETERS)
#define PROBLEM_PARAMETERS NOH_PARAMETERS

/* The solution ahead of the shock. */
OAK_FN void noh_ahead(const problem_parameters_t *p, const double x[3], double t, real q[]) {
  const double r = sqrt(x[0] * x[0] + x[1] * x[1] + (OAK_DIM == 3 ? x[2] * x[2] : 0));
  const double squeeze = 1 + t / r;
  q[RHO] = (real)(OAK_DIM == 3 ? squeeze * squeeze : squeeze);
  OAK_UNROLL
  for (int d = 0; d < OAK_DIM; d++) q[MX + d] = (real)(-x[d] / r);
  q[PRS] = (real)p->pressure;
}

OAK_FN void noh_initial(const problem_parameters_t *p, const physics_parameters_t *ph,
                        const double x[3], real q[]) {
  (void)ph;
  noh_ahead(p, x, 0, q);
}

OAK_FN void noh_boundary(const problem_parameters_t *p, const physics_parameters_t *ph,
                         const double x[3], double t, int face, real q[]) {
  (void)ph, (void)face;
  noh_ahead(p, x, t, q);
}

#define PROBLEM_INITIAL noh_initial
#define PROBLEM_BOUNDARY noh_boundary
