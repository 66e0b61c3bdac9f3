/* SPDX-License-Identifier: GPL-2.0-or-later
 * An ordinary differential equation in every cell, for the order of time integration:
 *   du/dt = -u^2 cos t,  u(0) = 1/2,  so that u = 1/(2 + sin t).
 * It is not linear and depends on time explicitly, so that all conditions on the coefficients of a
 * scheme count. Physics: advection with zero velocity. */

#define PROBLEM_TITLE "Relaxation"

OAK_FN void relaxation_initial(const problem_parameters_t *p, const physics_parameters_t *ph,
                               const double x[3], real q[]) {
  (void)p, (void)ph, (void)x;
  q[0] = (real)0.5;
}

OAK_FN void relaxation_source(const problem_parameters_t *p, const physics_parameters_t *ph,
                              const double x[3], double t, const real q[], real source[]) {
  (void)p, (void)ph, (void)x;
  source[0] -= (real)cos(t) * q[0] * q[0];
}

#define PROBLEM_INITIAL relaxation_initial
#define PROBLEM_SOURCE relaxation_source
