/* SPDX-License-Identifier: GPL-2.0-or-later
 * A gas with a gradient, and boundary values that differ between faces, vary along them and change
 * with time. Physics: euler. tests/solver/test_solver_boundary.c has the same functions. */

TITLE("Boundary values")

INITIAL(at, q) {
  q[RHO] = 1.5 + 0.3 * at->x[0] - 0.2 * at->x[1] * at->x[1] + 0.1 * (OAK_DIM == 3 ? at->x[2] : 0);
  OAK_FOR(d, OAK_DIM) q[VX + d] = 0.2 * (d + 1) - 0.3 * at->x[d] * at->x[(d + 1) % OAK_DIM];
  q[PRS] = 2 + 0.1 * at->x[0] + 0.3 * at->x[1];
}

BOUNDARY(at, face, q) {
  q[RHO] = 1 + 0.1 * face + 0.2 * at->x[0] + 0.3 * at->x[1] + 0.4 * (OAK_DIM == 3 ? at->x[2] : 0) +
           5 * at->t;
  OAK_FOR(d, OAK_DIM) q[VX + d] = 0.1 * (d + 1) + 0.2 * at->t * (at->x[0] + at->x[1]);
  q[PRS] = 2 + 0.1 * at->x[0] * at->x[1] - 0.2 * at->t;
}
