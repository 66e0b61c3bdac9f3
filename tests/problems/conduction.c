/* SPDX-License-Identifier: GPL-2.0-or-later
 * Heat conduction in a crystal: du/dt = div (K grad u). K has `along` on its diagonal and `across`
 * everywhere else, so that gradients along a face count. A wave u = 1 + cos(2 pi k.x) / 2 decays
 * with the rate 4 pi^2 k.K.k. Physics: advection. */

TITLE("Conduction")

PARAMETER(along, 1, "conductivity along the gradient")
PARAMETER(across, 0, "conductivity across it")
PARAMETER(kx, 1, "waves along x")
PARAMETER(ky, 1, "waves along y")
PARAMETER(kz, 0, "waves along z")

PARAMETER(fine, 0, "level of blocks that touch the middle half of the domain")

INITIAL(at, q) {
  const double z = OAK_DIM == 3 ? at->x[2] : 0;
  q[RHO] = 1 + 0.5 * cos(2 * M_PI * (at->p.kx * at->x[0] + at->p.ky * at->x[1] + at->p.kz * z));
}

DIFFUSIVE_FLUX(at, dir, q, grad, f) {
  for (int d = 0; d < OAK_DIM; d++)
    f[RHO] -= (real)(d == dir ? at->p.along : at->p.across) * grad[d][RHO];
}

/* The largest eigenvalue of K. */
DIFFUSIVITY(at, q) { return at->p.along + (OAK_DIM - 1) * fabs(at->p.across); }

REGION(at, lower, upper) {
  int inside = 1;
  for (int d = 0; d < OAK_DIM; d++) inside &= lower[d] < 0.75 && upper[d] > 0.25;
  return inside && at->level < at->p.fine ? OAK_REGION_REFINE : OAK_REGION_FREE;
}
