/* SPDX-License-Identifier: GPL-2.0-or-later
 * A shock of Mach number 3 runs into a gas with density waves (C.-W. Shu, S. Osher, J. Comput.
 * Phys. 83 (1989) 32, example 8). Behind it follow compressed waves, almost four times as short,
 * and the sound they make, which steepens to small shocks: a scheme has to keep both the waves and
 * the shocks. Domain -5 < x < 5, physics: euler with gamma = 1.4; outflow along x. */

#define PROBLEM_TITLE "Shu-Osher shock and density waves"

#define SHU_OSHER_PARAMETERS(P)               \
  P(position, -4, "shock at t = 0")           \
  P(amplitude, 0.2, "amplitude of the waves") \
  P(wave_number, 5, "their wave number")
OAK_PARAMETERS(problem, SHU_OSHER_PARAMETERS)
#define PROBLEM_PARAMETERS SHU_OSHER_PARAMETERS

OAK_FN void shu_osher_initial(const problem_parameters_t *p, const physics_parameters_t *ph,
                              const double x[3], real q[]) {
  const int behind = x[0] < p->position;
  (void)ph;
  q[RHO] = (real)(behind ? 3.857143 : 1 + p->amplitude * sin(p->wave_number * x[0]));
  q[MX] = (real)(behind ? 2.629369 : 0);
  q[PRS] = (real)(behind ? 10.33333 : 1);
}

#define PROBLEM_INITIAL shu_osher_initial
