/* SPDX-License-Identifier: GPL-2.0-or-later
 * A smooth blob carried through the unit square or cube (paper, "Scalar advection"): a sphere with
 * a cubic edge, eq. advection-sphere-sol, or a Gaussian, eq. advection-sphere-gauss.
 * Physics: advection; all boundaries periodic. */

TITLE("Advection of a blob")

PARAMETER(shape, 0, "{sphere,gaussian} initial profile")
PARAMETER(radius, 0.1, "radius R of the blob")
PARAMETER(edge, 0.05, "width delta of the sphere's edge")
PARAMETER(center, 0.5, "position of the blob along every axis")

INITIAL(at, q) {
  double d2 = 0;
  OAK_FOR(i, OAK_DIM) d2 += (at->x[i] - at->p.center) * (at->x[i] - at->p.center);
  const double d = sqrt(d2), s = 1 + (d - at->p.radius) / at->p.edge;
  const double sphere = d < at->p.radius - at->p.edge ? 1
                        : d < at->p.radius            ? 1 - 3 * s * s + 2 * s * s * s
                                                      : 0;
  q[RHO] = at->p.shape > 0.5 ? exp(-d2 / (at->p.radius * at->p.radius)) : sphere;
}
