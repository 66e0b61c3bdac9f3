/* SPDX-License-Identifier: GPL-2.0-or-later
 * For tests: gas at rest, with a pressure that is not a number in one corner of the domain. */

#define PROBLEM_TITLE "Not a number"

OAK_FN void nan_initial(const problem_parameters_t *p, const physics_parameters_t *ph,
                        const double x[3], real q[]) {
  (void)p, (void)ph;
  q[RHO] = 1;
  q[PRS] = x[0] > 0.9 && x[1] > 0.9 ? (real)NAN : 1;
}

#define PROBLEM_INITIAL nan_initial
