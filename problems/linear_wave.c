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
 * sqrt(5) x sqrt(5)/2; for 3D see linear_wave.ini. Physics: euler, or isothermal
 * with sound = 1, where the entropy wave is none; periodic. */

TITLE("Linear wave")

PARAMETER(wave, 0, "{sound,entropy,shear} which")
PARAMETER(amplitude, 1e-6, "amplitude of the wave")
PARAMETER(length_x, 2.2360679774997896, "distance of two wave fronts along x")
PARAMETER(length_y, 1.1180339887498948, "distance of two wave fronts along y")
PARAMETER(length_z, 1.1180339887498948, "distance of two wave fronts along z (3D only)")

INITIAL(at, q) {
  const double n[3] = {1 / at->p.length_x, 1 / at->p.length_y,
                       OAK_DIM == 3 ? 1 / at->p.length_z : 0};
  const double across = sqrt(n[0] * n[0] + n[1] * n[1]);
  const double norm = sqrt(across * across + n[2] * n[2]);
  const double z = OAK_DIM == 3 ? at->x[2] : 0;
  const double phase = 2 * M_PI * (n[0] * at->x[0] + n[1] * at->x[1] + n[2] * z);
  const double a = at->p.amplitude * cos(phase);
  const int sound = at->p.wave == 0, entropy = at->p.wave == 1;
  const double along = sound ? a : 1, aside = sound || entropy ? 0 : a;
  q[RHO] = 1 + (sound || entropy ? a : 0);
  q[VX] = along * n[0] / norm - aside * n[1] / across;
  q[VY] = along * n[1] / norm + aside * n[0] / across;
#if OAK_DIM == 3
  q[VZ] = along * n[2] / norm;
#endif
#ifdef PRS
  q[PRS] = 1 / at->ph.gamma + (sound ? a : 0);
#endif
}
