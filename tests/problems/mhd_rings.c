/* SPDX-License-Identifier: GPL-2.0-or-later
 * Waves in a rotating gas with a field that does not go through walls, in any coordinates. Regions
 * that are refined change all the time. */
TITLE("Rings of field")

PARAMETER(inner, 0.25, "radius where the domain begins")
PARAMETER(outer, 1.25, "radius where it ends")

VECTOR_POTENTIAL(at, a) {
  const double r = at->x[0], z = OAK_DIM == 3 ? at->x[2] : 0;
  const double y = (OAK_COORDINATES == OAK_AXISYMMETRIC ? 2 * M_PI : 1) * at->x[1];
  const double width = at->p.outer - at->p.inner;
  double wall = (r - at->p.inner) * (at->p.outer - r) / (width * width);
#if OAK_COORDINATES == OAK_SPHERICAL /* walls, or the axis */
  wall *= OAK_DIM == 3 ? (y - 0.5) * (M_PI / 1.5 - y) : sin(y);
#endif
  wall *= wall;
  a[0] = wall * sin((OAK_COORDINATES == OAK_SPHERICAL ? 1 : 2 * M_PI) * z + y);
  a[1] = wall * cos(3 * y + r);
  a[2] = wall * (2 + sin(4 * y + 3 * r));
}

INITIAL(at, q) {
  const double r = at->x[0];
  const double R = OAK_COORDINATES == OAK_SPHERICAL ? r * sin(at->x[1]) : r;
  q[RHO] = 1 + 0.3 * sin(3 * r) * cos(2 * at->x[1]);
  q[PRS] = q[RHO] * (1 + 0.5 * (R > 0.5));
  q[OAK_COORDINATES == OAK_POLAR || OAK_COORDINATES == OAK_CYLINDRICAL ? VY : VZ] = 0.8 * R;
}

REGION(at, lower, upper) {
  const double place = at->x[0] + 0.4 * at->x[1] + 0.07 * (double)at->step;
  (void)lower, (void)upper;
  return place - floor(place) < 0.4 ? OAK_REGION_REFINE : OAK_REGION_DEREFINE;
}
