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

/* The frame of the wave: unit vectors along k and across it. \return the phase at a place. */
OAK_FN double frame(const oak_at_t *at, double e[3][3], double *k) {
  const double n[3] = {1 / at->p.length_x, 1 / at->p.length_y,
                       OAK_DIM == 3 ? 1 / at->p.length_z : 0};
  const double across = sqrt(n[0] * n[0] + n[1] * n[1]);
  const double norm = sqrt(across * across + n[2] * n[2]);
  const double z = OAK_DIM == 3 ? at->x[2] : 0;
  const double unit[3][3] = {
      {n[0] / norm, n[1] / norm, n[2] / norm},
      {-n[1] / across, n[0] / across, 0},
      {-n[0] * n[2] / (across * norm), -n[1] * n[2] / (across * norm), across / norm}};
  for (int d = 0; d < 3; d++)
    for (int m = 0; m < 3; m++) e[m][d] = unit[m][d];
  *k = 2 * M_PI * norm;
  return 2 * M_PI * (n[0] * at->x[0] + n[1] * at->x[1] + n[2] * z);
}

/* State in that frame. `field`: the field without the wave, and what the wave adds times cosine;
 * the first component across has the sine if the wave is circular. */
OAK_FN double wave_field(const oak_at_t *at, double mean[3], double wave[3], double gas[2],
                         double v[3]) {
  const int kind = (int)at->p.wave, circular = kind == CIRCULAR;
  const double a = at->p.amplitude, speed[4] = {2, 0.5, 1, 1};
  const double b[3] = {1, circular ? 0 : sqrt(2.0), circular ? 0 : 0.5};
  for (int d = 0; d < 3; d++) mean[d] = b[d], wave[d] = v[d] = 0;
  gas[0] = gas[1] = 0;
  if (!circular) linear_wave(kind, b, speed[kind], gas, v, wave);
  if (circular) wave[1] = wave[2] = -1, v[1] = v[2] = 1;
  for (int d = 0; d < 3; d++) wave[d] *= a, v[d] *= a;
  gas[0] *= a, gas[1] *= a;
  return circular;
}

/* The curl of (B0 x r) / 2 is B0, in 2D that of its z component times 2; that of the wave follows
 * from the integral over the phase. */
VECTOR_POTENTIAL(at, a) {
  double e[3][3], k, mean[3], wave[3], gas[2], v[3];
  const double phase = frame(at, e, &k), s = sin(phase), c = cos(phase);
  const int circular = wave_field(at, mean, wave, gas, v) != 0;
  const double x[3] = {at->x[0], at->x[1], OAK_DIM == 3 ? at->x[2] : 0};
  /* b_1 = -dA_2/dx_0 and b_2 = dA_1/dx_0 along k */
  const double in_frame[3] = {0, wave[2] * s / k, wave[1] * (circular ? c : -s) / k};
  double field[3];
  for (int d = 0; d < 3; d++) field[d] = mean[0] * e[0][d] + mean[1] * e[1][d] + mean[2] * e[2][d];
  for (int d = 0; d < 3; d++) {
    const int p = (d + 1) % 3, q = (d + 2) % 3;
    a[d] = (OAK_DIM == 3 ? 0.5 : 1) * (field[p] * x[q] - field[q] * x[p]);
    for (int m = 1; m < 3; m++) a[d] += in_frame[m] * e[m][d];
  }
}

INITIAL(at, q) {
  double e[3][3], k, b[3], db[3], dgas[2], dv[3], v[3];
  const double phase = frame(at, e, &k), s = sin(phase), c = cos(phase);
  const int wave = (int)at->p.wave, circular = wave_field(at, b, db, dgas, dv) != 0;
  const double gas[2] = {1, circular ? 0.1 : 1 / at->ph.gamma};
  for (int d = 0; d < 3; d++) {
    const double share = circular && d == 1 ? s : c;
    v[d] = (d == 0 && wave == ENTROPY) + share * dv[d];
    b[d] += share * db[d];
  }
  q[RHO] = gas[0] + c * dgas[0];
  q[PRS] = gas[1] + c * dgas[1];
  for (int d = 0; d < 3; d++)
    for (int m = 0; m < 3; m++) q[VX + d] += v[m] * e[m][d], q[BX + d] += b[m] * e[m][d];
}
