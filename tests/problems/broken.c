/* SPDX-License-Identifier: GPL-2.0-or-later
 * For tests: a problem that does not compile. */

#define PROBLEM_TITLE "Mistake"

OAK_FN void broken_initial(const problem_parameters_t *p, const physics_parameters_t *ph,
                           const double x[3], real q[]) {
  (void)p, (void)ph, (void)x;
  q[RHO] = no_such_name;
}

#define PROBLEM_INITIAL broken_initial
