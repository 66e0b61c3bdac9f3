/* SPDX-License-Identifier: GPL-2.0-or-later
 * A field of which a gradient is a part: curl A + share grad psi + outwards (x, 0, 0) with k A_z =
 * cos kx cos ky and k psi = sin kx cos ky, k = 2 pi. A strip is refined. */
TITLE("Divergence")

PARAMETER(share, 1, "of the gradient")
PARAMETER(outwards, 0, "field that leaves the domain")

INITIAL(at, q) {
  const double x = 2 * M_PI * at->x[0], y = 2 * M_PI * at->x[1], share = at->p.share;
  q[RHO] = q[PRS] = 1;
  q[BX] = -cos(x) * sin(y) + share * cos(x) * cos(y) + at->p.outwards * at->x[0];
  q[BY] = sin(x) * cos(y) - share * sin(x) * sin(y);
}

REFINE(at) { return at->x[0] > 0.25 && at->x[0] < 0.5; }
