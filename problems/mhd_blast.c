/* SPDX-License-Identifier: GPL-2.0-or-later
 * Hot gas expands in a gas with a strong, oblique field: P. Londrillo, L. Del Zanna, Astrophys. J.
 * 530 (2000) 508, as in T. A. Gardiner, J. M. Stone, J. Comput. Phys. 205 (2005) 509. The pressure
 * of the field is 5 times that of the gas around. Physics: mhd with gamma = 5/3. The centre is the
 * origin or, in polar and cylindrical coordinates, a point with phi = 0. */

TITLE("MHD blast wave")

PARAMETER(radius, 0.1, "radius of the hot gas")
PARAMETER(p_in, 10, "pressure inside")
PARAMETER(p_out, 0.1, "pressure outside")
PARAMETER(density, 1, "density everywhere")
PARAMETER(field, 1, "magnitude of the field")
PARAMETER(angle, 45, "angle of the field to the x axis, in degrees")
PARAMETER(center, 1,
          "{>=0} distance of the centre from r = 0, in polar and cylindrical coordinates")

INITIAL(at, q) {
#if OAK_COORDINATES == OAK_POLAR || OAK_COORDINATES == OAK_CYLINDRICAL
  const double phi = at->x[1], x = at->x[0] * cos(phi) - at->p.center, y = at->x[0] * sin(phi);
  const double angle = at->p.angle * M_PI / 180 - phi; /* to the direction of r */
#else
  const double x = at->x[0], y = at->x[1], angle = at->p.angle * M_PI / 180;
#endif
  const double z = OAK_DIM == 3 ? at->x[2] : 0;
  const double r2 = x * x + y * y + z * z;
  q[RHO] = at->p.density;
  q[PRS] = r2 < at->p.radius * at->p.radius ? at->p.p_in : at->p.p_out;
  q[BX] = at->p.field * cos(angle);
  q[BY] = at->p.field * sin(angle);
}
