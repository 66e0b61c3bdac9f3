/* SPDX-License-Identifier: GPL-2.0-or-later
 * Double Mach reflection (P. Woodward, P. Colella, J. Comput. Phys. 54 (1984) 115, section IVc): a
 * shock of Mach number 10 meets a wall at 60 degrees. The wall is the lower boundary from x = 1/6
 * on; the upper boundary is given the undisturbed shock, which moves. Domain 4 x 1, physics: euler
 * with gamma = 1.4; boundary xlow, ylow, yhigh = user, xhigh = outflow. */

TITLE("Double Mach reflection")

PARAMETER(wall, 1.0 / 6, "the wall begins here")

/* The shock without the wall: it starts from the wall's edge and moves along x with 10 / sin 60. */
OAK_FN void double_mach_shock(const oak_at_t *at, double t, double q[]) {
  const int behind = at->x[0] < at->p.wall + (at->x[1] + 20 * t) / 1.7320508075688772;
  q[RHO] = behind ? 8 : 1.4;
  q[VX] = behind ? 8.25 * 0.8660254037844386 : 0;
  q[VY] = behind ? -8.25 * 0.5 : 0;
#if OAK_DIM == 3
  q[VZ] = 0;
#endif
  q[PRS] = behind ? 116.5 : 1;
}

INITIAL(at, q) { double_mach_shock(at, 0, q); }

/* q has the state of the mirror cell inside. At the wall the velocity across it changes sign. */
BOUNDARY(at, face, q) {
  if (face == 2 && at->x[0] >= at->p.wall)
    q[VY] = -q[VY];
  else
    double_mach_shock(at, face == 2 ? 0 : at->t, q);
}
