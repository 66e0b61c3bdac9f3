/* SPDX-License-Identifier: GPL-2.0-or-later
 * A step whose place GLOBAL_MAX finds; the mesh is finest there. INITIAL reads 0 for it. Physics:
 * advection. */

TITLE("Refined at a measured front")

GLOBAL_MAX(front, at, q) { return q[RHO] > (real)1.5 ? at->x[0] : 0; }

INITIAL(at, q) { q[RHO] = (at->x[0] < 0.37 ? 2 : 1) + 100 * at->p.front; }

REGION(at, lower, upper) {
  return lower[0] <= at->p.front && at->p.front <= upper[0] ? OAK_REGION_REFINE
                                                            : OAK_REGION_DEREFINE;
}
