/* SPDX-License-Identifier: GPL-2.0-or-later
 * Diffusion along a magnetic field, in gas of density 1. Coefficients are so large and times so
 * short that the gas does not move by itself.
 *
 *   ring   circles of field around the origin; T = 12 in a part of the ring 0.5 < r < 0.7, else 10
 *          (I. J. Parrish, J. M. Stone, Astrophys. J. 633 (2005) 334)
 *   blob   a Gaussian of T in a uniform field b
 *   wave   velocity u cos(k.x) in a uniform field
 *   step   T = 2 for x < 0, else 1
 *   front  T^(7/2) is linear in x; it stays so where the conductivity is that times T^(5/2)
 *   strain T and the velocity are linear in x, y, z; in polar and spherical coordinates too
 *
 * Physics: mhd, mhd_ct. */
TITLE("Diffusion along a field")

PARAMETER(kind, 0, "{ring,blob,wave,step,front,strain} which")
PARAMETER(strength, 1, "{>=0} of the field")
PARAMETER_ARRAY(b, "2 1 0", "direction of the uniform field")
PARAMETER_ARRAY(k, "1 2 0", "waves in the length 2")
PARAMETER_ARRAY(u, "0 0 0", "velocity")
PARAMETER_ARRAY(strain, "0.3 0.2 -0.1 0.5 -0.4 0.2 0.1 0.3 0.1", "gradient of the velocity")
PARAMETER(width, 0.16, "{>0} of the blob")
PARAMETER(fine, 0, "level of blocks inside the middle half of the domain")

enum { RING, BLOB, WAVE, STEP, FRONT, STRAIN };

/* Cartesian coordinates of a place, and the direction e[n] of axis n there. */
OAK_FN void cartesian(const oak_at_t *at, double x[3], double e[3][3]) {
  const int sphere = OAK_COORDINATES == OAK_SPHERICAL;
  const double phi = !OAK_COORDINATES ? 0 : sphere ? at->x[OAK_DIM - 1] : at->x[1];
  const double theta = sphere ? at->x[1] : M_PI / 2, z = OAK_DIM == 3 ? at->x[2] : 0;
  const double c = cos(phi), s = sin(phi), sine = sin(theta), cosine = cos(theta);
  const double axis[3][3] = {{sine * c, sine * s, cosine}, {-s, c, 0}, {0, 0, 1}};
  const double ball[2][3] = {{cosine * c, cosine * s, -sine}, {-s, c, 0}};
  for (int n = 0; n < 3; n++)
    for (int d = 0; d < 3; d++) e[n][d] = sphere && n ? ball[n - 1][d] : axis[n][d];
  for (int d = 0; d < 3; d++) x[d] = at->x[0] * axis[0][d] + (sphere ? 0 : z * axis[2][d]);
  if (!OAK_COORDINATES) x[1] = at->x[1];
}

OAK_FN double direction(const oak_at_t *at, int d) {
  const double *b = at->p.b;
  return at->p.strength * b[d] / sqrt(b[0] * b[0] + b[1] * b[1] + b[2] * b[2]);
}

OAK_FN void set_state(const oak_at_t *at, double q[]) {
  double x[3], e[3][3], b[3], phase = 0, along = 0, square = 0;
  cartesian(at, x, e);
  const double r = sqrt(x[0] * x[0] + x[1] * x[1]), angle = fabs(atan2(x[1], x[0]));
  const double width2 = at->p.width * at->p.width;
  for (int d = 0; d < 3; d++) {
    b[d] = at->p.kind != RING ? direction(at, d)
           : d == 2           ? 0
                              : at->p.strength * (d ? x[0] : -x[1]) / r;
    phase += M_PI * at->p.k[d] * x[d];
    along += b[d] * x[d];
    square += x[d] * x[d];
  }
  q[RHO] = 1;
  q[PRS] = at->p.kind == RING    ? (r > 0.5 && r < 0.7 && angle > M_PI * 11 / 12 ? 12 : 10)
           : at->p.kind == BLOB  ? 1 + 0.1 * exp(-0.5 * square / width2)
           : at->p.kind == STEP  ? (x[0] < 0 ? 2 : 1)
           : at->p.kind == FRONT ? pow(0.5 + 0.4 * x[0], 2.0 / 7)
                                 : 1;
  if (at->p.kind == STRAIN) q[PRS] = 9 + 0.3 * x[0] + 0.2 * x[1] + 0.3 * x[2];
  for (int n = 0; n < 3; n++) q[VX + n] = q[BX + n] = 0;
  for (int n = 0; n < 3; n++)
    for (int d = 0; d < 3; d++) {
      const double *g = at->p.strain + 3 * d, strain = g[0] * x[0] + g[1] * x[1] + g[2] * x[2];
      q[BX + n] += e[n][d] * b[d];
      if (at->p.kind == WAVE) q[VX + n] += e[n][d] * at->p.u[d] * cos(phase);
      if (at->p.kind == STRAIN) q[VX + n] += e[n][d] * strain;
    }
}

INITIAL(at, q) { set_state(at, q); }
BOUNDARY(at, face, q) { set_state(at, q); }

/* In 2D: only that of the components in the plane counts. */
VECTOR_POTENTIAL(at, a) {
  double x[3], e[3][3];
  cartesian(at, x, e);
  a[2] = at->p.kind == RING ? -at->p.strength * sqrt(x[0] * x[0] + x[1] * x[1])
                            : direction(at, 0) * x[1] - direction(at, 1) * x[0];
}

REGION(at, lower, upper) {
  int inside = 1;
  for (int d = 0; d < OAK_DIM; d++) inside &= lower[d] < 0.5 && upper[d] > -0.5;
  return inside && at->level < at->p.fine ? OAK_REGION_REFINE : OAK_REGION_FREE;
}
