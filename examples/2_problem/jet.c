/* SPDX-License-Identifier: GPL-2.0-or-later
 * A supersonic jet that enters gas at rest through a nozzle in the lower x face. Physics: euler.
 *
 * A problem file is all that a new problem needs: its parameters, an initial state and, as far as
 * wanted, boundary values, source terms and a refinement criterion. oak compiles it when the run
 * starts, so there is nothing to build or to register. docs/kernels.md is the manual. */

TITLE("Supersonic jet")

/* Name, default, meaning: each becomes a key of the section [problem]. */
PARAMETER(radius, 0.05, "radius of the nozzle")
PARAMETER(mach, 3.0, "speed of the jet in sound speeds of its own gas")
PARAMETER(rho_jet, 0.3, "density of the jet; the gas around it has 1")
PARAMETER(steepness, 0.1,
          "refine where the density changes by more than this fraction from cell to cell")

/* The state at time 0 in primitive variables (density, velocity, pressure); q comes filled with
 * zeros. */
INITIAL(at, q) {
  q[RHO] = 1;
  q[PRS] = 1;
}

/* The state beyond faces whose boundary is "user", here the one with the nozzle: the gas of the
 * jet, and a wall around it. q comes filled with the mirror image of the state inside, where a wall
 * turns the velocity across it. */
BOUNDARY(at, face, q) {
  double r2 = (at->x[1] - 0.5) * (at->x[1] - 0.5);
  if (OAK_DIM == 3) r2 += (at->x[2] - 0.5) * (at->x[2] - 0.5);
  q[VX] = -q[VX];
  if (r2 > at->p.radius * at->p.radius) return;
  q[RHO] = at->p.rho_jet;
  q[PRS] = 1;
  q[VX] = at->p.mach * sqrt(at->ph.gamma / at->p.rho_jet);
  for (int d = 1; d < OAK_DIM; d++) q[VX + d] = 0;
}

/* How much a cell asks for refinement: compared with refine.c_refine and refine.c_derefine. */
REFINE(at) {
  const real rho = oak_near(at, RHO, 0, 0, 0);
  real change = oak_abs(oak_near(at, RHO, 1, 0, 0) - oak_near(at, RHO, -1, 0, 0)) +
                oak_abs(oak_near(at, RHO, 0, 1, 0) - oak_near(at, RHO, 0, -1, 0));
  if (OAK_DIM == 3) change += oak_abs(oak_near(at, RHO, 0, 0, 1) - oak_near(at, RHO, 0, 0, -1));
  return change / (2 * (real)at->p.steepness * rho);
}
