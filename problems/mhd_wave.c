/* SPDX-License-Identifier: GPL-2.0-or-later
 * Plane waves of magnetohydrodynamics, oblique to the grid: after one period the initial state is
 * back, but for the error of the scheme. x counts along the wave vector k, which has one wave in
 * length_x, length_y and length_z along the axes. fast, slow, alfven and entropy are waves of small
 * amplitude in gas of density 1, sound speed 1 and field (1, sqrt(2), 1/2), whose speeds are 2,
 * 1/2, 1 and (in a stream) 1: J. M. Stone et al., Astrophys. J. Suppl. 178 (2008) 137, section 8.1.
 * circular is the circularly polarised Alfven wave, an exact solution of any amplitude: density 1,
 * pressure 0.1, field 1 along k, speed 1: G. Toth, J. Comput. Phys. 161 (2000) 605, section 6.3.1.
 * Waves have the length 1 with the lengths of the parameter file. Physics: mhd; periodic. */

TITLE("MHD wave")

PARAMETER(wave, 0, "{fast,slow,alfven,entropy,circular} which")
PARAMETER(amplitude, 1e-6, "amplitude of the wave")
PARAMETER(length_x, 2.2360679774997896, "distance of two wave fronts along x")
PARAMETER(length_y, 1.1180339887498948, "distance of two wave fronts along y")
PARAMETER(length_z, 1.1180339887498948, "distance of two wave fronts along z (3D only)")

enum { FAST, SLOW, ALFVEN, ENTROPY, CIRCULAR };

/* What the wave of amplitude 1 adds to density, pressure, velocity and field, in the frame of k:
 * solutions of the linear equations, with the speed c of the wave. */
OAK_FN void linear_wave(int wave, const double b[3], double c, double q[2], double v[3],
                        double field[3]) {
  const int sound = wave == FAST || wave == SLOW;
  q[0] = sound || wave == ENTROPY ? 1 : 0;
  q[1] = sound ? 1 : 0; /* gamma p = 1 */
  v[0] = sound ? c : 0;
  field[0] = 0;
  for (int t = 1; t < 3; t++) {
    const double across = (t == 1 ? -b[2] : b[1]) / sqrt(b[1] * b[1] + b[2] * b[2]);
    field[t] = sound ? b[t] * c * c / (c * c - b[0] * b[0]) : wave == ALFVEN ? across : 0;
    v[t] = -b[0] * field[t] / c;
  }
}

INITIAL(at, q) {
  const double n[3] = {1 / at->p.length_x, 1 / at->p.length_y,
                       OAK_DIM == 3 ? 1 / at->p.length_z : 0};
  const double across = sqrt(n[0] * n[0] + n[1] * n[1]);
  const double norm = sqrt(across * across + n[2] * n[2]);
  const double z = OAK_DIM == 3 ? at->x[2] : 0;
  const double phase = 2 * M_PI * (n[0] * at->x[0] + n[1] * at->x[1] + n[2] * z);
  const int wave = (int)at->p.wave, circular = wave == CIRCULAR;
  const double a = at->p.amplitude, s = sin(phase), c = cos(phase);
  /* Unit vectors along k and across it. */
  const double e[3][3] = {
      {n[0] / norm, n[1] / norm, n[2] / norm},
      {-n[1] / across, n[0] / across, 0},
      {-n[0] * n[2] / (across * norm), -n[1] * n[2] / (across * norm), across / norm}};
  double gas[2] = {1, circular ? 0.1 : 1 / at->ph.gamma};
  double v[3] = {wave == ENTROPY, 0, 0}, b[3] = {1, circular ? 0 : sqrt(2.0), circular ? 0 : 0.5};
  if (circular) {
    v[1] = a * s, v[2] = a * c;
    b[1] = -v[1], b[2] = -v[2];
  } else {
    const double speed[4] = {2, 0.5, 1, 1};
    double dgas[2], dv[3], db[3];
    linear_wave(wave, b, speed[wave], dgas, dv, db);
    for (int d = 0; d < 2; d++) gas[d] += a * c * dgas[d];
    for (int d = 0; d < 3; d++) v[d] += a * c * dv[d], b[d] += a * c * db[d];
  }
  q[RHO] = gas[0];
  q[PRS] = gas[1];
  for (int d = 0; d < 3; d++)
    for (int m = 0; m < 3; m++) q[VX + d] += v[m] * e[m][d], q[BX + d] += b[m] * e[m][d];
}
