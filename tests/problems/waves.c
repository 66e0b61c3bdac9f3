/* SPDX-License-Identifier: GPL-2.0-or-later
 * A gas with waves in all variables and a hot blob that drives a shock: everything moves and
 * nothing is symmetric. Unit square or cube, periodic. Physics: euler. */

#define PROBLEM_TITLE "Waves and a hot blob"

#define WAVES_PARAMETERS(P)                               \
  P(drift, 0.3, "mean velocity along every axis")         \
  P(amplitude, 0.2, "amplitude of the waves")             \
  P(heat, 20, "pressure of the blob over that around it") \
  P(radius, 0.12, "radius of the blob")
OAK_PARAMETERS(problem, WAVES_PARAMETERS)
#define PROBLEM_PARAMETERS WAVES_PARAMETERS

OAK_FN void waves_initial(const problem_parameters_t *p, const physics_parameters_t *ph,
                          const double x[3], real q[]) {
  const double k = 6.283185307179586, a = p->amplitude;
  const double z = OAK_DIM == 3 ? x[2] : 0.3;
  const double dx = x[0] - 0.4, dy = x[1] - 0.55, dz = z - 0.3;
  const double blob = exp(-(dx * dx + dy * dy + dz * dz) / (p->radius * p->radius));
  (void)ph;
  q[RHO] = (real)(1 + a * sin(k * (x[0] + 2 * x[1] + z) + 0.3));
  OAK_UNROLL
  for (int d = 0; d < OAK_DIM; d++)
    q[MX + d] = (real)(p->drift + a * sin(k * (x[(d + 1) % OAK_DIM] * (d + 1) - x[d]) + d));
  q[PRS] = (real)(1 + a * cos(k * (x[0] - x[1] + 2 * z)) + p->heat * blob);
}

#define PROBLEM_INITIAL waves_initial
