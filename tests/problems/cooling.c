/* SPDX-License-Identifier: GPL-2.0-or-later
 * For tests: gas at rest that loses energy at a constant rate in one corner of the domain, so that
 * its pressure turns negative after a while. */

#define PROBLEM_TITLE "Cooling below zero"

#define COOLING_PARAMETERS(P) P(rate, 10.0, "energy lost per volume and time")
OAK_PARAMETERS(problem, COOLING_PARAMETERS)
#define PROBLEM_PARAMETERS COOLING_PARAMETERS

OAK_FN void cooling_initial(const problem_parameters_t *p, const physics_parameters_t *ph,
                            const double x[3], real q[]) {
  (void)p, (void)ph, (void)x;
  q[RHO] = 1;
  q[PRS] = 1;
}

OAK_FN void cooling_source(const problem_parameters_t *p, const physics_parameters_t *ph,
                           const double x[3], double t, const real q[], real source[]) {
  (void)ph, (void)t, (void)q;
  if (x[0] > 0.75 && x[1] > 0.75) source[ENE] -= (real)p->rate;
}

#define PROBLEM_INITIAL cooling_initial
#define PROBLEM_SOURCE cooling_source
