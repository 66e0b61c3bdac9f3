/* SPDX-License-Identifier: GPL-2.0-or-later
 * Hot gas expands in a gas with a strong, oblique field: P. Londrillo, L. Del Zanna, Astrophys. J.
 * 530 (2000) 508, as in T. A. Gardiner, J. M. Stone, J. Comput. Phys. 205 (2005) 509. The pressure
 * of the field is 5 times that of the gas around. Physics: mhd with gamma = 5/3; centre at the
 * origin. */

TITLE("MHD blast wave")

PARAMETER(radius, 0.1, "radius of the hot gas")
PARAMETER(p_in, 10, "pressure inside")
PARAMETER(p_out, 0.1, "pressure outside")
PARAMETER(density, 1, "density everywhere")
PARAMETER(field, 1, "magnitude of the field")
PARAMETER(angle, 45, "angle of the field to the x axis, in degrees")

INITIAL(at, q) {
  const double r2 = at->x[0] * at->x[0] + at->x[1] * at->x[1] + at->x[2] * at->x[2];
  const double angle = at->p.angle * M_PI / 180;
  q[RHO] = at->p.density;
  q[PRS] = r2 < at->p.radius * at->p.radius ? at->p.p_in : at->p.p_out;
  q[BX] = at->p.field * cos(angle);
  q[BY] = at->p.field * sin(angle);
}
