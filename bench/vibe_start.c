/* SPDX-License-Identifier: GPL-2.0-or-later
 * The start of the benchmark Parthenon-VIBE, in a periodic cube from -0.5 to 0.5. */
INITIAL(at, q) {
  const double x = at->x[0], y = at->x[1], z = at->x[2];
  const double gx = exp(-30 * x * x), gy = exp(-30 * y * y), gz = exp(-30 * z * z);
  q[0] = (tanh(-20 * x) * cos(M_PI * x) + 1) * gy * gz;
  q[1] = (sin(M_PI * y) + 0.2) * gx * gz;
  q[2] = (tanh(-20 * z) * cos(M_PI * z) + 0.5) * gx * gy;
  for (int v = 3; v < NVAR; v++)
    q[v] = 1 + 10 * (fabs(x) < 0.025 && fabs(y) < 0.15 && fabs(z) < 0.025);
}
