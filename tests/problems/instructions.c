/* SPDX-License-Identifier: GPL-2.0-or-later
 * For tests/sources/count_instructions.py: a flow that is smooth everywhere, on a mesh that every
 * adaptation changes: of two trees, the one is refined and the other coarsened. Physics: euler. */
TITLE("Counting instructions")

INITIAL(at, q) {
  q[RHO] = 1 + 0.2 * sin(2 * M_PI * at->x[0]) * cos(2 * M_PI * at->x[1]);
  q[VX] = 0.3 + 0.1 * sin(2 * M_PI * at->x[2]);
  q[VY] = 0.2;
  q[VZ] = -0.1;
  q[PRS] = 1;
}

REGION(at, lower, upper) {
  const int right = at->x[0] > 1;
  return at->step % 2 == right ? OAK_REGION_REFINE : OAK_REGION_DEREFINE;
}
