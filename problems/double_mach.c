/* SPDX-License-Identifier: GPL-2.0-or-later
 * Double Mach reflection (P. Woodward, P. Colella, J. Comput. Phys. 54 (1984) 115, section IVc): a
 * shock of Mach number 10 meets a wall at 60 degrees. The wall is the lower boundary from x = 1/6
 * on; the upper boundary is given the undisturbed shock, which moves. Domain 4 x 1, physics: euler
 * with gamma = 1.4; boundary xlow, ylow, yhigh = user, xhigh = outflow. */

#define PROBLEM_TITLE "Double Mach reflection"

#define DOUBLE_MACH_PARAMETERS(P) P(wall, 1.0 / 6, "the wall begins here")
OAK_PARAMETERS(problem, DOUBLE_MACH_PARAMETERS)
#define PROBLEM_PARAMETERS DOUBLE_MACH_PARAMETERS

/* The shock without the wall: it starts from the wall's edge and moves along x with 10 / sin 60. */
OAK_FN void double_mach_shock(const problem_parameters_t *p, const double x[3], double t,
                              real q[]) {
  const int behind = x[0] < p->wall + (x[1] + 20 * t) / 1.7320508075688772;
  q[RHO] = (real)(behind ? 8 : 1.4);
  q[MX] = (real)(behind ? 8.25 * 0.8660254037844386 : 0);
  q[MX + 1] = (real)(behind ? -8.25 * 0.5 : 0);
#if OAK_DIM == 3
  q[MX + 2] = 0;
#endif
  q[PRS] = (real)(behind ? 116.5 : 1);
}

OAK_FN void double_mach_initial(const problem_parameters_t *p, const physics_parameters_t *ph,
                                const double x[3], real q[]) {
  (void)ph;
  double_mach_shock(p, x, 0, q);
}

/* q comes as the mirror cell inside: at the wall the velocity across it changes sign. */
OAK_FN void double_mach_boundary(const problem_parameters_t *p, const physics_parameters_t *ph,
                                 const double x[3], double t, int face, real q[]) {
  (void)ph;
  if (face == 2 && x[0] >= p->wall)
    q[MX + 1] = -q[MX + 1];
  else
    double_mach_shock(p, x, face == 2 ? 0 : t, q);
}

#define PROBLEM_INITIAL double_mach_initial
#define PROBLEM_BOUNDARY double_mach_boundary
