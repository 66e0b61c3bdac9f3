/* SPDX-License-Identifier: GPL-2.0-or-later
 * Diffusion in (r, z) of 1 + J0(k r) cos(2 pi z) / 2, which decays with the rate D (k^2 + 4 pi^2).
 * J1(k) is 0, so no flux goes through r = 1. Physics: advection at rest. */

TITLE("Diffusion between rings")

PARAMETER(diffusivity, 0.1, "{>=0} D")
PARAMETER(fine, 0, "level of blocks that touch r < 1/4 and r > 3/4 between z = 1/4 and 1/2")

INITIAL(at, q) { q[0] = 1 + 0.5 * j0(3.8317059702075125 * at->x[0]) * cos(2 * M_PI * at->x[1]); }

DIFFUSIVE_FLUX(at, dir, q, grad, f) { f[0] -= (real)at->p.diffusivity * grad[dir][0]; }
DIFFUSIVITY(at, q) { return at->p.diffusivity; }

REGION(at, lower, upper) {
  const int inside = (lower[0] < 0.25 || upper[0] > 0.75) && lower[1] < 0.5 && upper[1] > 0.25;
  return inside && at->level < at->p.fine ? OAK_REGION_REFINE : OAK_REGION_FREE;
}
