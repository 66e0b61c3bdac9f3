/* SPDX-License-Identifier: GPL-2.0-or-later
 * A Riemann problem across an oblique line of the xy plane, the same at every z, also in 3D.
 * Physics: euler. */

#define PROBLEM_TITLE "Oblique Riemann problem"

OAK_FN void diagonal_initial(const problem_parameters_t *p, const physics_parameters_t *ph,
                             const double x[3], real q[]) {
  const int inside = x[0] + 2 * x[1] < 1.1;
  (void)p, (void)ph;
  q[RHO] = inside ? 1 : (real)0.125;
  q[MX] = inside ? (real)0.2 : 0;
  q[PRS] = inside ? 1 : (real)0.1;
}

#define PROBLEM_INITIAL diagonal_initial
