/* SPDX-License-Identifier: GPL-2.0-or-later
 * Water at rest around an island and over a hill, or a dam that breaks over a flat bed. Physics:
 * shallow_water. */

TITLE("Water at rest, or behind a dam")

PARAMETER(kind, 0, "{lake,dam} what there is")
PARAMETER(left, 1, "{>=0} depth on the left of the dam")
PARAMETER(right, 0.1, "{>=0} depth on the right of it")
PARAMETER(island, 0.3, "x of the island")
PARAMETER(edge, 0, "{>=0} end of a fine region that stays; 0: it follows a strip")
PARAMETER(push, 0, "speed of the water towards +x at the start")

FIELD(bed, at) {
  const double x = at->x[0] - at->p.island, y = at->x[1] - 0.45;
  const double island = 1.5 * exp(-60 * (x * x + y * y));
  const double hills = 0.3 + 0.2 * sin(9 * at->x[0] + 2) * cos(7 * at->x[1]);
  return at->p.kind == 0 ? island + hills : 0;
}

INITIAL(at, q) {
  const double dam = at->x[0] < 0.5 ? at->p.left : at->p.right;
  q[H] = at->p.kind == 0 ? fmax(0, 1 - at->f.bed) : dam;
  q[U] = q[H] > 0 ? at->p.push : 0;
#if NSCALARS
  q[PHYSICS_NVAR] = 0.25;
  q[PHYSICS_NVAR + 1] = at->x[0] < 0.3 ? 0.75 : 0;
  q[PHYSICS_NVAR + 2] = at->x[0] < 0.3 ? 0 : 0.75;
#endif
}

/* The shore is on the finest level. Beside it a fine strip moves. */
REGION(at, lower, upper) {
  if (at->p.edge > 0)
    return lower[0] < at->p.edge && lower[1] < 0.75 && upper[1] > 0.25 ? OAK_REGION_REFINE
                                                                       : OAK_REGION_DEREFINE;
  const double begin = 0.5 + 4 * at->t, end = begin + 0.2;
  const int shore = lower[0] < 0.6 && upper[0] > 0 && lower[1] < 0.75 && upper[1] > 0.15;
  const int strip = lower[0] < end && upper[0] > begin;
  return shore || strip ? OAK_REGION_REFINE : OAK_REGION_DEREFINE;
}
