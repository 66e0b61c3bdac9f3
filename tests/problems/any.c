/* SPDX-License-Identifier: GPL-2.0-or-later
 * For tests: waves of all variables of any physics, with a source of the first one. */
INITIAL(at, q) {
  for (int v = 0; v < PHYSICS_NVAR + NSCALARS; v++) {
    double phase = v;
    for (int d = 0; d < OAK_DIM; d++) phase += (3 + d + v % 3) * at->x[d];
    q[v] = v < PHYSICS_NVAR ? 1 + 0.3 * sin(phase) : 0.5 + 0.4 * sin(phase);
  }
}

SOURCE(at, q, source) { source[0] += (real)0.1 * q[0] * (real)at->x[0]; }

TIMESTEP(at, q) { return 1 / (double)(1 + q[0] * q[0]); }
