/* SPDX-License-Identifier: GPL-2.0-or-later
 * Gas that moves along and across walls, which the boundary function writes out: the velocity
 * across a face changes sign. With sign = 1 it touches nothing. Physics: euler. */

TITLE("Walls")

PARAMETER(sign, -1, "factor of the velocity across a face")

INITIAL(at, q) {
  q[RHO] = 1.3 + 0.7 * sin(5 * at->x[0] + 3 * at->x[1] + 2 * (OAK_DIM == 3 ? at->x[2] : 0));
  OAK_FOR(d, OAK_DIM) q[VX + d] = 0.9 * sin(4 * at->x[d] - 7 * at->x[(d + 1) % OAK_DIM] + d);
  q[PRS] = 2.1 + 0.9 * cos(6 * at->x[1] - 4 * at->x[0] + (OAK_DIM == 3 ? at->x[2] : 0));
}

BOUNDARY(at, face, q) {
  if (at->p.sign != 1) q[VX + face / 2] = -q[VX + face / 2];
}
