/* SPDX-License-Identifier: GPL-2.0-or-later
 * A supersonic stream carries a weak loop of field into the domain. Where it flows in, BOUNDARY
 * gives the state. */
TITLE("Loop that flows in")

/* The field of A_z = (1 - r^2)^3 / 1000 with r in units of the radius. */
OAK_FN void state(const oak_at_t *at, double q[]) {
  const double radius = 0.3, t = at->t;
  const double x = (at->x[0] - 3 * t + 0.4) / radius, y = (at->x[1] - 0.3 * t - 0.5) / radius;
  const double rest = fmax(1 - x * x - y * y, 0), slope = -6e-3 * rest * rest / radius;
  q[RHO] = q[PRS] = 1;
  q[VX] = 3;
  q[VY] = 0.3;
  q[BX] = slope * y;
  q[BY] = -slope * x;
}

INITIAL(at, q) { state(at, q); }
BOUNDARY(at, face, q) {
  (void)face;
  state(at, q);
}
