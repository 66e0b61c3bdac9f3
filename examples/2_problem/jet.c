/* SPDX-License-Identifier: GPL-2.0-or-later
 * A supersonic jet that enters gas at rest through a nozzle in the lower x face. Physics: euler.
 *
 * A problem file is all that a new problem needs: its parameters, an initial state and, as far as
 * wanted, boundary values, source terms and a refinement criterion. oak compiles it when the run
 * starts, so there is nothing to build or to register. docs/kernels.md is the manual. */

#define PROBLEM_TITLE "Supersonic jet"

/* Name, default, meaning: each becomes a key of the section [problem]. */
#define JET_PARAMETERS(P)                                         \
  P(radius, 0.05, "radius of the nozzle")                         \
  P(mach, 3.0, "speed of the jet in sound speeds of its own gas") \
  P(rho_jet, 0.3, "density of the jet; the gas around it has 1")  \
  P(steepness, 0.1, "refine where the density changes by more than this fraction from cell to cell")
OAK_PARAMETERS(problem, JET_PARAMETERS)
#define PROBLEM_PARAMETERS JET_PARAMETERS

/* The state at time 0 in primitive variables (density, velocity, pressure); q comes filled with
 * zeros. */
OAK_FN void jet_initial(const problem_parameters_t *p, const physics_parameters_t *ph,
                        const double x[3], real q[]) {
  (void)p, (void)ph, (void)x;
  q[RHO] = 1;
  q[PRS] = 1;
}

/* The state beyond faces whose boundary is "user", here the one with the nozzle: the gas of the
 * jet, and a wall around it. q comes filled with the mirror image of the state inside, where a wall
 * turns the velocity across it. */
OAK_FN void jet_inflow(const problem_parameters_t *p, const physics_parameters_t *ph,
                       const double x[3], double t, int face, real q[]) {
  double r2 = (x[1] - 0.5) * (x[1] - 0.5);
  if (OAK_DIM == 3) r2 += (x[2] - 0.5) * (x[2] - 0.5);
  (void)t, (void)face;
  q[MX] = -q[MX];
  if (r2 > p->radius * p->radius) return;
  q[RHO] = (real)p->rho_jet;
  q[PRS] = 1;
  q[MX] = (real)(p->mach * sqrt(ph->gamma / p->rho_jet));
  for (int d = 1; d < OAK_DIM; d++) q[MX + d] = 0;
}

/* How much a cell asks for refinement: compared with refine.c_refine and refine.c_derefine. */
OAK_FN real jet_refine(const problem_parameters_t *p, const physics_parameters_t *ph,
                       const oak_field_t *f, long block, int i, int j, int k) {
  const real rho = oak_get(f, block, RHO, i, j, k);
  real change = oak_abs(oak_get(f, block, RHO, i + 1, j, k) - oak_get(f, block, RHO, i - 1, j, k)) +
                oak_abs(oak_get(f, block, RHO, i, j + 1, k) - oak_get(f, block, RHO, i, j - 1, k));
  if (OAK_DIM == 3)
    change += oak_abs(oak_get(f, block, RHO, i, j, k + 1) - oak_get(f, block, RHO, i, j, k - 1));
  (void)ph;
  return change / (2 * (real)p->steepness * rho);
}

#define PROBLEM_INITIAL jet_initial
#define PROBLEM_BOUNDARY jet_inflow
#define PROBLEM_REFINE jet_refine
