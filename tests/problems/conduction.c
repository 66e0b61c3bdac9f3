/* SPDX-License-Identifier: GPL-2.0-or-later
 * Heat conduction in a crystal: du/dt = div (K grad u). K has `along` on its diagonal and `across`
 * everywhere else, so that gradients along a face count. A wave u = 1 + cos(2 pi k.x) / 2 decays
 * with the rate 4 pi^2 k.K.k. The parabola u = 1 + x^2 + 2 along t is exact on any mesh, and its
 * boundary values change. Physics: advection. */

TITLE("Conduction")

PARAMETER(along, 1, "conductivity along the gradient")
PARAMETER(across, 0, "conductivity across it")
PARAMETER(kx, 1, "waves along x")
PARAMETER(ky, 1, "waves along y")
PARAMETER(kz, 0, "waves along z")

PARAMETER(parabola, 0, "1: the parabola")
PARAMETER(fine, 0, "level of blocks that touch the middle half of the domain")

OAK_FN void conduction_state(const oak_at_t *at, double q[]) {
  const double z = OAK_DIM == 3 ? at->x[2] : 0;
  const double phase = at->p.kx * at->x[0] + at->p.ky * at->x[1] + at->p.kz * z;
  q[RHO] = at->p.parabola ? 1 + at->x[0] * at->x[0] + 2 * at->p.along * at->t
                          : 1 + 0.5 * cos(2 * M_PI * phase);
}

INITIAL(at, q) { conduction_state(at, q); }
BOUNDARY(at, face, q) { conduction_state(at, q); }

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
