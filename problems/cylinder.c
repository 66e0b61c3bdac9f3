/* SPDX-License-Identifier: GPL-2.0-or-later
 * A cylinder, in (r, z) a sphere, in a stream that is faster than sound, along x or z. The speed of
 * sound of the stream is 1. Physics: euler. */
TITLE("Cylinder in a supersonic stream")
PARAMETER(mach, 2, "{>0} speed of the stream")
PARAMETER(radius, 0.25, "{>0} radius of the cylinder or sphere")

OAK_FN void stream(const oak_at_t *at, double q[]) {
  q[RHO] = at->ph.gamma;
  q[OAK_COORDINATES ? VY : VX] = at->p.mach;
  q[PRS] = 1;
}

INITIAL(at, q) { stream(at, q); }

BOUNDARY(at, face, q) { stream(at, q); }

SOLID(at) { return sqrt(at->x[0] * at->x[0] + at->x[1] * at->x[1]) - at->p.radius; }
