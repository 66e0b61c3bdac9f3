/* SPDX-License-Identifier: GPL-2.0-or-later
 * A gas with a gradient, and boundary values that differ between faces, vary along them and change
 * with time. Physics: euler. tests/test_solver_boundary.c has the same functions. */

#define PROBLEM_TITLE "Boundary values"

OAK_FN void faces_initial(const problem_parameters_t *p, const physics_parameters_t *ph,
                          const double x[3], real q[]) {
  (void)p, (void)ph;
  q[RHO] = (real)(1.5 + 0.3 * x[0] - 0.2 * x[1] * x[1] + 0.1 * x[2]);
  OAK_UNROLL
  for (int d = 0; d < OAK_DIM; d++)
    q[MX + d] = (real)(0.2 * (d + 1) - 0.3 * x[d] * x[(d + 1) % OAK_DIM]);
  q[PRS] = (real)(2 + 0.1 * x[0] + 0.3 * x[1]);
}

OAK_FN void faces_boundary(const problem_parameters_t *p, const physics_parameters_t *ph,
                           const double x[3], double t, int face, real q[]) {
  (void)p, (void)ph;
  q[RHO] = (real)(1 + 0.1 * face + 0.2 * x[0] + 0.3 * x[1] + 0.4 * x[2] + 5 * t);
  OAK_UNROLL
  for (int d = 0; d < OAK_DIM; d++) q[MX + d] = (real)(0.1 * (d + 1) + 0.2 * t * (x[0] + x[1]));
  q[PRS] = (real)(2 + 0.1 * x[0] * x[1] - 0.2 * t);
}

#define PROBLEM_INITIAL faces_initial
#define PROBLEM_BOUNDARY faces_boundary
