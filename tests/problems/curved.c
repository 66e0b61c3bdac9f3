/* SPDX-License-Identifier: GPL-2.0-or-later
 * Flows with exact solutions for all coordinates. Physics: mhd, which has vectors with three
 * components in 2D too. */

TITLE("Curved")

PARAMETER(flow, 0, "{rest wind rotation expansion waves cold curl rings decay} which")
PARAMETER(fine, 0, "refine the part with a smaller radius")
PARAMETER(inner, 0.25, "rings: radius where the domain begins")
PARAMETER(outer, 1.25, "rings: radius where it ends")

/* The direction of the axis (z) and that away from it (R), both as components along r, theta or z,
 * phi in the order of the mesh; the Cartesian point (x, y = 0 without an axis along phi, z). */
OAK_FN void curved_place(const oak_at_t *at, double x[3], double *R, double along_z[3],
                         double along_R[3], int *phi) {
  const double r = at->x[0];
  double angle = 0, z = 0, sine = 1;
#if OAK_COORDINATES == OAK_SPHERICAL
  const double cosine = cos(at->x[1]);
  sine = sin(at->x[1]);
  z = r * cosine;
  *phi = 2;
  if (OAK_DIM == 3) angle = at->x[2];
#elif OAK_COORDINATES == OAK_AXISYMMETRIC
  z = at->x[1];
  *phi = 2;
#else
  angle = at->x[1];
  z = OAK_DIM == 3 ? at->x[2] : 0;
  *phi = 1;
#endif
  *R = r * sine;
  for (int d = 0; d < 3; d++) along_z[d] = along_R[d] = 0;
#if OAK_COORDINATES == OAK_SPHERICAL
  along_z[0] = cosine, along_z[1] = -sine;
  along_R[0] = sine, along_R[1] = cosine;
#else
  along_R[0] = 1;
  along_z[3 - *phi] = 1;
#endif
  x[0] = *R * cos(angle);
  x[1] = *R * sin(angle);
  x[2] = z;
}

/* The components of the uniform vector (a, 0, c). */
OAK_FN void curved_uniform(const oak_at_t *at, double a, double c, double v[3]) {
  double x[3], R, z[3], away[3];
  int phi;
  curved_place(at, x, &R, z, away, &phi);
  for (int d = 0; d < 3; d++) v[d] = c * z[d] + a * x[0] / R * away[d];
  v[phi] += -a * x[1] / R;
}

/* A field without force, curl B = k B, which decays. Returns k. With an axis along phi the field is
 * a helix, otherwise one of S. Chandrasekhar, P. C. Kendall, Astrophys. J. 126 (1957) 457. */
OAK_FN double curved_decay(const oak_at_t *at, double b[3]) {
  const double k = OAK_PHI_AXIS ? 4 : sqrt(18.0), ky = OAK_DIM == 3 ? 3.2 : 4;
  const double kz = OAK_DIM == 3 ? 2.4 : 0, left = 1e-3 * exp(-at->ph.resistivity * k * k * at->t);
  double x[3], R, z[3], away[3];
  int phi;
  curved_place(at, x, &R, z, away, &phi);
  const double sine = sin(ky * x[1] + kz * x[2]), cosine = cos(ky * x[1] + kz * x[2]);
  const double across = -kz / k * sine; /* the helix has (cosine, across, ky / k sine) */
  const double to_R =
      OAK_PHI_AXIS ? (cosine * x[0] + across * x[1]) / R : 3 * j1(3 * R) * sin(3 * x[2]);
  const double to_z = OAK_PHI_AXIS ? ky / k * sine : 3 * j0(3 * R) * cos(3 * x[2]);
  for (int d = 0; d < 3; d++) b[d] = left * (to_R * away[d] + to_z * z[d]);
  b[phi] +=
      left * (OAK_PHI_AXIS ? (across * x[0] - cosine * x[1]) / R : k * j1(3 * R) * cos(3 * x[2]));
  return k;
}

