/* SPDX-License-Identifier: GPL-2.0-or-later
 * A circularly polarised wave of light along (1, 2, 0), in 3D along (1, 2, 1), refined on the left.
 * Physics: maxwell. */

TITLE("Light")

/* Unit vectors across the wave vector k and each other; k. Returns the phase. */
OAK_FN double light_frame(const oak_at_t *at, double e[2][3], double *k) {
  const double z = OAK_DIM == 3 ? 1 : 0, length = sqrt(5 + z), n[3] = {1, 2, z};
  const double first[3] = {-2 / sqrt(5.0), 1 / sqrt(5.0), 0};
  for (int d = 0; d < 3; d++) {
    const int a = (d + 1) % 3, b = (d + 2) % 3;
    e[0][d] = first[d];
    e[1][d] = (n[a] * first[b] - n[b] * first[a]) / length;
  }
  *k = 2 * M_PI * length;
  return 2 * M_PI * (at->x[0] + 2 * at->x[1] + (OAK_DIM == 3 ? at->x[2] : 0));
}

VECTOR_POTENTIAL(at, a) {
  double e[2][3], k;
  const double phase = light_frame(at, e, &k);
  for (int d = 0; d < 3; d++) a[d] = (sin(phase) * e[0][d] - cos(phase) * e[1][d]) / k;
}

INITIAL(at, q) {
  double e[2][3], k;
  const double phase = light_frame(at, e, &k);
  q[EPS] = 1;
  for (int d = 0; d < 3; d++) {
    q[EX + d] = cos(phase) * e[0][d] + sin(phase) * e[1][d];
    q[BX + d] = cos(phase) * e[1][d] - sin(phase) * e[0][d];
  }
}

REGION(at, lower, upper) { return upper[0] < 0.5 + 1e-9 ? OAK_REGION_REFINE : OAK_REGION_NEVER; }
