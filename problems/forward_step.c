/* SPDX-License-Identifier: GPL-2.0-or-later
 * Wind tunnel with a step: gas streams against it with three times the speed of sound (P. Woodward,
 * P. Colella, J. Comput. Phys. 54 (1984) 115). Physics: euler. */
TITLE("Mach 3 wind tunnel with a step")
PARAMETER(mach, 3, "{>0} speed of the gas over its speed of sound")
PARAMETER(begin, 0.6, "position of the step along x")
PARAMETER(height, 0.2, "height of the step")

OAK_FN void stream(const oak_at_t *at, double q[]) {
  q[RHO] = at->ph.gamma;
  q[VX] = at->p.mach;
  q[PRS] = 1;
}

INITIAL(at, q) { stream(at, q); }

BOUNDARY(at, face, q) { stream(at, q); }

SOLID(at) { return fmax(at->p.begin - at->x[0], at->x[1] - at->p.height); }
