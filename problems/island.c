/* SPDX-License-Identifier: GPL-2.0-or-later
 * A dam breaks, and the wave runs around and onto an island. Physics: shallow_water. */
TITLE("Dam break over an island")
PARAMETER(dam, 0.6, "position of the dam along x")
PARAMETER(high, 0.5, "surface of the water behind the dam")
PARAMETER(low, 0.3, "surface of the water before it")
PARAMETER(top, 0.45, "{>=0} height of the island above the bed around it; 0: flat bed")
PARAMETER(width, 0.35, "{>0} distance from its top to the foot of the island")

FIELD(bed, at) {
  const double x = at->x[0] - 1.25, y = at->x[1] - 0.5;
  const double r = sqrt(x * x + y * y) / at->p.width;
  return r < 1 ? at->p.top * (1 - r * r) * (1 - r * r) : 0;
}

INITIAL(at, q) {
  const double surface = at->x[0] < at->p.dam ? at->p.high : at->p.low;
  q[H] = fmax(0, surface - at->f.bed);
}

/* Change of the surface from cell to cell, where there is water; 1 at the shore. */
REFINE(at) {
  const real least = (real)at->ph.dry, h = oak_near(at, H, 0, 0, 0);
  real most = 0;
  for (int n = 0; n < 4; n++) {
    const int x = n == 0 ? -1 : n == 1, y = n == 2 ? -1 : n == 3;
    const real beside = oak_near(at, H, x, y, 0);
    const real jump = h + oak_near(at, BED, 0, 0, 0) - beside - oak_near(at, BED, x, y, 0);
    const real change = h > least && beside > least ? oak_abs(jump) / (h + beside) : 0;
    most = OAK_MAX(most, (h > least) != (beside > least) ? (real)1 : change);
  }
  return most;
}
