/* SPDX-License-Identifier: GPL-2.0-or-later
 * Gas that moves along and across walls, which the boundary function writes out: the velocity
 * across a face changes sign. With sign = 1 it touches nothing. Physics: euler. */

#define PROBLEM_TITLE "Walls"

#define WALLS_PARAMETERS(P) P(sign, -1, "factor of the velocity across a face")
OAK_PARAMETERS(problem, WALLS_PARAMETERS)
#define PROBLEM_PARAMETERS WALLS_PARAMETERS

OAK_FN void walls_initial(const problem_parameters_t *p, const physics_parameters_t *ph,
                          const double x[3], real q[]) {
  (void)p, (void)ph;
  q[RHO] = (real)(1.3 + 0.7 * sin(5 * x[0] + 3 * x[1] + 2 * x[2]));
  OAK_UNROLL
  for (int d = 0; d < OAK_DIM; d++)
    q[MX + d] = (real)(0.9 * sin(4 * x[d] - 7 * x[(d + 1) % OAK_DIM] + d));
  q[PRS] = (real)(2.1 + 0.9 * cos(6 * x[1] - 4 * x[0] + x[2]));
}

OAK_FN void walls_boundary(const problem_parameters_t *p, const physics_parameters_t *ph,
                           const double x[3], double t, int face, real q[]) {
  (void)ph, (void)x, (void)t;
  if (p->sign != 1) q[MX + face / 2] = -q[MX + face / 2];
}

#define PROBLEM_INITIAL walls_initial
#define PROBLEM_BOUNDARY walls_boundary
