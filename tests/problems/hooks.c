/* SPDX-License-Identifier: GPL-2.0-or-later
 * A wave with a reaction whose rate depends on the place, limits of the time step, and values over
 * all cells that a later step can write into the cells. Physics: advection. */

TITLE("Reacting wave")

PARAMETER(rate, 0, "rate of the reaction")
PARAMETER(limit, 0, "{>=0} largest time step at x = 0; 0: none")
PARAMETER(show, 0, "{none,most,least,square} the value that UPDATE writes into all cells")

INITIAL(at, q) {
  q[RHO] = 2 + sin(2 * M_PI * (at->x[0] + 0.3)) *
                   cos(2 * M_PI * (at->x[1] + (OAK_DIM == 3 ? at->x[2] : 0)));
}

REGION(at, lower, upper) { return upper[0] < 0.6 ? OAK_REGION_REFINE : OAK_REGION_FREE; }

GLOBAL_MAX(most, at, q) { return q[RHO] + at->x[1]; }

GLOBAL_MIN(least, at, q) { return q[RHO] + at->x[1]; }

GLOBAL_INTEGRAL(square, at, q) { return (double)q[RHO] * (double)q[RHO]; }

TIMESTEP(at, q) { return at->p.limit > 0 ? at->p.limit * (1 + at->x[0]) : INFINITY; }

UPDATE(at, u, dt) {
  const double value[4] = {0, at->p.most, at->p.least, at->p.square};
  u[RHO] *= (real)exp(-dt * at->p.rate * (1 + sin(2 * M_PI * at->x[0])));
  if (at->p.show > 0) u[RHO] = (real)value[(int)at->p.show];
}
