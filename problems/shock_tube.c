/* SPDX-License-Identifier: GPL-2.0-or-later
 * Shock tube: two constant states that meet at a plane normal to any axis. The defaults are those
 * of G. A. Sod, J. Comput. Phys. 27 (1978) 1; other one-dimensional Riemann problems are a matter
 * of parameters. Physics: euler with gamma = 1.4; outflow along the tube. */

#define PROBLEM_TITLE "Shock tube"

#define TUBE_PARAMETERS(P)                              \
  P(axis, 0, "{x,y,z} axis of the tube")                \
  P(position, 0.5, "position of the membrane")          \
  P(rho_left, 1.0, "density on the left")               \
  P(u_left, 0.0, "velocity along the tube on the left") \
  P(p_left, 1.0, "pressure on the left")                \
  P(rho_right, 0.125, "density on the right")           \
  P(u_right, 0.0, "velocity on the right")              \
  P(p_right, 0.1, "pressure on the right")
OAK_PARAMETERS(problem, TUBE_PARAMETERS)
#define PROBLEM_PARAMETERS TUBE_PARAMETERS

OAK_FN void tube_initial(const problem_parameters_t *p, const physics_parameters_t *ph,
                         const double x[3], real q[]) {
  const int axis = (int)p->axis;
  const int left = x[axis] < p->position;
  (void)ph;
  q[RHO] = (real)(left ? p->rho_left : p->rho_right);
  if (axis >= OAK_DIM) q[RHO] = -1; /* no z axis in 2D: refused as an invalid state */
  OAK_UNROLL
  for (int d = 0; d < OAK_DIM; d++)
    q[MX + d] = d == axis ? (real)(left ? p->u_left : p->u_right) : 0;
  q[PRS] = (real)(left ? p->p_left : p->p_right);
}

#define PROBLEM_INITIAL tube_initial
