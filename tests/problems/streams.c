/* SPDX-License-Identifier: GPL-2.0-or-later
 * Cold gas that parts along some planes and meets along others, with shocks and near vacuum from
 * the first step on. Unit square or cube, periodic. Physics: euler. */

#define PROBLEM_TITLE "Streams"

#define STREAMS_PARAMETERS(P)                  \
  P(speed, 2.0, "of the gas along every axis") \
  P(pressure, 0.01, "of all gas; its density is 1")
OAK_PARAMETERS(problem, STREAMS_PARAMETERS)
#define PROBLEM_PARAMETERS STREAMS_PARAMETERS

OAK_FN void streams_initial(const problem_parameters_t *p, const physics_parameters_t *ph,
                            const double x[3], real q[]) {
  (void)ph;
  q[RHO] = 1;
  OAK_UNROLL
  for (int d = 0; d < OAK_DIM; d++) {
    const double y = x[d] - 0.23 - 0.11 * d - 0.15 * sin(6.283185307179586 * x[(d + 1) % OAK_DIM]);
    q[MX + d] = (real)(y - floor(y) < 0.5 ? p->speed : -p->speed);
  }
  q[PRS] = (real)p->pressure;
}

#define PROBLEM_INITIAL streams_initial
