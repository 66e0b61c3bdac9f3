/* SPDX-License-Identifier: GPL-2.0-or-later
 * Riemann problems in two dimensions: four constant states in the quadrants of a square, chosen so
 * that a single wave separates neighbours (P. D. Lax, X.-D. Liu, SIAM J. Sci. Comput. 19 (1998)
 * 319, with their numbers). `three` has four shocks and a jet along the diagonal, `four` has four
 * shocks around a lens, `six` has four contacts that wind up, and `twelve` has two shocks and two
 * contacts. Unit square, physics: euler with gamma = 1.4; outflow. */

TITLE("Two-dimensional Riemann problem")

PARAMETER(configuration, 0, "{three,four,six,twelve} of Lax and Liu's list")
PARAMETER(center_x, 0.5, "where the states meet")
PARAMETER(center_y, 0.5, "where the states meet")

INITIAL(at, q) {
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
  const int right = at->x[0] > at->p.center_x, up = at->x[1] > at->p.center_y;
  const double *state = states[(int)at->p.configuration][up ? 1 - right : 2 + right];
  q[RHO] = state[0];
  q[VX] = state[1];
  q[VY] = state[2];
  q[PRS] = state[3];
}
