/* SPDX-License-Identifier: GPL-2.0-or-later
 * The equations of the benchmark Parthenon-VIBE (vector inviscid Burgers equation, benchmarks/burgers
 * of Parthenon): dU/dt + div(U U / 2) = 0 and eight scalars, dq/dt + div(q U) = 0. */
TITLE("Vector Burgers equation with eight scalars")
#define PHYSICS_NVAR 11
VARIABLES("ux uy uz q0 q1 q2 q3 q4 q5 q6 q7")
PRIMITIVES("ux uy uz q0 q1 q2 q3 q4 q5 q6 q7")
#define PHYSICS_NORMAL(d) (d)

TO_PRIMITIVE(ph, q) {}
TO_CONSERVED(ph, u) {}

FLUX(ph, q, dir, f) {
  for (int v = 0; v < PHYSICS_NVAR; v++) f[v] = (v < 3 ? (real)0.5 : 1) * q[dir] * q[v];
}

WAVE_SPEEDS(ph, ql, qr, dir, smin, smax) {
  *smin = OAK_MIN(ql[dir], qr[dir]);
  *smax = OAK_MAX(ql[dir], qr[dir]);
}

VALID(ph, u) { return u[0] - u[0] == 0; }

/* The largest change along an axis in half a cell, relative to the value. */
CRITERION(largest, u, below, above, eps, eps_abs) {
  real most = 0;
  for (int d = 0; d < OAK_DIM; d++)
    most = OAK_MAX(most, (real)0.5 * oak_abs(above[d] - below[d]) / (oak_abs(u) + eps_abs));
  return most * most;
}
