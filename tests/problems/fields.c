/* SPDX-License-Identifier: GPL-2.0-or-later
 * A wave that decays where a field says so, on a mesh whose finer part moves. Physics: advection.
 */

TITLE("Fields beside the state")

PARAMETER(region, 1, "{>=0} 0: the criterion refines, 1: a strip is refined")

FIELD_STORED(memory)

FIELD(hill, at) { return at->x[0] + 2 * at->x[1]; }

INITIAL(at, q) { q[RHO] = 2 + sin(2 * M_PI * at->x[0]) * cos(2 * M_PI * at->x[1]); }

SOURCE(at, q, source) { source[RHO] -= (at->f.hill + at->f.memory) * q[RHO]; }

OUTPUT(slope_x, at, q) {
  return oak_near_field(at, memory, 1, 0, 0) - oak_near_field(at, memory, -1, 0, 0);
}

OUTPUT(slope_y, at, q) {
  return oak_near_field(at, hill, 0, 1, 0) - oak_near_field(at, hill, 0, -1, 0);
}

REGION(at, lower, upper) {
  if (at->p.region == 0) return OAK_REGION_FREE;
  const double begin = 0.25 + 8 * at->t, end = begin + 0.25;
  return lower[0] < end && upper[0] > begin ? OAK_REGION_REFINE : OAK_REGION_DEREFINE;
}
