/* SPDX-License-Identifier: GPL-2.0-or-later
 * Flows of tests/problems/smooth.c at a Cartesian point, as functions that tests call too. Without
 * an axis along phi (`turns` 0) they are symmetric around the axis.
 *
 *   0  smooth, without a symmetry that r = 0 or an axis could hide in
 *   1  a uniform wind in a uniform field
 *   2  a uniform shear, which viscosity heats
 *   3  as 0, but without rotation around the axis */
#ifndef SMOOTH_STATE_H
#define SMOOTH_STATE_H

/* w: density, velocity, pressure, field. heating: (gamma - 1) mu. */
OAK_FN void smooth_state(int flow, int turns, const double x[3], double time, double heating,
                         double w[8]) {
  const double a = turns ? 1 : 0, z = x[2], s = x[0] * x[0] + x[1] * x[1];
  const double to_R = 0.2 * cos(z), around = flow == 3 ? 0 : 0.5 + 0.2 * z;
  w[0] = 1;
  w[1] = 0.3 * a;
  w[2] = 0.2 * a;
  w[3] = 0.4;
  w[4] = 1.2;
  w[5] = 0.2 * a;
  w[6] = -0.1 * a;
  w[7] = 0.5;
  if (flow == 0 || flow == 3) {
    w[0] += 0.2 * sin(1 + z + s) + 0.1 * a * x[1];
    w[1] += x[0] * to_R - x[1] * around + a * (0.2 * x[1] + 0.1 * z);
    w[2] += x[1] * to_R + x[0] * around + a * 0.3 * x[0];
    w[3] += 0.3 * z - 0.2 * s + 0.2 * a * x[0];
    w[4] += 0.1 * cos(z - s) + 0.1 * a * x[0];
    w[5] += 0.15 * x[0] - 0.4 * x[1];
    w[6] += 0.15 * x[1] + 0.4 * x[0];
    w[7] += -0.3 * z + 0.1 * s;
  }
  if (flow == 2) {
    w[1] += 0.8 * x[1];
    w[2] = w[6] = 0;
    w[3] += 0.5 * x[1];
    w[4] += heating * 0.89 * time;
  }
}

#endif
