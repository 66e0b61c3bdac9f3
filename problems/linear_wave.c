/* SPDX-License-Identifier: GPL-2.0-or-later
 * Plane waves of small amplitude oblique to the grid (T. A. Gardiner, J. M. Stone, J. Comput. Phys.
 * 205 (2005) 509 and 227 (2008) 4123; J. M. Stone et al., Astrophys. J. Suppl. 178 (2008) 137,
 * section 8.1): after one period the initial state is back, but for the error of the scheme. The
 * gas has density 1 and sound speed 1; x counts along the wave vector k, which has one wave in
 * length_x, length_y and length_z along the axes, a = amplitude cos(k x):
 *
 *   sound     rho' = a, u_x' = a, p' = a, in gas at rest
 *   entropy   rho' = a, in a stream u_x = 1
 *   shear     u_t' = a across the wave vector, in a stream u_x = 1
 *
 * All waves move with velocity 1. The lengths of the defaults give waves of length 1 in a domain
 * sqrt(5) x sqrt(5)/2; for 3D see linear_wave.ini. Physics: euler; periodic. */

#define PROBLEM_TITLE "Linear wave"

#define WAVE_PARAMETERS(P)                                               \
  P(wave, 0, "{sound,entropy,shear} which")                              \
  P(amplitude, 1e-6, "amplitude of the wave")                            \
  P(length_x, 2.2360679774997896, "distance of two wave fronts along x") \
  P(length_y, 1.1180339887498948, "distance of two wave fronts along y") \
  P(length_z, 1.1180339887498948, "distance of two wave fronts along z (3D only)")
OAK_PARAMETERS(problem, WAVE_PARAMETERS)
#define PROBLEM_PARAMETERS WAVE_PARAMETERS

OAK_FN void wave_initial(const problem_parameters_t *p, const physics_parameters_t *ph,
                         const double x[3], real q[]) {
  const double n[3] = {1 / p->length_x, 1 / p->length_y, OAK_DIM == 3 ? 1 / p->length_z : 0};
  const double across = sqrt(n[0] * n[0] + n[1] * n[1]);
  const double norm = sqrt(across * across + n[2] * n[2]);
  const double phase = 6.283185307179586 * (n[0] * x[0] + n[1] * x[1] + n[2] * x[2]);
  const double a = p->amplitude * cos(phase);
  const int sound = p->wave == 0, entropy = p->wave == 1;
  const double along = sound ? a : 1, aside = sound || entropy ? 0 : a;
  q[RHO] = (real)(1 + (sound || entropy ? a : 0));
  q[MX] = (real)(along * n[0] / norm - aside * n[1] / across);
  q[MX + 1] = (real)(along * n[1] / norm + aside * n[0] / across);
#if OAK_DIM == 3
  q[MX + 2] = (real)(along * n[2] / norm);
#endif
  q[PRS] = (real)(1 / ph->gamma + (sound ? a : 0));
}

#define PROBLEM_INITIAL wave_initial
