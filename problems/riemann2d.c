/* SPDX-License-Identifier: GPL-2.0-or-later
 * Riemann problems in two dimensions: four constant states in the quadrants of a square, chosen so
 * that a single wave separates neighbours (P. D. Lax, X.-D. Liu, SIAM J. Sci. Comput. 19 (1998)
 * 319, with their numbers). Three has four shocks and a jet along the diagonal, four four shocks
 * around a lens, six four contacts that wind up, twelve two shocks and two contacts. Unit square,
 * physics: euler with gamma = 1.4; outflow. */

#define PROBLEM_TITLE "Two-dimensional Riemann problem"

#define RIEMANN2D_PARAMETERS(P)                                        \
  P(configuration, 0, "{three,four,six,twelve} of Lax and Liu's list") \
  P(center_x, 0.5, "where the states meet")                            \
  P(center_y, 0.5, "where the states meet")
OAK_PARAMETERS(problem, RIEMANN2D_PARAMETERS)
#define PROBLEM_PARAMETERS RIEMANN2D_PARAMETERS

OAK_FN void riemann2d_initial(const problem_parameters_t *p, const physics_parameters_t *ph,
                              const double x[3], real q[]) {
  /* rho, u, v, p at the upper right, upper left, lower left, lower right */
  const double states[4][4][4] = {
      {{1.5, 0, 0, 1.5},
       {0.5323, 1.206, 0, 0.3},
       {0.138, 1.206, 1.206, 0.029},
       {0.5323, 0, 1.206, 0.3}},
      {{1.1, 0, 0, 1.1},
       {0.5065, 0.8939, 0, 0.35},
       {1.1, 0.8939, 0.8939, 1.1},
       {0.5065, 0, 0.8939, 0.35}},
      {{1, 0.75, -0.5, 1}, {2, 0.75, 0.5, 1}, {1, -0.75, 0.5, 1}, {3, -0.75, -0.5, 1}},
      {{0.5313, 0, 0, 0.4}, {1, 0.7276, 0, 1}, {0.8, 0, 0, 1}, {1, 0, 0.7276, 1}},
  };
  const int right = x[0] > p->center_x, up = x[1] > p->center_y;
  const double *state = states[(int)p->configuration][up ? 1 - right : 2 + right];
  (void)ph;
  q[RHO] = (real)state[0];
  q[MX] = (real)state[1];
  q[MX + 1] = (real)state[2];
  q[PRS] = (real)state[3];
}

#define PROBLEM_INITIAL riemann2d_initial
