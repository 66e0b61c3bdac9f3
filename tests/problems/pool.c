/* SPDX-License-Identifier: GPL-2.0-or-later
 * Water in polar coordinates: a lake at rest over hills and an island, rotation over rings of
 * hills, or a uniform flow. Physics: shallow_water. */

TITLE("A pool in polar coordinates")

PARAMETER(kind, 0, "{lake rotation flow} what there is")
PARAMETER(fine, 0, "cells within this radius are finer (not of a lake)")

/* Beyond the boundary of the domain a field is its mirror image: so are the hills of the rotation.
 */
OAK_FN double pool_bed(const oak_at_t *at) {
  const double x = at->x[0] * cos(at->x[1]), y = at->x[0] * sin(at->x[1]);
  const double island = 1.5 * exp(-40 * ((x - 0.4) * (x - 0.4) + y * y));
  const double hills = 0.3 + 0.2 * sin(5 * x + 2) * cos(4 * y);
  return at->p.kind == 0   ? island + hills
         : at->p.kind == 1 ? 0.1 * cos(2 * M_PI * (at->x[0] - 0.5))
                           : 0;
}

FIELD(bed, at) { return pool_bed(at); }

OAK_FN void pool_state(const oak_at_t *at, double q[]) {
  const double r = at->x[0], phi = at->x[1];
  const double surface = at->p.kind == 1 ? 1 + 0.5 * 0.64 * r * r / at->ph.gravity : 1;
  q[H] = fmax(0, surface - pool_bed(at));
  q[SURFACE] = q[H] + pool_bed(at);
  q[U] = at->p.kind == 2 ? 0.5 * cos(phi) : 0;
  q[V] = at->p.kind == 1 ? 0.8 * r : at->p.kind == 2 ? -0.5 * sin(phi) : 0;
}

/* The bed of a cell is a mean over finer cells. */
INITIAL(at, q) {
  pool_state(at, q);
  if (at->p.kind == 0) q[H] = fmax(0, 1 - at->f.bed);
}
BOUNDARY(at, face, q) { pool_state(at, q); }

/* The shore is on the finest level. The cells beyond it become finer and coarser in turn. */
REGION(at, lower, upper) {
  if (at->p.kind) return upper[0] < at->p.fine ? OAK_REGION_REFINE : OAK_REGION_DEREFINE;
  return lower[0] < 0.6 || at->step / 8 % 2 ? OAK_REGION_REFINE : OAK_REGION_DEREFINE;
}
