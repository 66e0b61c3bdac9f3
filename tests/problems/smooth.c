/* SPDX-License-Identifier: GPL-2.0-or-later
 * Flows that know neither axis nor origin (smooth_state.h), in all curved coordinates. Physics:
 * euler, navier_stokes, mhd. */
#include "smooth_state.h"

TITLE("Flows through the axis and the origin")

PARAMETER(flow, 0, "{smooth uniform shear plain} which")
PARAMETER(heating, 0, "(gamma - 1) mu")

/* Components along the axes of the mesh. */
OAK_FN void smooth_turn(const double e[3][3], const double *v, double out[3]) {
  for (int n = 0; n < 3; n++) out[n] = e[n][0] * v[0] + e[n][1] * v[1] + e[n][2] * v[2];
}

OAK_FN void smooth_set(const oak_at_t *at, double q[]) {
  const int sphere = OAK_COORDINATES == OAK_SPHERICAL, rz = OAK_COORDINATES == OAK_AXISYMMETRIC;
  const double theta = sphere ? at->x[1] : M_PI / 2;
  const double phi = OAK_PHI_AXIS ? at->x[OAK_PHI_AXIS] : 0;
  const double st = sin(theta), ct = cos(theta), sp = sin(phi), cp = cos(phi);
  const double z = sphere ? at->x[0] * ct : rz ? at->x[1] : OAK_DIM == 3 ? at->x[2] : 0;
  const double x[3] = {at->x[0] * st * cp, at->x[0] * st * sp, z};
  const double along_theta[3] = {ct * cp, ct * sp, -st}, along_phi[3] = {-sp, cp, 0};
  const double part = OAK_COORDINATES == OAK_POLAR ? 0.64 / 0.89 : 1; /* there is no shear of vz */
  double e[3][3] = {{st * cp, st * sp, sphere ? ct : 0}}, w[8], v[3], b[3];
  for (int d = 0; d < 3; d++) {
    e[1][d] = sphere ? along_theta[d] : rz ? d == 2 : along_phi[d];
    e[2][d] = sphere || rz ? along_phi[d] : d == 2;
  }
  smooth_state(at->p.flow, OAK_PHI_AXIS != 0, x, at->t, part * at->p.heating, w);
  smooth_turn(e, w + 1, v);
  smooth_turn(e, w + 5, b);
  q[RHO] = w[0];
  q[PRS] = w[4];
#ifdef PHYSICS_VELOCITIES
  for (int d = 0; d < PHYSICS_VELOCITIES; d++) q[VX + d] = v[d];
  (void)b;
#else
  for (int d = 0; d < 3; d++) q[VX + d] = v[d], q[BX + d] = b[d];
#endif
}

INITIAL(at, q) { smooth_set(at, q); }
BOUNDARY(at, face, q) { smooth_set(at, q); }