OAK_FN void curved_state(const oak_at_t *at, double q[]) {
  const double t = at->t, scale = 1 / (1 + t);
  double x[3], R, z[3], away[3], v[3] = {0, 0, 0}, b[3] = {0, 0, 0};
  int phi;
  curved_place(at, x, &R, z, away, &phi);
  q[RHO] = 1 + 0.3 * sin(3 * at->x[0]) * cos(2 * at->x[1]);
  q[PRS] = 1;
  if (at->p.flow == 1) { /* a uniform wind along a uniform field */
    const double a = OAK_PHI_AXIS ? 1 : 0, c = OAK_PHI_AXIS ? -0.1 : 0.7;
    curved_uniform(at, a, c, v);
    curved_uniform(at, 0.3 * a, 0.3 * c, b);
    q[RHO] = 2 + 0.5 * (OAK_PHI_AXIS ? x[0] - a * t : R);
    if (OAK_COORDINATES != OAK_POLAR) q[RHO] += 0.3 * (x[2] - c * t);
  } else if (at->p.flow == 2) { /* rigid rotation around a uniform field, moving along it */
    for (int d = 0; d < 3; d++) v[d] = 0.2 * z[d], b[d] = 0.5 * z[d];
    v[phi] = 0.8 * R;
    q[RHO] = 1.5;
    q[PRS] = 1 + 0.5 * 1.5 * 0.64 * R * R;
  } else if (at->p.flow == 3) { /* away from the origin or, without z, from the axis */
    const double power = OAK_COORDINATES == OAK_POLAR ? 2 : 3;
    for (int d = 0; d < 3; d++)
      v[d] = scale * (R * away[d] + (OAK_COORDINATES == OAK_POLAR ? 0 : x[2] * z[d]));
    q[RHO] = (2 + (0.5 * x[0] + 0.3 * x[2]) * scale) * pow(scale, power);
    q[PRS] = 0.5 * pow(scale, power * 5 / 3);
  } else if (at->p.flow == 4 || at->p.flow == 7) { /* waves in a rotating, magnetised gas */
    for (int d = 0; d < 3; d++) b[d] = at->p.flow == 4 ? 0.3 * z[d] : 0;
    v[phi] = 0.8 * R;
    q[PRS] = q[RHO] * (1 + 0.5 * (R > 0.5));
  }
  if (at->p.flow == 5) { /* cold gas, steps of density: interpolation gives invalid states */
    q[RHO] = ldexp(1.0, (int)floor(at->x[0] / at->dx[0]) & 7);
    q[PRS] = 1e-6;
    v[phi] = 1 / q[RHO];
  }
  if (at->p.flow == 6) { /* with an axis along phi (y^2 + x z, x z - y, x y + z^2 / 2) */
    const double around = x[0] * x[2] - x[1], across = x[1] * x[1] + x[0] * x[2];
    const double to_R = OAK_PHI_AXIS ? (across * x[0] + around * x[1]) / R : R * (1 + x[2] * x[2]);
    const double to_z = OAK_PHI_AXIS ? x[0] * x[1] + 0.5 * x[2] * x[2] : R * R - x[2] * x[2];
    const int flat = OAK_COORDINATES == OAK_POLAR;
    for (int d = 0; d < 3; d++) v[d] = to_R * away[d] + (flat ? 0 : to_z * z[d]);
    v[phi] = OAK_PHI_AXIS ? (around * x[0] - across * x[1]) / R : R * x[2];
    q[RHO] = 2 + 0.3 * (OAK_PHI_AXIS ? x[0] : R) + (flat ? 0 : 0.2 * x[2]);
    for (int d = 0; d < 3; d++) b[d] = v[d];
  }
  if (at->p.flow == 8) curved_decay(at, b);
  for (int d = 0; d < 3; d++) q[VX + d] = v[d], q[BX + d] = b[d];
}

/* Of a field that does not go through walls. */
OAK_FN void rings(const oak_at_t *at, double a[3]) {
  const double r = at->x[0], z = OAK_DIM == 3 ? at->x[2] : 0, width = at->p.outer - at->p.inner;
  const double y = (OAK_COORDINATES == OAK_AXISYMMETRIC ? 2 * M_PI : 1) * at->x[1];
  double wall = (r - at->p.inner) * (at->p.outer - r) / (width * width);
#if OAK_COORDINATES == OAK_SPHERICAL /* walls, or the axis */
  wall *= OAK_DIM == 3 ? (y - 0.5) * (M_PI / 1.5 - y) : sin(y);
#endif
  wall *= wall;
  a[0] = wall * sin((OAK_COORDINATES == OAK_SPHERICAL ? 1 : 2 * M_PI) * z + y);
  a[1] = wall * cos(3 * y + r);
  a[2] = wall * (2 + sin(4 * y + 3 * r));
}

/* Of the uniform fields (b, 0, d). */
VECTOR_POTENTIAL(at, a) {
  const int wind = at->p.flow == 1, turns = OAK_PHI_AXIS != 0;
  const double b = wind && turns ? 0.3 : 0;
  const double d = wind              ? (turns ? -0.03 : 0.21)
                   : at->p.flow == 2 ? 0.5
                   : at->p.flow == 4 ? 0.3
                                     : 0;
  double x[3], R, z[3], away[3];
  int phi;
  curved_place(at, x, &R, z, away, &phi);
  if (at->p.flow == 7) {
    rings(at, a);
  } else if (at->p.flow == 8) {
    const double k = curved_decay(at, a);
    for (int n = 0; n < 3; n++) a[n] /= k;
  } else if (turns) { /* (0, d x, b y) */
    for (int n = 0; n < 3; n++) a[n] = d * x[0] * x[1] / R * away[n] + b * x[1] * z[n];
    a[phi] += d * x[0] * x[0] / R;
  } else {
    a[phi] = 0.5 * d * R;
  }
}

INITIAL(at, q) { curved_state(at, q); }
BOUNDARY(at, face, q) { curved_state(at, q); }

REGION(at, lower, upper) {
  if (at->p.flow == 5) return at->step ? OAK_REGION_REFINE : OAK_REGION_NEVER;
  if (at->p.flow == 4 || at->p.flow == 7) { /* changes all the time */
    const double place = at->x[0] + 0.4 * at->x[1] + 0.07 * (double)at->step;
    return place - floor(place) < 0.4 ? OAK_REGION_REFINE : OAK_REGION_DEREFINE;
  }
  return lower[0] + 1e-9 < at->p.fine ? OAK_REGION_REFINE : OAK_REGION_NEVER;
}
