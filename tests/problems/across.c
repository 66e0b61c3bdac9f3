/* SPDX-License-Identifier: GPL-2.0-or-later
 * Flow across r = 0 and the poles, where the mesh has an axis along phi. `wind`: a smooth cloud in
 * a uniform wind. `ramp`: the same with a density that has no maximum. `blast`: a ball of high
 * pressure beside the axis. `rest`: density alone varies. */

TITLE("Across the axis")

PARAMETER(flow, 0, "{wind blast rest ramp} which")
PARAMETER(place, -0.25, "where the cloud or ball begins, along the wind")
PARAMETER(pressure, 1, "of the gas")
PARAMETER(fine, 0, "refine from this radius on; 0: nowhere")

/* The Cartesian point, and the components along the axes of the mesh of a uniform vector. */
OAK_FN void across_turn(const oak_at_t *at, double x[3], const double uniform[3], double v[3]) {
#if OAK_COORDINATES == OAK_SPHERICAL
  const double phi = OAK_DIM == 3 ? at->x[2] : 0;
  const double s = sin(at->x[1]), c = cos(at->x[1]), sp = sin(phi), cp = cos(phi);
  const double e[3][3] = {{s * cp, s * sp, c}, {c * cp, c * sp, -s}, {-sp, cp, 0}};
  for (int d = 0; d < 3; d++) x[d] = at->x[0] * e[0][d];
#else
  const double sp = sin(at->x[1]), cp = cos(at->x[1]);
  const double e[3][3] = {{cp, sp, 0}, {-sp, cp, 0}, {0, 0, 1}};
  for (int d = 0; d < 2; d++) x[d] = at->x[0] * e[0][d];
  x[2] = OAK_DIM == 3 ? at->x[2] : 0;
#endif
  for (int n = 0; n < 3; n++)
    v[n] = e[n][0] * uniform[0] + e[n][1] * uniform[1] + e[n][2] * uniform[2];
}

OAK_FN void across_state(const oak_at_t *at, double q[]) {
  const double uniform[3] = {1, 0.4, 0};
  const int flow = at->p.flow, moves = flow == 0 || flow == 3;
  double x[3], v[3], r2 = 0, along = 0;
  across_turn(at, x, uniform, v);
  for (int d = 0; d < 2; d++) {
    const double away = x[d] - uniform[d] * (at->p.place + (moves ? at->t : 0));
    r2 += away * away;
    along += uniform[d] * away;
  }
  if (OAK_COORDINATES == OAK_SPHERICAL) r2 += (fabs(x[2]) - 1) * (fabs(x[2]) - 1);
  q[RHO] = 1;
  if (flow == 0) q[RHO] += exp(-r2 / 0.04);
  if (flow == 2) q[RHO] += 0.5 * sin(3 * x[0]) * cos(4 * x[1]);
  if (flow == 3) q[RHO] += 0.5 * exp(along);
  q[PRS] = flow == 1 && r2 < 0.04 ? 100 : at->p.pressure;
  for (int d = 0; d < OAK_DIM; d++) q[VX + d] = moves ? v[d] : 0;
}

INITIAL(at, q) { across_state(at, q); }
BOUNDARY(at, face, q) { across_state(at, q); }

REGION(at, lower, upper) {
  return at->p.fine > 0 && upper[0] > at->p.fine + 1e-9 ? OAK_REGION_REFINE : OAK_REGION_NEVER;
}
