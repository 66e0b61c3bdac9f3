/* SPDX-License-Identifier: GPL-2.0-or-later
 * A linear function, also on the boundaries: interpolation, restriction and boundary conditions
 * must keep it (paper, "Testing ghost cell filling, interpolation and restriction"); it moves with
 * the flow.
 * Physics: advection. */

#define PROBLEM_TITLE "Linear function"

OAK_FN void linear_initial(const problem_parameters_t *p, const physics_parameters_t *ph,
                           const double x[3], real q[]) {
  (void)p, (void)ph;
  q[0] = (real)(x[0] + 2 * x[1] + 3 * x[2]);
}

OAK_FN void linear_boundary(const problem_parameters_t *p, const physics_parameters_t *ph,
                            const double x[3], double t, int face, real q[]) {
  const double speed = ph->vx + 2 * ph->vy + (OAK_DIM == 3 ? 3 * ph->vz : 0);
  (void)p, (void)face;
  q[0] = (real)(x[0] + 2 * x[1] + 3 * x[2] - speed * t);
}

#define PROBLEM_INITIAL linear_initial
#define PROBLEM_BOUNDARY linear_boundary
