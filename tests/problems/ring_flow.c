/* SPDX-License-Identifier: GPL-2.0-or-later
 * Slow flows of a cold viscous gas in (r, z) that decay without change of shape: with k = 3.83...,
 * where J1(k) = 0, and K^2 = k^2 + 4 pi^2,
 *
 *   v_phi = J1(k r) cos(2 pi z)               with the rate nu K^2,
 *   (v_r, v_z) = grad (J0(k r) cos(2 pi z))   with the rate 4/3 nu K^2.
 *
 * v_r, v_phi and dv_z/dr are 0 at r = 1. Physics: navier_stokes. */

TITLE("Viscous flow between rings")

PARAMETER(speed, 1e-6, "of the flow")
PARAMETER(fine, 0, "level of blocks that touch r < 1/4 and r > 3/4 between z = 1/4 and 1/2")

INITIAL(at, q) {
  const double k = 3.8317059702075125, r = at->x[0], z = 2 * M_PI * at->x[1];
  q[RHO] = 1;
  q[PRS] = 1e-6;
  q[VX] = -at->p.speed * k * j1(k * r) * cos(z);
  q[VY] = -at->p.speed * 2 * M_PI * j0(k * r) * sin(z);
  q[VZ] = at->p.speed * j1(k * r) * cos(z);
}

/* The wall r = 1: v_z has no slope there. */
BOUNDARY(at, face, q) {
  q[VX] = -q[VX];
  q[VZ] = -q[VZ];
}

REGION(at, lower, upper) {
  const int inside = (lower[0] < 0.25 || upper[0] > 0.75) && lower[1] < 0.5 && upper[1] > 0.25;
  return inside && at->level < at->p.fine ? OAK_REGION_REFINE : OAK_REGION_FREE;
}
