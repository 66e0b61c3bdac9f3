/* SPDX-License-Identifier: GPL-2.0-or-later
 * Slow flows of a cold viscous gas in polar, cylindrical and spherical coordinates.
 *
 *   shear     Cartesian shear waves, which decay with the rate nu k^2: (sin k y, sin(k x + 0.4))
 *             in 2D, (sin k z, sin k x, sin k y) in 3D. In (r, theta): v_phi = J1(k R) cos(k z),
 *             which decays with 2 nu k^2.
 *   rotation  about the axis, like that of a solid
 *   ring      a ring of gas that turns, far from all walls
 *   slip      rotation; where theta has no walls, also v_theta = r / 10
 *
 * Physics: navier_stokes. */

TITLE("Decay in curved coordinates")

PARAMETER(flow, 0, "{shear rotation ring slip} which")
PARAMETER(walls, 0, "of theta")
PARAMETER(k, 3, "wave number")
PARAMETER(fine, 0, "cells within this radius are finer")

#define SPHERE (OAK_COORDINATES == OAK_SPHERICAL)
#define RZ (OAK_COORDINATES == OAK_AXISYMMETRIC)

/* The velocity at the Cartesian point x. */
OAK_FN void decay_wave(const oak_at_t *at, const double x[3], double v[3]) {
  const double k = at->p.k, size = 1e-6 * exp(-at->ph.nu * k * k * at->t);
  v[0] = size * sin(k * (OAK_DIM == 3 ? x[2] : x[1]));
  v[1] = size * sin(k * x[0] + 0.4);
  v[2] = OAK_DIM == 3 ? size * sin(k * x[1]) : 0;
}

OAK_FN void decay_state(const oak_at_t *at, double q[]) {
  const int flat = SPHERE && OAK_DIM == 2; /* no axis along phi */
  const double theta = SPHERE ? at->x[1] : M_PI / 2, phi = flat ? 0 : at->x[SPHERE ? 2 : 1];
  const double R = at->x[0] * sin(theta);
  const double z = SPHERE ? at->x[0] * cos(theta) : OAK_DIM == 3 ? at->x[2] : 0;
  const double place[3] = {R * cos(phi), R * sin(phi), z},
               bump = hypot(R - 0.8, SPHERE ? z : 0) / 0.2;
  const double turn = at->p.flow == 1 || at->p.flow == 3 ? R
                      : bump < 1                         ? pow(1 - bump * bump, 4)
                                                         : 0;
  double w[3], v[3] = {0, 0, 0};
  decay_wave(at, place, w);
  const double away = w[0] * cos(phi) + w[1] * sin(phi), around = w[1] * cos(phi) - w[0] * sin(phi);
  v[0] = away * sin(theta) + (SPHERE ? w[2] * cos(theta) : 0);
  v[SPHERE ? 2 : 1] = around;
  if (SPHERE) v[1] = away * cos(theta) - w[2] * sin(theta);
  if (!SPHERE) v[2] = w[2];
  if (flat) v[0] = v[1] = 0;
  if (flat)
    v[2] =
        1e-6 * exp(-2 * at->ph.nu * at->p.k * at->p.k * at->t) * j1(at->p.k * R) * cos(at->p.k * z);
  if (at->p.flow > 0) v[0] = v[1] = v[2] = 0;
  if (at->p.flow > 0) v[SPHERE || RZ ? 2 : 1] = 0.1 * turn;
  if (at->p.flow == 3 && SPHERE && !at->p.walls) v[1] = 0.1 * at->x[0];
  q[RHO] = 1;
  q[PRS] = 1e-6;
  for (int d = 0; d < PHYSICS_VELOCITIES; d++) q[VX + d] = v[d];
}

INITIAL(at, q) { decay_state(at, q); }
BOUNDARY(at, face, q) { decay_state(at, q); }

REGION(at, lower, upper) { return upper[0] < at->p.fine ? OAK_REGION_REFINE : OAK_REGION_NEVER; }
