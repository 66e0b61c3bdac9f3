/* SPDX-License-Identifier: GPL-2.0-or-later
 * The value of a cell is what it asks of the mesh, so that a test can ask for any flags; in
 * quarters of the xy plane, regions may have their own answers until t = 1, and then want nothing.
 * Physics: advection. */

TITLE("Marked cells")

PARAMETER(regions, 0, "{no,yes} ask for regions")
PARAMETER(depth, 3, "level up to which one of them is refined")
PARAMETER(middle, 0.5, "where the regions meet, along x and y")

INITIAL(at, q) {}

REFINE(at) { return oak_near(at, RHO, 0, 0, 0); }

REGION(at, lower, upper) {
  const int right = lower[0] + upper[0] > 2 * at->p.middle,
            top = lower[1] + upper[1] > 2 * at->p.middle;
  if (!at->p.regions) return OAK_REGION_FREE;
  if (at->t >= 1) return OAK_REGION_DEREFINE;
  if (!top) return right ? OAK_REGION_NEVER : OAK_REGION_FREE;
  return !right                    ? OAK_REGION_DEREFINE
         : at->level < at->p.depth ? OAK_REGION_REFINE
                                   : OAK_REGION_FREE;
}
