/* SPDX-License-Identifier: GPL-2.0-or-later
 * A dense stream between two light ones, with layers of shear and a disturbance along x and z: the
 * case hd/KH3D of the regression tests of AGILE 1.0. Unit cube, periodic; gamma = 5/3. */

TITLE("Kelvin-Helmholtz instability in 3D")

INITIAL(at, q) {
  const double y = at->x[1], width = 0.025, sigma = 0.00125;
  const double below = y - 0.25, above = y - 0.75, ramp = 0.25 - fabs(y - 0.5);
  const double near = exp(-0.5 * below * below / sigma) + exp(-0.5 * above * above / sigma);
  q[RHO] = y < 0.25 || y > 0.75 ? 1 : 10;
  q[VX] = 0.5 * OAK_MAX(-1, OAK_MIN(1, ramp / width));
  q[VY] = 0.01 * sin(4 * M_PI * at->x[0]) * near;
  q[VZ] = 0.1 * sin(8 * M_PI * at->x[2]) * near;
  q[PRS] = 2.5;
}
