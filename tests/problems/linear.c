/* SPDX-License-Identifier: GPL-2.0-or-later
 * A linear function, also on the boundaries: interpolation, restriction and boundary conditions
 * must keep it (paper, "Testing ghost cell filling, interpolation and restriction"); it moves with
 * the flow.
 * Physics: advection. */

TITLE("Linear function")

INITIAL(at, q) { q[RHO] = at->x[0] + 2 * at->x[1] + 3 * (OAK_DIM == 3 ? at->x[2] : 0); }

BOUNDARY(at, face, q) {
  const double speed = at->ph.vx + 2 * at->ph.vy + (OAK_DIM == 3 ? 3 * at->ph.vz : 0);
  q[RHO] = at->x[0] + 2 * at->x[1] + 3 * (OAK_DIM == 3 ? at->x[2] : 0) - speed * at->t;
}
