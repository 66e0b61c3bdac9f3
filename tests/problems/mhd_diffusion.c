/* SPDX-License-Identifier: GPL-2.0-or-later
 * Fields that diffuse; a round refined region where x, y, z = 0.
 *
 * helix: B without force, curl B = k B, which decays as exp(-eta k^2 t) and heats the gas evenly.
 * alfven: a standing Alfven wave of small amplitude, at first at rest, in a field 1 along k.
 * sheet: a weak By = erf(x / sqrt(4 eta t)) of the age problem.age.
 * checkers: the potential changes sign from edge to edge, so that means over cells are 0.
 * bessel: Bz in polar coordinates, whose derivative is 0 at r = 1.
 * shock: one state for x < 0 and another one for x > 0. */

TITLE("Diffusion of magnetic fields")

PARAMETER(kind, 0, "{helix,alfven,sheet,checkers,shock,bessel} which")
PARAMETER(amplitude, 1, "amplitude of the field")
PARAMETER(age, 0.01, "age of the sheet")
PARAMETER(eta, 0, "resistivity by the hook COEFFICIENTS; of the sheet")
PARAMETER(radius, 0, "of the refined region")
PARAMETER_ARRAY(left, "1 0 0 1 0 0", "shock: rho vx vy p bx by")
PARAMETER_ARRAY(right, "1 0 0 1 0 0", "shock: rho vx vy p bx by")

enum { HELIX, ALFVEN, SHEET, CHECKERS, SHOCK, BESSEL };

/* Unit vectors along k, which has one wave along each axis, and across; the phase. */
OAK_FN double frame(const double x[3], double e[3][3], double *k) {
  const double z = OAK_DIM == 3 ? 1 : 0, norm = sqrt(2 + z), rest = sqrt(2 * (2 + z));
  const double unit[3][3] = {{1 / norm, 1 / norm, z / norm},
                             {-sqrt(0.5), sqrt(0.5), 0},
                             {-z / rest, -z / rest, 2 / rest}};
  for (int n = 0; n < 9; n++) e[n / 3][n % 3] = unit[n / 3][n % 3];
  *k = 2 * M_PI * norm;
  return 2 * M_PI * (x[0] + x[1] + (OAK_DIM == 3 ? x[2] : 0));
}

/* The wave, and its potential times k. */
OAK_FN void wave(const oak_at_t *at, int potential, double b[3]) {
  double e[3][3], k;
  const double x[3] = {at->x[0], at->x[1], OAK_DIM == 3 ? at->x[2] : 0};
  const double phase = frame(x, e, &k), a = at->p.amplitude, helix = at->p.kind == HELIX;
  for (int d = 0; d < 3; d++)
    b[d] = a * (helix ? cos(phase) * e[1][d] - sin(phase) * e[2][d]
                      : (potential ? -sin(phase) * e[2][d] : cos(phase) * e[1][d]));
}

OAK_FN double sheet(const oak_at_t *at) {
  return at->p.amplitude * erf(at->x[0] / sqrt(4 * at->p.eta * at->p.age));
}

VECTOR_POTENTIAL(at, a) {
  const double width = sqrt(4 * at->p.eta * at->p.age), s = at->x[0] / width;
  double e[3][3], k, x[3] = {at->x[0], at->x[1], OAK_DIM == 3 ? at->x[2] : 0};
  for (int d = 0; d < 3; d++) a[d] = 0;
  if (at->p.kind == SHEET) {
    a[2] = -at->p.amplitude * (at->x[0] * erf(s) + width / sqrt(M_PI) * exp(-s * s));
  } else if (at->p.kind == CHECKERS) {
    a[2] = at->p.amplitude * cos(M_PI * x[0] / at->dx[0]) * cos(M_PI * x[1] / at->dx[1]);
  } else if (at->p.kind == SHOCK) {
    const double *q = x[0] < 0 ? at->p.left : at->p.right;
    a[2] = q[4] * x[1] - q[5] * x[0];
  } else {
    wave(at, 1, a);
    frame(x, e, &k);
    for (int d = 0; d < 3; d++) a[d] /= k;
    if (at->p.kind == ALFVEN) /* the curl of n x r is 2 n, but 1 n in a plane */
      for (int d = 0; d < 3; d++)
        a[d] += (OAK_DIM == 3 ? 0.5 : 1) *
                (e[0][(d + 1) % 3] * x[(d + 2) % 3] - e[0][(d + 2) % 3] * x[(d + 1) % 3]);
  }
}

OAK_FN void shock(const oak_at_t *at, double q[]) {
  const double *side = at->x[0] < 0 ? at->p.left : at->p.right;
  const int to[6] = {RHO, VX, VY, PRS, BX, BY};
  for (int v = 0; v < 6; v++) q[to[v]] = side[v];
}

INITIAL(at, q) {
  double e[3][3], k, b[3], x[3] = {at->x[0], at->x[1], OAK_DIM == 3 ? at->x[2] : 0};
  const int uniform = at->p.kind == ALFVEN;
  wave(at, 0, b);
  frame(x, e, &k);
  q[RHO] = q[PRS] = 1;
  for (int d = 0; d < 3; d++) q[BX + d] = at->p.kind > ALFVEN ? 0 : b[d] + uniform * e[0][d];
  if (at->p.kind == SHEET) q[BY] = sheet(at);
  if (at->p.kind == SHOCK) shock(at, q);
  if (at->p.kind == BESSEL) q[BZ] = at->p.amplitude * j0(3.8317059702075125 * x[0]);
}

BOUNDARY(at, face, q) { shock(at, q); }

REFINE(at) {
  double r2 = 0;
  for (int d = 0; d < OAK_DIM; d++) r2 += at->x[d] * at->x[d];
  return r2 < at->p.radius * at->p.radius;
}

#ifdef TEST_HOOK
COEFFICIENTS(at, q, ph) { ph->resistivity = at->p.eta; }
#endif
