/* SPDX-License-Identifier: GPL-2.0-or-later
 * The same function as density, or as a scalar in gas of density 1. Unit square, periodic. Physics:
 * advection. */

TITLE("Carried")

INITIAL(at, q) {
  const double dx = at->x[0] - 0.5, dy = at->x[1] - 0.5;
  const double f = 1 + 0.5 * sin(2 * M_PI * (at->x[0] + at->x[1])) + (dx * dx + dy * dy < 0.05);
#if NSCALARS
  q[RHO] = 1;
  q[PHYSICS_NVAR] = f;
#else
  q[RHO] = f;
#endif
}

REGION(at, lower, upper) {
  return at->x[0] < 0.5 && at->level < 3 ? OAK_REGION_REFINE : OAK_REGION_FREE;
}
